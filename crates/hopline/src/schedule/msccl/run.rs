//! An order in which all steps can run, or who waits for whom for ever.

use super::Program;
use super::finding::{Fault, Finding};
use rustc_hash::FxHashMap;

/// A block of a program, by place: GPU and block.
pub(super) type At = (u32, u32);

/// Messages that stand in a connection, most: `Simple` has room for two, `LL` for eight (NCCL_STEPS and its slices).
pub(super) fn room(protocol: &str) -> usize {
    if protocol.eq_ignore_ascii_case("simple") { 2 } else { 8 }
}

/// Links of the blocks of a program whose form is right.
pub(super) struct Wiring {
    /// Where the blocks of a GPU begin among all.
    pub(super) first: Vec<u32>,
    pub(super) blocks: Vec<At>,
    /// Who receives what a block sends, and who sends what it receives.
    pub(super) receiver: Vec<Option<u32>>,
    pub(super) sender: Vec<Option<u32>>,
}

impl Wiring {
    pub(super) fn new(program: &Program) -> Wiring {
        let (mut first, mut blocks) = (Vec::new(), Vec::new());
        for (g, gpu) in (0..).zip(&program.gpus) {
            first.push(blocks.len() as u32);
            blocks.extend((0..gpu.blocks.len() as u32).map(|b| (g, b)));
        }
        let mut wiring = Wiring { first, receiver: vec![None; blocks.len()], sender: vec![None; blocks.len()], blocks };
        let mut ends: FxHashMap<(i64, i64, i64), u32> = FxHashMap::default();
        for (at, &block) in (0..).zip(&wiring.blocks) {
            let own = wiring.block(program, block);
            if own.recv >= 0 {
                ends.insert((own.recv, i64::from(block.0), own.channel), at);
            }
        }
        for at in 0..wiring.blocks.len() {
            let block = wiring.blocks[at];
            let own = wiring.block(program, block);
            let to = ends.get(&(i64::from(block.0), own.send, own.channel)).copied();
            wiring.receiver[at] = to;
            if let Some(to) = to {
                wiring.sender[to as usize] = Some(at as u32);
            }
        }
        wiring
    }

    fn block<'a>(&self, program: &'a Program, (gpu, block): At) -> &'a super::Block {
        &program.gpus[gpu as usize].blocks[block as usize]
    }
}

/// Where all blocks stand.
struct State<'a> {
    program: &'a Program,
    wiring: &'a Wiring,
    /// Steps done, messages sent and received of each block.
    done: Vec<u32>,
    sent: Vec<u32>,
    received: Vec<u32>,
    room: u32,
}

/// Why a step cannot begin.
enum Wait {
    /// The block that must go on first, and why in words.
    For(u32, String),
}

impl State<'_> {
    fn next(&self, at: u32) -> Option<(&super::Gpu, &super::Step)> {
        let (gpu, block) = self.wiring.blocks[at as usize];
        let gpu = &self.program.gpus[gpu as usize];
        Some((gpu, gpu.blocks[block as usize].steps.get(self.done[at as usize] as usize)?))
    }

    /// What the next step of a block waits for; `None` where it can begin.
    fn wait(&self, at: u32) -> Option<Wait> {
        let (gpu, step) = self.next(at)?;
        let first = self.wiring.first[self.wiring.blocks[at as usize].0 as usize];
        if step.needs.0 >= 0 {
            let (block, last) = step.awaited(gpu)?;
            let on = first + block as u32;
            if self.done[on as usize] as usize <= last {
                return Some(Wait::For(on, format!("waits for block {block} step {last}")));
            }
        }
        if step.kind.receives() {
            let from = self.wiring.sender[at as usize]?;
            if self.sent[from as usize] <= self.received[at as usize] {
                let gpu = self.wiring.blocks[from as usize].0;
                return Some(Wait::For(from, format!("waits for a message of gpu {gpu}")));
            }
        }
        if step.kind.sends() {
            let to = self.wiring.receiver[at as usize]?;
            if self.sent[at as usize] - self.received[to as usize] >= self.room {
                let gpu = self.wiring.blocks[to as usize].0;
                return Some(Wait::For(to, format!("waits until gpu {gpu} takes a message")));
            }
        }
        None
    }
}

/// All steps in an order in which they can run, as (block among all, step); connections hold `room` messages. O(steps x
/// blocks of a GPU).
///
/// # Errors
/// Blocks wait for each other: one of them, with the circle.
pub(super) fn order(program: &Program, wiring: &Wiring, room: usize) -> Result<Vec<(u32, u32)>, Finding> {
    let blocks = wiring.blocks.len();
    let zero = || vec![0u32; blocks];
    let room = u32::try_from(room).unwrap_or(u32::MAX);
    let mut state = State { program, wiring, done: zero(), sent: zero(), received: zero(), room };
    let mut order = Vec::new();
    let mut open: Vec<u32> = (0..blocks as u32).rev().collect();
    while let Some(at) = open.pop() {
        let before = order.len();
        while let Some((_, step)) = state.next(at).filter(|_| state.wait(at).is_none()) {
            let (sends, receives) = (step.kind.sends(), step.kind.receives());
            order.push((at, state.done[at as usize]));
            state.done[at as usize] += 1;
            state.sent[at as usize] += u32::from(sends);
            state.received[at as usize] += u32::from(receives);
        }
        if order.len() > before {
            let gpu = wiring.blocks[at as usize].0 as usize;
            let end = wiring.first.get(gpu + 1).map_or(blocks as u32, |&first| first);
            open.extend((wiring.first[gpu]..end).filter(|&other| other != at && state.next(other).is_some()));
            open.extend([wiring.receiver[at as usize], wiring.sender[at as usize]].into_iter().flatten());
        }
    }
    match (0..blocks as u32).find(|&at| state.next(at).is_some()) {
        None => Ok(order),
        Some(at) => Err(circle(&state, at)),
    }
}

/// Blocks shown of a circle, most.
const SHOWN: usize = 6;

/// Follows who waits for whom until somebody comes again.
fn circle(state: &State<'_>, mut at: u32) -> Finding {
    let mut seen: Vec<(u32, String)> = Vec::new();
    while let Some(Wait::For(on, why)) = state.wait(at) {
        if let Some(begin) = seen.iter().position(|(block, _)| *block == at) {
            seen.drain(..begin);
            break;
        }
        seen.push((at, why));
        at = on;
    }
    let name = |at: u32| {
        let (gpu, block) = state.wiring.blocks[at as usize];
        format!("gpu {gpu} block {block} step {}", state.done[at as usize])
    };
    let first = seen.first().map_or(at, |(block, _)| *block);
    let rest = seen.iter().skip(1).take(SHOWN - 1).map(|(block, why)| format!(", {} {why}", name(*block)));
    let more = seen.len().saturating_sub(SHOWN);
    let tail = if more > 0 { format!(", and {more} more") } else { String::new() };
    let text = format!("{}{}{tail}: none can go on", seen.first().map_or("", |s| &s.1), rest.collect::<String>());
    let line = state.next(first).map_or(0, |(_, step)| step.line);
    Finding::new(Fault::Deadlock, line, &name(first), text)
}
