//! What does not fit together, with the reason: what Megatron-LM refuses, and what would not divide.

use super::job::{Exchange, Job, Rules, refused};
use super::layout::{Layout, Sizes};
use crate::error::Result;

pub(super) fn fits(job: &Job) -> Result<()> {
    Layout::new(job.sizes, &job.order)?;
    job.model.check()?;
    numbers(job)?;
    countable(job)?;
    batches(job)?;
    match job.rules {
        Rules::Megatron => megatron(job),
        Rules::Aicb => aicb(job),
    }
}

fn numbers(job: &Job) -> Result<()> {
    const MOST: u64 = 1 << 24;
    for (key, number) in [("micro", job.micro), ("seq", job.seq), ("interleave", u64::from(job.chunks))] {
        if !(1..=MOST).contains(&number) {
            return Err(refused(key, format!("`{key}` is {number}, expected 1 to {MOST}")));
        }
    }
    if !(1..=1 << 31).contains(&job.global) {
        return Err(refused("global", format!("`global` is {}, expected 1 to 2^31", job.global)));
    }
    if job.micro * job.seq > 1 << 30 {
        return Err(refused("seq", format!("{} tokens in a micro-batch, expected at most 2^30", job.micro * job.seq)));
    }
    if ![2, 4].contains(&job.grads) {
        return Err(refused("grads", format!("`grads` is {}, expected 2 or 4 bytes", job.grads)));
    }
    if job.zero > 3 {
        return Err(refused("zero", format!("`zero` is {}, expected 0 to 3", job.zero)));
    }
    match job.capacity {
        Some(c) if !(c > 0.0 && c <= 1e6) => {
            Err(refused("capacity", format!("`capacity` is {c}, expected more than 0")))
        }
        Some(_) if job.model.experts == 0 => {
            Err(refused("capacity", "experts have a capacity, but there are none").hint("give experts"))
        }
        _ => Ok(()),
    }
}

/// Bytes and parameters of a rank are counted in 64 bits.
fn countable(job: &Job) -> Result<()> {
    let (m, most) = (&job.model, 2f64.powi(60));
    let [h, ffn, expert_ffn] = [m.hidden, m.ffn, m.expert_ffn].map(|n| n as f64);
    let experts = (m.experts + m.shared_experts) as f64;
    let attention = h * h + (m.heads * (512 + m.kv_heads)) as f64 * h;
    let layer = 4.0 * attention + 3.0 * h * ffn + 3.0 * h * expert_ffn * experts;
    let parameters = f64::from(m.layers) * layer + (m.vocab as f64 + job.seq as f64 + 1e9) * h;
    let copies = m.topk.max(1) as f64 * job.capacity.unwrap_or(1.0).max(1.0) + m.experts as f64;
    let activations = (job.micro * job.seq) as f64 * copies * (h + m.heads as f64) * f64::from(job.sizes.expert_tensor);
    if 8.0 * parameters > most || 1024.0 * activations > most {
        return Err(
            refused("hidden", "a model or a batch of more bytes than can be counted").hint("choose smaller sizes")
        );
    }
    Ok(())
}

fn batches(job: &Job) -> Result<()> {
    let each = job.micro * u64::from(job.sizes.data);
    let whole = job.global.is_multiple_of(each);
    if job.global < each || (!whole && job.rules == Rules::Megatron) {
        let text =
            format!("{} sequences a step are no multiple of micro*dp = {}*{}", job.global, job.micro, job.sizes.data);
        return Err(refused("global", text).hint("every data-parallel rank has as many micro-batches"));
    }
    Ok(())
}

/// `what` of a model is split into so many parts.
fn divides(key: &'static str, what: &str, whole: u64, by: &str, parts: u64) -> Result<()> {
    if whole.is_multiple_of(parts) {
        return Ok(());
    }
    Err(refused(key, format!("{what} = {whole} is no multiple of {by} = {parts}")))
}

