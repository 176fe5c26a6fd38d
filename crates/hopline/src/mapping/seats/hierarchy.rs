//! Paths from the root of nested parts, packed into words.

use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::mapping::distance::Code;

/// Packs paths: `keys[i]` are the numbers of the parts in which i lies,
/// outermost first, all of one length. Returns the path of every i and the
/// lowest bit of each depth that tells any two apart, with that depth.
/// Numbers need not be unique outside their part. O(n log n * depths).
pub(super) fn pack(keys: &[Vec<u32>]) -> (Vec<Code>, Vec<(u32, usize)>) {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].cmp(&keys[b]));
    let depths = keys.first().map_or(0, Vec::len);
    let mut child = vec![vec![0u32; depths]; keys.len()];
    let mut most = vec![0u32; depths];
    for pair in order.windows(2) {
        let (before, now) = (pair[0], pair[1]);
        let Some(depth) = (0..depths).find(|&d| keys[before][d] != keys[now][d]) else {
            child[now] = child[before].clone();
            continue;
        };
        child[now] = child[before].clone();
        child[now][depth] += 1;
        child[now][depth + 1..].fill(0);
        most[depth] = most[depth].max(child[now][depth]);
    }
    let bits: Vec<u32> = most.iter().map(|&m| 32 - m.leading_zeros()).collect();
    let path = |i: usize| (0..depths).fold(0, |code: Code, d| code << bits[d] | u64::from(child[i][d]));
    let below = |d: usize| bits[d + 1..].iter().sum::<u32>();
    let shifts = (0..depths).filter(|&d| bits[d] > 0).map(|d| (below(d), d)).collect();
    ((0..keys.len()).map(path).collect(), shifts)
}

/// The parts of an endpoint from the outermost level to the innermost.
pub(super) fn parts(fabric: &Fabric, endpoint: VertexId) -> Vec<u32> {
    fabric.levels().iter().rev().map(|level| level.part[endpoint.index()]).collect()
}

/// Nested parts found from distances: places around a leader within a distance,
/// and inside again with the next smaller one. `distance` is between places
/// `0..places`. O(places * parts * radii).
pub(super) fn clusters(places: usize, distance: impl Fn(usize, usize) -> u32) -> Vec<Vec<u32>> {
    let mut keys: Vec<Vec<u32>> = vec![Vec::new(); places];
    let mut radii: Vec<u32> = (0..places).map(|p| distance(0, p)).filter(|&d| d > 0).collect();
    radii.sort_unstable();
    radii.dedup();
    // The largest holds all; the smallest is where single places begin.
    radii.pop();
    let mut groups: Vec<Vec<usize>> = vec![(0..places).collect()];
    for &radius in radii.iter().rev() {
        let mut inner = Vec::new();
        for group in &groups {
            let mut rest = group.clone();
            let mut number = 0;
            while let Some(&leader) = rest.first() {
                let (own, others): (Vec<usize>, Vec<usize>) =
                    rest.iter().partition(|&&p| distance(leader, p) <= radius);
                own.iter().for_each(|&p| keys[p].push(number));
                number += 1;
                inner.push(own);
                rest = others;
            }
        }
        groups = inner;
    }
    keys.iter_mut().enumerate().for_each(|(p, key)| key.push(p as u32));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_the_level_that_joins() {
        let keys: Vec<Vec<u32>> = (0..12).map(|i| vec![0, i / 6, i / 2, i]).collect();
        let (path, shifts) = pack(&keys);
        // Two halves of three pairs: 1 + 2 + 1 bits.
        assert_eq!(shifts, [(3, 1), (1, 2), (0, 3)]);
        assert_eq!(path[..3], [0, 1, 2]);
        assert_eq!(path[11], 0b1101);
    }

    #[test]
    fn clusters_find_the_pods_of_a_fat_tree() {
        // Two pods of two leaves: 2 hops inside, 4 between.
        let keys = clusters(4, |a, b| {
            if a == b {
                0
            } else if a % 2 == b % 2 {
                2
            } else {
                4
            }
        });
        assert_eq!(keys, [[0, 0], [1, 1], [0, 2], [1, 3]]);
    }
}
