//! Line charts as SVG: what a study's figures need, no more.
//!
//! Computed values are curves, published ones open circles in the same colour,
//! the range of random samples a bar.

use crate::{Figure, Point, Series};
use hopline::unit::short;
use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Left, right, top, bottom: room for labels and the legend.
const MARGIN: (f64, f64, f64, f64) = (64.0, 150.0, 48.0, 56.0);
/// Distinct for most people who do not see all colours (Okabe and Ito), and on white.
pub(super) const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#a6761d", "#56b4e9", "#000000", "#8a8a00"];
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

/// The figure as an SVG document.
pub fn svg(figure: &Figure) -> String {
    let axis = Axis::new(figure);
    let mut s = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<title>{0}</title>\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n<text x=\"{1}\" y=\"24\" font-size=\"16\">{0}</text>\n",
        escape(&figure.title),
        MARGIN.0
    );
    frame(&mut s, figure, &axis);
    for (k, series) in figure.series.iter().enumerate() {
        curve(&mut s, k, series, figure.ticks.len(), &axis);
        legend(&mut s, k, &series.name);
    }
    if figure.series.iter().flat_map(|s| &s.points).any(|p| p.published.is_some()) {
        let (x, y) = (WIDTH - MARGIN.1 + 16.0, MARGIN.2 + 22.0 * figure.series.len() as f64 + 18.0);
        let _ = write!(
            s,
            "<circle cx=\"{}\" cy=\"{y:.1}\" r=\"5\" fill=\"none\" stroke=\"#555\" stroke-width=\"1.5\"/>\n<text \
             x=\"{}\" y=\"{:.1}\" fill=\"#333\">published</text>\n",
            x + 12.0,
            x + 30.0,
            y + 4.5
        );
    }
    s.push_str("</svg>\n");
    s
}

/// The y axis.
struct Axis {
    low: f64,
    high: f64,
    log: bool,
    ticks: Vec<f64>,
}

impl Axis {
    fn new(figure: &Figure) -> Axis {
        let values = figure.series.iter().flat_map(|s| &s.points).flat_map(|p| {
            let (low, high) = p.range.unwrap_or((p.y, p.y));
            [p.y, low, high, p.published.unwrap_or(p.y)]
        });
        let values: Vec<f64> = values.filter(|v| v.is_finite() && (!figure.log || *v > 0.0)).collect();
        let (least, most) =
            (values.iter().copied().fold(f64::INFINITY, f64::min), values.iter().copied().fold(0.0, f64::max));
        if figure.log && least.is_finite() {
            // 1, 2, 5 in every decade, from the one below to the one above.
            let all = (-6..9).flat_map(|d| [1.0, 2.0, 5.0].map(|m| m * 10f64.powi(d)));
            let all: Vec<f64> = all.collect();
            let from = all.iter().rposition(|t| *t <= least).unwrap_or(0);
            let to = all.iter().position(|t| *t >= most).unwrap_or(all.len() - 1).max(from + 1);
            let ticks = all[from..=to].to_vec();
            return Axis { low: all[from], high: all[to], log: true, ticks };
        }
        let most = if most > 0.0 { most } else { 1.0 };
        let raw = most / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= raw).unwrap_or(power * 10.0);
        let count = (most / step - 1e-9).ceil() as usize;
        Axis { low: 0.0, high: step * count as f64, log: false, ticks: (0..=count).map(|k| k as f64 * step).collect() }
    }

    fn y(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        HEIGHT - MARGIN.3 - part * (HEIGHT - MARGIN.2 - MARGIN.3)
    }
}

fn x(tick: f64, ticks: usize) -> f64 {
    let width = WIDTH - MARGIN.0 - MARGIN.1;
    MARGIN.0 + width * (tick + 0.5) / ticks.max(1) as f64
}

