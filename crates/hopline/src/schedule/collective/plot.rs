//! Where algorithms draw: ranks of a group, messages, and what they carry.

use super::super::{Builder, OpId};

/// The blocks of a message: (origin, block). `ANY` as origin means the sum of
/// all that the sender holds of the block.
pub(super) type Blocks = Vec<(u32, u32)>;

/// All that a rank holds of a block.
pub(in crate::schedule) const ANY: u32 = u32::MAX;

/// A builder, seen from one group of ranks.
pub struct Plot<'a> {
    builder: &'a mut Builder,
    members: &'a [u32],
    tag: u32,
    /// What messages carry, where somebody asks.
    carried: Option<Vec<(OpId, Blocks)>>,
}

impl<'a> Plot<'a> {
    /// Rank i of an algorithm is `members[i]`; its messages have `tag`.
    pub fn new(builder: &'a mut Builder, members: &'a [u32], tag: u32) -> Self {
        Plot { builder, members, tag, carried: None }
    }

    /// The same, and remembers what messages carry.
    pub(super) fn with_blocks(builder: &'a mut Builder, members: &'a [u32]) -> Self {
        Plot { builder, members, tag: 0, carried: Some(Vec::new()) }
    }

    /// What messages carried that were drawn.
    pub(super) fn into_blocks(self) -> Vec<(OpId, Blocks)> {
        self.carried.unwrap_or_default()
    }

    /// Ranks of the group.
    pub fn len(&self) -> u32 {
        self.members.len() as u32
    }

    /// True where nobody takes part.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// `from` sends `bytes` to `to`: the blocks that `what` names. The call is
    /// cheap: `what` is asked only where somebody wants to know.
    pub(super) fn send(&mut self, from: u32, to: u32, bytes: u64, what: impl FnOnce() -> Vec<(u32, u32)>) -> OpId {
        let id = self.builder.send(self.members[from as usize], self.members[to as usize], bytes, self.tag);
        if let Some(carried) = &mut self.carried {
            carried.push((id, what()));
        }
        id
    }

    /// `rank` receives `bytes` from `from`.
    pub(super) fn recv(&mut self, rank: u32, from: u32, bytes: u64) -> OpId {
        self.builder.recv(self.members[rank as usize], self.members[from as usize], bytes, self.tag)
    }

    /// `later` waits until `earlier` of the same rank is done.
    pub(super) fn requires(&mut self, later: OpId, earlier: OpId) {
        self.builder.requires(later, earlier);
    }

    /// What is added to a rank from now on waits for all before.
    pub(super) fn wait(&mut self, rank: u32) {
        self.builder.wait(self.members[rank as usize]);
    }
}
