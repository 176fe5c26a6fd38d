//! How far every router is from a target: hops, or links of unequal length.

use super::{FAR, GLOBAL, Shortest};
use crate::id::LinkId;
use crate::parallel;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Lengths that are kept for later, where those of all targets are no more: 64 MB.
const KEPT: usize = 1 << 25;

/// Routers from which searches go on side by side, a bit each in so many words.
type Sources = [u64; 8];
const SIDE_BY_SIDE: usize = 64 * 8;

impl Shortest {
    /// What a link adds to the length of a path.
    pub(super) fn length(&self, link: LinkId) -> u16 {
        match self.global {
            Some(class) if self.fabric.class_id(link) == class => GLOBAL,
            _ => 1,
        }
    }

    /// Links of a path of that length.
    pub(super) fn hops(&self, length: u16) -> u16 {
        if self.global.is_some() { length / GLOBAL + length % GLOBAL } else { length }
    }

    /// Lengths from every state to the router at place `target`, kept.
    pub(super) fn hops_to(&self, target: u32) -> &[u16] {
        self.to[target as usize].get_or_init(|| {
            let mut lengths = vec![FAR; self.states()];
            self.find_lengths(target, &mut lengths);
            lengths.into_boxed_slice()
        })
    }

    /// Lengths to one of so many targets: kept where those of all take little memory; else in these cells, which the next
    /// target may use.
    pub(super) fn hops_to_one_of<'a>(&'a self, targets: usize, target: u32, cells: &'a mut Vec<u16>) -> &'a [u16] {
        if targets.saturating_mul(self.states()) <= KEPT {
            return self.hops_to(target);
        }
        if let Some(known) = self.to[target as usize].get() {
            return known;
        }
        cells.clear();
        cells.resize(self.states(), FAR);
        self.find_lengths(target, cells);
        cells
    }

    /// The same into cells that are all [`FAR`]; cables are links both ways. O(states + links).
    pub(super) fn find_lengths(&self, target: u32, lengths: &mut [u16]) {
        match self.global {
            Some(_) => self.find_unequal(target, lengths),
            None if self.up_down => self.find_up_down(target, lengths),
            None => self.find_hops(target, lengths),
        }
    }

    fn find_unequal(&self, target: u32, lengths: &mut [u16]) {
        lengths[target as usize] = 0;
        let mut queue = BinaryHeap::from([Reverse((0, target))]);
        while let Some(Reverse((length, v))) = queue.pop() {
            if length > lengths[v as usize] {
                continue;
            }
            for (link, before) in self.cables(v) {
                let farther = length.saturating_add(self.length(link));
                if farther < lengths[before as usize] {
                    lengths[before as usize] = farther;
                    queue.push(Reverse((farther, before)));
                }
            }
        }
    }

    fn find_hops(&self, target: u32, hops: &mut [u16]) {
        hops[target as usize] = 0;
        let mut queue = VecDeque::from([target]);
        while let Some(v) = queue.pop_front() {
            let farther = hops[v as usize] + 1;
            if farther == FAR {
                break;
            }
            if farther > 1 && self.cables.is_end(v) {
                continue;
            }
            for cable in self.cables.of(v) {
                let before = &mut hops[cable.to as usize];
                if *before == FAR {
                    *before = farther;
                    queue.push_back(cable.to);
                }
            }
        }
    }

    /// First of walks that have gone down: from the target back up. The others go up to where one of those begins.
    fn find_up_down(&self, target: u32, hops: &mut [u16]) {
        let (up, down) = hops.split_at_mut(self.routers.len());
        (up[target as usize], down[target as usize]) = (0, 0);
        let mut reached = vec![target];
        let mut at = 0;
        while let Some(&v) = reached.get(at) {
            at += 1;
            let farther = down[v as usize] + 1;
            if farther == FAR || farther > 1 && self.cables.is_end(v) {
                continue;
            }
            for cable in self.cables.of(v).iter().filter(|c| c.is_up) {
                if down[cable.to as usize] == FAR {
                    (up[cable.to as usize], down[cable.to as usize]) = (farther, farther);
                    reached.push(cable.to);
                }
            }
        }
        // Both lists ascend: the next is the nearer of their heads.
        let (mut begins, mut queue) = (reached.into_iter().peekable(), VecDeque::new());
        loop {
            let begins_nearer = match (begins.peek(), queue.front()) {
                (Some(&a), Some(&b)) => down[a as usize] <= up[b as usize],
                (begin, _) => begin.is_some(),
            };
            let next = if begins_nearer { begins.next() } else { queue.pop_front() };
            let Some(v) = next else { break };
            let farther = up[v as usize].saturating_add(1);
            // What goes up from there is nearer than what goes down, and was here before.
            let is_late = begins_nearer && up[v as usize] < down[v as usize];
            if is_late || farther == FAR || farther > 1 && self.cables.is_end(v) {
                continue;
            }
            for cable in self.cables.of(v).iter().filter(|c| !c.is_up) {
                if farther < up[cable.to as usize] {
                    up[cable.to as usize] = farther;
                    queue.push_back(cable.to);
                }
            }
        }
    }

