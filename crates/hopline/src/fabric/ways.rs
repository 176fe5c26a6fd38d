//! Ways inside a host, as NCCL and RCCL choose them.

use super::{Fabric, Outside};
use crate::id::{LinkId, VertexId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// How one part of a host is reached from a processor.
#[derive(Debug, Clone, Copy)]
struct Reached {
    /// Another processor passes it on to what is no processor.
    relayed: bool,
    hops: u16,
    /// Bytes per second of the narrowest link.
    width: u64,
    last: LinkId,
}

/// The way from a processor to every part of its host that it reaches: the shortest, of equally short ones the widest,
/// of these the first.
#[derive(Debug, Clone)]
pub struct WaysInside {
    from: VertexId,
    reached: FxHashMap<VertexId, Reached>,
}

impl WaysInside {
    /// The ways of one processor of a fabric whose hosts have insides. Adapters lead on to nothing inside; another GPU
    /// does, between two of its direct links to GPUs, and only one on a way. What is reached by no such way, as the adapters
    /// of another GPU are where sockets do not join them, is reached through that GPU, which is NCCL's PXN.
    /// O(links of the host * log parts).
    pub fn new(fabric: &Fabric, outside: &Outside, from: VertexId) -> WaysInside {
        let mut reached: FxHashMap<VertexId, Reached> = FxHashMap::default();
        let direct = |l: LinkId| fabric.is_endpoint(fabric.source(l)) && fabric.is_endpoint(fabric.target(l));
        let cores = outside.inside().cores_forward();
        let mut layer = vec![from];
        for hops in 1.. {
            let mut next = Vec::new();
            for &at in &layer {
                if outside.is_adapter(at) {
                    continue;
                }
                let width = reached.get(&at).map_or(u64::MAX, |r| r.width);
                let through = at != from && fabric.is_endpoint(at) && !cores;
                // One GPU may stand between two others, where links join both to it.
                if through && (hops != 2 || !reached.get(&at).is_some_and(|r| direct(r.last))) {
                    continue;
                }
                for link in fabric.out_links(at).filter(|&l| !through || direct(l)) {
                    let to = fabric.target(link);
                    let own = fabric.class_of(link).bandwidth.map_or(u64::MAX, |b| b.as_bytes_s());
                    let new = Reached { relayed: false, hops, width: width.min(own), last: link };
                    if to == from {
                        continue;
                    }
                    match reached.get(&to) {
                        None => next.push(to),
                        Some(old) if old.hops == hops && old.width < new.width => {}
                        Some(_) => continue,
                    }
                    reached.insert(to, new);
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        relay(fabric, outside, from, &mut reached);
        WaysInside { from, reached }
    }

    /// Adds the links of the way to a part, in order; false where there is none.
    pub fn add(&self, fabric: &Fabric, to: VertexId, links: &mut Vec<LinkId>) -> bool {
        let start = links.len();
        let mut at = to;
        while at != self.from {
            let Some(reached) = self.reached.get(&at) else {
                links.truncate(start);
                return false;
            };
            links.push(reached.last);
            at = fabric.source(reached.last);
        }
        links[start..].reverse();
        true
    }

    /// Of these parts the places of those that are nearest: fewest links, then widest.
    pub fn nearest(&self, parts: &[VertexId]) -> Vec<usize> {
        let key = |v: &VertexId| self.reached.get(v).map(|r| (r.relayed, r.hops, Reverse(r.width)));
        let best = parts.iter().filter_map(key).min();
        (0..parts.len()).filter(|&i| best.is_some() && key(&parts[i]) == best).collect()
    }
}

/// Reaches what is left through the processors that are reached, by the fewest links, then the widest.
fn relay(fabric: &Fabric, outside: &Outside, from: VertexId, reached: &mut FxHashMap<VertexId, Reached>) {
    let key = |at: VertexId, r: &Reached| (r.hops, Reverse(r.width), at.0);
    let mut open: BTreeSet<_> =
        reached.iter().filter(|(at, _)| fabric.is_endpoint(**at)).map(|(at, r)| key(*at, r)).collect();
    while let Some((hops, Reverse(width), at)) = open.pop_first() {
        let at = VertexId(at);
        if outside.is_adapter(at) {
            continue;
        }
        for link in fabric.out_links(at) {
            let to = fabric.target(link);
            if to == from || reached.contains_key(&to) {
                continue;
            }
            let own = fabric.class_of(link).bandwidth.map_or(u64::MAX, |b| b.as_bytes_s());
            let new = Reached { relayed: true, hops: hops.saturating_add(1), width: width.min(own), last: link };
            open.insert(key(to, &new));
            reached.insert(to, new);
        }
    }
}
