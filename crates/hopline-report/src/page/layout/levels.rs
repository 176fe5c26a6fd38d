//! Switches in rows, those that hosts hang on at the bottom.

use super::{Label, Layout, Mark, Point, Segment, WIDTH, cables};
use hopline::fabric::{Fabric, metrics};
use hopline::id::VertexId;
use std::collections::BTreeMap;

/// Between two rows of switches.
const ROW: f64 = 1_300.0;
const TOP: f64 = 320.0;
/// Where labels begin, and what is theirs at the left.
const LEFT: f64 = 60.0;
const MARGIN: f64 = 1_550.0;
/// Largest square of a switch, and of a host.
const SWITCH: f64 = 170.0;
const HOST: f64 = 110.0;
/// Height of the hosts below their switch.
const HOSTS: f64 = 900.0;

/// The row of every switch, 1 at the bottom, 0 for endpoints; `None` where no switch stands above another.
pub(super) fn layers(fabric: &Fabric) -> Option<Vec<u16>> {
    let hangs = |v: u32| fabric.out_links(VertexId(v)).filter(|&l| fabric.is_adapter(fabric.target(l))).count();
    let switches = fabric.endpoints()..fabric.vertices();
    let mut own: Vec<usize> = switches.clone().map(hangs).filter(|n| *n > 0).collect();
    own.sort_unstable();
    // A spine with a service node is no leaf.
    let enough = own.get(own.len() / 2)?.div_ceil(4);
    let leaves = switches.clone().filter(|&v| hangs(v) >= enough).map(VertexId);
    let mut layer: Vec<u16> =
        metrics::hops_to_any(fabric, leaves).into_iter().map(|hops| hops.saturating_add(1)).collect();
    layer[..fabric.endpoints() as usize].fill(0);
    // What no host reaches stands at the top, alone.
    let reached = layer.iter().copied().filter(|&l| l < u16::MAX).max().unwrap_or(0);
    layer.iter_mut().filter(|l| **l > reached).for_each(|l| *l = reached + 1);
    (reached >= 2).then_some(layer)
}

/// The switches and hosts that are `shown`, with the cables between them.
pub(super) fn layout(fabric: &Fabric, layer: &[u16], shown: &dyn Fn(VertexId) -> bool) -> Layout {
    let rows = (0..).zip(layer).filter(|&(v, _)| shown(VertexId(v))).map(|(_, &row)| row).max();
    let rows = usize::from(rows.unwrap_or(1));
    let mut x = vec![WIDTH / 2.0; layer.len()];
    let height = TOP + ROW * (rows as f64 - 1.0) + HOSTS + 300.0;
    let y = |row: usize| TOP + ROW * (rows - row) as f64;
    let mut made = Layout { height, caption: format!("{rows} levels of switches, hosts below"), ..Layout::default() };
    for row in 1..=rows {
        let mut members: Vec<VertexId> = (fabric.endpoints()..fabric.vertices())
            .map(VertexId)
            .filter(|v| usize::from(layer[v.index()]) == row)
            .collect();
        let all = members.len();
        members.retain(|&v| shown(v));
        members.sort_by(|a, b| middle(fabric, layer, &x, *a).total_cmp(&middle(fabric, layer, &x, *b)));
        let pitch = WIDTH / members.len().max(1) as f64;
        for (k, &v) in members.iter().enumerate() {
            x[v.index()] = pitch * (k as f64 + 0.5);
            made.marks.push(Mark { vertex: v, at: (x[v.index()], y(row)), side: SWITCH.min(0.8 * pitch) });
        }
        let number = match (members.len() < all, row) {
            (true, _) => format!("{} of {all}", members.len()),
            (false, 1) => all.to_string(),
            (false, _) => format!("{all} switches"),
        };
        let name = if row == 1 { "leaf switches".to_string() } else { format!("level {row}") };
        made.labels.push(Label { at: (LEFT, y(row) - 60.0), words: name });
        made.labels.push(Label { at: (LEFT, y(row) + 210.0), words: number });
    }
    hosts(fabric, layer, (&x, &y), shown, &mut made);
    made.segments = lines(fabric, layer, (&x, &y), shown);
    made.height = made.marks.iter().map(|m| m.at.1 + m.side).fold(0.0, f64::max) + 120.0;
    beside_labels(&mut made);
    made
}

