//! Rounds of work, many thousand a second, at whose end threads wait for each other.
//!
//! `std::sync::Barrier` puts all to sleep that wait, and to wake one takes as long as a small part of a network takes for many
//! cycles. Here they look out for the others for some microseconds, then let other threads have the core, and only then sleep.

use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, spin_loop, yield_now};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// How a thread waits before it sleeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// How often it looks, some nanoseconds each.
    pub(super) looks: u32,
    /// How often it looks, and lets others have the core in between.
    pub(super) yields: u32,
}

/// What is written often, apart from all else in the cache.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// Work in rounds, of so many pieces each: a round is over when its pieces are done, whoever did them, so that nobody has to
/// wait for a thread whose core somebody else has.
#[derive(Debug)]
pub(super) struct Rounds {
    pieces: usize,
    patience: Patience,
    done: Apart<AtomicUsize>,
    /// Twice the number of rounds that are over; [`GONE`] is added where one of the threads will not come any more.
    over: Apart<AtomicUsize>,
    sleeping: Mutex<usize>,
    wake: Condvar,
}

const GONE: usize = 1;

impl Rounds {
    /// Of one piece at least.
    pub(super) fn new(pieces: usize, patience: Patience) -> Rounds {
        let zero = || Apart(AtomicUsize::new(0));
        Rounds {
            pieces: pieces.max(1),
            patience,
            done: zero(),
            over: zero(),
            sleeping: Mutex::new(0),
            wake: Condvar::new(),
        }
    }

    /// A piece of the round is done. What was done in a round is seen by all who waited for its end.
    pub(super) fn done(&self) {
        if self.done.0.fetch_add(1, AcqRel) + 1 == self.pieces {
            self.done.0.store(0, Relaxed);
            self.end();
        }
    }

    /// The round is over.
    pub(super) fn end(&self) {
        self.over.0.fetch_add(2, Release);
        self.wake_all();
    }

    /// Waits until the round of that number is over, from 0 on. False where a thread has gone.
    pub(super) fn wait(&self, round: usize) -> bool {
        let is_over = || {
            let over = self.over.0.load(Acquire);
            over & GONE != 0 || over / 2 > round
        };
        self.sleep_until(is_over);
        self.over.0.load(Acquire) & GONE == 0
    }

    /// Who waits, or will, need not wait any longer.
    pub(super) fn leave(&self) {
        self.over.0.fetch_or(GONE, Release);
        self.wake_all();
    }

    fn sleep_until(&self, goes_on: impl Fn() -> bool) {
        for _ in 0..self.patience.looks {
            if goes_on() {
                return;
            }
            spin_loop();
        }
        for _ in 0..self.patience.yields {
            if goes_on() {
                return;
            }
            yield_now();
        }
        let mut sleeping = self.sleeping();
        *sleeping += 1;
        while !goes_on() {
            sleeping = self.wake.wait(sleeping).unwrap_or_else(PoisonError::into_inner);
        }
        *sleeping -= 1;
    }

    /// Who is about to sleep either sees that the round is over or is counted.
    fn wake_all(&self) {
        if *self.sleeping() > 0 {
            self.wake.notify_all();
        }
    }

    fn sleeping(&self) -> MutexGuard<'_, usize> {
        self.sleeping.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leaves where the thread that has it panics, so that no other waits for it.
pub(super) struct LeavesOnPanic<'a>(pub(super) &'a Rounds);

impl Drop for LeavesOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.leave();
        }
    }
}
