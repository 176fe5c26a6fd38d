//! Where threads wait for each other many thousand times a second.
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

/// A place where so many threads meet again and again.
#[derive(Debug)]
pub(super) struct Barrier {
    size: usize,
    patience: Patience,
    arrived: Apart<AtomicUsize>,
    /// Twice the number of times at which all were here; [`GONE`] is added where one will not come any more.
    round: Apart<AtomicUsize>,
    sleeping: Mutex<usize>,
    wake: Condvar,
}

const GONE: usize = 1;

impl Barrier {
    /// For so many threads.
    pub(super) fn new(size: usize, patience: Patience) -> Barrier {
        let zero = || Apart(AtomicUsize::new(0));
        Barrier { size, patience, arrived: zero(), round: zero(), sleeping: Mutex::new(0), wake: Condvar::new() }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Waits until all are here. What they did before is seen by all then. False where one has gone.
    pub(super) fn wait(&self) -> bool {
        // Nobody leaves a round before all have come to it, so that it is the same for all of them.
        let round = self.round.0.load(Acquire);
        if round & GONE != 0 {
            return false;
        }
        if self.arrived.0.fetch_add(1, AcqRel) + 1 == self.size {
            self.arrived.0.store(0, Relaxed);
            self.round.0.fetch_add(2, Release);
            self.wake_all();
        } else {
            self.sleep_until_after(round);
        }
        self.round.0.load(Acquire) & GONE == 0
    }

    /// Who waits, or will, need not wait any longer.
    pub(super) fn leave(&self) {
        self.round.0.fetch_or(GONE, Release);
        self.wake_all();
    }

    fn sleep_until_after(&self, round: usize) {
        let goes_on = || self.round.0.load(Acquire) != round;
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

    /// Who is about to sleep either sees the new round or is counted.
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
pub(super) struct LeavesOnPanic<'a>(pub(super) &'a Barrier);

impl Drop for LeavesOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.leave();
        }
    }
}
