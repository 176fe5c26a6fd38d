//! What a call is, without when: its shape. Shapes and the lists they name are
//! kept once and numbered, so a stream is a sequence of numbers.

use super::encode::{Fx, put, put_signed, put_text};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// No communicator, slot or list.
pub(crate) const NONE: u32 = u32::MAX;

/// A call. World ranks, bytes; -1 where there is no such value or any will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// What it does: `send`, `recv`, `wait`, `cancel`, `put`, `get`, or a collective's name.
    pub(crate) op: &'static str,
    /// The other rank, or a collective's root in its communicator.
    pub(crate) peer: i32,
    pub(crate) tag: i32,
    /// Bytes of the message; for collectives what `collective.rs` says.
    pub(crate) bytes: u64,
    /// Number of the communicator.
    pub(crate) comm: u32,
    /// The request that it starts.
    pub(crate) slot: u32,
    /// Slots that a wait ends or a cancel gives up, or bytes for each peer.
    pub(crate) list: u32,
}

impl Shape {
    /// A call with nothing said but what it does.
    pub(crate) fn new(op: &'static str) -> Self {
        Shape { op, peer: -1, tag: -1, bytes: 0, comm: NONE, slot: NONE, list: NONE }
    }
}

impl Hash for Shape {
    /// An operation's name is always the same constant, so its address will do; were it another, a shape would be written twice.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        state.write_u64(self.op.as_ptr() as u64 ^ self.bytes.rotate_left(32));
        state.write_u64(pair(self.peer as u32, self.tag as u32));
        state.write_u64(pair(self.comm, self.slot) ^ u64::from(self.list).rotate_left(16));
    }
}

type Map<K> = HashMap<K, u32, BuildHasherDefault<Fx>>;

/// The shapes and lists of a stream, and those not yet written.
#[derive(Default)]
pub(crate) struct Words {
    shapes: Map<Shape>,
    lists: Map<Box<[u64]>>,
    /// Numbers in all lists.
    listed: usize,
    /// New ones, encoded.
    pub(crate) fresh: Vec<u8>,
}

/// What an item of a block is.
pub(crate) mod item {
    pub(crate) const RANK: u64 = 0;
    pub(crate) const COMM: u64 = 1;
    pub(crate) const LIST: u64 = 2;
    pub(crate) const SHAPE: u64 = 3;
    pub(crate) const RUN: u64 = 4;
    pub(crate) const FORGET: u64 = 5;
    pub(crate) const FULL: u64 = 6;
    pub(crate) const END: u64 = 7;
    pub(crate) const NOT_COUNTED: u64 = 8;
    pub(crate) const CLOCK: u64 = 9;
}

impl Words {
    /// Number of a shape.
    #[inline]
    pub(crate) fn shape(&mut self, shape: Shape) -> u32 {
        let next = self.shapes.len() as u32;
        *self.shapes.entry(shape).or_insert_with(|| {
            let out = &mut self.fresh;
            put(out, item::SHAPE);
            put_text(out, shape.op);
            put_signed(out, i64::from(shape.peer));
            put_signed(out, i64::from(shape.tag));
            put(out, shape.bytes);
            [shape.comm, shape.slot, shape.list].into_iter().for_each(|n| put(out, u64::from(n.wrapping_add(1))));
            next
        })
    }

    /// Number of a list.
    pub(crate) fn list(&mut self, list: &[u64]) -> u32 {
        if let Some(&known) = self.lists.get(list) {
            return known;
        }
        let next = self.lists.len() as u32;
        put(&mut self.fresh, item::LIST);
        put(&mut self.fresh, list.len() as u64);
        list.iter().for_each(|&word| put(&mut self.fresh, word));
        self.listed += list.len() + 8;
        self.lists.insert(list.into(), next);
        next
    }

    /// Too many to keep: they start anew.
    pub(crate) fn is_full(&self) -> bool {
        self.shapes.len() > 1 << 15 || self.listed > 1 << 18
    }

    /// Starts anew; the reader is told with `FORGET`.
    pub(crate) fn forget(&mut self) {
        *self = Words::default();
        put(&mut self.fresh, item::FORGET);
    }
}
