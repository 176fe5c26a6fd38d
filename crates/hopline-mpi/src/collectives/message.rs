//! Point-to-point messages of this layer, blocks of elements, and room for them.

use super::channel::Channel;
use crate::abi::{Abi, Handle, abi, type_size};
use crate::real::pmpi;

/// Libraries ask before they send more than this and wait for the answer, so larger blocks go in parts...
const PART: usize = 32_768;
/// ... but not in more than this.
const PARTS: usize = 64;

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

pub(super) fn receive(channel: &Channel, block: Block, from: usize) -> (i32, Request) {
    let Block { buffer, count, datatype } = block;
    let (from, mut request) = (channel.member(from), Abi::room());
    let code = pmpi!(PMPI_Irecv(buffer, count, datatype, from, channel.tag, channel.comm, request.as_mut_ptr()));
    (code, request)
}

pub(super) fn send(channel: &Channel, block: Block, to: usize) -> (i32, Request) {
    let Block { buffer, count, datatype } = block;
    let (to, mut request) = (channel.member(to), Abi::room());
    let code = pmpi!(PMPI_Isend(buffer, count, datatype, to, channel.tag, channel.comm, request.as_mut_ptr()));
    (code, request)
}

pub(super) fn wait(mut request: Request) -> i32 {
    // Larger than the status of any library.
    let mut status = [0u64; 16];
    pmpi!(PMPI_Wait(request.as_mut_ptr(), status.as_mut_ptr()))
}

/// A block out where there is one, another in, each in parts. Both ends of a block must have the same count and size
/// of elements.
pub(super) fn exchange(channel: &Channel, out: Option<Block>, to: usize, into: Option<Block>, from: usize) -> i32 {
    let received = into.into_iter().flat_map(parts).map(|part| receive(channel, part, from));
    let sent = out.into_iter().flat_map(parts).map(|part| send(channel, part, to));
    let begun: Vec<(i32, Request)> = received.chain(sent).collect();
    begun.into_iter().fold(0, |code, (begun, request)| first(first(code, begun), wait(request)))
}

fn parts(block: Block) -> impl Iterator<Item = Block> {
    let bytes = block.count * type_size(block.datatype) as usize;
    let (parts, extent) = (bytes.div_ceil(PART).clamp(1, PARTS), extent(block.datatype));
    let begin = move |part: usize| block.count * part / parts;
    (0..parts).map(move |part| Block {
        buffer: block.buffer.wrapping_add_signed(begin(part) as isize * extent),
        count: begin(part + 1) - begin(part),
        ..block
    })
}

/// From one place in memory to another of the same signature: a message to oneself knows all datatypes.
pub(super) fn copy(channel: &Channel, from: Block, to: Block) -> i32 {
    let (received, incoming) = receive(channel, to, channel.rank);
    let (sent, outgoing) = send(channel, from, channel.rank);
    [sent, wait(outgoing), wait(incoming)].into_iter().fold(received, first)
}

/// Elements lie side by side from the buffer's first byte.
pub(super) fn is_contiguous(datatype: Handle) -> bool {
    let (mut low, mut extent, mut true_low, mut true_extent) = (0isize, 0isize, 0isize, 0isize);
    pmpi!(PMPI_Type_get_extent(datatype, &raw mut low, &raw mut extent));
    pmpi!(PMPI_Type_get_true_extent(datatype, &raw mut true_low, &raw mut true_extent));
    let size = type_size(datatype) as isize;
    let mut kind = [0i32; 4];
    pmpi!(PMPI_Type_get_envelope(datatype, &raw mut kind[0], &raw mut kind[1], &raw mut kind[2], &raw mut kind[3]));
    // A derived type of the same size may still have its parts in another order.
    let named = kind[..3].iter().all(|&count| count == 0);
    named && low == 0 && true_low == 0 && extent == size && true_extent == size
}

/// Elements as the bytes that travel: where they lie, or copied to where each rank's datatype may be another.
pub(super) struct Packed {
    _memory: Vec<u8>,
    base: usize,
    /// Bytes of a block.
    bytes: usize,
    /// Blocks to be packed and unpacked; `None` where they travel from where they lie.
    blocks: Option<Blocks>,
}

impl Packed {
    /// `n` blocks; `apart` where they must not share memory with what they come from.
    pub(super) fn new(blocks: Blocks, n: usize, apart: bool) -> Packed {
        let Block { buffer, count, datatype } = blocks.at(0);
        let bytes = count * type_size(datatype) as usize;
        if !apart && is_contiguous(datatype) {
            return Packed { _memory: Vec::new(), base: buffer, bytes, blocks: None };
        }
        let mut memory = vec![0u8; n * bytes];
        Packed { base: memory.as_mut_ptr() as usize, _memory: memory, bytes, blocks: Some(blocks) }
    }

    /// The bytes of block `i`.
    pub(super) fn at(&self, i: usize) -> Block {
        Block { buffer: self.base + i * self.bytes, count: self.bytes, datatype: abi().byte }
    }

    pub(super) fn pack(&self, channel: &Channel, i: usize) -> i32 {
        let Some(blocks) = self.blocks else { return 0 };
        pack(channel, blocks.at(i), self.at(i))
    }

    pub(super) fn unpack(&self, channel: &Channel, i: usize) -> i32 {
        let Some(blocks) = self.blocks else { return 0 };
        unpack(channel, self.at(i), blocks.at(i))
    }
}

/// Elements as the bytes of a block.
pub(super) fn pack(channel: &Channel, from: Block, bytes: Block) -> i32 {
    let mut at = 0i32;
    grounded(from, |Block { buffer, count, datatype }| {
        pmpi!(PMPI_Pack(buffer, count, datatype, bytes.buffer, bytes.count, &raw mut at, channel.comm))
    })
}

/// The bytes of a block as elements.
pub(super) fn unpack(channel: &Channel, bytes: Block, to: Block) -> i32 {
    let mut at = 0i32;
    grounded(to, |Block { buffer, count, datatype }| {
        pmpi!(PMPI_Unpack(bytes.buffer, bytes.count, &raw mut at, buffer, count, datatype, channel.comm))
    })
}

/// The same elements from another address than 0: MPICH packs nothing from there, though `MPI_BOTTOM` is 0
/// and the datatype has the addresses.
fn grounded(block: Block, run: impl FnOnce(Block) -> i32) -> i32 {
    if block.buffer != 0 {
        return run(block);
    }
    let mut room = Abi::room();
    let (length, buffer) = (block.count as i32, room.as_ptr() as usize);
    let back = (buffer as isize).wrapping_neg();
    let made = room.as_mut_ptr();
    let code = pmpi!(PMPI_Type_create_hindexed(1, &raw const length, &raw const back, block.datatype, made));
    let code = first(code, pmpi!(PMPI_Type_commit(made)));
    let datatype = abi().at(made as usize, 0);
    let code = first(code, run(Block { buffer, count: 1, datatype }));
    pmpi!(PMPI_Type_free(made));
    code
}

/// The first error of two. After an error messages go on, so that no rank waits for ever.
pub(super) fn first(code: i32, next: i32) -> i32 {
    if code != 0 { code } else { next }
}
