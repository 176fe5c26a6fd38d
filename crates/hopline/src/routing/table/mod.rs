//! Forwarding tables of a real machine: at every switch the target's LID says
//! the port. What `ibtracert` would walk, without the machine.

mod audit;
mod lanes;
mod min_hop;
mod tree;

pub use audit::Audit;
pub use lanes::{LANES, LaneAudit};
pub(super) use min_hop::ENTRY as MIN_HOP;
pub use min_hop::{Likeness, MinHop, likeness};

use super::per_hop::VCS;
use super::{Path, Routing, load_entries, unreachable};
use crate::demand::{FlowBlock, Flows};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::fabric::{Fabric, Guid};
use crate::format::infiniband::{Lids, lost_hint};
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
    params: &[param("lid", "base|spread|N", "base", "which of a target's LIDs are used"), VCS],
};

/// Which LIDs of a target carry the traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LidChoice {
    /// All of them, in equal shares.
    Spread,
    /// The n-th after the base LID, modulo their number.
    Offset(u32),
}

impl LidChoice {
    fn read(reader: &Reader) -> Result<LidChoice> {
        Ok(match reader.get::<String>("lid")?.as_deref() {
            None | Some("base") => LidChoice::Offset(0),
            Some("spread") => LidChoice::Spread,
            Some(n) => LidChoice::Offset(
                n.parse()
                    .map_err(|_| reader.wrong("lid", format!("`lid` is `{n}`, expected base, spread or a number")))?,
            ),
        })
    }
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
        let lid = LidChoice::read(reader)?;
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
                let port = usize::from(fabric.port(link));
                if port < 256 {
                    port_link[s * 256 + port] = link.0;
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
            let Some(link) = f.out_links(at).next() else {
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
        let error = unreachable(f, source, target, &why);
        let own = self.tables.get(at.0.wrapping_sub(f.endpoints()) as usize).and_then(Option::as_ref);
        let error = match (stop, own) {
            (Stop::NoEntry(lid), Some((table, _))) if table.lost == Some(*lid) => error.hint(lost_hint(*lid)),
            _ => error.hint("collect cables and tables again, `hopline fabric check` counts such pairs"),
        };
        match own {
            Some((_, place)) => error.at(place),
            None => error,
        }
    }
}

impl Routing for Table {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn switches_as_ends(&self) -> bool {
        true
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        Ok(if source == target { 1 } else { self.lids_in_use(target) })
    }

    fn one_path(&self) -> bool {
        (0..self.fabric.endpoints()).all(|v| self.lids_in_use(VertexId(v)) == 1)
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
        load_entries(self, &flows.entries, loads)?;
        let mut tree = tree::Tree::new(self);
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

    /// From every sender of a block to each of its receivers, by every LID of that.
    fn links_of_targets(&self, flows: &Flows) -> u64 {
        let lids = |targets: &[(VertexId, u32)]| targets.iter().map(|t| self.lids_in_use(t.0)).sum::<u64>();
        let steps =
            |block: &FlowBlock| lids(&block.targets) * (block.sources.len() as u64 + u64::from(self.fabric.switches()));
        flows.blocks.iter().map(steps).sum()
    }
}
