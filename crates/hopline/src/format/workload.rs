//! Text workloads of training jobs, as AICB writes them and SimAI and ASTRA-sim
//! run them: a header, the number of layers, and a line for each layer.
//!
//! ```text
//! HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 2 vpp: 1 ga: 2 all_gpus: 16 ... pp_comm: 4096
//! 2
//! name  -1  time FORWARD bytes  time INPUT_GRADIENT bytes  time WEIGHT_GRADIENT bytes  time
//! ...
//! ```
//!
//! A collective is `NONE`, or `ALLGATHER`, `REDUCESCATTER`, `ALLREDUCE` or
//! `ALLTOALL`, alone or with `_EP` or `_DP_EP` for its group; without, it is
//! tensor parallel in the columns of the forward pass and of input gradients, and
//! data parallel in that of weight gradients. `bytes` is the whole tensor: what
//! an all-gather ends with and a reduce-scatter begins with on every rank.
//! Source: <https://github.com/aliyun/SimAI>, `astra-sim/workload/Workload.cc`
//! (`initialize_workload`) and `Layer.cc` (`compute_busbw`), and
//! <https://github.com/aliyun/aicb>, `SimAI_training_workload_generator.py`.

use super::lines::Lines;
use super::matrix::MAX_TASKS;
use super::words::{amount, quote};
use crate::error::{Result, suggest};

/// A collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Every rank gives its part, all get the whole.
    AllGather,
    /// Every rank gives the whole, each gets a part of the sum.
    ReduceScatter,
    /// Every rank gives the whole, all get the sum.
    AllReduce,
    /// Every rank gives a part to each other.
    AllToAll,
}

/// Which ranks take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Those that share a layer's tensors.
    Tensor,
    /// Those that hold the same weights.
    Data,
    /// Those that share the experts of a layer.
    Expert,
    /// Those that hold the same experts.
    ExpertData,
}

/// A collective of a layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collective {
    /// What it does.
    pub operation: Operation,
    /// In every group of this kind.
    pub group: Group,
    /// Size of the whole tensor.
    pub bytes: f64,
}

/// What a pass of a layer does.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pass {
    /// Computation before the collective, in nanoseconds.
    pub nanos: f64,
    /// The collective, if there is one.
    pub collective: Option<Collective>,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// The forward pass.
    pub forward: Pass,
    /// Gradients of the layer's input.
    pub input: Pass,
    /// Gradients of its weights.
    pub weight: Pass,
    /// The update of its weights, in nanoseconds.
    pub update_nanos: f64,
}

/// What a workload file says. Ranks are numbered as Megatron does by default:
/// tensor parallel fastest, then expert, data and pipeline parallel.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// Ranks in all: `tensor * data * stages`.
    pub ranks: u32,
    /// Size of a tensor-parallel group.
    pub tensor: u32,
    /// Size of an expert-parallel group, a part of a data-parallel one.
    pub expert: u32,
    /// Size of a data-parallel group.
    pub data: u32,
    /// Stages of the pipeline.
    pub stages: u32,
    /// Micro-batches of a step (`ga`): the layers of all of them are listed.
    pub batches: u32,
    /// What a rank hands to the next stage for one micro-batch.
    pub pipeline_bytes: f64,
    /// All layers of a step, those of every micro-batch, in order of the file.
    pub layers: Vec<Layer>,
    /// What the file says beyond that and is left out, one sentence each.
    pub notes: Vec<String>,
}

impl Workload {
    /// All collectives of a step, in order of the file.
    pub fn collectives(&self) -> impl Iterator<Item = &Collective> {
        self.layers.iter().flat_map(|l| [&l.forward, &l.input, &l.weight]).filter_map(|pass| pass.collective.as_ref())
    }

    /// What is between the ranks of a group of this kind, and how many they are.
    pub fn group(&self, group: Group) -> (u32, u32) {
        match group {
            Group::Tensor => (1, self.tensor),
            Group::Expert => (self.tensor, self.expert),
            Group::Data => (self.tensor, self.data),
            Group::ExpertData => (self.tensor * self.expert, self.data / self.expert),
        }
    }

