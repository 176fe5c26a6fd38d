//! A job as it is written: a model, sizes of groups, batches, options.

use super::layout::{ORDER, Sizes};
use super::model::Model;
use crate::error::Error;
use crate::params::Params;

/// Whose collectives are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// What Megatron-LM does.
    Megatron,
    /// What AICB's generator writes into workload files.
    Aicb,
}

/// What the backward pass computes again instead of keeping it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recompute {
    /// Nothing.
    None,
    /// The inside of attention.
    Selective,
    /// Whole layers.
    Full,
}

/// How context-parallel ranks exchange keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// From one to the next around a ring.
    Ring,
    /// All-gathered.
    AllGather,
    /// Heads for sequences, by all-to-alls.
    AllToAll,
}

pub(super) const RULES: [(Rules, &str); 2] = [(Rules::Megatron, "megatron"), (Rules::Aicb, "aicb")];
pub(super) const RECOMPUTE: [(Recompute, &str); 3] =
    [(Recompute::None, "none"), (Recompute::Selective, "selective"), (Recompute::Full, "full")];
pub(super) const EXCHANGE: [(Exchange, &str); 3] =
    [(Exchange::Ring, "p2p"), (Exchange::AllGather, "all-gather"), (Exchange::AllToAll, "a2a")];

/// A training job: see the [module](super). What does not fit together is refused by [`Job::step`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Job {
    /// The model.
    pub model: Model,
    pub(super) name: Option<String>,
    /// Ranks along each axis.
    pub sizes: Sizes,
    /// How ranks are numbered: axes with `-` between, the fastest first.
    pub order: String,
    /// Sequences of a micro-batch.
    pub micro: u64,
    /// Sequences of a step.
    pub global: u64,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Whether activations between tensor-parallel parts are split along the sequence.
    pub sequence_parallel: bool,
    /// What replicas share: 0 nothing, 1 optimizer states, 2 gradients too, 3 weights too.
    pub zero: u32,
    /// Neighbouring replicas that share weights with `zero` 3; `None` for all.
    pub shards: Option<u32>,
    /// Whether gradients are reduced for every micro-batch.
    pub reduce_each: bool,
    /// Bytes of a gradient.
    pub grads: u64,
    /// Model chunks of a pipeline stage.
    pub chunks: u32,
    /// What is computed again.
    pub recompute: Recompute,
    /// Tokens that experts take, padded, as a multiple of a fair share; `None` for as many as come.
    pub capacity: Option<f64>,
    /// How context-parallel ranks exchange keys and values.
    pub exchange: Exchange,
    /// Whose collectives are counted.
    pub rules: Rules,
}

impl Job {
    /// A model on one rank, with one sequence a step; fields say more.
    pub fn new(model: Model) -> Job {
        Job {
            seq: model.seq,
            model,
            name: None,
            sizes: Sizes { tensor: 1, context: 1, expert: 1, expert_tensor: 1, data: 1, stages: 1 },
            order: ORDER.to_string(),
            micro: 1,
            global: 1,
            sequence_parallel: true,
            zero: 1,
            shards: None,
            reduce_each: false,
            grads: 4,
            chunks: 1,
            recompute: Recompute::None,
            capacity: None,
            exchange: Exchange::Ring,
            rules: Rules::Megatron,
        }
    }

    /// Writes its keys, without what has its default.
    pub(crate) fn params(&self, params: Params) -> Params {
        let Sizes { tensor, context, expert, expert_tensor, data, stages } = self.sizes;
        let word =
            |list: &[(Recompute, &'static str)]| list.iter().find(|r| r.0 == self.recompute).map_or("none", |r| r.1);
        let exchange = EXCHANGE.iter().find(|e| e.0 == self.exchange).map_or("p2p", |e| e.1);
        let params = self
            .model
            .params(self.name.as_deref(), params)
            .unless("tp", tensor, 1)
            .unless("pp", stages, 1)
            .unless("dp", data, 1)
            .unless("ep", expert, 1)
            .unless("etp", expert_tensor, tensor)
            .unless("cp", context, 1)
            .unless("micro", self.micro, 1)
            .with("global", self.global)
            .unless("seq", self.seq, self.model.seq)
            .unless("sp", self.sequence_parallel, true)
            .unless("zero", self.zero, if self.shards.is_some() { 3 } else { 1 })
            .maybe("fsdp", self.shards)
            .unless("reduce", if self.reduce_each { "micro" } else { "step" }, "step")
            .unless("grads", self.grads, 4)
            .unless("interleave", self.chunks, 1)
            .unless("recompute", word(&RECOMPUTE), "none")
            .maybe("capacity", self.capacity)
            .unless("cp_comm", exchange, "p2p");
        let rules = if self.rules == Rules::Aicb { "aicb" } else { "megatron" };
        params.unless("order", &self.order[..], ORDER).unless("rules", rules, "megatron")
    }

    /// Micro-batches of a step.
    pub(super) fn micro_batches(&self) -> u32 {
        (self.global / (self.micro * u64::from(self.sizes.data))) as u32
    }

    /// Tokens of a micro-batch on one context-parallel rank.
    pub(super) fn tokens(&self) -> u64 {
        self.micro * self.seq / u64::from(self.sizes.context)
    }

    /// Bytes of one activation.
    pub(super) fn activation(&self) -> u64 {
        2 * self.tokens() * self.model.hidden
    }

    /// What a rank hands to the next stage.
    pub(super) fn handed(&self) -> u64 {
        if self.sequence_parallel { self.activation() / u64::from(self.sizes.tensor) } else { self.activation() }
    }
}

/// An error about a key of the job.
pub(super) fn refused(key: &'static str, text: impl Into<String>) -> Error {
    Error::argument(key, text)
}
