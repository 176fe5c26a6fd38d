//! Our algorithms as programs: a block for each end of a connection, a chunk for each of an algorithm's blocks.

mod steps;
mod xml;

use super::check::of_program;
use super::layout::Coll;
use super::{Buffer, Gpu, Program, Span, Step, StepKind};
use crate::entry::Listed as _;
use crate::error::{Error, Result};
use crate::schedule::collective::{ANY, Algorithm, Keys, Operation};
use crate::schedule::{Schedule, What};
use std::collections::{BTreeMap, BTreeSet};
use steps::{last_of_each, numbered};
use xml::text;

/// Steps of a block, most; a connection goes on with the next channel.
const MOST_STEPS: usize = 64;

/// Chunks of a step, most.
const MOST_COUNT: usize = 64;

/// An algorithm among `ranks` ranks as MSCCL XML, `Simple`, in place but for all-to-all. Equal chunks: one for each block of the
/// algorithm. What it writes passes [`super::check()`]. O(messages x chunks of each).
///
/// # Errors
/// Blocks pass through other ranks than an all-to-all's own, or the program is larger than RCCL takes.
pub fn write(algorithm: &Algorithm, keys: &Keys, ranks: u32) -> Result<String> {
    Ok(text(&program(algorithm, keys, ranks)?))
}

#[cfg(test)]
pub(super) fn of_collective(name: &str, ranks: u32, bytes: u64) -> Result<Program> {
    program(&crate::schedule::collective::named(name)?, &crate::schedule::collective::sized(bytes, 1), ranks)
}

pub(super) fn program(algorithm: &Algorithm, keys: &Keys, ranks: u32) -> Result<Program> {
    let name = algorithm.entry().name;
    let refused = |text: String| Error::input(format!("{name} of {ranks} ranks as MSCCL XML: {text}"));
    let coll = match algorithm.operation {
        Operation::Broadcast => Coll::Broadcast,
        Operation::Reduce => Coll::Reduce,
        Operation::AllReduce => Coll::Allreduce,
        Operation::AllGather => Coll::Allgather,
        Operation::ReduceScatter => Coll::ReduceScatter,
        Operation::AllToAll => Coll::Alltoall,
        Operation::Barrier => return Err(refused("it moves no data".into())),
    };
    let (schedule, carried) = algorithm.with_blocks(keys, ranks)?;
    let program = Draft::new(coll, schedule, carried).program(name).map_err(refused)?;
    let checked = of_program(name, &program);
    if checked.is_right() { Ok(program) } else { Err(refused(checked.verdict.sentence)) }
}

/// The blocks of each send, by place among all operations.
pub(in crate::schedule) type Carried = BTreeMap<u32, Vec<(u32, u32)>>;

/// Messages on their way to blocks of threads.
struct Draft {
    coll: Coll,
    schedule: Schedule,
    carried: Carried,
    /// The rank of each operation.
    owners: Vec<u32>,
}

/// Chunks that one step moves.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    count: u32,
    /// Whether they are added to what is there.
    is_added: bool,
}

/// The messages of each send, as runs of chunks.
type Runs = BTreeMap<u32, Vec<Run>>;

/// What tells a GPU's blocks apart: the other GPU, whether it sends there, and the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    peer: u32,
    sends: bool,
    channel: u32,
}

/// Steps of an operation: its block's key, and the number of the last one there.
type End = (Key, usize);

/// The steps of a block, each with those that it waits for.
type Waiting = Vec<(Step, Vec<End>)>;

impl Draft {
    fn new(coll: Coll, schedule: Schedule, carried: Carried) -> Draft {
        Draft { coll, owners: schedule.owners(), schedule, carried }
    }

    fn chunks(&self) -> u32 {
        let ranks = self.schedule.ranks();
        let blocks = self.carried.values().flatten().map(|block| block.1 + 1).max().unwrap_or(1);
        if self.coll.has_parts() { ranks } else { blocks }
    }

    /// The program, or why there is none.
    fn program(&self, name: &str) -> std::result::Result<Program, String> {
        let (runs, order) = self.runs()?;
        let mut needs = self.needs();
        self.take_turns(&runs, &order, &mut needs);
        // As many messages go by a channel as have room in the blocks of both ends.
        let steps = |(op, runs): (&u32, &Vec<Run>)| {
            let partner = self.schedule.ops()[*op as usize].partner;
            runs.len() + needs[*op as usize].len().max(needs[partner as usize].len())
        };
        let most = (MOST_STEPS / runs.iter().map(steps).max().unwrap_or(1).max(1)).max(1);
        let (mut messages, mut channels) = (BTreeMap::<(u32, u32), usize>::new(), BTreeMap::<u32, u32>::new());
        for &op in runs.keys() {
            let send = &self.schedule.ops()[op as usize];
            let of = messages.entry((self.owners[op as usize], send.peer)).or_default();
            let channel = (*of / most) as u32;
            *of += 1;
            channels.extend([(op, channel), (send.partner, channel)]);
        }
        let gpus = (0..self.schedule.ranks()).map(|rank| self.gpu(rank, &runs, &order, &needs, &channels)).collect();
        let in_place = self.coll != Coll::Alltoall;
        Ok(Program {
            name: name.to_string(),
            protocol: "Simple".into(),
            coll: self.coll.name().replace('-', ""),
            chunks: self.chunks(),
            channels: channels.values().max().map_or(1, |last| last + 1),
            in_place,
            out_of_place: !in_place,
            bytes: (0, 0),
            gpus,
            absent: Vec::new(),
            line: 0,
        })
    }

