//! Dragonfly (p, a, h) at full scale: groups of `a` routers joined all to all,
//! `p` endpoints and `h` global links a router, one global link between every
//! two of the a*h + 1 groups. Prisacari et al., "Performance optimization of
//! load imbalanced workloads in large scale Dragonfly systems", sections II, III.

use super::{Counts, ONE, check_count, check_size};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::{LinkId, VertexId};
use crate::params::{Params, Reader};
use crate::unit::{Bandwidth, Nanos};

pub(super) const ENTRY: Entry = Entry {
    name: "dragonfly",
    summary: "Dragonfly (p, a, h): a*h+1 groups of a routers, one global link between every two groups",
    doc: "Endpoint n of router x in group i is endpoint (i*a + x)*p + n. Routers of a group are joined all to all by \
          local links. Palmtree wiring: global port m of router x in group i leads to group \
          i + x*h + m + 1 mod (a*h+1), and there to the port that leads back. (The paper prints the formula without \
          + 1, which would join a group to itself at x = m = 0.)\n\
          With g = a*h+1 groups, directed links: local g*a*(a-1), global g*a*h, host 2*g*a*p.\n\
          Source: the Dragonfly imbalance paper, sections II and III.",
    example: "dragonfly:p=2,a=4,h=2",
    params: &[
        param("p", "count", "", "endpoints per router"),
        param("a", "count", "", "routers per group"),
        param("h", "count", "", "global links per router"),
        param("local", "bandwidth", "1", "of a local link, GB/s"),
        param("global", "bandwidth", "1", "of a global link, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
        param("local_latency", "cycles", "1", "of a local link, at least 1; a cycle is 1 ns"),
        param("global_latency", "cycles", "1", "of a global link, at least 1; a cycle is 1 ns"),
    ],
};

/// Parameters of a Dragonfly.
///
/// ```
/// use hopline::topology::Dragonfly;
/// use hopline::unit::{Bandwidth, Nanos};
///
/// let dragonfly = Dragonfly::new(2, 4, 2)?.global_bandwidth(Bandwidth::gb_s(2.0))?.global_latency(Nanos(100))?;
/// assert_eq!(dragonfly.groups(), 9);
/// assert_eq!(dragonfly.build()?.endpoints(), 72);
/// assert_eq!(dragonfly, "dragonfly:p=2,a=4,h=2,global=2,global_latency=100".parse()?);
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dragonfly {
    pub(crate) p: u32,
    pub(crate) a: u32,
    pub(crate) h: u32,
    local: Bandwidth,
    global: Bandwidth,
    host: Option<Bandwidth>,
    local_latency: Nanos,
    global_latency: Nanos,
}

impl Dragonfly {
    /// `p` endpoints a router, `a` routers a group, `h` global links a router, each 1 to 4096. Links have 1 GB/s, host
    /// links no limit, latencies are 1 ns, unless they are said to be others.
    ///
    /// # Errors
    /// A number is out of its range, or the network is larger than memory holds.
    pub fn new(p: u32, a: u32, h: u32) -> Result<Dragonfly> {
        for (key, count) in [("p", p), ("a", a), ("h", h)] {
            check_count(key, count)?;
        }
        let [ends, routers, globals] = [p, a, h].map(u64::from);
        let all = (routers * globals + 1) * routers;
        check_size(all.checked_mul(ends + 1), all.checked_mul(2 * ends + routers - 1 + globals))?;
        let (local_latency, global_latency) = (Nanos(1), Nanos(1));
        Ok(Dragonfly { p, a, h, local: ONE, global: ONE, host: None, local_latency, global_latency })
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<Dragonfly> {
        let dragonfly = Dragonfly::new(reader.need("p")?, reader.need("a")?, reader.need("h")?)?;
        let dragonfly = reader.set(dragonfly, "local", Dragonfly::local_bandwidth)?;
        let dragonfly = reader.set(dragonfly, "global", Dragonfly::global_bandwidth)?;
        let dragonfly = reader.set(dragonfly, "host", Dragonfly::host_bandwidth)?;
        let dragonfly = reader.set(dragonfly, "local_latency", Dragonfly::local_latency)?;
        reader.set(dragonfly, "global_latency", Dragonfly::global_latency)
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("p", self.p).with("a", self.a).with("h", self.h);
        let params = params.unless("local", self.local, ONE).unless("global", self.global, ONE);
        let params = params.maybe("host", self.host).unless("local_latency", self.local_latency, Nanos(1));
        params.unless("global_latency", self.global_latency, Nanos(1))
    }

    /// Endpoints per router.
    pub fn p(&self) -> u32 {
        self.p
    }

    /// Routers per group.
    pub fn a(&self) -> u32 {
        self.a
    }

    /// Global links per router.
    pub fn h(&self) -> u32 {
        self.h
    }

    /// Number of groups: a*h + 1.
    pub fn groups(&self) -> u32 {
        self.a * self.h + 1
    }

    /// Number of endpoints: (a*h + 1) * a * p.
    pub fn endpoints(&self) -> u32 {
        self.groups() * self.a * self.p
    }

    /// Router `x` of group `i` as a vertex.
    #[inline]
    pub(crate) fn router(&self, i: u32, x: u32) -> VertexId {
        VertexId(self.endpoints() + i * self.a + x)
    }

    /// The local link between two different routers of group `i`.
    #[inline]
    pub fn local_link(&self, fabric: &Fabric, i: u32, from: u32, to: u32) -> LinkId {
        fabric.out_link(self.router(i, from), self.p + if to < from { to } else { to - 1 })
    }

    /// The router of group `i` that holds the global link to group `j`, and its port.
    #[inline]
    pub(crate) fn gateway(&self, i: u32, j: u32) -> (u32, u32) {
        let g = self.groups();
        let k = (j + g - i - 1) % g;
        (k / self.h, k % self.h)
    }

    /// The global link from group `i` to another group `j`.
    #[inline]
    pub(crate) fn global_link(&self, fabric: &Fabric, i: u32, j: u32) -> LinkId {
        let (x, m) = self.gateway(i, j);
        fabric.out_link(self.router(i, x), self.p + self.a - 1 + m)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let Dragonfly { p, a, h, .. } = *self;
        let g = self.groups();
        let mut b = Builder::new(format!("dragonfly:p={p},a={a},h={h}"), self.endpoints(), g * a);
        let host = b.class(LinkClass::host(self.host));
        let local = b.class(LinkClass { latency: self.local_latency, ..LinkClass::network("local", self.local) });
        let global = b.class(LinkClass { latency: self.global_latency, ..LinkClass::network("global", self.global) });
        for i in 0..g {
            for x in 0..a {
                let router = self.router(i, x);
                b.name(router, format!("g{i}r{x}"));
                for n in 0..p {
                    let endpoint = VertexId((i * a + x) * p + n);
                    b.name(endpoint, format!("g{i}r{x}n{n}"));
                    b.cable_at(endpoint, Some(0), router, Some(n as u16), host);
                }
                for y in x + 1..a {
                    b.cable_at(router, Some((p + y - 1) as u16), self.router(i, y), Some((p + x) as u16), local);
                }
            }
            for j in i + 1..g {
                let ((x, m), (y, q)) = (self.gateway(i, j), self.gateway(j, i));
                let port = |m: u32| Some((p + a - 1 + m) as u16);
                b.cable_at(self.router(i, x), port(m), self.router(j, y), port(q), global);
            }
        }
        b.level("router", None, |e| e / p);
        b.level("group", None, |e| e / (p * a));
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let [p, a, h, g] = [self.p, self.a, self.h, self.groups()].map(u64::from);
        let links = vec![("host".into(), 2 * g * a * p), ("local".into(), g * a * (a - 1)), ("global".into(), g * a * h)];
        Some(Counts { endpoints: g * a * p, switches: g * a, links })
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "minimal"
    }
}

bandwidths! { Dragonfly:
    local_bandwidth sets "local" in local, "local links of another bandwidth";
    global_bandwidth sets "global" in global, "global links of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}

latencies! { Dragonfly:
    local_latency of "local links";
    global_latency of "global links";
}
