//! Islands: groups of nodes whose ports explain how fast they reach each other, found
//! from measured rates whatever the order of the nodes.
//!
//! Groups are merged, the closest first, and how close two are is the median over all pairs of
//! their fast nodes: one pair that was measured wrong joins nothing. A slow node, or one
//! that is alone in its rack, reaches all alike and says nothing about who is apart from whom,
//! so where a group has faster nodes only those are asked. Merging ends where the next step
//! is much farther than the one before.

/// A step farther than the one before by this goes over something shared.
const STEP: f64 = 1.3;
/// Apart in any case, however gradually the steps grow.
const APART: f64 = 1.7;
/// Nodes within this of the fastest of their group are its fast ones.
const FAST: f64 = 1.3;

/// Seconds a byte of each node's own port: its best.
pub(super) fn ports(nodes: usize, per_byte: &[f64]) -> Vec<f64> {
    let others = |i: usize| (0..nodes).filter(move |&j| j != i).map(move |j| per_byte[i * nodes + j]);
    (0..nodes).map(|i| others(i).fold(f64::INFINITY, f64::min)).collect()
}

/// The first node of each node's island, from seconds a byte by sender * nodes + receiver. O(nodes^4), for tens of
/// nodes.
pub(super) fn islands(nodes: usize, per_byte: &[f64], port: &[f64]) -> Vec<usize> {
    let rates = Rates { nodes, per_byte, port };
    let mut groups: Vec<Vec<usize>> = (0..nodes).map(|node| vec![node]).collect();
    let mut before = 1.0f64;
    while let Some(Closest { far, first, second }) = rates.closest(&groups) {
        if far > APART || far > STEP * before {
            break;
        }
        before = before.max(far);
        let other = groups.swap_remove(second);
        groups[first].extend(other);
    }
    let mut island = vec![0; nodes];
    for group in groups {
        let first = group.iter().copied().min().unwrap_or(0);
        group.into_iter().for_each(|node| island[node] = first);
    }
    island
}

struct Rates<'a> {
    nodes: usize,
    per_byte: &'a [f64],
    port: &'a [f64],
}

/// Two groups, the first below the second.
struct Closest {
    /// How far they are apart.
    far: f64,
    first: usize,
    second: usize,
}

