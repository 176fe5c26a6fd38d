//! Shortest paths on any fabric, ties spread evenly hop by hop: what is assumed
//! of a real machine whose forwarding tables are not known.

mod cables;
mod failures;
mod flows;
mod lengths;
mod spread;
mod valiant;

use cables::Cables;
pub(super) use failures::{Changes, FailedLinks};
pub use valiant::Valiant;

use super::per_hop::VCS;
use super::{Failures, Path, Route, Routing, host_link, load_host_links, split, unreachable};
use crate::demand::Flows;
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::{ClassId, LinkId, VertexId};
use crate::params::Reader;
use crate::topology::Topology;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

pub(super) const ENTRY: Entry = Entry {
    name: "shortest",
    summary: "any fabric: shortest paths, ties spread evenly hop by hop",
    doc: "At every router the traffic splits evenly over all links that lead nearer to the target; parallel cables count \
          each. The number of paths can be huge, so a path is found by its number, never by listing. First use of a \
          target costs one breadth-first search.\n\
          Flits: with one virtual channel such paths can wait for each other in a circle on most networks with loops, which \
          is found and refused; with vcs=hops the n-th link between routers is on virtual channel n - 1, as many as the \
          longest path has links, and nothing can.\n\
          Source: Günther, \"Prevention of deadlocks in packet-switched data transport systems\", 1981, of vcs=hops.",
    example: "shortest",
    params: &[VCS],
};

const FAR: u16 = u16::MAX;
const LEAF: u32 = u32::MAX;

/// More than the local links of any path, so that one global link less makes it shorter.
const GLOBAL: u16 = 256;

/// Shortest paths, of all, of those that go up and then down, or of those over as few global links as can be: see
/// [the list](super::LIST).
///
/// Paths are walks over states. A state is the place of a router or, where the
/// walk has gone down and may not go up again, that plus the number of routers.
pub struct Shortest {
    fabric: Arc<Fabric>,
    /// Every vertex that routes, and for every vertex its place there or `LEAF`.
    routers: Vec<VertexId>,
    place: Vec<u32>,
    /// The links between routers.
    cables: Cables,
    /// Whether paths go up and then down; without, none goes up.
    up_down: bool,
    /// The class of links of which paths have as few as can be.
    global: Option<ClassId>,
    /// Lengths from every state by target, found when first asked for: hops, a global link counted [`GLOBAL`] times.
    to: Vec<OnceLock<Box<[u16]>>>,
}

impl Shortest {
    /// Shortest paths on any fabric. O(vertices + links).
    pub fn new(fabric: Arc<Fabric>) -> Shortest {
        let leaf = |v: VertexId| host_link(&fabric, v).is_some();
        let routers: Vec<VertexId> = (0..fabric.vertices()).map(VertexId).filter(|&v| !leaf(v)).collect();
        let mut place = vec![LEAF; fabric.vertices() as usize];
        routers.iter().enumerate().for_each(|(i, v)| place[v.index()] = i as u32);
        let to = routers.iter().map(|_| OnceLock::new()).collect();
        let cables = Cables::new(&fabric, &routers, &place);
        Shortest { fabric, routers, place, cables, up_down: false, global: None, to }
    }

    /// Shortest paths of those that first go up, then down. A link goes up where
    /// it leads to a smaller rank or, of equal ones, a smaller vertex; `rank` has
    /// a cell per vertex. O(vertices + links).
    pub(super) fn up_then_down(fabric: Arc<Fabric>, rank: &[u32]) -> Shortest {
        let mut all = Shortest::new(fabric);
        let key = |place: u32| (rank[all.routers[place as usize].index()], place);
        all.cables.mark_up(|from, to| key(to) < key(from));
        Shortest { up_down: true, ..all }
    }

