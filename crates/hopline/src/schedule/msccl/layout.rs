//! What the chunks of a collective are: which are the same memory, what each holds first, and what it must hold in the end.

use super::{Buffer, Program};

/// The collectives whose result is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coll {
    Allgather,
    ReduceScatter,
    Allreduce,
    Alltoall,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
}

impl Coll {
    /// The collective of a word, in the spellings of MSCCL and RCCL.
    pub(super) fn named(word: &str) -> Option<Coll> {
        let letters: String = word.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        Some(match letters.to_ascii_lowercase().as_str() {
            "allgather" => Coll::Allgather,
            "reducescatter" => Coll::ReduceScatter,
            "allreduce" => Coll::Allreduce,
            "alltoall" => Coll::Alltoall,
            "broadcast" => Coll::Broadcast,
            "reduce" => Coll::Reduce,
            "gather" => Coll::Gather,
            "scatter" => Coll::Scatter,
            _ => return None,
        })
    }

    /// Its name as other commands spell it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Coll::Allgather => "allgather",
            Coll::ReduceScatter => "reduce-scatter",
            Coll::Allreduce => "allreduce",
            Coll::Alltoall => "alltoall",
            Coll::Broadcast => "broadcast",
            Coll::Reduce => "reduce",
            Coll::Gather => "gather",
            Coll::Scatter => "scatter",
        }
    }

    /// Whether the whole buffer has a part for each rank.
    pub(super) fn has_parts(self) -> bool {
        !matches!(self, Coll::Allreduce | Coll::Broadcast | Coll::Reduce)
    }
}

/// A chunk of a GPU, after those that are the same memory.
pub(super) type Chunk = (Buffer, u32);

/// What a chunk holds: whose chunks of input are added up in it, sorted; one that counts twice stands twice.
pub(super) type Held = Vec<(u32, u32)>;

/// The chunks of a program, in place or not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) coll: Option<Coll>,
    pub(super) ranks: u32,
    /// Chunks of the whole buffer.
    chunks: u32,
    /// Where results are brought together, or come from.
    pub(super) root: u32,
    is_in_place: bool,
}

impl Layout {
    pub(super) fn new(program: &Program, is_in_place: bool) -> Layout {
        let coll = Coll::named(&program.coll);
        Layout { coll, ranks: program.gpus.len() as u32, chunks: program.chunks, root: 0, is_in_place }
    }

    /// The same with another root.
    pub(super) fn rooted(self, root: u32) -> Layout {
        Layout { root, ..self }
    }

    /// Chunks of a rank's part.
    fn part(&self) -> u32 {
        self.chunks / self.ranks.max(1)
    }

    /// The chunk of a GPU that stands for all that are the same memory.
    pub(super) fn chunk(&self, gpu: u32, buffer: Buffer, at: u32) -> Chunk {
        let own = |rank: u32| rank.saturating_mul(self.part()).saturating_add(at);
        match (self.coll.filter(|_| self.is_in_place), buffer) {
            (Some(Coll::Allgather), Buffer::Input) => (Buffer::Output, own(gpu)),
            (Some(Coll::ReduceScatter), Buffer::Output) => (Buffer::Input, own(gpu)),
            (Some(Coll::Gather), Buffer::Input) if gpu == self.root => (Buffer::Output, own(gpu)),
            (Some(Coll::Scatter), Buffer::Output) if gpu == self.root => (Buffer::Input, own(gpu)),
            (Some(Coll::Allreduce | Coll::Broadcast | Coll::Reduce | Coll::Alltoall), Buffer::Input) => {
                (Buffer::Output, at)
            }
            (_, buffer) => (buffer, at),
        }
    }

    /// Chunks of a GPU's input.
    pub(super) fn inputs(&self, gpu: u32) -> u32 {
        match self.coll {
            Some(Coll::Allgather | Coll::Gather) => self.part(),
            Some(Coll::Broadcast | Coll::Scatter) if gpu != self.root => 0,
            _ => self.chunks,
        }
    }

    /// What a GPU's output must hold, chunk by chunk.
    pub(super) fn results(&self, gpu: u32) -> impl Iterator<Item = Held> {
        use Coll::{Allgather, Allreduce, Alltoall, Broadcast, Gather, Reduce, ReduceScatter, Scatter};
        let (Layout { coll, ranks, chunks, root, .. }, part) = (*self, self.part());
        let outputs = match coll {
            Some(ReduceScatter | Scatter) => part,
            Some(Reduce | Gather) if gpu != root => 0,
            Some(_) => chunks,
            None => 0,
        };
        let sum = move |at: u32| (0..ranks).map(|rank| (rank, at)).collect();
        (0..outputs).map(move |at| match coll {
            Some(Allgather | Gather) => vec![(at / part, at % part)],
            Some(ReduceScatter) => sum(gpu * part + at),
            Some(Alltoall) => vec![(at / part, gpu * part + at % part)],
            Some(Broadcast) => vec![(root, at)],
            Some(Scatter) => vec![(root, gpu * part + at)],
            Some(Allreduce | Reduce) | None => sum(at),
        })
    }
}
