//! Up*/down* paths chosen hop by hop by the queues: adaptive up-routing on trees.

use super::masks::{Ahead, SpreadHops, mix, without_first};
use super::{Adapts, At, Choice, Context, Forwarding, Header, Hop, NOWHERE, Queues, Wiring};
use crate::error::Result;
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::read_up_adaptive;

/// Any of the shortest ways that go up and then down. Every channel is one that a packet may always ask for, since no
/// up*/down* path waits in a circle; so there is no other escape. A header holds random bits that decide between queues of
/// one length.
pub struct UpAdaptiveHops {
    spread: SpreadHops,
    /// Whether the link that leaves by a port goes up, counted over all routers, and the first port of each: what comes in
    /// there has gone down.
    up: Vec<bool>,
    first: Vec<u32>,
}

impl UpAdaptiveHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<UpAdaptiveHops> {
        let shortest = read_up_adaptive(reader, context.fabric)?.into_rule().paths(context.fabric);
        let spread = SpreadHops::new(context, &shortest, 1).map_err(|e| e.at(reader.place()))?;
        let mut is_up = vec![false; context.fabric.links()];
        shortest.links_up().for_each(|link| is_up[link.index()] = true);
        let up = context.wiring.ports.iter().map(|port| port.link != NOWHERE && is_up[port.link as usize]).collect();
        Ok(UpAdaptiveHops { spread, up, first: context.wiring.first.clone() })
    }

    /// The header with a note of whether the packet has gone down.
    fn noted(&self, at: At, header: Header) -> Header {
        let came_down = at.port != At::START && self.up[(self.first[at.router as usize] + u32::from(at.port)) as usize];
        header.gone_down(came_down)
    }
}

impl Forwarding for UpAdaptiveHops {
    fn vcs(&self) -> u8 {
        self.spread.vcs()
    }

    // Not inlined, as below: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        self.spread.inject(router, target, queues, rng)
    }

    #[inline(never)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        self.spread.hop(at, target, &mut self.noted(at, *header))
    }

    /// Of equal queues a random one comes first: ports are offered from a random one on, then those before it.
    #[inline(always)]
    fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
        let sets = match self.spread.ahead(at, target, self.noted(at, header)) {
            Ahead::One(port) => {
                choice.offer(Hop { port, vc: 0 }, 0);
                return;
            }
            Ahead::Any(sets) => sets,
        };
        let count: u32 = sets.iter().map(|set| set.count_ones()).sum();
        let (first, mut place) = (mix(header, at.router) % count.max(1), 0);
        for beyond in [true, false] {
            let mut skip = first;
            for (&set, word) in sets.iter().zip(0u16..) {
                let from = without_first(set, &mut skip);
                let mut left = if beyond { from } else { set ^ from };
                while left != 0 {
                    let port = 64 * word + left.trailing_zeros() as u16;
                    left &= left - 1;
                    if choice.offer_in_turn(Hop { port, vc: 0 }, place) {
                        return;
                    }
                    place += 1;
                }
            }
        }
    }

    fn longest(&self) -> u32 {
        self.spread.longest()
    }

    fn adapts(&self) -> Adapts {
        Adapts::EveryHop
    }

    /// The ways do not depend on it.
    fn headers(&self, _: u32, _: u32) -> Vec<Header> {
        vec![Header(0)]
    }

    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        self.spread.walks(wiring, visit);
    }
}