    /// Minimal paths of a family: of a Dragonfly those over the fewest global links, and the shortest of them; else the shortest.
    /// O(vertices + links).
    pub(crate) fn minimal(topology: &Topology, fabric: Arc<Fabric>) -> Shortest {
        let is_global = |&l: &LinkId| fabric.class_of(l).name == "global";
        let global = match topology {
            Topology::Dragonfly(_) => fabric.link_ids().find(is_global).map(|l| fabric.class_id(l)),
            _ => None,
        };
        Shortest { global, ..Shortest::new(fabric) }
    }

    pub(super) fn read(_: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        Ok(Box::new(Shortest::new(fabric.clone())))
    }

    /// The router at which a vertex hangs, with the link to it; a router is its own.
    fn router(&self, v: VertexId) -> (u32, Option<LinkId>) {
        match (self.place[v.index()], host_link(&self.fabric, v)) {
            (LEAF, Some(link)) => (self.place[self.fabric.target(link).index()], Some(link)),
            (place, _) => (place, None),
        }
    }

    fn states(&self) -> usize {
        self.routers.len() * if self.up_down { 2 } else { 1 }
    }

    /// The router of a state, and whether the walk has gone down.
    fn at(&self, state: u32) -> (u32, bool) {
        let routers = self.routers.len() as u32;
        if state < routers { (state, false) } else { (state - routers, true) }
    }

