//! Shortest paths, of all or of those that go up and then down, on any fabric:
//! at every router one of the ports that lead nearer, each as likely.

use super::hop_vcs::{HopVcs, class_by_hop};
use super::slim_fly::SlimFlySets;
use super::{At, Channel, Context, Forwarding, Header, Hop, NOWHERE, Queues, Wiring, class_of_its_own};
use crate::error::{Error, Result};
use crate::id::VertexId;
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{Shortest, Step, read_up_down};

/// A header holds 31 random bits that choose the ports, and
/// `GONE_DOWN` once the packet may not go up again.
pub struct SpreadHops {
    sets: Sets,
    /// Ports of each router whose links go down.
    down: Vec<u64>,
    words: usize,
    routers: usize,
    homes: usize,
    /// Per endpoint: its router's number among those with endpoints, that
    /// router, and the terminal.
    home: Vec<(u32, u32, u16)>,
    vcs: HopVcs,
}

/// The ports that lead nearer to a router with endpoints, a bit each in so many words.
enum Sets {
    /// `[((down * routers + router) * homes + home) * words]`, those of packets that went down only where that matters.
    Listed(Vec<u64>),
    SlimFly(SlimFlySets),
}

const GONE_DOWN: u32 = 1 << 31;

impl Header {
    /// The same with a note of whether the packet went down.
    pub(super) fn gone_down(self, down: bool) -> Header {
        Header(self.0 & !GONE_DOWN | if down { GONE_DOWN } else { 0 })
    }
}

/// Most words of sets of ports: 256 MB.
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

    /// O(routers * routers with endpoints * ports), of which most only look whether a neighbour is nearer; of a Slim Fly with a VC
    /// for every hop O(ports).
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
        let words = wiring.mask_words();
        let down = vec![0; routers * words];
        let with = |sets: Sets| SpreadHops { sets, down, words, routers, homes, home, vcs: HopVcs::new(wiring, vcs) };
        // With one VC every channel counts for itself, and no symmetry helps to find a circle.
        let whole = SlimFlySets::of(context.topology, context.fabric, words);
        if let Some(sets) = whole.filter(|_| vcs > 1 && !shortest.goes_up_and_down()) {
            return Ok(with(Sets::SlimFly(sets)));
        }
        let cells = routers.saturating_mul(homes).saturating_mul(if shortest.goes_up_and_down() { 2 } else { 1 });
        let entries = cells.saturating_mul(words);
        if entries > MOST_ENTRIES {
            let (cells, most) = (cells, MOST_ENTRIES / words);
            return Err(Error::input(format!("tables of {cells} sets of ports, at most {most} are held")));
        }
        let (mut ports, mut spread) = (vec![0; entries], with(Sets::Listed(Vec::new())));
        let mut number = vec![0; context.fabric.vertices() as usize];
        wiring.routers.iter().enumerate().for_each(|(r, v)| number[v.index()] = r);
        for (h, &target) in example.iter().enumerate() {
            shortest.each_way(target, |Step { router, gone_down, link, goes_down }| {
                let (r, port) = (number[router.index()], usize::from(wiring.port_of(context.fabric, link)));
                let cell = (usize::from(gone_down) * routers + r) * homes + h;
                let bit = 1 << (port % 64);
                ports[cell * words + port / 64] |= bit;
                spread.down[r * words + port / 64] |= if goes_down { bit } else { 0 };
            });
        }
        Ok(SpreadHops { sets: Sets::Listed(ports), ..spread })
    }

    /// The ports that lead from a router towards one with endpoints, in words of 64.
    #[inline(always)]
    fn ports(&self, router: u32, header: Header, home: u32) -> &[u64] {
        match &self.sets {
            Sets::Listed(ports) => {
                let down = usize::from(header.0 & GONE_DOWN != 0);
                let cell = (down * self.routers + router as usize) * self.homes + home as usize;
                &ports[cell * self.words..(cell + 1) * self.words]
            }
            // Its routers all have endpoints.
            Sets::SlimFly(sets) => sets.ports(router, home),
        }
    }

    /// Numbers of routers with endpoints to and from which paths stand for those to and from all: a symmetry of the network
    /// leads from one of them to any other, or these are all.
    pub(super) fn representatives(&self) -> Vec<u32> {
        match &self.sets {
            Sets::Listed(_) => (0..self.homes as u32).collect(),
            Sets::SlimFly(sets) => sets.representatives().to_vec(),
        }
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
        let sets = self.ports(router, header, home);
        let pick = |count: u32| ((u64::from(mix(header, router)) * u64::from(count)) >> 32) as u32;
        match *sets {
            [ports] => nth(ports, pick(ports.count_ones())),
            _ => nth_of(sets, pick(sets.iter().map(|s| s.count_ones()).sum())),
        }
    }

    /// The hop by that port.
    #[inline]
    pub(super) fn towards(&self, at: At, home: u32, header: Header) -> (Hop, Header) {
        self.leave(at, self.port(at.router, header, home), header)
    }

    /// All hops from another router towards one with endpoints.
    pub(super) fn ways_towards(&self, at: At, home: u32, header: Header) -> impl Iterator<Item = (Hop, Header)> + '_ {
        let sets = self.ports(at.router, header, home).iter().zip(0u16..);
        let ports = sets.flat_map(|(&set, word)| {
            let rest = std::iter::successors(Some(set), |left| Some(left & left.wrapping_sub(1)));
            rest.take_while(|&left| left != 0).map(move |left| 64 * word + left.trailing_zeros() as u16)
        });
        ports.map(move |p| self.leave(at, p, header))
    }

    /// The ports by which a packet may leave.
    #[inline(always)]
    pub(super) fn ahead(&self, at: At, target: u32, header: Header) -> Ahead<'_> {
        let (home, router, terminal) = self.home[target as usize];
        if router == at.router {
            return Ahead::One(terminal);
        }
        let sets = self.ports(at.router, header, home);
        only(sets).map_or(Ahead::Any(sets), Ahead::One)
    }

    fn leave(&self, at: At, port: u16, header: Header) -> (Hop, Header) {
        // Where no port leads on it is one past all, which may be past all routers, too.
        let down = self.down.get(at.router as usize * self.words + usize::from(port / 64)).copied().unwrap_or(0);
        let goes_down = (down >> (port % 64) & 1) as u32;
        (Hop { port, vc: self.vcs.of(at, port) }, Header(header.0 | goes_down << 31))
    }
}

