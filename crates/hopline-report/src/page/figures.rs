//! A picture of a page as a file of its own, for papers: in a size, a font and, beside it, as numbers.

use super::plot::Plot;
use super::style::{FigureStyle, NoPicture, extent, nested, units};
use super::{Part, Source, csv, panels, parts};
use crate::raster::png;
use crate::svg::PAPER;
use hopline::format::escape;

/// The scale of colours stands so far below its picture.
const SCALE: f64 = 16.0;
/// What journals ask for.
const DOTS_PER_INCH: f64 = 300.0;

/// A picture, drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// An SVG document.
    pub svg: String,
    /// What is drawn, in numbers, where the picture has numbers.
    pub csv: Option<String>,
}

impl Picture {
    /// The picture as PNG with 300 dots per inch, set in DejaVu Sans. O(pixels).
    pub fn png(&self) -> Vec<u8> {
        png(&self.svg, DOTS_PER_INCH)
    }
}

/// The picture of the part whose title has `name`, words joined by hyphens; several pictures of a part stand side by side.
///
/// # Errors
/// There is no such picture, or it is higher than asked for.
pub fn figure(source: &Source<'_>, name: &str, setting: &FigureStyle) -> Result<Picture, NoPicture> {
    let drawn: Vec<(String, Part)> =
        parts(source).into_iter().filter(|p| p.html.contains("<svg")).map(|p| (slug(&p.title), p)).collect();
    let named: Vec<&(String, Part)> = drawn.iter().filter(|d| d.0 == name).collect();
    let named = if named.is_empty() { drawn.iter().filter(|d| d.0.contains(name)).collect() } else { named };
    let [(_, part)] = named[..] else { return Err(NoPicture::Name(drawn.into_iter().map(|d| d.0).collect())) };
    let svg = match &part.plot {
        Some(plot) => plotted(part, plot, setting)?,
        None => {
            let (inside, high) = panels::drawn(part, setting)?;
            file((setting.width * units(setting), high), setting, &part.title, &inside)
        }
    };
    Ok(Picture { svg, csv: csv::csv(part) })
}

fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// A picture that is laid out for its size, with its scale of colours below it.
fn plotted(part: &Part, plot: &Plot, setting: &FigureStyle) -> Result<String, NoPicture> {
    let units = units(setting);
    let (scale, wide) = (panels::scale(&part.html), setting.width * units);
    let below = panels::scale_height(&scale, wide);
    let svg = plot.sized(wide, setting.height.map(|high| high * units - below));
    let (width, height) = extent(&svg).unwrap_or((1.0, 1.0));
    let high = height + below;
    let asked = setting.height.map_or(high, |high| high * units);
    // Rounding of a view box is no height.
    if high > asked + 1.0 {
        return Err(NoPicture::Height(high / units));
    }
    let inside = nested(&svg, (0.0, 0.0), (width, height)) + &panels::scale_at(&scale, width, height + SCALE);
    Ok(file((width, asked), setting, plot.title(), &inside))
}

/// The document around pictures.
fn file((wide, high): (f64, f64), setting: &FigureStyle, title: &str, inside: &str) -> String {
    let (title, units) = (escape(title), units(setting));
    let font = setting
        .font
        .as_deref()
        .map_or(String::new(), |name| format!("<style>text{{font-family:'{}',sans-serif}}</style>\n", escape(name)));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide:.1} {high:.1}\" width=\"{:.2}cm\" \
         height=\"{:.2}cm\">\n<title>{title}</title>\n{PAPER}{font}{inside}</svg>\n",
        wide / units,
        high / units
    )
}