/// Moves all but labels to the right, so that no word lies on a line.
fn beside_labels(made: &mut Layout) {
    let share = (WIDTH - MARGIN) / WIDTH;
    let moved = |at: Point| (MARGIN + share * at.0, at.1);
    for mark in &mut made.marks {
        mark.at = moved(mark.at);
        mark.side *= share;
    }
    for segment in &mut made.segments {
        (segment.from, segment.to) = (moved(segment.from), moved(segment.to));
    }
}

/// Where a switch would like to stand: between its neighbours below; leaves in the order of their endpoints.
fn middle(fabric: &Fabric, layer: &[u16], x: &[f64], v: VertexId) -> f64 {
    let own = layer[v.index()];
    let below = fabric.out_links(v).map(|l| fabric.target(l)).filter(|t| layer[t.index()] < own);
    let place = |t: VertexId| if own == 1 { f64::from(t.0) } else { x[t.index()] };
    let (sum, count) = below.fold((0.0, 0.0), |(sum, count), t| (sum + place(t), count + 1.0));
    if count > 0.0 { sum / count } else { f64::from(v.0) }
}

/// Where a vertex is from left to right, and a row from top to bottom.
type Places<'a> = (&'a [f64], &'a dyn Fn(usize) -> f64);

/// Hosts as blocks of squares below the switch that they hang on.
fn hosts(fabric: &Fabric, layer: &[u16], (x, y): Places<'_>, shown: &dyn Fn(VertexId) -> bool, made: &mut Layout) {
    let mut below: BTreeMap<u32, Vec<VertexId>> = BTreeMap::new();
    for v in (0..fabric.endpoints()).map(VertexId).filter(|&v| shown(v)) {
        // What hangs on nothing is drawn below the first switch.
        let switch = fabric.adapter_link(v).map_or(fabric.endpoints(), |l| fabric.target(l).0);
        below.entry(switch).or_default().push(v);
    }
    let leaves = (0..).zip(layer).filter(|&(v, &l)| l == 1 && shown(VertexId(v))).count().max(1);
    let most = below.values().map(Vec::len).max().unwrap_or(1) as f64;
    let room = WIDTH / leaves as f64;
    let side = HOST.min(0.94 * room).min((0.94 * room * HOSTS / most).sqrt());
    let across = ((0.94 * room / side) as usize).max(1);
    for (switch, members) in below {
        let row = usize::from(layer.get(switch as usize).copied().unwrap_or(1)).max(1);
        let (top, columns) = (y(row) + 250.0, across.min(members.len()));
        let left = x.get(switch as usize).copied().unwrap_or(WIDTH / 2.0) - side * columns as f64 / 2.0;
        for (k, &vertex) in members.iter().enumerate() {
            let at: Point = (left + side * ((k % columns) as f64 + 0.5), top + side * ((k / columns) as f64 + 0.5));
            let at = (at.0.clamp(0.0, WIDTH), at.1.clamp(0.0, made.height));
            made.marks.push(Mark { vertex, at, side: 0.84 * side });
        }
    }
}

/// Cables between switches; parallel ones a little apart, those inside of a row as bows.
fn lines(fabric: &Fabric, layer: &[u16], (x, y): Places<'_>, shown: &dyn Fn(VertexId) -> bool) -> Vec<Segment> {
    let mut seen: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut segments = Vec::new();
    for link in cables(fabric) {
        let (a, b) = (fabric.source(link), fabric.target(link));
        if layer[a.index()] == 0 || layer[b.index()] == 0 || !shown(a) || !shown(b) {
            continue;
        }
        let nth = seen.entry((a.0.min(b.0), a.0.max(b.0))).or_insert(0);
        let aside = f64::from(*nth) * 9.0;
        *nth += 1;
        let at = |v: VertexId| ((x[v.index()] + aside).min(WIDTH), y(usize::from(layer[v.index()])));
        let (from, to) = (at(a), at(b));
        if layer[a.index()] == layer[b.index()] {
            let top = ((from.0 + to.0) / 2.0, from.1 - 160.0 - aside);
            segments.push(Segment { from, to: top, link });
            segments.push(Segment { from: top, to, link });
        } else {
            segments.push(Segment { from, to, link });
        }
    }
    segments
}
