//! The rule of Dragonflies, hop by hop: minimal, or by way of a random group or
//! router. Prisacari et al., section II; virtual channels in the order in which a
//! path uses them.

use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::rng::Rng;
use crate::routing::{At, Detour, Header, Hop};
use crate::topology::Dragonfly;

/// Routers are numbered group by group, their ports as the family does it: endpoints,
/// local links, global links.
///
/// A header is 0 on the minimal path; else the intermediate router + 1, with
/// `PAST` set once it (or, by way of a group, its group) was reached. Local links are used on
/// VCs L0 in the source's group, L1 and L2 before and after the intermediate
/// router, and the last VC in the target's group; global links on G0, then G1.
/// Every path uses them in the order L0 G0 L1 L2 G1 L3, so none can close a circle.
pub(crate) struct DragonflyRule {
    pub(crate) detour: Detour,
    /// Endpoints per router, routers per group, groups.
    pub(crate) p: u32,
    pub(crate) a: u32,
    pub(crate) groups: u32,
    /// Group and place in it of every router, and the router of a group that leads k + 1 groups
    /// on with the port there: looked up, since divisions are slow.
    place: Vec<(u32, u32)>,
    exits: Vec<(u16, u16)>,
    /// 2^38 / p, rounded up: endpoints are more than can be looked up in the cache.
    reciprocal: u64,
    /// VC of local links after the intermediate router, and in the target's group.
    middle: u8,
    last: u8,
}

/// Set in a header when the intermediate router or group was reached.
const PAST: u32 = 1 << 31;

impl DragonflyRule {
    /// The header of a packet that goes the minimal way on the channels of those that are past their intermediate router.
    pub(crate) const AFTER: Header = Header(PAST);

    pub(crate) fn new(d: &Dragonfly, detour: Detour) -> DragonflyRule {
        let (middle, last) = match detour {
            Detour::None => (0, 1),
            Detour::Group => (1, 2),
            Detour::Router => (2, 3),
        };
        let routers = d.groups() * d.a;
        let place = (0..routers).map(|r| (r / d.a, r % d.a)).collect();
        let exit = |k: u32| ((k / d.h) as u16, (d.p + d.a - 1 + k % d.h) as u16);
        let exits = (0..d.groups() - 1).map(exit).collect();
        let reciprocal = (1u64 << 38).div_ceil(u64::from(d.p));
        DragonflyRule { detour, p: d.p, a: d.a, groups: d.groups(), place, exits, reciprocal, middle, last }
    }

    /// VCs of a port.
    pub(crate) fn vcs(&self) -> u8 {
        self.last + 1
    }

    /// Most routers of a path.
    pub(crate) fn longest(&self) -> u32 {
        match self.detour {
            Detour::None => 4,
            Detour::Group => 6,
            Detour::Router => 7,
        }
    }

    /// Group of a router and its place there.
    #[inline]
    pub(crate) fn place(&self, router: u32) -> (u32, u32) {
        self.place[router as usize]
    }

    /// The router of an endpoint: exact while endpoints times p are below 2^38, and no p above 4,096
    /// nor 2^26 endpoints fit into memory.
    #[inline]
    pub(crate) fn home(&self, endpoint: u32) -> u32 {
        ((u64::from(endpoint) * self.reciprocal) >> 38) as u32
    }

    #[inline]
    pub(crate) fn local(&self, from: u32, to: u32) -> u16 {
        (self.p + if to < from { to } else { to - 1 }) as u16
    }

    /// The router of group `i` that leads to group `j`, and the port there.
    #[inline]
    pub(crate) fn gateway(&self, i: u32, j: u32) -> (u32, u16) {
        let k = if j > i { j - i - 1 } else { j + self.groups - i - 1 };
        let (exit, port) = self.exits[k as usize];
        (u32::from(exit), port)
    }

    /// Whether a packet may carry this.
    pub(crate) fn is_header(&self, header: Header) -> bool {
        header.0 & PAST != 0 || header.0 as usize <= self.place.len()
    }

    /// Towards another group, on the VCs of this part of the path.
    #[inline]
    pub(crate) fn leave(&self, (i, x): (u32, u32), j: u32, local_vc: u8, global_vc: u8) -> Hop {
        let (exit, port) = self.gateway(i, j);
        match exit == x {
            true => Hop { port, vc: global_vc },
            false => Hop { port: self.local(x, exit), vc: local_vc },
        }
    }

