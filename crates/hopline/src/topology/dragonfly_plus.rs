//! Dragonfly+, also called Megafly: groups of leaf and spine routers, spines joined
//! to those of other groups. Shpiner et al., "Dragonfly+: low cost topology for
//! scaling datacenters", HiPINEB 2017; Flajslik et al., "Megafly", ISC 2018.

use super::{Counts, ONE, attach, check_count, check_size};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::VertexId;
use crate::params::{Params, Reader};
use crate::unit::{Bandwidth, Nanos};

pub(super) const ENTRY: Entry = Entry {
    name: "dragonfly-plus",
    summary: "Dragonfly+ or Megafly: groups of l leaves and s spines, every leaf joined to every spine, spines to other groups",
    doc: "A leaf has p endpoints and a local link to each of the s spines of its group, a spine one to each of the l leaves and h global \
          links. Endpoint n of leaf x in group i is (i*l + x)*p + n; routers are numbered leaves of all groups first, then spines. Each of g \
          groups has c = s*h/(g-1) rounded down cables to every other: the k-th global port of group i, k = spine*h + port, leads to group \
          i + (k mod (g-1)) + 1 mod g and back to the port that leads the same way back; ports from c*(g-1) on stay empty.\n\
          Directed links: host 2*g*l*p, local 2*g*l*s, global g*(g-1)*c. Unless given, l, s and h are p, and g is s*h + 1, the largest: \
          with routers of radix 2p that is p^2*(p^2 + 1) endpoints. Minimal paths go up, over at most one global link, and down: 2 or 3 \
          links between routers, which cannot wait for each other in a circle.\n\
          Source: Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi, \"Dragonfly+: low cost topology for scaling datacenters\", 2017.",
    example: "dragonfly-plus:p=2",
    params: &[
        param("p", "count", "", "endpoints per leaf"),
        param("l", "count", "p", "leaves per group"),
        param("s", "count", "p", "spines per group"),
        param("h", "count", "p", "global links per spine"),
        param("g", "count", "s*h+1", "groups, 1 to s*h+1"),
        param("local", "bandwidth", "1", "of a link between leaf and spine, GB/s"),
        param("global", "bandwidth", "1", "of a global link, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
        param("local_latency", "cycles", "1", "of a local link, at least 1; a cycle is 1 ns"),
        param("global_latency", "cycles", "1", "of a global link, at least 1; a cycle is 1 ns"),
    ],
};

/// Parameters of a Dragonfly+.
///
/// ```
/// use hopline::topology::DragonflyPlus;
///
/// let megafly = DragonflyPlus::new(4, 4, 4, 4)?;
/// assert_eq!(megafly.to_string(), "dragonfly-plus:p=4");
/// assert_eq!(megafly.build()?.endpoints(), 17 * 16);
/// assert_eq!(megafly.groups(5)?.build()?.endpoints(), 5 * 16);
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DragonflyPlus {
    p: u32,
    l: u32,
    s: u32,
    h: u32,
    g: u32,
    local: Bandwidth,
    global: Bandwidth,
    host: Option<Bandwidth>,
    local_latency: Nanos,
    global_latency: Nanos,
}

impl DragonflyPlus {
    /// `p` endpoints a leaf, `l` leaves and `s` spines a group, `h` global links a spine, each 1 to 4096; as many groups as can be. Links
    /// have 1 GB/s, host links no limit, latencies are 1 ns, unless they are said to be others.
    ///
    /// # Errors
    /// A number is out of its range, or the network is larger than memory holds.
    pub fn new(p: u32, l: u32, s: u32, h: u32) -> Result<DragonflyPlus> {
        for (key, count) in [("p", p), ("l", l), ("s", s), ("h", h)] {
            check_count(key, count)?;
        }
        let (local_latency, global_latency) = (Nanos(1), Nanos(1));
        DragonflyPlus { p, l, s, h, g: 0, local: ONE, global: ONE, host: None, local_latency, global_latency }
            .groups(s * h + 1)
    }

    /// The same with `g` groups.
    ///
    /// # Errors
    /// `g` is not from 1 to s * h + 1, or the network is larger than memory holds.
    pub fn groups(self, g: u32) -> Result<DragonflyPlus> {
        let most = self.s * self.h + 1;
        if !(1..=most).contains(&g) {
            return Err(Error::argument("g", format!("`g` is {g}, expected 1 to s*h+1 = {most}")));
        }
        let [p, l, s, h, groups] = [self.p, self.l, self.s, self.h, g].map(u64::from);
        let each = |count: u64| groups.checked_mul(count);
        check_size(each(l * (p + 1) + s), each(2 * l * (p + s) + s * h))?;
        Ok(DragonflyPlus { g, ..self })
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<DragonflyPlus> {
        let p = reader.need("p")?;
        let made = DragonflyPlus::new(p, reader.or("l", p)?, reader.or("s", p)?, reader.or("h", p)?)?;
        let made = reader.set(made, "g", DragonflyPlus::groups)?;
        let made = reader.set(made, "local", DragonflyPlus::local_bandwidth)?;
        let made = reader.set(made, "global", DragonflyPlus::global_bandwidth)?;
        let made = reader.set(made, "host", DragonflyPlus::host_bandwidth)?;
        let made = reader.set(made, "local_latency", DragonflyPlus::local_latency)?;
        reader.set(made, "global_latency", DragonflyPlus::global_latency)
    }

    pub(super) fn params(&self) -> Params {
        let params =
            Params::named(ENTRY.name).with("p", self.p).unless("l", self.l, self.p).unless("s", self.s, self.p);
        let params = params.unless("h", self.h, self.p).unless("g", self.g, self.s * self.h + 1);
        let params =
            params.unless("local", self.local, ONE).unless("global", self.global, ONE).maybe("host", self.host);
        let params = params.unless("local_latency", self.local_latency, Nanos(1));
        params.unless("global_latency", self.global_latency, Nanos(1))
    }

    /// Cables between two groups.
    fn cables(&self) -> u32 {
        if self.g > 1 { self.s * self.h / (self.g - 1) } else { 0 }
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let DragonflyPlus { p, l, s, h, g, .. } = *self;
        let (leaves, ends) = (g * l, g * l * p);
        let mut b = Builder::new(self.params().spec(), ends, leaves + g * s);
        let host = b.class(LinkClass::host(self.host));
        let local = b.class(LinkClass { latency: self.local_latency, ..LinkClass::network("local", self.local) });
        let global = b.class(LinkClass { latency: self.global_latency, ..LinkClass::network("global", self.global) });
        attach(&mut b, leaves, p, host, |r| format!("g{}l{}", r / l, r % l));
        let spine = |i: u32, y: u32| VertexId(ends + leaves + i * s + y);
        for (i, y) in (0..g).flat_map(|i| (0..s).map(move |y| (i, y))) {
            b.name(spine(i, y), format!("g{i}s{y}"));
            for x in 0..l {
                b.cable_at(VertexId(ends + i * l + x), Some((p + y) as u16), spine(i, y), Some(x as u16), local);
            }
        }
        for i in 0..g {
            for (j, copy) in (i + 1..g).flat_map(|j| (0..self.cables()).map(move |copy| (j, copy))) {
                // The global ports of a group that lead so many groups on.
                let port = |on: u32| copy * (g - 1) + on - 1;
                let end = |i: u32, k: u32| (spine(i, k / h), Some((l + k % h) as u16));
                let ((a, at), (c, there)) = (end(i, port(j - i)), end(j, port(g - (j - i))));
                b.cable_at(a, at, c, there, global);
            }
        }
        b.level("router", None, |e| e / p);
        b.level("group", None, |e| e / (p * l));
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let [p, l, s, g, c] = [self.p, self.l, self.s, self.g, self.cables()].map(u64::from);
        let links = [("host", 2 * g * l * p), ("local", 2 * g * l * s), ("global", g * (g - 1) * c)];
        Some(Counts::new(g * l * p, g * (l + s), links))
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "minimal"
    }
}

bandwidths! { DragonflyPlus:
    local_bandwidth sets "local" in local, "links between leaf and spine of another bandwidth";
    global_bandwidth sets "global" in global, "global links of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}

latencies! { DragonflyPlus:
    local_latency of "local links";
    global_latency of "global links";
}
