//! What a run sent and no pair of its ranks shows.

use super::Stream;
use std::collections::BTreeMap;

/// Sums of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gaps {
    /// Messages and one-sided calls to ranks of other worlds, and their bytes.
    pub elsewhere: (u64, u64),
    /// Calls whose data are not followed, by function.
    pub not_counted: BTreeMap<String, u64>,
}

impl Gaps {
    /// Messages to another world; `None` where the sum does not fit 64 bits.
    pub(super) fn add_elsewhere(&mut self, times: u64, bytes: u64) -> Option<()> {
        self.elsewhere.0 = self.elsewhere.0.checked_add(times)?;
        self.elsewhere.1 = self.elsewhere.1.checked_add(bytes.checked_mul(times)?)?;
        Some(())
    }

    /// The calls of a rank whose data are not followed.
    pub(super) fn add_calls(&mut self, stream: &Stream) {
        for (function, calls) in &stream.not_counted {
            let sum = self.not_counted.entry(function.clone()).or_default();
            *sum = sum.saturating_add(*calls);
        }
    }

    /// A sentence for each kind.
    pub fn notes(&self) -> Vec<String> {
        let (messages, bytes) = self.elsewhere;
        let elsewhere = (messages > 0)
            .then(|| format!("{messages} messages of {bytes} bytes to ranks of other worlds are in no matrix"));
        let calls: Vec<String> =
            self.not_counted.iter().map(|(function, calls)| format!("MPI_{function} {calls}")).collect();
        let not_counted = (!calls.is_empty())
            .then(|| format!("not counted, as files and shared memory are no messages: {} calls", calls.join(", ")));
        elsewhere.into_iter().chain(not_counted).collect()
    }
}