fn megatron(job: &Job) -> Result<()> {
    let (model, sizes) = (&job.model, job.sizes);
    let Sizes { tensor, context, expert, expert_tensor, stages, .. } = sizes;
    let (tensor, context) = (u64::from(tensor), u64::from(context));
    divides("heads", "hidden", model.hidden, "heads", model.heads)?;
    divides("tp", "heads", model.heads, "tp", tensor)?;
    if !model.kv_heads.is_multiple_of(tensor) && !tensor.is_multiple_of(model.kv_heads) {
        return Err(refused("tp", format!("{} heads of keys and values over tp = {tensor}", model.kv_heads))
            .hint("one of them must be a multiple of the other"));
    }
    divides("tp", "ffn", model.ffn, "tp", tensor)?;
    if job.sequence_parallel && tensor > 1 {
        divides("seq", "seq / cp", job.seq / context, "tp", tensor).map_err(|e| {
            e.hint("sequence parallelism splits a sequence among tensor-parallel ranks: sp=false does not")
        })?;
    }
    if context > 1 {
        divides("seq", "seq", job.seq, "2*cp", 2 * context).map_err(|e| {
            e.hint("each rank has one part of the beginning and one of the end, so that causal work is even")
        })?;
    }
    if job.exchange == Exchange::AllToAll {
        divides("cp", "heads / tp", model.heads / tensor, "cp", context)?;
    }
    experts(job, u64::from(expert), u64::from(expert_tensor))?;
    layers(job, stages)?;
    if let Some(shards) = job.shards {
        let replicas = sizes.data.saturating_mul(sizes.context);
        if job.zero != 3 {
            return Err(refused("fsdp", format!("replicas share weights only with zero=3, not {}", job.zero)));
        }
        if shards == 0 || !replicas.is_multiple_of(shards) {
            return Err(refused("fsdp", format!("dp*cp = {replicas} is no multiple of fsdp = {shards}")));
        }
    }
    Ok(())
}

fn experts(job: &Job, expert: u64, expert_tensor: u64) -> Result<()> {
    let model = &job.model;
    if model.experts == 0 {
        return match expert {
            1 => Ok(()),
            n => {
                Err(refused("ep", format!("{n} expert-parallel ranks of a model without experts")).hint("give experts"))
            }
        };
    }
    divides("ep", "experts", model.experts, "ep", expert)?;
    divides("etp", "expert_ffn", model.expert_ffn, "etp", expert_tensor)?;
    if job.sizes.tensor > 1 && !job.sequence_parallel {
        return Err(refused("sp", "experts with tensor parallelism need sequence parallelism")
            .hint("Megatron-LM refuses it otherwise: leave sp=true"));
    }
    Ok(())
}

fn layers(job: &Job, stages: u32) -> Result<()> {
    let layers = job.model.layers;
    if job.chunks == 1 {
        return split(layers, stages).map(|_| ()).ok_or_else(|| {
            refused("pp", format!("{layers} layers in {stages} stages: no whole number each"))
                .hint("they divide, or do with one layer less in the last stage, or in the first and the last")
        });
    }
    if stages == 1 {
        return Err(refused("interleave", format!("{} chunks a stage, but no pipeline", job.chunks))
            .hint("interleaving needs pp=2 or more"));
    }
    let parts = u64::from(stages) * u64::from(job.chunks);
    divides("interleave", "layers", u64::from(layers), "pp*interleave", parts)?;
    divides("global", "micro-batches", u64::from(job.micro_batches()), "pp", u64::from(stages))
        .map_err(|e| e.hint("the interleaved schedule takes as many micro-batches at a time as there are stages"))
}

/// Layers of the first, an inner and the last stage. Where they do not divide, the head counts as a layer, and then the
/// embedding as well: Megatron-LM's `account_for_loss_in_pipeline_split` and `account_for_embedding_in_pipeline_split`.
pub(super) fn split(layers: u32, stages: u32) -> Option<[u32; 3]> {
    let each = |more: u32| layers.checked_add(more).filter(|n| n.is_multiple_of(stages)).map(|n| n / stages);
    let (even, loss, both) = (each(0), each(1), each(2));
    match (even, loss, both) {
        (Some(0), _, _) => None,
        (Some(n), _, _) => Some([n, n, n]),
        (_, Some(n), _) if n > 1 => Some([n, n, n - 1]),
        (_, _, Some(n)) if n > 1 => Some([n - 1, n, n - 1]),
        _ => None,
    }
}

fn aicb(job: &Job) -> Result<()> {
    let (model, sizes) = (&job.model, job.sizes);
    let only = "AICB's rules have only tp, pp, dp and ep with zero=1";
    let others = [
        ("cp", sizes.context > 1),
        ("etp", sizes.expert_tensor != sizes.tensor),
        ("zero", job.zero != 1),
        ("fsdp", job.shards.is_some()),
        ("interleave", job.chunks != 1),
        ("capacity", job.capacity.is_some()),
        ("reduce", job.reduce_each),
    ];
    if let Some((key, _)) = others.into_iter().find(|(_, given)| *given) {
        return Err(refused(key, format!("{only}, not {key}")).hint("rules=megatron has it"));
    }
    let tensor = u64::from(sizes.tensor);
    divides("tp", "hidden", model.hidden, "tp", tensor)?;
    divides("tp", "ffn", model.ffn, "tp", tensor)?;
    if model.layers < sizes.stages {
        return Err(refused("pp", format!("{} layers in {} stages", model.layers, sizes.stages)));
    }
    match model.experts {
        0 => Ok(()),
        n => divides("ep", "experts", n, "ep", u64::from(sizes.expert)),
    }
}