    /// All groups of a kind, each with its ranks ascending.
    pub fn groups(&self, group: Group) -> impl Iterator<Item = Vec<u32>> {
        let (stride, size) = self.group(group);
        let first = (0..self.ranks).filter(move |rank| rank / stride % size == 0);
        first.map(move |first| (0..size).map(|k| first + k * stride).collect())
    }
}

/// Reads a workload: O(text). `path` is for errors.
///
/// # Errors
/// A header that is no workload's, sizes that do not divide, a line that is no
/// layer, or another number of layers than the file says; with the line.
pub fn parse(path: &str, text: &str) -> Result<Workload> {
    let mut lines = Lines::new(path, text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut workload = read_header(&mut lines)?;
    let line = lines.next().unwrap_or_default().trim();
    let expected: u64 = line.parse().map_err(|_| {
        lines.error(format!("found {}, expected the number of layers", quote(line))).hint("it stands alone on line 2")
    })?;
    let mut layers = 0;
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        layers += 1;
        if layers > expected {
            return Err(lines.error(format!("more layers than the {expected} of line 2")));
        }
        workload.layers.push(read_layer(&lines, line)?);
    }
    if layers != expected {
        return Err(lines
            .error(format!("{layers} layers, expected the {expected} of line 2"))
            .hint("is it cut short?"));
    }
    Ok(workload)
}

const POLICIES: [&str; 2] = ["HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER"];

const KEYS: [&str; 10] = [
    "model_parallel_NPU_group",
    "ep",
    "expert_parallel_npu_group",
    "pp",
    "vpp",
    "ga",
    "all_gpus",
    "checkpoints",
    "checkpoint_initiates",
    "pp_comm",
];

fn read_header(lines: &mut Lines<'_>) -> Result<Workload> {
    const HINT: &str = "line 1 is HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 2 vpp: 1 \
                        ga: 16 all_gpus: 128 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 2621440";
    let mut words = lines.next().unwrap_or_default().split_whitespace();
    let policy = words.next().unwrap_or_default();
    if !POLICIES.contains(&policy) {
        return Err(lines.error(format!("found {}, expected {}", quote(policy), POLICIES.join(" or "))).hint(HINT));
    }
    let (mut tensor, mut ranks, mut expert, mut stages, mut batches) = (None, None, 1, 1, 1);
    let (mut pipeline_bytes, mut checkpoints) = (0.0, 0);
    while let Some(word) = words.next() {
        let key = word.trim_end_matches(':');
        let value = words.next().unwrap_or_default();
        match key {
            "model_parallel_NPU_group" => tensor = Some(count(lines, key, value, 1)?),
            "all_gpus" => ranks = Some(count(lines, key, value, 1)?),
            "ep" | "expert_parallel_npu_group" => expert = count(lines, key, value, 1)?,
            "pp" => stages = count(lines, key, value, 1)?,
            "ga" => batches = count(lines, key, value, 1)?,
            "vpp" => drop(count(lines, key, value, 1)?),
            "pp_comm" => pipeline_bytes = amount(lines, value)?,
            "checkpoints" | "checkpoint_initiates" => {
                // So many layers are named after it.
                for _ in 0..count(lines, key, value, 0)? {
                    count(lines, key, words.next().unwrap_or_default(), 0)?;
                    checkpoints += 1;
                }
            }
            _ => {
                let error = lines.error(format!("a workload has no key {}", quote(key)));
                return Err(error.hint(suggest(key, KEYS.into_iter())));
            }
        }
    }
    let missing = |key: &str| lines.error(format!("`{key}` is missing")).hint(HINT);
    let tensor = tensor.ok_or_else(|| missing("model_parallel_NPU_group"))?;
    let ranks = ranks.ok_or_else(|| missing("all_gpus"))?;
    let data = divide(lines, ranks, tensor, "all_gpus", "model_parallel_NPU_group")?;
    let data = divide(lines, data, stages, "all_gpus / model_parallel_NPU_group", "pp")?;
    divide(lines, data, expert, "all_gpus / model_parallel_NPU_group / pp", "ep")?;
    let mut notes = Vec::new();
    if checkpoints > 0 {
        notes.push("what checkpointed layers send again in the backward pass is not counted".to_string());
    }
    if stages > 1 && pipeline_bytes == 0.0 {
        notes.push(format!("{stages} pipeline stages, but no pp_comm: nothing is counted between them"));
    }
    Ok(Workload { ranks, tensor, expert, data, stages, batches, pipeline_bytes, layers: Vec::new(), notes })
}