    /// The links between routers that leave a router, with where they lead.
    fn cables(&self, router: u32) -> impl Iterator<Item = (LinkId, u32)> + '_ {
        self.cables.of(router).iter().map(|c| (c.link, c.to))
    }

    /// The links by which a walk may leave a state, with the states they lead to.
    fn links(&self, state: u32) -> impl Iterator<Item = (LinkId, u32)> + '_ {
        let (router, gone_down) = self.at(state);
        // What a link that goes down adds to the number of a router.
        let down = if self.up_down { self.routers.len() as u32 } else { 0 };
        let cables = self.cables.of(router).iter().filter(move |c| !gone_down || !c.is_up);
        cables.map(move |c| (c.link, if c.is_up { c.to } else { c.to + down }))
    }

    /// Those that lead nearer to the target of `hops`.
    pub(super) fn nearer<'a>(&'a self, hops: &'a [u16], state: u32) -> impl Iterator<Item = (LinkId, u32)> + 'a {
        let (here, same) = (hops[state as usize], self.global.is_none());
        // A length is looked up only where links differ: this is the inner loop of loads.
        self.links(state).filter(move |&(link, next)| {
            let length = if same { 1 } else { self.length(link) };
            hops[next as usize] == here.wrapping_sub(length)
        })
    }

    /// Writes those into `ways`.
    pub(super) fn gather(&self, hops: &[u16], state: u32, ways: &mut Vec<(LinkId, u32)>) {
        ways.clear();
        // By inner iteration: loads spend their time here, and `extend` asks for one after the other.
        self.nearer(hops, state).for_each(|way| ways.push(way));
    }

    /// Routers and host links of both ends, and the distances to the target's router.
    fn ends(&self, source: VertexId, target: VertexId) -> Result<Ends<'_>> {
        let ((from, inject), (to, eject)) = (self.router(source), self.router(target));
        let hops = self.hops_to(to);
        if hops[from as usize] == FAR {
            return Err(self.apart(source, target));
        }
        Ok(Ends { from, inject, eject: eject.map(|l| self.fabric.reverse(l)), hops })
    }

    /// Makes sure that there is a way. O(1) once the lengths are known.
    pub(super) fn check_way(&self, source: VertexId, target: VertexId) -> Result<()> {
        self.ends(source, target).map(|_| ())
    }

    /// Whether links go up or down, and no path goes up again once it went down.
    pub(crate) fn goes_up_and_down(&self) -> bool {
        self.up_down
    }

    /// The links that go up.
    pub(crate) fn links_up(&self) -> impl Iterator<Item = LinkId> + '_ {
        self.cables.all().iter().filter(|c| c.is_up).map(|c| c.link)
    }

    /// Visits all hops towards the router of `target`, at routers on the way there. O(states + links), once the
    /// lengths are known.
    pub(crate) fn each_way(&self, target: VertexId, mut visit: impl FnMut(Step)) {
        let (routers, hops) = (self.routers.len() as u32, self.hops_to(self.router(target).0));
        for state in (0..hops.len() as u32).filter(|&s| ![0, FAR].contains(&hops[s as usize])) {
            let (router, gone_down) = self.at(state);
            let router = self.routers[router as usize];
            self.nearer(hops, state).for_each(|(link, next)| {
                visit(Step { router, gone_down, link, goes_down: next >= routers });
            });
        }
    }

    fn apart(&self, source: VertexId, target: VertexId) -> Error {
        let why = if self.up_down { "no path goes up, then down" } else { "no cables join them" };
        unreachable(&self.fabric, source, target, why).hint("`hopline fabric check` counts such pairs")
    }

    /// Adds the links of the path that a point of [0, 2^64) chooses hop by hop, and leaves in the point what chooses further.
    pub(super) fn add_drawn(&self, source: VertexId, target: VertexId, point: &mut u64, path: &mut Path) -> Result<()> {
        self.walk(&self.ends(source, target)?, path, |_, ways| split(point, ways as u64) as usize);
        Ok(())
    }

    /// Adds the links of the path on which `choose` picks, at every router, one of the links that lead nearer, with the places
    /// where they lead.
    pub(super) fn add_chosen(
        &self,
        source: VertexId,
        target: VertexId,
        path: &mut Path,
        mut choose: impl FnMut(VertexId, &[(LinkId, u32)]) -> usize,
    ) -> Result<()> {
        let ends = self.ends(source, target)?;
        path.links.extend(ends.inject);
        let (mut at, mut ways) = (ends.from, Vec::new());
        while ends.hops[at as usize] > 0 {
            self.gather(ends.hops, at, &mut ways);
            let Some(&(link, next)) = ways.get(choose(self.routers[at as usize], &ways)) else { break };
            path.links.push(link);
            at = next;
        }
        path.links.extend(ends.eject);
        Ok(())
    }

    /// Adds the links of a path; `choose` picks, at a router, one of so many links that lead nearer.
    fn walk(&self, ends: &Ends<'_>, path: &mut Path, mut choose: impl FnMut(u32, usize) -> usize) {
        path.links.extend(ends.inject);
        let mut at = ends.from;
        while ends.hops[at as usize] > 0 {
            let ways = self.nearer(ends.hops, at).count();
            // Every router that is not the target has a neighbour that is nearer.
            let Some((link, next)) = self.nearer(ends.hops, at).nth(choose(at, ways)) else { break };
            path.links.push(link);
            path.share /= ways as f64;
            at = next;
        }
        path.links.extend(ends.eject);
    }

    /// Number of shortest paths to the target of `hops` from every state on
    /// the way there from `from`.
    fn counts(&self, hops: &[u16], from: u32) -> FxHashMap<u32, u64> {
        let mut order = vec![from];
        let mut counts = FxHashMap::default();
        counts.insert(from, 0u64);
        let mut at = 0;
        while at < order.len() {
            for (_, next) in self.nearer(hops, order[at]) {
                if counts.insert(next, 0).is_none() {
                    order.push(next);
                }
            }
            at += 1;
        }
        order.sort_by_key(|&v| hops[v as usize]);
        for v in order {
            let count = match hops[v as usize] {
                0 => 1,
                _ => self.nearer(hops, v).fold(0u64, |n, (_, next)| n.saturating_add(counts[&next])),
            };
            counts.insert(v, count);
        }
        counts
    }
}

/// A hop on a path: by which link a router may be left, by what went down already or not, and whether the link goes down.
pub(crate) struct Step {
    pub(crate) router: VertexId,
    pub(crate) gone_down: bool,
    pub(crate) link: LinkId,
    pub(crate) goes_down: bool,
}

