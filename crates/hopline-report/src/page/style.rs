//! How a picture is set: its width, its text, and what stands in it.

use crate::raster::POINTS_PER_CENTIMETRE;

/// Text is so many units high.
pub(super) const TEXT: f64 = 13.0;
/// How a picture is set.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureStyle {
    /// Width in centimetres.
    pub width: f64,
    /// Height in centimetres; as it comes where none is given.
    pub height: Option<f64>,
    /// Height of the text in points.
    pub points: f64,
    /// A font by name, or the reader's own without serifs.
    pub font: Option<String>,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq)]
pub enum NoPicture {
    /// No part with a picture, or several, have that name: the names that there are.
    Name(Vec<String>),
    /// It does not fit: the least height in centimetres.
    Height(f64),
}

/// Units in a centimetre, so that text has its height.
pub(super) fn units(setting: &FigureStyle) -> f64 {
    POINTS_PER_CENTIMETRE * TEXT / setting.points
}

/// Width and height of a picture's view box.
pub(super) fn extent(picture: &str) -> Option<(f64, f64)> {
    let numbers = picture.split_once("viewBox=\"")?.1.split_once('"')?.0;
    let mut numbers = numbers.split(' ').skip(2).filter_map(|n| n.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

/// A picture inside of another.
pub(super) fn nested(picture: &str, (x, y): (f64, f64), (width, height): (f64, f64)) -> String {
    let inside = picture.trim_start_matches("<svg ").trim_end().trim_end_matches("</svg>");
    format!("<svg x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {inside}</svg>\n")
}
