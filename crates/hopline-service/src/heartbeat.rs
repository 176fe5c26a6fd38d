//! The collector's sign of life: a small file in the store, written again and
//! again, from which a server knows whether what it serves is still looked after.

use crate::owner;
use hopline::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The file in the store.
pub const FILE: &str = "collector.json";

/// Its bytes.
const MOST: u64 = 64 << 10;

/// Beats that may be missing before a collector counts as dead.
const MISSED: u32 = 3;

/// A collector that has failed for so long is told of.
const FAILING: f64 = 60.0;

/// What the collector says of itself; times in seconds since 1970, by its own clock.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Heartbeat {
    /// When this was written.
    pub time: f64,
    /// Seconds to the next time; nothing where nobody watches and no next time is promised.
    pub beat: Option<f64>,
    /// When a fabric was last collected and found sound, changed or not.
    pub last_success: Option<f64>,
    /// When that last failed.
    pub last_failure: Option<f64>,
    /// Since when it has failed without a success between.
    pub failing_since: Option<f64>,
    /// Why it failed last.
    pub failure: String,
}

/// Seconds since 1970.
pub fn unix(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

impl Heartbeat {
    /// The last one of a store, if there is one.
    pub fn read(store: &Path) -> Option<Heartbeat> {
        serde_json::from_slice(&owner::bytes(&store.join(FILE), MOST).ok()?).ok()
    }

    /// Notes how collecting went.
    fn note(&mut self, outcome: Result<(), &Error>, now: f64) {
        match outcome {
            Ok(()) => {
                self.last_success = Some(now);
                self.failing_since = None;
                self.failure.clear();
            }
            Err(e) => {
                self.last_failure = Some(now);
                self.failing_since.get_or_insert(now);
                self.failure = e.to_string();
            }
        }
    }

    /// Writes it into a store that is there, whole; the time becomes `now`.
    ///
    /// # Errors
    /// The store cannot be written.
    fn write(&mut self, store: &Path, now: f64) -> Result<()> {
        self.time = now;
        let part = store.join(format!(".{FILE}-{}", std::process::id()));
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::failed(e.to_string()))?;
        let written = hopline_disk::replace_by(&store.join(FILE), &part, |to| writeln!(to, "{text}"));
        written.map_err(|e| Error::failed(format!("{}: {e}", part.display())))
    }
}

/// The heart of a collector.
pub(crate) struct HeartbeatWriter {
    store: PathBuf,
    beat: Mutex<Heartbeat>,
}

impl HeartbeatWriter {
    /// Of one that collects once: what one that watches has promised is left as it is.
    pub(crate) fn once(store: &Path) -> HeartbeatWriter {
        let beat = Heartbeat::read(store).unwrap_or_default();
        HeartbeatWriter { store: store.into(), beat: Mutex::new(beat) }
    }

    /// Of one that goes on, with a beat each `interval`.
    pub(crate) fn beating(store: &Path, interval: Duration) -> HeartbeatWriter {
        let heart = HeartbeatWriter::once(store);
        heart.change(|beat| beat.beat = Some(interval.as_secs_f64()));
        heart
    }

    /// Still alive.
    pub(crate) fn beat(&self) {
        self.change(|_| ());
    }

    /// Notes how collecting went.
    pub(crate) fn note(&self, outcome: Result<(), &Error>) {
        self.change(|beat| beat.note(outcome, unix(SystemTime::now())));
    }

    fn change(&self, change: impl FnOnce(&mut Heartbeat)) {
        let mut beat = self.beat.lock().unwrap_or_else(|e| e.into_inner());
        change(&mut beat);
        // A store that is not there yet, or is full, gets the next one: no beat is as telling.
        let _ = beat.write(&self.store, unix(SystemTime::now()));
    }
}

/// A heartbeat as a server follows it: by its own clock, whatever the collector's says.
#[derive(Debug, Clone)]
pub struct Pulse {
    /// What was read last.
    pub heartbeat: Heartbeat,
    /// When it was seen to change.
    pub seen: Instant,
}

impl Pulse {
    /// The pulse of a store, when it is first looked at.
    pub fn first(store: &Path) -> Option<Pulse> {
        let heartbeat = Heartbeat::read(store)?;
        let age = (unix(SystemTime::now()) - heartbeat.time).clamp(0.0, 1e9);
        let seen = Instant::now();
        Some(Pulse { heartbeat, seen: seen.checked_sub(Duration::from_secs_f64(age)).unwrap_or(seen) })
    }

    /// The same after another look.
    pub fn next(pulse: Option<&Pulse>, store: &Path) -> Option<Pulse> {
        match (pulse, Heartbeat::read(store)) {
            (None, _) => Pulse::first(store),
            (Some(old), Some(heartbeat)) if heartbeat != old.heartbeat => {
                Some(Pulse { heartbeat, seen: Instant::now() })
            }
            (Some(old), _) => Some(old.clone()),
        }
    }

    /// Seconds since the last beat.
    pub fn age(&self) -> f64 {
        self.seen.elapsed().as_secs_f64()
    }

    /// False where a collector that promised to beat does not.
    pub fn alive(&self) -> bool {
        self.heartbeat.beat.is_none_or(|beat| self.age() <= beat * f64::from(MISSED))
    }

    /// How long collecting has failed, in seconds; 0 where it has not.
    pub fn failing(&self) -> f64 {
        self.heartbeat.failing_since.map_or(0.0, |since| (self.heartbeat.time - since).max(0.0) + self.age())
    }

    /// What an administrator should know; mostly nothing.
    pub fn warning(&self) -> Option<String> {
        if !self.alive() {
            return Some("the collector is dead: it has given no sign of life for three times its interval".into());
        }
        let failing = self.failing() >= FAILING;
        failing.then(|| format!("the collector fails: {}", self.heartbeat.failure))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulse(heartbeat: Heartbeat, age: f64) -> Pulse {
        Pulse { heartbeat, seen: Instant::now() - Duration::from_secs_f64(age) }
    }

    #[test]
    fn a_collector_is_dead_after_three_beats() {
        let beat = Heartbeat { time: 1000.0, beat: Some(10.0), ..Heartbeat::default() };
        assert!(pulse(beat.clone(), 29.0).alive() && !pulse(beat.clone(), 31.0).alive());
        assert!(pulse(beat.clone(), 31.0).warning().is_some_and(|w| w.contains("dead")));
        let once = Heartbeat { beat: None, ..beat };
        assert!(pulse(once, 1e6).alive(), "who collects once promises nothing");
    }

    #[test]
    fn a_failure_is_told_when_it_lasts() {
        let mut beat = Heartbeat { beat: Some(10.0), ..Heartbeat::default() };
        beat.note(Err(&Error::failed("no tool")), 1000.0);
        beat.note(Err(&Error::failed("no tool")), 1050.0);
        beat.time = 1050.0;
        assert_eq!((beat.failing_since, beat.last_failure), (Some(1000.0), Some(1050.0)));
        assert_eq!(pulse(beat.clone(), 1.0).warning(), None);
        assert_eq!(pulse(beat.clone(), 12.0).warning().as_deref(), Some("the collector fails: no tool"));
        beat.note(Ok(()), 1060.0);
        assert_eq!((pulse(beat.clone(), 12.0).warning(), beat.last_failure), (None, Some(1050.0)));
    }
}