/// The number of the one bit that is set, where there is one alone.
#[inline]
fn only(words: &[u64]) -> Option<u16> {
    let mut found = None;
    for (&word, at) in words.iter().zip(0u16..).filter(|(word, _)| **word != 0) {
        if word & (word - 1) != 0 || found.is_some() {
            return None;
        }
        found = Some(64 * at + word.trailing_zeros() as u16);
    }
    found
}

/// Where a packet may leave.
pub(super) enum Ahead<'a> {
    /// By this port alone.
    One(u16),
    /// By any of a set in words of 64: several, or none.
    Any(&'a [u64]),
}

/// A mask without its lowest bits, and how many more are to be left out of the next.
#[inline]
pub(super) fn without_first(mut mask: u64, skip: &mut u32) -> u64 {
    while *skip > 0 && mask != 0 {
        mask &= mask - 1;
        *skip -= 1;
    }
    mask
}

/// The number of a set bit of a mask, counted from its lowest.
#[inline]
fn nth(mut mask: u64, n: u32) -> u16 {
    (0..n).for_each(|_| mask &= mask - 1);
    mask.trailing_zeros() as u16
}

/// The same where a mask has several words; beyond them where it has not so many bits.
fn nth_of(words: &[u64], mut n: u32) -> u16 {
    for (&word, at) in words.iter().zip(0u16..) {
        if n < word.count_ones() {
            return 64 * at + nth(word, n);
        }
        n -= word.count_ones();
    }
    64 * words.len() as u16
}

/// Mixes the random bits of a header with a router, so that choices at
/// different routers do not depend on each other.
pub(crate) fn mix(header: Header, router: u32) -> u32 {
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

    /// Up and down again, at every router once each; on a Slim Fly any two are at most 2 hops apart.
    fn longest(&self) -> u32 {
        match &self.sets {
            Sets::Listed(_) => 2 * self.routers as u32,
            Sets::SlimFly(_) => 3,
        }
    }

    fn is_header(&self, header: Header) -> bool {
        match &self.sets {
            Sets::Listed(ports) => header.0 & GONE_DOWN == 0 || ports.len() > self.routers * self.homes * self.words,
            Sets::SlimFly(_) => true,
        }
    }

    fn ways(&self, at: At, target: u32, header: Header, found: &mut Vec<(Hop, Header)>) {
        let (home, router, terminal) = self.home[target as usize];
        match router == at.router {
            true => found.push((Hop { port: terminal, vc: 0 }, header)),
            false => found.extend(self.ways_towards(at, home, header)),
        }
    }

    /// To one endpoint of each router: to the others go the same hops, but for the last, into an endpoint.
    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        let (homes, sources) = (self.homes(), self.representatives());
        for &(target, _) in &homes {
            sources.iter().for_each(|&source| visit(homes[source as usize].1, target, Header(0)));
        }
    }

    /// Of a Slim Fly the VC, which grows with every hop whatever the router: representatives stand for all.
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        match &self.sets {
            Sets::Listed(_) => class_of_its_own(channel),
            Sets::SlimFly(_) => class_by_hop(wiring, channel),
        }
    }

    /// The one from which [`Forwarding::ways`] finds all.
    fn headers(&self, _: u32, _: u32) -> Vec<Header> {
        vec![Header(0)]
    }
}
