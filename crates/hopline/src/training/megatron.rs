//! The collectives of Megatron-LM: the formulas of `hopline explain workload`.

use super::check::split;
use super::job::{Exchange, Job, Recompute};
use super::layout::{Axis, Group, Layout};
use super::step::{Block, Call, Part, Step, What, When};
use crate::format::workload::Operation::{self, AllGather, AllReduce, AllToAll, ReduceScatter};

type Calls = Vec<(Part, Call)>;

fn call(part: Part, group: Group, operation: Operation, bytes: u64) -> (Part, Call) {
    (part, Call { group, what: What::Collective(operation), bytes })
}

fn tensor(operation: Operation, bytes: u64) -> (Part, Call) {
    call(Part::Tensor, Group::Tensor, operation, bytes)
}

/// A run of layers that are alike, with the parameters of one on a rank.
struct Run {
    layers: u32,
    has_experts: bool,
    dense: u64,
    expert: u64,
}

/// A chunk of the model.
#[derive(Clone, Copy)]
struct Chunk {
    stage: u32,
    chunk: u32,
    /// Whether it has the embedding, or the head.
    is_first: bool,
    is_last: bool,
}

pub(super) fn step(job: &Job, layout: Layout) -> Step {
    let (stages, chunks) = (layout.size(Axis::Pipeline), job.chunks);
    let mut blocks = Vec::new();
    for stage in 0..stages {
        let chunk_layers: Vec<Layers> = (0..chunks).map(|chunk| layers_of(job, stage, stages, chunk)).collect();
        for (chunk, &layers) in (0..).zip(&chunk_layers) {
            let runs = runs(job, layers);
            let (is_first, is_last) = (stage == 0 && chunk == 0, stage + 1 == stages && chunk + 1 == chunks);
            let chunk = Chunk { stage, chunk, is_first, is_last };
            forward(job, &mut blocks, chunk, &runs);
            backward(job, &mut blocks, chunk, &runs);
        }
        end(job, &mut blocks, stage, &chunk_layers, stages);
    }
    for block in &mut blocks {
        block.calls.retain(|(_, call)| call.bytes > 0 && layout.members(call.group) > 1);
    }
    blocks.retain(|block| block.times > 0 && !block.calls.is_empty());
    let handed = if stages > 1 { job.handed() } else { 0 };
    Step { micro_batches: job.micro_batches(), chunks, handed, blocks, notes: notes(job, stages), layout }
}

fn notes(job: &Job, stages: u32) -> Vec<String> {
    let mut notes = Vec::new();
    if job.chunks == 1
        && let Some([first, inner, last]) = split(job.model.layers, stages)
        && (first, last) != (inner, inner)
    {
        notes.push(format!("{first} layers in the first stage, {last} in the last, {inner} in the others"));
    }
    if job.sizes.expert > 1 && job.capacity.is_none() {
        notes.push("tokens go to all experts alike: a busier expert gets more than is counted".to_string());
    }
    notes
}

/// The layers of a chunk.
#[derive(Clone, Copy)]
struct Layers {
    first: u32,
    count: u32,
}

fn layers_of(job: &Job, stage: u32, stages: u32, chunk: u32) -> Layers {
    if job.chunks > 1 {
        let each = job.model.layers / (stages * job.chunks);
        return Layers { first: (chunk * stages + stage) * each, count: each };
    }
    let [first, inner, last] = split(job.model.layers, stages).unwrap_or_default();
    match stage {
        0 => Layers { first: 0, count: first },
        _ => Layers { first: first + (stage - 1) * inner, count: if stage + 1 == stages { last } else { inner } },
    }
}

fn runs(job: &Job, Layers { first, count: layers }: Layers) -> Vec<Run> {
    let (m, sizes) = (&job.model, job.sizes);
    let (tp, ep, etp) = (u64::from(sizes.tensor), u64::from(sizes.expert), u64::from(sizes.expert_tensor));
    let dense = m.dense_layers.saturating_sub(first).min(layers);
    let with_experts = if m.experts > 0 { layers - dense } else { 0 };
    let common = m.attention(tp) + 2 * m.norm();
    let routed = common + m.hidden * m.experts + m.shared_experts * m.mlp(m.expert_ffn, tp);
    let experts = m.experts / ep * m.mlp(m.expert_ffn, etp);
    vec![
        Run { layers: layers - with_experts, has_experts: false, dense: common + m.mlp(m.ffn, tp), expert: 0 },
        Run { layers: with_experts, has_experts: true, dense: routed, expert: experts },
    ]
}

/// Parameters of words on a rank.
struct Words {
    /// Of their embedding, those of positions among them.
    embedding: u64,
    /// Of the head with its norm.
    head: u64,
}

