//! What a part counts.

use crate::stats::Histogram;

/// Whole numbers only, so that sums do not depend on how the network is parted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tally {
    /// Flits that entered the network, and that reached their endpoints.
    pub(super) injected: u64,
    pub(super) delivered: u64,
    /// Routers that those went through, in the units of [`FlitModel::hop`](super::FlitModel).
    pub(super) hops: u64,
    /// Packets whose last flit arrived, and the sum of their latencies.
    pub(super) packets: u64,
    pub(super) latency: u64,
    /// When the last of them arrived.
    pub(super) last: u32,
    /// Packets that did not fit the queue of their endpoint.
    pub(super) lost: u64,
    /// Packets and flits that were dropped before dead cables.
    pub(super) dropped: u64,
    pub(super) dropped_flits: u64,
    /// Flits that links took before [`start_measuring`](super::Simulation::start_measuring).
    pub(super) sent_before: u64,
    pub(super) latencies: Histogram,
}

impl Tally {
    pub(super) fn new() -> Tally {
        Tally {
            injected: 0,
            delivered: 0,
            hops: 0,
            packets: 0,
            latency: 0,
            last: 0,
            lost: 0,
            dropped: 0,
            dropped_flits: 0,
            sent_before: 0,
            latencies: Histogram::new(),
        }
    }

    #[inline]
    pub(super) fn arrived(&mut self, now: u32, birth: u32) {
        let latency = now - birth;
        self.packets += 1;
        self.latency += u64::from(latency);
        self.last = self.last.max(now);
        self.latencies.add(latency);
    }
}
