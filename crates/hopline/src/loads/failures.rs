//! What failures cost a job: how much of its throughput is left, over the links between routers and with those of hosts.

use super::{Demand, Flows};
use crate::error::Result;
use crate::fabric::{Fabric, metrics};
use crate::id::{LinkId, VertexId};
use crate::routing::{Failures, Routing, load_host_links};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// A link between routers and what it carries.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct BusyLink {
    /// Both ends with their ports: `leaf01[5] -> spine02[3]`.
    pub name: String,
    /// Its class.
    pub class: String,
    /// Its load, in the demand's unit.
    pub load: f64,
}

/// What a failure leaves; parts of 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Left {
    /// Of the job's throughput, as far as links between routers limit it: the part of its traffic whose ends are still
    /// joined, x the time that the busiest of these links was busy / that which it is busy now; at most that part where some
    /// are apart, since it is no gain that their traffic is gone.
    pub network: f64,
    /// The same over all links, those of hosts included.
    pub throughput: f64,
    /// Part of the traffic between hosts whose ends are still joined.
    pub traffic: f64,
}

/// Loads of flows, and the busiest links: (seconds per GB, link).
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    /// Per link.
    pub load: Vec<f64>,
    /// What leaves its host and arrives.
    pub remote: f64,
    /// Longest busy time of links between routers and of all links.
    busy: (f64, f64),
    /// The busiest link between routers.
    hottest: Option<LinkId>,
}

impl Failed {
    fn new(fabric: &Fabric, load: Vec<f64>, remote: f64) -> Failed {
        let (mut busy, mut hottest) = ((0.0f64, 0.0f64), None);
        let per_gb: Vec<f64> =
            fabric.classes().iter().map(|c| c.bandwidth.map_or(0.0, |b| 1.0 / b.as_gb_s())).collect();
        for link in fabric.link_ids() {
            let time = load[link.index()] * per_gb[fabric.class_id(link).index()];
            busy.1 = busy.1.max(time);
            // Rounding must not decide which of equal links is named.
            if !fabric.is_host_link(link) && time > busy.0 * (1.0 + 1e-9) {
                (busy.0, hottest) = (time, Some(link));
            }
        }
        Failed { load, remote, busy, hottest }
    }

    /// What is left of `before`.
    pub fn left(&self, before: &Failed) -> Left {
        let traffic = if before.remote > 0.0 { self.remote / before.remote } else { 1.0 };
        // Where nothing is busy now, or was before, links limit nothing: only what is lost counts.
        let part = |before: f64, now: f64| match before > 0.0 && now > 0.0 {
            // The rest is no faster for what no longer arrives.
            true if traffic < 1.0 - 1e-9 => traffic * (before / now).min(1.0),
            true => traffic * before / now,
            false => traffic,
        };
        Left { network: part(before.busy.0, self.busy.0), throughput: part(before.busy.1, self.busy.1), traffic }
    }

    /// The `count` busiest links between routers, busiest first. O(links log links).
    pub fn hottest(&self, fabric: &Fabric, count: usize) -> Vec<BusyLink> {
        let time = |l: LinkId| fabric.class_of(l).bandwidth.map_or(0.0, |b| self.load[l.index()] / b.as_gb_s());
        let links = fabric.link_ids().filter(|&l| !fabric.is_host_link(l) && time(l) > 0.0);
        let key = |l: LinkId| (time(l) / self.busy.0 * 1e9).round();
        let mut all: Vec<(f64, LinkId)> = links.map(|l| (key(l), l)).collect();
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.into_iter().take(count).map(|(_, l)| busy_link(fabric, l, self.load[l.index()])).collect()
    }
}

fn busy_link(fabric: &Fabric, link: LinkId, load: f64) -> BusyLink {
    BusyLink { name: fabric.link_name(link), class: fabric.class_of(link).name.clone(), load }
}

