//! Collects again whenever the fabric may have changed.
//!
//! OpenSM's log says so: a trap or a dropped port, and then `SUBNET UP` when all
//! tables are set. OpenSM writes its log through a buffer that only the lines of
//! levels 0x01 and 0x80 empty: without `-d2` or `force_log_flush TRUE` the trap is
//! seen at once and its `SUBNET UP` not for minutes. So `SUBNET UP` is waited for
//! only for a moment; then the fabric is collected without it, more than once, and
//! the checks of [`collect`](crate::collect) keep out what is not finished.
//!
//! A file that the subnet manager hands over is read whenever another one stands in its place.

mod log;
mod trigger;

pub use log::{Follower, Happening, happening};
pub use trigger::{Reason, Trigger};

use crate::collect::{Collected, Options, collect_with, handed};
use crate::heartbeat::HeartbeatWriter;
use crate::owner;
use crate::server::Listener;
use hopline::error::Result;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is watched.
#[derive(Debug, Clone)]
pub struct Watch {
    /// The log of OpenSM.
    pub log: Option<PathBuf>,
    /// Collected after so long in any case.
    pub every: Duration,
    /// A sign of life is given so often: see [`heartbeat`](crate::heartbeat).
    pub beat: Duration,
}

/// How often the log is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Collects once, then again after every change, until `stop`.
///
/// # Errors
/// The log cannot be read at all, or there can be no store.
pub fn watch(options: &Options, watched: &Watch, tell: &Listener, stop: &AtomicBool) -> Result<()> {
    let mut follower = watched.log.clone().map(Follower::new).transpose()?;
    owner::create(&options.out)?;
    let heart = HeartbeatWriter::beating(&options.out, watched.beat);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| beat(&heart, watched.beat, &done));
        let mut trigger = Trigger::new(watched.every, Instant::now());
        let stamp = || options.from.as_deref().and_then(handed::stamp);
        let mut seen = stamp();
        while !stop.load(Ordering::Relaxed) {
            let fresh = stamp();
            if fresh.is_some() && fresh != seen {
                trigger.hear(Happening::Up, Instant::now());
            }
            seen = fresh;
            for happening in follower.as_mut().map(Follower::news).unwrap_or_default() {
                trigger.hear(happening, Instant::now());
            }
            match trigger.due(Instant::now()) {
                Some(reason) => trigger.done(again(reason, &heart, options, tell, stop), Instant::now()),
                None => std::thread::sleep(LOOK),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    Ok(())
}

/// Collects and tells of it; true where that went well.
fn again(reason: Reason, heart: &HeartbeatWriter, options: &Options, tell: &Listener, stop: &AtomicBool) -> bool {
    if reason == Reason::Buffered {
        tell("the log tells of a change but not of its end: start OpenSM with -d2 or force_log_flush TRUE");
    }
    let collected = collect_with(heart, options, tell, stop);
    match &collected {
        Ok(Collected::Published(number)) => tell(&format!("published generation {number}")),
        Ok(Collected::Unchanged(_)) => {}
        Err(e) => tell(&format!("nothing published: {e}")),
    }
    collected.is_ok()
}

/// Gives signs of life, also while a tool is running.
fn beat(heart: &HeartbeatWriter, interval: Duration, done: &AtomicBool) {
    let mut last = Instant::now();
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
        if last.elapsed() >= interval {
            heart.beat();
            last = Instant::now();
        }
    }
}
