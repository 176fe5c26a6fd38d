//! Ranks: which operations may begin, and what their processors do.

use super::NONE;
use super::Record;
use super::log::Log;
use super::timeline::Processors;
use crate::schedule::{Schedule, What};
use std::collections::VecDeque;

/// A receive that is posted and waits.
pub(super) const POSTED: u32 = 1 << 31;

/// A rank.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rank {
    /// Its place in the program, and plays of that line that have begun.
    pub(super) step: u32,
    pub(super) turn: u32,
    /// Operations of this play that are not done.
    pub(super) left: u32,
    /// What its processor does, and what waits for it.
    pub(super) task: u32,
    pub(super) head: u32,
    pub(super) tail: u32,
    /// The record of what its processor did last.
    pub(super) last: u32,
    pub(super) finish: u64,
}

/// An operation in the play that its rank is in. It knows what it does, so that most receives need
/// not be looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    /// Others that must be done or begun before, then the next that waits for the processor, and what it is: `SEND`,
    /// `RECV`, `WANTED`.
    pub(super) left: u32,
    /// Of a receive: messages or requests that came too early, and `POSTED`.
    pub(super) early: u32,
}

/// It sends, or receives; others wait for it.
pub(super) const SEND: u32 = 1 << 31;
pub(super) const RECV: u32 = 1 << 30;
pub(super) const WANTED: u32 = 1 << 29;

/// The last that waits for the processor.
pub(super) const LAST: u32 = WANTED - 1;

impl State {
    /// Also answers whether any waits for its beginning.
    pub(super) fn new(schedule: &Schedule, op: u32, begin_counts: &mut bool) -> State {
        let what = match schedule.ops()[op as usize].what {
            What::Send => SEND,
            What::Recv => RECV,
            What::Compute => 0,
        };
        let mut wanted = 0;
        for (_, begun) in schedule.after(op) {
            wanted = WANTED;
            *begin_counts |= begun;
        }
        State { left: what | wanted, early: 0 }
    }

    /// Others that must be done or begun before.
    #[inline]
    pub(super) fn needs(&self) -> u32 {
        self.left & LAST
    }

    /// Writes who comes behind it where it waits for the processor; 0 where it does not wait.
    #[inline]
    pub(super) fn set_next(&mut self, next: u32) {
        self.left = self.left & !LAST | next;
    }

    #[inline]
    pub(super) fn is(&self, what: u32) -> bool {
        self.left & what != 0
    }
}

/// All ranks and operations.
pub(super) struct Ranks {
    pub(super) ranks: Vec<Rank>,
    pub(super) states: Vec<State>,
    /// Messages so far of each send or receive, where there is more than one play.
    pub(super) counts: Vec<u32>,
    /// (rank, operation) that may begin now.
    pub(super) ready: VecDeque<(u32, u32)>,
    /// Ranks that are not at the end of their program.
    pub(super) running: u32,
    /// Whether the beginning of operations matters.
    pub(super) begin_counts: bool,
    pub(super) log: Log,
    /// When processors were busy, where somebody asks.
    pub(super) processors: Option<Processors>,
}

impl Ranks {
    pub(super) fn new(schedule: &Schedule, record: &Record) -> Ranks {
        let rank = Rank { step: 0, turn: 0, left: 0, task: NONE, head: NONE, tail: NONE, last: NONE, finish: 0 };
        let (ops, mut begin_counts) = (schedule.ops().len(), false);
        let states = (0..ops as u32).map(|op| State::new(schedule, op, &mut begin_counts)).collect();
        Ranks {
            ranks: vec![rank; schedule.ranks() as usize],
            states,
            counts: vec![0; if schedule.is_repeated() { ops } else { 0 }],
            ready: VecDeque::new(),
            running: schedule.ranks(),
            begin_counts,
            log: Log::new(if record.critical { ops } else { 0 }),
            processors: record.watch.as_ref().map(|watch| Processors::new(watch, schedule.ranks())),
        }
    }

    pub(super) fn finish(&self) -> Vec<u64> {
        self.ranks.iter().map(|r| r.finish).collect()
    }

    /// An operation that a rank waits for, where it is not at its end.
    pub(super) fn unfinished(&self, schedule: &Schedule, rank: u32) -> Option<u32> {
        let r = &self.ranks[rank as usize];
        let play = schedule.program().get(r.step as usize)?;
        let mut own = schedule.of(play.body, rank);
        let begun = |op: u32| self.states[op as usize].needs() == 0;
        let posted = |op: u32| schedule.ops()[op as usize].what != What::Recv || self.states[op as usize].early != 0;
        own.clone().find(|&op| begun(op) && posted(op)).or(own.next())
    }

    /// The number of a message of an operation.
    pub(super) fn count(&mut self, op: u32) -> u32 {
        let Some(count) = self.counts.get_mut(op as usize) else { return 0 };
        *count += 1;
        *count - 1
    }

    /// Reads the state of an operation, for the cache.
    #[inline]
    pub(super) fn glance_at(&self, op: u32) -> u32 {
        self.states[op as usize].early
    }

    /// Whether message `number` is the next for a receive.
    pub(super) fn is_next(&self, recv: u32, number: u32) -> bool {
        self.counts.get(recv as usize).is_none_or(|&count| count == number)
    }
}
