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
    /// `place[router * dimensions + d]`: the coordinates, which cost divisions.
    place: Vec<u32>,
    /// The dimension of every port; [`NONE`] of the terminal.
    dimension: Vec<u8>,
}

const NONE: u8 = u8::MAX;

impl DorHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<DorHops> {
        let torus = match context.topology {
            Topology::Torus(t) => t,
            Topology::KnCube(k) => &k.torus,
            _ => return Err(Error::input("`dor` needs a torus or kncube").at(reader.place())),
        };
        let dims = 0..torus.dims.len();
        let place = (0..torus.endpoints()).flat_map(|r| dims.clone().map(move |d| torus.coordinate(r, d))).collect();
        let own = |(d, &k): (usize, &u32)| std::iter::repeat_n(d as u8, k.min(3) as usize - 1);
        let mut dimension: Vec<u8> = torus.dims.iter().enumerate().flat_map(own).collect();
        dimension.push(NONE);
        Ok(DorHops { torus: torus.clone(), tie: Tie::read(reader)?, place, dimension })
    }

    /// The coordinates of a router.
    #[inline]
    fn place(&self, router: u32) -> &[u32] {
        let n = self.torus.dims.len();
        &self.place[router as usize * n..][..n]
    }

    /// Dimensions of extent k with a distance of k/2, k > 2: those with two ways.
    fn ties(&self, from: u32, to: u32) -> impl Iterator<Item = usize> + '_ {
        let torus = &self.torus;
        (0..torus.dims.len()).filter(move |&d| {
            let (x, y, k) = (torus.coordinate(from, d), torus.coordinate(to, d), torus.dims[d]);
            k > 2 && 2 * x.abs_diff(y) == k
        })
    }

    /// Whether the way from x to y goes up; `tie` decides between equal ways.
    fn goes_up(x: u32, y: u32, k: u32, tie: bool) -> bool {
        let up = if y >= x { y - x } else { y + k - x };
        2 * up < k || (2 * up == k && tie)
    }
}

impl Forwarding for DorHops {
    fn vcs(&self) -> u8 {
        2
    }

    fn inject(&self, router: u32, target: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        let mut header = 0;
        for d in self.ties(router, target) {
            let up = match self.tie {
                Tie::Plus => true,
                Tie::Minus => false,
                Tie::Parity => self.torus.coordinate(router, d).is_multiple_of(2),
                Tie::Split => rng.below(2) == 0,
            };
            header |= u32::from(up) << d;
        }
        Header(header)
    }

    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let mut port = 0;
        let ways = self.place(at.router).iter().zip(self.place(target)).zip(&self.torus.dims);
        for (d, ((&x, &y), &k)) in ways.enumerate() {
            if x != y {
                let up = Self::goes_up(x, y, k, header.0 >> d & 1 == 1);
                // A packet from another dimension or its endpoint enters this one.
                let inside = self.dimension.get(usize::from(at.port)) == Some(&(d as u8));
                let wraps = if up { y < x } else { y > x } && k > 2;
                let vc = if inside { at.vc } else { u8::from(!wraps) };
                return Hop { port: port + u8::from(!up && k > 2), vc };
            }
            port += k.min(3) as u8 - 1;
        }
        Hop { port, vc: 0 }
    }

    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        let mut headers = vec![0];
        for d in self.ties(router, target) {
            let both = matches!(self.tie, Tie::Split);
            let up = match self.tie {
                Tie::Minus => false,
                Tie::Parity => self.torus.coordinate(router, d).is_multiple_of(2),
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
        let x = if d == NONE { 0 } else { self.place(router)[usize::from(d)] };
        u64::from(x) << 16 | u64::from(port) << 8 | u64::from(channel.vc)
    }
}
