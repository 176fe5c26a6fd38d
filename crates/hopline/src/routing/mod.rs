//! Routings: which links a message from one vertex to another uses.
//!
//! One definition serves all lenses. [`Routing::choices`] and [`Routing::path`] give the ordered paths with their shares (packet
//! replay takes them one by one); [`Routing::route`] is their weighted mean as (link, share); [`Routing::load`] adds whole flows
//! and is overridden where the structure factors. Tests hold all three equal for every entry of [`LIST`].

mod adaptive;
mod bundles;
mod by_pairs;
mod d_mod_k;
pub mod deadlock;
mod destination_tag;
mod dor;
mod dragonfly;
mod ecmp;
mod failing;
mod groups;
mod hop;
mod host_links;
mod lines;
mod min_adaptive;
mod omni;
mod par;
mod path;
mod paths;
mod per_hop;
mod percs;
mod shortest;
mod spec;
mod table;
mod through_hosts;
mod two_level;
mod ugal;
mod up_adaptive;
mod up_down;
mod valiant;

pub use adaptive::{Adaptive, Rule};
pub use bundles::Bundles;
pub use by_pairs::load_by_routes;
use by_pairs::{load_entries, most_hops_of_paths};
pub use d_mod_k::DModK;
pub(crate) use d_mod_k::{DModKRule, read_d_mod_k};
pub use destination_tag::DestinationTag;
pub use dor::{Dor, Tie};
pub(crate) use dor::{RING_VCS, RingWay};
pub use dragonfly::DragonflyPaths;
pub(crate) use dragonfly::{DragonflyRule, Peer};
pub use ecmp::Ecmp;
pub use failing::Failures;
pub use groups::{Detour, Groups};
pub use hop::{At, Header, Hop};
use host_links::host_link;
pub(crate) use host_links::load_host_links;
pub use lines::LineOrder;
pub use min_adaptive::MinAdaptive;
pub(crate) use min_adaptive::read_min_adaptive;
pub use omni::OmniDimensional;
pub(crate) use omni::read_omni;
pub use par::Progressive;
pub(crate) use par::read_progressive;
use path::split;
pub use path::{Path, Route};
pub use paths::Paths;
pub use per_hop::PerHop;
pub use percs::{Direct, Indirect, Inside};
pub(crate) use shortest::Step;
pub use shortest::{Shortest, Valiant};
pub use spec::Spec;
pub use table::{Audit, LANES, LaneAudit, LidChoice, Likeness, MinHop, Table, likeness};
pub use ugal::Ugal;
pub(crate) use ugal::read_ugal;
pub use up_adaptive::UpAdaptive;
pub(crate) use up_adaptive::read_up_adaptive;
pub(crate) use up_down::read_up_down;
pub use up_down::{default_roots, up_down};

use crate::demand::Flows;
use crate::entry::{Entry, Listed};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::id::VertexId;
use crate::params::{Params, Reader, find};
use crate::topology::Topology;
use std::sync::Arc;

/// Which links a message uses: see the [module](self).
pub trait Routing: Send + Sync {
    /// The network that it routes.
    fn fabric(&self) -> &Fabric;

    /// Whether switches may be source and target too; else only endpoints may.
    fn switches_as_ends(&self) -> bool {
        false
    }

    /// Number of paths from `source` to `target`, at least 1 (saturating).
    ///
    /// # Errors
    /// There is no way; the error names both vertices.
    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64>;

    /// True where it is known, without a look at the pairs, that every message has one path; false says nothing.
    fn one_path(&self) -> bool {
        false
    }

    /// Writes the path number `choice` (below [`Routing::choices`]).
    ///
    /// # Errors
    /// There is no way; the error names both vertices.
    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()>;

