//! What a recording holds.

use crate::error::Result;
use crate::format::recording::{self, Recording};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// A recording in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct RecordOutcome {
    /// The directory.
    pub path: String,
    /// The program.
    pub program: String,
    /// The MPI library.
    pub library: String,
    /// Ranks of the run.
    pub ranks: u32,
    /// Hosts it ran on.
    pub hosts: u32,
    /// Calls of all ranks.
    pub calls: u64,
    /// Seconds in MPI, the mean of all ranks.
    pub seconds: f64,
    /// Times are those for which the ranks ran on a processor, not those that went by.
    pub is_cpu_time: bool,
    /// Pairs of ranks that exchanged messages, each direction its own.
    pub pairs: u64,
    /// Point-to-point messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes that all-to-all and neighbourhood calls send.
    pub all_to_all_bytes: u64,
    /// Bytes of one-sided calls.
    pub one_sided_bytes: u64,
    /// Calls of each collective, the sum of all ranks, sorted by name.
    pub collectives: BTreeMap<String, u64>,
    /// Messages to ranks of other worlds, which no pair shows.
    pub elsewhere_messages: u64,
    /// Their bytes.
    pub elsewhere_bytes: u64,
    /// Calls whose data are not followed, by function without `MPI_`, the sum of all ranks.
    pub not_counted: BTreeMap<String, u64>,
    /// Worlds that this one has spawned, or those have, in the order in which they began.
    pub spawned: Vec<RecordOutcome>,
    /// What people should know.
    pub notes: Vec<String>,
}

/// Adds up a recording.
///
/// # Errors
/// A sum that does not fit.
pub fn record(recording: &Recording) -> Result<RecordOutcome> {
    let totals = recording::totals(recording)?;
    let bytes = |sums: &BTreeMap<(u32, u32), (u64, u64)>| sums.values().fold(0u64, |sum, s| sum.saturating_add(s.1));
    let mut collectives: BTreeMap<String, u64> = BTreeMap::new();
    for ((_, op, _, _), (calls, _)) in &totals.collectives {
        *collectives.entry(op.clone()).or_default() += calls;
    }
    let ranks = recording.ranks.len();
    let mut hosts: Vec<&str> = recording.ranks.iter().map(|stream| stream.host.as_str()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let early = recording.ranks.iter().filter(|stream| !stream.finished).count();
    let limited = recording.ranks.iter().filter(|stream| !stream.counted.is_empty()).count();
    let notes = [
        (early > 0)
            .then(|| format!("{early} of {ranks} ranks ended before MPI_Finalize: what they did until then is here")),
        (limited > 0)
            .then(|| format!("{limited} ranks reached the limit of the recording: later calls are only counted")),
    ];
    let first = recording.ranks.first();
    Ok(RecordOutcome {
        path: recording.path.clone(),
        program: first.map(|stream| stream.program.clone()).unwrap_or_default(),
        library: first.map(|stream| stream.library.clone()).unwrap_or_default(),
        ranks: ranks as u32,
        hosts: hosts.len() as u32,
        calls: totals.time.iter().fold(0u64, |sum, t| sum.saturating_add(t.0)),
        seconds: totals.time.iter().map(|t| t.1 as f64 / 1e9).sum::<f64>() / ranks.max(1) as f64,
        is_cpu_time: first.is_some_and(|stream| stream.is_cpu_time),
        pairs: totals.messages.len() as u64,
        messages: totals.messages.values().fold(0u64, |sum, s| sum.saturating_add(s.0)),
        bytes: bytes(&totals.messages),
        all_to_all_bytes: bytes(&totals.all_to_all),
        one_sided_bytes: bytes(&totals.one_sided),
        collectives,
        elsewhere_messages: totals.gaps.elsewhere.0,
        elsewhere_bytes: totals.gaps.elsewhere.1,
        notes: notes.into_iter().flatten().chain(totals.gaps.notes()).collect(),
        not_counted: totals.gaps.not_counted,
        spawned: Vec::new(),
    })
}

/// Adds up the worlds of a run: the first, and those that were spawned.
///
/// # Errors
/// As [`record`].
pub fn worlds(first: &Recording, spawned: &[Recording]) -> Result<RecordOutcome> {
    let mut outcome = record(first)?;
    outcome.spawned = spawned.iter().map(record).collect::<Result<_>>()?;
    if !spawned.is_empty() {
        let count = spawned.len() + 1;
        outcome.notes.push(format!("{count} worlds: this one, and {} that were spawned", spawned.len()));
    }
    Ok(outcome)
}
