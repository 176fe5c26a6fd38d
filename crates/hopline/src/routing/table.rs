//! Forwarding tables of a real machine: at every switch the target's LID says
//! the port. What `ibtracert` would walk, without the machine.

use super::{Path, Routing, load_by_routes, unreachable};
use crate::demand::Flows;
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::fabric::{Fabric, Guid};
use crate::format::infiniband::Lids;
use crate::format::lft::{self, Tables};
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use crate::topology::Topology;
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "table",
    summary: "InfiniBand: the forwarding tables that were read with the fabric",
    doc: "Each switch looks up the target's LID in its linear forwarding table and sends the packet out of that port. An \
          adapter with LID mask control n answers to 2^n LIDs, each with a route of its own: lid=base uses the first, \
          lid=spread all in equal shares, lid=N the N-th after the first (counted modulo their number).",
    example: "table:lid=base",
    params: &[param("lid", "base|spread|N", "base", "which of a target's LIDs are used")],
};

/// Which LIDs of a target carry the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LidChoice {
    /// All of them, in equal shares.
    Spread,
    /// The n-th after the base LID, modulo their number.
    Offset(u32),
}

const NO_LINK: u32 = u32::MAX;

/// Table routing: see [the list](super::LIST).
pub struct Table {
    fabric: Arc<Fabric>,
    lids: Arc<Lids>,
    lid: LidChoice,
    /// By switch number: its table, and where that begins.
    tables: Vec<Option<(lft::Table, Place)>>,
    /// `port_link[switch * 256 + port]`: the link that leaves there.
    port_link: Vec<u32>,
}

/// Why a switch cannot forward.
enum Stop {
    NoTable,
    NoEntry(u16),
    NoCable(u8),
    Loop,
    Strayed(VertexId),
}

impl Table {
    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        let lid = match reader.get::<String>("lid")?.as_deref() {
            None | Some("base") => LidChoice::Offset(0),
            Some("spread") => LidChoice::Spread,
            Some(n) => LidChoice::Offset(
                n.parse()
                    .map_err(|_| reader.wrong("lid", format!("`lid` is `{n}`, expected base, spread or a number")))?,
            ),
        };
        let parts = if let Topology::File(file) = topology { file.tables() } else { None };
        let Some((lids, tables)) = parts else {
            return Err(Error::input(format!("{} has no forwarding tables", fabric.name())).at(reader.place()).hint(
                format!("use routing `{}`, or collect the tables with `dump_fts -n`", topology.default_routing()),
            ));
        };
        Ok(Box::new(Table::new(fabric.clone(), lids, &tables, lid)))
    }

    /// Routes a fabric by its tables. A table belongs to the switch of its GUID
    /// or, as some dumps of cables know other GUIDs, of its LID. O(links + entries).
    pub fn new(fabric: Arc<Fabric>, lids: Arc<Lids>, tables: &Tables, lid: LidChoice) -> Table {
        let first = fabric.endpoints();
        let switches = fabric.switches() as usize;
        let by_guid: FxHashMap<Guid, VertexId> =
            (first..fabric.vertices()).filter_map(|v| Some((fabric.guid(VertexId(v))?, VertexId(v)))).collect();
        let mut of_switch = vec![None; switches];
        for (guid, table) in &tables.tables {
            let owner = by_guid.get(guid).copied().or_else(|| lids.owner(table.lid()?));
            if let Some(v) = owner.filter(|&v| !fabric.is_endpoint(v)) {
                of_switch[(v.0 - first) as usize] = Some((table.clone(), table.place.clone()));
            }
        }
        let mut port_link = vec![NO_LINK; switches * 256];
        for s in 0..switches {
            for link in fabric.out_links(VertexId(first + s as u32)) {
                let port = usize::from(fabric.port(LinkId(link)));
                if port < 256 {
                    port_link[s * 256 + port] = link;
                }
            }
        }
        Table { fabric, lids, lid, tables: of_switch, port_link }
    }

    /// Number of LIDs of a target that carry traffic, at least 1.
    fn lids_in_use(&self, target: VertexId) -> u64 {
        match self.lid {
            LidChoice::Spread => (self.lids.of(target).len() as u64).max(1),
            LidChoice::Offset(_) => 1,
        }
    }

    /// The LID of a target that a choice stands for.
    fn lid_of(&self, target: VertexId, choice: u64) -> Option<u16> {
        let lids = self.lids.of(target);
        let offset = match self.lid {
            LidChoice::Spread => choice as u32,
            LidChoice::Offset(n) => n % (lids.len() as u32).max(1),
        };
        lids.start.checked_add(offset as u16).filter(|lid| lids.contains(lid))
    }

    /// The link on which a switch forwards a LID, or `None` at the LID's owner.
    fn forward(&self, switch: VertexId, lid: u16) -> Result<Option<LinkId>, Stop> {
        let s = (switch.0 - self.fabric.endpoints()) as usize;
        let (table, _) = self.tables[s].as_ref().ok_or(Stop::NoTable)?;
        match table.out(lid) {
            None => Err(Stop::NoEntry(lid)),
            Some(0) => Ok(None),
            Some(port) => match self.port_link[s * 256 + usize::from(port)] {
                NO_LINK => Err(Stop::NoCable(port)),
                link => Ok(Some(LinkId(link))),
            },
        }
    }

    /// Walks to the owner of `lid`, calling `visit` on every link.
    fn walk(&self, source: VertexId, target: VertexId, lid: u16, mut visit: impl FnMut(LinkId)) -> Result<()> {
        let f = &*self.fabric;
        let mut at = source;
        if f.is_endpoint(at) {
            let Some(link) = f.out_links(at).next().map(LinkId) else {
                return Err(unreachable(f, source, target, "the adapter has no link"));
            };
            visit(link);
            at = f.target(link);
        }
        for _ in 0..=f.vertices() {
            if at == target {
                return Ok(());
            }
            if f.is_endpoint(at) {
                return Err(self.stopped(source, target, at, &Stop::Strayed(at)));
            }
            match self.forward(at, lid) {
                Ok(Some(link)) => {
                    visit(link);
                    at = f.target(link);
                }
                Ok(None) => return Err(self.stopped(source, target, at, &Stop::Strayed(at))),
                Err(stop) => return Err(self.stopped(source, target, at, &stop)),
            }
        }
        Err(self.stopped(source, target, at, &Stop::Loop))
    }

    fn stopped(&self, source: VertexId, target: VertexId, at: VertexId, stop: &Stop) -> Error {
        let f = &*self.fabric;
        let name = f.vertex_name(at);
        let why = match stop {
            Stop::NoTable => format!("no forwarding table of switch {name} was read"),
            Stop::NoEntry(lid) => format!("switch {name} has no entry for LID {lid}"),
            Stop::NoCable(port) => format!("switch {name} forwards to port {port}, where no cable is"),
            Stop::Loop => format!("the tables lead in a circle through switch {name}"),
            Stop::Strayed(v) => format!("the tables lead to {}", f.vertex_name(*v)),
        };
        let error = unreachable(f, source, target, &why)
            .hint("collect cables and tables again, `hopline fabric check` lists all such pairs");
        match self.tables.get(at.0.wrapping_sub(f.endpoints()) as usize) {
            Some(Some((_, place))) => error.at(place),
            _ => error,
        }
    }
}

