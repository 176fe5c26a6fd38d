//! Arbitration that looks at the packets: oldest, first come, random.

use super::node::Node;
use super::port_set::{PortSet, in_turn};
use super::queues::Grant;
use super::router::Arbitration;

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// Of all input buffers that an output port may serve, the one with the
    /// smallest key, and the VC; the first in turn of equal ones.
    pub(super) fn choose_by_key(&mut self, arbitration: Arbitration, port: u8, served: P) -> Option<Grant> {
        let own = &self.ports[usize::from(port)];
        let (start, open) = (own.vc_turn, own.open());
        let mut best: Option<(u64, Grant)> = None;
        for to in in_turn(u64::from(open), start) {
            for input in self.candidates(port, to, served).in_turn(0) {
                let from = self.asking(input, port, to, start);
                let (at, vc) = (usize::from(input), usize::from(from) & (V - 1));
                let key = self.key(arbitration, at, vc);
                if best.is_none_or(|b| key < b.0) {
                    best = Some((key, Grant { input, from, to }));
                }
            }
        }
        let (_, grant) = best?;
        self.ports[usize::from(port)].vc_turn = (grant.to + 1) & (V - 1) as u8;
        Some(grant)
    }

    /// What an input buffer is chosen by, the smallest first; in turn all are equal.
    #[inline]
    pub(super) fn key(&mut self, arbitration: Arbitration, port: usize, vc: usize) -> u64 {
        match arbitration {
            Arbitration::RoundRobin => 0,
            Arbitration::Oldest => {
                let pool = &self.shared.pool;
                u64::from(pool.get(self.ports[port].inputs[vc].head(pool)).birth)
            }
            Arbitration::Random => self.shared.rngs[(self.router - self.shared.start) as usize].below(u64::MAX),
            Arbitration::Fcfs => self.shared.since.get(self.first + port).map_or(0, |since| u64::from(since[vc])),
        }
    }
}
