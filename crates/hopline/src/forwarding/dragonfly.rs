//! Dragonfly: minimal, Valiant and UGAL, hop by hop. Prisacari et al., section
//! II; virtual channels in the order in which a path uses them.

use super::{At, Channel, Context, Forwarding, Header, Hop, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::topology::{Dragonfly, Topology};

/// Which paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Minimal,
    Restricted,
    Any,
    /// Minimal or Any, by the queues of the source's router or of all; the
    /// minimal path may be so many flits worse.
    Ugal {
        global: bool,
        threshold: u32,
    },
}

/// Forwarding on a Dragonfly.
///
/// A header is 0 on the minimal path; else the intermediate router + 1, with
/// `PAST` set once it (or, restricted, its group) was reached. Local links are used on
/// VCs L0 in the source's group, L1 and L2 before and after the intermediate
/// router, and the last VC in the target's group; global links on G0, then G1.
/// Every path uses them in the order L0 G0 L1 L2 G1 L3, so none can close a circle.
pub struct DragonflyHops {
    pub(super) kind: Kind,
    /// Endpoints per router, routers per group, groups.
    pub(super) p: u32,
    pub(super) a: u32,
    pub(super) groups: u32,
    /// Group and place in it of every router, and the router of a group that leads k + 1 groups
    /// on with the port there: looked up, since divisions are slow.
    place: Vec<(u16, u16)>,
    exits: Vec<(u32, u8)>,
    /// 2^38 / p, rounded up: endpoints are more than can be looked up in the cache.
    reciprocal: u64,
    /// VC of local links after the intermediate router, and in the target's group.
    middle: u8,
    last: u8,
}

/// Set in a header when the intermediate router or group was reached.
const PAST: u32 = 1 << 31;

impl DragonflyHops {
    pub(super) fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<DragonflyHops> {
        let Topology::Dragonfly(d) = context.topology else {
            return Err(Error::input(format!("`{name}` needs a dragonfly")).at(reader.place()));
        };
        Ok(Self::new(
            d,
            match name {
                "minimal" => Kind::Minimal,
                "valiant-restricted" => Kind::Restricted,
                "valiant-any" => Kind::Any,
                _ => Kind::Ugal { global: name == "ugal-g", threshold: reader.or("threshold", 0)? },
            },
        ))
    }

    pub(super) fn new(d: &Dragonfly, kind: Kind) -> DragonflyHops {
        let (middle, last) = match kind {
            Kind::Minimal => (0, 1),
            Kind::Restricted => (1, 2),
            Kind::Any | Kind::Ugal { .. } => (2, 3),
        };
        let routers = d.groups() * d.a;
        let place = (0..routers).map(|r| ((r / d.a) as u16, (r % d.a) as u16)).collect();
        let exits = (0..d.groups() - 1).map(|k| (k / d.h, (d.p + d.a - 1 + k % d.h) as u8)).collect();
        let reciprocal = (1u64 << 38).div_ceil(u64::from(d.p));
        DragonflyHops { kind, p: d.p, a: d.a, groups: d.groups(), place, exits, reciprocal, middle, last }
    }

    #[inline]
    pub(super) fn place(&self, router: u32) -> (u32, u32) {
        let (group, x) = self.place[router as usize];
        (u32::from(group), u32::from(x))
    }

    /// The router of an endpoint: exact while endpoints times p^2 are at most 2^38, and p is
    /// below 64, since ports are, and endpoints below 2^24, since vertices are.
    #[inline]
    pub(super) fn home(&self, endpoint: u32) -> u32 {
        ((u64::from(endpoint) * self.reciprocal) >> 38) as u32
    }

    #[inline]
    fn local(&self, from: u32, to: u32) -> u8 {
        (self.p + if to < from { to } else { to - 1 }) as u8
    }

    /// The router of group `i` that leads to group `j`, and the port there.
    #[inline]
    pub(super) fn gateway(&self, i: u32, j: u32) -> (u32, u8) {
        let k = if j > i { j - i - 1 } else { j + self.groups - i - 1 };
        self.exits[k as usize]
    }

    /// Towards another group, on the VCs of this part of the path.
    #[inline]
    pub(super) fn leave(&self, (i, x): (u32, u32), j: u32, local_vc: u8, global_vc: u8) -> Hop {
        let (exit, port) = self.gateway(i, j);
        match exit == x {
            true => Hop { port, vc: global_vc },
            false => Hop { port: self.local(x, exit), vc: local_vc },
        }
    }

    /// Groups that may be intermediate.
    fn others(&self, i: u32, j: u32) -> u32 {
        if i == j { 0 } else { self.groups - 2 }
    }

    /// The header of intermediate router z of the k-th group other than i and j.
    fn via(&self, (i, j): (u32, u32), k: u32, z: u32) -> Header {
        let (low, high) = (i.min(j), i.max(j));
        let k = k + u32::from(k >= low);
        let k = k + u32::from(k >= high);
        Header(k * self.a + z + 1)
    }

