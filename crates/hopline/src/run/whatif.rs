//! What a fault does: who loses whom, and how much hotter the rest becomes.

use super::{LoadOutcome, load};
use crate::error::Result;
use crate::event::Observer;
use crate::fabric::{Fabric, metrics};
use crate::id::{HostId, VertexId};
use crate::plan::{Network, Plan};
use crate::routing::{LidChoice, Table};
use crate::topology::Topology;
use schemars::JsonSchema;
use serde::Serialize;

/// What `hopline fabric whatif` says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WhatIfOutcome {
    /// The machine.
    pub fabric: String,
    /// The cables that are missing.
    pub removed: Vec<String>,
    /// Ordered pairs of endpoints that run tasks.
    pub pairs: u64,
    /// How many of them lose each other until the tables are computed anew;
    /// null where the machine has no tables.
    pub broken_until_rerouted: Option<u64>,
    /// How many of them no cable joins any more.
    pub unreachable: u64,
    /// Hosts that the largest part of the machine no longer reaches.
    pub cut_off: Vec<String>,
    /// The first few unreachable pairs of hosts.
    pub pairs_apart: Vec<(String, String)>,
    /// Loads on the whole machine.
    pub before: LoadOutcome,
    /// Loads on the whole machine under the routing of `after`, so that the fault alone
    /// is between them; null where that is the routing of `before`.
    pub before_alike: Option<LoadOutcome>,
    /// Loads after new routes; null where some pair of the job is unreachable.
    pub after: Option<LoadOutcome>,
    /// Why there are no loads after; null where there are.
    pub error: Option<String>,
}

/// Compares a job on the whole machine, on the whole machine under the routing of the
/// broken one where that is another (`alike`), and on the broken one. `hot` hottest links.
///
/// # Errors
/// The job cannot be evaluated on the whole machine.
pub fn whatif(
    whole: &Plan,
    alike: Option<&Plan>,
    broken: &Plan,
    hot: usize,
    observer: &mut dyn Observer,
) -> Result<WhatIfOutcome> {
    let fabric = &broken.network.fabric;
    let ends = (0..fabric.endpoints()).filter(|&v| fabric.hosts().owner(VertexId(v)).is_some()).count() as u64;
    let before = load(whole, hot, observer)?;
    let before_alike = alike.map(|plan| load(plan, hot, observer)).transpose()?;
    let after = load(broken, hot, observer);
    let (cut_off, pairs_apart) = apart(fabric);
    Ok(WhatIfOutcome {
        fabric: fabric.name().to_string(),
        removed: broken.network.removed.clone(),
        pairs: ends * ends.saturating_sub(1),
        broken_until_rerouted: stale_pairs(&broken.network),
        unreachable: metrics::distances(fabric).unreachable,
        cut_off,
        pairs_apart,
        before,
        before_alike,
        error: after.as_ref().err().map(ToString::to_string),
        after: after.ok(),
    })
}

/// Pairs that the old tables no longer serve on the broken machine.
fn stale_pairs(network: &Network) -> Option<u64> {
    let Topology::File(file) = &network.topology else { return None };
    let (lids, tables) = file.tables()?;
    Some(Table::new(network.fabric.clone(), lids, &tables, LidChoice::Spread).audit().broken)
}

/// Unreachable pairs of hosts that are listed.
const LISTED: usize = 10;

/// Hosts outside the part of the fabric that holds most hosts, and the first
/// few pairs of hosts in different parts, by name. O(parts * links + hosts).
fn apart(fabric: &Fabric) -> (Vec<String>, Vec<(String, String)>) {
    let hosts = fabric.hosts();
    let mut part = vec![usize::MAX; fabric.vertices() as usize];
    let mut sizes: Vec<usize> = Vec::new();
    // (host's name, its part), by its first endpoint.
    let mut ends: Vec<(&str, usize)> = Vec::new();
    for host in (0..hosts.len()).map(HostId).filter(|&h| hosts.slot_count(h) > 0) {
        let Some(&v) = hosts.endpoints(host).first() else { continue };
        if part[v.index()] == usize::MAX {
            for (at, _) in metrics::hops_to(fabric, v).iter().enumerate().filter(|(_, hops)| **hops != u16::MAX) {
                part[at] = sizes.len();
            }
            sizes.push(0);
        }
        sizes[part[v.index()]] += 1;
        ends.push((hosts.name(host), part[v.index()]));
    }
    // Of equally large parts the first is the machine.
    let main = (0..sizes.len()).rev().max_by_key(|&p| sizes[p]);
    let cut_off = ends.iter().filter(|(_, p)| Some(*p) != main).map(|(name, _)| name.to_string()).collect();
    let mut pairs = Vec::new();
    for (i, (a, p)) in ends.iter().enumerate() {
        let others = ends[i + 1..].iter().filter(|(_, q)| q != p).take(LISTED - pairs.len());
        pairs.extend(others.map(|(b, _)| (a.to_string(), b.to_string())));
        if pairs.len() == LISTED || sizes.len() < 2 {
            break;
        }
    }
    (cut_off, pairs)
}
