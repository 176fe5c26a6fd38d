//! Dragonfly: groups of `a` routers, `p` endpoints and `h` global ports a router, and the
//! same number of cables between every two groups. Kim, Dally, Scott and Abts, 2008;
//! Prisacari et al., "Performance optimization of load imbalanced workloads in large
//! scale Dragonfly systems", sections II, III; groups of more dimensions as in Faanes
//! et al., "Cray Cascade", SC 2012.

mod keys;
mod preset;
mod wiring;

pub(super) use keys::ENTRY;
pub use wiring::Arrangement;

use super::{Counts, ONE, check_count, check_size, extents};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::id::{ClassId, LinkId, VertexId};
use crate::params::Sizes;
use crate::unit::{Bandwidth, Nanos};

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
/// let cascade = Dragonfly::with_groups(2, 6, 4, 5)?.group(&[3, 2])?.trunk(&[1, 3])?;
/// assert_eq!(cascade.to_string(), "dragonfly:p=2,a=6,h=4,g=5,group=3x2,trunk=1x3");
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dragonfly {
    pub(crate) p: u32,
    pub(crate) a: u32,
    pub(crate) h: u32,
    g: u32,
    /// Between two groups, where it is not as many as can be.
    cables: Option<u32>,
    arrangement: Arrangement,
    /// Routers of a group by dimension, and cables of a trunk.
    group: Vec<u32>,
    trunk: Vec<u32>,
    local: Bandwidth,
    global: Bandwidth,
    host: Option<Bandwidth>,
    local_latency: Nanos,
    global_latency: Nanos,
}

impl Dragonfly {
    /// `p` endpoints a router, `a` routers a group, `h` global ports a router, each 1 to 4096, and a*h + 1 groups with single
    /// cables between them. Links have 1 GB/s, host links no limit, latencies are 1 ns, unless they are said to be others.
    ///
    /// # Errors
    /// A number is out of its range, or the network is larger than memory holds.
    pub fn new(p: u32, a: u32, h: u32) -> Result<Dragonfly> {
        for (key, count) in [("a", a), ("h", h)] {
            check_count(key, count)?;
        }
        Dragonfly::with_groups(p, a, h, a * h + 1)
    }

    /// The same with `g` groups, 1 to a*h + 1, and as many cables between any two as there are ports for.
    ///
    /// # Errors
    /// A number is out of its range, or the network is larger than memory holds.
    pub fn with_groups(p: u32, a: u32, h: u32, g: u32) -> Result<Dragonfly> {
        for (key, count) in [("p", p), ("a", a), ("h", h)] {
            check_count(key, count)?;
        }
        if !(1..=a * h + 1).contains(&g) {
            return Err(Error::argument("g", format!("`g` is {g}, expected 1 to a*h+1 = {}", a * h + 1)));
        }
        let (group, trunk, arrangement, cables) = (vec![a], vec![1], Arrangement::Relative, None);
        let (local, global, host, local_latency, global_latency) = (ONE, ONE, None, Nanos(1), Nanos(1));
        #[rustfmt::skip]
        let made = Dragonfly {
            p, a, h, g, cables, arrangement, group, trunk, local, global, host, local_latency, global_latency,
        };
        made.checked()
    }

    /// The same with `cables` between any two groups.
    ///
    /// # Errors
    /// There is none, or the a*h global ports of a group are too few.
    pub fn cables(self, cables: u32) -> Result<Dragonfly> {
        let most = self.most_cables();
        if cables == 0 || cables > most.max(1) {
            let text = format!("`cables` is {cables}, expected 1 to a*h/(g-1) = {most}");
            return Err(Error::argument("cables", text).hint("more global ports, or fewer groups, give room for more"));
        }
        Dragonfly { cables: (cables < most).then_some(cables), ..self }.checked()
    }

    /// The same with global ports that lead elsewhere.
    ///
    /// # Errors
    /// None today.
    pub fn arrangement(self, arrangement: Arrangement) -> Result<Dragonfly> {
        Ok(Dragonfly { arrangement, ..self })
    }