impl Routing for Table {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        Ok(if source == target { 1 } else { self.lids_in_use(target) })
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0 / self.choices(source, target)? as f64);
        if source == target {
            path.share = 1.0;
            return Ok(());
        }
        let Some(lid) = self.lid_of(target, choice) else {
            return Err(unreachable(&self.fabric, source, target, "the target has no LID"));
        };
        self.walk(source, target, lid, |link| path.links.push(link))
    }

    /// Entries are walked; blocks go target by target along the tree of the
    /// target's LID. O(entries * hops + blocks * targets * switches).
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        let singles = Flows { entries: flows.entries.clone(), ..Flows::default() };
        load_by_routes(self, &singles, loads)?;
        let mut tree = Tree::new(self);
        for block in &flows.blocks {
            for &(target, k) in &block.targets {
                let choices = self.lids_in_use(target);
                for choice in 0..choices {
                    let Some(lid) = self.lid_of(target, choice) else {
                        return Err(unreachable(&self.fabric, target, target, "it has no LID"));
                    };
                    let each = f64::from(k) * block.amount / choices as f64;
                    let sources = block.sources.iter().filter(|s| s.0 != target);
                    tree.load(target, lid, sources.map(|&(v, l)| (v, f64::from(l) * each)), loads)?;
                }
            }
        }
        Ok(())
    }
}

/// The tree along which all switches forward one LID, summed from its leaves.
struct Tree<'a> {
    table: &'a Table,
    /// Per switch: what arrived and must go on.
    inflow: Vec<f64>,
    /// Per switch: links to the target, or `UNKNOWN`.
    depth: Vec<u32>,
    layers: Vec<Vec<u32>>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'a> Tree<'a> {
    fn new(table: &'a Table) -> Self {
        let switches = table.fabric.switches() as usize;
        Tree { table, inflow: vec![0.0; switches], depth: vec![UNKNOWN; switches], layers: Vec::new() }
    }

    fn load(
        &mut self,
        target: VertexId,
        lid: u16,
        sources: impl Iterator<Item = (VertexId, f64)>,
        loads: &mut [f64],
    ) -> Result<()> {
        let f = &*self.table.fabric;
        let first = f.endpoints();
        let mut stack = Vec::new();
        for (source, amount) in sources {
            let mut at = source;
            if f.is_endpoint(at) {
                let Some(link) = f.out_links(at).next().map(LinkId) else {
                    return Err(unreachable(f, source, target, "the adapter has no link"));
                };
                loads[link.index()] += amount;
                at = f.target(link);
            }
            if at == target {
                continue;
            }
            // Depths along the way, and every switch into its layer once.
            let entry = at;
            stack.clear();
            while at != target && !f.is_endpoint(at) && self.depth[(at.0 - first) as usize] == UNKNOWN {
                stack.push(at);
                match self.table.forward(at, lid) {
                    Ok(Some(link)) if stack.len() <= f.switches() as usize => at = f.target(link),
                    // The walk finds the same fault again and words it.
                    _ => return self.table.walk(source, target, lid, |_| ()),
                }
            }
            if at != target && f.is_endpoint(at) {
                return self.table.walk(source, target, lid, |_| ());
            }
            let mut depth = if at == target { 0 } else { self.depth[(at.0 - first) as usize] };
            while let Some(v) = stack.pop() {
                depth += 1;
                let s = v.0 - first;
                self.depth[s as usize] = depth;
                self.layers.resize(self.layers.len().max(depth as usize + 1), Vec::new());
                self.layers[depth as usize].push(s);
            }
            if !f.is_endpoint(entry) {
                self.inflow[(entry.0 - first) as usize] += amount;
            }
        }
        for layer in self.layers.iter_mut().rev() {
            for s in layer.drain(..) {
                self.depth[s as usize] = UNKNOWN;
                let amount = std::mem::take(&mut self.inflow[s as usize]);
                if let Ok(Some(link)) = self.table.forward(VertexId(first + s), lid) {
                    loads[link.index()] += amount;
                    let next = f.target(link);
                    if next != target {
                        self.inflow[(next.0 - first) as usize] += amount;
                    }
                }
            }
        }
        Ok(())
    }
}

