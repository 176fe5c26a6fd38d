//! A training job's step from a text workload.

use super::{Context, Traffic};
use crate::demand::{Block, Demand, Grid, TaskSet, Unit};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::{Files, read_text};
use crate::format::matrix::MAX_TASKS;
use crate::format::workload::{self, Group, Operation, Workload};
use crate::params::{Params, Reader};
use crate::unit;

pub(super) const ENTRY: Entry = Entry {
    name: "workload",
    summary: "a training step from a SimAI / ASTRA-sim text workload: tensor, data, pipeline, expert parallel",
    doc: "Task = GPU, all_gpus of them. Rank = t + tp*(e + ep*(d + dp/ep*p)), Megatron's order tp-cp-ep-dp-pp: tensor \
          parallel groups are consecutive, pipeline stages outermost, a data parallel group is its e and d, and \
          dp = all_gpus / tp / pp. Counted is one step: every collective that the file lists once in each of its groups \
          (AICB lists the layers of all ga micro-batches one after the other, so nothing is multiplied), in every stage \
          alike; and pp_comm bytes for each of the ga micro-batches to the same rank of the next stage, and back for the \
          gradient. With chunks=C model chunks a stage (interleaved schedule) a micro-batch passes each boundary C times \
          and C-1 times from the last stage to the first; the file's vpp is not taken for it, as AICB writes there the \
          layers of a stage. What a file does not list is not there: with sequence parallelism AICB writes NONE for the \
          collectives of the backward pass.\n\
          Groups: _EP means the expert group, _DP_EP the replicas of experts; else forward and input-gradient collectives \
          use the tensor group, weight gradients and the forward column of grad_... layers the data group. The bytes S of \
          the file are those of the whole tensor. ring: in a group of n each rank sends S*(n-1)/n to the next for an \
          all-gather or a reduce-scatter, twice that for an all-reduce, and S/n to each other rank for an all-to-all (a \
          uniform block). tree: an all-reduce sends S up and S down each edge of a binary tree (parent of k is (k-1)/2), \
          the others are as with ring. parts= counts one kind of group alone: dp has the replicas of experts, ep the \
          all-to-alls between experts.\n\
          Source: github.com/aliyun/SimAI (Workload.cc, Layer.cc: bus bandwidth is S*(n-1)/n per time) and \
          github.com/aliyun/aicb (SimAI_training_workload_generator.py).",
    example: "workload:file=testdata/workloads/gpt-tiny-16.txt",
    params: &[
        param("file", "path", "", "the workload"),
        param("parts", "all|tp|dp|pp|ep", "all", "the groups whose traffic is counted"),
        param("algorithm", "ring|tree", "ring", "how an all-reduce goes"),
        param("chunks", "count", "1", "model chunks in a pipeline stage"),
    ],
};

/// What all ranks send in one step, by kind of group, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Within tensor-parallel groups.
    pub tensor: Demand,
    /// Between replicas, of experts too.
    pub data: Demand,
    /// Between neighbouring stages, both ways.
    pub pipeline: Demand,
    /// Between experts.
    pub expert: Demand,
}

/// How an all-reduce is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllReduce {
    /// Reduce-scatter and all-gather around the ring: 2*S*(n-1)/n from each to its next.
    Ring,
    /// Up and down a binary tree: S each way on each edge.
    Tree,
}

/// What a step of the workload sends: see `hopline explain workload`. O(ranks).
///
/// # Errors
/// Sizes of groups that do not multiply to the ranks, or bytes that are no
/// amount; never for a workload that was read from a file.
pub fn step(workload: &Workload, all_reduce: AllReduce, chunks: u32) -> Result<Step> {
    use Group::{Data, Expert, ExpertData, Tensor};
    let Workload { ranks, tensor, data, expert, stages, .. } = *workload;
    let product = tensor.checked_mul(data).and_then(|stage| stage.checked_mul(stages));
    if product != Some(ranks) || !(1..=MAX_TASKS).contains(&ranks) || !data.is_multiple_of(expert) {
        return Err(Error::input(format!(
            "{ranks} ranks as {stages} stages of {data} x {tensor} with {expert} experts, expected sizes that divide"
        )));
    }
    let within = |groups: &[Group]| {
        let mut sends = Sends::default();
        groups.iter().for_each(|&group| sends.add_collectives(workload, group, all_reduce));
        Demand::new(workload.ranks, Unit::Bytes, sends.entries, sends.blocks)
    };
    Ok(Step {
        tensor: within(&[Tensor])?,
        data: within(&[Data, ExpertData])?,
        pipeline: Demand::new(workload.ranks, Unit::Bytes, handed_on(workload, chunks), Vec::new())?,
        expert: within(&[Expert])?,
    })
}

/// Kinds of groups whose traffic is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parts {
    /// All of them.
    All,
    /// Tensor-parallel groups.
    Tensor,
    /// Replicas.
    Data,
    /// Neighbouring stages.
    Pipeline,
    /// Experts.
    Expert,
}

const PARTS: [(Parts, &str); 5] =
    [(Parts::All, "all"), (Parts::Tensor, "tp"), (Parts::Data, "dp"), (Parts::Pipeline, "pp"), (Parts::Expert, "ep")];

/// A step of a training job from a file: see the list.
#[derive(Debug, Clone)]
pub struct Training {
    path: String,
    workload: Workload,
    parts: Parts,
    all_reduce: AllReduce,
    chunks: u32,
}

