//! Dimension order on tori, flit by flit: the rule of the routing's rings, looked up.

use super::{At, Channel, Context, Forwarding, Header, Hop, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{RING_VCS, RingWay, Tie};
use crate::topology::Torus;

/// Dimension-order forwarding: a packet chooses its VC where it enters a dimension. A header
/// has bit d set where the packet goes up in dimension d although both ways are equally long.
pub struct DorHops {
    torus: Torus,
    tie: Tie,
    /// The coordinates of every router side by side in one word, that of the first dimension lowest.
    place: Vec<u64>,
    dims: Vec<Dimension>,
    /// The dimension of every bit of such a word.
    of_bit: [u8; 64],
    ways: Vec<Ways>,
    /// The dimension of every port; [`NONE`] of the terminal, which is the last.
    dimension: Vec<u8>,
}

/// Where a dimension is in those words, where the [`Ways`] of distance 0 are, and
/// the distance at which there are two (none if 0).
struct Dimension {
    shift: u32,
    mask: u64,
    /// The mask at its place.
    field: u64,
    middle: u64,
    half: u64,
}

impl Dimension {
    #[inline]
    fn of(&self, place: u64) -> u64 {
        place >> self.shift & self.mask
    }
}

/// The first hop to a coordinate that is so much higher or lower, and its VC for
/// packets that enter the dimension there; down and up if both are equally long.
type Ways = [Hop; 2];

/// The ways in a dimension of extent k by the distance to the target's
/// coordinate, from -(k - 1) on; `port` is the dimension's first.
fn ways_of(k: u32, port: u16) -> impl Iterator<Item = Ways> {
    (1..2 * k).map(move |at| {
        let (x, y) = (k.saturating_sub(at), at.saturating_sub(k));
        [false, true].map(|up_of_two| {
            let way = RingWay::new(k, x, y, up_of_two);
            Hop { port: port + u16::from(!way.is_up && k > 2), vc: way.vc }
        })
    })
}

const NONE: u8 = u8::MAX;

impl DorHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<DorHops> {
        let torus = context.topology.torus().ok_or_else(|| Error::input("`dor` needs a torus or kncube"));
        torus.and_then(|torus| DorHops::new(torus, Tie::read(reader)?)).map_err(|e| e.at(reader.place()))
    }

    /// O(routers * dimensions).
    pub(super) fn new(torus: &Torus, tie: Tie) -> Result<DorHops> {
        let own = |(d, &k): (usize, &u32)| std::iter::repeat_n(d as u8, k.min(3) as usize - 1);
        let mut dimension: Vec<u8> = torus.dims.iter().enumerate().flat_map(own).collect();
        dimension.push(NONE);
        let (mut dims, mut ways, mut port, mut of_bit, mut shift) = (Vec::new(), Vec::new(), 0, [0; 64], 0);
        for (d, &k) in torus.dims.iter().enumerate() {
            let bits = u32::BITS - (k - 1).leading_zeros();
            let bit_of = of_bit.get_mut(shift as usize..(shift + bits) as usize);
            bit_of.ok_or_else(|| Error::input("the torus is too large for flits"))?.fill(d as u8);
            let half = if k > 2 && k.is_multiple_of(2) { u64::from(k / 2) } else { 0 };
            let (mask, middle) = ((1 << bits) - 1, ways.len() as u64 + u64::from(k) - 1);
            dims.push(Dimension { shift, mask, field: mask << shift, middle, half });
            ways.extend(ways_of(k, port));
            shift += bits;
            port += k.min(3) as u16 - 1;
        }
        let place_of = |r| dims.iter().enumerate().map(|(d, f)| u64::from(torus.coordinate(r, d)) << f.shift).sum();
        let place = (0..torus.endpoints()).map(place_of).collect();
        Ok(DorHops { torus: torus.clone(), tie, place, dims, of_bit, ways, dimension })
    }

    /// Visits the ports that lead nearer, dimension by dimension.
    #[inline]
    pub(super) fn each_port(&self, router: u32, target: u32, mut visit: impl FnMut(u16)) {
        let (x, y) = (self.place[router as usize], self.place[target as usize]);
        for dim in self.dims.iter().filter(|dim| (x ^ y) & dim.field != 0) {
            let [down, up] = self.ways[(dim.middle + dim.of(y) - dim.of(x)) as usize];
            visit(up.port);
            if down.port != up.port {
                visit(down.port);
            }
        }
    }

    /// Visits all pairs of a ring of each dimension.
    pub(super) fn each_ring(&self, mut visit: impl FnMut(u32, u32)) {
        for (d, &k) in self.torus.dims.iter().enumerate() {
            let at = |x: u32| x * self.torus.stride(d);
            (0..k).for_each(|x| (0..k).for_each(|y| visit(at(x), at(y))));
        }
    }

    /// Visits router 0 with all of the plane of any two dimensions.
    pub(super) fn each_plane(&self, mut visit: impl FnMut(u32, u32)) {
        let (dims, at) = (&self.torus.dims, |d: usize, x: u32| x * self.torus.stride(d));
        for e in 0..dims.len() {
            for d in 0..e {
                (0..dims[e]).for_each(|y| (0..dims[d]).for_each(|x| visit(0, at(d, x) + at(e, y))));
            }
        }
    }

    /// Dimensions in which two ways are equally long, and the source's coordinates there.
    fn ties(&self, from: u32, to: u32) -> impl Iterator<Item = (usize, u32)> + '_ {
        let (x, y) = (self.place[from as usize], self.place[to as usize]);
        let pairs = self.dims.iter().enumerate().map(move |(d, dim)| (d, dim.of(x), dim.of(y), dim.half));
        pairs.filter(|&(_, x, y, half)| half > 0 && x.abs_diff(y) == half).map(|(d, x, ..)| (d, x as u32))
    }
}

