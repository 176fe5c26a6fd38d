//! What pairs should get, and what limits them.

mod normal;

pub use normal::{Normal, judge};

use crate::flows::Flows;
use crate::names::Names;
use crate::routes::{Assumed, Routes};
use crate::share::{Filling, alone};
use hopline::error::{Error, Place, Result};
use hopline::files::check_room;
use hopline::id::{LinkId, VertexId};
use hopline::plan::Network;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// What pairs should get.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ExpectOutcome {
    /// The fabric.
    pub fabric: String,
    /// Every pair, as the file has them.
    pub pairs: Vec<Expected>,
    /// GB/s of the slowest pair.
    pub slowest_gb_s: f64,
    /// GB/s of all pairs together.
    pub sum_gb_s: f64,
    /// GB/s that nccl-tests would call busbw at the links' rates: of pairs and rings the slowest pair; of an all-to-all what a host
    /// sends to all others where each gets as much as the slowest.
    pub bus_gb_s: f64,
    /// Whether a measured bandwidth is what it should be; null where none was given.
    pub verdict: Option<Normal>,
    /// What was assumed.
    pub notes: Vec<String>,
}

/// What a pair should get.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Expected {
    /// Who sends.
    pub from: Arc<str>,
    /// To whom.
    pub to: Arc<str>,
    /// The round.
    pub round: u32,
    /// GB/s of the pair alone.
    pub alone_gb_s: f64,
    /// GB/s of its max-min fair share in the round.
    pub expected_gb_s: f64,
    /// The link that limits it.
    pub limited_by: Arc<str>,
    /// Flows of the round on that link.
    pub flows_on_it: u32,
}

/// Bytes of memory of a pair of five links (see [`check_room`]).
const PAIR: usize = 180;

/// Most pairs of an all-to-all: of 4,096 hosts, 3 GB.
const MOST_PAIRS: usize = 1 << 24;

/// Two hosts of a round.
struct Pair {
    from: VertexId,
    to: VertexId,
    round: u32,
}

/// The words of `a b`, `a,b`, `a b round` or `round a b`.
fn line<'a>(text: &'a str, known: &dyn Fn(&str) -> bool) -> Option<(&'a str, &'a str, u32)> {
    let words: Vec<&str> = text.split([',', ' ', '\t', ';']).filter(|w| !w.is_empty()).collect();
    match words[..] {
        [a, b] => Some((a, b, 0)),
        [first, b, third] => match (known(first), first.parse(), third.parse()) {
            (true, _, Ok(round)) => Some((first, b, round)),
            (_, Ok(round), _) => Some((b, third, round)),
            _ => None,
        },
        [a, b, _, round, ..] if known(a) => Some((a, b, round.parse().unwrap_or(0))),
        _ => None,
    }
}

