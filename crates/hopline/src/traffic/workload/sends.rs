//! What a group of ranks sends for its collectives.

use super::AllReduce;
use crate::demand::{Block, TaskSet};

/// Bytes of whole tensors, summed over the collectives of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Moved {
    /// All-gathers and reduce-scatters.
    pub(super) halves: f64,
    /// All-reduces.
    pub(super) reduced: f64,
    /// All-to-alls.
    pub(super) exchanged: f64,
    /// What each sends to the next of the group.
    pub(super) next: f64,
    /// And to the one before.
    pub(super) previous: f64,
}

#[derive(Debug, Default)]
pub(super) struct Sends {
    pub(super) entries: Vec<(u32, u32, f64)>,
    pub(super) blocks: Vec<Block>,
}

impl Sends {
    /// What one group sends: its `members` ascending, two at least.
    pub(super) fn add(&mut self, members: &[u32], moved: &Moved, all_reduce: AllReduce) {
        let size = members.len();
        let (around, up_and_down) = match all_reduce {
            AllReduce::Ring => (moved.halves + 2.0 * moved.reduced, 0.0),
            AllReduce::Tree => (moved.halves, moved.reduced),
        };
        let part = 1.0 / size as f64;
        for (k, &member) in members.iter().enumerate() {
            let next = members[(k + 1) % size];
            self.entries.push((member, next, around * (1.0 - part) + moved.next));
            if moved.previous > 0.0 {
                self.entries.push((next, member, moved.previous));
            }
            if k > 0 && all_reduce == AllReduce::Tree {
                let parent = members[(k - 1) / 2];
                self.entries.extend([(member, parent, up_and_down), (parent, member, up_and_down)]);
            }
        }
        if moved.exchanged > 0.0 {
            let set = TaskSet::sorted(members.to_vec());
            let amount = moved.exchanged * part;
            self.blocks.push(Block { sources: set.clone(), destinations: set, amount, to_self: false });
        }
    }
}