fn words(job: &Job) -> Words {
    let (m, tp) = (&job.model, u64::from(job.sizes.tensor));
    let words = m.padded_vocab(tp) / tp * m.hidden;
    let positions = if m.learned { job.seq * m.hidden } else { 0 };
    // Tied to an embedding on the same rank, the head has nothing of its own; in another stage it has a copy.
    let head = if m.tied && job.sizes.stages == 1 { 0 } else { words };
    Words { embedding: words + positions, head: head + m.norm() }
}

fn forward(job: &Job, blocks: &mut Vec<Block>, Chunk { stage, chunk, is_first, is_last }: Chunk, runs: &[Run]) {
    let s = job.activation();
    let Words { embedding, head } = words(job);
    let mut push = |name, times, calls| blocks.push(Block { name, calls, when: When::Forward, stage, chunk, times });
    if is_first {
        let operation = if job.sequence_parallel { ReduceScatter } else { AllReduce };
        push("embedding", 1, [fetch(job, embedding, 0), vec![tensor(operation, s)]].concat());
    }
    for run in runs {
        push("layer", run.layers, [fetch(job, run.dense, run.expert), layer_forward(job, run.has_experts)].concat());
    }
    if is_last {
        let gather = if job.sequence_parallel { vec![tensor(AllGather, s)] } else { Vec::new() };
        let loss = vec![tensor(AllReduce, 4 * job.tokens()); 3];
        push("head", 1, [fetch(job, head, 0), gather, loss].concat());
    }
}

fn backward(job: &Job, blocks: &mut Vec<Block>, Chunk { stage, chunk, is_first, is_last }: Chunk, runs: &[Run]) {
    let s = job.activation();
    let Words { embedding, head } = words(job);
    let mut push = |name, times, calls| blocks.push(Block { name, calls, when: When::Backward, stage, chunk, times });
    let each = |dense, expert| if job.reduce_each { reduce(job, dense, expert) } else { Vec::new() };
    if is_last {
        let sent = match job.sequence_parallel {
            true => vec![tensor(AllGather, s), tensor(ReduceScatter, s)],
            false => vec![tensor(AllReduce, s)],
        };
        push("head", 1, [fetch(job, head, 0), sent, each(head, 0)].concat());
    }
    for run in runs.iter().rev() {
        let calls =
            [fetch(job, run.dense, run.expert), layer_backward(job, run.has_experts), each(run.dense, run.expert)];
        push("layer", run.layers, calls.concat());
    }
    if is_first {
        let sent = if job.sequence_parallel { vec![tensor(AllGather, s)] } else { Vec::new() };
        push("embedding", 1, [fetch(job, embedding, 0), sent, each(embedding, 0)].concat());
    }
}

/// A column-parallel matrix, what is done between, and a row-parallel one.
fn pair_forward(job: &Job, between: Calls) -> Calls {
    let s = job.activation();
    match job.sequence_parallel {
        true => [vec![tensor(AllGather, s)], between, vec![tensor(ReduceScatter, s)]].concat(),
        false => [between, vec![tensor(AllReduce, s)]].concat(),
    }
}

fn pair_backward(job: &Job, between: Calls) -> Calls {
    let s = job.activation();
    match job.sequence_parallel {
        // The input is gathered again for the gradient of the weights.
        true => {
            let column = vec![tensor(AllGather, s), tensor(ReduceScatter, s)];
            [vec![tensor(AllGather, s)], between, column].concat()
        }
        false => [between, vec![tensor(AllReduce, s)]].concat(),
    }
}

fn layer_forward(job: &Job, has_experts: bool) -> Calls {
    let mlp = if has_experts { experts(job, true) } else { pair_forward(job, Vec::new()) };
    [pair_forward(job, context(job, true)), mlp].concat()
}

fn layer_backward(job: &Job, has_experts: bool) -> Calls {
    let again = match job.recompute {
        Recompute::None => Vec::new(),
        Recompute::Selective => context(job, true),
        Recompute::Full => layer_forward(job, has_experts),
    };
    let mlp = if has_experts { experts(job, false) } else { pair_backward(job, Vec::new()) };
    [again, mlp, pair_backward(job, context(job, false))].concat()
}

