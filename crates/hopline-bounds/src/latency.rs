//! What the latency of links takes whatever the routes.

use hopline::fabric::Fabric;
use hopline::id::{SlotId, VertexId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Seconds by the quickest way from the root of an operation to the host of these slots that is the farthest from it. Without
/// a root, between some two hosts that are taken to be far apart: the farthest from the first, and the farthest from that
/// one. What every rank must hear of, or the root of all, takes no less. O(links log links).
pub(crate) fn least(fabric: &Fabric, slots: &[SlotId], root: Option<u32>) -> f64 {
    let hosts = fabric.hosts();
    let ends: Vec<VertexId> = slots.iter().map(|&slot| hosts.endpoint_of(slot)).collect();
    let Some(&first) = ends.get(root.unwrap_or(0) as usize) else { return 0.0 };
    let from = if root.is_some() { first } else { farthest(fabric, first, &ends).1 };
    farthest(fabric, from, &ends).0 as f64 * 1e-9
}

/// Nanoseconds to the end that is the farthest, and that end; ends that cannot be reached are none.
fn farthest(fabric: &Fabric, from: VertexId, ends: &[VertexId]) -> (u64, VertexId) {
    let mut far = vec![u64::MAX; fabric.vertices() as usize];
    far[from.index()] = 0;
    let mut heap = BinaryHeap::from([Reverse((0u64, from))]);
    while let Some(Reverse((at, v))) = heap.pop() {
        if at > far[v.index()] {
            continue;
        }
        for link in fabric.out_links(v) {
            let (to, way) = (fabric.target(link), at.saturating_add(fabric.class_of(link).latency.0));
            if way < far[to.index()] {
                far[to.index()] = way;
                heap.push(Reverse((way, to)));
            }
        }
    }
    let reached = ends.iter().map(|&end| (far[end.index()], end)).filter(|end| end.0 < u64::MAX);
    reached.max_by_key(|end| end.0).unwrap_or((0, from))
}
