//! Omni-dimensional adaptive routing on HyperX, flit by flit.

use super::hop_vcs::class_by_hop;
use super::left::follow;
use super::masks::mix;
use super::{Adapts, At, Channel, Choice, Context, Forwarding, Header, Hop, Queues, Wiring};
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
    /// Of every router the coordinates, a byte for each of the lines.
    places: Vec<u64>,
}

/// Random bits in a header.
const BITS: u32 = 28;

/// Dimensions wider than one router: each is a hop, and a hop has a virtual channel of its own.
const MOST_LINES: usize = 8;

/// Numbers of one length, by which it is decided between queues as long as each other: the upper half is the deroutes'.
const TIES: u32 = 1 << 9;

/// The routers of a dimension.
#[derive(Clone, Copy)]
struct Line {
    /// How many.
    k: u32,
    /// The first of the dimension's ports, and cables between two routers.
    first: u32,
    cables: u32,
}

impl Line {
    /// The ports that lead so many steps on.
    fn ports(&self, steps: u32) -> std::ops::Range<u16> {
        let first = (self.first + (steps - 1) * self.cables) as u16;
        first..first + self.cables as u16
    }
}

/// Where a packet stands and where it goes, as coordinates, with a bit for every dimension in which these are not the same: the
/// highest of its byte.
#[derive(Clone, Copy)]
struct Ahead {
    here: u64,
    there: u64,
    left: u64,
}

impl Ahead {
    fn new(here: u64, there: u64) -> Ahead {
        const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let other = here ^ there;
        Ahead { here, there, left: (((other & LOW) + LOW) | other) & !LOW }
    }

    /// Dimensions that are left: bits of bytes are summed up in the highest byte, in less than `count_ones` takes.
    fn dimensions(self) -> u32 {
        ((self.left >> 7).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u32
    }

    /// The first of them, and how many steps it is.
    fn first(self, lines: &[Line]) -> Option<(&Line, u32)> {
        let bit = self.left.trailing_zeros();
        let line = lines.get((bit / 8) as usize)?;
        let coordinate = |place: u64| (place >> (bit - 7)) as u32 & 0xff;
        let (x, y) = (coordinate(self.here), coordinate(self.there));
        Some((line, if y < x { y + line.k - x } else { y - x }))
    }

    /// All of them.
    fn each(mut self, lines: &[Line], mut visit: impl FnMut(&Line, u32)) {
        while let Some((line, steps)) = self.first(lines) {
            self.left &= self.left - 1;
            visit(line, steps);
        }
    }
}

impl OmniHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<OmniHops> {
        let rule = read_omni(reader, context.topology, context.fabric)?.into_rule();
        let Topology::HyperX(hyperx) = context.topology else {
            return Err(Error::input("`omni-dimensional` needs a hyperx").at(reader.place()));
        };
        let (all, p) = (hyperx.lines(), hyperx.p());
        let (mut lines, mut places) = (Vec::new(), vec![0; context.wiring.len()]);
        let (mut stride, mut first) = (1, p);
        for (&k, &cables) in all.dims.iter().zip(&all.cables) {
            if k > 1 {
                // Beyond the most the rule has been refused.
                let shift = 8 * lines.len().min(MOST_LINES - 1);
                (0u32..).zip(&mut places).for_each(|(r, place)| *place |= u64::from(r / stride % k) << shift);
                lines.push(Line { k, first, cables });
            }
            stride *= k;
            first += (k - 1) * cables;
        }
        Ok(OmniHops { rule, p, lines, places })
    }

    /// The hop's number: its VC.
    fn number(&self, at: At) -> u8 {
        let begins = at.port == At::START || u32::from(at.port) < self.p;
        if begins { 0 } else { at.vc + 1 }
    }

    fn ahead(&self, at: u32, target: u32) -> Ahead {
        Ahead::new(self.places[at as usize], self.places[(target / self.p) as usize])
    }

    /// The header of a packet with these random bits.
    fn header(&self, at: u32, target: u32, random: u32) -> Header {
        Header(self.ahead(at, target).dimensions() << BITS | random)
    }

    /// Whether hops are left beyond those that the packet needs.
    fn may_deroute(&self, ahead: Ahead, vc: u8, header: Header) -> bool {
        ahead.dimensions() + u32::from(vc) < (header.0 >> BITS) + self.rule.deroutes
    }