    /// Hops of the longest shortest path between two of these routers, where all links count the same. Then et al., "The more the
    /// merrier: efficient multi-source graph traversal", VLDB 2014. O(routers / 64 * links * hops).
    pub(super) fn most_hops_between(&self, homes: &[u32]) -> u16 {
        let mut is_home = vec![false; self.routers.len()];
        homes.iter().for_each(|&home| is_home[home as usize] = true);
        let some: Vec<&[u32]> = homes.chunks(SIDE_BY_SIDE).collect();
        parallel::map(some.len(), |i| self.most_hops_from(some[i], &is_home)).into_iter().max().unwrap_or(0)
    }

    fn most_hops_from(&self, sources: &[u32], is_home: &[bool]) -> u16 {
        let mut seen = vec![Sources::default(); is_home.len()];
        sources.iter().enumerate().for_each(|(i, &source)| seen[source as usize][i / 64] |= 1 << (i % 64));
        let (mut last, mut next) = (seen.clone(), seen.clone());
        let mut most = 0;
        for hops in 1..FAR {
            let mut ends = true;
            for (v, (seen, next)) in seen.iter_mut().zip(&mut next).enumerate() {
                *next = Sources::default();
                for cable in self.cables.of(v as u32) {
                    if hops == 1 || !self.cables.is_end(cable.to) {
                        next.iter_mut().zip(&last[cable.to as usize]).for_each(|(next, last)| *next |= last);
                    }
                }
                next.iter_mut().zip(&mut *seen).for_each(|(next, seen)| {
                    *next &= !*seen;
                    *seen |= *next;
                });
                if *next != Sources::default() {
                    ends = false;
                    most = if is_home[v] { hops } else { most };
                }
            }
            if ends {
                break;
            }
            std::mem::swap(&mut last, &mut next);
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, LinkClass};
    use crate::id::VertexId;
    use crate::unit::Bandwidth;
    use std::sync::Arc;

    /// Searches side by side and one after the other, on a line of switches, some with adapters of two links at the next as well.
    #[test]
    fn the_longest_shortest_path_is_found_by_many_searches_at_once() {
        for (switches, every) in [(1, 1), (2, 1), (700, 1), (700, 3), (40, 7)] {
            let endpoints = (0..switches).step_by(every).count() as u32;
            let mut b = Builder::new("line", endpoints, switches as u32);
            let host = b.class(LinkClass::host(None));
            let trunk = b.class(LinkClass::network("trunk", Bandwidth::gb_s(1.0)));
            for (e, s) in (0..).zip((0..switches as u32).step_by(every)) {
                b.cable(VertexId(e), b.switch(s), host);
                if e % 4 == 1 && s + 1 < switches as u32 {
                    b.cable(VertexId(e), b.switch(s + 1), host);
                }
            }
            for s in 1..switches as u32 {
                b.cable(b.switch(s - 1), b.switch(s), trunk);
            }
            let shortest = Shortest::new(Arc::new(b.finish().expect("line")));
            let mut homes: Vec<u32> = (0..endpoints).map(|e| shortest.router(VertexId(e)).0).collect();
            homes.dedup();
            let mut most = 0;
            for &home in &homes {
                let mut hops = vec![FAR; shortest.states()];
                shortest.find_lengths(home, &mut hops);
                most = homes.iter().map(|&h| hops[h as usize]).filter(|&h| h != FAR).max().unwrap_or(0).max(most);
            }
            assert_eq!(shortest.most_hops_between(&homes), most, "{switches} {every}");
        }
    }
}
