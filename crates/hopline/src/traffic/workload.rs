//! A training job's step, from a text workload or from a model's shape.

mod model;
mod sends;

use super::{Context, Traffic};
use crate::demand::{self, Demand, Grid, Unit};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::{Files, read_text};
use crate::format::matrix::MAX_TASKS;
use crate::format::workload::{self, Group, Operation, Workload};
use crate::params::{Params, Reader};
use crate::training::keys::{formulas, with_job};
use crate::training::{Job, Part};
use crate::unit;
use sends::{Moved, Sends};

pub(super) const ENTRY: Entry = Entry {
    name: "workload",
    summary: "a training step of a model by formula, or from a SimAI / ASTRA-sim text workload",
    doc: concat!(
        "Task = GPU. One step is counted, in bytes: with model= (or hidden=, layers=, ...) by formula, with file= what the file \
         lists. parts= counts one kind alone: tp, cp, ep (all-to-alls between experts), dp (replicas, of experts too), pp, emb \
         and norm.\n\
         A model: tp*cp*dp*pp ranks, numbered as Megatron-LM does by order=, the left axis fastest; expert groups lie across \
         tp*cp*dp. ",
        formulas!(),
        "\n\
         A file: rank = t + tp*(e + ep*(d + dp/ep*p)), Megatron's order tp-cp-ep-dp-pp: tensor \
         parallel groups are consecutive, pipeline stages outermost, a data parallel group is its e and d, and \
         dp = all_gpus / tp / pp. Counted is every collective that the file lists once in each of its groups \
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
         the others are as with ring.\n\
         Source: github.com/aliyun/SimAI (Workload.cc, Layer.cc: bus bandwidth is S*(n-1)/n per time) and \
         github.com/aliyun/aicb (SimAI_training_workload_generator.py)."
    ),
    example: "workload:file=testdata/workloads/gpt-tiny-16.txt",
    params: with_job![
        param("file", "path", "none, with a model", "the workload"),
        param("parts", "all|tp|cp|ep|dp|pp|emb|norm", "all", "what traffic is counted"),
        param("algorithm", "ring|tree", "ring", "how an all-reduce goes"),
        param("chunks", "count", "1", "model chunks in a pipeline stage of a file"),
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
        groups.iter().for_each(|&group| add_collectives(&mut sends, workload, group, all_reduce));
        Demand::new(workload.ranks, Unit::Bytes, sends.entries, sends.blocks)
    };
    Ok(Step {
        tensor: within(&[Tensor])?,
        data: within(&[Data, ExpertData])?,
        pipeline: Demand::new(workload.ranks, Unit::Bytes, handed_on(workload, chunks), Vec::new())?,
        expert: within(&[Expert])?,
    })
}

/// A step of a training job: see the list.
#[derive(Debug, Clone)]
pub struct Training {
    source: Source,
    part: Option<Part>,
    all_reduce: AllReduce,
}

#[derive(Debug, Clone)]
enum Source {
    File { path: String, workload: Workload, chunks: u32 },
    Model(Box<Job>),
}

const WORDS: [&str; 8] = ["all", "tp", "cp", "ep", "dp", "pp", "emb", "norm"];

impl Training {
    /// The step of a workload file: the traffic of all groups, all-reduces around rings, one model chunk a stage.
    ///
    /// # Errors
    /// It cannot be read, or is no workload; with the line.
    pub fn open(path: &str, files: &dyn Files) -> Result<Training> {
        let workload = workload::parse(path, &read_text(files, path)?)?;
        let source = Source::File { path: path.to_string(), workload, chunks: 1 };
        Ok(Training { source, part: None, all_reduce: AllReduce::Ring })
    }

    /// The step of a job by formula: the traffic of all groups, all-reduces around rings.
    pub fn of(job: Job) -> Training {
        Training { source: Source::Model(Box::new(job)), part: None, all_reduce: AllReduce::Ring }
    }

    /// The same with one kind of traffic alone.
    #[must_use]
    pub fn part(mut self, part: Part) -> Training {
        self.part = Some(part);
        self
    }

    /// The same with all-reduces done in another way.
    #[must_use]
    pub fn all_reduce(mut self, all_reduce: AllReduce) -> Training {
        self.all_reduce = all_reduce;
        self
    }

