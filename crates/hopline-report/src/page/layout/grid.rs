//! A grid unrolled: planes of the first two dimensions side by side, other dimensions as short lines at every router.

use super::{Label, Layout, Mark, Point, Segment, WIDTH, cables};
use hopline::fabric::Fabric;
use hopline::id::VertexId;
use std::f64::consts::PI;

/// Planes that are named.
const NAMED: usize = 64;

pub(super) fn layout(fabric: &Fabric, dims: &[u32]) -> Layout {
    let [across, down] = [0, 1].map(|d| dims.get(d).copied().unwrap_or(1).max(1) as usize);
    let planes: usize = dims.iter().skip(2).map(|&d| d as usize).product();
    let columns = (planes as f64).sqrt().ceil().max(1.0) as usize;
    let plane_rows = planes.div_ceil(columns).max(1);
    let pitch = WIDTH / (columns as f64 * (across as f64 + 1.0));
    // A ring has height too.
    let label = if planes > 1 { 260.0f64.max(0.6 * pitch) } else { 0.0 };
    let (wide, high) = (pitch * (across as f64 + 1.0), pitch * (down as f64 + 1.0) + label);
    let coordinates = |v: VertexId| split(v.0 as usize, dims);
    let at = |c: &[usize]| -> Point {
        let plane = c.iter().zip(dims).skip(2).rev().fold(0, |n, (&c, &d)| n * d as usize + c);
        let y = c.get(1).copied().unwrap_or(0);
        (
            wide * (plane % columns) as f64 + pitch * (c.first().copied().unwrap_or(0) as f64 + 1.0),
            high * (plane / columns) as f64 + label + pitch * (y as f64 + 1.0),
        )
    };
    let sizes: Vec<String> = dims.iter().map(u32::to_string).collect();
    let mut made = Layout { height: high * plane_rows as f64, ..Layout::default() };
    made.caption = format!(
        "{} grid, unrolled{}",
        sizes.join(" x "),
        match planes {
            1 => "; lines that leave it come back at the other side",
            _ => " into planes; links between planes are the slanted lines at every router",
        }
    );
    let routers = (0..fabric.endpoints()).map(VertexId);
    made.marks =
        routers.map(|vertex| Mark { vertex, at: at(&coordinates(vertex)), side: 120.0f64.min(0.36 * pitch) }).collect();
    for link in cables(fabric) {
        let (a, b) = (coordinates(fabric.source(link)), coordinates(fabric.target(link)));
        let Some(d) = (0..dims.len()).find(|&d| a[d] != b[d]) else { continue };
        let (from, to) = (at(&a), at(&b));
        let up = (b[d] + dims[d] as usize - a[d]) % dims[d] as usize == 1;
        if d < 2 && a[d].abs_diff(b[d]) == 1 {
            made.segments.push(Segment { from, to, link });
        } else {
            // Half a cable at each of its ends.
            made.segments.push(Segment { from, to: stub(from, d, up, pitch), link });
            made.segments.push(Segment { from: to, to: stub(to, d, !up, pitch), link });
        }
    }
    // A mesh has no line that leaves it.
    if planes == 1 && made.segments.len() == cables(fabric).count() {
        made.caption = format!("{} grid", sizes.join(" x "));
    }
    if planes > 1 && planes <= NAMED {
        let name = |p: usize| {
            let rest = split(p, dims.get(2..).unwrap_or(&[]));
            let words: Vec<String> = rest.iter().zip(2..).map(|(c, d)| format!("dimension {d} = {c}")).collect();
            let at = (wide * (p % columns) as f64 + 0.5 * pitch, high * (p / columns) as f64 + 0.8 * label);
            Label { at, words: words.join(", ") }
        };
        made.labels = (0..planes).map(name).collect();
    }
    made
}

/// The coordinates of a number, dimension 0 fastest.
fn split(mut number: usize, dims: &[u32]) -> Vec<usize> {
    dims.iter()
        .map(|&d| {
            let own = number % d.max(1) as usize;
            number /= d.max(1) as usize;
            own
        })
        .collect()
}

/// The end of half a cable: along the axes of the plane, slanted for the other dimensions.
fn stub((x, y): Point, dimension: usize, up: bool, pitch: f64) -> Point {
    let turn = match dimension {
        0 => 0.0,
        1 => PI / 2.0,
        d => -PI / 4.0 - 0.35 * (d as f64 - 2.0),
    };
    let length = 0.42 * pitch * if up { 1.0 } else { -1.0 };
    (x + length * turn.cos(), y + length * turn.sin())
}
