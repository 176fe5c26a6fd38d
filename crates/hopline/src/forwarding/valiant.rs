//! Valiant and UGAL on any network, flit by flit: shortest paths by way of a random
//! router, a virtual channel for every hop. UGAL-G by all queues along a path: Besta
//! and Hoefler, "Slim Fly", SC 2014, section IV.

use super::hop_vcs::class_by_hop;
use super::masks::SpreadHops;
use super::{Adapts, At, Channel, Context, Forwarding, Header, Hop, NOWHERE, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{Routing as _, Shortest, Ugal, Valiant, read_ugal};

/// A header holds, from its lowest bit, random bits that choose the ports, and the number of the
/// router that the packet is on its way to, from 1, until it is there.
pub struct ValiantHops {
    spread: SpreadHops,
    /// An endpoint and its router for every number: those with endpoints.
    homes: Vec<(u32, u32)>,
    ugal: Option<Ugal>,
    /// The router at the other end of every port, counted over all routers, and the first port of each.
    next: Vec<u32>,
    first: Vec<u32>,
    longest: u32,
}

/// Random bits in a header.
const BITS: u32 = 16;
const RANDOM: u32 = (1 << BITS) - 1;
/// What the other bits of a header number, less one of them that is the spread's.
const MOST_HOMES: usize = 1 << (u32::BITS - BITS - 1);

impl ValiantHops {
    /// O(routers * routers with endpoints * ports).
    pub(super) fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<ValiantHops> {
        let ugal = read_ugal(reader, name, context.topology, context.fabric)?;
        let at = |e: Error| e.at(reader.place());
        let valiant = Valiant::over(Shortest::minimal(context.topology, context.fabric.clone())).map_err(at)?;
        let most_hops = valiant.most_hops();
        let vcs = u8::try_from(most_hops.max(1))
            .map_err(|_| at(Error::input(format!("`{name}` needs a virtual channel for each of {most_hops} hops"))))?;
        let spread = SpreadHops::new(context, valiant.shortest(), vcs).map_err(at)?;
        let homes = spread.homes();
        if homes.len() >= MOST_HOMES {
            let text = format!("`{name}` by way of {} routers, fewer than {MOST_HOMES} are possible", homes.len());
            return Err(at(Error::input(text)));
        }
        let wiring = context.wiring;
        let router = |peer: u32| wiring.ports.get(peer as usize).map_or(NOWHERE, |port| port.router);
        let next = wiring.ports.iter().map(|port| router(port.peer)).collect();
        Ok(ValiantHops { spread, homes, ugal, next, first: wiring.first.clone(), longest: most_hops + 1 })
    }

    /// The router of a number.
    #[inline]
    fn router(&self, home: u32) -> u32 {
        self.homes[home as usize].1
    }

    /// The number of the router that the packet goes to next, if that is not the target's.
    fn via(header: Header) -> Option<u32> {
        (header.0 >> BITS).checked_sub(1)
    }

    /// Visits the ports on the way from a router to one with endpoints; how many there are.
    fn way(&self, mut at: u32, home: u32, bits: Header, mut visit: impl FnMut(u32, u16)) -> u32 {
        let mut hops = 0;
        while at != self.router(home) {
            let port = self.spread.port(at, bits, home);
            visit(at, port);
            hops += 1;
            at = self.next[(self.first[at as usize] + u32::from(port)) as usize];
        }
        hops
    }

    /// The header of the minimal path, unless the detour is better by what waits: for the first port times the hops of the
    /// path, or for all its ports.
    fn choose(&self, router: u32, target: u32, detour: Header, ugal: Ugal, queues: &dyn Queues) -> Header {
        let (bits, own) = (Header(detour.0 & RANDOM), self.spread.home(target));
        // A router that the packet comes by anyway is no detour.
        let via = Self::via(detour).filter(|&via| self.router(via) != router && via != own);
        let Some(via) = via else { return bits };
        let legs = [(router, own), (router, via), (self.router(via), own)];
        let [near, away, on] = legs.map(|(from, to)| {
            let mut waiting = 0;
            let hops = match ugal.everywhere {
                true => self.way(from, to, bits, |at, port| waiting += queues.waiting(at, port)),
                false => self.way(from, to, bits, |_, _| ()),
            };
            if ugal.everywhere { waiting } else { hops }
        });
        let (minimal, longer) = if ugal.everywhere {
            (near, away + on)
        } else {
            let first = |home: u32| queues.waiting(router, self.spread.port(router, bits, home));
            (first(own) * near, first(via) * (away + on))
        };
        if ugal.keeps(minimal, longer) { bits } else { detour }
    }
}

impl Forwarding for ValiantHops {
    fn vcs(&self) -> u8 {
        self.spread.vcs()
    }

    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        let bits = rng.below(1 << BITS) as u32;
        let via = rng.below(self.homes.len() as u64) as u32;
        if self.router(self.spread.home(target)) == router {
            return Header(bits);
        }
        let detour = Header((via + 1) << BITS | bits);
        match self.ugal {
            Some(ugal) => self.choose(router, target, detour, ugal, queues),
            None => detour,
        }
    }

    // Not inlined: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        if let Some(via) = Self::via(*header) {
            if self.router(via) != at.router {
                return self.spread.towards(at, via, Header(header.0 & RANDOM)).0;
            }
            header.0 &= RANDOM;
        }
        self.spread.hop(at, target, header)
    }

    fn longest(&self) -> u32 {
        self.longest
    }

    fn is_header(&self, header: Header) -> bool {
        (header.0 >> BITS) as usize <= self.homes.len()
    }

    fn adapts(&self) -> Adapts {
        match self.ugal {
            None => Adapts::Never,
            Some(ugal) => Adapts::AtSource { everywhere: ugal.everywhere },
        }
    }

    /// One for every router that a packet may go by; [`Forwarding::ways`] finds all ports.
    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        if self.router(self.spread.home(target)) == router {
            return vec![Header(0)];
        }
        let detours = (1..=self.homes.len() as u32).map(|via| Header(via << BITS));
        self.ugal.map(|_| Header(0)).into_iter().chain(detours).collect()
    }

    fn ways(&self, at: At, target: u32, header: Header, found: &mut Vec<(Hop, Header)>) {
        match Self::via(header) {
            Some(via) if self.router(via) != at.router => {
                found.extend(self.spread.ways_towards(at, via, Header(0)).map(|(hop, _)| (hop, header)));
            }
            _ => self.spread.ways(at, target, Header(header.0 & RANDOM), found),
        }
    }

    /// From every router by way of every other, to one target each: before and after the router in the middle a packet's ways
    /// do not depend on each other. Where some routers stand for all, from these and from there on by way of these to every target.
    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        let (homes, some) = (self.homes.len(), self.spread.representatives());
        let mut walk = |s: usize, via: usize, t: usize| {
            let (source, target) = (self.homes[s % homes].1, self.homes[t % homes].0);
            let is_own = self.router(self.spread.home(target)) == source;
            if is_own || self.ugal.is_some() {
                visit(source, target, Header(0));
            }
            if !is_own {
                visit(source, target, Header((via as u32 + 1) << BITS));
            }
        };
        for s in some.iter().map(|&s| s as usize) {
            (0..homes).for_each(|via| walk(s, via, s + 1 + via));
        }
        if some.len() < homes {
            (0..homes).for_each(|t| some.iter().for_each(|&via| walk(t + 1, via as usize, t)));
        }
    }

    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        class_by_hop(wiring, channel)
    }
}
