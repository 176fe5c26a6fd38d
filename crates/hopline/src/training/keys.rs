//! The keys of a job, shared by its traffic and its schedule.

use crate::entry::{Param, param};
use crate::error::Result;
use crate::params::Reader;

/// The keys of an entry, then those of a job.
macro_rules! with_job {
    ($($own:expr),* $(,)?) => {
        &[$($own,)*
            $crate::training::keys::MODEL, $crate::training::keys::HIDDEN, $crate::training::keys::LAYERS,
            $crate::training::keys::HEADS, $crate::training::keys::KV_HEADS, $crate::training::keys::FFN,
            $crate::training::keys::GATED, $crate::training::keys::VOCAB, $crate::training::keys::TIED,
            $crate::training::keys::LEARNED, $crate::training::keys::EXPERTS, $crate::training::keys::TOPK,
            $crate::training::keys::EXPERT_FFN, $crate::training::keys::DENSE_LAYERS,
            $crate::training::keys::SHARED_EXPERTS, $crate::training::keys::TP, $crate::training::keys::PP,
            $crate::training::keys::DP, $crate::training::keys::EP, $crate::training::keys::ETP,
            $crate::training::keys::CP, $crate::training::keys::MICRO, $crate::training::keys::GLOBAL,
            $crate::training::keys::SEQ, $crate::training::keys::SP, $crate::training::keys::ZERO,
            $crate::training::keys::FSDP, $crate::training::keys::REDUCE, $crate::training::keys::GRADS,
            $crate::training::keys::INTERLEAVE, $crate::training::keys::RECOMPUTE, $crate::training::keys::CAPACITY,
            $crate::training::keys::CP_COMM, $crate::training::keys::ORDER, $crate::training::keys::RULES,
        ]
    };
}
pub(crate) use with_job;

pub(crate) const MODEL: Param =
    param("model", "name", "none", "gpt-13b, gpt3-175b, llama3-8b, -70b or -405b, mixtral-8x7b or deepseek-v3");
pub(crate) const HIDDEN: Param =
    param("hidden", "count", "the model's", "width of an activation; a shape without a name begins with it");
pub(crate) const LAYERS: Param = param("layers", "count", "the model's", "transformer layers");
pub(crate) const HEADS: Param = param("heads", "count", "the model's, or hidden/128", "heads of queries");
pub(crate) const KV_HEADS: Param = param("kv_heads", "count", "the model's, or heads", "heads of keys and values");
pub(crate) const FFN: Param = param("ffn", "count", "the model's, or 4*hidden", "width of an MLP");
pub(crate) const GATED: Param =
    param("gated", "true|false", "the model's, or false", "three matrices in an MLP, and norms without a bias");
pub(crate) const VOCAB: Param = param("vocab", "count", "the model's, or 50257", "words, before padding");
pub(crate) const TIED: Param =
    param("tied", "true|false", "the model's, or true", "the head has the embedding's weights");
pub(crate) const LEARNED: Param =
    param("learned", "true|false", "false", "positions are learned: seq*hidden parameters more");
pub(crate) const EXPERTS: Param = param("experts", "count", "the model's, or 0", "experts of a layer");
pub(crate) const TOPK: Param = param("topk", "count", "the model's, or 2", "experts that a token goes to");
pub(crate) const EXPERT_FFN: Param = param("expert_ffn", "count", "the model's, or ffn", "width of one expert");
pub(crate) const DENSE_LAYERS: Param =
    param("dense_layers", "count", "the model's, or 0", "layers at the beginning without experts");
pub(crate) const SHARED_EXPERTS: Param =
    param("shared_experts", "count", "the model's, or 0", "experts that every token goes to");
pub(crate) const TP: Param = param("tp", "count", "1", "tensor-parallel ranks");
pub(crate) const PP: Param = param("pp", "count", "1", "pipeline stages");
pub(crate) const DP: Param = param("dp", "count", "1", "data-parallel ranks");
pub(crate) const EP: Param = param("ep", "count", "1", "expert-parallel ranks, a part of tp*cp*dp");
pub(crate) const ETP: Param = param("etp", "count", "tp", "tensor-parallel ranks of an expert");
pub(crate) const CP: Param = param("cp", "count", "1", "context-parallel ranks");
pub(crate) const MICRO: Param = param("micro", "count", "1", "sequences of a micro-batch");
pub(crate) const GLOBAL: Param = param("global", "count", "micro*dp*pp", "sequences of a step");
pub(crate) const SEQ: Param = param("seq", "count", "the model's, or 2048", "tokens of a sequence");
pub(crate) const SP: Param = param("sp", "true|false", "true", "sequence parallelism between tensor-parallel ranks");
pub(crate) const ZERO: Param = param(
    "zero",
    "0|1|2|3",
    "1, with fsdp= 3",
    "what replicas share: nothing, optimizer states, gradients too, weights too",
);
pub(crate) const FSDP: Param = param("fsdp", "count", "dp*cp", "neighbouring replicas that share weights with zero=3");
pub(crate) const REDUCE: Param =
    param("reduce", "step|micro", "step", "gradients are reduced once a step, or for every micro-batch");
