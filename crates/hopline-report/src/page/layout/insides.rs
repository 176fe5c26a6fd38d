//! Hosts with an inside: the network between them by its own shape, below it every host as a block of rows, adapters on top.

use super::{Label, Layout, Mark, Point, Segment, WIDTH, cables, of_shape};
use hopline::fabric::{Fabric, Outside};
use hopline::id::{HostId, LinkId, VertexId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Below the network, and between two rows of a block.
const BELOW: f64 = 900.0;
const ROW: f64 = 260.0;
const SIDE: f64 = 110.0;
/// What a letter of a host's name takes.
const LETTER: f64 = 95.0;
/// Blocks that stand beside each other if there are more of them; their rows are so much wider than high.
const BESIDE: usize = 64;
const WIDER: usize = 12;

pub(super) fn layout(fabric: &Fabric, outside: &Outside, shown: &dyn Fn(VertexId) -> bool) -> Layout {
    let outer = outside.fabric();
    let mut hosts: Vec<Vec<Vec<VertexId>>> = blocks(fabric, outside, shown);
    let in_blocks: BTreeSet<VertexId> = hosts.iter().flatten().flatten().copied().collect();
    let mut made = match outer.links() {
        0 => Layout::default(),
        _ => of_shape(outer, &|v| shown(outside.vertex(v)) && !in_blocks.contains(&outside.vertex(v))),
    };
    made.marks.iter_mut().for_each(|mark| mark.vertex = outside.vertex(mark.vertex));
    made.marks.retain(|mark| !in_blocks.contains(&mark.vertex));
    made.segments.iter_mut().for_each(|segment| segment.link = outside.link(segment.link));
    made.caption = match outer.links() {
        0 => "what is inside the host, its adapters on top".to_string(),
        _ => format!("{}; every host as a block below, its adapters on top", made.caption.replace(", hosts below", "")),
    };
    // Each below the switches that it hangs on, as far as they agree.
    let x: BTreeMap<VertexId, f64> = made.marks.iter().map(|mark| (mark.vertex, mark.at.0)).collect();
    hosts.sort_by(|a, b| middle(fabric, &x, a).total_cmp(&middle(fabric, &x, b)));
    let top = made.height + if outer.links() == 0 { ROW } else { BELOW };
    place(fabric, &hosts, top, &mut made);
    join(fabric, &mut made);
    made
}

/// The parts of every host that are shown, by rows: how far they are from its adapters.
fn blocks(fabric: &Fabric, outside: &Outside, shown: &dyn Fn(VertexId) -> bool) -> Vec<Vec<Vec<VertexId>>> {
    let between: BTreeSet<LinkId> = outside.links().iter().copied().collect();
    let within = |v: VertexId| fabric.out_links(v).filter(|l| !between.contains(l)).map(|l| fabric.target(l));
    let reach = |from: &[VertexId]| {
        let mut far: BTreeMap<VertexId, usize> = from.iter().map(|&v| (v, 0)).collect();
        let mut queue: VecDeque<VertexId> = from.iter().copied().collect();
        while let Some(v) = queue.pop_front() {
            let next = far[&v] + 1;
            for t in within(v) {
                far.entry(t).or_insert_with(|| {
                    queue.push_back(t);
                    next
                });
            }
        }
        far
    };
    let host = |h: u32| {
        let all = reach(fabric.hosts().endpoints(HostId(h)));
        let adapters: Vec<VertexId> = all.keys().copied().filter(|&v| outside.is_adapter(v)).collect();
        let far = reach(&adapters);
        let deepest = far.values().copied().max().unwrap_or(0);
        let mut rows: BTreeMap<usize, Vec<VertexId>> = BTreeMap::new();
        for &v in all.keys().filter(|&&v| shown(v)) {
            // What no adapter leads to stands at the bottom.
            rows.entry(far.get(&v).copied().unwrap_or(deepest + 1)).or_default().push(v);
        }
        rows.into_values().collect::<Vec<_>>()
    };
    (0..fabric.hosts().len()).map(host).filter(|rows| !rows.is_empty()).collect()
}

/// The mean of the places of what is next to a host, from left to right.
fn middle(fabric: &Fabric, x: &BTreeMap<VertexId, f64>, rows: &[Vec<VertexId>]) -> f64 {
    let beside = rows.iter().flatten().flat_map(|&v| fabric.out_links(v)).filter_map(|l| x.get(&fabric.target(l)));
    let (sum, count) = beside.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// The blocks in rows from this height on.
fn place(fabric: &Fabric, hosts: &[Vec<Vec<VertexId>>], top: f64, made: &mut Layout) {
    let columns = ((hosts.len() * WIDER).isqrt() + 1).max(BESIDE).min(hosts.len().max(1));
    let width = WIDTH / columns as f64;
    let most = hosts.iter().flatten().map(Vec::len).max().unwrap_or(1) as f64;
    let pitch = 0.86 * width / most;
    let side = SIDE.min(0.8 * pitch);
    // Small blocks are low, too.
    let row = ROW.min(6.0 * pitch);
    let deep = hosts.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let name = |rows: &[Vec<VertexId>]| {
        let ends = rows.iter().flatten().find_map(|&v| fabric.hosts().owner(v));
        ends.map(|host| fabric.hosts().name(host).to_string()).unwrap_or_default()
    };
    let named = hosts.iter().all(|rows| name(rows).chars().count() as f64 * LETTER < width);
    let high = row * (deep + 1.0) + if named { ROW } else { 0.0 };
    for (k, rows) in hosts.iter().enumerate() {
        let (left, head) = (width * (k % columns) as f64, top + high * (k / columns) as f64);
        for (r, parts) in rows.iter().enumerate() {
            for (n, &vertex) in parts.iter().enumerate() {
                let aside = (n as f64 + 0.5 - parts.len() as f64 / 2.0) * pitch;
                made.marks.push(Mark { vertex, at: (left + width / 2.0 + aside, head + row * r as f64), side });
            }
        }
        if named {
            let at: Point = (left + 0.07 * width, head + row * (deep - 1.0) + ROW);
            made.labels.push(Label { at, words: name(rows) });
        }
    }
    let bottom = |mark: &Mark| mark.at.1 + mark.side;
    let labels = made.labels.iter().map(|label| label.at.1).fold(0.0, f64::max);
    made.height = made.marks.iter().map(bottom).fold(labels, f64::max) + 120.0;
}

/// A line for every cable that has none yet and whose ends are drawn.
fn join(fabric: &Fabric, made: &mut Layout) {
    let drawn: BTreeSet<LinkId> = made.segments.iter().map(|s| s.link.min(fabric.reverse(s.link))).collect();
    let at: BTreeMap<VertexId, Point> = made.marks.iter().map(|mark| (mark.vertex, mark.at)).collect();
    let line = |link: LinkId| {
        let (from, to) = (*at.get(&fabric.source(link))?, *at.get(&fabric.target(link))?);
        Some(Segment { from, to, link })
    };
    let missing: Vec<Segment> = cables(fabric).filter(|l| !drawn.contains(l)).filter_map(line).collect();
    made.segments.extend(missing);
}
