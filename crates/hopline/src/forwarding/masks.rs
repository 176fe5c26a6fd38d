//! Shortest paths, of all or of those that go up and then down, on any fabric:
//! at every router one of the ports that lead nearer, each as likely.

use super::hop_vcs::HopVcs;
use super::{At, Context, Forwarding, Header, Hop, NOWHERE, Queues};
use crate::error::{Error, Result};
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{Shortest, read_up_down};

/// A header holds 31 random bits that choose the ports, and
/// `GONE_DOWN` once the packet may not go up again.
pub struct SpreadHops {
    /// `ports[(down * routers + router) * homes + home]`: the ports that lead
    /// nearer to a router with endpoints.
    ports: Vec<u64>,
    /// Ports of each router whose links go down.
    down: Vec<u64>,
    routers: usize,
    homes: usize,
    /// Per endpoint: its router's number among those with endpoints, that
    /// router, and the terminal.
    home: Vec<(u32, u32, u16)>,
    vcs: HopVcs,
}

const GONE_DOWN: u32 = 1 << 31;

/// Most sets of ports: 256 MB.
const MOST_ENTRIES: usize = 1 << 25;

impl SpreadHops {
    pub(super) fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<SpreadHops> {
        let shortest = match name {
            "up-down" => read_up_down(reader, context.fabric)?,
            "minimal" => Shortest::minimal(context.topology, context.fabric.clone()),
            _ => Shortest::new(context.fabric.clone()),
        };
        Self::new(context, &shortest, context.routing.vcs()).map_err(|e| e.at(reader.place()))
    }

    /// O(routers * routers with endpoints * ports).
    pub(super) fn new(context: &Context<'_>, shortest: &Shortest, vcs: u8) -> Result<SpreadHops> {
        let wiring = context.wiring;
        let routers = wiring.len();
        let mut example: Vec<VertexId> = Vec::new();
        let mut home = vec![(0, NOWHERE, 0); wiring.home.len()];
        let mut number = vec![NOWHERE; routers];
        for (e, &port) in wiring.home.iter().enumerate().filter(|(_, p)| **p != NOWHERE) {
            let router = wiring.ports[port as usize].router;
            if number[router as usize] == NOWHERE {
                number[router as usize] = example.len() as u32;
                example.push(VertexId(e as u32));
            }
            home[e] = (number[router as usize], router, wiring.offset(port).into());
        }
        let homes = example.len();
        let entries = routers.saturating_mul(homes).saturating_mul(2);
        if entries > MOST_ENTRIES {
            return Err(Error::input(format!("tables of {entries} sets of ports, at most {MOST_ENTRIES} are held")));
        }
        let mut spread = SpreadHops {
            ports: vec![0; entries],
            down: vec![0; routers],
            routers,
            homes,
            home,
            vcs: HopVcs::new(wiring, vcs),
        };
        for (r, &v) in wiring.routers.iter().enumerate() {
            let bit = |link: LinkId| 1u64 << context.fabric.offset(link);
            for (h, &target) in example.iter().enumerate() {
                for gone_down in [false, true] {
                    let cell = (usize::from(gone_down) * routers + r) * homes + h;
                    for (link, goes_down) in shortest.ways(v, gone_down, target) {
                        spread.ports[cell] |= bit(link);
                        spread.down[r] |= if goes_down { bit(link) } else { 0 };
                    }
                }
            }
        }
        Ok(spread)
    }

    fn ports(&self, router: u32, header: Header, home: u32) -> u64 {
        let down = usize::from(header.0 & GONE_DOWN != 0);
        self.ports[(down * self.routers + router as usize) * self.homes + home as usize]
    }

    /// The number of the router of an endpoint, among those with endpoints.
    #[inline]
    pub(super) fn home(&self, target: u32) -> u32 {
        self.home[target as usize].0
    }

    /// An endpoint with its router of every number.
    pub(super) fn homes(&self) -> Vec<(u32, u32)> {
        let mut homes = vec![(0, NOWHERE); self.homes];
        for (e, &(number, router, _)) in (0..).zip(&self.home).filter(|(_, home)| home.1 != NOWHERE) {
            homes[number as usize] = (e, router);
        }
        homes
    }

    /// The port by which the bits of a header lead from another router to one with endpoints.
    #[inline]
    pub(super) fn port(&self, router: u32, header: Header, home: u32) -> u16 {
        let mut ports = self.ports(router, header, home);
        let pick = (u64::from(mix(header, router)) * u64::from(ports.count_ones())) >> 32;
        (0..pick).for_each(|_| ports &= ports - 1);
        ports.trailing_zeros() as u16
    }

    /// The hop by that port.
    #[inline]
    pub(super) fn towards(&self, at: At, home: u32, header: Header) -> (Hop, Header) {
        self.leave(at, self.port(at.router, header, home), header)
    }

    /// All hops from another router towards one with endpoints.
    pub(super) fn ways_towards(&self, at: At, home: u32, header: Header) -> impl Iterator<Item = (Hop, Header)> + '_ {
        let ports = self.ports(at.router, header, home);
        (0..64).filter(move |p| ports >> p & 1 == 1).map(move |p| self.leave(at, p, header))
    }

    fn leave(&self, at: At, port: u16, header: Header) -> (Hop, Header) {
        let goes_down = (self.down[at.router as usize] >> port & 1) as u32;
        (Hop { port, vc: self.vcs.of(at, port) }, Header(header.0 | goes_down << 31))
    }
}

/// Mixes the random bits of a header with a router, so that choices at
/// different routers do not depend on each other.
pub(super) fn mix(header: Header, router: u32) -> u32 {
    let x = (header.0 & !GONE_DOWN ^ router.wrapping_mul(0x9E37_79B9)).wrapping_mul(0x85EB_CA6B);
    let x = (x ^ x >> 15).wrapping_mul(0xC2B2_AE35);
    x ^ x >> 16
}

impl Forwarding for SpreadHops {
    fn vcs(&self) -> u8 {
        self.vcs.count()
    }

    fn inject(&self, _: u32, _: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        Header(rng.below(u64::from(GONE_DOWN)) as u32)
    }

    // Not inlined: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let (home, router, terminal) = self.home[target as usize];
        if router == at.router {
            return Hop { port: terminal, vc: 0 };
        }
        let (hop, after) = self.towards(at, home, *header);
        *header = after;
        hop
    }

    /// Up and down again, at every router once each.
    fn longest(&self) -> u32 {
        2 * self.routers as u32
    }

    fn ways(&self, at: At, target: u32, header: Header) -> Vec<(Hop, Header)> {
        let (home, router, terminal) = self.home[target as usize];
        if router == at.router {
            return vec![(Hop { port: terminal, vc: 0 }, header)];
        }
        self.ways_towards(at, home, header).collect()
    }

    /// The one from which [`Forwarding::ways`] finds all.
    fn headers(&self, _: u32, _: u32) -> Vec<Header> {
        vec![Header(0)]
    }
}
