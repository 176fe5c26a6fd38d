//! `libhopline_mpi.so`, preloaded into unmodified MPI programs: a recorder
//! (`HOPLINE_RECORD=DIR`) and topology-aware collectives (`HOPLINE_COLLECTIVES=bcast,...`).
//!
//! One library serves Open MPI and MPICH, C and Fortran: it includes no header of
//! either and finds out at run time which one it is ([`abi`]). Whatever fails in
//! here is said on stderr and turns the layer off; the program goes on.

mod abi;
mod call;
mod collectives;
mod comms;
mod function;
mod guard;
#[doc(hidden)]
pub mod readers;
mod real;
mod record;
mod requests;
mod table;
mod world;
mod wrap;

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

/// One line on stderr, in one piece: other ranks write there, too.
fn say(line: &str) {
    // Nobody is left to hear that stderr is closed.
    let _ = std::io::stderr().write_all(format!("hopline: {line}\n").as_bytes());
}

/// Nanoseconds on a clock that never goes back.
#[inline]
fn now() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds on a clock of the system.
#[inline]
fn clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the struct it is given.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// When the library was loaded.
static BEGIN: AtomicU64 = AtomicU64::new(0);

/// Seconds for which the program has run.
fn ran() -> f64 {
    (now() - BEGIN.load(Ordering::Relaxed)) as f64 / 1e9
}

/// A program that ends without `MPI_Finalize` leaves what was recorded.
extern "C" fn at_exit() {
    let _ = std::panic::catch_unwind(record::save);
}

/// Runs when the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = {
    extern "C" fn loaded() {
        BEGIN.store(now(), Ordering::Relaxed);
        // SAFETY: registers a function that never unwinds.
        unsafe { libc::atexit(at_exit) };
    }
    loaded
};
