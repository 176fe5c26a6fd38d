//! Tags of messages: mostly one for all of them.

use super::{Op, What};

/// One tag for all messages, or one for each operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tags {
    all: Option<u32>,
    each: Vec<u32>,
}

impl Tags {
    /// Adds the tag of the last of these operations; those before have theirs.
    pub(super) fn push(&mut self, ops: &[Op], tag: u32) {
        let Some((last, before)) = ops.split_last() else { return };
        let is_new = last.what != What::Compute && self.all != Some(tag);
        if self.each.is_empty() && is_new && self.all.is_some() {
            self.spread(before);
        }
        if self.each.is_empty() {
            self.all = if is_new { Some(tag) } else { self.all };
        } else {
            self.each.push(tag);
        }
    }

    /// Gives each operation its own.
    fn spread(&mut self, ops: &[Op]) {
        self.each = (0..ops.len()).map(|i| self.of(ops, i as u32)).collect();
        self.all = None;
    }

    /// The tag of an operation; 0 of a computation.
    pub(super) fn of(&self, ops: &[Op], op: u32) -> u32 {
        match ops[op as usize].what {
            What::Compute => 0,
            _ => self.each.get(op as usize).copied().or(self.all).unwrap_or(0),
        }
    }

    pub(super) fn swap(&mut self, a: usize, b: usize) {
        if !self.each.is_empty() {
            self.each.swap(a, b);
        }
    }

    /// Adds those of other operations behind its own.
    pub(super) fn append(&mut self, ops: &[Op], mut next: Tags, more: &[Op]) {
        let alike = self.each.is_empty() && next.each.is_empty();
        if alike && (self.all.is_none() || next.all.is_none() || self.all == next.all) {
            self.all = self.all.or(next.all);
            return;
        }
        for (tags, ops) in [(&mut *self, ops), (&mut next, more)] {
            if tags.each.is_empty() {
                tags.spread(ops);
            }
        }
        self.each.append(&mut next.each);
    }
}
