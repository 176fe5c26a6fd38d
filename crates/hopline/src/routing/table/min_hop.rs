//! Forwarding tables as OpenSM's minhop engine computes them: at every switch the least used port of those that lead
//! nearer. What it does after a fault is repaired from what changes in [`repair`].

mod repair;

use super::{LidChoice, Table};
use crate::demand::Flows;
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::fabric::Fabric;
use crate::format::infiniband::Lids;
use crate::format::lft::{self, Tables};
use crate::id::{LinkId, VertexId};
use crate::parallel;
use crate::params::Reader;
use crate::routing::per_hop::VCS;
use crate::routing::{Failures, Path, Routing, Shortest, default_roots, up_down};
use crate::topology::Topology;
use repair::Repair;
use std::sync::Arc;

pub(in crate::routing) const ENTRY: Entry = Entry {
    name: "minhop",
    summary: "InfiniBand: tables as OpenSM's minhop engine makes them, or repairs them after a fault",
    doc: "At every switch each LID leaves by the port, of those on a way with the fewest hops, that the fewest LIDs before \
          it took; the LIDs come switch by switch, those with the most adapters first, and port by port. Where tables were \
          read with the fabric, their entries stay as long as they lie on a shortest way, as OpenSM keeps them while no \
          switch joins; so after a fault (--without) only what must change does. LIDs that an adapter has beside its \
          first prefer neighbours that the others do not use.\n\
          Source: OpenSM, osm_ucast_mgr.c and osm_switch_recommend_path in osm_switch.c.",
    example: "minhop:lid=base",
    params: &[param("lid", "base|spread|N", "base", "which of a target's LIDs are used"), VCS],
};

/// Minhop routing: see [the list](super::super::LIST).
pub struct MinHop {
    pub(super) table: Table,
    pub(super) shortest: Shortest,
    /// LIDs of endpoints in the order in which they get their ways.
    pub(super) order: Vec<TargetLid>,
}

/// A LID to route to.
#[derive(Clone, Copy)]
pub(super) struct TargetLid {
    pub(super) lid: u16,
    pub(super) owner: VertexId,
    /// Place of the owner's switch, among the routers of [`Shortest`].
    pub(super) at: u32,
}

/// How far tables are those of an engine.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Likeness {
    /// Entries of tables that lead from a switch to an adapter elsewhere.
    pub entries: u64,
    /// How many of them lie on a way with the fewest hops.
    pub shortest: u64,
    /// How many of them minhop computes, with nothing to start from.
    pub same: u64,
    /// Where some do not lie on a way with the fewest hops, how many lie on the shortest of those that go up, then
    /// down: those of [`up_down`] from its own roots.
    pub up_down: u64,
}

impl Likeness {
    /// The routing that does as the engine did, as far as the tables tell.
    pub fn engine(&self) -> &'static str {
        if self.shortest < self.entries && self.up_down == self.entries { "up-down" } else { "minhop" }
    }
}

impl MinHop {
    pub(in crate::routing) fn read(
        reader: &Reader,
        topology: &Topology,
        fabric: &Arc<Fabric>,
    ) -> Result<Box<dyn Routing>> {
        let lid = LidChoice::read(reader)?;
        let Topology::File(file) = topology else { return Err(no_lids(reader, topology, fabric)) };
        let (lids, tables) = (file.shared_lids(), file.tables().map(|t| t.1));
        if lids.is_empty() {
            return Err(no_lids(reader, topology, fabric));
        }
        // A fault is repaired from what was there before it.
        if fabric.links() < file.fabric().links() {
            let whole = MinHop::new(file.fabric().clone(), lids, tables.as_deref(), lid);
            return Ok(Box::new(whole.after(fabric.clone())));
        }
        Ok(Box::new(MinHop::new(fabric.clone(), lids, tables.as_deref(), lid)))
    }

    /// Tables for a fabric; entries of `old` ones that lie on a way with the fewest hops stay.
    /// O(switches * (links + LIDs)), and per changed entry the ports of its switch.
    pub fn new(fabric: Arc<Fabric>, lids: Arc<Lids>, old: Option<&Tables>, lid: LidChoice) -> MinHop {
        let none = Tables::default();
        MinHop::from_table(Table::new(fabric, lids, old.unwrap_or(&none), lid))
    }