/// What a walk of all tables found, for `hopline fabric check`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Audit {
    /// Ordered pairs of endpoints with hosts.
    pub pairs: u64,
    /// How many of them do not arrive over some LID in use.
    pub broken: u64,
    /// The first few faults, in words.
    pub examples: Vec<String>,
    /// For every link the links on which its packets may go on.
    pub next: Vec<Vec<u32>>,
}

impl Table {
    /// Follows every LID in use of every endpoint with a host from every switch
    /// that has such endpoints. O(LIDs * switches).
    pub fn audit(&self) -> Audit {
        let f = &*self.fabric;
        let ends: Vec<VertexId> = (0..f.endpoints()).map(VertexId).filter(|&v| f.hosts().owner(v).is_some()).collect();
        let mut by_switch: Vec<(VertexId, VertexId)> =
            ends.iter().filter_map(|&v| Some((f.target(LinkId(f.out_links(v).next()?)), v))).collect();
        by_switch.sort_unstable();
        let mut audit = Audit { next: vec![Vec::new(); f.links()], ..Audit::default() };
        for &target in &ends {
            let mut faulty = vec![false; by_switch.len()];
            for choice in 0..self.lids_in_use(target) {
                if let Some(lid) = self.lid_of(target, choice) {
                    self.audit_lid(target, lid, &by_switch, &mut faulty, &mut audit);
                } else {
                    faulty.fill(true);
                }
            }
            audit.pairs += by_switch.iter().filter(|s| s.1 != target).count() as u64;
            audit.broken += by_switch.iter().zip(&faulty).filter(|(s, bad)| **bad && s.1 != target).count() as u64;
        }
        audit
    }

    fn audit_lid(
        &self,
        target: VertexId,
        lid: u16,
        by_switch: &[(VertexId, VertexId)],
        faulty: &mut [bool],
        audit: &mut Audit,
    ) {
        let f = &*self.fabric;
        // Per switch: whether packets from there arrive, once known.
        let mut arrives: Vec<Option<bool>> = vec![None; f.switches() as usize];
        let index = |v: VertexId| (v.0 - f.endpoints()) as usize;
        for (i, &(start, source)) in by_switch.iter().enumerate() {
            if source == target || f.is_endpoint(start) {
                faulty[i] |= source != target && start != target;
                continue;
            }
            let (mut way, mut at, mut before) = (Vec::new(), start, None);
            let ok = loop {
                if at == target {
                    break true;
                }
                if f.is_endpoint(at) {
                    break false;
                }
                if let Some(known) = arrives[index(at)] {
                    break known;
                }
                // A switch on its own way is a circle: marked as lost until the walk ends.
                arrives[index(at)] = Some(false);
                way.push(at);
                let Ok(Some(link)) = self.forward(at, lid) else { break false };
                before = Some(link);
                at = f.target(link);
            };
            self.note_turns(&way, before, lid, &mut audit.next);
            way.iter().for_each(|&v| arrives[index(v)] = Some(ok));
            if !ok {
                faulty[i] = true;
                if audit.examples.len() < 5
                    && let Err(e) = self.walk(source, target, lid, |_| ())
                {
                    audit.examples.push(e.to_string());
                }
            }
        }
    }

    /// Which link follows which along a way, its first step past the end included.
    fn note_turns(&self, way: &[VertexId], last: Option<LinkId>, lid: u16, next: &mut [Vec<u32>]) {
        let out = |v: VertexId| self.forward(v, lid).ok().flatten();
        let beyond = last.map(|l| self.fabric.target(l)).filter(|&v| !self.fabric.is_endpoint(v));
        let links: Vec<LinkId> = way.iter().copied().chain(beyond).filter_map(out).collect();
        for pair in links.windows(2) {
            let list = &mut next[pair[0].index()];
            if !list.contains(&pair[1].0) {
                list.push(pair[1].0);
            }
        }
    }
}
