//! Members that threads advance side by side: every thread has members of its own, which stay in the cache of its core.
//!
//! Threads meet once in a stretch: what members have sent to each other in one is received at the beginning of the next, and
//! meanwhile they write to other boxes. It shares nothing with the simulation, so that a model checker can try all orders.

use super::barrier::{Barrier, LeavesOnPanic};
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
    barrier: &'a Barrier,
}

impl<'a, M: Member> Team<'a, M> {
    /// Of as many threads as meet there.
    pub(super) fn new(
        members: impl Iterator<Item = M>,
        boxes: &'a Boxes<M::Mail>,
        cycles: Cycles,
        barrier: &'a Barrier,
    ) -> Team<'a, M> {
        let members = members.map(|member| Mutex::new((cycles.from, member))).collect();
        Team { members, boxes, cycles, barrier }
    }

    /// What one of the threads does, and at the end of every window `between`, which one thread alone gives. After the last
    /// cycle members have nothing to receive.
    ///
    /// # Errors
    /// That of `between`. Other threads end, too.
    pub(super) fn work<E>(&self, thread: usize, mut between: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let Cycles { from, to: end, stride, window } = self.cycles;
        let _alarm = LeavesOnPanic(self.barrier);
        let (mut now, mut turn) = (from, 0);
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
                    }
                });
                if !self.barrier.wait() {
                    return Ok(());
                }
                (now, turn) = (to, 1 - turn);
            }
            if window.is_some() {
                between().inspect_err(|_| self.barrier.leave())?;
                if !self.barrier.wait() {
                    return Ok(());
                }
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

    /// Comes to the members of a thread, then to those of others that nobody is at.
    fn each(&self, thread: usize, mut come: impl FnMut(usize, &mut (u32, M))) {
        let (members, threads) = (self.members.len(), self.barrier.size());
        let first = |thread: usize| thread * members / threads;
        let own = first(thread)..first(thread + 1);
        // Of one for each thread nothing is left for others.
        let others = if members > threads { own.end..own.start + members } else { 0..0 };
        for m in own.chain(others).map(|m| m % members) {
            // Who is at it does for it what is to be done.
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