    /// What each operation waits for, joins taken apart; those of its own rank that send or receive.
    fn needs(&self) -> Vec<BTreeSet<u32>> {
        let mut needs = vec![BTreeSet::new(); self.owners.len()];
        for op in 0..self.owners.len() as u32 {
            let own: BTreeSet<u32> = match self.schedule.ops()[op as usize].what {
                // What follows a join follows what it joins.
                What::Compute => needs[op as usize].clone(),
                _ => BTreeSet::from([op]),
            };
            self.schedule.after(op).for_each(|(later, _)| needs[later as usize].extend(&own));
        }
        needs
    }

    /// Steps of a rank that touch a chunk wait for each other, as they were followed: in a message library a receive has memory
    /// of its own, here it is the result's.
    fn take_turns(&self, runs: &Runs, order: &[u32], needs: &mut [BTreeSet<u32>]) {
        if self.coll == Coll::Alltoall {
            return; // Input and output are two buffers.
        }
        let mut written: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        let mut readers: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for &op in order {
            let (own, rank) = (&self.schedule.ops()[op as usize], self.owners[op as usize]);
            let sends = own.what == What::Send;
            let key = if sends { op } else { own.partner };
            let own = runs.get(&key).map(Vec::as_slice).unwrap_or_default();
            for chunk in own.iter().flat_map(|run| run.first..run.first + run.count) {
                let at = (rank, chunk);
                needs[op as usize].extend(written.get(&at).filter(|&&before| before != op));
                if sends {
                    readers.entry(at).or_default().push(op);
                } else {
                    needs[op as usize].extend(readers.remove(&at).unwrap_or_default());
                    written.insert(at, op);
                }
            }
        }
    }

    /// What every message carries, as runs of chunks, by its send, and the sends and receives in an order in which they can
    /// run; the ranks' memories are followed to tell sums from copies.
    fn runs(&self) -> std::result::Result<(Runs, Vec<u32>), String> {
        let (ops, ranks) = (self.schedule.ops(), self.schedule.ranks());
        let is_sum = matches!(self.coll, Coll::Allreduce | Coll::Reduce | Coll::ReduceScatter);
        let mut memory: Vec<BTreeMap<u32, BTreeSet<u32>>> = vec![BTreeMap::new(); ranks as usize];
        let holds = |memory: &BTreeMap<u32, BTreeSet<u32>>, rank: u32, chunk: u32| {
            memory.get(&chunk).cloned().unwrap_or_else(|| BTreeSet::from([rank]))
        };
        let mut left: Vec<u32> = (0..ops.len() as u32).map(|op| self.schedule.needs(op)).collect();
        ops.iter().zip(&mut left).for_each(|(op, left)| *left += u32::from(op.what == What::Recv));
        // Sends go first: what an exchange sends is what was there before it received.
        let ranked = |op: u32| (ops[op as usize].what == What::Recv, op);
        let mut ready: BTreeSet<(bool, u32)> =
            (0..left.len() as u32).filter(|&op| left[op as usize] == 0).map(ranked).collect();
        let (mut runs, mut order, mut under_way) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
        while let Some((_, op)) = ready.pop_first() {
            order.push(op);
            let (own, rank) = (&ops[op as usize], self.owners[op as usize]);
            let mut next: Vec<u32> = self.schedule.after(op).map(|after| after.0).collect();
            if own.what == What::Send {
                let chunks = self.chunks_of(op, rank)?;
                let content: Vec<_> =
                    chunks.iter().map(|&chunk| (chunk, holds(&memory[rank as usize], rank, chunk))).collect();
                under_way.insert(own.partner, content);
                next.push(own.partner);
            }
            if own.what == What::Recv {
                let mut chunks = Vec::new();
                for (chunk, content) in under_way.remove(&op).unwrap_or_default() {
                    let there = holds(&memory[rank as usize], rank, chunk);
                    let is_added = is_sum && there.is_disjoint(&content);
                    let kept = if is_added { &there | &content } else { content };
                    memory[rank as usize].insert(chunk, kept);
                    chunks.push((chunk, is_added));
                }
                runs.insert(own.partner, joined(chunks));
            }
            for later in next {
                left[later as usize] -= 1;
                if left[later as usize] == 0 {
                    ready.insert(ranked(later));
                }
            }
        }
        Ok((runs, order))
    }