    /// The same with the routers of a group in a grid, where all of a line are joined: a flattened butterfly.
    ///
    /// # Errors
    /// An extent is 0, or they do not multiply to a.
    pub fn group(self, group: &[u32]) -> Result<Dragonfly> {
        let group = extents(group)?;
        let routers = group.iter().try_fold(1u32, |n, &s| n.checked_mul(s));
        if routers != Some(self.a) {
            return Err(Error::argument("group", format!("`group` does not multiply to a = {}", self.a)));
        }
        let trunk = vec![1; group.len()];
        Dragonfly { group, trunk, ..self }.checked()
    }

    /// The same with so many cables between two routers of a line: one number for all dimensions of a group, or one each.
    ///
    /// # Errors
    /// There are neither one nor as many numbers as dimensions, or one is 0.
    pub fn trunk(self, cables: &[u32]) -> Result<Dragonfly> {
        let Sizes(cables) = Sizes::new("trunk", cables)?;
        let trunk = match cables[..] {
            [one] => vec![one; self.group.len()],
            _ if cables.len() == self.group.len() => cables,
            _ => {
                let text = format!("`trunk` has {} numbers, expected 1 or {}", cables.len(), self.group.len());
                return Err(Error::argument("trunk", text));
            }
        };
        Dragonfly { trunk, ..self }.checked()
    }

    fn checked(self) -> Result<Dragonfly> {
        let [ends, globals] = [self.p, self.h].map(u64::from);
        let routers = u64::from(self.g) * u64::from(self.a);
        let ports = ends + self.locals(self.group.len()) + globals;
        if ports > u64::from(u16::MAX) {
            return Err(Error::argument("trunk", format!("a router has {ports} ports, expected at most 65535")));
        }
        check_size(routers.checked_mul(ends + 1), routers.checked_mul(ports + ends))?;
        Ok(self)
    }

    /// Local ports of a router in the first `d` dimensions of its group.
    fn locals(&self, d: usize) -> u64 {
        let of = |(&s, &k): (&u32, &u32)| u64::from(s - 1) * u64::from(k);
        self.group.iter().zip(&self.trunk).take(d).map(of).sum()
    }

    /// Endpoints per router.
    pub fn p(&self) -> u32 {
        self.p
    }

    /// Routers per group.
    pub fn a(&self) -> u32 {
        self.a
    }

    /// Global ports per router.
    pub fn h(&self) -> u32 {
        self.h
    }

    /// Number of groups.
    pub fn groups(&self) -> u32 {
        self.g
    }

    /// Cables between any two groups; 0 where there is one group.
    pub fn links_between(&self) -> u32 {
        self.cables.unwrap_or(self.most_cables())
    }

    fn most_cables(&self) -> u32 {
        (self.a * self.h).checked_div(self.g - 1).unwrap_or(0)
    }

    /// Whether it is that of the papers: a*h + 1 groups of routers joined all to all, in relative arrangement.
    pub(crate) fn is_regular(&self) -> bool {
        let Dragonfly { a, h, g, arrangement, .. } = *self;
        g == a * h + 1 && arrangement == Arrangement::Relative && self.group.len() == 1 && self.trunk[0] == 1
    }

    /// Whether a fabric is such a one, and whole.
    pub(crate) fn is(&self, fabric: &Fabric) -> bool {
        self.is_regular() && self.counts().is_some_and(|counts| counts.are_of(fabric))
    }

    /// Number of endpoints: g * a * p.
    pub fn endpoints(&self) -> u32 {
        self.groups() * self.a * self.p
    }

    /// Router `x` of group `i` as a vertex.
    #[inline]
    pub(crate) fn router(&self, i: u32, x: u32) -> VertexId {
        VertexId(self.endpoints() + i * self.a + x)
    }

    /// The local link between two different routers of group `i`, where all are joined by single links.
    #[inline]
    pub fn local_link(&self, fabric: &Fabric, i: u32, from: u32, to: u32) -> LinkId {
        fabric.out_link(self.router(i, from), self.p + if to < from { to } else { to - 1 })
    }

