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

    /// Lengths from every router to the one at place `target`, where links differ in length.
    fn lengths_to(&self, target: u32) -> Box<[u16]> {
        let mut lengths = vec![FAR; self.routers.len()].into_boxed_slice();
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
        lengths
    }

    /// Lengths from every state to the router at place `target`.
    pub(super) fn hops_to(&self, target: u32) -> &[u16] {
        self.to[target as usize].get_or_init(|| {
            if self.global.is_some() {
                return self.lengths_to(target);
            }
            let mut hops = vec![FAR; self.states()].into_boxed_slice();
            let mut queue: VecDeque<u32> = (target..self.states() as u32).step_by(self.routers.len()).collect();
            queue.iter().for_each(|&v| hops[v as usize] = 0);
            while let Some(v) = queue.pop_front() {
                let farther = hops[v as usize] + 1;
                if farther == FAR {
                    break;
                }
                // Adapters with several links are ends of paths only.
                if farther > 1 && self.fabric.is_adapter(self.routers[self.at(v).0 as usize]) {
                    continue;
                }
                self.each_before(v, |before| {
                    if hops[before as usize] == FAR {
                        hops[before as usize] = farther;
                        queue.push_back(before);
                    }
                });
            }
            hops
        })
    }
}
