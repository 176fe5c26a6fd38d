//! Rounds of pairs to measure: disjoint pairs whose ways fill links without sharing them.

mod splitting;

use crate::flows::capacities;
use crate::names::Names;
use crate::share::alone;
use hopline::demand::{FlowBlock, Flows as Demands};
use hopline::error::{Error, Place, Result};
use hopline::fabric::Role;
use hopline::files::check_values;
use hopline::id::{HostId, LinkId, VertexId};
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::routing::Route;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(crate) use splitting::{Splitting, splitting};

/// Up to so many hosts all pairs are looked at.
const ALL_PAIRS: usize = 700;
/// Partners of each host that are looked at beyond.
const PARTNERS: usize = 360;
/// Orders of pairs are tried until so many pairs were looked at, and at most so many orders.
const TRIED: usize = 200_000;
const MOST_TRIES: usize = 64;
/// A link counts as crossed where its load fills so much of it.
const FILLED: f64 = 0.95;

/// What a plan is to reach.
#[derive(Debug, Clone)]
pub struct PlanOptions {
    /// The hosts that may measure; all where there are none.
    pub hosts: Vec<String>,
    /// How often every link is to be crossed.
    pub crossings: u32,
    /// Part of the links after which to stop, 0 to 1.
    pub stop: f64,
    /// Most rounds.
    pub rounds: u32,
    /// Seed of the order in which pairs are looked at.
    pub seed: u64,
}

/// Rounds of pairs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlanOutcome {
    /// The fabric.
    pub fabric: String,
    /// Rounds, each of disjoint pairs; both directions of a pair run.
    pub rounds: Vec<Vec<(String, String)>>,
    /// Hosts that measure.
    pub hosts: Vec<String>,
    /// How often every link is to be crossed.
    pub crossings: u32,
    /// Directed links that the hosts' routes use.
    pub links: u32,
    /// Of those: crossed as often as asked for.
    pub covered: u32,
    /// Some of those that are not, by name.
    pub left: Vec<String>,
    /// What was assumed.
    pub notes: Vec<String>,
}

struct Pair {
    ends: (u32, u32),
    /// Links of both directions with the rate that a lone pair gives each.
    links: Vec<(u32, f32)>,
}

/// Proposes rounds: the fewest of those that some orders of pairs give. Small machines: O(pairs * hops * log) for each; above 700
/// hosts a sample of pairs is looked at.
///
/// # Errors
/// A host is not in the fabric, there are fewer than two, or two have no way between them.
pub fn plan(network: &Network, options: &PlanOptions) -> Result<PlanOutcome> {
    let hosts = measuring(network, &options.hosts)?;
    let capacity = capacities(network);
    let used = used_links(network, &hosts, capacity.len())?;
    let mut rng = Rng::new(options.seed, "blame plan");
    let mut pairs = pairs(network, &hosts, &capacity, &mut rng)?;
    // What has no rate cannot be filled.
    let used: Vec<bool> = used.iter().zip(&capacity).map(|(used, rate)| *used && rate.is_finite()).collect();
    let wanted: Vec<u32> = used.iter().map(|u| if *u { options.crossings } else { 0 }).collect();
    let links = used.iter().filter(|u| **u).count();
    let tries = (TRIED / pairs.len().max(1)).clamp(1, MOST_TRIES);
    let mut best: Option<Rounds> = None;
    for _ in 0..tries {
        rng.shuffle(&mut pairs);
        let found = all_rounds(&pairs, &wanted, links, &capacity, hosts.len(), options);
        if best.as_ref().is_none_or(|best| found.is_better(best)) {
            best = Some(found);
        }
        // No link is filled twice in a round.
        if best.as_ref().is_some_and(|b| b.missing == 0 && b.rounds.len() == options.crossings as usize) {
            break;
        }
    }
    let Rounds { rounds, need, missing, .. } = best.unwrap_or_default();
    let name = |v: VertexId| host_name(network, v);
    let told = |round: Vec<(u32, u32)>| {
        round.into_iter().map(|(a, b)| (name(hosts[a as usize]), name(hosts[b as usize]))).collect()
    };
    let left: Vec<u32> = (0..need.len() as u32).filter(|l| need[*l as usize] > 0).collect();
    let mut notes = several_adapters(network, &hosts);
    if hosts.len() > ALL_PAIRS {
        notes.push(format!("{PARTNERS} partners of each host were looked at, not all pairs"));
    }
    Ok(PlanOutcome {
        fabric: network.fabric.name().to_string(),
        rounds: rounds.into_iter().map(told).collect(),
        hosts: hosts.iter().map(|v| name(*v)).collect(),
        crossings: options.crossings,
        links: links as u32,
        covered: (links - missing) as u32,
        left: left.iter().take(1000).map(|l| network.fabric.link_name(LinkId(*l))).collect(),
        notes,
    })
}

