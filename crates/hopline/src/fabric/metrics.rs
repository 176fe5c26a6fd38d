//! Numbers that describe a fabric: distances, diameter, connected parts.

use super::Fabric;
use crate::id::{LinkId, VertexId};
use std::collections::BTreeMap;

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
/// O(places * (links + places)), a place being a switch that endpoints hang on with their only cable, or another endpoint.
pub fn distances(fabric: &Fabric) -> Distances {
    let mut places: BTreeMap<Place, u64> = BTreeMap::new();
    let ends = (0..fabric.endpoints()).map(VertexId).filter(|&v| fabric.hosts().owner(v).is_some());
    ends.for_each(|v| *places.entry(Place::of(fabric, v)).or_default() += 1);
    let (mut diameter, mut total, mut pairs, mut unreachable) = (0, 0u64, 0u64, 0u64);
    // Places are in the order of their vertices: one search serves all at a vertex.
    let (mut at, mut hops) = (None, Vec::new());
    for (target, &targets) in &places {
        if at != Some(target.at) {
            (at, hops) = (Some(target.at), hops_to(fabric, target.at));
        }
        for (source, &sources) in &places {
            // Nobody goes to himself.
            let these = targets * (sources - u64::from(source == target));
            let between = hops[source.at.index()];
            if these > 0 && between == u16::MAX {
                unreachable += these;
            } else if these > 0 {
                let all = between.saturating_add(source.cables + target.cables);
                let network = all.saturating_sub(source.injection + target.injection);
                diameter = diameter.max(network);
                total += u64::from(network) * these;
                pairs += these;
            }
        }
    }
    Distances { diameter, mean: if pairs == 0 { 0.0 } else { total as f64 / pairs as f64 }, unreachable }
}

/// Where an endpoint is: all in one place have the same way to everybody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// The switch at the other end of its only cable, else itself.
    at: VertexId,
    /// Cables to there: 1 or 0.
    cables: u16,
    /// Links of its way that are injection: 1 or 0.
    injection: u16,
}

impl Place {
    fn of(fabric: &Fabric, end: VertexId) -> Place {
        let mut links = fabric.out_links(end);
        let first = links.next();
        let injection = first.map_or(0, |l| u16::from(fabric.is_host_link(l)));
        // Two endpoints may hang on each other.
        match first.filter(|&l| links.next().is_none() && !fabric.is_endpoint(fabric.target(l))) {
            Some(only) => Place { at: fabric.target(only), cables: 1, injection },
            None => Place { at: end, cables: 0, injection },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, LinkClass};
    use crate::rng::Rng;
    use crate::unit::Bandwidth;

    /// Endpoints with no cable, one or several, to switches and to each other, host links or not, some without a host.
    fn random(seed: u64) -> Fabric {
        let rng = &mut Rng::new(seed, "distances");
        let (ends, switches) = (1 + rng.below(9) as u32, rng.below(5) as u32);
        let mut b = Builder::new("random", ends, switches);
        let classes = [
            b.class(LinkClass::host(Some(Bandwidth::gb_s(1.0)))),
            b.class(LinkClass::network("net", Bandwidth::gb_s(1.0))),
        ];
        let class = classes[rng.below(2) as usize];
        for _ in 0..rng.below(u64::from(3 * (ends + switches))) {
            let [one, other] = [0; 2].map(|_: u8| rng.below(u64::from(ends + switches)) as u32);
            // An endpoint's links are alike.
            let class = if one.min(other) < ends { class } else { classes[1] };
            if one != other {
                b.cable(VertexId(one), VertexId(other), class);
            }
        }
        (0..ends).filter(|_| rng.below(5) > 0).for_each(|e| b.host(format!("h{e}"), vec![VertexId(e)], 1));
        b.finish().expect("a fabric")
    }

    #[test]
    fn distances_are_those_of_all_pairs() {
        let mut apart = 0;
        for seed in 0..2000 {
            let fabric = random(seed);
            let ends = (0..fabric.endpoints()).map(VertexId).filter(|&v| fabric.hosts().owner(v).is_some());
            let injection = |v| fabric.out_links(v).next().map_or(0, |l| u16::from(fabric.is_host_link(l)));
            let (mut hops, mut unreachable) = (Vec::new(), 0);
            for target in ends.clone() {
                let all = hops_to(&fabric, target);
                for source in ends.clone().filter(|&source| source != target) {
                    match all[source.index()] {
                        u16::MAX => unreachable += 1,
                        n => hops.push(n.saturating_sub(injection(source) + injection(target))),
                    }
                }
            }
            let sum: u64 = hops.iter().map(|&n| u64::from(n)).sum();
            let mean = if hops.is_empty() { 0.0 } else { sum as f64 / hops.len() as f64 };
            let diameter = hops.into_iter().max().unwrap_or(0);
            assert_eq!(distances(&fabric), Distances { diameter, mean, unreachable }, "seed {seed}");
            apart += u32::from(unreachable > 0);
        }
        assert!((100..1950).contains(&apart), "{apart}");
    }
}
