//! What ranks do next: operations that may begin, and the turns of their processors.

use super::Engine;
use crate::error::Result;
use crate::replay::NONE;
use crate::replay::events::EventKind;
use crate::replay::log::BY_MESSAGE;
use crate::replay::message::{Message, What};
use crate::replay::model::Rate;
use crate::replay::ranks::{LAST, POSTED, RECV, SEND, WANTED};

impl Engine<'_> {
    /// A rank begins its next play.
    pub(super) fn enter(&mut self, rank: u32, t: u64) {
        let schedule = self.input.schedule;
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
        self.input.schedule.ops()[op as usize].amount <= self.input.model.eager
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
        let recv = &self.input.schedule.ops()[op as usize];
        self.launch(What::Grant, (recv.partner, recv.peer), t, self.ranks.log.cause(op))
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
        let (state, model) = (self.ranks.states[op as usize], self.input.model);
        let amount = || self.input.schedule.ops()[op as usize].amount;
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
            self.launch(What::Data, (op, rank), t, sent)?;
        } else {
            let sent = self.ranks.log.record(rank, op, t);
            self.ranks.ranks[rank as usize].last = sent;
            self.launch(What::Request, (op, rank), t, sent)?;
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
        for (next, at_begin) in self.input.schedule.after(op) {
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
    pub(super) fn received(&mut self, data: &Message, t: u64) -> Result<()> {
        let Message { op: send, recv, receiver: rank, eager, cause, .. } = *data;
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
            let sender = self.input.schedule.ops()[recv as usize].peer;
            self.ranks.log.set(send, cause);
            self.complete(sender, send, t);
        }
        self.settle(t)
    }

    /// A large message asks for its receive.
    pub(super) fn requested(&mut self, (send, sender): (u32, u32), t: u64, cause: u32) -> Result<()> {
        let recv = self.input.schedule.ops()[send as usize].partner;
        let state = &mut self.ranks.states[recv as usize];
        if state.early & POSTED == 0 {
            state.early += 1;
            return Ok(());
        }
        self.launch(What::Grant, (send, sender), t, cause)
    }
}
