//! Omni-dimensional adaptive routing on HyperX, flit by flit.

use super::hop_vcs::class_by_hop;
use super::masks::mix;
use super::{Adapts, At, Channel, Context, Forwarding, Header, Hop, MOST_PORTS, Outputs, Queues, Wiring};
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

/// Dimensions wider than one router: each is a hop, and a hop has a virtual channel of its own.
const MOST_LINES: usize = 8;

/// Numbers of one length, by which it is decided between queues as long as each other: the upper half is the deroutes'.
const TIES: u32 = 1 << 9;

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
            if k > 1 {
                lines.push(Line { k, stride, first, cables });
            }
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

    /// How far the second router is ahead of the first in every dimension: 0 where they are aligned.
    fn ahead(&self, at: u32, home: u32) -> [u32; MOST_LINES] {
        let mut ahead = [0; MOST_LINES];
        for (line, steps) in self.lines.iter().zip(&mut ahead) {
            let (x, y) = (at / line.stride % line.k, home / line.stride % line.k);
            *steps = if y < x { y + line.k - x } else { y - x };
        }
        ahead
    }

    /// The header of a packet with these random bits.
    fn header(&self, at: u32, home: u32, random: u32) -> Header {
        Header(unaligned(self.ahead(at, home)) << BITS | random)
    }

    /// Whether hops are left beyond those that the packet needs.
    fn may_deroute(&self, ahead: [u32; MOST_LINES], vc: u8, header: Header) -> bool {
        unaligned(ahead) + u32::from(vc) < (header.0 >> BITS) + self.rule.deroutes
    }

    /// Visits the ports of the dimensions that are left: those that lead straight, or all others.
    fn each_port(&self, ahead: [u32; MOST_LINES], deroutes: bool, mut visit: impl FnMut(u16)) {
        for (line, steps) in self.lines.iter().zip(ahead).filter(|(_, steps)| *steps > 0) {
            let offsets = if deroutes { 1..line.k } else { steps..steps + 1 };
            for offset in offsets.filter(|offset| !deroutes || *offset != steps) {
                let port = line.first + (offset - 1) * line.cables;
                (port..port + line.cables).for_each(|port| visit(port as u16));
            }
        }
    }
}

/// Dimensions that are left.
fn unaligned(ahead: [u32; MOST_LINES]) -> u32 {
    ahead.iter().filter(|steps| **steps > 0).count() as u32
}

/// Adds hops to those before, all in the order of these lengths.
struct Sorted<'a> {
    hops: &'a mut Vec<Hop>,
    first: usize,
    lengths: [u32; MOST_PORTS],
}

impl Sorted<'_> {
    fn add(&mut self, hop: Hop, length: u32) {
        let known = self.hops.len() - self.first;
        let place = self.lengths[..known].partition_point(|&other| other <= length);
        self.lengths.copy_within(place..known, place + 1);
        self.lengths[place] = length;
        self.hops.insert(self.first + place, hop);
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
        let home = target / self.p;
        let ahead = self.ahead(at.router, home);
        match self.lines.iter().zip(ahead).find(|(_, steps)| *steps > 0) {
            Some((line, steps)) => {
                let cable = mix(*header, at.router) % line.cables;
                Hop { port: (line.first + (steps - 1) * line.cables + cable) as u16, vc: self.number(at) }
            }
            None => Hop { port: (target % self.p) as u16, vc: 0 },
        }
    }

    #[inline(never)]
    fn candidates(&self, at: At, target: u32, header: Header, outputs: &dyn Outputs, found: &mut Vec<Hop>) {
        let (ahead, vc) = (self.ahead(at.router, target / self.p), self.number(at));
        let (first, turn) = (found.len(), mix(header, at.router));
        let mut sorted = Sorted { hops: found, first, lengths: [0; MOST_PORTS] };
        // Of equal lengths random ones come first.
        let shuffled = |port: u16| (u32::from(port) ^ turn) & (TIES / 2 - 1);
        self.each_port(ahead, false, |port| {
            sorted.add(Hop { port, vc }, outputs.at_port(port) * TIES + shuffled(port));
        });
        // A deroute counts threshold flits at least.
        if self.may_deroute(ahead, vc, header) && sorted.lengths[0] / TIES > self.rule.threshold {
            self.each_port(ahead, true, |port| {
                let length = outputs.at_port(port) + self.rule.threshold;
                sorted.add(Hop { port, vc }, length * TIES + TIES / 2 + shuffled(port));
            });
        }
    }

    /// Whatever the queues are.
    fn ways(&self, at: At, target: u32, mut header: Header, found: &mut Vec<(Hop, Header)>) {
        let (ahead, vc) = (self.ahead(at.router, target / self.p), self.number(at));
        if unaligned(ahead) == 0 {
            return found.push((self.hop(at, target, &mut header), header));
        }
        self.each_port(ahead, false, |port| found.push((Hop { port, vc }, header)));
        if self.may_deroute(ahead, vc, header) {
            self.each_port(ahead, true, |port| found.push((Hop { port, vc }, header)));
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

    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        class_by_hop(wiring, channel)
    }
}
