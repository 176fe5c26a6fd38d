//! What a fault does: who loses whom, and how much hotter the rest becomes.

mod each;
mod sentence;

pub use each::{Each, EachOutcome, Failure, each};

use super::{LoadOutcome, load};
use crate::demand::Flows;
use crate::error::Result;
use crate::event::Observer;
use crate::fabric::{Fabric, metrics};
use crate::id::{HostId, VertexId};
use crate::loads::{BusyLink, evaluate_joined};
use crate::plan::{Network, Plan};
use crate::routing::{LidChoice, Table};
use crate::topology::Topology;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What `hopline fabric whatif` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
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
    /// What is left of the job's throughput as far as links between switches limit it, a part of 1: the part of its
    /// traffic that still arrives, x the time that the busiest of these links took before / takes now. Null where old
    /// tables are followed and lead to what is missing: then nothing is known of what is left.
    pub left: Option<f64>,
    /// The same over all links, hosts' adapters included.
    pub throughput_left: Option<f64>,
    /// Part of the traffic between hosts whose ends are still joined.
    pub traffic_left: Option<f64>,
    /// The busiest links between switches before, under the routing of `after`.
    pub hottest_before: Vec<BusyLink>,
    /// The same after, for the traffic that still arrives.
    pub hottest_after: Vec<BusyLink>,
    /// What it comes to.
    pub verdict: FaultVerdict,
    /// What people should know, with what is assumed of the routes after.
    pub notes: Vec<String>,
}

/// What a fault comes to, in a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FaultVerdict {
    /// In one word.
    pub kind: FaultKind,
    /// For people.
    pub sentence: String,
}

/// What a fault does to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Nothing.
    Harmless,
    /// Links are busier.
    Slower,
    /// Traffic does not arrive, or hosts are apart.
    Lost,
    /// Nobody can tell: the routes after it are not known.
    Unknown,
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
    let compared = alike.unwrap_or(whole);
    let places = before_alike.as_ref().unwrap_or(&before).chosen.places(compared.network.fabric.hosts());
    // Tables that are repaired start from those that were read: often nothing else is different.
    let before_alike = before_alike.filter(|other| other.summary != before.summary);
    let after = load(broken, hot, observer);
    let (cut_off, pairs_apart) = apart(fabric);
    let apart = metrics::pairs_apart(fabric, &metrics::parts(fabric, |_| true));
    let flows = Flows::new(&compared.demand, &places, &compared.network.fabric);
    let was = evaluate_joined(&flows, &*compared.network.routing)?;
    let now = evaluate_joined(&flows, &*broken.network.routing);
    let left = now.as_ref().ok().map(|now| now.left(&was));
    let mut outcome = WhatIfOutcome {
        fabric: fabric.name().to_string(),
        removed: broken.network.removed.clone(),
        pairs: ends * ends.saturating_sub(1),
        broken_until_rerouted: stale_pairs(&broken.network),
        unreachable: apart,
        cut_off,
        pairs_apart,
        before,
        before_alike,
        // Which table the way ends in is no matter where no way could be.
        error: after.as_ref().err().map(|e| match left.is_none_or(|left| left.traffic < 1.0) {
            true => format!("{}: some hosts of the job are apart, no cables join them", fabric.name()),
            false => e.to_string(),
        }),
        after: after.ok(),
        left: left.map(|left| left.network),
        throughput_left: left.map(|left| left.throughput),
        traffic_left: left.map(|left| left.traffic),
        hottest_before: was.hottest(&compared.network.fabric, hot.max(1)),
        hottest_after: now.map_or(Vec::new(), |now| now.hottest(fabric, hot.max(1))),
        verdict: FaultVerdict { kind: FaultKind::Unknown, sentence: String::new() },
        notes: broken.notes.clone(),
    };
    outcome.verdict = sentence::verdict(&outcome, left);
    Ok(outcome)
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
