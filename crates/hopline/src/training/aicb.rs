//! What AICB's generator writes into a workload file where it has no profile, and how that differs from Megatron-LM.

use super::job::{Job, Recompute, Rules};
use super::layout::{Axis, Group, Layout};
use super::step::{Block, Call, Part, Step, What, When};
use crate::format::workload::Operation::{self, AllGather, AllReduce, AllToAll, ReduceScatter};
use crate::unit;

fn call(part: Part, group: Group, operation: Operation, bytes: u64) -> (Part, Call) {
    (part, Call { group, what: What::Collective(operation), bytes })
}

fn tensor(operation: Operation, bytes: u64) -> (Part, Call) {
    call(Part::Tensor, Group::Tensor, operation, bytes)
}

pub(super) fn step(job: &Job, layout: Layout) -> Step {
    let stages = layout.size(Axis::Pipeline);
    let layers = job.model.layers / stages;
    let mut blocks = Vec::new();
    for stage in 0..stages {
        let mut push = |name, when, times, calls| blocks.push(Block { name, calls, when, stage, chunk: 0, times });
        push("embedding", When::Forward, 1, embedding(job));
        push("layer", When::Forward, layers, forward(job));
        push("head", When::Forward, 1, head(job));
        push("layer", When::Backward, layers, backward(job));
        push("embedding", When::Backward, 1, embedding(job));
        push("gradients", When::End, 1, end(job, layers));
    }
    for block in &mut blocks {
        block.calls.retain(|(_, call)| call.bytes > 0 && layout.members(call.group) > 1);
    }
    blocks.retain(|block| block.times > 0 && !block.calls.is_empty());
    let handed = if stages > 1 { job.handed() } else { 0 };
    let mut step = Step { micro_batches: job.micro_batches(), chunks: 1, handed, blocks, notes: Vec::new(), layout };
    step.notes = differences(job, &step);
    step
}

/// With sequence parallelism neither direction of the embedding is listed; without, both are.
fn embedding(job: &Job) -> Vec<(Part, Call)> {
    if job.sequence_parallel { Vec::new() } else { vec![tensor(AllReduce, job.activation())] }
}

fn has_experts(job: &Job) -> bool {
    job.model.experts > 0 && job.sequence_parallel
}

fn forward(job: &Job) -> Vec<(Part, Call)> {
    let s = job.activation();
    let attention = if job.recompute == Recompute::None { s } else { 2 * s };
    let mut calls = match job.sequence_parallel {
        true => vec![tensor(AllGather, attention), tensor(ReduceScatter, attention)],
        false => vec![tensor(AllReduce, attention)],
    };
    if has_experts(job) {
        let (ep, tp) = (u64::from(job.sizes.expert), u64::from(job.sizes.tensor));
        calls.push(tensor(AllGather, 2 * ep * job.model.experts * tp));
        calls.extend(experts(job, [AllGather, ReduceScatter]));
    } else if job.model.experts == 0 {
        match job.sequence_parallel {
            true => calls.extend([tensor(AllGather, s), tensor(ReduceScatter, s)]),
            false => calls.push(tensor(AllReduce, s)),
        }
    }
    calls
}

fn experts(job: &Job, within: [Operation; 2]) -> Vec<(Part, Call)> {
    let s = job.activation() * job.model.topk;
    let exchange = call(Part::Expert, Group::Expert, AllToAll, s / u64::from(job.sizes.tensor));
    vec![exchange, tensor(within[0], s), tensor(within[1], s), exchange]
}

fn backward(job: &Job) -> Vec<(Part, Call)> {
    let s = job.activation();
    match (job.sequence_parallel, job.model.experts) {
        (true, 0) => Vec::new(),
        (true, _) => experts(job, [ReduceScatter, AllGather]),
        (false, 0) => vec![tensor(AllReduce, s); 2],
        (false, _) => vec![tensor(AllReduce, s)],
    }
}

fn head(job: &Job) -> Vec<(Part, Call)> {
    let column = if job.sequence_parallel { vec![tensor(AllGather, job.activation())] } else { Vec::new() };
    [column, vec![tensor(AllReduce, 2 * job.model.vocab * job.model.hidden)]].concat()
}

/// Parameters of a rank.
struct Parameters {
    all: u64,
    /// Those of experts among them.
    experts: u64,
}

fn parameters(job: &Job, layers: u32) -> Parameters {
    let (m, tp, layers) = (&job.model, u64::from(job.sizes.tensor), u64::from(layers));
    let h = m.hidden;
    let words = m.padded_vocab(tp) / tp * h;
    let embedding = 4 * words + job.seq * h;
    let mlp = if m.experts == 0 { 2 * h * (m.ffn / tp) } else { 0 };
    let (norms, head) = if job.sequence_parallel { (2 * h, words) } else { (0, 0) };
    let local = m.experts / u64::from(job.sizes.expert);
    let experts = if has_experts(job) { layers * 2 * h * (m.expert_ffn * local / tp) } else { 0 };
    Parameters { all: layers * (4 * h * (h / tp) + mlp + norms) + embedding + head + experts, experts }
}

