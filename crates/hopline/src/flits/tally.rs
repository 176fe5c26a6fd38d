//! What a part counts.

use crate::stats::Histogram;

/// Whole numbers only, so that sums do not depend on how the network is parted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    /// Flits that entered the network, and that reached their endpoints.
    pub(super) injected: u64,
    pub(super) delivered: u64,
    /// Packets whose last flit arrived, and the sum of their latencies.
    pub(super) packets: u64,
    pub(super) latency: u64,
    /// Router traversals.
    pub(super) hops: u64,
    /// Packets that did not fit the queue of their endpoint.
    pub(super) lost: u64,
    pub(super) latencies: Histogram,
}

impl Tally {
    pub(super) fn new() -> Tally {
        Tally { injected: 0, delivered: 0, packets: 0, latency: 0, hops: 0, lost: 0, latencies: Histogram::new() }
    }

    #[inline]
    pub(super) fn arrived(&mut self, latency: u32) {
        self.packets += 1;
        self.latency += u64::from(latency);
        self.latencies.add(latency);
    }
}