    /// A random intermediate router; none within a group, or of two groups.
    pub(super) fn draw(&self, i: u32, j: u32, rng: &mut Rng) -> Header {
        match self.others(i, j) {
            0 => Header(0),
            others => {
                let pick = rng.below(u64::from(others * self.a)) as u32;
                self.via((i, j), pick / self.a, pick % self.a)
            }
        }
    }
}

impl Forwarding for DragonflyHops {
    fn vcs(&self) -> u8 {
        self.last + 1
    }

    #[inline]
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        if self.kind == Kind::Minimal {
            return Header(0);
        }
        let (i, j) = (self.place(router).0, self.place(self.home(target)).0);
        let header = self.draw(i, j, rng);
        match self.kind {
            Kind::Ugal { global, threshold } => self.choose(router, target, header, (global, threshold), queues),
            _ => header,
        }
    }

    #[inline]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let (i, x) = self.place(at.router);
        let mut on_the_way = (0, 0);
        if header.0 != 0 {
            if header.0 & PAST == 0 {
                let (m, z) = self.place(header.0 - 1);
                if i != m {
                    return self.leave((i, x), m, 0, 0);
                }
                if self.kind != Kind::Restricted && x != z {
                    return Hop { port: self.local(x, z), vc: 1 };
                }
                header.0 |= PAST;
            }
            on_the_way = (self.middle, 1);
        }
        let router = self.home(target);
        let (j, y) = self.place(router);
        if i != j {
            self.leave((i, x), j, on_the_way.0, on_the_way.1)
        } else if x != y {
            Hop { port: self.local(x, y), vc: self.last }
        } else {
            Hop { port: (target - router * self.p) as u8, vc: 0 }
        }
    }

    fn longest(&self) -> u32 {
        match self.kind {
            Kind::Minimal => 4,
            Kind::Restricted => 6,
            Kind::Any | Kind::Ugal { .. } => 7,
        }
    }

    fn is_adaptive(&self) -> bool {
        matches!(self.kind, Kind::Ugal { .. })
    }

    fn looks_everywhere(&self) -> bool {
        matches!(self.kind, Kind::Ugal { global: true, .. })
    }

    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        let (i, j) = (self.place(router).0, self.place(self.home(target)).0);
        let routers = match self.kind {
            Kind::Minimal => 0,
            Kind::Restricted => 1,
            _ => self.a,
        };
        let detours = (0..self.others(i, j)).flat_map(|k| (0..routers).map(move |z| (k, z)));
        let minimal = matches!(self.kind, Kind::Minimal | Kind::Ugal { .. }) || self.others(i, j) == 0;
        let direct = minimal.then_some(Header(0));
        direct.into_iter().chain(detours.map(|(k, z)| self.via((i, j), k, z))).collect()
    }

    /// From the routers of group 0 alone, because turning all groups by one maps
    /// the network to itself; through every intermediate router, to one endpoint
    /// per group, of a router that changes from one to the next.
    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        let routers = self.groups * self.a;
        for source in 0..self.a {
            (0..routers).for_each(|r| self.walks_to(source, r, &[Header(0)], visit));
            if self.kind == Kind::Minimal || self.groups < 3 {
                continue;
            }
            for middle in self.a..routers {
                // Any target in another group: what is before and what is after the intermediate
                // router do not depend on each other.
                let mut group = (middle * 7 + source) % self.groups;
                while group == 0 || group == middle / self.a {
                    group = (group + 1) % self.groups;
                }
                let target = group * self.a + (middle / 3 + source) % self.a;
                self.walks_to(source, target, &[Header(middle + 1)], visit);
            }
        }
    }

    /// Local or global, and the VC: all links of a class are used at the same
    /// places of a path.
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        let global = u32::from(wiring.offset(channel.port)) >= self.p + self.a - 1;
        u64::from(global) << 8 | u64::from(channel.vc)
    }
}

impl DragonflyHops {
    fn walks_to(&self, source: u32, router: u32, headers: &[Header], visit: &mut dyn FnMut(u32, u32, Header)) {
        headers.iter().for_each(|&header| visit(source, router * self.p, header));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;
    use crate::files::Disk;
    use crate::params::Params;
    use crate::topology;

    #[test]
    fn routers_of_endpoints_are_found_without_division() {
        for p in 1..64 {
            let spec = Params::from_spec(&format!("dragonfly:p={p},a=2,h=1"), &Place::new("here", 0)).expect("spec");
            let (Topology::Dragonfly(d), _) = topology::build(&spec, &Disk).expect("machine") else {
                panic!("{spec:?}")
            };
            let hops = DragonflyHops::new(&d, Kind::Minimal);
            let last = (1 << 24) / p * p;
            for e in (0..10 * p).chain(last - 10 * p..=last) {
                assert_eq!(hops.home(e), e / p, "endpoint {e} of {p} a router");
            }
        }
    }
}