impl Forwarding for DorHops {
    fn vcs(&self) -> u8 {
        RING_VCS
    }

    fn inject(&self, router: u32, target: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        let mut header = 0;
        for (d, x) in self.ties(router, target) {
            let up = self.tie.is_up(x).unwrap_or_else(|| rng.below(2) == 0);
            header |= u32::from(up) << d;
        }
        Header(header)
    }

    #[inline(always)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let (x, y) = (self.place[at.router as usize], self.place[target as usize]);
        if x == y {
            return Hop { port: self.dimension.len() as u16 - 1, vc: 0 };
        }
        let d = self.of_bit[(x ^ y).trailing_zeros() as usize];
        let dim = &self.dims[usize::from(d)];
        let way = self.ways[(dim.middle + dim.of(y) - dim.of(x)) as usize][header.0 as usize >> d & 1];
        // A packet from another dimension or its endpoint enters this one.
        let inside = self.dimension.get(usize::from(at.port)) == Some(&d);
        Hop { vc: if inside { at.vc } else { way.vc }, ..way }
    }

    fn longest(&self) -> u32 {
        1 + self.torus.dims.iter().map(|k| k / 2).sum::<u32>()
    }

    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        let mut headers = vec![0];
        for (d, x) in self.ties(router, target) {
            let with: Vec<u32> = headers.iter().map(|h| h | 1 << d).collect();
            headers = match self.tie.is_up(x) {
                None => [headers, with].concat(),
                Some(true) => with,
                Some(false) => headers,
            };
        }
        headers.into_iter().map(Header).collect()
    }

    /// All ways round each ring through router 0, and from router 0 everywhere:
    /// the rings of one dimension are alike, and dimensions only ascend.
    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        let mut visit_all = |s: u32, t: u32| self.headers(s, t).into_iter().for_each(|h| visit(s, t, h));
        (0..self.torus.endpoints()).for_each(|target| visit_all(0, target));
        self.each_ring(visit_all);
    }

    /// Dimension, port in it, place on the ring and VC.
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        let (router, port) = (wiring.ports[channel.port as usize].router, wiring.offset(channel.port));
        let d = self.dimension[usize::from(port)];
        let x = if d == NONE { 0 } else { self.dims[usize::from(d)].of(self.place[router as usize]) };
        x << 16 | u64::from(port) << 8 | u64::from(channel.vc)
    }
}
