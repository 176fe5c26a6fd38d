//! Dot plots and bar charts as SVG.

use crate::Drawing;
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::svg::alone;
use hopline::format::escape;
use hopline::unit::short;
use std::fmt::Write as _;

/// Cells of a dot plot along each side at most: more are merged.
const CELLS: u32 = 256;
/// Side of a dot plot and height of bars.
const SIDE: f64 = 360.0;
/// Room around.
const MARGIN: f64 = 56.0;

/// The drawing as an SVG document of its own.
pub fn drawing(drawing: &Drawing) -> String {
    alone(&drawn(drawing))
}

/// The drawing as an element of a page, which has its colours.
pub fn drawn(drawing: &Drawing) -> String {
    match drawing {
        Drawing::Dots { title, size, dots, .. } => square(title, *size, dots),
        Drawing::Bars { title, y, groups, bars, .. } => bars_of(title, y, groups, bars),
    }
}

fn square(title: &str, size: u32, dots: &[(u32, u32)]) -> String {
    let merge = size.div_ceil(CELLS).max(1);
    let cell = SIDE / f64::from(size.div_ceil(merge).max(1));
    let mut cells: Vec<(u32, u32)> = dots.iter().map(|d| (d.0 / merge, d.1 / merge)).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut path = String::new();
    // A row's cells that touch are one rectangle.
    for run in cells.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1) {
        let (x, y) = (MARGIN + f64::from(run[0].1) * cell, MARGIN + f64::from(run[0].0) * cell);
        let _ = write!(path, "M{x:.2} {y:.2}h{:.2}v{cell:.2}H{x:.2}z", run.len() as f64 * cell);
    }
    let (width, height) = ((SIDE + 2.0 * MARGIN).max(560.0), SIDE + 2.0 * MARGIN);
    let (middle, below, last) = (MARGIN + SIDE / 2.0, MARGIN + SIDE + 24.0, size.saturating_sub(1));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <title>{0}</title>\n<text class=\"title\" x=\"{MARGIN}\" y=\"24\">{0}</text>\n<path class=\"mark c0\" \
         d=\"{path}\"/>\n<path class=\"axis\" d=\"M{MARGIN} {MARGIN}h{SIDE}v{SIDE}h-{SIDE}z\"/>\n<text x=\"{middle}\" \
         y=\"{below}\" text-anchor=\"middle\">receiver, 0 to {last}</text>\n<text x=\"20\" y=\"{middle}\" \
         text-anchor=\"middle\" transform=\"rotate(-90 20 {middle})\">sender</text>\n</svg>\n",
        escape(title)
    )
}

fn bars_of(title: &str, y: &str, groups: &[String], bars: &[(String, Vec<f64>)]) -> String {
    let curve = |(name, values): &(String, Vec<f64>)| Curve {
        name: name.clone(),
        dots: values.iter().enumerate().map(|(g, &v)| Dot::new(g as f64, v)).collect(),
        joined: false,
    };
    let chart = Chart {
        title: title.to_string(),
        x: Axis::things("", groups.to_vec()),
        y: Axis::numbers(y, |v| short((v * 10.0).round() / 10.0)),
        curves: bars.iter().map(curve).collect(),
        levels: Vec::new(),
    };
    chart.svg()
}
