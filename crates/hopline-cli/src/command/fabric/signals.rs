//! Signals that ask a command to end, for those that have something to leave in order.

use hopline::error::{Error, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Set once somebody wants this process to end.
pub(super) fn stop() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, stop.clone())
            .map_err(|e| Error::failed(format!("cannot hear signal {signal}: {e}")))?;
    }
    Ok(stop)
}