fn frame(s: &mut String, figure: &Figure, axis: &Axis) {
    let (left, right, bottom) = (MARGIN.0, WIDTH - MARGIN.1, HEIGHT - MARGIN.3);
    for &tick in &axis.ticks {
        let y = axis.y(tick);
        let _ = write!(
            s,
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>\n<text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\" fill=\"#333\">{}</text>\n",
            left - 8.0,
            y + 4.5,
            short(tick)
        );
    }
    for (k, tick) in figure.ticks.iter().enumerate() {
        let _ = writeln!(
            s,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#333\">{}</text>",
            x(k as f64, figure.ticks.len()),
            bottom + 20.0,
            escape(tick)
        );
    }
    let _ = write!(
        s,
        "<line x1=\"{left}\" y1=\"{bottom}\" x2=\"{right}\" y2=\"{bottom}\" stroke=\"#333\"/>\n<text x=\"{}\" y=\"{}\" \
         text-anchor=\"middle\">{}</text>\n<text x=\"16\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 16 \
         {:.1})\">{}</text>\n",
        (left + right) / 2.0,
        HEIGHT - 14.0,
        escape(&figure.x),
        (MARGIN.2 + bottom) / 2.0,
        (MARGIN.2 + bottom) / 2.0,
        escape(&figure.y)
    );
}

fn curve(s: &mut String, k: usize, series: &Series, ticks: usize, axis: &Axis) {
    let color = COLORS[k % COLORS.len()];
    let at = |p: &Point| (x(p.tick, ticks), axis.y(p.y));
    let points: Vec<String> = series.points.iter().map(|p| format!("{:.1},{:.1}", at(p).0, at(p).1)).collect();
    let _ = writeln!(
        s,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
        points.join(" "),
        DASHES[k % DASHES.len()]
    );
    for p in &series.points {
        let (x, y) = at(p);
        if let Some((low, high)) = p.range {
            let _ = writeln!(
                s,
                "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"{color}\" stroke-width=\"5\" \
                 stroke-opacity=\"0.3\"/>",
                axis.y(low),
                axis.y(high)
            );
        }
        let _ = writeln!(
            s,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"><title>{}: {}</title></circle>",
            escape(&series.name),
            short(p.y)
        );
        if let Some(published) = p.published {
            let _ = writeln!(
                s,
                "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"6\" fill=\"none\" stroke=\"{color}\" \
                 stroke-width=\"1.5\"><title>{}, published: {}</title></circle>",
                axis.y(published),
                escape(&series.name),
                short(published)
            );
        }
    }
}

fn legend(s: &mut String, k: usize, name: &str) {
    let (x, y) = (WIDTH - MARGIN.1 + 16.0, MARGIN.2 + 22.0 * k as f64 + 8.0);
    let _ = write!(
        s,
        "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n<text \
         x=\"{}\" y=\"{}\" fill=\"#333\">{}</text>\n",
        x + 24.0,
        COLORS[k % COLORS.len()],
        DASHES[k % DASHES.len()],
        x + 30.0,
        y + 4.5,
        escape(name)
    );
}

/// Text that may stand in XML and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(values: &[f64], log: bool) -> Figure {
        let point = |(tick, &y): (usize, &f64)| Point { tick: tick as f64, y, range: None, published: Some(y) };
        let points = values.iter().enumerate().map(point).collect();
        let ticks = (0..values.len()).map(|t| t.to_string()).collect();
        let series = vec![Series { name: "a < b".into(), points }];
        Figure { name: "f".into(), title: "t".into(), x: "x".into(), y: "y".into(), ticks, log, series }
    }

    #[test]
    fn axes_hold_all_values() {
        for log in [true, false] {
            for values in [vec![3.0, 70.0], vec![1.0], vec![0.02, 0.021], vec![]] {
                let axis = Axis::new(&figure(&values, log));
                let inside = |y: f64| (MARGIN.2 - 1e-6..=HEIGHT - MARGIN.3 + 1e-6).contains(&y);
                assert!(values.iter().all(|v| inside(axis.y(*v))), "{values:?} {log}");
                assert!(axis.high > axis.low);
            }
        }
    }

    #[test]
    fn names_are_escaped() {
        assert!(svg(&figure(&[1.0, 2.0], true)).contains("a &lt; b"));
    }
}
