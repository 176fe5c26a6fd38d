//! Collects again whenever the fabric may have changed.
//!
//! OpenSM's log says so: a trap or a dropped port, and then `SUBNET UP` when all
//! tables are set. OpenSM writes its log through a buffer that only the lines of
//! levels 0x01 and 0x80 empty: without `-d2` or `force_log_flush TRUE` the trap is
//! seen at once and its `SUBNET UP` not for minutes. So `SUBNET UP` is waited for
//! only for a moment; then the fabric is collected without it, more than once, and
//! the checks of [`collect`](crate::collect) keep out what is not finished.

mod log;
mod trigger;

pub use log::{Follower, Happening, happening};
pub use trigger::{Reason, Trigger};

use crate::collect::{Collected, Options, collect};
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
}

/// How often the log is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Collects once, then again after every change, until `stop`.
///
/// # Errors
/// The log cannot be read at all.
pub fn watch(options: &Options, watched: &Watch, tell: &Listener, stop: &AtomicBool) -> Result<()> {
    let mut follower = watched.log.clone().map(Follower::new).transpose()?;
    let mut trigger = Trigger::new(watched.every, Instant::now());
    while !stop.load(Ordering::Relaxed) {
        for happening in follower.as_mut().map(Follower::news).unwrap_or_default() {
            trigger.hear(happening, Instant::now());
        }
        let Some(reason) = trigger.due(Instant::now()) else {
            std::thread::sleep(LOOK);
            continue;
        };
        if reason == Reason::Buffered {
            tell("the log tells of a change but not of its end: start OpenSM with -d2 or force_log_flush TRUE");
        }
        let collected = collect(options, tell);
        match &collected {
            Ok(Collected::Published(number)) => tell(&format!("published generation {number}")),
            Ok(Collected::Unchanged(_)) => {}
            Err(e) => tell(&format!("nothing published: {e}")),
        }
        trigger.done(collected.is_ok(), Instant::now());
    }
    Ok(())
}
