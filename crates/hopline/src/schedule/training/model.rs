//! The schedule of a job by formula.

use super::super::collective::chosen::Chosen;
use super::super::{Builder, Limit, Made, Schedule, Size};
use super::draw;
use crate::error::{Error, Result};
use crate::training::{Axis, Call, Group, Step, What, When};
use rustc_hash::FxHashMap;

pub(super) fn make(step: &Step, algorithms: &Chosen, limit: Limit) -> Result<Made> {
    Size::new(step.layout.ranks(), 0).check(limit)?;
    let drawing = Drawing { step, algorithms, groups: groups(step), pipelines: step.layout.groups(Group::Pipeline) };
    // So many micro-batches go through a chunk before the next one has its turn.
    let together = if step.chunks > 1 { step.layout.size(Axis::Pipeline) } else { 1 };
    let rounds = step.micro_batches / together;
    let mut bodies = Vec::new();
    for (when, times) in [(When::Forward, rounds), (When::Backward, rounds), (When::End, 1)] {
        let mut b = Builder::within(step.layout.ranks(), limit);
        match when {
            When::End => drawing.blocks(&mut b, when, 0)?,
            _ => drawing.passes(&mut b, when, together)?,
        }
        bodies.push(b.finish()?.repeat(times)?);
    }
    let mut bodies = bodies.into_iter();
    let first = bodies.next().ok_or_else(|| Error::input("a step without passes"))?;
    let schedule = bodies.try_fold(first, Schedule::then)?;
    let mut notes = [step.table(), step.notes.clone()].concat();
    notes.push("computation takes no time here: what is counted is communication, none of it overlapped".to_string());
    Ok(Made { schedule, notes })
}

/// Groups by kind and stage.
fn groups(step: &Step) -> FxHashMap<(Group, u32), Vec<Vec<u32>>> {
    let mut found: FxHashMap<(Group, u32), Vec<Vec<u32>>> = FxHashMap::default();
    let mut kinds: Vec<Group> = Vec::new();
    for (_, call) in step.blocks.iter().flat_map(|block| &block.calls) {
        if !kinds.contains(&call.group) {
            kinds.push(call.group);
        }
    }
    for kind in kinds {
        for members in step.layout.groups(kind) {
            let stage = step.layout.stage(members[0]);
            found.entry((kind, stage)).or_default().push(members);
        }
    }
    found
}

struct Drawing<'a> {
    step: &'a Step,
    algorithms: &'a Chosen,
    groups: FxHashMap<(Group, u32), Vec<Vec<u32>>>,
    pipelines: Vec<Vec<u32>>,
}

impl Drawing<'_> {
    fn passes(&self, b: &mut Builder, when: When, together: u32) -> Result<()> {
        for turn in 0..self.step.chunks {
            let chunk = if when == When::Forward { turn } else { self.step.chunks - 1 - turn };
            for _ in 0..together {
                self.receive(b, when, chunk);
                self.blocks(b, when, chunk)?;
                self.send(b, when, chunk);
            }
        }
        Ok(())
    }

    fn blocks(&self, b: &mut Builder, when: When, chunk: u32) -> Result<()> {
        for block in self.step.blocks.iter().filter(|block| block.when == when && block.chunk == chunk) {
            for _ in 0..block.times {
                for (_, call) in &block.calls {
                    self.call(b, call, block.stage)?;
                }
            }
        }
        Ok(())
    }

    fn call(&self, b: &mut Builder, call: &Call, stage: u32) -> Result<()> {
        let Some(groups) = self.groups.get(&(call.group, stage)) else { return Ok(()) };
        let back = match call.what {
            What::Collective(operation) => return draw(b, self.algorithms, groups, operation, call.bytes),
            What::ToNext => false,
            What::ToPrevious => true,
        };
        for members in groups {
            for (k, &rank) in members.iter().enumerate() {
                let (next, before) = (k + 1, k + members.len() - 1);
                let [next, before] = [next, before].map(|at| members[at % members.len()]);
                let (to, from) = if back { (before, next) } else { (next, before) };
                b.send(rank, to, call.bytes, 0);
                b.recv(rank, from, call.bytes, 0);
                b.wait(rank);
            }
        }
        Ok(())
    }

    /// Where the activation of a chunk, or its gradient, comes from or goes to.
    fn neighbour(&self, members: &[u32], stage: usize, chunk: u32, up: bool) -> Option<u32> {
        let last = members.len() - 1;
        match (up, stage) {
            (true, stage) if stage < last => members.get(stage + 1).copied(),
            (true, _) => (chunk + 1 < self.step.chunks).then(|| members[0]),
            (false, 0) => (chunk > 0).then(|| members[last]),
            (false, stage) => members.get(stage - 1).copied(),
        }
    }

    fn receive(&self, b: &mut Builder, when: When, chunk: u32) {
        for members in self.pipelines.iter().filter(|members| members.len() > 1) {
            for (stage, &rank) in members.iter().enumerate() {
                if let Some(from) = self.neighbour(members, stage, chunk, when == When::Backward) {
                    b.recv(rank, from, self.step.handed, 1);
                    b.wait(rank);
                }
            }
        }
    }

    /// Nobody waits until it has gone: a stage turns to the next micro-batch.
    fn send(&self, b: &mut Builder, when: When, chunk: u32) {
        for members in self.pipelines.iter().filter(|members| members.len() > 1) {
            for (stage, &rank) in members.iter().enumerate() {
                if let Some(to) = self.neighbour(members, stage, chunk, when == When::Forward) {
                    let done = b.compute(rank, 0);
                    b.wait(rank);
                    b.send(rank, to, self.step.handed, 1);
                    b.after(rank, done);
                }
            }
        }
    }
}
