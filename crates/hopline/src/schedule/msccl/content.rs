//! What every chunk holds, followed from step to step.

use super::finding::{Fault, Finding};
use super::layout::{Chunk, Coll, Held, Layout};
use super::run::Wiring;
use super::{Program, Span, StepKind};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;

/// Faults told, most.
const SHOWN: usize = 8;

/// What chunks hold: `None` is nothing that anybody gave.
type Content = Option<Rc<Held>>;

/// Follows the chunks of a program in an order in which it can run, and compares results with what the collective owes. Chunks
/// that a program of another collective than those of [`Coll`] moves are followed alone. O(chunks moved x what they hold).
pub(super) fn faults(program: &Program, wiring: &Wiring, order: &[(u32, u32)], layout: Layout) -> Vec<Finding> {
    let (memory, mut found) = follow(program, wiring, order, layout);
    for (gpu, own) in (0..).zip(&program.gpus) {
        for (at, owed) in (0..).zip(layout.results(gpu)) {
            let chunk = layout.chunk(gpu, super::Buffer::Output, at);
            let holds = memory.holds(&layout, gpu, chunk);
            if holds.as_deref() != Some(&owed) {
                let place = format!("gpu {gpu} result {at}");
                found.push(Finding::new(Fault::Wrong, own.line, &place, difference(&owed, holds.as_deref())));
            }
            if found.len() >= SHOWN {
                return found;
            }
        }
    }
    found
}

/// The layout with its root, where the collective has one.
pub(super) fn rooted(program: &Program, wiring: &Wiring, order: &[(u32, u32)], layout: Layout) -> Layout {
    match layout.coll {
        Some(Coll::Broadcast | Coll::Reduce | Coll::Gather | Coll::Scatter) => {
            layout.rooted(root(program, wiring, order, layout))
        }
        _ => layout,
    }
}

/// The one rank that collects or spreads, which a file does not say: who receives nothing spreads, who sends nothing collects.
/// Where everybody does both, nobody but who spreads can send first, and what others than who collects receive last is lost.
fn root(program: &Program, wiring: &Wiring, order: &[(u32, u32)], layout: Layout) -> u32 {
    let spreads = matches!(layout.coll, Some(Coll::Broadcast | Coll::Scatter));
    let moves = |gpu: &super::Gpu| {
        let mut steps = gpu.blocks.iter().flat_map(|block| &block.steps);
        steps.any(|step| if spreads { step.kind.receives() } else { step.kind.sends() })
    };
    let only = program.gpus.iter().position(|gpu| !moves(gpu)).map(|at| at as u32);
    let of = |&(at, number): &(u32, u32)| {
        let (gpu, block) = wiring.blocks[at as usize];
        (gpu, program.gpus[gpu as usize].blocks[block as usize].steps[number as usize].kind)
    };
    let mut steps = order.iter().map(of);
    let mut by_order = || match spreads {
        true => steps.find(|(_, kind)| kind.sends()),
        false => steps.rfind(|(_, kind)| kind.receives()),
    };
    only.or_else(|| by_order().map(|(gpu, _)| gpu)).unwrap_or(0)
}

/// What chunks hold that were written; the others hold what they held first.
#[derive(Default)]
struct Memory {
    written: FxHashMap<(u32, Chunk), Rc<Held>>,
}

impl Memory {
    fn holds(&self, layout: &Layout, gpu: u32, chunk: Chunk) -> Content {
        self.written.get(&(gpu, chunk)).cloned().or_else(|| layout.given(gpu, chunk).map(|own| Rc::new(vec![own])))
    }
}

impl Layout {
    /// What a chunk holds before anything runs.
    fn given(&self, gpu: u32, chunk: Chunk) -> Option<(u32, u32)> {
        let begin = self.chunk(gpu, super::Buffer::Input, 0);
        let at = chunk.1.checked_sub(begin.1).filter(|&at| chunk.0 == begin.0 && at < self.inputs(gpu))?;
        Some((gpu, at))
    }
}

/// The memory after all steps, and those that read what nobody gave.
fn follow(program: &Program, wiring: &Wiring, order: &[(u32, u32)], layout: Layout) -> (Memory, Vec<Finding>) {
    let (mut memory, mut found) = (Memory::default(), Vec::new());
    let mut under_way: Vec<VecDeque<Vec<Content>>> = vec![VecDeque::new(); wiring.blocks.len()];
    for &(at, number) in order {
        let (gpu, block) = wiring.blocks[at as usize];
        let step = &program.gpus[gpu as usize].blocks[block as usize].steps[number as usize];
        let count = step.count.max(0) as u32;
        let read = |memory: &Memory, span: Span| -> Vec<Content> {
            let chunk = |i: u32| layout.chunk(gpu, span.buffer, span.first as u32 + i);
            (0..count).map(|i| memory.holds(&layout, gpu, chunk(i))).collect()
        };
        let source = if step.kind.reads() { read(&memory, step.source) } else { Vec::new() };
        let got = match wiring.sender[at as usize].filter(|_| step.kind.receives()) {
            Some(from) => under_way[from as usize].pop_front().unwrap_or_default(),
            None if step.kind == StepKind::Reduce => read(&memory, step.target),
            None => Vec::new(),
        };
        if layout.coll.is_some() && found.len() < SHOWN && source.iter().chain(&got).any(Option::is_none) {
            let place = format!("gpu {gpu} block {block} step {number}");
            let text = format!("`{}` takes a chunk that holds nothing yet", step.kind.word());
            found.push(Finding::new(Fault::Wrong, step.line, &place, text));
        }
        let result: Vec<Content> = match (source.is_empty(), got.is_empty()) {
            (true, _) => got,
            (_, true) => source,
            _ => source.iter().zip(&got).map(|(a, b)| sum(a, b)).collect(),
        };
        if step.kind.writes() {
            for (i, content) in (0..).zip(&result) {
                let chunk = layout.chunk(gpu, step.target.buffer, step.target.first as u32 + i);
                // Garbage is as if nothing were there; what was told once is enough.
                memory.written.insert((gpu, chunk), content.clone().unwrap_or_default());
            }
        }
        if step.kind.sends() {
            under_way[at as usize].push_back(result);
        }
    }
    (memory, found)
}

/// What both hold together.
fn sum(a: &Content, b: &Content) -> Content {
    let (Some(a), Some(b)) = (a, b) else { return a.clone().or_else(|| b.clone()) };
    let mut both: Held = a.iter().chain(b.iter()).copied().collect();
    both.sort_unstable();
    Some(Rc::new(both))
}

/// Chunks named of one kind, most.
const NAMED: usize = 4;

fn difference(owed: &Held, holds: Option<&Held>) -> String {
    let Some(holds) = holds.filter(|held| !held.is_empty()) else {
        return "holds nothing".into();
    };
    let missing = owed.iter().filter(|chunk| !holds.contains(chunk)).copied().collect::<Vec<_>>();
    let foreign = holds.iter().filter(|chunk| !owed.contains(chunk)).copied().collect::<Vec<_>>();
    let doubled: Held = holds.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    let parts = [("lacks", missing), ("counts twice", doubled), ("holds wrongly", foreign)];
    let parts = parts.into_iter().filter(|(_, chunks)| !chunks.is_empty());
    let named = parts.map(|(word, chunks)| {
        let names = chunks.iter().take(NAMED).map(|(rank, chunk)| format!("chunk {chunk} of gpu {rank}"));
        let more = chunks.len().saturating_sub(NAMED);
        let tail = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{word} {}{tail}", names.collect::<Vec<_>>().join(", "))
    });
    named.collect::<Vec<_>>().join("; ")
}
