//! A virtual channel for every hop, on any network: packets go on to the next channel
//! with every link between routers, so that none can wait in a circle. Günther,
//! "Prevention of deadlocks in packet-switched data transport systems", 1981.

use super::{Bundles, Failures, Groups, Path, Route, Routing};
use crate::demand::Flows;
use crate::entry::{Param, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::VertexId;
use std::sync::OnceLock;

/// The key of routings that have no rule of their own.
pub(super) const VCS: Param = param("vcs", "one|hops", "one", "virtual channels: one, or one for every hop of a path");

/// A routing whose n-th link between routers is on VC n - 1; host links are on VC 0.
pub struct PerHop {
    routing: Box<dyn Routing>,
    /// Found when first asked for.
    vcs: OnceLock<u8>,
}

impl PerHop {
    /// The same paths, with a VC for every hop.
    pub fn new(routing: Box<dyn Routing>) -> PerHop {
        PerHop { routing, vcs: OnceLock::new() }
    }
}

impl Routing for PerHop {
    fn fabric(&self) -> &Fabric {
        self.routing.fabric()
    }

    /// As many as the longest path has links between routers, at least 1 (saturating).
    fn vcs(&self) -> u8 {
        *self.vcs.get_or_init(|| self.routing.most_hops().clamp(1, u8::MAX.into()) as u8)
    }

    fn channels(&self, path: &Path, _: u64, channels: &mut Vec<u8>) {
        let mut hops = 0;
        channels.clear();
        channels.extend(path.links.iter().map(|&link| {
            let vc = if self.fabric().is_host_link(link) { 0 } else { hops };
            hops += u8::from(!self.fabric().is_host_link(link));
            vc
        }));
    }

    fn most_hops(&self) -> u32 {
        self.routing.most_hops()
    }

    fn switches_as_ends(&self) -> bool {
        self.routing.switches_as_ends()
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        self.routing.choices(source, target)
    }

    fn one_path(&self) -> bool {
        self.routing.one_path()
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        self.routing.path(source, target, choice, path)
    }

    fn draw(&self, source: VertexId, target: VertexId, choices: u64, point: u64, path: &mut Path) -> Result<u64> {
        self.routing.draw(source, target, choices, point, path)
    }

    fn route(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<()> {
        self.routing.route(source, target, route)
    }

    fn hops(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<f64> {
        self.routing.hops(source, target, route)
    }

    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        self.routing.load(flows, loads)
    }

    fn links_of_targets(&self, flows: &Flows) -> u64 {
        self.routing.links_of_targets(flows)
    }

    fn links_of_any_load(&self) -> u64 {
        self.routing.links_of_any_load()
    }

    fn bundles(&self) -> Option<&dyn Bundles> {
        self.routing.bundles()
    }

    fn failures<'a>(&'a self, flows: &Flows) -> Result<Option<Box<dyn Failures + 'a>>> {
        self.routing.failures(flows)
    }

    fn groups(&self) -> Option<Groups> {
        self.routing.groups()
    }
}
