//! The collectives of one step, and what they move.

use super::layout::{Group, Layout};
use crate::format::workload::Operation;
use crate::unit;

/// When in a step something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In the forward pass of every micro-batch.
    Forward,
    /// In the backward pass of every micro-batch.
    Backward,
    /// Once, after the last micro-batch.
    End,
}

/// What the ranks of a group do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// A collective operation.
    Collective(Operation),
    /// Each sends to the next of the group, the last to the first.
    ToNext,
    /// Each sends to the one before.
    ToPrevious,
}

/// What traffic is for, as totals count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Activations between tensor-parallel ranks, those of experts too.
    Tensor,
    /// Keys and values between context-parallel ranks.
    Context,
    /// Tokens between experts.
    Expert,
    /// Gradients and weights between replicas, those of experts too.
    Data,
    /// Activations between pipeline stages.
    Pipeline,
    /// Gradients of the word embedding between the first and the last stage.
    Embedding,
    /// Gradients of norms between tensor-parallel ranks.
    Norm,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 7] =
        [Part::Tensor, Part::Context, Part::Expert, Part::Data, Part::Pipeline, Part::Embedding, Part::Norm];

    /// Its short name: `tp`, `cp`, `ep`, `dp`, `pp`, `emb` or `norm`.
    pub fn name(self) -> &'static str {
        match self {
            Part::Tensor => "tp",
            Part::Context => "cp",
            Part::Expert => "ep",
            Part::Data => "dp",
            Part::Pipeline => "pp",
            Part::Embedding => "emb",
            Part::Norm => "norm",
        }
    }
}

/// One communication of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Call {
    /// In every group of this kind of the stage.
    pub group: Group,
    /// What they do.
    pub what: What,
    /// The whole tensor of a collective: what an all-gather ends with, a reduce-scatter and an all-reduce begin with, and an
    /// all-to-all sends from each rank. What each rank sends to its neighbour otherwise.
    pub bytes: u64,
}

impl Call {
    /// What all ranks of one group send together, as rings do it: S*(n-1), twice that for an all-reduce.
    fn moved(&self, members: u32) -> u128 {
        let (bytes, n) = (u128::from(self.bytes), u128::from(members));
        match self.what {
            What::Collective(Operation::AllReduce) => 2 * bytes * (n - 1),
            What::Collective(_) => bytes * (n - 1),
            What::ToNext | What::ToPrevious => bytes * n,
        }
    }
}

/// Calls that follow each other, so many times over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it belongs to.
    pub name: &'static str,
    /// What its traffic is for, and the calls, in order.
    pub calls: Vec<(Part, Call)>,
    /// When.
    pub when: When,
    /// The pipeline stage that does it; 0 for groups across stages.
    pub stage: u32,
    /// The model chunk of that stage.
    pub chunk: u32,
    /// How often: the layers that are alike.
    pub times: u32,
}

/// One step of a job: every collective with its group, bytes and how often it happens.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The ranks.
    pub layout: Layout,
    /// Micro-batches of the step.
    pub micro_batches: u32,
    /// Model chunks of a pipeline stage.
    pub chunks: u32,
    /// What a rank hands to the same place in the next stage for one micro-batch.
    pub handed: u64,
    /// What every stage does, in order for each of them.
    pub blocks: Vec<Block>,
    /// What was assumed or left out.
    pub notes: Vec<String>,
}

impl Step {
    /// How often a block of this time happens in the step.
    pub fn rounds(&self, when: When) -> u32 {
        if when == When::End { 1 } else { self.micro_batches }
    }

    /// What all ranks send for a part in one step, by rings. Bytes; O(blocks).
    pub fn bytes(&self, part: Part) -> u128 {
        if part == Part::Pipeline {
            return self.pipeline_bytes();
        }
        let stages = self.layout.size(super::Axis::Pipeline);
        let calls = self.blocks.iter().flat_map(|block| {
            let times = u128::from(block.times) * u128::from(self.rounds(block.when));
            block.calls.iter().filter(move |(own, _)| *own == part).map(move |(_, call)| (times, call))
        });
        let ranks = u128::from(self.layout.ranks());
        let total = calls.map(|(times, call)| {
            let members = self.layout.members(call.group).max(1);
            let groups = match call.group {
                Group::Pipeline | Group::Ends => ranks / u128::from(stages),
                _ => ranks / u128::from(stages) / u128::from(members),
            };
            times * groups * call.moved(members)
        });
        total.sum()
    }

    /// Every micro-batch passes each boundary between chunks, and its gradient comes back.
    fn pipeline_bytes(&self) -> u128 {
        let stages = u128::from(self.layout.size(super::Axis::Pipeline));
        let passages = (stages * u128::from(self.chunks)).saturating_sub(1);
        let each = 2 * u128::from(self.micro_batches) * u128::from(self.handed);
        if stages > 1 { passages * each * (u128::from(self.layout.ranks()) / stages) } else { 0 }
    }

    /// How many groups a part has, and how many ranks each.
    fn groups(&self, part: Part) -> (u32, u32) {
        let group = match part {
            Part::Pipeline => Group::Pipeline,
            _ => {
                let mut calls = self.blocks.iter().flat_map(|block| &block.calls).filter(|(own, _)| *own == part);
                calls.next().map_or(Group::Pipeline, |(_, call)| call.group)
            }
        };
        let members = self.layout.members(group);
        let ranks = if group == Group::Ends {
            self.layout.ranks() / self.layout.size(super::Axis::Pipeline)
        } else {
            self.layout.ranks() / members.max(1)
        };
        (ranks, members)
    }

    /// What each part moves, a sentence each.
    pub fn table(&self) -> Vec<String> {
        let moved = Part::ALL.into_iter().map(|part| (part, self.bytes(part))).filter(|(_, bytes)| *bytes > 0);
        let lines = moved.map(|(part, bytes)| {
            let (groups, members) = self.groups(part);
            let (name, short) = (part.name(), unit::bytes(bytes as f64));
            format!("{name}: {short} a step ({bytes} bytes) in {groups} groups of {members} ranks")
        });
        lines.collect()
    }
}
