//! A sum along a tree of our own, in segments: a broadcast backwards. Only for
//! operations that commute, as children are added in the order of the tree.

use super::bcast::Place;
use super::channel::Channel;
use super::message::{Block, Request, Room, copy, extent, first, receive, send, wait};
use crate::abi::Handle;
use crate::real::pmpi;

/// What is added up, on this rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduction {
    /// `None` in place: what is added lies where the sum goes.
    pub(super) send: Option<usize>,
    /// Where the sum goes.
    pub(super) recv: usize,
    pub(super) count: usize,
    pub(super) datatype: Handle,
    pub(super) op: Handle,
}

impl Reduction {
    /// Where the sum goes.
    pub(super) fn sum(&self) -> Block {
        Block { buffer: self.recv, count: self.count, datatype: self.datatype }
    }

    /// Brings the own part to where it is added to.
    pub(super) fn begin(&self, channel: &Channel, sum: usize) -> i32 {
        let at = |buffer| Block { buffer, count: self.count, datatype: self.datatype };
        match self.send.unwrap_or(self.recv) {
            own if own == sum => 0,
            own => copy(channel, at(own), at(sum)),
        }
    }
}

/// Adds a block to what lies at `sum`.
pub(super) fn combine(block: Block, sum: usize, op: Handle) -> i32 {
    match block.count {
        0 => 0,
        count => pmpi!(PMPI_Reduce_local(block.buffer, sum, count, block.datatype, op)),
    }
}

/// True where the operation commutes; user-defined ones say so themselves.
pub(super) fn commutes(op: Handle) -> bool {
    let mut answer = 0i32;
    pmpi!(PMPI_Op_commutative(op, &raw mut answer)) == 0 && answer != 0
}

/// Adds up to the tree's root; `segment` in elements. Answers MPI's error code.
pub(super) fn reduce(channel: &Channel, place: &Place, data: &Reduction, segment: usize) -> i32 {
    let Reduction { count, datatype, op, .. } = *data;
    let segment = segment.clamp(1, count.max(1));
    let (segments, step) = (count.div_ceil(segment), extent(datatype));
    let is_leaf = place.children.is_empty();
    let room = |needed: bool, count| if needed { Room::new(count, datatype) } else { Room::new(0, datatype) };
    // A leaf sends what it has; the root adds in its result; others need room for their sums.
    let sums = room(place.parent.is_some() && !is_leaf, count);
    let sum = match (place.parent, is_leaf) {
        (None, _) => data.recv,
        (Some(_), true) => data.send.unwrap_or(data.recv),
        (Some(_), false) => sums.base,
    };
    let mut code = if is_leaf && place.parent.is_some() { 0 } else { data.begin(channel, sum) };
    let heard: Vec<[Room; 2]> = place.children.iter().map(|_| [room(true, segment), room(true, segment)]).collect();
    let part = |base: usize, i: usize| Block {
        buffer: base.wrapping_add_signed((i * segment) as isize * step),
        count: segment.min(count - i * segment),
        datatype,
    };
    let mut incoming: Vec<[Option<Request>; 2]> = vec![[None, None]; place.children.len()];
    let mut outgoing: [Option<Request>; 2] = [None, None];
    for i in 0..segments {
        let ahead = if i == 0 { 0 } else { i + 1 };
        for next in (ahead..=i + 1).filter(|&next| next < segments) {
            for (child, &from) in place.children.iter().enumerate() {
                let into = Block { buffer: heard[child][next % 2].base, ..part(sum, next) };
                let (begun, request) = receive(channel, into, from);
                code = first(code, begun);
                incoming[child][next % 2] = Some(request);
            }
        }
        let own = part(sum, i);
        for (child, requests) in incoming.iter_mut().enumerate() {
            code = requests[i % 2].take().map_or(code, |request| first(code, wait(request)));
            let added = Block { buffer: heard[child][i % 2].base, ..own };
            code = first(code, combine(added, own.buffer, op));
        }
        if let Some(parent) = place.parent {
            code = outgoing[i % 2].take().map_or(code, |request| first(code, wait(request)));
            let (begun, request) = send(channel, own, parent);
            code = first(code, begun);
            outgoing[i % 2] = Some(request);
        }
    }
    outgoing.into_iter().flatten().fold(code, |code, request| first(code, wait(request)))
}
