//! What keeps the layer's own errors from the program.

use crate::say;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};

/// What is on, as bits.
pub(crate) static ON: AtomicU8 = AtomicU8::new(0);

/// What goes wrong here must not reach the program: it is said, and this layer steps aside.
#[inline(always)]
pub(crate) fn safely<T>(run: impl FnOnce() -> T) -> Option<T> {
    let run = || {
        #[cfg(test)]
        tests::breaks();
        run()
    };
    let result = catch_unwind(AssertUnwindSafe(run)).ok();
    if result.is_none() {
        ON.store(0, Ordering::Relaxed);
        say("an error inside the layer: it is off from here on");
    }
    result
}

#[cfg(test)]
mod tests;