    /// Writes the path that a point of [0, 2^64) chooses of so many [`Routing::choices`], and returns its number for
    /// [`Routing::channels`]: points that are spread evenly take each path as often as its share says. Without structure
    /// all shares count as equal.
    ///
    /// # Errors
    /// There is no way; the error names both vertices.
    fn draw(&self, source: VertexId, target: VertexId, choices: u64, mut point: u64, path: &mut Path) -> Result<u64> {
        let choice = split(&mut point, choices);
        self.path(source, target, choice, path)?;
        Ok(choice)
    }

    /// Writes the mean of all paths, weighted by their shares.
    ///
    /// # Errors
    /// There is no way; the error names both vertices.
    fn route(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<()> {
        route.clear();
        let mut path = Path::default();
        for choice in 0..self.choices(source, target)? {
            self.path(source, target, choice, &mut path)?;
            route.extend(path.links.iter().map(|&link| (link, path.share)));
        }
        Ok(())
    }

    /// Mean hops between routers; `route` is overwritten. Without structure: O(links of a route).
    ///
    /// # Errors
    /// There is no way; the error names both vertices.
    fn hops(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<f64> {
        self.route(source, target, route)?;
        Ok(route.iter().filter(|(link, _)| !self.fabric().is_host_link(*link)).map(|r| r.1).sum())
    }

    /// Adds the expected load of all flows to `loads`, one cell per link.
    /// Without structure: O(pairs of endpoints * links of a route).
    ///
    /// # Errors
    /// A flow has no way; the error names both vertices.
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        load_by_routes(self, flows, loads)
    }

    /// Where [`Routing::load`] goes from one receiver to the next: about how many links it looks at for all of them, so
    /// that flows to a part of the receivers take a part of the time. 0 where it does not. O(entries + sides of blocks).
    fn links_of_targets(&self, _flows: &Flows) -> u64 {
        0
    }

    /// About how many links [`Routing::load`] looks at even where little flows; 0 where only what flows counts.
    fn links_of_any_load(&self) -> u64 {
        0
    }

    /// Number of virtual channels of a link.
    fn vcs(&self) -> u8 {
        1
    }

    /// Writes the virtual channel of every link of path number `choice`, below [`Routing::vcs`]: those of the
    /// [forwarding](crate::forwarding) of the same name, which keep packets from waiting for each other in a circle.
    fn channels(&self, path: &Path, _choice: u64, channels: &mut Vec<u8>) {
        channels.clear();
        channels.resize(path.links.len(), 0);
    }

    /// Most links between routers of a path between two endpoints that have one. Without structure: O(routers with endpoints
    /// * endpoints * paths * hops).
    fn most_hops(&self) -> u32 {
        most_hops_of_paths(self)
    }

    /// Its routes as sums of bundles, where that is shorter than the routes.
    fn bundles(&self) -> Option<&dyn Bundles> {
        None
    }

    /// What the routes of flows become when links fail, where that is quicker than to route everything anew: none
    /// where it is not. On a fabric without the links it is the routing of the same name.
    ///
    /// # Errors
    /// A flow has no way on the whole fabric.
    fn failures<'a>(&'a self, _flows: &Flows) -> Result<Option<Box<dyn Failures + 'a>>> {
        Ok(None)
    }

    /// The same under seeds of the hash that chooses its paths, its own first; empty where it has none.
    fn reseeded(&self) -> Vec<Box<dyn Routing>> {
        Vec::new()
    }

    /// The groups of its network and how it goes from one to another, where there is one link between any two.
    fn groups(&self) -> Option<Groups> {
        None
    }
}

/// The error of two vertices without a way between them.
pub(crate) fn unreachable(fabric: &Fabric, source: VertexId, target: VertexId, why: &str) -> Error {
    Error::input(format!(
        "{}: no way from {} to {}: {why}",
        fabric.name(),
        fabric.vertex_name(source),
        fabric.vertex_name(target)
    ))
}

type Built = Result<Box<dyn Routing>>;

