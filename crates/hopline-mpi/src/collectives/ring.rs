//! Collectives in which every rank sends to the next of an order: the order puts
//! ranks of a node and nodes of an island side by side, so that each way out of
//! them is taken once a round.

use super::channel::Channel;
use super::message::{Block, Blocks, Packed, Room, copy, exchange, extent, first};
use super::reduce::{Reduction, combine};

/// An order of the ranks, and the own place in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ring {
    pub(super) position: usize,
    pub(super) order: Vec<usize>,
}

impl Ring {
    fn len(&self) -> usize {
        self.order.len()
    }

    /// The position so many places further; both below the number of ranks.
    fn after(&self, steps: usize) -> usize {
        (self.position + steps) % self.len()
    }

    fn before(&self, steps: usize) -> usize {
        (self.position + self.len() - steps) % self.len()
    }
}

/// Every rank gets the blocks of all: each passes on what it got last. `send` is `None` in place.
pub(super) fn allgather(channel: &Channel, ring: &Ring, send: Option<Block>, all: Blocks) -> i32 {
    let n = ring.len();
    let (next, last) = (ring.order[ring.after(1)], ring.order[ring.before(1)]);
    let packed = Packed::new(all, n, false);
    let mut code = send.map_or(0, |own| copy(channel, own, all.at(channel.rank)));
    code = first(code, packed.pack(channel, channel.rank));
    for step in 0..n - 1 {
        let out = packed.at(ring.order[ring.before(step)]);
        let into = packed.at(ring.order[ring.before(step + 1)]);
        code = first(code, exchange(channel, Some(out), next, Some(into), last));
    }
    (0..n).filter(|&other| other != channel.rank).fold(code, |code, other| first(code, packed.unpack(channel, other)))
}

/// Every rank sends a block to every other: in round k to the k-th after it. `send` is `None` in place.
pub(super) fn alltoall(channel: &Channel, ring: &Ring, send: Option<Blocks>, all: Blocks) -> i32 {
    let n = ring.len();
    let others = || (0..n).filter(|&other| other != channel.rank);
    // In place, what is sent must be kept until it has left.
    let (out, into) = (Packed::new(send.unwrap_or(all), n, send.is_none()), Packed::new(all, n, false));
    let mut code = others().fold(0, |code, other| first(code, out.pack(channel, other)));
    code = first(code, send.map_or(0, |blocks| copy(channel, blocks.at(channel.rank), all.at(channel.rank))));
    for step in 1..n {
        let (to, from) = (ring.order[ring.after(step)], ring.order[ring.before(step)]);
        code = first(code, exchange(channel, Some(out.at(to)), to, Some(into.at(from)), from));
    }
    others().fold(code, |code, other| first(code, into.unpack(channel, other)))
}

/// Every rank gets the sum: in n - 1 rounds each part is added up along the ring, in n - 1 more it goes round.
/// Every part is added up once, so all get the same bits.
pub(super) fn allreduce(channel: &Channel, ring: &Ring, data: &Reduction) -> i32 {
    let n = ring.len();
    let step = extent(data.datatype);
    let begin = |part: usize| part * data.count / n;
    let part = |i: usize| {
        let (begin, end) = (begin(i), begin(i + 1));
        let buffer = data.recv.wrapping_add_signed(begin as isize * step);
        Block { buffer, count: end - begin, datatype: data.datatype }
    };
    let (next, last) = (ring.order[ring.after(1)], ring.order[ring.before(1)]);
    let room = Room::new(data.count.div_ceil(n), data.datatype);
    let mut code = data.begin(channel, data.recv);
    for round in 0..n - 1 {
        let sum = part(ring.before(round + 1));
        let heard = Block { buffer: room.base, ..sum };
        code = first(code, exchange(channel, Some(part(ring.before(round))), next, Some(heard), last));
        code = first(code, combine(heard, sum.buffer, data.op));
    }
    for round in 0..n - 1 {
        let out = part((ring.before(round) + 1) % n);
        code = first(code, exchange(channel, Some(out), next, Some(part(ring.before(round))), last));
    }
    code
}
