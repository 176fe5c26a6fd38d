//! Point-to-point messages of this layer, blocks of elements, and room for them.

use crate::abi::{Abi, Handle};
use crate::real::pmpi;

/// Messages of this layer travel in communicators of its own, so one tag is enough.
const TAG: i32 = 4712;

/// A request under way.
pub(super) type Request = [usize; 1];

/// Elements in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) buffer: usize,
    pub(super) count: usize,
    pub(super) datatype: Handle,
}

/// Equal blocks one after the other, as the standard lays them out: number `i`
/// begins `i * count` extents behind the first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Blocks {
    first: Block,
    stride: isize,
}

impl Blocks {
    pub(super) fn new(first: Block) -> Blocks {
        Blocks { first, stride: first.count as isize * extent(first.datatype) }
    }

    pub(super) fn at(&self, i: usize) -> Block {
        Block { buffer: self.first.buffer.wrapping_add_signed(i as isize * self.stride), ..self.first }
    }
}

/// Room for elements of a datatype, whatever its bounds.
pub(super) struct Room {
    /// Kept until the elements are not needed any more; words of the largest alignment.
    _memory: Vec<u128>,
    /// Where the first element would begin.
    pub(super) base: usize,
}

impl Room {
    pub(super) fn new(count: usize, datatype: Handle) -> Room {
        let (mut low, mut span) = (0isize, 0isize);
        pmpi!(PMPI_Type_get_true_extent(datatype, &raw mut low, &raw mut span));
        let last = (count.max(1) - 1) as isize * extent(datatype);
        let bytes = span + last.abs();
        let memory = vec![0u128; bytes.max(1).unsigned_abs().div_ceil(16)];
        let base = (memory.as_ptr() as usize).wrapping_add_signed(-(low + last.min(0)));
        Room { _memory: memory, base }
    }
}

/// Bytes from one element to the next; may be anything.
pub(super) fn extent(datatype: Handle) -> isize {
    let (mut low, mut extent) = (0isize, 0isize);
    pmpi!(PMPI_Type_get_extent(datatype, &raw mut low, &raw mut extent));
    extent
}

pub(super) fn receive(comm: Handle, block: Block, from: usize) -> (i32, Request) {
    let Block { buffer, count, datatype } = block;
    let mut request = Abi::room();
    let code = pmpi!(PMPI_Irecv(buffer, count, datatype, from, TAG, comm, request.as_mut_ptr()));
    (code, request)
}

pub(super) fn send(comm: Handle, block: Block, to: usize) -> (i32, Request) {
    let Block { buffer, count, datatype } = block;
    let mut request = Abi::room();
    let code = pmpi!(PMPI_Isend(buffer, count, datatype, to, TAG, comm, request.as_mut_ptr()));
    (code, request)
}

pub(super) fn wait(mut request: Request) -> i32 {
    // Larger than the status of any library.
    let mut status = [0u64; 16];
    pmpi!(PMPI_Wait(request.as_mut_ptr(), status.as_mut_ptr()))
}

/// One block out, another in.
pub(super) fn exchange(comm: Handle, out: Block, to: usize, into: Block, from: usize) -> i32 {
    let (received, incoming) = receive(comm, into, from);
    let (sent, outgoing) = send(comm, out, to);
    [sent, wait(outgoing), wait(incoming)].into_iter().fold(received, first)
}

/// From one place in memory to another of the same signature: a message to oneself knows all datatypes.
pub(super) fn copy(comm: Handle, rank: usize, from: Block, to: Block) -> i32 {
    exchange(comm, from, rank, to, rank)
}

/// The first error of two. After an error messages go on, so that no rank waits for ever.
pub(super) fn first(code: i32, next: i32) -> i32 {
    if code != 0 { code } else { next }
}