/// Rounds of pairs by the numbers of their hosts, and what they leave.
#[derive(Default)]
struct Rounds {
    rounds: Vec<Vec<(u32, u32)>>,
    /// Crossings that each link still needs.
    need: Vec<u32>,
    /// Links that need some.
    missing: usize,
    /// Whether it is as many as was asked for.
    enough: bool,
}

impl Rounds {
    fn is_better(&self, than: &Rounds) -> bool {
        let pairs = |r: &Rounds| r.rounds.iter().map(Vec::len).sum::<usize>();
        let rank = |r: &Rounds| match r.enough {
            true => (0, r.rounds.len(), r.missing, pairs(r)),
            false => (1, r.missing, r.rounds.len(), pairs(r)),
        };
        rank(self) < rank(than)
    }
}

/// Round after round until what is asked for is covered, or nothing more can be.
fn all_rounds(
    pairs: &[Pair],
    wanted: &[u32],
    links: usize,
    capacity: &[f64],
    hosts: usize,
    options: &PlanOptions,
) -> Rounds {
    let mut need = wanted.to_vec();
    let mut open: Vec<u32> = (0..pairs.len() as u32).collect();
    let mut rounds = Vec::new();
    let missing = |need: &[u32]| need.iter().filter(|n| **n > 0).count();
    let enough = |missing: usize| (links - missing) as f64 >= options.stop * links as f64;
    while rounds.len() < options.rounds as usize && !enough(missing(&need)) {
        let before: u64 = need.iter().map(|n| u64::from(*n)).sum();
        let round = one_round(pairs, &mut open, &mut need, capacity, hosts);
        if before == need.iter().map(|n| u64::from(*n)).sum::<u64>() {
            break;
        }
        // A pair that runs twice tells no more of its links apart than once.
        open.retain(|p| round.binary_search(p).is_err());
        rounds.push(round.into_iter().map(|p| pairs[p as usize].ends).collect());
    }
    let missing = missing(&need);
    Rounds { rounds, need, missing, enough: enough(missing) }
}

/// The rounds that an answer (`hopline blame --format json`) asks for.
///
/// # Errors
/// The text is no such answer, or names a host that the fabric lacks.
pub fn follow_up(network: &Network, path: &str, text: &str) -> Result<PlanOutcome> {
    let wrong = |what: String| {
        Error::input(what).at(&Place::new(path, 0)).hint("write it with `hopline blame ... --format json`")
    };
    check_values(path, text)?;
    let answer: serde_json::Value = serde_json::from_str(text).map_err(|e| wrong(format!("not JSON: {e}")))?;
    if let Some(form) = answer["schema"].as_str().filter(|form| *form != "hopline/blame/1") {
        let version = answer["version"].as_str().unwrap_or("another version");
        return Err(wrong(format!("in the form `{form}` of Hopline {version}, expected `hopline/blame/1`")));
    }
    let rounds: Vec<Vec<(String, String)>> =
        serde_json::from_value(answer["next"].clone()).map_err(|_| wrong("no rounds under `next`".to_string()))?;
    let mut hosts: Vec<String> = rounds.iter().flatten().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    hosts.sort();
    hosts.dedup();
    if hosts.is_empty() {
        return Err(wrong("it asks for no further measurement".to_string()));
    }
    let ends = measuring(network, &hosts)?;
    let links = used_links(network, &ends, network.fabric.links())?.iter().filter(|u| **u).count() as u32;
    let notes = vec!["only what tells the suspects of that answer apart, not all links".to_string()];
    let fabric = network.fabric.name().to_string();
    Ok(PlanOutcome { fabric, rounds, hosts, crossings: 1, links, covered: 0, left: Vec::new(), notes })
}

fn host_name(network: &Network, v: VertexId) -> String {
    let hosts = network.fabric.hosts();
    let host = hosts.owner(v).filter(|h| hosts.endpoints(*h).first() == Some(&v));
    host.map_or(network.fabric.vertex_name(v), |h| hosts.name(h)).to_string()
}

/// The endpoints that measure.
fn measuring(network: &Network, given: &[String]) -> Result<Vec<VertexId>> {
    let hosts = network.fabric.hosts();
    let found: Vec<VertexId> = if given.is_empty() {
        // Those that manage the fabric run nothing unless they are named.
        let serving = network.fabric.serving();
        let manages = |host: HostId| serving.iter().any(|one| one.host == host && one.role == Role::Management);
        let all = (0..hosts.len()).map(HostId).filter(|h| hosts.slot_count(*h) > 0 && !manages(*h));
        all.filter_map(|h| hosts.endpoints(h).first().copied()).collect()
    } else {
        let names = Names::new(network);
        let find = |word: &String| {
            names.host(word).ok_or_else(|| Error::input(format!("{} has no host `{word}`", network.fabric.name())))
        };
        given.iter().map(find).collect::<Result<_>>()?
    };
    if found.len() < 2 {
        return Err(Error::input(format!("{} host: expected at least two, which measure as a pair", found.len())));
    }
    Ok(found)
}

