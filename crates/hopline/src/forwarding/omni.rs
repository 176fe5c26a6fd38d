//! Omni-dimensional adaptive routing on HyperX, flit by flit.

use super::masks::mix;
use super::{Adapts, At, Channel, Context, Forwarding, Header, Hop, MOST_PORTS, NOWHERE, Outputs, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{OmniDimensional, read_omni};
use crate::topology::Topology;

/// The VC of a hop is its number, so that channels are used in ascending order and every one is one that a packet may always ask
/// for. A header holds, from its lowest bit, random bits that decide between queues of one length, and in how many dimensions the
/// target was elsewhere at first.
pub struct OmniHops {
    rule: OmniDimensional,
    /// Endpoints of a router: its first ports.
    p: u32,
    lines: Vec<Line>,
}

/// Random bits in a header.
const BITS: u32 = 28;

/// The routers of a dimension.
struct Line {
    /// How many, and how far their numbers are apart.
    k: u32,
    stride: u32,
    /// The first of the dimension's ports, and cables between two routers.
    first: u32,
    cables: u32,
}

impl OmniHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<OmniHops> {
        let rule = read_omni(reader, context.topology, context.fabric)?.into_rule();
        let Topology::HyperX(hyperx) = context.topology else {
            return Err(Error::input("`omni-dimensional` needs a hyperx").at(reader.place()));
        };
        let (all, p) = (hyperx.lines(), hyperx.p());
        let (mut lines, mut stride, mut first) = (Vec::new(), 1, p);
        for (&k, &cables) in all.dims.iter().zip(&all.cables) {
            lines.push(Line { k, stride, first, cables });
            stride *= k;
            first += (k - 1) * cables;
        }
        Ok(OmniHops { rule, p, lines })
    }

    /// The hop's number: its VC.
    fn number(&self, at: At) -> u8 {
        let begins = at.port == At::START || u32::from(at.port) < self.p;
        if begins { 0 } else { at.vc + 1 }
    }

    /// Visits the dimensions in which two routers differ, with how far the second is ahead.
    fn each_line(&self, at: u32, home: u32, mut visit: impl FnMut(&Line, u32)) {
        for line in &self.lines {
            let (x, y) = (at / line.stride % line.k, home / line.stride % line.k);
            if x != y {
                visit(line, (y + line.k - x) % line.k);
            }
        }
    }

    fn unaligned(&self, at: u32, home: u32) -> u32 {
        let mut count = 0;
        self.each_line(at, home, |_, _| count += 1);
        count
    }

    /// The header of a packet with these random bits.
    fn header(&self, at: u32, home: u32, random: u32) -> Header {
        Header(self.unaligned(at, home) << BITS | random)
    }

    /// Visits every port that leads on, and whether it is a deroute.
    fn each_port(&self, at: At, home: u32, header: Header, mut visit: impl FnMut(u16, bool)) {
        let left = (header.0 >> BITS) + self.rule.deroutes - u32::from(self.number(at));
        let may_deroute = self.unaligned(at.router, home) < left;
        self.each_line(at.router, home, |line, ahead| {
            for offset in (1..line.k).filter(|&offset| offset == ahead || may_deroute) {
                let port = line.first + (offset - 1) * line.cables;
                (port..port + line.cables).for_each(|port| visit(port as u16, offset != ahead));
            }
        });
    }

    /// Flits that wait for a port, on all its VCs.
    fn waiting(&self, port: u16, outputs: &dyn Outputs) -> u32 {
        (0..self.vcs()).map(|vc| outputs.waiting(Hop { port, vc })).sum()
    }
}

impl Forwarding for OmniHops {
    fn vcs(&self) -> u8 {
        (self.rule.dimensions + self.rule.deroutes).max(1) as u8
    }

    // Not inlined, as below: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn inject(&self, router: u32, target: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        self.header(router, target / self.p, rng.below(1 << BITS) as u32)
    }

    /// Straight on in the first dimension that is left.
    #[inline(never)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let (home, mut port) = (target / self.p, None);
        self.each_line(at.router, home, |line, ahead| {
            let cable = mix(*header, at.router) % line.cables;
            port.get_or_insert(line.first + (ahead - 1) * line.cables + cable);
        });
        match port {
            Some(port) => Hop { port: port as u16, vc: self.number(at) },
            None => Hop { port: (target % self.p) as u16, vc: 0 },
        }
    }

    fn candidates(&self, at: At, target: u32, header: Header, outputs: &dyn Outputs, found: &mut Vec<Hop>) {
        let (home, vc) = (target / self.p, self.number(at));
        if home == at.router {
            return;
        }
        let (first, mut straight) = (found.len(), 0);
        self.each_port(at, home, header, |port, deroutes| {
            found.push(Hop { port, vc });
            if !deroutes {
                let last = found.len() - 1;
                found.swap(first + straight, last);
                straight += 1;
            }
        });
        let own = &mut found[first..];
        let turn = mix(header, at.router) as usize;
        let (near, far) = own.split_at_mut(straight);
        near.rotate_left(turn % near.len().max(1));
        far.rotate_left(turn % far.len().max(1));
        let mut lengths = [0; MOST_PORTS];
        for n in 0..own.len() {
            let penalty = if n < straight { 0 } else { self.rule.threshold };
            let (hop, length) = (own[n], self.waiting(own[n].port, outputs) + penalty);
            let place = lengths[..n].partition_point(|&other| other <= length);
            lengths.copy_within(place..n, place + 1);
            own.copy_within(place..n, place + 1);
            (lengths[place], own[place]) = (length, hop);
        }
    }

    fn longest(&self) -> u32 {
        self.rule.dimensions + self.rule.deroutes + 1
    }

    fn adapts(&self) -> Adapts {
        Adapts::EveryHop
    }

    /// The ways do not depend on the random bits.
    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        vec![self.header(router, target / self.p, 0)]
    }

    /// From every router to one endpoint of router 0: turning all coordinates maps the network to itself.
    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        (0..wiring.routers.len() as u32).for_each(|source| visit(source, 0, self.header(source, 0, 0)));
    }

    /// The VC, which grows with every hop; terminals come last.
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        match wiring.ports[channel.port as usize].peer {
            NOWHERE => u64::MAX,
            _ => u64::from(channel.vc),
        }
    }
}