impl Training {
    /// Reads a workload file: all groups, all-reduces around rings, one model chunk a stage.
    ///
    /// # Errors
    /// It cannot be read, or is no workload; with the line.
    pub fn open(path: &str, files: &dyn Files) -> Result<Training> {
        let workload = workload::parse(path, &read_text(files, path)?)?;
        let (parts, all_reduce) = (Parts::All, AllReduce::Ring);
        Ok(Training { path: path.to_string(), workload, parts, all_reduce, chunks: 1 })
    }

    /// The same with the traffic of some groups alone.
    #[must_use]
    pub fn parts(mut self, parts: Parts) -> Training {
        self.parts = parts;
        self
    }

    /// The same with all-reduces done in another way.
    #[must_use]
    pub fn all_reduce(mut self, all_reduce: AllReduce) -> Training {
        self.all_reduce = all_reduce;
        self
    }

    /// The same with so many model chunks in a pipeline stage.
    ///
    /// # Errors
    /// There are none.
    pub fn chunks(mut self, chunks: u32) -> Result<Training> {
        self.chunks = checked_chunks(chunks)?;
        Ok(self)
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Training> {
        let path: String = reader.need("file")?;
        let parts = PARTS[reader.choice("parts", &PARTS.map(|p| p.1))?].0;
        let all_reduce = [AllReduce::Ring, AllReduce::Tree][reader.choice("algorithm", &["ring", "tree"])?];
        // What is wrong with a key is said before the file is read.
        let chunks = checked_chunks(reader.or("chunks", 1)?)?;
        Training::open(&path, context.files)?.parts(parts).all_reduce(all_reduce).chunks(chunks)
    }

    pub(super) fn params(&self) -> Params {
        let algorithm = if self.all_reduce == AllReduce::Tree { "tree" } else { "ring" };
        let params = Params::named(ENTRY.name).with("file", &self.path[..]);
        let params = params.unless("parts", PARTS[self.parts as usize].1, "all");
        params.unless("algorithm", algorithm, "ring").unless("chunks", self.chunks, 1)
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let workload = self.workload;
        let step = step(&workload, self.all_reduce, self.chunks)?;
        let kinds = [("tp", &step.tensor), ("dp", &step.data), ("pp", &step.pipeline), ("ep", &step.expert)];
        let moved: Vec<String> = kinds.iter().map(|(name, d)| format!("{name} {}", unit::bytes(d.total()))).collect();
        let mut notes = workload.notes.clone();
        notes.push(format!(
            "a step moves {} (tp {}, dp {}, pp {}, ep {})",
            moved.join(", "),
            workload.tensor,
            workload.data,
            workload.stages,
            workload.expert
        ));
        let (mut entries, mut blocks) = (Vec::new(), Vec::new());
        for (name, demand) in kinds {
            if self.parts == Parts::All || PARTS[self.parts as usize].1 == name {
                entries.extend_from_slice(demand.entries());
                blocks.extend_from_slice(demand.blocks());
            }
        }
        let grid = Grid { sizes: vec![workload.stages, workload.data, workload.tensor], wrap: true };
        let demand = Demand::new(workload.ranks, Unit::Bytes, entries, blocks)?.with_grid(grid);
        Ok(Traffic { demand, notes })
    }
}

fn checked_chunks(chunks: u32) -> Result<u32> {
    match chunks {
        0 => Err(Error::argument("chunks", "no chunks: expected at least 1")),
        n => Ok(n),
    }
}

#[derive(Default)]
struct Sends {
    entries: Vec<(u32, u32, f64)>,
    blocks: Vec<Block>,
}

impl Sends {
    /// What the collectives of one kind of group send, in all groups of it.
    fn add_collectives(&mut self, workload: &Workload, group: Group, all_reduce: AllReduce) {
        let (stride, size) = workload.group(group);
        if size < 2 {
            return;
        }
        let bytes = |operations: &[Operation]| -> f64 {
            let own = workload.collectives().filter(|c| c.group == group && operations.contains(&c.operation));
            own.map(|c| c.bytes).sum()
        };
        let halves = bytes(&[Operation::AllGather, Operation::ReduceScatter]);
        let reduced = bytes(&[Operation::AllReduce]);
        let (around, up_and_down) = match all_reduce {
            AllReduce::Ring => (halves + 2.0 * reduced, 0.0),
            AllReduce::Tree => (halves, reduced),
        };
        let exchanged = bytes(&[Operation::AllToAll]);
        let part = 1.0 / f64::from(size);
        for first in (0..workload.ranks).filter(|rank| rank / stride % size == 0) {
            let member = |k: u32| first + k * stride;
            for k in 0..size {
                self.entries.push((member(k), member((k + 1) % size), around * (1.0 - part)));
                if k > 0 && all_reduce == AllReduce::Tree {
                    let (child, parent) = (member(k), member((k - 1) / 2));
                    self.entries.extend([(child, parent, up_and_down), (parent, child, up_and_down)]);
                }
            }
            let set = TaskSet::Range { first, count: size, step: stride };
            self.blocks.push(Block {
                sources: set.clone(),
                destinations: set,
                amount: exchanged * part,
                to_self: false,
            });
        }
    }
}

/// What the stages of the pipeline hand to each other.
fn handed_on(workload: &Workload, chunks: u32) -> Vec<(u32, u32, f64)> {
    let stage = workload.tensor * workload.data;
    let bytes = workload.pipeline_bytes * f64::from(workload.batches);
    let mut entries = Vec::new();
    for rank in 0..workload.ranks {
        let (next, times) = match rank + stage {
            next if next < workload.ranks => (next, chunks),
            next => (next - workload.ranks, chunks.saturating_sub(1)),
        };
        if next != rank {
            let bytes = bytes * f64::from(times);
            entries.extend([(rank, next, bytes), (next, rank, bytes)]);
        }
    }
    entries
}
