//! Expected loads of links: demand x places x routing, exact, without
//! simulation. A load is the amount that crosses a link; divided by the
//! bandwidth it is the time for which the link is busy.

mod failures;
mod hottest;
mod imbalance;
mod levels;
mod pieces;
mod summary;

pub use failures::{BusyLink, Failed, Failing, Left, Rebuild, Remaining, evaluate_joined};
pub(crate) use hottest::busiest;
pub use hottest::{Contributor, HotLink, hottest};
pub use imbalance::{Imbalance, imbalance};
pub use levels::LevelLoad;
pub use summary::{ClassLoad, Summary};

use crate::demand::{Demand, Flows};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::peers::Peers;
use crate::routing::Routing;
use pieces::Pieces;

/// The load of every directed link, and what the summary needs beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkLoads {
    /// Amount per link, by [`LinkId`].
    pub load: Vec<f64>,
    /// What leaves its host.
    pub remote: f64,
    /// What stays within hosts, what tasks send to themselves included.
    pub local: f64,
    /// Amount x distance, where the fabric's levels define one.
    level_cost: Option<f64>,
    /// What stays within hosts puts on every link; empty where it is free.
    within: Vec<f64>,
}

/// Loads every link with a demand whose task t injects at `place[t]`.
///
/// Deterministic: the same bytes for the same inputs, at any number of threads. Complexity is that of the
/// routing's [`Routing::load`].
///
/// ```
/// use hopline::{demand::Demand, id::VertexId, loads, routing::Dor, topology::Torus};
/// use std::sync::Arc;
///
/// let ring = Torus::new(&[4])?;
/// let fabric = Arc::new(ring.build()?);
/// let routing = Dor::new(&ring, &fabric)?;
/// let demand = Demand::from_rows(&[[0.0, 3.0], [0.0, 0.0]])?;
/// // Task 0 sends to task 1, two hops further on.
/// let loads = loads::evaluate(&demand, &[VertexId(0), VertexId(2)], &routing)?;
/// assert_eq!(loads.load.iter().sum::<f64>(), 6.0);
/// assert_eq!(loads.hop_bytes(&fabric), 6.0);
/// # Ok::<(), hopline::error::Error>(())
/// ```
///
/// # Errors
/// Two places have no way between them.
pub fn evaluate(demand: &Demand, place: &[VertexId], routing: &dyn Routing) -> Result<LinkLoads> {
    let flows = Flows::new(demand, place, routing.fabric());
    let load = Pieces::new(&flows, routing).sum()?;
    loaded(&flows, load, routing)
}

/// The same by several processes, which all give the same demand, places and routing: the first one has the loads, the
/// others nothing. They share what is worked out receiver by receiver, as on shortest paths and by forwarding tables; all
/// else the first one does alone.
///
/// # Errors
/// Those of [`evaluate`]; a process is gone.
pub fn evaluate_among(
    demand: &Demand,
    place: &[VertexId],
    routing: &dyn Routing,
    peers: &dyn Peers,
) -> Result<Option<LinkLoads>> {
    let flows = Flows::new(demand, place, routing.fabric());
    let load = Pieces::new(&flows, routing).sum_among(peers)?;
    load.map(|load| loaded(&flows, load, routing)).transpose()
}

/// What there is beside the load of every link.
fn loaded(flows: &Flows, load: Vec<f64>, routing: &dyn Routing) -> Result<LinkLoads> {
    let fabric = routing.fabric();
    let within = levels::within_hosts(flows, routing)?;
    let level_cost = fabric.has_distances().then(|| level_cost(flows, fabric));
    Ok(LinkLoads { load, remote: flows.remote, local: flows.local, level_cost, within })
}

impl LinkLoads {
    /// Seconds per unit of amount (in GB) for which a link is busy: load over
    /// bandwidth, 0 where the bandwidth is unlimited.
    pub fn busy(&self, fabric: &Fabric, link: LinkId) -> f64 {
        match fabric.class_of(link).bandwidth {
            Some(bandwidth) => self.load[link.index()] / bandwidth.as_gb_s(),
            None => 0.0,
        }
    }

    /// Amount x hops between routers, or x the distance that the fabric's levels
    /// define: the J of the mapping literature (an undirected edge of weight w,
    /// which is two demands of w, counts twice here and once there).
    pub fn hop_bytes(&self, fabric: &Fabric) -> f64 {
        // Every hop of an amount adds it to one link, so the sum over links is amount x hops.
        self.level_cost.unwrap_or_else(|| {
            // A sum of nothing is -0.
            0.0 + fabric.link_ids().filter(|&l| !fabric.is_host_link(l)).map(|l| self.load[l.index()]).sum::<f64>()
        })
    }
}

/// Amount x level distance: entry by entry, blocks by counting the pairs that
/// each level joins. O(entries * levels + blocks * sides * levels).
fn level_cost(flows: &Flows, fabric: &Fabric) -> f64 {
    let far = |a, b| fabric.level_distance(a, b).unwrap_or(0) as f64;
    let single: f64 = flows.entries.iter().map(|f| f.amount * far(f.source, f.target)).sum();
    let mut uniform = 0.0;
    for block in &flows.blocks {
        let joined = |part: &dyn Fn(VertexId) -> u32, parts: usize| {
            let mut tasks = vec![0.0; parts];
            block.sources.iter().for_each(|&(v, k)| tasks[part(v) as usize] += f64::from(k));
            block.targets.iter().map(|&(v, k)| tasks[part(v) as usize] * f64::from(k)).sum::<f64>()
        };
        let mut inner = joined(&|v| v.0, fabric.endpoints() as usize);
        for level in fabric.levels() {
            let pairs = joined(&|v| level.part[v.index()], level.parts as usize);
            uniform += (pairs - inner) * level.distance.unwrap_or(0) as f64 * block.amount;
            inner = pairs;
        }
    }
    single + uniform
}
