//! Steps of different blocks that touch a chunk with nothing that orders them. Vector clocks: Lamport, "Time, Clocks, and the
//! Ordering of Events in a Distributed System", 1978; Fidge and Mattern, 1988.

use super::Program;
use super::finding::{Fault, Finding};
use super::layout::{Chunk, Layout};
use super::run::Wiring;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

/// Races told of a GPU, most.
const SHOWN: usize = 4;

/// How many steps of each block of one GPU are done for certain.
type Clock = Rc<Vec<u32>>;

/// A step that touches a chunk.
struct Access {
    block: u32,
    step: u32,
    writes: bool,
    clock: Clock,
}

/// Pairs of steps that nothing orders, one of which writes, GPU by GPU. A message orders what is before its send and after its
/// receive. O(GPUs x steps x blocks of a GPU).
pub(super) fn races(program: &Program, wiring: &Wiring, order: &[(u32, u32)], layout: &Layout) -> Vec<Finding> {
    (0..program.gpus.len() as u32).flat_map(|gpu| of_gpu(program, wiring, order, layout, gpu)).collect()
}

fn of_gpu(program: &Program, wiring: &Wiring, order: &[(u32, u32)], layout: &Layout, gpu: u32) -> Vec<Finding> {
    let own = &program.gpus[gpu as usize];
    let (first, blocks) = (wiring.first[gpu as usize], own.blocks.len());
    let start: Clock = Rc::new(vec![0; blocks]);
    let mut now: Vec<Clock> = vec![start; wiring.blocks.len()];
    let mut told: BTreeMap<(u32, u32), Clock> = BTreeMap::new();
    let mut under_way: Vec<VecDeque<Clock>> = vec![VecDeque::new(); wiring.blocks.len()];
    let mut touched: BTreeMap<(u8, u32), Vec<Access>> = BTreeMap::new();
    for &(at, number) in order {
        let (of, block) = wiring.blocks[at as usize];
        let machine = &program.gpus[of as usize];
        let step = &machine.blocks[block as usize].steps[number as usize];
        if let Some((on, last)) = step.awaited(machine) {
            let on = wiring.first[of as usize] + on as u32;
            join(&mut now[at as usize], told.get(&(on, last as u32)));
        }
        if let (true, Some(from)) = (step.kind.receives(), wiring.sender[at as usize]) {
            let message = under_way[from as usize].pop_front();
            join(&mut now[at as usize], message.as_ref());
        }
        if of == gpu {
            let clock = now[at as usize].clone();
            let mut touch = |(buffer, chunk): Chunk, writes: bool| {
                let touch = Access { block, step: number, writes, clock: clock.clone() };
                touched.entry((buffer as u8, chunk)).or_default().push(touch);
            };
            let count = step.count.max(0) as u32;
            if step.kind.reads() {
                let span = step.source;
                (0..count).for_each(|i| touch(layout.chunk(gpu, span.buffer, span.first as u32 + i), false));
            }
            if step.kind.writes() {
                let span = step.target;
                (0..count).for_each(|i| touch(layout.chunk(gpu, span.buffer, span.first as u32 + i), true));
            }
            Rc::make_mut(&mut now[at as usize])[(at - first) as usize] = number + 1;
        }
        if step.tells {
            told.insert((at, number), now[at as usize].clone());
        }
        if step.kind.sends() {
            under_way[at as usize].push_back(now[at as usize].clone());
        }
    }
    let mut found = Vec::new();
    for ((buffer, chunk), touches) in touched {
        if let Some((a, b)) = unordered(&touches) {
            let steps = &own.blocks[b.block as usize].steps;
            let verb = |touch: &Access| if touch.writes { "writes" } else { "reads" };
            let text = format!(
                "{} chunk {chunk} of buffer `{}`, which block {} step {} {}, and nothing says which comes first",
                verb(b),
                ["i", "o", "s"][usize::from(buffer)],
                a.block,
                a.step,
                verb(a)
            );
            let place = format!("gpu {gpu} block {} step {}", b.block, b.step);
            found.push(Finding::new(Fault::Race, steps[b.step as usize].line, &place, text));
        }
        if found.len() == SHOWN {
            break;
        }
    }
    found
}

fn join(clock: &mut Clock, other: Option<&Clock>) {
    let Some(other) = other else { return };
    if clock.iter().zip(other.iter()).any(|(a, b)| b > a) {
        Rc::make_mut(clock).iter_mut().zip(other.iter()).for_each(|(a, b)| *a = (*a).max(*b));
    }
}

/// Two touches of different blocks, one of which writes, that no clock orders; the first stands first in the order.
fn unordered(touches: &[Access]) -> Option<(&Access, &Access)> {
    let is_before = |a: &Access, b: &Access| b.clock[a.block as usize] > a.step;
    touches.iter().enumerate().find_map(|(at, later)| {
        let earlier = touches[..at].iter();
        let mut clashing = earlier.filter(|a| a.block != later.block && (a.writes || later.writes));
        clashing.find(|a| !is_before(a, later)).map(|earlier| (earlier, later))
    })
}