/// Whose rates are asked for.
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    /// Lines of two hosts, perhaps with a round; pairs of one round run together, and all do where none is named.
    Pairs {
        /// Where the lines stand.
        path: &'a str,
        /// The lines.
        text: &'a str,
    },
    /// Each host sends to the next, the last to the first, as in a ring allreduce.
    Ring(&'a [String]),
    /// Each host sends to all others at once.
    AllToAll(&'a [String]),
}

/// What each pair of a file should get; as [`expected`] of [`Asked::Pairs`].
///
/// # Errors
/// Those of [`expected`].
pub fn expect(network: &Network, path: &str, text: &str) -> Result<ExpectOutcome> {
    expected(network, &Asked::Pairs { path, text })
}

/// What each pair should get. O(pairs * hops * log).
///
/// # Errors
/// A line is no pair, a host is not in the fabric, two have no way between them, or there are too many.
pub fn expected(network: &Network, asked: &Asked<'_>) -> Result<ExpectOutcome> {
    let names = Names::new(network);
    let pairs = match asked {
        Asked::Pairs { path, text } => lines(network, &names, path, text)?,
        Asked::Ring(hosts) => {
            let ends = ends(network, &names, hosts)?;
            let next = ends.iter().cycle().skip(1);
            ends.iter().zip(next).map(|(&from, &to)| Pair { from, to, round: 0 }).collect()
        }
        Asked::AllToAll(hosts) => {
            let ends = ends(network, &names, hosts)?;
            let count = ends.len() * (ends.len() - 1);
            if count > MOST_PAIRS {
                let text = format!("all of {} hosts to all are {count} pairs, at most {MOST_PAIRS}", ends.len());
                return Err(Error::input(text).hint("name some of the hosts, or give pairs"));
            }
            let all = ends.iter().flat_map(|&from| ends.iter().map(move |&to| Pair { from, to, round: 0 }));
            all.filter(|pair| pair.from != pair.to).collect()
        }
    };
    let flows = flows(network, &names, &pairs)?;
    let rounds = pairs.into_iter().map(|pair| pair.round).collect();
    let mut outcome = outcome(network, &flows, rounds);
    if let Asked::AllToAll(hosts) = asked {
        outcome.bus_gb_s *= hosts.len() as f64 - 1.0;
    }
    Ok(outcome)
}

/// Where hosts are that all run together.
fn ends(network: &Network, names: &Names, hosts: &[String]) -> Result<Vec<VertexId>> {
    let strange = |why: String| Error::input(why).hint("`hopline fabric show --hosts` lists its hosts");
    if hosts.len() < 2 {
        return Err(Error::input(format!("{} host: expected at least two", hosts.len())));
    }
    let mut seen = FxHashSet::default();
    let end = |host: &String| match names.host(host) {
        None => Err(strange(format!("{} has no host `{host}`", network.fabric.name()))),
        Some(v) if !seen.insert(v) => Err(Error::input(format!("host `{host}` stands twice in the list"))),
        Some(v) => Ok(v),
    };
    hosts.iter().map(end).collect()
}

/// The pairs of a file.
fn lines(network: &Network, names: &Names, path: &str, text: &str) -> Result<Vec<Pair>> {
    let written = || (1..).zip(text.lines()).filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let count = written().count();
    check_room(path, text.len(), count, PAIR)?;
    let known = |word: &str| names.host(word).is_some();
    let mut pairs = Vec::with_capacity(count);
    for (n, words) in written() {
        let place = Place::new(path, n);
        if n == 1 && (words.starts_with("src") || words.starts_with("from")) {
            continue;
        }
        let Some((from, to, round)) = line(words, &known) else {
            return Err(Error::input(format!("`{words}`: expected two hosts, and perhaps a round")).at(&place));
        };
        let end = |word: &str| {
            let unknown = || Error::input(format!("{} has no host `{word}`", network.fabric.name())).at(&place);
            names.host(word).ok_or_else(unknown)
        };
        let pair = Pair { from: end(from)?, to: end(to)?, round };
        if pair.from == pair.to {
            return Err(Error::input(format!("`{from}` sends to itself: expected two hosts")).at(&place));
        }
        pairs.push(pair);
    }
    if pairs.is_empty() {
        return Err(Error::input("no pair in it: expected lines of two hosts").at(&Place::new(path, 0)));
    }
    Ok(pairs)
}

/// Their ways; those of a round run together.
fn flows(network: &Network, names: &Names, pairs: &[Pair]) -> Result<Flows> {
    let mut flows = Flows::new(network, pairs.len());
    let mut routes = Routes::new(network, names, Assumed::First);
    let mut rounds: FxHashMap<u32, u32> = FxHashMap::default();
    for pair in pairs {
        let fresh = rounds.len() as u32;
        let round = *rounds.entry(pair.round).or_insert(fresh);
        flows.add(&mut routes, (pair.from, pair.to, None), Some(round))?;
    }
    flows.collect_rounds(rounds.len());
    Ok(flows)
}

fn outcome(network: &Network, flows: &Flows, rounds: Vec<u32>) -> ExpectOutcome {
    let fabric = &network.fabric;
    let rates = flows.rates(&vec![1.0; flows.links()], &mut Filling::new(flows.links()));
    let mut load: Vec<FxHashMap<u32, (f64, u32)>> = vec![Default::default(); flows.rounds.len()];
    for (round, own) in flows.rounds.iter().enumerate() {
        for &f in own {
            for &(l, share) in flows.way(f) {
                let cell = load[round].entry(l).or_default();
                *cell = (cell.0 + rates[f as usize] * f64::from(share), cell.1 + 1);
            }
        }
    }
    // Hosts and links come again in thousands of pairs.
    let (mut ends, mut links) = (FxHashMap::default(), FxHashMap::default());
    let mut end = |v| Arc::clone(ends.entry(v).or_insert_with(|| fabric.vertex_name(v).into()));
    let mut link = |l| Arc::clone(links.entry(l).or_insert_with(|| fabric.link_name(LinkId(l)).into()));
    let mut pairs = Vec::with_capacity(flows.flows.len());
    for ((f, flow), own) in flows.flows.iter().enumerate().zip(rounds) {
        let on = |l: u32| flow.round.and_then(|r| load[r as usize].get(&l)).copied().unwrap_or((0.0, 1));
        // The fullest link on the way; the one with most flows where several are full.
        let fullness = |l: u32| ((on(l).0 / flows.capacity(l) * 1e6).round() as i64, on(l).1);
        let limit = flows.way(f as u32).iter().map(|(l, _)| *l).max_by_key(|l| (fullness(*l), std::cmp::Reverse(*l)));
        pairs.push(Expected {
            from: end(flow.source),
            to: end(flow.target),
            round: own,
            alone_gb_s: alone(flows.way(f as u32), |l| flows.capacity(l)),
            expected_gb_s: rates[f],
            limited_by: limit.map_or_else(|| "".into(), &mut link),
            flows_on_it: limit.map_or(0, |l| on(l).1),
        });
    }
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    ExpectOutcome {
        fabric: fabric.name().to_string(),
        slowest_gb_s: slowest,
        bus_gb_s: slowest,
        verdict: None,
        sum_gb_s: rates.iter().sum(),
        pairs,
        notes: vec!["max-min fair shares of the links' rates; programs usually see 90 to 97 % of them".to_string()],
    }
}
