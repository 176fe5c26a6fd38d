//! What to measure next: pairs that tell suspects apart.

use super::host_name;
use crate::flows::Flows;
use hopline::error::Result;
use hopline::id::VertexId;
use hopline::plan::Network;
use hopline::routing::Route;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Most hosts whose pairs are looked at; those that have crossed a suspect come first.
const MOST_HOSTS: usize = 400;
/// Most sets, a bit each.
const MOST_SETS: usize = 64;
/// Ways that are kept of those that cross the same sets.
const ALIKE: usize = 200;

/// Pairs to measure next.
#[derive(Default)]
pub(crate) struct Splitting {
    pub(crate) rounds: Vec<Vec<(String, String)>>,
    /// Whether they tell every set from every other.
    pub(crate) apart: bool,
}

/// A way between two hosts.
struct Way {
    ends: (VertexId, VertexId),
    links: Vec<u32>,
}

/// Pairs that tell sets of links apart, and each from nothing being slow where that is in doubt, in rounds: every pair crosses some
/// sets and not the others. O(hosts^2 * (hops + sets)).
pub(crate) fn splitting(
    network: &Network,
    flows: &Flows,
    mut sets: Vec<Vec<u32>>,
    in_doubt: bool,
) -> Result<Splitting> {
    if sets.is_empty() {
        return Ok(Splitting::default());
    }
    sets.sort();
    sets.dedup();
    let all = sets.len() + usize::from(in_doubt);
    sets.truncate(MOST_SETS - 1);
    let ways = ways(network, &hosts(flows, &sets), &sets)?;
    // No link at all, as where a stray was to blame; then classes of sets that no chosen pair tells apart yet.
    sets.extend(in_doubt.then(Vec::new));
    let mut class: Vec<u64> = vec![0; sets.len()];
    let mut rounds: Vec<Vec<(String, String)>> = Vec::new();
    let (mut busy, mut taken) = (FxHashSet::default(), FxHashSet::default());
    for step in 0..64u64 {
        let mut found = best(&ways, &class, &busy, &taken);
        if rounds.is_empty() || found.is_none() {
            (busy, taken) = Default::default();
            found = best(&ways, &class, &busy, &taken);
            if found.is_none() {
                break;
            }
            rounds.push(Vec::new());
        }
        let (Some((mask, way)), Some(round)) = (found, rounds.last_mut()) else { break };
        round.push((host_name(network, way.ends.0), host_name(network, way.ends.1)));
        busy.extend([way.ends.0, way.ends.1]);
        taken.extend(&way.links);
        class.iter_mut().enumerate().for_each(|(i, c)| *c |= (mask >> i & 1) << step);
    }
    class.sort_unstable();
    class.dedup();
    Ok(Splitting { rounds, apart: class.len() == all })
}

/// Hosts that measured, those whose flows cross a set first.
fn hosts(flows: &Flows, sets: &[Vec<u32>]) -> Vec<VertexId> {
    let mut suspected = vec![false; flows.links()];
    sets.iter().flatten().for_each(|l| suspected[*l as usize] = true);
    let (mut near, mut seen) = (Vec::new(), FxHashSet::default());
    for first in [true, false] {
        for (f, flow) in (0..).zip(&flows.flows) {
            let crosses = flows.way(f).iter().any(|(l, _)| suspected[*l as usize]);
            if crosses == first {
                near.extend([flow.source, flow.target].into_iter().filter(|v| seen.insert(*v)));
            }
        }
    }
    near.truncate(MOST_HOSTS);
    near
}

/// Ways between hosts, by the sets that they cross, a bit each.
fn ways(network: &Network, hosts: &[VertexId], sets: &[Vec<u32>]) -> Result<BTreeMap<u64, Vec<Way>>> {
    let mut ways: BTreeMap<u64, Vec<Way>> = BTreeMap::new();
    let mut route = Route::new();
    for (&a, &b) in hosts.iter().flat_map(|a| hosts.iter().map(move |b| (a, b))).filter(|(a, b)| a != b) {
        network.routing.route(a, b, &mut route)?;
        let crosses = |set: &Vec<u32>| route.iter().any(|(l, _)| set.contains(&l.0));
        let mask = (0..).zip(sets).fold(0u64, |mask, (i, set)| mask | u64::from(crosses(set)) << i);
        if mask != 0 {
            let alike = ways.entry(mask).or_default();
            if alike.len() < ALIKE {
                alike.push(Way { ends: (a, b), links: route.iter().map(|(l, _)| l.0).collect() });
            }
        }
    }
    Ok(ways)
}

/// The way, free of busy hosts and links, that tells most pairs of sets apart; none where none tells any.
fn best<'a>(
    ways: &'a BTreeMap<u64, Vec<Way>>,
    class: &[u64],
    busy: &FxHashSet<VertexId>,
    taken: &FxHashSet<u32>,
) -> Option<(u64, &'a Way)> {
    let free =
        |w: &&Way| !busy.contains(&w.ends.0) && !busy.contains(&w.ends.1) && !w.links.iter().any(|l| taken.contains(l));
    let mut best: Option<(u64, u64, &Way)> = None;
    for (&mask, alike) in ways {
        let told = apart(mask, class);
        if told > best.map_or(0, |b| b.0)
            && let Some(way) = alike.iter().find(free)
        {
            best = Some((told, mask, way));
        }
    }
    best.map(|(_, mask, way)| (mask, way))
}

/// Pairs of sets of one class of which a way crosses one.
fn apart(mask: u64, class: &[u64]) -> u64 {
    let mut sizes: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
    for (i, c) in class.iter().enumerate() {
        sizes.entry(*c).or_default()[(mask >> i & 1) as usize] += 1;
    }
    sizes.values().map(|[off, on]| off * on).sum()
}
