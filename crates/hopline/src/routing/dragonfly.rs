//! Routings of a Dragonfly as paths, all by the [rule](rule); minimal: local, global,
//! local. Prisacari et al., section II.

mod bundles;
mod peer;
mod rule;

use self::bundles::Tables;
pub(crate) use peer::Peer;
pub(crate) use rule::DragonflyRule;

use super::per_hop::PerHop;
use super::two_level::{Shape, Tally};
use super::valiant::{ANY, RESTRICTED};
use super::{Bundles, Detour, Groups, Path, Routing, Shortest, check_whole, load_host_links};
use crate::demand::Flows;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::params::Reader;
use crate::topology::{Dragonfly, Topology};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "minimal",
    summary: "any network: shortest paths; on a Dragonfly at most one local, one global, one local hop",
    doc: "On a Dragonfly the one minimal path: a local hop to the router that holds the global link to the target's group, that \
          link, a local hop to the target's router; hops that would stay at their router are left out. With several cables between \
          two groups, fewer groups, groups of more dimensions or broken links it is the paths over the fewest global links, and of \
          those the shortest, ties spread evenly hop by hop. On other networks the same as shortest:vcs=hops.\n\
          Flits: on a Dragonfly of single cables 2 virtual channels; local links use 0, in the target's group 1, global \
          links 0. With like=caminos packets that stay in their group use 0 there; with like=booksim, too, and global links 1. \
          Elsewhere one for every hop of a path.\n\
          Source: the Dragonfly imbalance paper, section II.",
    example: "minimal",
    params: &[param("like", "none|booksim|caminos", "none", "whose virtual channels, on a Dragonfly of single cables")],
};

/// Minimal and Valiant routing: see [the list](super::LIST).
pub struct DragonflyPaths {
    pub(super) dragonfly: Dragonfly,
    pub(super) fabric: Arc<Fabric>,
    pub(super) rule: DragonflyRule,
    /// Whose virtual channels minimal paths are on, if not the rule's.
    peer: Option<Peer>,
    tables: Tables,
}

impl DragonflyPaths {
    pub(super) fn minimal(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        match topology {
            Topology::Dragonfly(d) if d.is(fabric) => {
                let paths = Self::new(d, Detour::None, fabric)?;
                Ok(Box::new(DragonflyPaths { peer: Peer::read(reader)?, ..paths }))
            }
            _ if Peer::read(reader)?.is_some() => {
                let text =
                    "others' virtual channels are those of a whole Dragonfly with one link between any two groups";
                Err(reader.wrong("like", text).hint("leave `like` out"))
            }
            _ => Ok(Box::new(PerHop::new(Box::new(Shortest::minimal(topology, fabric.clone()))))),
        }
    }

    /// The minimal paths of a Dragonfly's fabric, or those by way of every other group.
    ///
    /// ```
    /// use hopline::{id::VertexId, routing::{Detour, DragonflyPaths, Path, Routing}, topology::{Dragonfly, FullMesh}};
    /// use std::sync::Arc;
    ///
    /// let dragonfly = Dragonfly::new(1, 2, 1)?;
    /// let fabric = Arc::new(dragonfly.build()?);
    /// let minimal = DragonflyPaths::new(&dragonfly, Detour::None, &fabric)?;
    /// let mut path = Path::default();
    /// minimal.path(VertexId(0), VertexId(5), 0, &mut path)?;
    /// assert_eq!(path.links.iter().filter(|&&link| !fabric.is_host_link(link)).count(), 3);
    /// let other = Arc::new(FullMesh::new(6)?.build()?);
    /// assert!(DragonflyPaths::new(&dragonfly, Detour::None, &other).is_err());
    /// # Ok::<(), hopline::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// The fabric is not the whole network of this Dragonfly, or there is not one link between any two groups.
    pub fn new(dragonfly: &Dragonfly, detour: Detour, fabric: &Arc<Fabric>) -> Result<DragonflyPaths> {
        if !dragonfly.is_regular() {
            let text =
                format!("routing `{}` by groups needs a*h + 1 groups with one link between any two", name(detour));
            return Err(Error::input(text).hint("use minimal or valiant-any"));
        }
        check_whole(name(detour), dragonfly.clone(), fabric)?;
        let rule = DragonflyRule::new(dragonfly, detour);
        let tables = Tables::new(dragonfly);
        Ok(DragonflyPaths { dragonfly: dragonfly.clone(), fabric: fabric.clone(), rule, peer: None, tables })
    }

    /// O(entries + sum over blocks of (groups^2 + routers * a) + links).
    fn load_minimal(&self, flows: &Flows, loads: &mut [f64]) {
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let shape = Shape { groups: d.groups(), size: d.a, exits: d.a };
        let t = Tally::new(flows, shape, |e| e / d.p, |i, j| d.gateway(i, j).0);
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
    }
}

/// The routing's name in the list.
fn name(detour: Detour) -> &'static str {
    match detour {
        Detour::None => ENTRY.name,
        Detour::Group => RESTRICTED.name,
        Detour::Router => ANY.name,
    }
}

impl Routing for DragonflyPaths {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn groups(&self) -> Option<Groups> {
        let d = &self.dragonfly;
        let detour = self.rule.detour;
        Some(Groups { count: d.groups(), endpoints: d.a * d.p, together: d.h, detour, even: "valiant-any" })
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        Ok(u64::from(self.rule.detours(self.rule.between(source, target))).max(1))
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0 / self.choices(source, target)? as f64);
        if source != target {
            self.rule.walk(&self.fabric, (source, target), choice, |link, _| path.links.push(link));
        }
        Ok(())
    }

    fn vcs(&self) -> u8 {
        self.rule.vcs()
    }

    fn channels(&self, path: &Path, choice: u64, channels: &mut Vec<u8>) {
        channels.clear();
        if let Some(peer) = self.peer {
            let group = |v: VertexId| v.0.checked_sub(self.fabric.endpoints()).map(|router| self.rule.place(router).0);
            let mut came = (false, 0);
            for &link in &path.links {
                let ends = (group(self.fabric.source(link)), group(self.fabric.target(link)));
                let leaves_group = matches!(ends, (Some(i), Some(j)) if i != j);
                came = (leaves_group, peer.vc(came, leaves_group));
                channels.push(came.1);
            }
            return;
        }
        if let (Some(&first), Some(&last)) = (path.links.first(), path.links.last()) {
            let ends = (self.fabric.source(first), self.fabric.target(last));
            self.rule.walk(&self.fabric, ends, choice, |_, vc| channels.push(vc));
        }
    }

    /// O(pairs of flows, or of groups and routers where blocks are uniform); sums as in the module `two_level`.
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        if self.rule.detour == Detour::None || self.others() == 0 {
            self.load_minimal(flows, loads);
        } else {
            self.load_detours(flows, loads);
        }
        Ok(())
    }

    fn bundles(&self) -> Option<&dyn Bundles> {
        self.has_bundles().then_some(self as &dyn Bundles)
    }
}
