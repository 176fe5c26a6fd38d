//! A picture of a page as a file of its own, for papers.

use super::{Part, Source, parts};
use crate::escape::escape;
use crate::svg::PAPER;
use std::fmt::Write as _;

/// Units between pictures that stand side by side, and a picture's width.
const GAP: f64 = 20.0;
const SIDE: f64 = 720.0;

/// The picture of the part whose title has `name`, words joined by hyphens, as an SVG document that is so many
/// centimetres wide; several pictures of a part stand side by side.
///
/// # Errors
/// No part with a picture, or several, have that name: the names that there are.
pub fn figure(source: &Source<'_>, name: &str, centimetres: f64) -> Result<String, Vec<String>> {
    let drawn: Vec<(String, Part)> =
        parts(source).into_iter().filter(|p| p.html.contains("<svg")).map(|p| (slug(&p.title), p)).collect();
    let named: Vec<&(String, Part)> = drawn.iter().filter(|d| d.0 == name).collect();
    let named = if named.is_empty() { drawn.iter().filter(|d| d.0.contains(name)).collect() } else { named };
    match named[..] {
        [(_, part)] => Ok(side_by_side(part, centimetres)),
        _ => Err(drawn.into_iter().map(|d| d.0).collect()),
    }
}

fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// The pictures of a part, each with what stands between them.
fn pictures(html: &str) -> impl Iterator<Item = &str> {
    html.split("<svg ").skip(1).filter_map(|rest| rest.split_once("</svg>").map(|s| s.0))
}

/// Width and height of a picture's view box.
fn extent(picture: &str) -> Option<(f64, f64)> {
    let numbers = picture.split_once("viewBox=\"")?.1.split_once('"')?.0;
    let mut numbers = numbers.split(' ').skip(2).filter_map(|n| n.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

fn side_by_side(part: &Part, centimetres: f64) -> String {
    let (mut inside, mut x, mut highest) = (String::new(), 0.0, 0.0f64);
    for picture in pictures(&part.html) {
        let (width, height) = extent(picture).unwrap_or((1.0, 1.0));
        let high = SIDE * height / width;
        let _ = writeln!(inside, "<svg x=\"{x}\" y=\"0\" width=\"{SIDE}\" height=\"{high:.1}\" {picture}</svg>");
        (x, highest) = (x + SIDE + GAP, highest.max(high));
    }
    let (wide, title) = ((x - GAP).max(1.0), escape(&part.title));
    let high = centimetres * highest / wide;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {highest:.1}\" width=\"{centimetres}cm\" \
         height=\"{high:.2}cm\">\n<title>{title}</title>\n{PAPER}{inside}</svg>\n"
    )
}