/// Tokens to experts and back; shared experts are an MLP beside them.
fn experts(job: &Job, forward: bool) -> Calls {
    let (m, etp) = (&job.model, u64::from(job.sizes.expert_tensor));
    let tokens = job.tokens() / u64::from(job.sizes.tensor);
    let copies = match job.capacity {
        Some(c) => m.experts * ((tokens * m.topk) as f64 / m.experts as f64 * c).ceil() as u64,
        None => tokens * m.topk,
    };
    let bytes = 2 * m.hidden * copies;
    let exchange = call(Part::Expert, Group::Expert, AllToAll, bytes);
    let within = |operation| call(Part::Tensor, Group::ExpertTensor, operation, etp * bytes);
    let shared = match (m.shared_experts, forward) {
        (0, _) => Vec::new(),
        (_, true) => pair_forward(job, Vec::new()),
        (_, false) => pair_backward(job, Vec::new()),
    };
    [shared, vec![exchange, within(AllGather), within(ReduceScatter), exchange]].concat()
}

/// Keys and values between context-parallel ranks.
fn context(job: &Job, forward: bool) -> Calls {
    let m = &job.model;
    let (tp, cp) = (u64::from(job.sizes.tensor), u64::from(job.sizes.context));
    // A rank has a head of keys and values at least.
    let keys = 2 * job.tokens() * m.keys_and_values() / tp.min(m.kv_heads);
    let send = |what, bytes| (Part::Context, Call { group: Group::Context, what, bytes });
    match (job.exchange, forward) {
        (Exchange::Ring, true) => vec![send(What::ToNext, (cp - 1) * keys)],
        (Exchange::Ring, false) => vec![send(What::ToPrevious, (2 * cp - 1) * keys)],
        (Exchange::AllGather, true) => vec![send(What::Collective(AllGather), cp * keys)],
        (Exchange::AllGather, false) => vec![send(What::Collective(ReduceScatter), cp * keys)],
        (Exchange::AllToAll, _) => {
            let queries = 2 * job.tokens() * m.queries() / tp;
            let output = 2 * job.tokens() * m.hidden / tp;
            [queries, keys / 2, keys / 2, output].map(|bytes| send(What::Collective(AllToAll), bytes)).to_vec()
        }
    }
}

/// Neighbours that share weights, and how many they are.
fn sharers(job: &Job) -> (Group, u64) {
    let replicas = job.sizes.data * job.sizes.context;
    match job.shards {
        Some(shards) if shards < replicas => (Group::Shards(shards), u64::from(shards)),
        _ => (Group::Replicas, u64::from(replicas)),
    }
}

/// Weights that others keep, before they are used.
fn fetch(job: &Job, dense: u64, expert: u64) -> Calls {
    if job.zero < 3 {
        return Vec::new();
    }
    gather(sharers(job).0, dense, expert)
}

fn gather(group: Group, dense: u64, expert: u64) -> Calls {
    let weights = |group, parameters: u64| call(Part::Data, group, AllGather, 2 * parameters);
    vec![weights(group, dense), weights(Group::ExpertReplicas, expert)]
}

/// Gradients of so many parameters.
fn reduce(job: &Job, dense: u64, expert: u64) -> Calls {
    let operation = if job.zero == 0 { AllReduce } else { ReduceScatter };
    let data = |group, operation, parameters: u64| call(Part::Data, group, operation, job.grads * parameters);
    let (group, shards) = if job.zero == 3 { sharers(job) } else { (Group::Replicas, 1) };
    let mut calls = vec![data(group, operation, dense), data(Group::ExpertReplicas, operation, expert)];
    if let Group::Shards(size) = group {
        calls.push(data(Group::ShardReplicas(size), AllReduce, dense.div_ceil(shards)));
    }
    calls
}

fn end(job: &Job, blocks: &mut Vec<Block>, stage: u32, chunks: &[Layers], stages: u32) {
    let Words { embedding, head } = words(job);
    let (mut dense, mut expert, mut norms) = (0, 0, 0);
    for run in chunks.iter().flat_map(|&layers| runs(job, layers)) {
        dense += u64::from(run.layers) * run.dense;
        expert += u64::from(run.layers) * run.expert;
        norms += 2 * u64::from(run.layers) * job.model.norm();
    }
    if stage == 0 {
        dense += embedding;
    }
    if stage + 1 == stages {
        dense += head;
        norms += job.model.norm();
    }
    let mut calls = Vec::new();
    if job.sequence_parallel {
        calls.push(call(Part::Norm, Group::Tensor, AllReduce, job.grads * norms));
    }
    if stage == 0 && job.model.tied {
        let words = job.model.padded_vocab(u64::from(job.sizes.tensor)) / u64::from(job.sizes.tensor);
        calls.push(call(Part::Embedding, Group::Ends, AllReduce, job.grads * words * job.model.hidden));
    }
    if !job.reduce_each {
        calls.extend(reduce(job, dense, expert));
    }
    if (1..3).contains(&job.zero) {
        calls.extend(gather(Group::Replicas, dense, expert));
    }
    blocks.push(Block { name: "gradients", calls, when: When::End, stage, chunk: 0, times: 1 });
}
