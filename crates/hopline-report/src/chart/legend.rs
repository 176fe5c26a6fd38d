//! The legend: in rows below the chart, every name whole.

use super::axis::CHARACTER;
use super::{Chart, classes, mark};
use crate::escape::escape;
use std::fmt::Write as _;

const ROW: f64 = 20.0;
/// Width of the piece of curve before a name.
const SAMPLE: f64 = 34.0;
const LEFT: f64 = 16.0;

/// Draws it from `top` down, so many units wide at most, and says how high it is.
pub(super) fn draw(s: &mut String, chart: &Chart, most: f64, top: f64) -> f64 {
    let (mut x, mut y) = (LEFT, top + 6.0);
    let mut place = |name: &str| {
        let width = SAMPLE + 1.08 * CHARACTER * name.chars().count() as f64 + 18.0;
        if x > LEFT && x + width > most {
            (x, y) = (LEFT, y + ROW);
        }
        let at = (x, y);
        x += width;
        at
    };
    let name = |s: &mut String, (x, y): (f64, f64), text: &str| {
        let _ =
            writeln!(s, "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + SAMPLE, y + 4.5, escape(text));
    };
    for (k, curve) in chart.curves.iter().enumerate() {
        let (x, y) = place(&curve.name);
        let class = classes(k);
        if curve.joined {
            let _ = write!(s, "<path class=\"curve {class}\" d=\"M{x:.1} {y:.1}h28\"/>");
        }
        let _ = write!(s, "<path class=\"mark {class}\" d=\"{}\"/>", mark(k, (x + 14.0, y), 3.4));
        name(s, (x, y), &curve.name);
    }
    for (k, (level, value)) in chart.levels.iter().enumerate() {
        let text = format!("{level} {}", (chart.y.show)(*value));
        let (x, y) = place(&text);
        let _ = write!(s, "<path class=\"level l{k}\" d=\"M{x:.1} {y:.1}h28\"/>");
        name(s, (x, y), &text);
    }
    if chart.curves.iter().flat_map(|c| &c.dots).any(|d| d.published.is_some()) {
        let (x, y) = place("published");
        let _ = write!(s, "<circle class=\"published\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"6\"/>", x + 14.0);
        name(s, (x, y), "published");
    }
    y - top + ROW
}