pub(crate) const GRADS: Param = param("grads", "2|4", "4", "bytes of a gradient");
pub(crate) const INTERLEAVE: Param = param("interleave", "count", "1", "model chunks in a pipeline stage");
pub(crate) const RECOMPUTE: Param = param(
    "recompute",
    "none|selective|full",
    "none",
    "what the backward pass computes again: nothing, attention, layers",
);
pub(crate) const CAPACITY: Param =
    param("capacity", "number", "none", "experts take this many times their fair share of tokens, padded");
pub(crate) const CP_COMM: Param =
    param("cp_comm", "p2p|all-gather|a2a", "p2p", "how context-parallel ranks exchange keys and values");
pub(crate) const ORDER: Param =
    param("order", "axes", "tp-cp-ep-dp-pp", "how ranks are numbered, the fastest axis first");
pub(crate) const RULES: Param = param("rules", "megatron|aicb", "megatron", "whose collectives are counted");

/// Every key of a job.
pub(super) const KEYS: &[Param] = with_job![];

/// `true` or `false`, or 1 or 0.
pub(super) fn flag(reader: &Reader, key: &str, default: bool) -> Result<bool> {
    match reader.get::<String>(key)?.as_deref() {
        None => Ok(default),
        Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        Some(other) => Err(reader.wrong(key, format!("`{key}` is `{other}`, expected true or false"))),
    }
}

/// What the formulas are, for both entries.
macro_rules! formulas {
    () => {
        "Letters: b = micro sequences of s tokens, h = hidden, V = vocab padded to a multiple of 128*tp, k = topk of E experts; \
         m = global/(b*dp) micro-batches; S = 2*b*s/cp*h bytes, one activation in bf16. Groups of n move S*(n-1)/n a rank for \
         an all-gather (AG), reduce-scatter (RS) or all-to-all (A2A), twice that for an all-reduce (AR). Megatron's rules, \
         for each micro-batch and layer unless said: tp with sp: forward 2 AG and 2 RS of S, backward 4 AG and 2 RS; without: \
         2 AR and 2 AR. First stage: RS forward and AG backward, without sp AR. Head: AG, and AG and RS backward, without sp \
         AR backward; loss: 3 AR of 4*b*s/cp. Experts: 4 A2A among ep ranks of X = 2*b*s/cp/tp*h*k a rank, \
         with capacity=c of X = 2*h*E*ceil(b*s/cp/tp*k/E*c), to every expert alike; 2 AG and 2 RS of etp*X among etp > 1 ranks. cp, KV = 2*b*s/cp*(keys and values of a rank): p2p: \
         (cp-1)*KV to the next rank forward, (2*cp-1)*KV to the one before backward; all-gather: AG of cp*KV, RS backward; \
         a2a: 4 A2A (queries, keys, values, output) both ways. pp: S, with sp S/tp, m*(pp*interleave-1) times each way, with chunks \
         from the last stage to the first. dp over dp*cp ranks once a step, P parameters of the rank: zero=0: AR of grads*P; 1 and 2: \
         RS of grads*P, AG of 2*P; 3: AG of 2*P twice each micro-batch, RS; fsdp=F: the same among F neighbours, then AR of \
         grads*P/F. Experts have their own replicas, world/(etp*ep*pp) of them. emb: AR of grads*V/tp*h between first and last stage \
         where tied. norm: AR of grads of norms in the tp group with sp. recompute=full: forward collectives once more backward; \
         selective: those of cp. P: (2+2*kv_heads/heads)*h*h of attention, 2*h*ffn of an MLP, 3 gated, over tp; E/ep experts; router \
         h*E; norms; V*h/tp first, and last. Biases of linear layers are not counted. Latent attention has its own P, but \
         counts in tp like any other.\n\
         rules=aicb counts what AICB's generator (without a profile) writes. Differences: (a) with sp no collectives backward \
         in layers; (b) AR of 2*vocab*h in the tp group every micro-batch; (c) without sp AR of 2*P there once; (d) P has the \
         word embedding 4 times and in every stage, learned positions, no grouped queries, no third matrix of an MLP, a head only with \
         sp; (e) loss once a step, nothing of the head backward; (f) experts in dp and among their replicas; (g) no emb; (h) \
         without sp an AR of S backward in the embedding, in every stage; (i) layers/pp rounded down.\n\
         Source: Megatron-LM (parallel_state.py, schedules.py, token_dispatcher.py, finalize_model_grads.py, cross_entropy.py), \
         arXiv 1909.08053 section 3, 2205.05198 section 4.2, 1910.02054 section 7; TransformerEngine context_parallel.py; \
         github.com/aliyun/aicb."
    };
}
pub(crate) use formulas;
