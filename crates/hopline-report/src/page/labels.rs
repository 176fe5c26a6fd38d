//! Lines and words of a fabric in a figure, which keep their size whatever that of the picture is.

use super::layout::WIDTH;
use super::style::TEXT;
use crate::raster::text_width;

/// The rules of a picture of a fabric that is drawn so wide. Lines are as wide as on a page.
pub(super) fn rules(side: f64) -> String {
    // A unit of the figure in units of the fabric.
    let u = WIDTH / side;
    let wide = |units: f64| units * u;
    let mut s = format!(".net text{{font-size:{:.0}px;stroke-width:{:.0}px}}", wide(TEXT), wide(3.0));
    let lines = [
        (".net .link", 0.7),
        (".net .link.s0", 0.5),
        (".net .link.s3", 1.1),
        (".net .link.s4", 1.1),
        (".net .link.s5", 1.6),
        (".net .link.s6", 1.6),
        (".net .link.s7", 2.4),
        (".net .link.taken", 3.0),
        (".net .link.off", 1.0),
        (".net .group", 1.0),
        (".net .vertex.s0", 0.5),
    ];
    lines.iter().for_each(|(what, units)| s.push_str(&format!("{what}{{stroke-width:{:.1}}}", wide(*units))));
    for (what, dash, gap) in [(".net .link.taken", 7.0, 4.0), (".net .link.off", 3.0, 4.0)] {
        s.push_str(&format!("{what}{{stroke-dasharray:{:.1} {:.1}}}", wide(dash), wide(gap)));
    }
    s
}

/// The picture with its words where all of them have room, else without.
pub(super) fn fitting(picture: &str, side: f64) -> String {
    let size = TEXT * WIDTH / side;
    let boxes: Option<Vec<[f64; 4]>> = picture.split("<text ").skip(1).map(|text| area(text, size)).collect();
    let inside = |b: &[f64; 4]| b[0] >= 0.0 && b[2] <= WIDTH && b[1] >= 0.0;
    let apart = |a: &[f64; 4], b: &[f64; 4]| a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1];
    let room = |all: &[[f64; 4]]| {
        (0..all.len()).all(|k| inside(&all[k]) && all[..k].iter().all(|other| apart(other, &all[k])))
    };
    if boxes.is_some_and(|all| room(&all)) {
        return picture.to_string();
    }
    let mut pieces = picture.split("<text ");
    let first = pieces.next().unwrap_or("").to_string();
    pieces.fold(first, |s, piece| s + piece.split_once("</text>").map_or("", |p| p.1))
}

/// Left, top, right and bottom of a text of this size, from what follows its tag's name.
fn area(text: &str, size: f64) -> Option<[f64; 4]> {
    let (tag, rest) = text.split_once('>')?;
    let number = |key: &str| tag.split_once(key)?.1.split_once('"')?.0.parse::<f64>().ok();
    let (x, y) = (number("x=\"")?, number("y=\"")?);
    let wide = size * text_width(rest.split_once("</text>")?.0);
    let left = if tag.contains("middle") { x - wide / 2.0 } else { x };
    Some([left, y - 0.8 * size, left + wide, y + 0.2 * size])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_room_are_left_out_and_lines_stay() {
        let label = |x: u32, words: &str| format!("<text x=\"{x}\" y=\"2000\" text-anchor=\"middle\">{words}</text>");
        let picture = format!("<path/>{}{}<circle/>", label(2000, "group 0"), label(4000, "group 1"));
        assert_eq!(fitting(&picture, 400.0), picture);
        assert_eq!(fitting(&picture, 100.0), "<path/><circle/>");
    }
}
