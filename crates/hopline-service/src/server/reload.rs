//! Looking for new generations, and after the collector that makes them.

use super::{Listener, Served, Shared};
use crate::blamed::{self, Blamed};
use crate::generation::Generation;
use crate::heartbeat::Pulse;
use crate::store::Source;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A generation that was refused is tried again after so long: its file system may have been at fault.
const AGAIN: Duration = Duration::from_secs(10);

/// The collector is looked after so often.
const PULSE: Duration = Duration::from_secs(1);

/// What is known of a store.
pub(super) struct Watch {
    source: Source,
    generation: Arc<Generation>,
    /// Why a newer generation is not served.
    refused: String,
    /// Its number, and when it was tried.
    tried: Option<(u64, Instant)>,
    collector: Option<Pulse>,
    blamed: Option<Blamed>,
    looked: Instant,
}

impl Watch {
    pub(super) fn new(source: Source, generation: Arc<Generation>, refused: String) -> Watch {
        let collector = source.store().and_then(Pulse::first);
        let blamed = source.store().and_then(Blamed::last);
        Watch { source, generation, refused, tried: None, collector, blamed, looked: Instant::now() }
    }

    /// True where new generations may come.
    pub(super) fn is_store(&self) -> bool {
        self.source.store().is_some()
    }

    /// What is known, for those that answer.
    pub(super) fn served(&self) -> Served {
        let refused = Some(self.refused.clone()).filter(|why| !why.is_empty());
        let lost = self.generation.lost.warning(&self.generation.atlas);
        let dead = self.collector.as_ref().and_then(Pulse::warning);
        let warning: Vec<String> = [refused, lost, dead].into_iter().flatten().collect();
        Served {
            generation: self.generation.clone(),
            warning: warning.join("; "),
            collector: self.collector.clone(),
            blamed: self.blamed.clone(),
        }
    }

    /// Looks until the server stops; what is new is served, and a bad generation leaves the old one in place.
    pub(super) fn run(&mut self, shared: &Shared, look: Duration, tell: &Listener) {
        while !shared.stopped() {
            std::thread::sleep(look.min(Duration::from_millis(200)));
            let new = self.reload(shared);
            let felt = self.looked.elapsed() >= PULSE.min(look * 50);
            if felt {
                self.looked = Instant::now();
                self.collector = self.source.store().and_then(|store| Pulse::next(self.collector.as_ref(), store));
                self.blame();
            }
            if !new && !felt {
                continue;
            }
            let (before, served) = (shared.current(), self.served());
            let seen = |served: &Served| served.collector.as_ref().map(|pulse| pulse.seen);
            // A collector dies without news of it: time alone makes the warning.
            let said = |served: &Served| served.blamed.as_ref().map(|blamed| blamed.name.clone());
            let same = seen(&before) == seen(&served) && said(&before) == said(&served);
            if !new && same && before.warning == served.warning {
                continue;
            }
            if served.warning != before.warning && !served.warning.is_empty() {
                tell(&served.warning);
            }
            shared.replace(served);
            if !Arc::ptr_eq(&before.generation, &self.generation) {
                tell(&format!("serving generation {}", self.generation.number));
            }
        }
    }

    /// Reads the last answer of `hopline blame`, where there is a newer one.
    fn blame(&mut self) {
        let Some(store) = self.source.store() else { return };
        let known = self.blamed.as_ref().map(|blamed| &blamed.name);
        if blamed::names(store).last() != known {
            self.blamed = Blamed::last(store);
        }
    }

    /// Loads a new generation; true where there was one, good or bad.
    fn reload(&mut self, shared: &Shared) -> bool {
        // A store that cannot be read for a moment changes nothing.
        let Ok(Some(newest)) = self.source.newest() else { return false };
        let known_bad = self.tried.is_some_and(|(number, since)| number == newest && since.elapsed() < AGAIN);
        if newest == self.generation.number || known_bad {
            return false;
        }
        match self.source.load(newest) {
            Ok(generation) => {
                shared.metrics.reloads.fetch_add(1, Relaxed);
                self.generation = Arc::new(generation);
                (self.refused, self.tried) = (String::new(), None);
            }
            Err(e) => {
                shared.metrics.bad_generations.fetch_add(1, Relaxed);
                self.refused = format!("generation {newest} is refused: {e}");
                self.tried = Some((newest, Instant::now()));
            }
        }
        true
    }
}
