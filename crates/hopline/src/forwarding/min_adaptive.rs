//! Minimal-adaptive on tori: any port that leads nearer, with dimension order as the
//! escape. Duato, "A new theory of deadlock-free adaptive routing in wormhole networks",
//! 1993.

use super::masks::mix;
use super::{Adapts, At, Channel, Choice, Context, DorHops, Forwarding, Header, Hop, Queues, Wiring};
use crate::error::Result;
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{RING_VCS, Tie, read_min_adaptive};

/// VCs of dimension order, and above them those on which every port that leads nearer may
/// be taken. A header holds random bits that decide between queues of one length.
///
/// The escape's VC depends only on where a packet stands, not on how it came there: low
/// until the way has used the wraparound link, high after that. So packets may leave the
/// escape and come back to it anywhere.
pub struct MinAdaptiveHops {
    escape: DorHops,
    vcs: u8,
}

/// Ports that lead nearer, at most: routers are counted in 32 bits, and two ports of one dimension lead nearer only where that takes
/// two bits. So their numbers fit into bytes.
const MOST_WAYS: usize = 32;

impl MinAdaptiveHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<MinAdaptiveHops> {
        let rule = read_min_adaptive(reader, context.topology, context.fabric)?.into_rule();
        let escape = DorHops::new(&rule.torus, Tie::Plus).map_err(|e| e.at(reader.place()))?;
        Ok(MinAdaptiveHops { escape, vcs: RING_VCS + rule.channels })
    }
}

impl Forwarding for MinAdaptiveHops {
    fn vcs(&self) -> u8 {
        self.vcs
    }

    // Not inlined, as below: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn inject(&self, _: u32, _: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        Header(rng.below(1 << 32) as u32)
    }

    /// As if the packet began here.
    #[inline(never)]
    fn hop(&self, at: At, target: u32, _: &mut Header) -> Hop {
        self.escape.hop(At::start(at.router), target, &mut Header(u32::MAX))
    }

    /// Of equal queues a random one comes first.
    #[inline(always)]
    fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
        let (mut ports, mut count) = ([0u8; MOST_WAYS], 0);
        self.escape.each_port(at.router, target, |port| {
            ports[count % MOST_WAYS] = port as u8;
            count += 1;
        });
        let channels = self.vcs - RING_VCS;
        match (count, channels) {
            (0, _) => {}
            (1, 1) => {
                choice.offer(Hop { port: ports[0].into(), vc: RING_VCS }, 0);
            }
            _ => {
                let all = count as u32 * u32::from(channels);
                let first = mix(header, at.router) % all;
                let mut index = (first / u32::from(channels)) as usize;
                let mut vc = (first % u32::from(channels)) as u8;
                for place in 0..all {
                    let hop = Hop { port: ports[index % MOST_WAYS].into(), vc: RING_VCS + vc };
                    if choice.offer_in_turn(hop, place) {
                        break;
                    }
                    vc += 1;
                    if vc == channels {
                        (vc, index) = (0, if index + 1 < count { index + 1 } else { 0 });
                    }
                }
            }
        }
        if !choice.is_made() {
            choice.offer(self.hop(at, target, &mut { header }), u32::MAX);
        }
    }

    fn is_escape(&self, hop: Hop) -> bool {
        hop.vc < RING_VCS
    }

    fn longest(&self) -> u32 {
        self.escape.longest()
    }

    fn adapts(&self) -> Adapts {
        Adapts::EveryHop
    }

    /// The ways do not depend on it.
    fn headers(&self, _: u32, _: u32) -> Vec<Header> {
        vec![Header(0)]
    }

    /// All ways round each ring through router 0, and from router 0 everywhere in the
    /// plane of any two dimensions: rings of one dimension are alike, and which channel of
    /// the escape follows which does not depend on the coordinates in other dimensions.
    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        self.escape.each_ring(|source, target| visit(source, target, Header(0)));
        self.escape.each_plane(|source, target| visit(source, target, Header(0)));
    }

    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        self.escape.class(wiring, channel)
    }
}
