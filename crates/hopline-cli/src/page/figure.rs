//! One picture of a result as a file, and its numbers beside it.

use super::{Shown, check_target};
use crate::output;
use hopline::error::{Error, Place, Result};
use hopline_report::{self as report, FigureStyle, NoPicture};

/// How our SVG, PNG and CSV files begin.
pub(crate) const SVG: &[u8] = b"<svg";
const PNG: &[u8] = b"\x89PNG";
const CSV: &[u8] = b"series,";

/// Most centimetres of a side of a PNG: 7,087 dots.
const PNG_CENTIMETRES: f64 = 60.0;

/// Where a picture goes.
pub(crate) struct Figure<'a> {
    path: &'a str,
    /// The file of its numbers.
    csv: String,
    is_png: bool,
}

impl<'a> Figure<'a> {
    /// A picture in the form that a path's ending names.
    ///
    /// # Errors
    /// It names none, something else is there already, or the form does not know the setting.
    pub(crate) fn at(path: &'a str, setting: &FigureStyle) -> Result<Figure<'a>> {
        let place = Place::new("--output", 0);
        let (stem, is_png) = match (path.strip_suffix(".svg"), path.strip_suffix(".png")) {
            (Some(stem), _) => (stem, false),
            (_, Some(stem)) => (stem, true),
            _ if path == "-" => ("", false),
            _ => {
                return Err(Error::input(format!("`{path}` names no picture"))
                    .at(&place)
                    .hint("write it as .svg or .png; `rsvg-convert -f pdf` makes a PDF of an SVG"));
            }
        };
        let figure = Figure { path, csv: format!("{stem}.csv"), is_png };
        if is_png {
            as_png(setting)?;
        }
        check_target(path, if is_png { PNG } else { SVG })?;
        check_target(&figure.csv, CSV)?;
        Ok(figure)
    }

    /// Draws and writes it, with its numbers.
    ///
    /// # Errors
    /// There are several results, no such picture, or no room for it.
    pub(crate) fn write(&self, shown: &[Shown], name: &str, setting: &FigureStyle) -> Result<()> {
        let place = Place::new("--figure", 0);
        let [one] = shown else {
            return Err(Error::input("a picture is of one result").at(&place).hint("name one file"));
        };
        let views = one.views()?;
        let picture = report::figure(&one.source(&views), name, setting).map_err(|no| match no {
            NoPicture::Name(names) if names.is_empty() => Error::input("the page of this result has no picture")
                .at(&place)
                .hint("pictures of the fabric need the files that the result was made from"),
            NoPicture::Name(names) => Error::input(format!("`{name}` is no picture of this page, or several are"))
                .at(&place)
                .hint(format!("there are {}", names.join(", "))),
            NoPicture::Height(least) => Error::input("the picture does not fit its size")
                .at(&Place::new("--size", 0))
                .hint(format!("make it at least {:.1} cm high, or its text smaller", (10.0 * least).ceil() / 10.0)),
        })?;
        let drawn = if self.is_png { picture.png() } else { picture.svg.into_bytes() };
        let mut files = vec![(self.path, drawn)];
        files.extend(picture.csv.map(|csv| (self.csv.as_str(), csv.into_bytes())));
        output::save(&files)?;
        files.iter().for_each(|(path, _)| output::say(&format!("wrote {path}")));
        Ok(())
    }
}

/// Refuses what a PNG cannot have: other fonts, and more pixels than memory is worth.
fn as_png(setting: &FigureStyle) -> Result<()> {
    if setting.font.is_some() {
        return Err(Error::input("a PNG has a font of its own: DejaVu Sans")
            .at(&Place::new("--font", 0))
            .hint("write an .svg, which is set in the reader's fonts"));
    }
    match [Some(setting.width), setting.height].into_iter().flatten().find(|side| *side > PNG_CENTIMETRES) {
        None => Ok(()),
        Some(side) => Err(Error::input(format!("{side}: expected at most {PNG_CENTIMETRES} centimetres for a PNG"))
            .at(&Place::new("--size", 0))
            .hint("write an .svg, which has any size")),
    }
}
