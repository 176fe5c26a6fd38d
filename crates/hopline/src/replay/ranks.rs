//! Ranks: which operations may begin, and what their processors do.

use super::NONE;
use super::Record;
use super::engine::{Engine, EventKind};
use super::log::{BY_MESSAGE, Log};
use super::message::What as Message;
use super::model::Rate;
use super::timeline::Processors;
use crate::error::Result;
use crate::schedule::{Schedule, What};
use std::collections::VecDeque;

/// A receive that is posted and waits.
const POSTED: u32 = 1 << 31;

/// A rank.
#[derive(Debug, Clone, Copy)]
struct Rank {
    /// Its place in the program, and plays of that line that have begun.
    step: u32,
    turn: u32,
    /// Operations of this play that are not done.
    left: u32,
    /// What its processor does, and what waits for it.
    task: u32,
    head: u32,
    tail: u32,
    /// The record of what its processor did last.
    last: u32,
    finish: u64,
}

/// An operation in the play that its rank is in. It knows what it does, so that most receives need
/// not be looked up.
#[derive(Debug, Clone, Copy)]
struct State {
    /// Others that must be done or begun before, then the next that waits for the processor, and what it is: `SEND`,
    /// `RECV`, `WANTED`.
    left: u32,
    /// Of a receive: messages or requests that came too early, and `POSTED`.
    early: u32,
}

/// It sends, or receives; others wait for it.
const SEND: u32 = 1 << 31;
const RECV: u32 = 1 << 30;
const WANTED: u32 = 1 << 29;

/// The last that waits for the processor.
const LAST: u32 = WANTED - 1;

impl State {
    /// Also answers whether any waits for its beginning.
    fn new(schedule: &Schedule, op: u32, begin_counts: &mut bool) -> State {
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
    fn needs(&self) -> u32 {
        self.left & LAST
    }

    /// Writes who comes behind it where it waits for the processor; 0 where it does not wait.
    #[inline]
    fn set_next(&mut self, next: u32) {
        self.left = self.left & !LAST | next;
    }

    #[inline]
    fn is(&self, what: u32) -> bool {
        self.left & what != 0
    }
}

/// All ranks and operations.
pub(super) struct Ranks {
    ranks: Vec<Rank>,
    states: Vec<State>,
    /// Messages so far of each send or receive, where there is more than one play.
    counts: Vec<u32>,
    /// (rank, operation) that may begin now.
    ready: VecDeque<(u32, u32)>,
    /// Ranks that are not at the end of their program.
    pub(super) running: u32,
    /// Whether the beginning of operations matters.
    begin_counts: bool,
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

impl Engine<'_> {
    /// A rank begins its next play.
    pub(super) fn enter(&mut self, rank: u32, t: u64) {
        let schedule = self.setting.schedule;
        let ranks = &mut self.ranks;
        let r = &mut ranks.ranks[rank as usize];
        r.finish = t;
        while let Some(play) = schedule.program().get(r.step as usize) {
            let own = schedule.of(play.body, rank);
            if r.turn == play.times || own.is_empty() {
                (r.step, r.turn) = (r.step + 1, 0);
                continue;
            }
            r.turn += 1;
            r.left = own.len() as u32;
            for op in own {
                let needs = schedule.needs(op);
                ranks.states[op as usize].left += needs;
                if needs == 0 {
                    ranks.log.set(op, r.last);
                    ranks.ready.push_back((rank, op));
                }
            }
            return;
        }
        ranks.running -= 1;
    }

    /// Begins all that may begin now.
    #[inline(always)]
    pub(super) fn settle(&mut self, t: u64) -> Result<()> {
        if self.ranks.ready.is_empty() { Ok(()) } else { self.settle_all(t) }
    }

    fn settle_all(&mut self, t: u64) -> Result<()> {
        while let Some((rank, op)) = self.ranks.ready.pop_front() {
            if self.ranks.states[op as usize].is(RECV) {
                self.post(rank, op, t)?;
            } else {
                self.work(rank, op, t)?;
            }
        }
        Ok(())
    }

    /// Whether a message of an operation needs no receive to leave.
    pub(super) fn is_eager(&self, op: u32) -> bool {
        self.setting.schedule.ops()[op as usize].amount <= self.setting.model.eager
    }

    fn post(&mut self, rank: u32, op: u32, t: u64) -> Result<()> {
        self.release(rank, op, true, NONE);
        let state = &mut self.ranks.states[op as usize];
        if state.early == 0 {
            state.early = POSTED;
            return Ok(());
        }
        state.early -= 1;
        if self.is_eager(op) {
            return self.work(rank, op, t);
        }
        self.ranks.states[op as usize].early |= POSTED;
        let recv = &self.setting.schedule.ops()[op as usize];
        self.launch(Message::Grant, (recv.partner, recv.peer), t, self.ranks.log.cause(op))
    }

    /// Gives the processor of a rank something to do.
    fn work(&mut self, rank: u32, op: u32, t: u64) -> Result<()> {
        let ranks = &mut self.ranks;
        let r = &mut ranks.ranks[rank as usize];
        if r.task == NONE {
            return self.begin(rank, op, t);
        }
        match r.tail {
            NONE => r.head = op,
            tail => ranks.states[tail as usize].set_next(op),
        }
        r.tail = op;
        ranks.states[op as usize].set_next(LAST);
        Ok(())
    }

