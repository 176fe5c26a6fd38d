//! Where to cut the network, so that links between parts are long.

use super::queues::Port;
use crate::forwarding::{NOWHERE, Wiring};
use crate::sets::DisjointSets;
use std::ops::RangeInclusive;

/// First router of every part and the end of the last, and the shortest latency
/// between parts: at most so many of about equal size. Each border lies
/// within a quarter of a part around its even place, where the shortest link
/// that crosses it ([`shortest_crossing`]) is longest. O(routers).
pub(super) fn cut(crossing: &[u32], parts: usize) -> (Vec<u32>, u32) {
    let routers = crossing.len() as u32 - 1;
    let parts = (parts as u32).clamp(1, routers.max(1));
    let mut cuts = vec![0];
    for t in 1..parts {
        let even = (u64::from(routers) * u64::from(t) / u64::from(parts)) as u32;
        let slack = routers / parts / 4;
        let least = cuts[cuts.len() - 1] + 1;
        let window = even.saturating_sub(slack).max(least)..=(even + slack).min(routers - 1);
        let best = window.max_by_key(|&c| (crossing[c as usize], std::cmp::Reverse(c.abs_diff(even))));
        cuts.extend(best);
    }
    cuts.push(routers);
    let stride = cuts[1..cuts.len() - 1].iter().map(|&c| crossing[c as usize]).min();
    (cuts, stride.unwrap_or(u32::MAX))
}

/// Bytes of ports that stay in the cache with all that belongs to them.
const CACHED: usize = 1 << 18;
/// Most parts for that: each has a box for every other.
const MOST: usize = 256;
/// Cycles that parts run by themselves: fewer do not pay for what they tell each
/// other, more would let it grow larger than what is in flight.
const ALONE: RangeInclusive<u32> = 8..=32;

/// As [`cut`], for so many threads of so many processes; into more parts, which are in the cache one
/// after the other, where the network is large and links between them long.
pub(super) fn parts(wiring: &Wiring, crossing: &[u32], threads: usize, processes: usize) -> (Vec<u32>, u32) {
    // As many for every process.
    let pieces = (wiring.ports.len() * size_of::<Port<4>>() / CACHED).min(MOST).next_multiple_of(processes);
    if pieces > threads {
        let (cuts, shortest) = cut(crossing, pieces);
        if shortest >= *ALONE.start() {
            return (cuts, shortest.min(*ALONE.end()));
        }
    }
    cut(crossing, threads.next_multiple_of(processes))
}

/// Router-cycles that a part must have between two exchanges, so that threads work most of the time: on 16 cores four threads are 3.3
/// times as fast as one with 264 routers and links of one cycle, sixteen seven times; with 64 routers no number of them is twice as fast.
const WORTH_A_STRETCH: u64 = 64;

/// As many of `threads` as have enough to do. O(links log links + threads * routers).
pub fn worthwhile(wiring: &Wiring, threads: usize) -> usize {
    let routers = wiring.len() as u64;
    let crossing = shortest_crossing(wiring);
    let pays = |&t: &usize| routers * u64::from(cut(&crossing, t).1) >= WORTH_A_STRETCH * t as u64;
    (2..=threads).rev().find(pays).unwrap_or(1)
}

/// For every router r the shortest latency of a link between routers below r
/// and others; `u32::MAX` where none crosses. O(links log links).
pub(super) fn shortest_crossing(wiring: &Wiring) -> Vec<u32> {
    let mut links: Vec<(u16, u32, u32)> = wiring
        .ports
        .iter()
        .filter(|p| p.peer != NOWHERE)
        .map(|p| (p.latency, p.router, wiring.ports[p.peer as usize].router))
        .filter(|&(_, a, b)| a < b)
        .collect();
    links.sort_unstable();
    let n = wiring.len() + 1;
    let mut shortest = vec![u32::MAX; n];
    // A set is named by the first place from there on that has no latency yet.
    let mut next = DisjointSets::new(n as u32 + 1);
    for (latency, a, b) in links {
        let mut at = next.find(a + 1);
        while at <= b {
            shortest[at as usize] = u32::from(latency);
            next.unite(at, at + 1);
            at = next.find(at);
        }
    }
    shortest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;
    use crate::files::Disk;
    use crate::params::Params;
    use crate::topology;

    #[test]
    fn large_networks_with_long_links_are_cut_at_them() {
        let large = |keys: &str| {
            let spec = format!("dragonfly:p=6,a=12,h=6{keys}");
            let params = Params::from_spec(&spec, &Place::new("here", 0)).expect("spec");
            let (_, fabric) = topology::build(&params, &Disk).expect("machine");
            let wiring = Wiring::new(&fabric, 1).expect("wiring");
            parts(&wiring, &shortest_crossing(&wiring), 1, 1)
        };
        let (cuts, stride) = large(",local_latency=10,global_latency=100");
        assert!(cuts.len() > 5 && cuts.iter().all(|c| c % 12 == 0), "{cuts:?}");
        assert_eq!(stride, *ALONE.end());
        assert_eq!(large(""), (vec![0, 73 * 12], u32::MAX), "links of one cycle");
    }
}
