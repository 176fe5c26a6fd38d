//! Looking for new generations.

use super::{Listener, Served, Shared};
use crate::store::Source;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// A generation that was refused is tried again after so long: its file system may have been at fault.
const AGAIN: Duration = Duration::from_secs(10);

/// Loads every new generation until the server stops; a bad one leaves the old one in place.
pub(super) fn run(shared: &Shared, source: &Source, look: Duration, tell: &Listener) {
    let mut refused: Option<(u64, Instant)> = None;
    while !shared.stopped() {
        std::thread::sleep(look.min(Duration::from_millis(200)));
        let current = shared.current();
        // A store that cannot be read for a moment changes nothing.
        let Ok(Some(newest)) = source.newest() else { continue };
        let known_bad = refused.is_some_and(|(number, since)| number == newest && since.elapsed() < AGAIN);
        if newest == current.generation.number || known_bad {
            continue;
        }
        match source.load(newest) {
            Ok(generation) => {
                shared.metrics.reloads.fetch_add(1, Relaxed);
                shared.replace(Served { generation, warning: String::new() });
                tell(&format!("serving generation {newest}"));
                refused = None;
            }
            Err(e) => {
                shared.metrics.bad_generations.fetch_add(1, Relaxed);
                let warning = format!("generation {newest} is refused: {e}");
                tell(&warning);
                shared.replace(Served { generation: current.generation.clone(), warning });
                refused = Some((newest, Instant::now()));
            }
        }
    }
}
