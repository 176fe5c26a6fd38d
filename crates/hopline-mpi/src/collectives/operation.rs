//! Which collective a call is, and what it moves.

use super::message::{Block, Blocks};
use super::reduce::Reduction;
use crate::abi::abi;
use crate::call::Call;
use crate::function::{Kind, Way};

/// The collectives that this layer can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Operation {
    Bcast,
    Allgather,
    Allreduce,
    Reduce,
    Alltoall,
}

impl Operation {
    pub(super) const ALL: [Operation; 5] =
        [Operation::Bcast, Operation::Allgather, Operation::Allreduce, Operation::Reduce, Operation::Alltoall];

    /// As MPI and `HOPLINE_COLLECTIVES` name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::Bcast => "bcast",
            Operation::Allgather => "allgather",
            Operation::Allreduce => "allreduce",
            Operation::Reduce => "reduce",
            Operation::Alltoall => "alltoall",
        }
    }

    /// What a call is; `None` for others, and for those that end with a request.
    pub(super) fn of(call: &Call<'_>) -> Option<Operation> {
        let Kind::Coll(name) = call.kind() else { return None };
        (call.way() == Way::Blocking).then(|| Operation::ALL.into_iter().find(|o| o.name() == name)).flatten()
    }

    /// False where a handle is none: that is for the library to say.
    pub(super) fn is_whole(self, call: &Call<'_>) -> bool {
        let datatype = match self {
            Operation::Bcast | Operation::Reduce | Operation::Allreduce => call.datatype(),
            Operation::Allgather | Operation::Alltoall => call.recv_type(),
        };
        !call.is_no_comm(call.comm()) && datatype != abi().datatype_null
    }

    /// True where one rank is the root.
    pub(super) fn has_root(self) -> bool {
        matches!(self, Operation::Bcast | Operation::Reduce)
    }

    /// Bytes of a call, the same on all ranks: of the message, or of one block of blocks.
    pub(super) fn bytes(self, call: &Call<'_>) -> u64 {
        match self {
            Operation::Bcast | Operation::Reduce | Operation::Allreduce => call.bytes(),
            Operation::Allgather | Operation::Alltoall => call.recv_block(),
        }
    }

    /// Bytes that end up on a rank.
    pub(super) fn volume(self, bytes: u64, ranks: usize) -> u64 {
        match self {
            Operation::Bcast | Operation::Reduce | Operation::Allreduce => bytes,
            Operation::Allgather | Operation::Alltoall => bytes.saturating_mul(ranks as u64),
        }
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

/// The blocks that are received.
pub(super) fn received(call: &Call<'_>) -> Blocks {
    let count = i32::try_from(call.recv_count()).unwrap_or(0) as usize;
    Blocks::new(Block { buffer: call.recv_buffer(), count, datatype: call.recv_type() })
}