/// What a routing is made of, and so what becomes of it once parts of the network are missing.
enum Build {
    /// The structure of a whole network: there is none without all of its parts.
    Whole(fn(&Reader, &Topology, &Arc<Fabric>) -> Built),
    /// Any network: it finds new routes.
    Any(fn(&Reader, &Topology, &Arc<Fabric>) -> Built),
    /// The tables of a network: they stay, and where they lead nowhere that is said.
    Tables(fn(&Reader, &Topology, &Arc<Fabric>) -> Built),
    /// A file of its own, for a whole network.
    File(fn(&Reader, &Arc<Fabric>, &dyn Files) -> Built),
}

use Build::{Any, File, Tables, Whole};

/// One routing of the list.
pub struct RoutingEntry {
    entry: &'static Entry,
    on: &'static str,
    build: Build,
}

impl RoutingEntry {
    /// Spec of a network that the entry's example routes.
    pub fn network(&self) -> &'static str {
        self.on
    }
}

impl Listed for RoutingEntry {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All routings.
pub const LIST: &[RoutingEntry] = &[
    RoutingEntry { entry: &percs::DIRECT, on: "percs:ns=4,nd=1", build: Whole(Direct::read) },
    RoutingEntry { entry: &percs::INDIRECT, on: "percs:ns=4,nd=1", build: Whole(Indirect::read) },
    RoutingEntry { entry: &dragonfly::ENTRY, on: "dragonfly:p=2,a=4,h=2", build: Any(DragonflyPaths::minimal) },
    RoutingEntry { entry: &valiant::RESTRICTED, on: "dragonfly:p=2,a=4,h=2", build: Whole(DragonflyPaths::restricted) },
    RoutingEntry { entry: &valiant::ANY, on: "dragonfly:p=2,a=4,h=2", build: Any(DragonflyPaths::any) },
    RoutingEntry { entry: &ugal::UGAL_L, on: "dragonfly:p=2,a=4,h=2", build: Any(ugal::local) },
    RoutingEntry { entry: &ugal::UGAL_G, on: "dragonfly:p=2,a=4,h=2", build: Any(ugal::global) },
    RoutingEntry { entry: &par::ENTRY, on: "dragonfly:p=2,a=4,h=2", build: Whole(par::read) },
    RoutingEntry { entry: &omni::ENTRY, on: "hyperx:dims=4x4,p=4", build: Whole(omni::read) },
    RoutingEntry { entry: &dor::ENTRY, on: "torus:dims=4x4", build: Whole(Dor::read) },
    RoutingEntry { entry: &min_adaptive::ENTRY, on: "torus:dims=4x4", build: Whole(min_adaptive::read) },
    RoutingEntry { entry: &d_mod_k::ENTRY, on: "fat-tree:k=4,n=2", build: Whole(DModK::read) },
    RoutingEntry { entry: &destination_tag::ENTRY, on: "omega:k=2,n=3", build: Whole(DestinationTag::read) },
    RoutingEntry { entry: &shortest::ENTRY, on: "tree:arity=4x2", build: Any(Shortest::read) },
    RoutingEntry { entry: &up_down::ENTRY, on: "tree:arity=4x2", build: Any(up_down::read) },
    RoutingEntry { entry: &up_adaptive::ENTRY, on: "tree:arity=4x2", build: Any(up_adaptive::read) },
    RoutingEntry { entry: &ecmp::ENTRY, on: "fat-tree:k=4,n=2", build: Any(Ecmp::read) },
    RoutingEntry { entry: &table::ENTRY, on: "file:testdata/fabrics/lmc1-8", build: Tables(Table::read) },
    RoutingEntry { entry: &table::MIN_HOP, on: "file:testdata/fabrics/lmc1-8", build: Any(MinHop::read) },
    RoutingEntry { entry: &paths::ENTRY, on: "full-mesh:n=4", build: File(Paths::read) },
];

/// Whether a routing of the list finds new routes once parts are missing.
pub(crate) fn routes_anew(name: &str) -> bool {
    LIST.iter().any(|kind| kind.entry.name == name && matches!(kind.build, Any(_)))
}

/// Refuses a routing that needs a whole network.
pub(crate) fn check_after_faults(params: &Params) -> Result<()> {
    let anew = LIST.iter().filter(|kind| matches!(kind.build, Any(_)));
    let kept = LIST.iter().filter(|kind| matches!(kind.build, Tables(_)));
    let names: Vec<&str> = anew.chain(kept).map(|kind| kind.entry.name).collect();
    if names.contains(&params.kind()) {
        return Ok(());
    }
    let text = format!("routing `{}` needs a whole machine, and parts of this one are missing", params.kind());
    Err(Error::input(text).at(params.place()).hint(format!("those that find their way: {}", names.join(", "))))
}

/// Whether a routing of the list takes the key `vcs`, for a virtual channel per hop.
pub(crate) fn takes_vcs(name: &str) -> bool {
    LIST.iter().any(|kind| kind.entry.name == name && kind.entry.params.iter().any(|p| p.name == per_hop::VCS.name))
}

/// Reads a routing and builds it for a fabric and the topology it came from.
///
/// # Errors
/// An unknown kind or key, a routing that does not fit the topology, or a file that cannot be read.
pub fn build(
    params: &Params,
    topology: &Topology,
    fabric: &Arc<Fabric>,
    files: &dyn Files,
) -> Result<Box<dyn Routing>> {
    // Routings are of the network between hosts; inside of them there is nothing to choose.
    match fabric.outside() {
        Some(outside) => {
            let outer = build_outside(params, topology, outside.fabric(), files)?;
            Ok(Box::new(through_hosts::ThroughHosts::new(fabric, outer)?))
        }
        None => build_outside(params, topology, fabric, files),
    }
}

fn build_outside(
    params: &Params,
    topology: &Topology,
    fabric: &Arc<Fabric>,
    files: &dyn Files,
) -> Result<Box<dyn Routing>> {
    let kind = find("routing", LIST, params)?;
    // Messages pass its cables one way, which no other routing knows.
    if matches!(topology, Topology::Omega(_)) && kind.entry.name != topology.default_routing() {
        let text = format!("routing `{}` would use the cables of {} backwards", kind.entry.name, fabric.name());
        return Err(Error::input(text).at(params.place()).hint("leave the routing out for `destination-tag`"));
    }
    let reader = params.check(kind.entry)?;
    let routing = match kind.build {
        Whole(build) | Any(build) | Tables(build) => reader.made(build(&reader, topology, fabric)),
        File(open) => reader.made(open(&reader, fabric, files)),
    }?;
    Ok(match reader.choice(per_hop::VCS.name, &["one", "hops"])? {
        0 => routing,
        _ => Box::new(per_hop::PerHop::new(routing)),
    })
}

/// Refuses a fabric that is not the whole network of a family: routings that know its structure find links by their
/// numbers.
fn check_whole(routing: &str, family: impl Into<Topology>, fabric: &Fabric) -> Result<()> {
    let family = family.into();
    if family.counts().is_none_or(|counts| counts.are_of(fabric)) {
        return Ok(());
    }
    Err(Error::input(format!("routing `{routing}` of {family} needs its whole network, not {}", fabric.name())))
}

/// What Valiant's detours and PAR need on a Dragonfly.
const REGULAR: &str = "a dragonfly of a*h+1 groups with one cable between any two";

/// "routing `dor` needs a torus, this is a tree".
fn mismatch(reader: &Reader, routing: &str, needs: &str, topology: &Topology, fabric: &Fabric) -> Error {
    Error::input(format!("routing `{routing}` needs {needs}, not {}", fabric.name()))
        .at(reader.place())
        .hint(format!("leave the routing out for `{}`", topology.default_routing()))
}