    /// The tables after a fault: `broken` is the same fabric without some links.
    pub fn after(&self, broken: Arc<Fabric>) -> MinHop {
        let mut table = Table::new(broken, self.table.lids.clone(), &Tables::default(), self.table.lid);
        table.tables.clone_from(&self.table.tables);
        MinHop::from_table(table)
    }

    fn from_table(mut table: Table) -> MinHop {
        let fabric = table.fabric.clone();
        let shortest = Shortest::new(fabric.clone());
        let order = order(&fabric, &table.lids, &shortest);
        let top = (0..fabric.vertices()).map(|v| usize::from(table.lids.of(VertexId(v)).end)).max().unwrap_or(0);
        let first = fabric.endpoints();
        let place = Place::new(fabric.name(), 0);
        let made = parallel::map((fabric.vertices() - first) as usize, |switch| {
            let out = entries(&table, &shortest, &order, VertexId(first + switch as u32), top);
            lft::Table { place: place.clone(), out, lost: None }
        });
        table.tables = made.into_iter().map(|t| Some((t, place.clone()))).collect();
        MinHop { table, shortest, order }
    }

    /// Whether every endpoint has one LID: then [`repair`] knows what changes.
    pub(super) fn has_one_lid_each(&self) -> bool {
        self.order.iter().all(|aim| self.table.lids.of(aim.owner).len() == 1)
    }
}

/// How far tables that were read are what minhop makes of the fabric. O(as [`MinHop::new`]).
pub fn likeness(fabric: &Arc<Fabric>, lids: &Arc<Lids>, tables: &Tables) -> Likeness {
    let read = Table::new(fabric.clone(), lids.clone(), tables, LidChoice::Offset(0));
    let made = MinHop::new(fabric.clone(), lids.clone(), None, LidChoice::Offset(0));
    let mut found = Likeness { entries: 0, shortest: 0, same: 0, up_down: 0 };
    let count = |visit: &mut dyn FnMut(VertexId, &TargetLid, LinkId)| {
        for v in (fabric.endpoints()..fabric.vertices()).map(VertexId) {
            let Some(place) = made.shortest.place_of(v) else { continue };
            for aim in made.order.iter().filter(|aim| aim.at != place) {
                if let Ok(Some(link)) = read.forward(v, aim.lid) {
                    visit(v, aim, link);
                }
            }
        }
    };
    count(&mut |v, aim, link| {
        found.entries += 1;
        found.shortest += u64::from(is_kept(&made.shortest, v, aim.at, link));
        found.same += u64::from(made.table.forward(v, aim.lid).ok().flatten() == Some(link));
    });
    if found.shortest < found.entries {
        let legal = up_down(fabric.clone(), &default_roots(fabric));
        count(&mut |v, aim, link| found.up_down += u64::from(is_kept(&legal, v, aim.at, link)));
    }
    found
}

fn no_lids(reader: &Reader, topology: &Topology, fabric: &Fabric) -> Error {
    Error::input(format!("routing `minhop` needs LIDs, and {} has none", fabric.name()))
        .at(reader.place())
        .hint(format!("leave the routing out for `{}`", topology.default_routing()))
}

/// LIDs of endpoints: switches with the most endpoints first, of equals in the order of OpenSM's map of GUIDs, which
/// compares them as they are sent; all first LIDs before all second ones.
fn order(fabric: &Fabric, lids: &Lids, shortest: &Shortest) -> Vec<TargetLid> {
    let ends = |v: VertexId| {
        let out = fabric.out_links(v);
        out.map(|l| fabric.target(l)).filter(|&t| fabric.is_endpoint(t))
    };
    let mut switches: Vec<VertexId> = (fabric.endpoints()..fabric.vertices()).map(VertexId).collect();
    let key = |v: VertexId| fabric.guid(v).map_or(u64::from(v.0), |g| g.0.swap_bytes());
    switches.sort_by_key(|&v| (std::cmp::Reverse(ends(v).count()), key(v)));
    let owners: Vec<(VertexId, u32)> = switches
        .iter()
        .filter_map(|&s| Some((s, shortest.place_of(s)?)))
        .flat_map(|(s, at)| ends(s).map(move |owner| (owner, at)))
        .collect();
    let most = owners.iter().map(|o| lids.of(o.0).len()).max().unwrap_or(0);
    let aim = |n: usize, (owner, at): (VertexId, u32)| lids.of(owner).nth(n).map(|lid| TargetLid { lid, owner, at });
    let aims = &aim;
    let owners = &owners;
    (0..most).flat_map(move |n| owners.iter().filter_map(move |&o| aims(n, o))).collect()
}

