//! A picture of a page as a file of its own, for papers: in a size, a font and, beside it, as numbers.

use super::document::{list, text};
use super::plot::Plot;
use super::{Part, Source, csv, parts};
use crate::escape::escape;
use crate::raster::{POINTS_PER_CENTIMETRE, png};
use crate::svg::PAPER;
use serde_json::Value;
use std::fmt::Write as _;

/// Units between pictures that stand side by side, and of a line of words above or below them.
const GAP: f64 = 20.0;
const LINE: f64 = 24.0;
/// Text is so many units high; in fabrics, which are 10,000 wide, at most so many of theirs.
const TEXT: f64 = 13.0;
const MOST_TEXT: f64 = 300.0;
/// What journals ask for.
const DOTS_PER_INCH: f64 = 300.0;

/// How a picture is set.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureStyle {
    /// Width in centimetres.
    pub width: f64,
    /// Height in centimetres at most; as it comes where none is given.
    pub height: Option<f64>,
    /// Height of the text in points.
    pub points: f64,
    /// A font by name, or the reader's own without serifs.
    pub font: Option<String>,
}

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

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq)]
pub enum NoPicture {
    /// No part with a picture, or several, have that name: the names that there are.
    Name(Vec<String>),
    /// It does not fit: the least height in centimetres.
    Height(f64),
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
        None => side_by_side(part, setting),
    };
    Ok(Picture { svg, csv: csv::csv(part) })
}

fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Units in a centimetre, so that text has its height.
fn units(setting: &FigureStyle) -> f64 {
    POINTS_PER_CENTIMETRE * TEXT / setting.points
}

/// A picture that is laid out for its size, with its scale of colours below it.
fn plotted(part: &Part, plot: &Plot, setting: &FigureStyle) -> Result<String, NoPicture> {
    let units = units(setting);
    let scale = scale(&part.html);
    let below = if scale.is_empty() { 0.0 } else { LINE };
    let svg = plot.sized(setting.width * units, setting.height.map(|high| high * units - below));
    let (width, height) = extent(&svg).unwrap_or((1.0, 1.0));
    let high = height + below;
    let asked = setting.height.map_or(high, |high| high * units);
    // Rounding of a view box is no height.
    if high > asked + 1.0 {
        return Err(NoPicture::Height(high / units));
    }
    let inside = nested(&svg, (0.0, 0.0), (width, height)) + &scale_at(&scale, height + 0.7 * LINE);
    Ok(file((width, asked), setting, plot.title(), &inside))
}

/// The pictures of a part, each with what stands between its tags.
fn pictures(html: &str) -> impl Iterator<Item = &str> {
    html.split("<svg ").skip(1).filter_map(|rest| rest.split_once("</svg>").map(|s| s.0))
}

/// Width and height of a picture's view box.
fn extent(picture: &str) -> Option<(f64, f64)> {
    let numbers = picture.split_once("viewBox=\"")?.1.split_once('"')?.0;
    let mut numbers = numbers.split(' ').skip(2).filter_map(|n| n.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

/// A picture inside of another.
fn nested(picture: &str, (x, y): (f64, f64), (width, height): (f64, f64)) -> String {
    let inside = picture.trim_start_matches("<svg ").trim_end().trim_end_matches("</svg>");
    format!("<svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {inside}</svg>\n")
}

fn side_by_side(part: &Part, setting: &FigureStyle) -> String {
    let drawn: Vec<(&str, (f64, f64))> = pictures(&part.html).map(|p| (p, extent(p).unwrap_or((1.0, 1.0)))).collect();
    let titles = titles(part);
    let above = if titles.is_empty() { 0.0 } else { LINE };
    let scale = scale(&part.html);
    let below = if scale.is_empty() { 0.0 } else { LINE };
    let gaps = GAP * (drawn.len() as f64 - 1.0);
    let highest = drawn.iter().map(|d| d.1.1 / d.1.0).fold(0.0, f64::max);
    let room = setting.height.map_or(f64::INFINITY, |high| (high * units(setting) - above - below).max(1.0) / highest);
    let side = ((setting.width * units(setting) - gaps) / drawn.len() as f64).min(room).max(1.0);
    let mut inside = format!("<style>.net text{{font-size:{:.0}px}}</style>\n", (1e4 * TEXT / side).min(MOST_TEXT));
    for (k, (picture, (width, height))) in drawn.iter().enumerate() {
        let x = k as f64 * (side + GAP);
        if let Some(title) = titles.get(k) {
            let _ = writeln!(inside, "<text x=\"{x:.1}\" y=\"{TEXT}\">{}</text>", escape(title));
        }
        inside.push_str(&nested(picture, (x, above), (side, side * height / width)));
    }
    let bottom = above + side * highest;
    inside.push_str(&scale_at(&scale, bottom + 0.7 * LINE));
    let wide = side * drawn.len() as f64 + gaps;
    file((wide, bottom + below), setting, &part.title, &inside)
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

/// What each of the pictures side by side is of.
fn titles(part: &Part) -> Vec<String> {
    let Some(data) = &part.data else { return Vec::new() };
    let map = |m: &Value| format!("{}: {} down, {} across", text(m, "title"), text(m, "down"), text(m, "across"));
    match text(data, "kind") {
        "fabric" => list(data, "views").iter().map(|v| text(v, "name").to_string()).collect(),
        _ => list(data, "maps").iter().map(map).collect(),
    }
}

/// What the largest step of colour stands for.
fn scale(html: &str) -> String {
    let words =
        || html.split_once("class=\"scale\"")?.1.split_once("</p>")?.0.rsplit_once("<span>")?.1.split('<').next();
    words().unwrap_or("").to_string()
}

fn scale_at(words: &str, y: f64) -> String {
    if words.is_empty() {
        return String::new();
    }
    let step = |k: usize| {
        let x = 14 + 18 * k;
        format!("<path class=\"s{k}\" d=\"M{x} {:.1}h18v9h-18z\"/>", y - 9.0)
    };
    let steps: String = (0..super::job::STEPS).map(step).collect();
    format!(
        "<text class=\"tick\" x=\"0\" y=\"{y:.1}\">0</text>{steps}<text class=\"tick\" x=\"164\" y=\"{y:.1}\">{words}</text>\n"
    )
}
