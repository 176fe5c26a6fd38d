//! Groups on a large ring, their routers on small ones; one ring where there are no groups.

use super::{Label, Layout, Mark, Point, Segment, WIDTH, cables};
use hopline::fabric::{Fabric, Level};
use hopline::id::VertexId;
use std::collections::BTreeMap;
use std::f64::consts::PI;

const MIDDLE: Point = (WIDTH / 2.0, WIDTH / 2.0);
const RADIUS: f64 = 4_000.0;
/// The line around a group, over the ring of its routers; and the room between two of those lines.
const AROUND: f64 = 1.18;
const APART: f64 = 0.94;
/// More groups than this are not named in the picture.
const NAMED: usize = 48;

pub(super) fn layout(fabric: &Fabric) -> Layout {
    let level = fabric.levels().iter().rev().find(|level| has_groups(fabric, level));
    let mut groups: BTreeMap<u32, Vec<VertexId>> = BTreeMap::new();
    for v in (0..fabric.vertices()).map(VertexId).filter(|&v| !fabric.is_adapter(v)) {
        groups.entry(level.and_then(|level| part(fabric, level, v)).unwrap_or(0)).or_default().push(v);
    }
    let mut made = Layout { height: WIDTH, ..Layout::default() };
    let count = groups.len().max(1);
    made.caption = match level {
        Some(level) => format!("{count} groups (level {}), the routers of each on a ring of their own", level.name),
        None => "all routers on one ring".to_string(),
    };
    // As large as neighbours on the large ring allow: AROUND * own = APART * ring * sine, ring = half - AROUND * own.
    let sine = (PI / count as f64).sin();
    let largest = APART * 0.99 * WIDTH / 2.0 * sine / (AROUND * (1.0 + APART * sine));
    let own = if count == 1 { RADIUS } else { largest.min(1_500.0) };
    let ring = 0.99 * WIDTH / 2.0 - AROUND * own;
    let mut at: Vec<Option<Point>> = vec![None; fabric.vertices() as usize];
    for (k, members) in groups.values().enumerate() {
        let turn = 2.0 * PI * k as f64 / count as f64;
        let centre = if count == 1 { MIDDLE } else { around(MIDDLE, ring, turn) };
        let pitch = 2.0 * PI * own / members.len().max(1) as f64;
        for (i, &vertex) in members.iter().enumerate() {
            let place = around(centre, own, turn + 2.0 * PI * i as f64 / members.len() as f64);
            at[vertex.index()] = Some(place);
            made.marks.push(Mark { vertex, at: place, side: 150.0f64.min(0.6 * pitch) });
        }
        if let Some(level) = level {
            made.circles.push((centre, AROUND * own));
            if count <= NAMED {
                let words = format!("{} {k}", level.name);
                made.labels.push(Label { at: around(centre, 0.0, 0.0), words });
            }
        }
    }
    adapters(fabric, &mut at, &mut made, own);
    let line = |link| {
        let of = |v: VertexId| at[v.index()].unwrap_or(MIDDLE);
        Segment { from: of(fabric.source(link)), to: of(fabric.target(link)), link }
    };
    made.segments = cables(fabric).map(line).collect();
    made
}

fn around(middle: Point, radius: f64, turn: f64) -> Point {
    (middle.0 + radius * turn.sin(), middle.1 - radius * turn.cos())
}

/// Several parts, and several routers in some part.
fn has_groups(fabric: &Fabric, level: &Level) -> bool {
    let mut routers = vec![0u32; level.parts as usize];
    for v in (0..fabric.vertices()).map(VertexId).filter(|&v| !fabric.is_adapter(v)) {
        if let Some(count) = part(fabric, level, v).and_then(|p| routers.get_mut(p as usize)) {
            *count += 1;
        }
    }
    level.parts > 1 && routers.iter().any(|n| *n > 1)
}

/// The part of an endpoint, or of the first endpoint behind a switch.
pub(crate) fn part(fabric: &Fabric, level: &Level, v: VertexId) -> Option<u32> {
    if fabric.is_endpoint(v) {
        return level.part.get(v.index()).copied();
    }
    let first = fabric.out_links(v).map(|l| fabric.target(l)).find(|&t| fabric.is_endpoint(t))?;
    level.part.get(first.index()).copied()
}

/// Adapters outside of their router's ring.
fn adapters(fabric: &Fabric, at: &mut [Option<Point>], made: &mut Layout, own: f64) {
    let mut count: BTreeMap<u32, f64> = BTreeMap::new();
    for vertex in (0..fabric.endpoints()).map(VertexId).filter(|&v| fabric.is_adapter(v)) {
        let switch = fabric.adapter_link(vertex).map(|l| fabric.target(l));
        let (x, y) = switch.and_then(|s| at[s.index()]).unwrap_or(MIDDLE);
        let nth = count.entry(switch.map_or(u32::MAX, |s| s.0)).or_insert(0.0);
        // In a small spiral around the router.
        let place = around((x, y), own * 0.08 * (1.6 + 0.12 * *nth), 2.4 * *nth);
        *nth += 1.0;
        made.marks.push(Mark { vertex, at: place, side: 60.0f64.min(0.045 * own) });
    }
}