/// Whether a link out of a switch lies on a way with the fewest hops to the router at place `to`.
fn is_kept(shortest: &Shortest, switch: VertexId, to: u32, link: LinkId) -> bool {
    let Some(place) = shortest.place_of(switch) else { return false };
    shortest.nearer(shortest.hops_to_place(to), place).any(|(l, _)| l == link)
}

/// The table of one switch.
fn entries(table: &Table, shortest: &Shortest, order: &[TargetLid], switch: VertexId, top: usize) -> Vec<u8> {
    const NONE: u8 = 255;
    let f = &*table.fabric;
    let mut out = vec![NONE; top];
    let Some(place) = shortest.place_of(switch) else { return out };
    let start = f.out_link(switch, 0).0;
    let mut counts = vec![0u32; f.degree(switch)];
    let port = |link: LinkId| u8::try_from(f.port(link)).unwrap_or(NONE);
    let mut options = Vec::new();
    for aim in order {
        let link = if aim.at == place {
            f.out_links(switch).find(|&l| f.target(l) == aim.owner)
        } else {
            options.clear();
            options.extend(shortest.nearer(shortest.hops_to_place(aim.at), place));
            let old = table.forward(switch, aim.lid).ok().flatten();
            match old.filter(|old| options.iter().any(|o| o.0 == *old)) {
                Some(old) => Some(old),
                None => {
                    let used = |next: u32| {
                        let before = table.lids.of(aim.owner).take_while(|lid| *lid < aim.lid);
                        let to = before.map(|lid| out[usize::from(lid)]);
                        let leads = |p: u8| options.iter().any(|o| o.1 == next && port(o.0) == p);
                        to.filter(|&p| leads(p)).count()
                    };
                    least(&options, |l| counts[(l.0 - start) as usize], used)
                }
            }
        };
        if let Some(link) = link {
            counts[(link.0 - start) as usize] += 1;
            out[usize::from(aim.lid)] = port(link);
        }
    }
    // Switches' own LIDs come last and do not count.
    for v in (f.endpoints()..f.vertices()).map(VertexId) {
        let own = table.lids.of(v);
        if own.is_empty() {
            continue;
        }
        let way = match shortest.place_of(v) {
            Some(to) if v != switch => {
                options.clear();
                options.extend(shortest.nearer(shortest.hops_to_place(to), place));
                let old = table.forward(switch, own.start).ok().flatten();
                let old = old.filter(|old| options.iter().any(|o| o.0 == *old));
                old.or_else(|| least(&options, |l| counts[(l.0 - start) as usize], |_| 0)).map_or(NONE, port)
            }
            Some(_) => 0,
            None => NONE,
        };
        own.for_each(|lid| out[usize::from(lid)] = way);
    }
    out
}

/// The first of the least used links; `used` tells how often the neighbour is taken by the same target already.
pub(super) fn least(
    options: &[(LinkId, u32)],
    count: impl Fn(LinkId) -> u32,
    used: impl Fn(u32) -> usize,
) -> Option<LinkId> {
    options.iter().min_by_key(|(link, next)| (used(*next), count(*link))).map(|o| o.0)
}

impl Routing for MinHop {
    fn fabric(&self) -> &Fabric {
        self.table.fabric()
    }

    fn switches_as_ends(&self) -> bool {
        true
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        self.table.choices(source, target)
    }

    fn one_path(&self) -> bool {
        self.table.one_path()
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        self.table.path(source, target, choice, path)
    }

    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        self.table.load(flows, loads)
    }

    fn links_of_targets(&self, flows: &Flows) -> u64 {
        self.table.links_of_targets(flows)
    }

    fn failures<'a>(&'a self, flows: &Flows) -> Result<Option<Box<dyn Failures + 'a>>> {
        Ok(Repair::new(self, flows).map(|r| Box::new(r) as Box<dyn Failures + 'a>))
    }
}
