//! How far every router is from a target: hops, or links of unequal length.

use super::{FAR, GLOBAL, Shortest};
use crate::id::LinkId;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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

    /// Those that are kept, else the same into these cells, which other targets may use after it.
    pub(super) fn passing<'a>(&'a self, target: u32, cells: &'a mut [u16]) -> &'a [u16] {
        if let Some(known) = self.to[target as usize].get() {
            return known;
        }
        cells.fill(FAR);
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
}