struct Ends<'a> {
    from: u32,
    inject: Option<LinkId>,
    eject: Option<LinkId>,
    hops: &'a [u16],
}

impl Routing for Shortest {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn switches_as_ends(&self) -> bool {
        true
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        let ends = self.ends(source, target)?;
        Ok(self.counts(ends.hops, ends.from)[&ends.from])
    }

    fn path(&self, source: VertexId, target: VertexId, mut choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        if source == target {
            return Ok(());
        }
        let ends = self.ends(source, target)?;
        let counts = self.counts(ends.hops, ends.from);
        self.walk(&ends, path, |at, ways| {
            let chosen = self.nearer(ends.hops, at).position(|(_, next)| {
                let here = choice < counts[&next];
                choice -= if here { 0 } else { counts[&next] };
                here
            });
            chosen.unwrap_or(ways.saturating_sub(1))
        });
        Ok(())
    }

    /// Hop by hop, as shares are. O(ports on the way).
    fn draw(&self, source: VertexId, target: VertexId, _: u64, mut point: u64, path: &mut Path) -> Result<u64> {
        path.restart(1.0);
        if source != target {
            self.add_drawn(source, target, &mut point, path)?;
        }
        Ok(0)
    }

    /// All shortest paths are equally long. O(routers with endpoints * links), or a 64th of that times the hops where links count the same.
    fn most_hops(&self) -> u32 {
        let mut homes: Vec<u32> = (0..self.fabric.endpoints()).map(|e| self.router(VertexId(e)).0).collect();
        homes.sort_unstable();
        homes.dedup();
        if self.global.is_none() && !self.up_down {
            return self.most_hops_between(&homes).into();
        }
        let mut cells = Vec::new();
        let mut most = 0;
        for &target in &homes {
            let lengths = self.hops_to_one_of(homes.len(), target, &mut cells);
            let own = homes.iter().map(|&from| lengths[from as usize]).filter(|&length| length != FAR);
            most = own.map(|length| self.hops(length)).max().unwrap_or(0).max(most);
        }
        u32::from(most)
    }

    /// O(links that lie on shortest paths between the two routers).
    fn route(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<()> {
        route.clear();
        if source == target {
            return Ok(());
        }
        let ends = self.ends(source, target)?;
        route.extend(ends.inject.map(|l| (l, 1.0)));
        let mut layer: Vec<(u32, f64)> = vec![(ends.from, 1.0)];
        let mut ways = Vec::new();
        while let Some(&(v, _)) = layer.first()
            && ends.hops[v as usize] > 0
        {
            let mut below: Vec<(u32, f64)> = Vec::new();
            for &(v, share) in &layer {
                self.gather(ends.hops, v, &mut ways);
                let part = share / ways.len() as f64;
                for &(link, next) in &ways {
                    route.push((link, part));
                    match below.iter_mut().find(|n| n.0 == next) {
                        Some(n) => n.1 += part,
                        None => below.push((next, part)),
                    }
                }
            }
            layer = below;
        }
        route.extend(ends.eject.map(|l| (l, 1.0)));
        Ok(())
    }

    /// Target by target: what arrives at a router goes on to those nearer, in
    /// order of falling distance. O(entries log entries + targets * (routers +
    /// links on the way) + sum over blocks of source routers * target routers).
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        self.each_target(flows, |_, hops, inflow| self.drain(hops, inflow, loads, |_, _| ()))?;
        load_host_links(&self.fabric, flows, loads);
        Ok(())
    }

    /// A search and a way back for each router to which something goes.
    fn links_of_targets(&self, flows: &Flows) -> u64 {
        self.target_routers(flows) * self.fabric.links() as u64
    }

    fn failures<'a>(&'a self, flows: &Flows) -> Result<Option<Box<dyn Failures + 'a>>> {
        spread::Spread::new(self, flows).map(|spread| spread.map(|s| Box::new(s) as Box<dyn Failures + 'a>))
    }
}
