//! Dot plots and bar charts as SVG.

use super::svg::{COLORS, escape};
use crate::Drawing;
use hopline::unit::short;
use std::fmt::Write as _;

/// Cells of a dot plot along each side at most: more are merged.
const CELLS: u32 = 256;
/// Side of a dot plot and height of bars.
const SIDE: f64 = 360.0;
/// Room around.
const MARGIN: f64 = 56.0;

/// The drawing as an SVG document.
pub fn drawing(drawing: &Drawing) -> String {
    match drawing {
        Drawing::Dots { title, size, dots, .. } => square(title, *size, dots),
        Drawing::Bars { title, y, groups, bars, .. } => columns(title, y, groups, bars),
    }
}

fn open(title: &str, width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<title>{0}</title>\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n<text x=\"{MARGIN}\" y=\"24\" font-size=\"16\">{0}</text>\n",
        escape(title)
    )
}

fn square(title: &str, size: u32, dots: &[(u32, u32)]) -> String {
    let merge = size.div_ceil(CELLS).max(1);
    let cell = SIDE / f64::from(size.div_ceil(merge).max(1));
    let mut cells: Vec<(u32, u32)> = dots.iter().map(|d| (d.0 / merge, d.1 / merge)).collect();
    cells.sort_unstable();
    cells.dedup();
    let mut s = open(title, (SIDE + 2.0 * MARGIN).max(560.0), SIDE + 2.0 * MARGIN);
    let mut path = String::new();
    // A row's cells that touch are one rectangle.
    for run in cells.chunk_by(|a, b| a.0 == b.0 && a.1 + 1 == b.1) {
        let (x, y) = (MARGIN + f64::from(run[0].1) * cell, MARGIN + f64::from(run[0].0) * cell);
        let _ = write!(path, "M{x:.2} {y:.2}h{:.2}v{cell:.2}H{x:.2}z", run.len() as f64 * cell);
    }
    let _ = write!(
        s,
        "<path d=\"{path}\" fill=\"{}\"/>\n<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" \
         stroke=\"#333\"/>\n<text x=\"{1}\" y=\"{2}\" text-anchor=\"middle\">receiver, 0 to {3}</text>\n<text x=\"20\" y=\"{1}\" \
         text-anchor=\"middle\" transform=\"rotate(-90 20 {1})\">sender</text>\n</svg>\n",
        COLORS[0],
        MARGIN + SIDE / 2.0,
        MARGIN + SIDE + 24.0,
        size.saturating_sub(1)
    );
    s
}

fn columns(title: &str, y: &str, groups: &[String], bars: &[(String, Vec<f64>)]) -> String {
    let most = bars.iter().flat_map(|b| &b.1).copied().fold(0.0, f64::max).max(1e-9);
    let width = (bars.len() as f64 + 1.0) * 14.0;
    let total = width * groups.len() as f64;
    let bottom = MARGIN + SIDE;
    let mut s = open(title, total + 2.0 * MARGIN + 110.0, SIDE + 2.0 * MARGIN);
    for part in 0..=4 {
        let value = most * f64::from(part) / 4.0;
        let at = bottom - SIDE * f64::from(part) / 4.0;
        let _ = write!(
            s,
            "<line x1=\"{MARGIN}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\n<text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}</text>\n",
            MARGIN + total,
            MARGIN - 6.0,
            at + 4.5,
            short((value * 10.0).round() / 10.0)
        );
    }
    for (k, (name, values)) in bars.iter().enumerate() {
        let color = COLORS[k % COLORS.len()];
        for (g, value) in values.iter().enumerate() {
            let x = MARGIN + g as f64 * width + 7.0 + 14.0 * k as f64;
            let height = SIDE * value / most;
            let _ = writeln!(
                s,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"13\" height=\"{height:.1}\" fill=\"{color}\"><title>{}: \
                 {}</title></rect>",
                bottom - height,
                escape(name),
                short((value * 10.0).round() / 10.0)
            );
        }
        let (x, y) = (MARGIN + total + 12.0, MARGIN + 22.0 * k as f64);
        let _ = write!(
            s,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"13\" height=\"13\" fill=\"{color}\"/>\n<text x=\"{:.1}\" \
             y=\"{:.1}\">{}</text>\n",
            x + 20.0,
            y + 11.0,
            escape(name)
        );
    }
    for (g, name) in groups.iter().enumerate() {
        let _ = writeln!(
            s,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\">{}</text>",
            MARGIN + (g as f64 + 0.5) * width,
            bottom + 16.0,
            escape(name)
        );
    }
    let _ = write!(
        s,
        "<text x=\"16\" y=\"{0:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {0:.1})\">{1}</text>\n</svg>\n",
        MARGIN + SIDE / 2.0,
        escape(y)
    );
    s
}