    /// The same with so many model chunks in a pipeline stage of the file.
    ///
    /// # Errors
    /// There are none, or the job is no file's.
    pub fn chunks(mut self, chunks: u32) -> Result<Training> {
        match &mut self.source {
            Source::File { chunks: own, .. } => *own = checked_chunks(chunks)?,
            Source::Model(_) => return Err(only_of_files()),
        }
        Ok(self)
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Training> {
        let path: Option<String> = reader.get("file")?;
        let part = reader.choice("parts", &WORDS)?.checked_sub(1).map(|at| Part::ALL[at]);
        let all_reduce = [AllReduce::Ring, AllReduce::Tree][reader.choice("algorithm", &["ring", "tree"])?];
        // What is wrong with a key is said before the file is read.
        let chunks: Option<u32> = reader.get("chunks")?;
        let chunks_checked = checked_chunks(chunks.unwrap_or(1))?;
        let source = match Job::choose(reader, path)? {
            Ok(job) if chunks.is_none() => Source::Model(Box::new(job)),
            Ok(_) => return Err(only_of_files()),
            Err(path) => {
                let workload = workload::parse(&path, &read_text(context.files, &path)?)?;
                Source::File { path, workload, chunks: chunks_checked }
            }
        };
        Ok(Training { source, part, all_reduce })
    }

    pub(super) fn params(&self) -> Params {
        let algorithm = if self.all_reduce == AllReduce::Tree { "tree" } else { "ring" };
        let params = Params::named(ENTRY.name);
        let params = match &self.source {
            Source::File { path, chunks, .. } => params.with("file", &path[..]).unless("chunks", *chunks, 1),
            Source::Model(job) => job.params(params),
        };
        params.unless("parts", self.part.map_or("all", Part::name), "all").unless("algorithm", algorithm, "ring")
    }

    pub(super) fn make(self) -> Result<Traffic> {
        match self.source {
            Source::File { workload, chunks, .. } => of_file(&workload, self.part, self.all_reduce, chunks),
            Source::Model(job) => model::traffic(&job.step()?, self.part, self.all_reduce),
        }
    }
}

fn only_of_files() -> Error {
    Error::argument("chunks", "`chunks` is for a file").hint("a model has interleave instead")
}

fn of_file(workload: &Workload, part: Option<Part>, all_reduce: AllReduce, chunks: u32) -> Result<Traffic> {
    let step = step(workload, all_reduce, chunks)?;
    let kinds = [
        (Part::Tensor, &step.tensor),
        (Part::Data, &step.data),
        (Part::Pipeline, &step.pipeline),
        (Part::Expert, &step.expert),
    ];
    let moved: Vec<String> =
        kinds.iter().map(|(part, d)| format!("{} {}", part.name(), unit::bytes(d.total()))).collect();
    let mut notes = workload.notes.clone();
    notes.push(format!(
        "a step moves {} (tp {}, dp {}, pp {}, ep {})",
        moved.join(", "),
        workload.tensor,
        workload.data,
        workload.stages,
        workload.expert
    ));
    let chosen = |own: Part| part.is_none_or(|part| part == own);
    let counted: Vec<&Demand> = kinds.iter().filter(|(own, _)| chosen(*own)).map(|(_, demand)| *demand).collect();
    if counted.is_empty() {
        let names = kinds.map(|(part, _)| part.name()).join(", ");
        return Err(Error::argument("parts", format!("a workload file tells {names} apart, no other part")));
    }
    let grid = Grid { sizes: vec![workload.stages, workload.data, workload.tensor], wrap: true };
    let demand = joined(workload.ranks, &counted)?.with_grid(grid);
    let sizes = [workload.tensor, workload.data, workload.stages, workload.expert];
    let all = kinds.iter().zip(sizes).filter(|((own, _), _)| chosen(*own));
    let axis = |((part, demand), ranks): (&(Part, &Demand), u32)| demand::Axis {
        name: part.name().into(),
        ranks,
        demand: (*demand).clone(),
    };
    Ok(Traffic { demand: demand.with_axes(all.map(axis).collect()), notes })
}

/// Several demands of the same ranks at once.
fn joined(ranks: u32, demands: &[&Demand]) -> Result<Demand> {
    let entries = demands.iter().flat_map(|d| d.entries()).copied().collect();
    let blocks = demands.iter().flat_map(|d| d.blocks()).cloned().collect();
    Demand::new(ranks, Unit::Bytes, entries, blocks)
}

fn checked_chunks(chunks: u32) -> Result<u32> {
    match chunks {
        0 => Err(Error::argument("chunks", "no chunks: expected at least 1")),
        n => Ok(n),
    }
}

/// What the collectives of one kind of group send, in all groups of it.
fn add_collectives(sends: &mut Sends, workload: &Workload, group: Group, all_reduce: AllReduce) {
    let mut moved = Moved::default();
    workload.collectives().filter(|c| c.group == group).for_each(|c| match c.operation {
        Operation::AllGather | Operation::ReduceScatter => moved.halves += c.bytes,
        Operation::AllReduce => moved.reduced += c.bytes,
        Operation::AllToAll => moved.exchanged += c.bytes,
    });
    if workload.group(group).1 > 1 {
        workload.groups(group).for_each(|members| sends.add(&members, &moved, all_reduce));
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