    /// The next hop; at the target's router the port of its terminal.
    #[inline]
    pub(crate) fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let router = self.home(target);
        match self.step(self.place(at.router), self.place(router), header) {
            Some(hop) => hop,
            None => Hop { port: (target - router * self.p) as u16, vc: 0 },
        }
    }

    /// The next hop to another router, or none at the target's.
    #[inline(always)]
    fn step(&self, (i, x): (u32, u32), (j, y): (u32, u32), header: &mut Header) -> Option<Hop> {
        let mut on_the_way = (0, 0);
        if header.0 != 0 {
            if header.0 & PAST == 0 {
                let (m, z) = self.place(header.0 - 1);
                if i != m {
                    return Some(self.leave((i, x), m, 0, 0));
                }
                if self.detour != Detour::Group && x != z {
                    return Some(Hop { port: self.local(x, z), vc: 1 });
                }
                header.0 |= PAST;
            }
            on_the_way = (self.middle, 1);
        }
        if i != j {
            Some(self.leave((i, x), j, on_the_way.0, on_the_way.1))
        } else {
            (x != y).then(|| Hop { port: self.local(x, y), vc: self.last })
        }
    }

    /// The groups of two endpoints.
    pub(super) fn between(&self, source: VertexId, target: VertexId) -> (u32, u32) {
        (self.place(self.home(source.0)).0, self.place(self.home(target.0)).0)
    }

    /// Groups that may be intermediate.
    pub(crate) fn others(&self, i: u32, j: u32) -> u32 {
        if i == j { 0 } else { self.groups - 2 }
    }

    /// The header of intermediate router z of the k-th group other than i and j.
    pub(crate) fn via(&self, (i, j): (u32, u32), k: u32, z: u32) -> Header {
        let (low, high) = (i.min(j), i.max(j));
        let k = k + u32::from(k >= low);
        let k = k + u32::from(k >= high);
        Header(k * self.a + z + 1)
    }

    /// The header of a random intermediate router; none within a group, or of two groups.
    pub(crate) fn draw(&self, i: u32, j: u32, rng: &mut Rng) -> Header {
        match self.others(i, j) {
            0 => Header(0),
            others => {
                let pick = rng.below(u64::from(others * self.a)) as u32;
                self.via((i, j), pick / self.a, pick % self.a)
            }
        }
    }

    /// Number of detours from group i to j: by every router of every other group, or by each of these groups.
    pub(crate) fn detours(&self, (i, j): (u32, u32)) -> u32 {
        match self.detour {
            Detour::None => 0,
            Detour::Group => self.others(i, j),
            Detour::Router => self.others(i, j) * self.a,
        }
    }

    /// The header of detour number `n`; of the minimal path where there are none.
    pub(crate) fn header(&self, (i, j): (u32, u32), n: u32) -> Header {
        match self.detour {
            _ if self.detours((i, j)) == 0 => Header(0),
            Detour::Router => self.via((i, j), n / self.a, n % self.a),
            _ => self.via((i, j), n, 0),
        }
    }

    /// The headers of all detours; of the minimal path where there are none.
    pub(crate) fn headers(&self, ends: (u32, u32)) -> impl Iterator<Item = Header> + '_ {
        (0..self.detours(ends).max(1)).map(move |n| self.header(ends, n))
    }

    /// Visits the links of a path number with their VCs. O(links).
    #[inline]
    pub(super) fn walk(
        &self,
        fabric: &Fabric,
        (source, target): (VertexId, VertexId),
        choice: u64,
        mut visit: impl FnMut(LinkId, u8),
    ) {
        let (from, to) = (self.home(source.0), self.home(target.0));
        let (mut at, mut place, end) = (from, self.place(from), self.place(to));
        let mut header = self.header((place.0, end.0), choice as u32);
        visit(fabric.out_link(source, 0), 0);
        while let Some(hop) = self.step(place, end, &mut header) {
            let link = fabric.out_link(VertexId(fabric.endpoints() + at), hop.port.into());
            visit(link, hop.vc);
            at = fabric.target(link).0 - fabric.endpoints();
            place = self.place(at);
        }
        visit(fabric.out_link(VertexId(fabric.endpoints() + at), target.0 - to * self.p), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;
    use crate::files::Disk;
    use crate::params::Params;
    use crate::topology::{self, Topology};

    #[test]
    fn routers_of_endpoints_are_found_without_division() {
        for p in (1..64).chain([1000, 4093, 4095, 4096]) {
            let spec = Params::from_spec(&format!("dragonfly:p={p},a=2,h=1"), &Place::new("here", 0)).expect("spec");
            let (Topology::Dragonfly(d), _) = topology::build(&spec, &Disk).expect("machine") else {
                panic!("{spec:?}")
            };
            let rule = DragonflyRule::new(&d, Detour::None);
            let last = 50_600_000 / p * p;
            for e in (0..10 * p).chain(last - 10 * p..=last) {
                assert_eq!(rule.home(e), e / p, "endpoint {e} of {p} a router");
            }
        }
    }
}