    /// Visits the ports of the dimensions that are left which lead straight.
    fn each_straight(&self, ahead: Ahead, mut visit: impl FnMut(u16)) {
        ahead.each(&self.lines, |line, steps| {
            for port in line.ports(steps) {
                visit(port);
            }
        });
    }

    /// Visits all others of them.
    #[inline(always)]
    fn each_deroute(&self, ahead: Ahead, mut visit: impl FnMut(u16)) {
        ahead.each(&self.lines, |line, steps| {
            let straight = line.ports(steps);
            (line.ports(1).start..straight.start).for_each(&mut visit);
            (straight.end..line.ports(line.k).start).for_each(&mut visit);
        });
    }

    fn terminal(&self, target: u32) -> Hop {
        Hop { port: (target % self.p) as u16, vc: 0 }
    }
}

impl Forwarding for OmniHops {
    fn vcs(&self) -> u8 {
        (self.rule.dimensions + self.rule.deroutes).max(1) as u8
    }

    // Not inlined, as below: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn inject(&self, router: u32, target: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        self.header(router, target, rng.below(1 << BITS) as u32)
    }

    /// Straight on in the first dimension that is left.
    #[inline(never)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        match self.ahead(at.router, target).first(&self.lines) {
            Some((line, steps)) => {
                let cable = mix(*header, at.router) % line.cables;
                Hop { port: line.ports(steps).start + cable as u16, vc: self.number(at) }
            }
            None => self.terminal(target),
        }
    }

    /// The shortest queue first, of equal ones a random one.
    #[inline(always)]
    fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
        let ahead = self.ahead(at.router, target);
        if ahead.left == 0 {
            choice.offer(self.terminal(target), 0);
            return;
        }
        let (vc, turn) = (self.number(at), mix(header, at.router));
        let shuffled = |port: u16| (u32::from(port) ^ turn) & (TIES / 2 - 1);
        // The shortest queue of all, and of those with room that of the shortest.
        let (mut shortest, mut most) = (u32::MAX, u32::MAX);
        self.each_straight(ahead, |port| {
            let (hop, length) = (Hop { port, vc }, choice.at_port(port));
            shortest = shortest.min(length);
            if choice.offer(hop, length * TIES + choice.place(hop, shuffled(port))) {
                most = length;
            }
        });
        // A deroute counts threshold flits at least, and where ties are not drawn it comes after all straight ones.
        let (drawn, threshold) = (u32::from(choice.drawn() != 0), self.rule.threshold);
        if shortest.saturating_add(drawn) > threshold && self.may_deroute(ahead, vc, header) {
            let (least, later) = (most.saturating_add(drawn), (1 - drawn) * TIES / 2);
            self.each_deroute(ahead, |port| {
                let length = choice.at_port(port) + threshold;
                if length < least {
                    let hop = Hop { port, vc };
                    choice.offer(hop, length * TIES + later + choice.place(hop, shuffled(port)));
                }
            });
        }
    }

    /// Whatever the queues are.
    fn ways(&self, at: At, target: u32, header: Header, found: &mut Vec<(Hop, Header)>) {
        let (ahead, vc) = (self.ahead(at.router, target), self.number(at));
        if ahead.left == 0 {
            return found.push((self.terminal(target), header));
        }
        self.each_straight(ahead, |port| found.push((Hop { port, vc }, header)));
        if self.may_deroute(ahead, vc, header) {
            self.each_deroute(ahead, |port| found.push((Hop { port, vc }, header)));
        }
    }

    fn longest(&self) -> u32 {
        self.rule.dimensions + self.rule.deroutes + 1
    }

    /// The VC counts hops: those that are left are known without walking every way.
    fn left(&self, wiring: &Wiring, at: At, target: u32, header: Header) -> Option<u32> {
        let straight = follow(self, wiring, at, target, header)?;
        if header.0 >> BITS > self.rule.dimensions || straight == 1 {
            return (straight == 1).then_some(1);
        }
        // With deroutes as many as they may come to.
        let all = (header.0 >> BITS) + self.rule.deroutes + 1;
        Some(straight.max(all.saturating_sub(self.number(at).into())))
    }

    fn adapts(&self) -> Adapts {
        Adapts::EveryHop
    }

    /// The ways do not depend on the random bits.
    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        vec![self.header(router, target, 0)]
    }

    /// From every router to one endpoint of router 0: turning all coordinates maps the network to itself.
    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        (0..wiring.routers.len() as u32).for_each(|source| visit(source, 0, self.header(source, 0, 0)));
    }

    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        class_by_hop(wiring, channel)
    }
}