    fn begin(&mut self, rank: u32, op: u32, t: u64) -> Result<()> {
        let (state, model) = (self.ranks.states[op as usize], self.setting.model);
        let amount = || self.setting.schedule.ops()[op as usize].amount;
        let cost = if !state.is(SEND | RECV) {
            amount().saturating_mul(1000)
        } else if model.overhead_per_byte == Rate::default() {
            model.overhead
        } else {
            model.overhead.saturating_add(model.overhead_per_byte.time(amount().saturating_sub(1)))
        };
        if !state.is(RECV) {
            self.release(rank, op, true, NONE);
        }
        if cost == 0 {
            return self.done(rank, op, t);
        }
        if let Some(processors) = &mut self.ranks.processors {
            processors.add(rank, t, t.saturating_add(cost));
        }
        self.ranks.ranks[rank as usize].task = op;
        self.queue.push_steady(t.saturating_add(cost), EventKind::Processor, rank);
        Ok(())
    }

    /// The processor of a rank is done with its task.
    pub(super) fn processor(&mut self, rank: u32, t: u64) -> Result<()> {
        let mut task = self.ranks.ranks[rank as usize].task;
        self.done(rank, task, t)?;
        // Until here the rank counts as busy, so that nothing overtakes what waits.
        loop {
            self.settle(t)?;
            let ranks = &mut self.ranks;
            let r = &mut ranks.ranks[rank as usize];
            r.task = NONE;
            if r.head == NONE {
                return Ok(());
            }
            task = r.head;
            r.head = ranks.states[task as usize].needs();
            ranks.states[task as usize].set_next(0);
            if r.head == LAST {
                (r.head, r.tail) = (NONE, NONE);
            }
            ranks.log.set(task, r.last);
            self.begin(rank, task, t)?;
            let r = &mut self.ranks.ranks[rank as usize];
            if r.task != NONE {
                return self.settle(t);
            }
            r.task = task;
        }
    }

    /// What follows when the processor has done its part of an operation.
    fn done(&mut self, rank: u32, op: u32, t: u64) -> Result<()> {
        if !self.ranks.states[op as usize].is(SEND) {
            self.complete(rank, op, t);
        } else if self.is_eager(op) {
            let sent = self.complete(rank, op, t);
            self.launch(Message::Data, (op, rank), t, sent)?;
        } else {
            let sent = self.ranks.log.record(rank, op, t);
            self.ranks.ranks[rank as usize].last = sent;
            self.launch(Message::Request, (op, rank), t, sent)?;
        }
        Ok(())
    }

    /// An operation is done: its record.
    fn complete(&mut self, rank: u32, op: u32, t: u64) -> u32 {
        let record = self.ranks.log.record(rank, op, t);
        self.ranks.ranks[rank as usize].last = record;
        self.release(rank, op, false, record);
        let r = &mut self.ranks.ranks[rank as usize];
        r.left -= 1;
        if r.left == 0 {
            self.enter(rank, t);
        }
        record
    }

    /// Those that waited for the beginning or the end of an operation wait no longer.
    #[inline(always)]
    fn release(&mut self, rank: u32, op: u32, begun: bool, record: u32) {
        let ranks = &self.ranks;
        if (!begun || ranks.begin_counts) && ranks.states[op as usize].is(WANTED) {
            self.release_others(rank, op, begun, record);
        }
    }

    fn release_others(&mut self, rank: u32, op: u32, begun: bool, record: u32) {
        let ranks = &mut self.ranks;
        let cause = if begun { ranks.log.cause(op) } else { record };
        for (next, at_begin) in self.setting.schedule.after(op) {
            if at_begin != begun {
                continue;
            }
            let state = &mut ranks.states[next as usize];
            state.left -= 1;
            if state.needs() == 0 {
                ranks.log.set(next, cause);
                ranks.ready.push_back((rank, next));
            }
        }
    }

    /// The data of a send is at its receiver.
    pub(super) fn received(
        &mut self,
        (send, recv, rank): (u32, u32, u32),
        eager: bool,
        t: u64,
        cause: u32,
    ) -> Result<()> {
        self.ranks.log.arrive(recv, t);
        if eager && let Some(count) = self.ranks.counts.get_mut(recv as usize) {
            *count += 1;
        }
        let state = &mut self.ranks.states[recv as usize];
        if eager && state.early & POSTED == 0 {
            state.early += 1;
            return Ok(());
        }
        state.early &= !POSTED;
        self.ranks.log.set(recv, if cause == NONE { NONE } else { cause | BY_MESSAGE });
        self.work(rank, recv, t)?;
        if !eager {
            let sender = self.setting.schedule.ops()[recv as usize].peer;
            self.ranks.log.set(send, cause);
            self.complete(sender, send, t);
        }
        self.settle(t)
    }

    /// A large message asks for its receive.
    pub(super) fn requested(&mut self, (send, sender): (u32, u32), t: u64, cause: u32) -> Result<()> {
        let recv = self.setting.schedule.ops()[send as usize].partner;
        let state = &mut self.ranks.states[recv as usize];
        if state.early & POSTED == 0 {
            state.early += 1;
            return Ok(());
        }
        self.launch(Message::Grant, (send, sender), t, cause)
    }
}