impl Rates<'_> {
    /// The two groups that are closest.
    fn closest(&self, groups: &[Vec<usize>]) -> Option<Closest> {
        let fast: Vec<Vec<usize>> = groups.iter().map(|group| self.fast(group)).collect();
        let inside: Vec<f64> = fast.iter().map(|group| self.inside(group)).collect();
        let pairs = (0..groups.len()).flat_map(|a| (a + 1..groups.len()).map(move |b| (a, b)));
        let far = |(a, b): (usize, usize)| {
            let between = fast[a].iter().flat_map(|&i| fast[b].iter().map(move |&j| (i, j)));
            let rate = self.median(between);
            (rate / inside[a].max(inside[b]), rate, a, b)
        };
        // Who is one another's closest is as close as can be: of those the fastest.
        let closest = pairs.map(far).min_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
        closest.map(|(far, _, first, second)| Closest { far, first, second })
    }

    fn fast(&self, group: &[usize]) -> Vec<usize> {
        let best = group.iter().map(|&node| self.port[node]).fold(f64::INFINITY, f64::min);
        group.iter().copied().filter(|&node| self.port[node] <= FAST * best).collect()
    }

    /// Seconds a byte among the nodes of a group; of a single one its port's.
    fn inside(&self, group: &[usize]) -> f64 {
        match group {
            [one] => self.port[*one],
            _ => self.median((0..group.len()).flat_map(|i| (i + 1..group.len()).map(move |j| (group[i], group[j])))),
        }
    }

    /// The median of pairs; of two in the middle the larger.
    fn median(&self, pairs: impl Iterator<Item = (usize, usize)>) -> f64 {
        let rate = |(i, j): (usize, usize)| self.per_byte[i * self.nodes + j].max(self.per_byte[j * self.nodes + i]);
        let mut rates: Vec<f64> = pairs.map(rate).collect();
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len() / 2).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of random numbers: splitmix64.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }

        fn unit(&mut self) -> f64 {
            (self.next() >> 11) as f64 / (1u64 << 53) as f64
        }

        fn shuffle<T>(&mut self, list: &mut [T]) {
            for i in (1..list.len()).rev() {
                list.swap(i, self.next() as usize % (i + 1));
            }
        }
    }

    /// Rates of nodes with a rack, a pod and a port each, measured with noise: what is slower than both
    /// ports counts; most messages take up to a tenth longer than that, one in ten up to twice as long, and of
    /// two the faster counts.
    fn measured(nodes: &[(usize, usize, f64)], trunk: f64, core: f64, random: &mut Random) -> Vec<f64> {
        let n = nodes.len();
        let mut per_byte = vec![0.0; n * n];
        for i in 0..n {
            for j in i + 1..n {
                let ((a, above_a, port_a), (b, above_b, port_b)) = (nodes[i], nodes[j]);
                let way = if a == b {
                    0.0
                } else if above_a == above_b {
                    trunk
                } else {
                    core
                };
                let mut late = || if random.next().is_multiple_of(10) { random.unit() } else { 0.1 * random.unit() };
                let seconds = port_a.max(port_b).max(way) * (1.0 + late().min(late()));
                (per_byte[i * n + j], per_byte[j * n + i]) = (seconds, seconds);
            }
        }
        per_byte
    }

    /// Hosts of all racks in turn.
    fn dealt(nodes: Vec<(usize, usize, f64)>) -> Vec<(usize, usize, f64)> {
        let before = |at: usize| nodes[..at].iter().filter(|node| node.0 == nodes[at].0).count();
        let mut order: Vec<usize> = (0..nodes.len()).collect();
        order.sort_by_key(|&at| (before(at), nodes[at].0));
        order.into_iter().map(|at| nodes[at]).collect()
    }

    /// Which share of placements has exactly the racks as islands. `racks`: hosts of each, and its pod.
    fn found(racks: &[(usize, usize)], ports: &[f64], trunk: f64, core: f64) -> f64 {
        let mut random = Random(racks.len() as u64);
        let runs = 200;
        let mut right = 0;
        for run in 0..runs {
            let racks = racks.iter().enumerate();
            let mut nodes: Vec<(usize, usize, f64)> = racks
                .flat_map(|(rack, &(hosts, pod))| (0..hosts).map(move |host| (rack, pod, ports[host % ports.len()])))
                .collect();
            // As they stand, dealt out, and at random.
            match run % 3 {
                0 => {}
                1 => nodes = dealt(nodes),
                _ => random.shuffle(&mut nodes),
            }
            let per_byte = measured(&nodes, trunk, core, &mut random);
            let island = islands(nodes.len(), &per_byte, &super::ports(nodes.len(), &per_byte));
            let same = |i: usize, j: usize| (island[i] == island[j]) == (nodes[i].0 == nodes[j].0);
            let all = (0..nodes.len()).all(|i| (0..nodes.len()).all(|j| same(i, j)));
            right += u32::from(all);
        }
        f64::from(right) / f64::from(runs)
    }

    #[test]
    fn racks_are_found_whatever_the_placement_noise_and_sizes() {
        type Case = (&'static str, &'static [(usize, usize)], &'static [f64], f64, f64);
        let cases: [Case; 9] = [
            ("two racks of four", &[(4, 0), (4, 0)], &[1.0], 2.0, 2.0),
            ("two of eight, a trunk a little thinner", &[(8, 0), (8, 0)], &[1.0], 1.6, 1.6),
            ("one switch", &[(9, 0)], &[1.0], 2.0, 2.0),
            ("one switch, two speeds", &[(8, 0)], &[1.0, 2.0], 2.0, 2.0),
            ("unequal", &[(7, 0), (3, 0), (2, 0), (4, 0)], &[1.0], 2.0, 2.0),
            ("pods", &[(4, 0), (3, 0), (4, 1), (3, 1)], &[1.0], 2.0, 4.0),
            ("pods of unequal racks", &[(2, 0), (6, 0), (5, 1), (3, 1), (4, 2)], &[1.0], 1.8, 5.0),
            ("every second host slow", &[(4, 0), (4, 0)], &[1.0, 1.5], 3.0, 3.0),
            ("thirty-two hosts", &[(8, 0), (8, 0), (8, 1), (8, 1)], &[1.0], 2.0, 4.0),
        ];
        let mut missed = Vec::new();
        for (name, racks, ports, trunk, core) in cases {
            let share = found(racks, ports, trunk, core);
            if share < 0.98 {
                missed.push((name, share));
            }
        }
        assert!(missed.is_empty(), "share of placements: {missed:?}");
    }

    #[test]
    fn one_wrong_pair_joins_nothing_and_a_lone_host_is_no_bridge() {
        let racks = |nodes: &[usize]| {
            let nodes: Vec<(usize, usize, f64)> = nodes.iter().map(|&rack| (rack, 0, 1.0)).collect();
            measured(&nodes, 2.0, 2.0, &mut Random(1))
        };
        // A late answer to the empty messages of one pair makes it look ten times as fast.
        let order = [0, 1, 0, 1, 0, 1, 0, 1];
        for (i, j) in [(0, 1), (2, 5), (0, 2), (6, 7)] {
            let mut per_byte = racks(&order);
            (per_byte[i * 8 + j], per_byte[j * 8 + i]) = (0.1, 0.1);
            let island = islands(8, &per_byte, &ports(8, &per_byte));
            let others: Vec<usize> = (0..8).filter(|&node| node != i && node != j).collect();
            let right = others.iter().all(|&a| others.iter().all(|&b| (island[a] == island[b]) == (a % 2 == b % 2)));
            assert!(right, "pair {i}, {j}: {island:?}");
        }
        // Its only way to others is a trunk, so its port seems to be as slow as that.
        let order = [0, 1, 2, 0, 1, 0, 1];
        let per_byte = racks(&order);
        let island = islands(7, &per_byte, &ports(7, &per_byte));
        assert!(island[0] != island[1] && island[0] == island[3] && island[1] == island[4], "{island:?}");
    }

    #[test]
    fn few_nodes_and_silly_numbers_are_no_trouble() {
        for n in 0..4 {
            for value in [0.0, 1.0, f64::INFINITY] {
                let per_byte = vec![value; n * n];
                assert_eq!(islands(n, &per_byte, &ports(n, &per_byte)).len(), n);
            }
        }
    }
}
