//! Which collective a call is, and what it moves.

use super::channel::is_between_groups;
use super::message::{Block, Blocks};
use super::reduce::Reduction;
use crate::abi::{abi, rank_and_size};
use crate::call::Call;
use crate::function::FunctionKind;

/// The collectives that this layer can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Bcast,
    Allgather,
    Allreduce,
    Reduce,
    Alltoall,
    Scatter,
    Gather,
}

/// Calls that are done alike: operation, root and bytes to the nearest power of two below.
pub(super) type Key = (Operation, usize, u32);

impl Operation {
    pub(super) const ALL: [Operation; 7] = [
        Operation::Bcast,
        Operation::Allgather,
        Operation::Allreduce,
        Operation::Reduce,
        Operation::Alltoall,
        Operation::Scatter,
        Operation::Gather,
    ];

    /// As MPI and `HOPLINE_COLLECTIVES` name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Bcast => "bcast",
            Operation::Allgather => "allgather",
            Operation::Allreduce => "allreduce",
            Operation::Reduce => "reduce",
            Operation::Alltoall => "alltoall",
            Operation::Scatter => "scatter",
            Operation::Gather => "gather",
        }
    }

    /// What a call is, however it ends; `None` for others.
    pub(super) fn of(call: &Call<'_>) -> Option<Operation> {
        let FunctionKind::Coll(name) = call.kind() else { return None };
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// False where a handle is none: that is for the library to say.
    pub(super) fn is_whole(self, call: &Call<'_>) -> bool {
        if call.is_no_comm(call.comm()) {
            return false;
        }
        // Between two groups some arguments mean nothing, and may be anything.
        if matches!(self, Operation::Scatter | Operation::Gather) && is_between_groups(call.comm()) {
            return false;
        }
        let datatype = match self {
            Operation::Bcast | Operation::Reduce | Operation::Allreduce => call.datatype(),
            Operation::Allgather | Operation::Alltoall => call.recv_type(),
            Operation::Scatter if self.has_all(call) => call.send_type(),
            Operation::Scatter => call.recv_type(),
            Operation::Gather if self.has_all(call) => call.recv_type(),
            Operation::Gather => call.send_type(),
        };
        datatype != abi().datatype_null
    }

    /// True where one rank is the root.
    pub(super) fn has_root(self) -> bool {
        matches!(self, Operation::Bcast | Operation::Reduce | Operation::Scatter | Operation::Gather)
    }

    /// True where sums are made.
    pub(super) fn is_sum(self) -> bool {
        matches!(self, Operation::Reduce | Operation::Allreduce)
    }

    /// True where ranks have blocks of their own, which lie in the order of ranks.
    pub(super) fn has_blocks(self) -> bool {
        matches!(self, Operation::Allgather | Operation::Alltoall | Operation::Scatter | Operation::Gather)
    }

    /// True on the root of a scatter or gather, which has the blocks of all.
    fn has_all(self, call: &Call<'_>) -> bool {
        rank_and_size(call.comm()).0 as i32 == call.root()
    }

    /// Bytes of a call, the same on all ranks: of the message, or of one block of blocks.
    pub(super) fn bytes(self, call: &Call<'_>) -> u64 {
        match self {
            Operation::Bcast | Operation::Reduce | Operation::Allreduce => call.bytes(),
            Operation::Allgather | Operation::Alltoall => call.recv_block(),
            // What arguments say of the other side counts at the root alone.
            Operation::Scatter if self.has_all(call) => call.send_block(),
            Operation::Scatter => call.recv_block(),
            Operation::Gather if self.has_all(call) => call.recv_block(),
            Operation::Gather => call.send_block(),
        }
    }

    /// Bytes that end up on a rank, or leave it.
    pub(super) fn volume(self, bytes: u64, ranks: usize) -> u64 {
        if self.has_blocks() { bytes.saturating_mul(ranks as u64) } else { bytes }
    }

    /// False where a message would have more bytes than MPI counts: a scatter's and a gather's hold many blocks.
    pub(super) fn fits(self, bytes: u64, ranks: usize) -> bool {
        let largest = if matches!(self, Operation::Scatter | Operation::Gather) { ranks } else { 1 };
        bytes.saturating_mul(largest as u64) <= i32::MAX as u64
    }
}

/// What a broadcast has.
pub(super) fn message(call: &Call<'_>) -> Option<Block> {
    let count = i32::try_from(call.elements()).ok()? as usize;
    Some(Block { buffer: call.buffer(), count, datatype: call.datatype() })
}

/// What is added up.
pub(super) fn reduction(call: &Call<'_>) -> Option<Reduction> {
    let count = i32::try_from(call.elements()).ok()? as usize;
    let send = (!call.is_send_in_place()).then(|| call.send_buffer());
    Some(Reduction { send, recv: call.recv_buffer(), count, datatype: call.datatype(), op: call.op() })
}

/// What is sent, `None` in place.
pub(super) fn sent(call: &Call<'_>) -> Option<Block> {
    let count = i32::try_from(call.send_count()).unwrap_or(0) as usize;
    let block = Block { buffer: call.send_buffer(), count, datatype: call.send_type() };
    (!call.is_send_in_place()).then_some(block)
}

/// What is received, or the first block of it.
fn taken_always(call: &Call<'_>) -> Block {
    let count = i32::try_from(call.recv_count()).unwrap_or(0) as usize;
    Block { buffer: call.recv_buffer(), count, datatype: call.recv_type() }
}

/// What is received, or the first block of it, `None` in place.
pub(super) fn taken(call: &Call<'_>) -> Option<Block> {
    (!call.is_recv_in_place()).then(|| taken_always(call))
}

/// The blocks that are received.
pub(super) fn received(call: &Call<'_>) -> Blocks {
    Blocks::new(taken_always(call))
}
