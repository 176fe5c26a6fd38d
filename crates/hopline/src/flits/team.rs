//! Members that threads advance side by side: every thread has members of its own, which stay in the cache of its core.
//!
//! Threads wait for each other once in a stretch: what members have sent to each other in one is received at the beginning of the next, and
//! meanwhile they write to other boxes. It shares nothing with the simulation, so that a model checker can try all orders.

use super::rounds::{LeavesOnPanic, Rounds};
use crate::sync::{Mutex, MutexGuard};
use std::mem::swap;
use std::sync::PoisonError;

/// What threads advance.
pub(super) trait Member {
    /// What one tells another.
    type Mail: Default;

    /// Simulates the cycles `from..to`.
    fn advance(&mut self, from: u32, to: u32);
    /// What it has for each, itself included.
    fn outgoing(&mut self) -> &mut [Self::Mail];
    /// Takes in what another had for it, which is empty from now on.
    fn receive(&mut self, mail: &mut Self::Mail);
}

/// What each member sends to each in a stretch, and what it sent in the one before.
#[derive(Debug)]
pub(super) struct Boxes<T>([Vec<Vec<Mutex<T>>>; 2]);

impl<T: Default> Boxes<T> {
    pub(super) fn new(members: usize) -> Boxes<T> {
        let row = || (0..members).map(|_| Mutex::new(T::default())).collect();
        let set = || (0..members).map(|_| row()).collect();
        Boxes([set(), set()])
    }
}

/// When threads meet in the cycles that are simulated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cycles {
    pub(super) from: u32,
    pub(super) to: u32,
    /// So many at most until members hear of each other.
    pub(super) stride: u32,
    /// So many at most until one thread does what nobody else may work beside.
    pub(super) window: Option<u32>,
}

/// Members, and what their threads share.
pub(super) struct Team<'a, M: Member> {
    /// Each with the cycle up to which it is simulated.
    members: Vec<Mutex<(u32, M)>>,
    boxes: &'a Boxes<M::Mail>,
    cycles: Cycles,
    threads: usize,
    rounds: &'a Rounds,
}

impl<'a, M: Member> Team<'a, M> {
    /// For so many threads; a round has a piece for each member.
    pub(super) fn new(
        members: impl Iterator<Item = M>,
        boxes: &'a Boxes<M::Mail>,
        cycles: Cycles,
        threads: usize,
        rounds: &'a Rounds,
    ) -> Team<'a, M> {
        let members = members.map(|member| Mutex::new((cycles.from, member))).collect();
        Team { members, boxes, cycles, threads, rounds }
    }

    /// What one of the threads does; the first one does `between` at the end of every window. After the last cycle members have
    /// nothing to receive.
    ///
    /// # Errors
    /// That of `between`. Other threads end, too.
    pub(super) fn work<E>(&self, thread: usize, mut between: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let Cycles { from, to: end, stride, window } = self.cycles;
        let _alarm = LeavesOnPanic(self.rounds);
        let (mut now, mut turn, mut round) = (from, 0, 0);
        while now < end {
            let heard = window.map_or(end, |window| end.min(now.saturating_add(window)));
            while now < heard {
                let to = heard.min(now.saturating_add(stride));
                self.each(thread, |m, (at, member)| {
                    if *at == now {
                        self.receive(m, member, 1 - turn);
                        member.advance(now, to);
                        let sent = &self.boxes.0[turn][m];
                        sent.iter().zip(member.outgoing()).for_each(|(to, mail)| swap(&mut *lock(to), mail));
                        *at = to;
                        self.rounds.done();
                    }
                });
                // Of a process without parts.
                if self.members.is_empty() {
                    self.rounds.done();
                }
                if !self.rounds.wait(round) {
                    return Ok(());
                }
                (now, turn, round) = (to, 1 - turn, round + 1);
            }
            if window.is_some() {
                if thread == 0 {
                    between().inspect_err(|_| self.rounds.leave())?;
                    self.rounds.end();
                }
                if !self.rounds.wait(round) {
                    return Ok(());
                }
                round += 1;
            }
        }
        self.each(thread, |m, (at, member)| {
            if *at == end {
                self.receive(m, member, 1 - turn);
                *at = u32::MAX;
            }
        });
        Ok(())
    }

    /// Looks at all members at once. The threads have to wait meanwhile.
    pub(super) fn all<R>(&self, look: impl FnOnce(&mut dyn Iterator<Item = &mut M>) -> R) -> R {
        let mut members: Vec<_> = self.members.iter().map(lock).collect();
        look(&mut members.iter_mut().map(|member| &mut member.1))
    }

    /// Comes to the members of a thread, then to those of others that nobody is at. Who is late finds that all is done.
    fn each(&self, thread: usize, mut come: impl FnMut(usize, &mut (u32, M))) {
        let members = self.members.len();
        let first = |thread: usize| thread * members / self.threads;
        let own = first(thread)..first(thread + 1);
        // Somebody may just look whether there is something to do.
        own.clone().for_each(|m| come(m, &mut lock(&self.members[m])));
        for m in (own.end..own.start + members).map(|m| m % members) {
            // Who is at it does for it what is to be done, or its own thread will.
            if let Ok(mut member) = self.members[m].try_lock() {
                come(m, &mut member);
            }
        }
    }

    /// What others have sent. Each begins with another of them, so that they do not wait for each other.
    fn receive(&self, m: usize, member: &mut M, turn: usize) {
        let rows = &self.boxes.0[turn];
        rows[m..].iter().chain(&rows[..m]).for_each(|row| member.receive(&mut lock(&row[m])));
    }
}

/// What a thread that panicked has left is not looked at any more: the others end, too.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