fn count(lines: &Lines<'_>, key: &str, word: &str, least: u32) -> Result<u32> {
    word.parse().ok().filter(|n| (least..=MAX_TASKS).contains(n)).ok_or_else(|| {
        lines.error(format!("`{key}` is {}, expected a whole number from {least} to {MAX_TASKS}", quote(word)))
    })
}

fn divide(lines: &Lines<'_>, whole: u32, part: u32, what: &str, by: &str) -> Result<u32> {
    if whole.is_multiple_of(part) { whole.checked_div(part) } else { None }
        .ok_or_else(|| lines.error(format!("{what} = {whole} is no multiple of {by} = {part}")))
}

/// One layer's line.
fn read_layer(lines: &Lines<'_>, line: &str) -> Result<Layer> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [name, dependency, t0, forward, b0, t1, input, b1, t2, weight, b2, update] = words[..] else {
        return Err(lines.error(format!("{} columns, expected 12", words.len())).hint(
            "a layer is: name, dependency, then time, collective and bytes of the forward pass, of input gradients \
             and of weight gradients, and the time of the update",
        ));
    };
    if dependency.parse::<i64>().is_err() {
        return Err(lines.error(format!("found {}, expected a layer's number or -1", quote(dependency))));
    }
    let pass = |(time, word, bytes), group| {
        let (nanos, bytes) = (amount(lines, time)?, amount(lines, bytes)?);
        let found = collective(lines, word, group)?;
        Ok(Pass { nanos, collective: found.map(|(operation, group)| Collective { operation, group, bytes }) })
    };
    // The optimizer's all-gather of new weights stands in the forward column,
    // but goes between replicas.
    let forward_group = if name.starts_with("grad_") { Group::Data } else { Group::Tensor };
    Ok(Layer {
        name: name.to_string(),
        forward: pass((t0, forward, b0), forward_group)?,
        input: pass((t1, input, b1), Group::Tensor)?,
        weight: pass((t2, weight, b2), Group::Data)?,
        update_nanos: amount(lines, update)?,
    })
}