fn end(job: &Job, layers: u32) -> Vec<(Part, Call)> {
    let Parameters { all, experts } = parameters(job, layers);
    let data = |group, operation, bytes| call(Part::Data, group, operation, bytes);
    let mut calls = vec![data(Group::Replicas, ReduceScatter, 4 * all), data(Group::Replicas, AllGather, 2 * all)];
    if job.sizes.expert != job.sizes.data {
        calls.push(data(Group::ExpertReplicas, AllGather, 2 * experts));
        calls.push(data(Group::ExpertReplicas, ReduceScatter, 4 * experts));
    }
    if !job.sequence_parallel {
        calls.push(tensor(AllReduce, 2 * all));
    }
    calls.extend(vec![tensor(AllReduce, 4 * job.tokens()); 3]);
    calls.extend(vec![tensor(AllReduce, 4); 4]);
    calls
}

/// What Megatron-LM's rules come to, and why they differ.
fn differences(job: &Job, step: &Step) -> Vec<String> {
    let mut other = job.clone();
    other.rules = Rules::Megatron;
    let megatron = match other.step() {
        Ok(step) => step,
        Err(e) => return vec![format!("Megatron-LM refuses this job: {}", e.message())],
    };
    let differ = Part::ALL.into_iter().filter(|&part| step.bytes(part) != megatron.bytes(part));
    let sentence = |part: Part| {
        let [ours, theirs] = [step, &megatron].map(|step| unit::bytes(step.bytes(part) as f64));
        format!("{}: {ours} by AICB's rules, {theirs} by Megatron's: {}", part.name(), reasons(job, part).join("; "))
    };
    differ.map(sentence).collect()
}

/// Differences of the formulas that this job meets.
fn reasons(job: &Job, part: Part) -> Vec<&'static str> {
    let (m, sizes, sp) = (&job.model, job.sizes, job.sequence_parallel);
    let experts = m.experts > 0;
    let uneven = !m.layers.is_multiple_of(sizes.stages);
    let all: &[(bool, Part, &'static str)] = &[
        (sp && !experts, Part::Tensor, "no collectives in the backward pass of layers (4 of 10 are counted)"),
        (sp && experts, Part::Tensor, "no collectives of attention in the backward pass"),
        (sp && experts, Part::Tensor, "an all-gather of the router's choices that Megatron does not have"),
        (!sp && experts, Part::Tensor, "no collectives of experts without sequence parallelism"),
        (m.shared_experts > 0, Part::Tensor, "no shared experts"),
        (m.dense_layers > 0, Part::Tensor, "experts in every layer"),
        (m.dense_layers > 0, Part::Expert, "experts in every layer"),
        (!sp && experts, Part::Expert, "no exchange of tokens without sequence parallelism"),
        (true, Part::Tensor, "an all-reduce of 2*vocab*hidden bytes in every micro-batch that Megatron does not have"),
        (!sp, Part::Tensor, "an all-reduce of 2 bytes a parameter once a step that Megatron does not have"),
        (!sp, Part::Tensor, "the embedding's all-reduce in every stage, and backward as well"),
        (true, Part::Tensor, "the loss once a step instead of once a micro-batch, and no head in the backward pass"),
        (true, Part::Data, "the word embedding four times and in every stage"),
        (!m.learned, Part::Data, "learned positions that the model does not have"),
        (m.learned && sizes.stages > 1, Part::Data, "learned positions in every stage"),
        (m.kv_heads != m.heads && m.latent.is_none(), Part::Data, "attention without grouped queries"),
        (m.latent.is_some(), Part::Data, "attention that is not latent"),
        (m.gated, Part::Data, "MLPs of two matrices"),
        (!m.gated || !sp, Part::Data, if sp { "norms without a bias" } else { "no norms" }),
        (sp && sizes.stages > 1, Part::Data, "a head in every stage"),
        (sp && sizes.stages == 1 && m.tied, Part::Data, "a head of its own beside the embedding that it is tied to"),
        (!sp && (sizes.stages > 1 || !m.tied), Part::Data, "no head without sequence parallelism"),
        (
            sp && experts,
            Part::Data,
            "parameters of experts over all data-parallel ranks, and among their replicas as well",
        ),
        (!sp && experts, Part::Data, "no parameters of experts without sequence parallelism"),
        (m.shared_experts > 0, Part::Data, "no shared experts"),
        (experts, Part::Data, "no router"),
        (uneven, Part::Tensor, "layers per stage rounded down"),
        (uneven, Part::Data, "layers per stage rounded down"),
        (uneven, Part::Expert, "layers per stage rounded down"),
        (uneven, Part::Norm, "layers per stage rounded down"),
        (true, Part::Embedding, "no all-reduce of the word embedding tied to the head"),
        (true, Part::Norm, "no all-reduce of the gradients of norms"),
    ];
    all.iter().filter(|(holds, own, _)| *holds && *own == part).map(|(_, _, reason)| *reason).collect()
}
