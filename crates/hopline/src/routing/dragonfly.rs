//! Minimal routing of a Dragonfly: local, global, local. Prisacari et al., section II.

use super::two_level::Tally;
use super::{Detour, Groups, Path, Routing, check_whole, load_host_links, mismatch};
use crate::demand::Flows;
use crate::entry::Entry;
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use crate::topology::{Dragonfly, Topology};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "minimal",
    summary: "Dragonfly: at most one local, one global, one local hop",
    doc: "The one minimal path: a local hop to the router that holds the global link to the target's group, that link, \
          a local hop to the target's router; hops that would stay at their router are left out.\n\
          Flits: 2 virtual channels; local links use 0, in the target's group 1.\n\
          Source: the Dragonfly imbalance paper, section II.",
    example: "minimal",
    params: &[],
};

/// Minimal routing: see [the list](super::LIST).
pub struct Minimal {
    dragonfly: Dragonfly,
    fabric: Arc<Fabric>,
}

impl Minimal {
    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        match topology {
            Topology::Dragonfly(d) => Ok(Box::new(Minimal::new(d, fabric)?)),
            _ => Err(mismatch(reader, "minimal", "a dragonfly", topology, fabric)),
        }
    }

    /// The minimal paths of a Dragonfly's fabric.
    ///
    /// ```
    /// use hopline::{id::VertexId, routing::{Minimal, Path, Routing}, topology::{Dragonfly, FullMesh}};
    /// use std::sync::Arc;
    ///
    /// let dragonfly = Dragonfly::new(1, 2, 1)?;
    /// let fabric = Arc::new(dragonfly.build()?);
    /// let mut path = Path::default();
    /// Minimal::new(&dragonfly, &fabric)?.path(VertexId(0), VertexId(5), 0, &mut path)?;
    /// assert_eq!(path.links.iter().filter(|&&link| !fabric.is_host_link(link)).count(), 3);
    /// assert!(Minimal::new(&dragonfly, &Arc::new(FullMesh::new(6)?.build()?)).is_err());
    /// # Ok::<(), hopline::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// The fabric is not the whole network of this Dragonfly.
    pub fn new(dragonfly: &Dragonfly, fabric: &Arc<Fabric>) -> Result<Minimal> {
        check_whole(ENTRY.name, dragonfly.clone(), fabric)?;
        Ok(Minimal { dragonfly: dragonfly.clone(), fabric: fabric.clone() })
    }

    /// The links from router x of group i to router y of group j.
    pub(super) fn walk(&self, (i, x): (u32, u32), (j, y): (u32, u32), links: &mut Vec<LinkId>) {
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let mut at = x;
        if i != j {
            let exit = d.gateway(i, j).0;
            if at != exit {
                links.push(d.local_link(f, i, at, exit));
            }
            links.push(d.global_link(f, i, j));
            at = d.gateway(j, i).0;
        }
        if at != y {
            links.push(d.local_link(f, j, at, y));
        }
    }
}

/// Virtual channels of a path: local links use 0 in the source's group, `between` of their router's place in groups on
/// the way, and `last` in the target's; global links count from 0.
pub(super) fn channels(
    (d, f): (&Dragonfly, &Fabric),
    path: &Path,
    between: impl Fn(u32) -> u8,
    last: u8,
    channels: &mut Vec<u8>,
) {
    channels.clear();
    let (Some(&first), Some(&end)) = (path.links.first(), path.links.last()) else { return };
    let router = |v: VertexId| if f.is_endpoint(v) { v.0 / d.p } else { v.0 - f.endpoints() };
    let group = |v: VertexId| router(v) / d.a;
    let (source, target) = (group(f.source(first)), group(f.target(end)));
    let mut globals = 0;
    for &link in &path.links {
        let (from, here) = (f.source(link), group(f.source(link)));
        channels.push(if f.is_host_link(link) {
            0
        } else if here != group(f.target(link)) {
            globals += 1;
            globals - 1
        } else if here == target {
            last
        } else if here == source {
            0
        } else {
            between(router(from) % d.a)
        });
    }
}

/// The groups of a Dragonfly under a routing of it.
pub(super) fn groups(d: &Dragonfly, detour: Detour) -> Groups {
    Groups { count: d.groups(), endpoints: d.a * d.p, together: d.h, detour, even: "valiant-any" }
}

impl Routing for Minimal {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn groups(&self) -> Option<Groups> {
        Some(groups(&self.dragonfly, Detour::None))
    }

    fn choices(&self, _: VertexId, _: VertexId) -> Result<u64> {
        Ok(1)
    }

    fn path(&self, source: VertexId, target: VertexId, _: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        if source == target {
            return Ok(());
        }
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let router = |v: VertexId| (v.0 / d.p / d.a, v.0 / d.p % d.a);
        path.links.push(d.injection(f, source.0));
        self.walk(router(source), router(target), &mut path.links);
        path.links.push(d.ejection(f, target.0));
        Ok(())
    }

    fn vcs(&self) -> u8 {
        2
    }

    fn channels(&self, path: &Path, _: u64, all: &mut Vec<u8>) {
        channels((&self.dragonfly, &self.fabric), path, |_| 0, 1, all);
    }

    /// O(entries + sum over blocks of (groups^2 + routers * a) + links).
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let t = Tally::new(flows, (d.groups(), d.a, d.a), |e| e / d.p, |i, j| d.gateway(i, j).0);
        for i in 0..d.groups() {
            for x in 0..d.a {
                for y in (0..d.a).filter(|&y| y != x) {
                    let at = |router: u32, exit: u32| ((i * d.a + router) * d.a + exit) as usize;
                    loads[d.local_link(f, i, x, y).index()] +=
                        t.first[at(x, y)] + t.last[at(y, x)] + t.inside[at(x, y)];
                }
            }
            for j in (0..d.groups()).filter(|&j| j != i) {
                loads[d.global_link(f, i, j).index()] += t.pair[i as usize * t.groups + j as usize];
            }
        }
        load_host_links(f, flows, loads);
        Ok(())
    }
}
