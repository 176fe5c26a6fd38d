//! A broadcast of a large message in parts, one for each node: scattered down a binomial tree of nodes, then passed
//! on from node to node round a ring of the same order, as MVAPICH2's scatter-allgather over the reordered leaders of
//! Subramoni et al., CLUSTER 2011, section IV-B. What a node holds since the scatter does not come round again.

use super::bcast::{Place, stream};
use super::channel::Channel;
use super::message::{Block, Blocks, Packed, exchange, first, receive, send, wait};
use super::tree::{Shape, positions};
use crate::abi::abi;
use std::ops::Range;

/// Bytes in which ranks of a node pass the message on.
const SEGMENT: usize = 131_072;

/// What a rank does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scattered {
    /// The leader of the node at each position; the root is the first.
    pub(super) order: Vec<usize>,
    /// The own position; `None` for ranks that do not lead their node.
    pub(super) position: Option<usize>,
    /// How the ranks of the own node pass the message on.
    pub(super) mates: Place,
}

/// The parts that the scatter brings to a position: its own and those of its subtree.
pub(super) fn held(position: usize, n: usize) -> Range<usize> {
    let below = if position == 0 { n } else { 1 << position.trailing_zeros() };
    position..(position + below).min(n)
}

/// The part that a position passes on in a round, from 0; `None` where the next one holds it.
pub(super) fn passed(position: usize, round: usize, n: usize) -> Option<usize> {
    let part = (position + n - round) % n;
    (!held((position + 1) % n, n).contains(&part)).then_some(part)
}

/// Broadcasts what `data` holds; answers MPI's error code.
pub(super) fn bcast(channel: &Channel, way: &Scattered, data: Block) -> i32 {
    let packed = Packed::new(Blocks::new(data), 1, false);
    let Block { buffer, count: bytes, .. } = packed.at(0);
    let is_root = way.position == Some(0);
    let mut code = if is_root { packed.pack(channel, 0) } else { 0 };
    if let Some(position) = way.position {
        code = first(code, between_nodes(channel, &way.order, position, buffer, bytes));
    }
    code = first(code, stream(channel, &way.mates, buffer, bytes, SEGMENT));
    if code != 0 || is_root { code } else { packed.unpack(channel, 0) }
}

fn between_nodes(channel: &Channel, order: &[usize], position: usize, buffer: usize, bytes: usize) -> i32 {
    let n = order.len();
    let begin = |part: usize| (part as u64 * bytes as u64 / n as u64) as usize;
    let parts = |range: Range<usize>| {
        let (from, to) = (begin(range.start), begin(range.end));
        Block { buffer: buffer + from, count: to - from, datatype: abi().byte }
    };
    let mut code = 0;
    if position > 0 {
        // Without its lowest bit: the parent's.
        let (begun, request) = receive(channel, parts(held(position, n)), order[position & (position - 1)]);
        code = first(begun, wait(request));
    }
    // One after the other: the largest subtree must not share the port with the others.
    for &child in &positions(Shape::Nomial(2), n)[position] {
        let (begun, request) = send(channel, parts(held(child, n)), order[child]);
        code = first(code, first(begun, wait(request)));
    }
    let (next, last) = ((position + 1) % n, (position + n - 1) % n);
    let part = |part: usize| parts(part..part + 1);
    for round in 0..n - 1 {
        let (out, into) = (passed(position, round, n).map(part), passed(last, round, n).map(part));
        code = first(code, exchange(channel, out, order[next], into, order[last]));
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_gets_every_part_once_from_who_has_it() {
        for n in 1..70 {
            let children = positions(Shape::Nomial(2), n);
            for (position, children) in children.iter().enumerate() {
                for &child in children {
                    let (mine, its) = (held(position, n), held(child, n));
                    assert!(child & (child - 1) == position && mine.start < its.start && its.end <= mine.end);
                }
            }
            let mut has: Vec<Vec<u32>> =
                (0..n).map(|p| (0..n).map(|part| u32::from(held(p, n).contains(&part))).collect()).collect();
            for round in 0..n - 1 {
                let sent: Vec<Option<usize>> = (0..n).map(|p| passed(p, round, n)).collect();
                let there = |p: usize, part: usize| has[p][part] > 0;
                assert!((0..n).all(|p| sent[p].is_none_or(|part| there(p, part))), "{n} {round}");
                for p in 0..n {
                    sent[p].into_iter().for_each(|part| has[(p + 1) % n][part] += 1);
                }
            }
            assert!(has.iter().flatten().all(|&times| times == 1), "{n}: {has:?}");
        }
    }
}