fn collective(lines: &Lines<'_>, word: &str, default: Group) -> Result<Option<(Operation, Group)>> {
    let (name, group) = match word.strip_suffix("_EP") {
        Some(name) => name.strip_suffix("_DP").map_or((name, Group::Expert), |name| (name, Group::ExpertData)),
        None => (word, default),
    };
    Ok(Some(match name {
        "NONE" if name == word => return Ok(None),
        "ALLGATHER" => (Operation::AllGather, group),
        "REDUCESCATTER" => (Operation::ReduceScatter, group),
        "ALLREDUCE" => (Operation::AllReduce, group),
        "ALLTOALL" => (Operation::AllToAll, group),
        _ => {
            return Err(lines
                .error(format!("found {}, expected a collective", quote(word)))
                .hint("NONE, ALLGATHER, REDUCESCATTER, ALLREDUCE or ALLTOALL, alone or with _EP or _DP_EP"));
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 3 ga: 4 \
                          all_gpus: 32 checkpoints: 1 7 checkpoint_initiates: 0 pp_comm: 2621440.0";

    #[test]
    fn header_and_layers_are_read() {
        let layers = "grad_norm -1 1 ALLGATHER 100 1 NONE 5 1 REDUCESCATTER 200 100\n\
                      moe\t-1\t1\tALLTOALL_EP\t8\t1\tALLREDUCE\t16\t1\tALLGATHER_DP_EP\t32\t100\n";
        let read = parse("w", &format!("{HEADER}\n2\n{layers}\n")).expect("workload");
        assert_eq!((read.ranks, read.tensor, read.expert, read.data, read.stages, read.batches), (32, 2, 2, 8, 2, 4));
        assert_eq!(read.pipeline_bytes, 2_621_440.0);
        let sent = |operation, group, bytes| Collective { operation, group, bytes };
        assert_eq!((read.layers.len(), read.layers[1].name.as_str(), read.layers[1].update_nanos), (2, "moe", 100.0));
        assert_eq!(
            read.collectives().copied().collect::<Vec<_>>(),
            [
                sent(Operation::AllGather, Group::Data, 100.0),
                sent(Operation::ReduceScatter, Group::Data, 200.0),
                sent(Operation::AllToAll, Group::Expert, 8.0),
                sent(Operation::AllReduce, Group::Tensor, 16.0),
                sent(Operation::AllGather, Group::ExpertData, 32.0),
            ]
        );
        assert_eq!(read.notes, ["what checkpointed layers send again in the backward pass is not counted"]);
        let plain = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 all_gpus: 4 pp_comm 0\n0\n";
        let read = parse("w", plain).expect("without colons and optional keys");
        assert_eq!((read.expert, read.data, read.batches), (1, 1, 1));
        assert_eq!(read.notes, ["2 pipeline stages, but no pp_comm: nothing is counted between them"]);
    }

    #[test]
    fn errors_name_the_line() {
        let text = |layers: &str| format!("{HEADER}\n1\n{layers}");
        let header = |change: (&str, &str)| format!("{}\n0\n", HEADER.replacen(change.0, change.1, 1));
        let layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
        for (text, error) in [
            (String::new(), ": found ``, expected HYBRID_TRANSFORMER_FWD_IN_BCKWD or HYBRID_TRANSFORMER; line 1 is"),
            ("MICRO\n0\n".into(), ":1: found `MICRO`, expected HYBRID"),
            (header(("ep:", "epp:")), ":1: a workload has no key `epp`; did you mean `ep`?"),
            (header(("all_gpus: 32", "")), ":1: `all_gpus` is missing; line 1 is"),
            (header(("32", "30")), ":1: all_gpus / model_parallel_NPU_group = 15 is no multiple of pp = 2"),
            (header(("32", "31")), ":1: all_gpus = 31 is no multiple of model_parallel_NPU_group = 2"),
            (header(("ep: 2", "ep: 3")), ":1: all_gpus / model_parallel_NPU_group / pp = 8 is no multiple of ep = 3"),
            (header(("ga: 4", "ga: 0")), ":1: `ga` is `0`, expected a whole number from 1 to 4194304"),
            (header(("1 7", "2 7")), ":1: `checkpoints` is `checkpoint_initiates:`, expected a whole number from 0"),
            (header(("2621440.0", "")), ":1: found ``, expected an amount from 0 to 1e30"),
            (HEADER.to_string(), ":1: found ``, expected the number of layers; it stands alone on line 2"),
            (text(""), ":2: 0 layers, expected the 1 of line 2; is it cut short?"),
            (text(&layer.repeat(2)), ":4: more layers than the 1 of line 2"),
            (text("a -1 1 NONE 0 1 NONE 0 1 NONE 0"), ":3: 11 columns, expected 12; a layer is: name, dependency"),
            (text(&layer.replace("-1", "x")), ":3: found `x`, expected a layer's number or -1"),
            (text(&layer.replace(" 1 NONE 0 1\n", " t NONE 0 1\n")), ":3: found `t`, expected an amount"),
            (text(&layer.replacen("NONE 0", "NONE -1", 1)), ":3: found `-1`, expected an amount from 0 to 1e30"),
            (
                text(&layer.replacen("NONE", "NONE_EP", 1)),
                ":3: found `NONE_EP`, expected a collective; NONE, ALLGATHER",
            ),
            (text(&layer.replacen("NONE", "ALLGATHER_TP", 1)), ":3: found `ALLGATHER_TP`, expected a collective"),
        ] {
            let found = parse("w", &text).expect_err(error).to_string();
            assert!(found.starts_with(&format!("w{error}")), "{found}\nexpected {error}");
        }
    }
}
