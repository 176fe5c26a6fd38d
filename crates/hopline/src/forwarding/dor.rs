//! Dimension order on tori with two virtual channels. Wang, Hou and Ku, section
//! 2.2; the classes high and low after Dally and Seitz, 1987.

use super::{At, Channel, Context, Forwarding, Header, Hop, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::Tie;
use crate::topology::{Topology, Torus};

/// Dimension-order forwarding.
///
/// A packet chooses its VC where it enters a dimension: high (1) if its way there
/// does not use the wraparound link, else low (0). Ways are at most half a ring
/// long, so low packets never use the links in the middle and high ones never
/// the wraparound: neither closes a circle. A header has bit d set where the
/// packet goes up in dimension d although both ways are equally long.
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
fn ways_of(k: u32, port: u8) -> impl Iterator<Item = Ways> {
    (1..2 * k).map(move |at| {
        // Steps up; the wraparound link is used upwards to lower coordinates and downwards to higher ones.
        let (up, higher) = (at % k, at > k);
        let hop =
            |goes_up: bool| Hop { port: port + u8::from(!goes_up && k > 2), vc: u8::from(k <= 2 || goes_up == higher) };
        [hop(2 * up < k), hop(2 * up <= k)]
    })
}

const NONE: u8 = u8::MAX;

impl DorHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<DorHops> {
        let torus = match context.topology {
            Topology::Torus(t) => t,
            Topology::KnCube(k) => &k.torus,
            _ => return Err(Error::input("`dor` needs a torus or kncube").at(reader.place())),
        };
        let own = |(d, &k): (usize, &u32)| std::iter::repeat_n(d as u8, k.min(3) as usize - 1);
        let mut dimension: Vec<u8> = torus.dims.iter().enumerate().flat_map(own).collect();
        dimension.push(NONE);
        let (mut dims, mut ways, mut port, mut of_bit, mut shift) = (Vec::new(), Vec::new(), 0, [0; 64], 0);
        for (d, &k) in torus.dims.iter().enumerate() {
            let bits = u32::BITS - (k - 1).leading_zeros();
            let bit_of = of_bit.get_mut(shift as usize..(shift + bits) as usize);
            bit_of.ok_or_else(|| Error::input("the torus is too large for flits").at(reader.place()))?.fill(d as u8);
            let half = if k > 2 && k.is_multiple_of(2) { u64::from(k / 2) } else { 0 };
            dims.push(Dimension { shift, mask: (1 << bits) - 1, middle: ways.len() as u64 + u64::from(k) - 1, half });
            ways.extend(ways_of(k, port));
            shift += bits;
            port += k.min(3) as u8 - 1;
        }
        let place_of = |r| dims.iter().enumerate().map(|(d, f)| u64::from(torus.coordinate(r, d)) << f.shift).sum();
        let place = (0..torus.endpoints()).map(place_of).collect();
        Ok(DorHops { torus: torus.clone(), tie: Tie::read(reader)?, place, dims, of_bit, ways, dimension })
    }

    /// Dimensions in which two ways are equally long, and the source's coordinates there.
    fn ties(&self, from: u32, to: u32) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (x, y) = (self.place[from as usize], self.place[to as usize]);
        let pairs = self.dims.iter().enumerate().map(move |(d, dim)| (d, dim.of(x), dim.of(y), dim.half));
        pairs.filter(|&(_, x, y, half)| half > 0 && x.abs_diff(y) == half).map(|(d, x, ..)| (d, x))
    }
}

impl Forwarding for DorHops {
    fn vcs(&self) -> u8 {
        2
    }

    fn inject(&self, router: u32, target: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        let mut header = 0;
        for (d, x) in self.ties(router, target) {
            let up = match self.tie {
                Tie::Plus => true,
                Tie::Minus => false,
                Tie::Parity => x.is_multiple_of(2),
                Tie::Split => rng.below(2) == 0,
            };
            header |= u32::from(up) << d;
        }
        Header(header)
    }

    #[inline]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let (x, y) = (self.place[at.router as usize], self.place[target as usize]);
        if x == y {
            return Hop { port: self.dimension.len() as u8 - 1, vc: 0 };
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
            let both = matches!(self.tie, Tie::Split);
            let up = match self.tie {
                Tie::Minus => false,
                Tie::Parity => x.is_multiple_of(2),
                _ => true,
            };
            let with: Vec<u32> = headers.iter().map(|h| h | 1 << d).collect();
            headers = if both {
                [headers, with].concat()
            } else if up {
                with
            } else {
                headers
            };
        }
        headers.into_iter().map(Header).collect()
    }

    /// All ways round each ring through router 0, and from router 0 everywhere:
    /// the rings of one dimension are alike, and dimensions only ascend.
    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        let torus = &self.torus;
        let mut visit_all = |s: u32, t: u32| self.headers(s, t).into_iter().for_each(|h| visit(s, t, h));
        (0..torus.endpoints()).for_each(|target| visit_all(0, target));
        for (d, &k) in torus.dims.iter().enumerate() {
            let at = |x: u32| x * torus.stride(d);
            (0..k).for_each(|x| (0..k).for_each(|y| visit_all(at(x), at(y))));
        }
    }

    /// Dimension, port in it, place on the ring and VC.
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        let (router, port) = (wiring.ports[channel.port as usize].router, wiring.offset(channel.port));
        let d = self.dimension[usize::from(port)];
        let x = if d == NONE { 0 } else { self.dims[usize::from(d)].of(self.place[router as usize]) };
        x << 16 | u64::from(port) << 8 | u64::from(channel.vc)
    }
}