    /// The chunks that a send carries, sorted.
    fn chunks_of(&self, op: u32, rank: u32) -> std::result::Result<Vec<u32>, String> {
        let to = self.schedule.ops()[op as usize].peer;
        let blocks = self.carried.get(&op).map(Vec::as_slice).unwrap_or_default();
        let passes = |&(origin, block): &(u32, u32)| origin != ANY && (origin != rank || block != to);
        if self.coll == Coll::Alltoall && blocks.iter().any(passes) {
            return Err("its blocks pass through other ranks, for which no buffer is laid out".into());
        }
        Ok(blocks.iter().map(|block| block.1).collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn gpu(
        &self,
        rank: u32,
        runs: &Runs,
        order: &[u32],
        needs: &[BTreeSet<u32>],
        channels: &BTreeMap<u32, u32>,
    ) -> Gpu {
        let mut blocks: BTreeMap<Key, Waiting> = BTreeMap::new();
        let mut ends: BTreeMap<u32, End> = BTreeMap::new();
        for &op in order.iter().filter(|&&op| self.owners[op as usize] == rank) {
            let own = &self.schedule.ops()[op as usize];
            let sends = own.what == What::Send;
            let key = if sends { op } else { own.partner };
            let (Some(runs), Some(&channel)) = (runs.get(&key), channels.get(&op)) else { continue };
            let block = Key { peer: own.peer, sends, channel };
            let mut waits = last_of_each(needs[op as usize].iter().filter_map(|before| ends.get(before)), block);
            let steps = blocks.entry(block).or_default();
            for &run in runs {
                steps.push((self.step(run, sends, rank, own.peer), std::mem::take(&mut waits)));
            }
            ends.insert(op, (block, steps.len() - 1));
        }
        let mut blocks: Vec<_> = blocks.into_iter().collect();
        if self.coll == Coll::Alltoall {
            let own = self.step(Run { first: rank, count: 1, is_added: false }, false, rank, rank);
            let copy =
                Step { kind: StepKind::Copy, source: Span { buffer: Buffer::Input, first: i64::from(rank) }, ..own };
            blocks.insert(0, (Key { peer: rank, sends: false, channel: 0 }, vec![(copy, Vec::new())]));
        }
        let chunks = self.chunks();
        let sizes = match self.coll {
            Coll::Allgather => [1, chunks, 0],
            Coll::ReduceScatter => [chunks, 1, 0],
            _ => [chunks, chunks, 0],
        };
        Gpu { id: i64::from(rank), sizes, blocks: numbered(blocks, rank), line: 0 }
    }

    fn step(&self, Run { first, count, is_added }: Run, sends: bool, rank: u32, peer: u32) -> Step {
        let kind = match (sends, is_added) {
            (true, _) => StepKind::Send,
            (false, true) => StepKind::ReceiveReduceCopy,
            (false, false) => StepKind::Receive,
        };
        let at = |buffer, first: u32| Span { buffer, first: i64::from(first) };
        // An all-to-all's block is the input for the receiver and the output of the sender.
        let (source, target) = match self.coll {
            Coll::Alltoall => {
                let (to, from) = if sends { (peer, rank) } else { (rank, peer) };
                (at(Buffer::Input, to), at(Buffer::Output, from))
            }
            Coll::ReduceScatter => (at(Buffer::Input, first), at(Buffer::Input, first)),
            _ => (at(Buffer::Output, first), at(Buffer::Output, first)),
        };
        Step { id: 0, kind, source, target, count: i64::from(count), needs: (-1, -1), tells: false, line: 0 }
    }
}

/// Chunks that follow each other, as runs that one step moves.
fn joined(chunks: Vec<(u32, bool)>) -> Vec<Run> {
    let same = |a: &(u32, bool), b: &(u32, bool)| a.0 + 1 == b.0 && a.1 == b.1;
    let runs = chunks.chunk_by(same).flat_map(|run| run.chunks(MOST_COUNT));
    runs.map(|run| Run { first: run[0].0, count: run.len() as u32, is_added: run[0].1 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::collective::{LIST, sized};

    /// Every algorithm but those whose blocks pass through others; what is read again is the same program.
    #[test]
    fn algorithms_are_written_as_programs_that_are_right() {
        let mut written = 0;
        for algorithm in LIST.iter().filter(|a| a.operation != Operation::Barrier) {
            let name = algorithm.entry().name;
            for (ranks, root, segment) in [(2, 0, 0), (4, 3, 0), (7, 2, 300), (8, 0, 0), (12, 5, 300)] {
                let cores = if ranks % 4 == 0 { 4 } else { 1 };
                let keys = Keys { root, segment, ..sized(1200, cores) };
                match program(algorithm, &keys, ranks) {
                    Ok(program) => {
                        let again = super::super::read(name, &text(&program)).expect("own XML");
                        assert_eq!(text(&again), text(&program), "{name}");
                        written += 1;
                    }
                    Err(e) => assert!(e.to_string().contains("pass through other ranks"), "{e}"),
                }
            }
        }
        assert!(written > 80, "{written}");
    }

    #[test]
    fn long_connections_go_on_with_another_channel() {
        let ring = of_collective("allgather-ring", 70, 8).expect("a ring");
        assert!(ring.channels > 1 && ring.gpus[0].blocks.iter().all(|block| block.steps.len() <= MOST_STEPS));
        let direct = of_collective("linear", 70, 8).expect_err("too many blocks").to_string();
        assert!(direct.contains("blocks, expected at most 64"), "{direct}");
    }
}
