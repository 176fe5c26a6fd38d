//! Numbers that describe a fabric: distances, diameter, connected parts.

use super::Fabric;
use crate::id::{LinkId, VertexId};

/// Hops from every vertex to `target` over any links: breadth first, O(links).
/// `u16::MAX` where there is no way.
pub fn hops_to(fabric: &Fabric, target: VertexId) -> Vec<u16> {
    hops_to_any(fabric, [target])
}

/// The same to the nearest of several targets.
pub fn hops_to_any(fabric: &Fabric, targets: impl IntoIterator<Item = VertexId>) -> Vec<u16> {
    let mut hops = vec![u16::MAX; fabric.vertices() as usize];
    let mut queue: std::collections::VecDeque<VertexId> = targets.into_iter().collect();
    queue.iter().for_each(|v| hops[v.index()] = 0);
    while let Some(v) = queue.pop_front() {
        // Cables are links both ways, so the links out of v lead to those that reach it.
        for link in fabric.out_links(v) {
            let next = fabric.target(link);
            if hops[next.index()] == u16::MAX {
                hops[next.index()] = hops[v.index()].saturating_add(1);
                queue.push_back(next);
            }
        }
    }
    hops
}

/// Per vertex the number of the part of the network that links join it to, of those that are `on` (both directions of a
/// cable alike). O(links).
pub fn parts(fabric: &Fabric, on: impl Fn(LinkId) -> bool) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let mut part = vec![NEW; fabric.vertices() as usize];
    for root in 0..fabric.vertices() {
        let mut open = if part[root as usize] == NEW { vec![VertexId(root)] } else { Vec::new() };
        while let Some(v) = open.pop() {
            if std::mem::replace(&mut part[v.index()], root) == NEW {
                let next = fabric.out_links(v).filter(|&l| on(l)).map(|l| fabric.target(l));
                open.extend(next.filter(|to| part[to.index()] == NEW));
            }
        }
    }
    part
}

/// Ordered pairs of endpoints with a host in different parts, `part` as [`parts`] gives it. O(vertices).
pub fn pairs_apart(fabric: &Fabric, part: &[u32]) -> u64 {
    let mut ends = vec![0u64; part.len()];
    let owned = |v: &u32| fabric.hosts().owner(VertexId(*v)).is_some();
    (0..fabric.endpoints()).filter(owned).for_each(|v| ends[part[v as usize] as usize] += 1);
    let all: u64 = ends.iter().sum();
    all * all - ends.iter().map(|n| n * n).sum::<u64>()
}

/// What `hopline fabric show` says of distances.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Distances {
    /// Most router-to-router hops between two endpoints that have a host.
    pub diameter: u16,
    /// Mean router-to-router hops over ordered pairs of different endpoints.
    pub mean: f64,
    /// Ordered pairs of endpoints without a way between them.
    pub unreachable: u64,
}

/// Shortest distances between all endpoints with a host; direct networks count
/// every hop, indirect ones leave out injection and ejection.
/// O(endpoints * links).
pub fn distances(fabric: &Fabric) -> Distances {
    let ends: Vec<VertexId> =
        (0..fabric.endpoints()).map(VertexId).filter(|&v| fabric.hosts().owner(v).is_some()).collect();
    let host_hops = |v: VertexId| fabric.out_links(v).next().map_or(0, |l| u16::from(fabric.is_host_link(l)));
    let (mut diameter, mut total, mut pairs, mut unreachable) = (0, 0u64, 0u64, 0u64);
    for &target in &ends {
        let hops = hops_to(fabric, target);
        for &source in ends.iter().filter(|&&s| s != target) {
            if hops[source.index()] == u16::MAX {
                unreachable += 1;
                continue;
            }
            let network = hops[source.index()].saturating_sub(host_hops(source) + host_hops(target));
            diameter = diameter.max(network);
            total += u64::from(network);
            pairs += 1;
        }
    }
    Distances { diameter, mean: if pairs == 0 { 0.0 } else { total as f64 / pairs as f64 }, unreachable }
}
