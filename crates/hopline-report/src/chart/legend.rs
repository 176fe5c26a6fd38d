//! The legend: in rows below the chart, every name whole, in several lines where it is long.

use super::axis::CHARACTER;
use super::{Chart, classes, lines, mark};
use hopline::format::escape;
use std::fmt::Write as _;

const ROW: f64 = 20.0;
/// From one line of a name to the next.
const LINE: f64 = 15.0;
/// Width of a character of a name.
const WIDE: f64 = 1.08 * CHARACTER;
/// Width of the piece of curve before a name.
const SAMPLE: f64 = 34.0;
const LEFT: f64 = 16.0;

/// Draws it from `top` down, so many units wide at most, and says how high it is.
pub(super) fn draw(s: &mut String, chart: &Chart, most: f64, top: f64) -> f64 {
    let (mut x, mut y) = (LEFT, top + 6.0);
    let room = most - LEFT - SAMPLE;
    // Where a name begins, and its lines.
    let mut place = |name: &str| {
        let pieces = lines(name, room, WIDE);
        let longest = pieces.iter().map(|p| p.chars().count()).max().unwrap_or(0);
        let width = SAMPLE + WIDE * longest as f64 + 18.0;
        if x > LEFT && (x + width > most || pieces.len() > 1) {
            (x, y) = (LEFT, y + ROW);
        }
        let at = (x, y);
        x += width;
        if pieces.len() > 1 {
            (x, y) = (most, y + LINE * (pieces.len() as f64 - 1.0));
        }
        (at, pieces)
    };
    let name = |s: &mut String, (x, y): (f64, f64), pieces: &[String]| {
        for (k, piece) in pieces.iter().enumerate() {
            let (x, y) = (x + SAMPLE, y + 4.5 + LINE * k as f64);
            let _ = writeln!(s, "<text class=\"name\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escape(piece));
        }
    };
    for (k, curve) in chart.curves.iter().enumerate() {
        let ((x, y), pieces) = place(&curve.name);
        let class = classes(k);
        if curve.joined {
            let _ = write!(s, "<path class=\"curve {class}\" d=\"M{x:.1} {y:.1}h28\"/>");
        }
        let _ = write!(s, "<path class=\"mark {class}\" d=\"{}\"/>", mark(k, (x + 14.0, y), 3.4));
        name(s, (x, y), &pieces);
    }
    for (k, (level, value)) in chart.levels.iter().enumerate() {
        let text = format!("{level} {}", (chart.y.show)(*value));
        let ((x, y), pieces) = place(&text);
        let _ = write!(s, "<path class=\"level l{k}\" d=\"M{x:.1} {y:.1}h28\"/>");
        name(s, (x, y), &pieces);
    }
    if chart.curves.iter().flat_map(|c| &c.dots).any(|d| d.published.is_some()) {
        let ((x, y), pieces) = place("published");
        let _ = write!(s, "<circle class=\"published\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"6\"/>", x + 14.0);
        name(s, (x, y), &pieces);
    }
    y - top + ROW
}
