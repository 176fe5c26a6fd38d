//! What a program must be before it can run: its numbers, its connections, and the limits of those that run it.

use super::finding::{Fault, Finding};
use super::layout::Coll;
use super::{Block, Gpu, Program, Span, Step, StepKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Limits of RCCL (src/include/msccl/msccl_struct.h).
const MOST_STEPS: usize = 64;
const MOST_BLOCKS: usize = 64;
const MOST_BLOCKS_OF_CHANNEL: usize = 32;
const MOST_COUNT: i64 = 71;

/// Protocols that RCCL knows.
const PROTOCOLS: [&str; 3] = ["Simple", "LL", "LL128"];

/// Chunks of all buffers of results, most: beyond it following them fills the memory.
const MOST_CHUNKS: u64 = 1 << 22;

/// What is wrong with the form; O(steps).
pub(super) fn faults(program: &Program) -> Vec<Finding> {
    let mut found = Vec::new();
    let ranks = program.gpus.len() as u64;
    if ranks == 0 {
        found.push(Finding::new(Fault::Malformed, program.line, "ngpus", "0 GPUs, expected 1 or more".into()));
    }
    if !PROTOCOLS.contains(&&*program.protocol) {
        let text = format!("`{}`, expected one of {}", program.protocol, PROTOCOLS.join(", "));
        found.push(Finding::new(Fault::Malformed, program.line, "proto", text));
    }
    if program.chunks == 0 || u64::from(program.chunks) * ranks > MOST_CHUNKS {
        let text = format!("{} chunks of {ranks} GPUs, expected 1 to {MOST_CHUNKS} in all", program.chunks);
        found.push(Finding::new(Fault::Malformed, program.line, "nchunksperloop", text));
    } else if Coll::named(&program.coll).is_some_and(Coll::has_parts) && u64::from(program.chunks) % ranks.max(1) != 0 {
        let text = format!("{} chunks are no equal parts for {ranks} GPUs", program.chunks);
        found.push(Finding::new(Fault::Malformed, program.line, "nchunksperloop", text));
    }
    for (at, gpu) in (0..).zip(&program.gpus) {
        if gpu.id != at {
            found.push(malformed(gpu.line, &format!("gpu {}", gpu.id), format!("stands where gpu {at} is expected")));
        }
        of_gpu(program, gpu, &mut found);
    }
    if found.iter().all(|found| found.fault == Fault::Limits) {
        connections(program, &mut found);
    }
    found
}

/// Whether a step moves so many chunks that nobody would run it, nor can it be followed.
pub(super) fn has_large_steps(program: &Program) -> bool {
    let mut steps = program.gpus.iter().flat_map(|gpu| &gpu.blocks).flat_map(|block| &block.steps);
    steps.any(|step| step.count > MOST_COUNT)
}

fn malformed(line: u32, place: &str, text: String) -> Finding {
    Finding::new(Fault::Malformed, line, place, text)
}

fn limit(line: u32, place: &str, text: String) -> Finding {
    Finding::new(Fault::Limits, line, place, text)
}

fn of_gpu(program: &Program, gpu: &Gpu, found: &mut Vec<Finding>) {
    let place = format!("gpu {}", gpu.id);
    if let Some(size) = gpu.sizes.iter().find(|&&size| u64::from(size) > MOST_CHUNKS) {
        found.push(malformed(gpu.line, &place, format!("a buffer of {size} chunks, expected at most {MOST_CHUNKS}")));
    }
    let mut of_channel: FxHashMap<i64, usize> = FxHashMap::default();
    let mut ends = BTreeSet::new();
    for (at, block) in (0..).zip(&gpu.blocks) {
        let place = format!("{place} block {}", block.id);
        if block.id != at {
            found.push(malformed(block.line, &place, format!("stands where block {at} is expected")));
        }
        *of_channel.entry(block.channel).or_default() += 1;
        of_block(program, gpu, block, &place, found);
        for (peer, way) in [(block.send, "send to"), (block.recv, "receive from")] {
            if peer >= 0 && !ends.insert((peer, block.channel, way)) {
                let text = format!("is the second to {way} gpu {peer} on channel {}", block.channel);
                found.push(malformed(block.line, &place, text));
            }
        }
    }
    if gpu.blocks.len() > MOST_BLOCKS {
        let text = format!("has {} blocks, expected at most {MOST_BLOCKS}", gpu.blocks.len());
        found.push(limit(gpu.line, &place, text));
    }
    let mut crowded: Vec<_> = of_channel.into_iter().filter(|(_, n)| *n > MOST_BLOCKS_OF_CHANNEL).collect();
    crowded.sort_unstable();
    for (channel, n) in crowded {
        let text = format!("has {n} blocks on channel {channel}, expected at most {MOST_BLOCKS_OF_CHANNEL}");
        found.push(limit(gpu.line, &place, text));
    }
}

fn of_block(program: &Program, gpu: &Gpu, block: &Block, place: &str, found: &mut Vec<Finding>) {
    if !(0..i64::from(program.channels)).contains(&block.channel) {
        let text = format!("is on channel {}, expected one below {}", block.channel, program.channels);
        found.push(malformed(block.line, place, text));
    }
    for (peer, way) in [(block.send, "sends to"), (block.recv, "receives from")] {
        if peer == gpu.id {
            found.push(malformed(block.line, place, format!("{way} its own gpu")));
        } else if peer >= program.gpus.len() as i64 || peer < -1 {
            found.push(malformed(block.line, place, format!("{way} gpu {peer}, which is not there")));
        }
    }
    if block.steps.len() > MOST_STEPS {
        let text = format!("has {} steps, expected at most {MOST_STEPS}", block.steps.len());
        found.push(limit(block.line, place, text));
    }
    for (at, step) in (0..).zip(&block.steps) {
        let place = format!("{place} step {}", step.id);
        if step.id != at {
            found.push(malformed(step.line, &place, format!("stands where step {at} is expected")));
        }
        of_step(gpu, block, step, &place, found);
    }
    // What runs it reads the waits of `nop`s as those of the step after them, and only where that waits as well.
    for pair in block.steps.windows(2) {
        let [before, step] = pair else { continue };
        if before.kind == StepKind::Nop && before.needs.0 >= 0 && step.kind != StepKind::Nop && step.needs.0 < 0 {
            let text = format!("waits for nothing itself (depid), after the waits of step {}", before.id);
            found.push(malformed(step.line, &format!("{place} step {}", step.id), text));
        }
    }
}

fn of_step(gpu: &Gpu, block: &Block, step: &Step, place: &str, found: &mut Vec<Finding>) {
    let word = step.kind.word();
    if step.kind.sends() && block.send < 0 {
        found.push(malformed(step.line, place, format!("`{word}` in a block that sends to none")));
    }
    if step.kind.receives() && block.recv < 0 {
        found.push(malformed(step.line, place, format!("`{word}` in a block that receives from none")));
    }
    let moves = step.kind.reads() || step.kind.writes();
    if moves && step.count < 1 {
        found.push(malformed(step.line, place, format!("has {} chunks, expected 1 or more", step.count)));
    } else if step.count > MOST_COUNT {
        found.push(limit(
            step.line,
            place,
            format!("has {} chunks at once, expected at most {MOST_COUNT}", step.count),
        ));
    }
    let spans = [(step.kind.reads(), step.source), (step.kind.writes(), step.target)];
    for (_, span) in spans.into_iter().filter(|(is_used, _)| *is_used) {
        found.extend(outside(gpu, span, step.count).map(|text| malformed(step.line, place, text)));
    }
    let (on, at) = step.needs;
    if on < 0 {
        return;
    }
    let target = usize::try_from(on).ok().and_then(|on| gpu.blocks.get(on));
    match (target, usize::try_from(at)) {
        (Some(target), Ok(at)) if at < target.steps.len() => {
            if step.awaited(gpu).is_none() {
                let text = format!("waits for block {on} step {at}, and neither that nor a later one tells (hasdep)");
                found.push(Finding::new(Fault::Deadlock, step.line, place, text));
            }
        }
        _ => found.push(malformed(step.line, place, format!("waits for block {on} step {at}, which is not there"))),
    }
}

fn outside(gpu: &Gpu, span: Span, count: i64) -> Option<String> {
    let size = i64::from(gpu.sizes[span.buffer as usize]);
    let fits = span.first >= 0 && count >= 0 && span.first.checked_add(count).is_some_and(|end| end <= size);
    (!fits).then(|| {
        let word = span.buffer.word();
        format!("{count} chunks from {} of buffer `{word}`, which has {size}", span.first)
    })
}

/// Both ends of every connection, and that they agree.
fn connections(program: &Program, found: &mut Vec<Finding>) {
    let mut ends: FxHashMap<(i64, i64, i64), &Block> = FxHashMap::default();
    for gpu in &program.gpus {
        let receiving = gpu.blocks.iter().filter(|block| block.recv >= 0);
        ends.extend(receiving.map(|block| ((block.recv, gpu.id, block.channel), block)));
    }
    for gpu in &program.gpus {
        for block in gpu.blocks.iter().filter(|block| block.send >= 0) {
            let place = format!("gpu {} block {}", gpu.id, block.id);
            match ends.remove(&(gpu.id, block.send, block.channel)) {
                Some(other) => found.extend(disagreement(&place, block, other)),
                None => {
                    let text =
                        format!("sends to gpu {} on channel {}, where nothing receives it", block.send, block.channel);
                    found.push(malformed(block.line, &place, text));
                }
            }
        }
    }
    let mut left: Vec<_> = ends.into_iter().collect();
    left.sort_unstable_by_key(|(key, _)| *key);
    for ((from, to, channel), block) in left {
        let place = format!("gpu {to} block {}", block.id);
        let text = format!("receives from gpu {from} on channel {channel}, where nothing sends");
        found.push(malformed(block.line, &place, text));
    }
}

fn disagreement(place: &str, sender: &Block, receiver: &Block) -> Option<Finding> {
    let sends: Vec<&Step> = sender.steps.iter().filter(|step| step.kind.sends()).collect();
    let receives: Vec<&Step> = receiver.steps.iter().filter(|step| step.kind.receives()).collect();
    let to = sender.send;
    if let Some((send, receive)) = sends.iter().zip(&receives).find(|(a, b)| a.count != b.count) {
        let text = format!(
            "sends {} chunks to gpu {to}, which receives {} (block {} step {}, line {})",
            send.count, receive.count, receiver.id, receive.id, receive.line
        );
        return Some(malformed(send.line, &format!("{place} step {}", send.id), text));
    }
    (sends.len() != receives.len()).then(|| {
        let text = format!("sends {} times to gpu {to}, which receives {} times", sends.len(), receives.len());
        // What is sent too often stays in the connection; who receives too often waits for ever.
        let fault = if sends.len() > receives.len() { Fault::Malformed } else { Fault::Deadlock };
        Finding::new(fault, sender.line, place, text)
    })
}
