//! The clock of a recording: what times between calls and in them are measured with.
//!
//! `HOPLINE_RECORD_CLOCK=wall` (the default), or `cpu`: the processor time of the
//! thread that calls, so that ranks which share a core record what they computed
//! and not what they waited for each other.

use crate::say;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// What times are measured with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Time that goes by.
    Wall,
    /// Time for which the calling thread has run.
    Cpu,
}

static IS_CPU: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// When the last call of this thread ended, on its own clock.
    static LAST_END: Cell<u64> = const { Cell::new(0) };
}

/// Takes the clock that the environment names.
pub(crate) fn choose() -> Clock {
    let name = std::env::var("HOPLINE_RECORD_CLOCK").unwrap_or_default();
    let clock = match name.as_str() {
        "cpu" => Clock::Cpu,
        "" | "wall" => Clock::Wall,
        _ => {
            say(&format!("HOPLINE_RECORD_CLOCK is `{name}`, expected wall or cpu: wall is taken"));
            Clock::Wall
        }
    };
    IS_CPU.store(clock == Clock::Cpu, Ordering::Relaxed);
    LAST_END.set(now());
    clock
}

/// Nanoseconds on the clock of the recording.
#[inline]
pub(crate) fn now() -> u64 {
    if IS_CPU.load(Ordering::Relaxed) { crate::clock(libc::CLOCK_THREAD_CPUTIME_ID) } else { crate::now() }
}

/// A call of this thread has ended.
pub(crate) fn ended(end: u64) {
    LAST_END.set(end);
}

impl Clock {
    /// When the call before ended: the thread's last one where every thread has a clock of its own, else the rank's.
    pub(crate) fn last_end(self, of_rank: u64) -> u64 {
        if self == Clock::Cpu { LAST_END.get() } else { of_rank }
    }
}