/// Loads of the flows whose ends are joined; the others are left out. Complexity is that of [`Routing::load`].
///
/// # Errors
/// The routing has no way between two ends that cables join.
pub fn evaluate_joined(flows: &Flows, routing: &dyn Routing) -> Result<Failed> {
    let fabric = routing.fabric();
    let part = metrics::parts(fabric, |_| true);
    let kept = flows.within(&part);
    let mut load = vec![0.0; fabric.links()];
    routing.load(&kept, &mut load)?;
    Ok(Failed::new(fabric, load, kept.remote))
}

/// A routing of a fabric with something missing.
pub type Rebuild<'a> = dyn Fn(Arc<Fabric>) -> Result<Box<dyn Routing>> + Sync + 'a;

/// What a failure leaves.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Remaining {
    /// Shares of what there was.
    pub left: Left,
    /// Pairs of endpoints with hosts that are apart.
    pub unreachable_pairs: u64,
    /// The busiest link between routers.
    pub hottest: Option<BusyLink>,
}

/// A job on a whole fabric, to which failures come one at a time.
pub struct Failing<'a> {
    routing: &'a dyn Routing,
    flows: Flows,
    whole: Failed,
    /// Pairs of endpoints that are apart without any failure.
    apart: u64,
    repair: Option<Box<dyn Failures + 'a>>,
    rebuild: &'a Rebuild<'a>,
}

impl<'a> Failing<'a> {
    /// Task t of the demand injects at `place[t]`. `rebuild` is asked for the routing of a broken fabric where the one
    /// of the whole fabric cannot tell what changes.
    ///
    /// # Errors
    /// A flow has no way on the whole fabric.
    pub fn new(
        demand: &Demand,
        place: &[VertexId],
        routing: &'a dyn Routing,
        rebuild: &'a Rebuild<'a>,
    ) -> Result<Failing<'a>> {
        let fabric = routing.fabric();
        let flows = Flows::new(demand, place, fabric);
        let mut load = vec![0.0; fabric.links()];
        routing.load(&flows, &mut load)?;
        let whole = Failed::new(fabric, load, flows.remote);
        let repair = routing.failures(&flows)?;
        let apart = metrics::pairs_apart(fabric, &metrics::parts(fabric, |_| true));
        Ok(Failing { routing, flows, whole, apart, repair, rebuild })
    }

    /// Loads without any failure.
    pub fn whole(&self) -> &Failed {
        &self.whole
    }

    /// What is left without some links (both directions of each cable).
    /// O(links) and what [`Failures::shift`] takes; without it, that of building and loading a routing.
    ///
    /// # Errors
    /// The broken fabric cannot be routed.
    pub fn without(&self, gone: &[LinkId]) -> Result<Remaining> {
        let fabric = self.routing.fabric();
        let Some(repair) = &self.repair else {
            let broken = Arc::new(fabric.without(gone));
            let apart = metrics::pairs_apart(&broken, &metrics::parts(&broken, |_| true));
            let after = evaluate_joined(&self.flows, &*(self.rebuild)(broken.clone())?)?;
            let hottest = after.hottest.map(|l| busy_link(&broken, l, after.load[l.index()]));
            return Ok(Remaining { left: after.left(&self.whole), unreachable_pairs: apart, hottest });
        };
        let mut set = vec![false; fabric.links()];
        gone.iter().for_each(|l| set[l.index()] = true);
        let part = metrics::parts(fabric, |l| !set[l.index()]);
        let apart = metrics::pairs_apart(fabric, &part);
        let mut load = self.whole.load.clone();
        repair.shift(gone, &mut load);
        let mut remote = self.whole.remote;
        if apart > self.apart {
            let kept = self.flows.within(&part);
            remote = kept.remote;
            fabric.link_ids().filter(|&l| fabric.is_host_link(l)).for_each(|l| load[l.index()] = 0.0);
            load_host_links(fabric, &kept, &mut load);
        }
        let after = Failed::new(fabric, load, remote);
        let hottest = after.hottest.map(|l| busy_link(fabric, l, after.load[l.index()]));
        Ok(Remaining { left: after.left(&self.whole), unreachable_pairs: apart, hottest })
    }
}
