//! Scatter and gather along a tree of nodes: what is for the ranks of a subtree travels as one message, so that it
//! takes each way out of an island once.

use super::channel::Channel;
use super::message::{Block, Blocks, first, pack, receive, send, unpack, wait};
use crate::abi::abi;
use std::ops::Range;

/// Where a rank stands in a tree that has a block for every rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Branch {
    pub(super) parent: Option<usize>,
    /// The ranks whose blocks come this way, as they travel: the own first.
    pub(super) ranks: Vec<usize>,
    /// Each child, and which of `ranks` are below it.
    pub(super) children: Vec<(usize, Range<usize>)>,
}

/// The blocks of a branch, packed.
struct Packed {
    _memory: Vec<u8>,
    base: usize,
    /// Bytes of a block.
    bytes: usize,
}

impl Packed {
    fn new(branch: &Branch, bytes: usize) -> Packed {
        let mut memory = vec![0u8; branch.ranks.len() * bytes];
        Packed { base: memory.as_mut_ptr() as usize, _memory: memory, bytes }
    }

    fn at(&self, range: Range<usize>) -> Block {
        Block { buffer: self.base + range.start * self.bytes, count: range.len() * self.bytes, datatype: abi().byte }
    }

    fn one(&self, i: usize) -> Block {
        self.at(i..i + 1)
    }
}

/// Brings every rank its block of so many bytes. `from` has them by rank, at the root only; the own block goes to
/// `into`, `None` in place.
pub(super) fn scatter(
    channel: &Channel,
    branch: &Branch,
    bytes: usize,
    from: Option<Blocks>,
    into: Option<Block>,
) -> i32 {
    let packed = Packed::new(branch, bytes);
    let filled = |range: Range<usize>| {
        let Some(from) = from else { return 0 };
        range.fold(0, |code, i| first(code, pack(channel, from.at(branch.ranks[i]), packed.one(i))))
    };
    let mut code = 0;
    if let Some(parent) = branch.parent {
        let (begun, request) = receive(channel, packed.at(0..branch.ranks.len()), parent);
        code = first(begun, wait(request));
    }
    // One after the other: the largest subtree must not share the port with the others.
    for (child, range) in &branch.children {
        code = first(code, filled(range.clone()));
        let (begun, request) = send(channel, packed.at(range.clone()), *child);
        code = first(code, first(begun, wait(request)));
    }
    match into {
        Some(own) => first(first(code, filled(0..1)), unpack(channel, packed.one(0), own)),
        None => code,
    }
}

/// Brings the blocks of all ranks to the root, where they go to `into`, by rank; only the root has it. The own one is
/// `from`, `None` in place.
pub(super) fn gather(
    channel: &Channel,
    branch: &Branch,
    bytes: usize,
    from: Option<Block>,
    into: Option<Blocks>,
) -> i32 {
    let packed = Packed::new(branch, bytes);
    let heard = branch.children.iter().map(|(child, range)| receive(channel, packed.at(range.clone()), *child));
    let heard: Vec<_> = heard.collect();
    let mut code = from.map_or(0, |own| pack(channel, own, packed.one(0)));
    code = heard.into_iter().fold(code, |code, (begun, request)| first(first(code, begun), wait(request)));
    if let Some(parent) = branch.parent {
        let (begun, request) = send(channel, packed.at(0..branch.ranks.len()), parent);
        return first(code, first(begun, wait(request)));
    }
    let Some(into) = into else { return code };
    (usize::from(from.is_none())..branch.ranks.len())
        .fold(code, |code, i| first(code, unpack(channel, packed.one(i), into.at(branch.ranks[i]))))
}