/// What people should know of hosts with several adapters, of which a pair of hosts measures one.
fn several_adapters(network: &Network, measuring: &[VertexId]) -> Vec<String> {
    let hosts = network.fabric.hosts();
    let several = |v: &&VertexId| hosts.owner(**v).is_some_and(|host| hosts.endpoints(host).len() > 1);
    let count = measuring.iter().filter(several).count();
    let text = format!(
        "{count} hosts have several adapters, and these rounds are of one of each, the first where --hosts names none: name others there \
         for rounds of their own, and have the benchmark use them (UCX_NET_DEVICES, or its -d)"
    );
    if count > 0 { vec![text] } else { Vec::new() }
}

/// Which links any route between the hosts uses.
fn used_links(network: &Network, hosts: &[VertexId], links: usize) -> Result<Vec<bool>> {
    let side: Vec<(VertexId, u32)> = {
        let mut sorted = hosts.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.into_iter().map(|v| (v, 1)).collect()
    };
    let block = FlowBlock { sources: side.clone(), targets: side, amount: 1.0 };
    let mut loads = vec![0.0; links];
    network.routing.load(&Demands { entries: Vec::new(), blocks: vec![block], ..Demands::default() }, &mut loads)?;
    Ok(loads.iter().map(|l| *l > 0.0).collect())
}

fn pairs(network: &Network, hosts: &[VertexId], capacity: &[f64], rng: &mut Rng) -> Result<Vec<Pair>> {
    let n = hosts.len();
    let mut ends: Vec<(u32, u32)> = Vec::new();
    if n <= ALL_PAIRS {
        ends.extend((0..n as u32).flat_map(|a| (a + 1..n as u32).map(move |b| (a, b))));
    } else {
        let mut seen = FxHashSet::default();
        for a in 0..n as u32 {
            for _ in 0..PARTNERS / 2 {
                let b = rng.below(n as u64) as u32;
                if a != b && seen.insert((a.min(b), a.max(b))) {
                    ends.push((a.min(b), a.max(b)));
                }
            }
        }
    }
    let mut route = Route::new();
    let mut pairs = Vec::with_capacity(ends.len());
    for (a, b) in ends {
        let mut links = Vec::with_capacity(16);
        for (from, to) in [(a, b), (b, a)] {
            network.routing.route(hosts[from as usize], hosts[to as usize], &mut route)?;
            let way: Vec<(u32, f32)> = route.iter().map(|(l, share)| (l.0, *share as f32)).collect();
            let rate = alone(&way, |l| capacity[l as usize]);
            let limited = way.iter().filter(|(l, _)| rate.is_finite() && capacity[*l as usize].is_finite());
            links.extend(limited.map(|(l, share)| (*l, (rate * f64::from(*share)) as f32)));
        }
        pairs.push(Pair { ends: (a, b), links });
    }
    Ok(pairs)
}

/// How much a pair adds, in links that still need it.
fn worth(pair: &Pair, need: &[u32], capacity: &[f64]) -> u32 {
    let part = |&(l, rate): &(u32, f32)| match need[l as usize] {
        0 => 0.0,
        _ => (f64::from(rate) / capacity[l as usize]).min(1.0) * 100.0,
    };
    pair.links.iter().map(part).sum::<f64>() as u32
}

/// A round of pairs that share no host and overload no link; pairs that add nothing any more leave `open`.
fn one_round(pairs: &[Pair], open: &mut Vec<u32>, need: &mut [u32], capacity: &[f64], hosts: usize) -> Vec<u32> {
    let mut heap: BinaryHeap<(u32, Reverse<u32>)> = open
        .iter()
        .map(|&p| (worth(&pairs[p as usize], need, capacity), Reverse(p)))
        .filter(|(worth, _)| *worth > 0)
        .collect();
    *open = heap.iter().map(|(_, Reverse(p))| *p).collect();
    open.sort_unstable();
    let (mut busy, mut load) = (vec![false; hosts], vec![0.0f64; need.len()]);
    let mut round = Vec::new();
    while let Some((told, Reverse(p))) = heap.pop() {
        let pair = &pairs[p as usize];
        let (a, b) = (pair.ends.0 as usize, pair.ends.1 as usize);
        let fits = |&(l, rate): &(u32, f32)| load[l as usize] + f64::from(rate) <= capacity[l as usize] * 1.001;
        if busy[a] || busy[b] || !pair.links.iter().all(fits) {
            continue;
        }
        let now = worth(pair, need, capacity);
        if now < told {
            if now > 0 {
                heap.push((now, Reverse(p)));
            }
            continue;
        }
        (busy[a], busy[b]) = (true, true);
        for &(l, rate) in &pair.links {
            let (at, full) = (l as usize, FILLED * capacity[l as usize]);
            let before = load[at];
            load[at] += f64::from(rate);
            if before < full && load[at] >= full {
                need[at] = need[at].saturating_sub(1);
            }
        }
        round.push(p);
    }
    round.sort_unstable();
    round
}
