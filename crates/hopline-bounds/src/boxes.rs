//! Ranks that are near each other: boxes, racks, groups.

use crate::network::Network;
use hopline::sets::DisjointSets;
use std::collections::BTreeSet;

/// Speeds of links that are looked at, at most.
const SPEEDS: usize = 8;

/// For each speed that links have, fastest last, the ranks that faster links join: their numbers, in order. O(speeds x links).
fn by_speed(network: &Network) -> Vec<Vec<Vec<u32>>> {
    let speeds: BTreeSet<u64> = network.links().iter().filter_map(|link| link.bytes_s).collect();
    let joined = |above: u64| {
        let mut sets = DisjointSets::new(network.vertices() as u32);
        for link in network.links().iter().filter(|link| link.bytes_s.is_none_or(|bytes| bytes > above)) {
            sets.join(link.from, link.to);
        }
        let mut own: Vec<(u32, u32)> =
            (0..).zip(network.ranks()).map(|(rank, &vertex)| (sets.find(vertex), rank)).collect();
        own.sort_unstable();
        own.chunk_by(|a, b| a.0 == b.0).map(|own| own.iter().map(|of| of.1).collect()).collect()
    };
    speeds.into_iter().take(SPEEDS).map(joined).collect()
}

/// Groups of ranks that links join which are faster than some: racks, boxes, what shares a host; each once.
pub(crate) fn groups(network: &Network) -> BTreeSet<Vec<u32>> {
    let some = 2..network.size();
    by_speed(network).into_iter().flatten().filter(|group| some.contains(&group.len())).collect()
}

/// The ranks by boxes of one size, as slower links part them; all in one where none do. Boxes and ranks inside are in order.
pub fn boxes(network: &Network) -> Vec<Vec<u32>> {
    let even = |groups: &Vec<Vec<u32>>| {
        let size = groups.first().map_or(0, Vec::len);
        size > 1 && groups.len() > 1 && groups.iter().all(|group| group.len() == size)
    };
    let found = by_speed(network).into_iter().find(even);
    let mut boxes = found.unwrap_or_else(|| vec![(0..network.size() as u32).collect()]);
    boxes.sort_unstable();
    boxes
}
