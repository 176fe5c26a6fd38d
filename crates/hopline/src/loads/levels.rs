//! Throughput level by level: within hosts and between them, where what is sent within hosts would hide the rest.

use super::LinkLoads;
use crate::demand::{Flow, Flows};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::routing::Routing;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What hosts send on one level, and what its links allow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct LevelLoad {
    /// `within hosts` or `between hosts`.
    pub name: String,
    /// Share of all that is sent.
    pub share: f64,
    /// What a host would send on this level if it had all links for itself, GB/s; null where nothing
    /// limits it.
    pub throughput_gb_s: Option<f64>,
    /// The class of that link.
    pub bottleneck: Option<String>,
}

/// What flows within hosts put on every link; none where they are free. As [`Routing::load`].
pub(super) fn within_hosts(flows: &Flows, routing: &dyn Routing) -> Result<Vec<f64>> {
    let fabric = routing.fabric();
    let hosts = fabric.hosts();
    if !hosts.have_insides() {
        return Ok(Vec::new());
    }
    let stays = |flow: &&Flow| hosts.owner(flow.source) == hosts.owner(flow.target);
    let own = Flows { entries: flows.entries.iter().filter(stays).copied().collect(), ..Flows::default() };
    let mut load = vec![0.0; fabric.links()];
    routing.load(&own, &mut load)?;
    Ok(load)
}

/// The levels of a load, where hosts send within themselves; `sent` is what a host sends in all. O(links).
pub(super) fn levels(sent: f64, loads: &LinkLoads, fabric: &Fabric) -> Vec<LevelLoad> {
    let total = loads.local + loads.remote;
    if loads.local <= 0.0 || total <= 0.0 {
        return Vec::new();
    }
    let level = |name: &str, amount: f64, load: &dyn Fn(usize) -> f64| {
        // Of equally busy classes the outer one, which comes later, is named; rounding must not decide.
        let mut busiest = vec![0.0f64; fabric.classes().len()];
        for link in fabric.link_ids() {
            let class = fabric.class_id(link);
            let busy = fabric.class(class).bandwidth.map_or(0.0, |own| load(link.index()) / own.as_gb_s());
            busiest[class.index()] = busiest[class.index()].max(busy);
        }
        let most = busiest.iter().copied().fold(0.0, f64::max);
        let limits = busiest.iter().rposition(|&busy| busy > 0.0 && busy >= most * (1.0 - 1e-9));
        let share = amount / total;
        LevelLoad {
            name: name.to_string(),
            share,
            throughput_gb_s: limits.map(|_| sent * share / most),
            bottleneck: limits.map(|class| fabric.classes()[class].name.clone()),
        }
    };
    let within = |l: usize| loads.within.get(l).copied().unwrap_or(0.0);
    let between = |l: usize| loads.load[l] - within(l);
    vec![level("within hosts", loads.local, &within), level("between hosts", loads.remote, &between)]
}
