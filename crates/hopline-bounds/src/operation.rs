//! Collective operations.

/// A collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Every rank has a shard, all get all.
    Allgather,
    /// Every rank has a vector, each gets its shard of the sum.
    ReduceScatter,
    /// Every rank has a vector, all get the sum.
    Allreduce,
    /// The root has a message, all get it.
    Broadcast,
    /// Every rank has a vector, the root gets the sum.
    Reduce,
    /// Every rank has a block for every other.
    Alltoall,
    /// Every rank has a block, the root gets all.
    Gather,
    /// The root has a block for every rank.
    Scatter,
}

impl Operation {
    /// All that have bounds.
    pub const ALL: [Operation; 8] = [
        Operation::Allgather,
        Operation::ReduceScatter,
        Operation::Allreduce,
        Operation::Broadcast,
        Operation::Reduce,
        Operation::Alltoall,
        Operation::Gather,
        Operation::Scatter,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Allgather => "allgather",
            Operation::ReduceScatter => "reduce-scatter",
            Operation::Allreduce => "allreduce",
            Operation::Broadcast => "broadcast",
            Operation::Reduce => "reduce",
            Operation::Alltoall => "alltoall",
            Operation::Gather => "gather",
            Operation::Scatter => "scatter",
        }
    }

    /// The operation of a name, MPI's own spellings included.
    pub fn named(name: &str) -> Option<Operation> {
        let name = match name {
            "bcast" => "broadcast",
            "all-to-all" => "alltoall",
            "all-gather" => "allgather",
            "all-reduce" => "allreduce",
            "reduce_scatter" | "reducescatter" => "reduce-scatter",
            name => name,
        };
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// Whether some of its algorithms have a message for every pair of ranks.
    pub(crate) fn joins_all_pairs(self) -> bool {
        use Operation::{Allgather, Allreduce, Alltoall, ReduceScatter};
        matches!(self, Allgather | ReduceScatter | Allreduce | Alltoall)
    }

    /// Whether it has a rank that spreads or collects.
    pub fn has_root(self) -> bool {
        use Operation::{Broadcast, Gather, Reduce, Scatter};
        matches!(self, Broadcast | Reduce | Gather | Scatter)
    }

    /// What its size counts.
    pub fn unit(self) -> &'static str {
        match self {
            Operation::Allgather | Operation::ReduceScatter => "a rank's shard",
            Operation::Allreduce | Operation::Reduce => "the vector",
            Operation::Broadcast => "the message",
            Operation::Alltoall => "the block of a pair",
            Operation::Gather | Operation::Scatter => "a rank's block",
        }
    }
}

/// What switches may do beside passing on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Switches {
    /// They give out several copies of what they take in, as for multicast.
    pub copy: bool,
    /// They add up what they take in, as SHARP and NVLS do.
    pub reduce: bool,
}

impl Switches {
    /// Whether they do what an operation of one phase gains from beyond passing on.
    pub(crate) fn help(self, operation: Operation) -> bool {
        match operation {
            Operation::Allgather => self.copy,
            Operation::ReduceScatter => self.reduce,
            _ => false,
        }
    }
}
