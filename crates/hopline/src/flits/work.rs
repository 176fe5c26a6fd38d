//! What a simulation will do, roughly, before it begins.

use super::{FlitModel, Process};
use crate::forwarding::{At, Forwarding, Idle, NOWHERE};
use crate::rng::Rng;

/// Packets whose paths stand for those of all.
const SAMPLES: u32 = 256;

impl<F: Forwarding> FlitModel<F> {
    /// Flits through routers, times routers, of so many cycles in which the network carries all that is offered, or of a
    /// whole exchange: by the paths of 256 packets through empty queues, weighted by what their endpoints send. In
    /// saturation it is less, and packets that avoid queues may go further. O(endpoints + path).
    pub fn flit_hops(&self, cycles: u64) -> f64 {
        let packet = f64::from(self.router.packet);
        let flits = match self.process {
            Process::Exchange { bytes } => {
                let endpoints = 0..self.destinations.share.len() as u32;
                let all: u64 = endpoints.map(|e| self.destinations.partners(e)).sum();
                packet * self.packets_of(bytes) as f64 * all as f64
            }
            _ => self.offered() * f64::from(self.senders()) * cycles as f64,
        };
        flits * self.mean_routers()
    }

    fn mean_routers(&self) -> f64 {
        let mut rng = Rng::new(self.seed, "work");
        let senders = (0u32..).zip(&self.destinations.share).filter(|(_, share)| **share > 0.0);
        let senders: Vec<u32> = senders.map(|(e, _)| e).collect();
        let (mut routers, mut weights) = (0.0, 0.0);
        for _ in 0..SAMPLES {
            let source = senders[rng.below(senders.len() as u64) as usize];
            let target = self.destinations.draw(source, &mut rng);
            let weight = self.destinations.share[source as usize];
            routers += weight * f64::from(self.routers(source, target, &mut rng));
            weights += weight;
        }
        routers / weights
    }

    /// Routers that a packet goes through where nothing waits.
    fn routers(&self, source: u32, target: u32, rng: &mut Rng) -> u32 {
        let mut at = At::start(self.wiring.router_of(source));
        let mut header = self.forwarding.inject(at.router, target, &Idle, rng);
        for count in 1..self.forwarding.longest() {
            let hop = self.forwarding.hop(at, target, &mut header);
            let peer = self.wiring.ports[(self.wiring.first[at.router as usize] + u32::from(hop.port)) as usize].peer;
            if peer == NOWHERE {
                return count;
            }
            at = self.wiring.head(peer, hop.vc);
        }
        self.forwarding.longest()
    }
}
