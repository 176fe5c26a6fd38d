//! What the routers of a part have in common: flits, links, endpoints; and what
//! parts tell each other.

use super::FlitModel;
use super::failing::DeadPort;
use super::mail::Mail;
use super::port_set::PortSet;
use super::process::{Clock, NEVER};
use super::queues::{Flit, Grant, Pool};
use super::separable::Turns;
use super::tally::Tally;
use crate::forwarding::Forwarding;
use crate::rng::Rng;
use std::collections::VecDeque;

/// What one part tells another, each with the cycle in which it arrives.
#[derive(Debug, Clone, Default)]
pub(super) struct Outgoing {
    /// Flits; `next` is the [place](super::mail::place).
    pub(super) flits: Vec<(u32, Flit)>,
    /// Output buffers (port << 3 | VC) that get a credit.
    pub(super) credits: Vec<(u32, u32)>,
}

impl Outgoing {
    /// Nothing from now on.
    pub(super) fn clear(&mut self) {
        self.flits.clear();
        self.credits.clear();
    }
}

/// An endpoint as a sender: two lines of the cache.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct Source {
    pub(super) clock: Clock,
    /// What forwardings draw, and what chooses receivers.
    pub(super) how: Rng,
    pub(super) whom: Rng,
    pub(super) endpoint: u32,
    /// Its receiver where it has one only, or [`NOWHERE`](crate::forwarding::NOWHERE).
    pub(super) only: u32,
    /// Packets that began to enter the network.
    pub(super) count: u64,
    /// Its terminal, counted at the router.
    pub(super) port: u8,
    /// Receiver of the packet on its way into the network, and its flits to come.
    pub(super) target: u32,
    pub(super) left: u16,
    /// The VC of the input buffer that it goes to.
    pub(super) vc: u8,
    /// With a limited queue: the cycle of the next packet, and those that wait.
    pub(super) next: u32,
    #[expect(clippy::box_collection, reason = "few have any, and all are walked through")]
    pub(super) waiting: Box<VecDeque<u32>>,
}

impl Source {
    /// Cycle in which the packet after one that has entered the network was
    /// generated, if that is known.
    #[inline]
    pub(super) fn after_packet<F: Forwarding>(&mut self, setting: &FlitModel<F>) -> u32 {
        if setting.router.source.is_none() {
            return setting.next_birth(self);
        }
        self.waiting.pop_front();
        self.waiting.front().copied().unwrap_or(NEVER)
    }
}

/// What the routers of a part have in common.
pub(super) struct Shared<const V: usize, P> {
    pub(super) pool: Pool,
    pub(super) mail: Mail<P>,
    /// Output buffers (port << 3 | VC) that get a credit at cycle t.
    pub(super) returning: Vec<Vec<u32>>,
    pub(super) tally: Tally,
    /// Cycles in which each endpoint's oldest packet was generated.
    pub(super) births: Vec<u32>,
    pub(super) sources: Vec<Source>,
    /// First router, counted over the whole network.
    pub(super) start: u32,
    /// First port of each router, counted in the part; one more at the end.
    pub(super) first: Vec<u32>,
    /// What is on its way to each part, and which of them this is.
    pub(super) outgoing: Vec<Outgoing>,
    pub(super) own: u16,
    /// Flits that came from elsewhere, less those that went there.
    pub(super) foreign: i64,
    /// Flits that wait for each port, for adaptive forwardings: at the beginning of the cycle, or, where packets decide at every
    /// hop, now. Empty where nobody has looked yet.
    pub(super) waiting: Vec<u32>,
    /// What input ports ask for in a round of a separable allocator: an output port, and how.
    pub(super) bids: Vec<(u8, Grant)>,
    /// For separable allocators of ports: whose turn it is at each.
    pub(super) turns: Vec<Turns<V>>,
    /// For arbitration by arrival: cycle in which the head of each input buffer came there.
    pub(super) since: Vec<[u32; V]>,
    /// Streams of the routers, for random arbitration.
    pub(super) rngs: Vec<Rng>,
    /// Ports whose cables are dead, and whether endpoints begin no packets: see [`failing`](super::failing).
    pub(super) dead: Vec<DeadPort>,
    pub(super) holds: bool,
}

impl<const V: usize, P: PortSet> Shared<V, P> {
    /// The place of a cycle in the rings of arrivals.
    #[inline]
    pub(super) fn slot(&self, cycle: u32) -> usize {
        cycle as usize & (self.returning.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_two_lines_of_the_cache() {
        assert_eq!(size_of::<Source>(), 128);
        assert_eq!(std::mem::offset_of!(Source, whom), 64, "what every packet needs comes first");
    }
}
