//! Descriptors for as many connections as are allowed.

use super::Listener;
use rustix::process::{Resource, getrlimit, setrlimit};

/// For everything that is no connection: listeners, files, those that are told to go.
const OTHERS: u64 = 512;

/// Raises this process's limit where it is too low for so many connections; what cannot be
/// had is told. Returns how many connections there can be.
pub(super) fn provide(connections: usize, tell: &Listener) -> usize {
    let wanted = connections as u64 + OTHERS;
    let mut limit = getrlimit(Resource::Nofile);
    // No limit is said by none.
    let (Some(soft), most) = (limit.current, limit.maximum.unwrap_or(u64::MAX)) else { return connections };
    if soft >= wanted {
        return connections;
    }
    limit.current = Some(wanted.min(most));
    let soft = if setrlimit(Resource::Nofile, limit).is_ok() { wanted.min(most) } else { soft };
    let possible = connections.min(soft.saturating_sub(OTHERS).max(soft / 2) as usize);
    if possible < connections {
        tell(&format!(
            "{possible} connections at a time, not {connections}: the system allows {soft} descriptors (ulimit -n)"
        ));
    }
    possible
}
