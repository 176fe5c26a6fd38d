//! MSCCL XML: collectives as programs of thread blocks, which RCCL and MSCCL run; read, checked ([`check`]), replayed and
//! written ([`write()`]).
//!
//! ```text
//! <algo name="pair" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="1" outofplace="0">
//!   <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
//!     <tb id="0" send="1" recv="1" chan="0">
//!       <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
//!       <step s="1" type="r" srcbuf="o" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
//! ```
//!
//! A GPU has three buffers, input, output and scratch, in chunks. A thread block takes its steps in order; it has at most one
//! GPU to send to and one to receive from, on a channel. The k-th send of a connection meets its k-th receive. A step may wait
//! for one of another block of its GPU, if that one tells (`hasdep`). Sources: github.com/microsoft/msccl-tools (what writes
//! it) and github.com/ROCm/rccl, src/misc/msccl/msccl_parser.cc (what reads it).

mod check;
mod clocks;
mod content;
mod finding;
mod form;
mod layout;
mod play;
mod rccl;
mod read;
mod run;
mod write;

pub use check::{MscclOutcome, Verdict, check};
pub use finding::{Fault, Finding};
pub use play::messages;
pub(in crate::schedule) use play::{ENTRY, make};
pub use read::read;
pub use write::write;

/// A whole collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// `Simple`, `LL` or `LL128`.
    pub protocol: String,
    /// What it does, as the file spells it.
    pub coll: String,
    /// Chunks of the whole buffer.
    pub chunks: u32,
    /// Connections of a pair of GPUs, most.
    pub channels: u32,
    /// Whether input and output may be the same memory.
    pub in_place: bool,
    /// Whether they may be two.
    pub out_of_place: bool,
    /// Bytes for which it may be taken: the least, and the most, 0 for any.
    pub bytes: (u64, u64),
    /// In order of the file.
    pub gpus: Vec<Gpu>,
    /// Attributes of the whole that were not there and have a default.
    pub absent: Vec<&'static str>,
    /// Line of the file, 0 where there is none.
    pub line: u32,
}

/// What a GPU does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// Its rank.
    pub id: i64,
    /// Chunks of input, output and scratch.
    pub sizes: [u32; 3],
    /// In order of the file.
    pub blocks: Vec<Block>,
    /// Line of the file, 0 where there is none.
    pub line: u32,
}

/// A thread block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its number within the GPU.
    pub id: i64,
    /// The GPU that it sends to; negative for none.
    pub send: i64,
    /// The GPU that it receives from; negative for none.
    pub recv: i64,
    /// The channel of both.
    pub channel: i64,
    /// In order.
    pub steps: Vec<Step>,
    /// Line of the file, 0 where there is none.
    pub line: u32,
}

/// One step of a thread block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its number within the block.
    pub id: i64,
    /// What it does.
    pub kind: StepKind,
    /// Chunks that it reads.
    pub source: Span,
    /// Chunks that it writes.
    pub target: Span,
    /// Number of chunks of both.
    pub count: i64,
    /// The block and step that it waits for; a negative block is none.
    pub needs: (i64, i64),
    /// Whether its end is told to those that wait.
    pub tells: bool,
    /// Line of the file, 0 where there is none.
    pub line: u32,
}

/// Where chunks begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The buffer.
    pub buffer: Buffer,
    /// The first chunk.
    pub first: i64,
}

/// A buffer of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// What the caller gives.
    Input,
    /// What the caller gets.
    Output,
    /// What the algorithm may use.
    Scratch,
}

impl Buffer {
    const ALL: [Buffer; 3] = [Buffer::Input, Buffer::Output, Buffer::Scratch];

    /// Its letter in the file.
    pub fn word(self) -> &'static str {
        ["i", "o", "s"][self as usize]
    }
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Sends its source.
    Send,
    /// Receives into its target.
    Receive,
    /// Receives into its target and passes on.
    ReceiveCopySend,
    /// Adds its source to what it receives and passes that on, without storing it.
    ReceiveReduceSend,
    /// Adds its source to what it receives, into its target.
    ReceiveReduceCopy,
    /// The same, and passes it on.
    ReceiveReduceCopySend,
    /// Copies its source to its target.
    Copy,
    /// Adds its source to its target.
    Reduce,
    /// Only waits.
    Nop,
}

impl StepKind {
    const ALL: [StepKind; 9] = [
        StepKind::Send,
        StepKind::Receive,
        StepKind::ReceiveCopySend,
        StepKind::ReceiveReduceSend,
        StepKind::ReceiveReduceCopy,
        StepKind::ReceiveReduceCopySend,
        StepKind::Copy,
        StepKind::Reduce,
        StepKind::Nop,
    ];

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        ["s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"][self as usize]
    }

    /// Whether it sends.
    pub fn sends(self) -> bool {
        matches!(
            self,
            StepKind::Send | StepKind::ReceiveCopySend | StepKind::ReceiveReduceSend | StepKind::ReceiveReduceCopySend
        )
    }

    /// Whether it receives.
    pub fn receives(self) -> bool {
        !matches!(self, StepKind::Send | StepKind::Copy | StepKind::Reduce | StepKind::Nop)
    }

    /// Whether it reads its source.
    fn reads(self) -> bool {
        !matches!(self, StepKind::Receive | StepKind::ReceiveCopySend | StepKind::Nop)
    }

    /// Whether it writes its target.
    fn writes(self) -> bool {
        !matches!(self, StepKind::Send | StepKind::ReceiveReduceSend | StepKind::Nop)
    }
}

impl Step {
    /// The step of the same GPU that must have told before this one begins: the first from that which it names on that tells.
    fn awaited(&self, gpu: &Gpu) -> Option<(usize, usize)> {
        let (block, step) = (usize::try_from(self.needs.0).ok()?, usize::try_from(self.needs.1).ok()?);
        let later = gpu.blocks.get(block)?.steps.iter().enumerate().skip(step);
        later.into_iter().find(|(_, step)| step.tells).map(|(at, _)| (block, at))
    }
}