    /// The router of group `i` that holds the first global link to group `j`, and its port.
    #[inline]
    pub(crate) fn gateway(&self, i: u32, j: u32) -> (u32, u32) {
        self.global_port(i, j, 0)
    }

    /// The router of group `i` that holds cable number `copy` to group `j`, and its port: spread evenly over the routers.
    fn global_port(&self, i: u32, j: u32, copy: u32) -> (u32, u32) {
        let (g, a) = (u64::from(self.g), u64::from(self.a));
        let used = u64::from(self.links_between()) * (g - 1);
        let q = u64::from(copy) * (g - 1) + u64::from(self.arrangement.port(self.g, i, j));
        let x = q * a / used;
        (x as u32, (q - (x * used).div_ceil(a)) as u32)
    }

    /// The global link from group `i` to another group `j`.
    #[inline]
    pub(crate) fn global_link(&self, fabric: &Fabric, i: u32, j: u32) -> LinkId {
        let (x, m) = self.gateway(i, j);
        fabric.out_link(self.router(i, x), self.p + self.a - 1 + m)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let Dragonfly { p, a, g, .. } = *self;
        let mut b = Builder::new(self.shape().spec(), self.endpoints(), g * a);
        let host = b.class(LinkClass::host(self.host));
        let class = |name: &str| LinkClass { latency: self.local_latency, ..LinkClass::network(name, self.local) };
        let local: Vec<ClassId> = (0..self.group.len()).map(|d| b.class(class(&self.local_name(d)))).collect();
        let global = b.class(LinkClass { latency: self.global_latency, ..LinkClass::network("global", self.global) });
        let first = u64::from(p) + self.locals(self.group.len());
        let port = |m: u32| Some((first + u64::from(m)) as u16);
        for i in 0..g {
            for x in 0..a {
                let router = self.router(i, x);
                b.name(router, format!("g{i}r{x}"));
                for n in 0..p {
                    let endpoint = VertexId((i * a + x) * p + n);
                    b.name(endpoint, format!("g{i}r{x}n{n}"));
                    b.cable_at(endpoint, Some(0), router, Some(n as u16), host);
                }
                self.join(&mut b, (i, x), &local);
            }
            for j in i + 1..g {
                for copy in 0..self.links_between() {
                    let ((x, m), (y, q)) = (self.global_port(i, j, copy), self.global_port(j, i, copy));
                    b.cable_at(self.router(i, x), port(m), self.router(j, y), port(q), global);
                }
            }
        }
        b.level("router", None, |e| e / p);
        if self.group.len() > 1 {
            b.level("line", None, |e| e / (p * self.group[0]));
        }
        b.level("group", None, |e| e / (p * a));
        b.host_per_endpoint(1);
        b.finish()
    }

    /// Cables from a router to those of its group that follow it on its lines.
    fn join(&self, b: &mut Builder, (i, x): (u32, u32), classes: &[ClassId]) {
        let mut stride = 1;
        for (d, (&s, &trunk)) in self.group.iter().zip(&self.trunk).enumerate() {
            let (at, first) = (x / stride % s, self.p + self.locals(d) as u32);
            for (other, k) in (at + 1..s).flat_map(|other| (0..trunk).map(move |k| (other, k))) {
                let port = |of: u32| Some((first + of * trunk + k) as u16);
                let there = self.router(i, x + (other - at) * stride);
                b.cable_at(self.router(i, x), port(other - 1), there, port(at), classes[d]);
            }
            stride *= s;
        }
    }

    /// The class of the local links of a dimension.
    fn local_name(&self, d: usize) -> String {
        if self.group.len() == 1 { "local".to_string() } else { format!("local{d}") }
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let [p, a, g, c] = [self.p, self.a, self.g, self.links_between()].map(u64::from);
        let locals = |d: usize| g * a * (self.locals(d + 1) - self.locals(d));
        let local = (0..self.group.len()).map(|d| (self.local_name(d), locals(d)));
        let (host, global) = (("host".to_string(), 2 * g * a * p), ("global".to_string(), g * (g - 1) * c));
        Some(Counts::new(g * a * p, g * a, std::iter::once(host).chain(local).chain([global])))
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
