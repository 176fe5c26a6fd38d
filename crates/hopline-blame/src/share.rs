//! What flows should get: alone the rate of the slowest link on the way, together with others max-min fair shares.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Use of links: a flow's links with the share of it that crosses each.
pub(crate) type Way = [(u32, f32)];

/// The rate of a flow alone.
pub(crate) fn alone(way: &Way, capacity: impl Fn(u32) -> f64) -> f64 {
    way.iter().map(|&(link, share)| capacity(link) / f64::from(share)).fold(f64::INFINITY, f64::min)
}

/// A link's level as it was when it was put into the heap; ordered by it.
#[derive(PartialEq)]
struct Level(f64, u32);

impl Eq for Level {}

impl Ord for Level {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Cells for as many links as a fabric has, to be used again.
pub(crate) struct Filling {
    left: Vec<f64>,
    weight: Vec<f64>,
    first: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Filling {
    pub(crate) fn new(links: usize) -> Filling {
        Filling { left: vec![0.0; links], weight: vec![0.0; links], first: vec![NONE; links] }
    }

    /// Max-min fair rates of flows that run together. O(links of all ways * log).
    pub(crate) fn rates(&mut self, ways: &[&Way], capacity: impl Fn(u32) -> f64) -> Vec<f64> {
        let mut rates = vec![f64::INFINITY; ways.len()];
        let mut used: Vec<u32> = Vec::new();
        // Flows of each link, as lists through their places on the ways.
        let mut next: Vec<(u32, u32)> = Vec::new();
        for (flow, way) in ways.iter().enumerate() {
            for &(link, share) in way.iter() {
                let at = link as usize;
                if self.first[at] == NONE {
                    used.push(link);
                    (self.left[at], self.weight[at]) = (capacity(link), 0.0);
                }
                self.weight[at] += f64::from(share);
                next.push((flow as u32, self.first[at]));
                self.first[at] = (next.len() - 1) as u32;
            }
        }
        let mut heap: BinaryHeap<Reverse<Level>> =
            used.iter().map(|&l| Reverse(Level(self.left[l as usize] / self.weight[l as usize], l))).collect();
        while let Some(Reverse(Level(level, link))) = heap.pop() {
            let at = link as usize;
            if self.weight[at] < 1e-9 {
                continue;
            }
            // Levels only rise as flows are settled.
            let now = (self.left[at] / self.weight[at]).max(0.0);
            if now > level * (1.0 + 1e-12) {
                heap.push(Reverse(Level(now, link)));
                continue;
            }
            if !now.is_finite() {
                break;
            }
            let mut place = self.first[at];
            while place != NONE {
                let (flow, after) = next[place as usize];
                place = after;
                if rates[flow as usize].is_finite() {
                    continue;
                }
                rates[flow as usize] = now;
                for &(link, share) in ways[flow as usize] {
                    self.left[link as usize] -= now * f64::from(share);
                    self.weight[link as usize] -= f64::from(share);
                }
            }
        }
        used.iter().for_each(|&l| self.first[l as usize] = NONE);
        rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_fair_and_fill_links() {
        // Links 0 (rate 1) and 1 (rate 3): one flow on both, one on each.
        let ways: [&Way; 3] = [&[(0, 1.0), (1, 1.0)], &[(0, 1.0)], &[(1, 1.0)]];
        let rates = Filling::new(2).rates(&ways, |l| [1.0, 3.0][l as usize]);
        assert_eq!(rates, [0.5, 0.5, 2.5]);
        assert_eq!(alone(ways[0], |l| [1.0, 3.0][l as usize]), 1.0);
        // Half of a flow on each of two links of rate 1: 2 alone, and with another flow on one of them.
        let ways: [&Way; 2] = [&[(0, 0.5), (1, 0.5)], &[(0, 1.0)]];
        assert_eq!(alone(ways[0], |_| 1.0), 2.0);
        let rates = Filling::new(2).rates(&ways, |_| 1.0);
        assert!((rates[0] - 2.0 / 3.0).abs() < 1e-9 && (rates[1] - 2.0 / 3.0).abs() < 1e-9, "{rates:?}");
    }
}
