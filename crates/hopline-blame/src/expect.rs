//! What pairs should get, and what limits them.

mod normal;

pub use normal::{Normal, judge};

use crate::flows::{Flows, gather};
use crate::measured::{Batch, End, Quantity, Sample};
use crate::names::Names;
use crate::routes::Assumed;
use crate::samples::Samples;
use crate::share::{Filling, alone};
use hopline::error::{Error, Place, Result};
use hopline::id::LinkId;
use hopline::plan::Network;
use schemars::JsonSchema;
use serde::Serialize;

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
    pub from: String,
    /// To whom.
    pub to: String,
    /// The round.
    pub round: u32,
    /// GB/s of the pair alone.
    pub alone_gb_s: f64,
    /// GB/s of its max-min fair share in the round.
    pub expected_gb_s: f64,
    /// The link that limits it.
    pub limited_by: String,
    /// Flows of the round on that link.
    pub flows_on_it: u32,
}

/// A line of a file of pairs.
struct Line {
    from: String,
    to: String,
    round: u32,
}

/// Reads `a b`, `a,b`, `a b round` or `round a b`.
fn line(text: &str, known: &dyn Fn(&str) -> bool) -> Option<Line> {
    let words: Vec<&str> = text.split([',', ' ', '\t', ';']).filter(|w| !w.is_empty()).collect();
    let own = |a: &str, b: &str, round: u32| Some(Line { from: a.to_string(), to: b.to_string(), round });
    match words[..] {
        [a, b] => own(a, b, 0),
        [first, b, third] => match (known(first), first.parse(), third.parse()) {
            (true, _, Ok(round)) => own(first, b, round),
            (_, Ok(round), _) => own(b, third, round),
            _ => None,
        },
        [a, b, _, round, ..] if known(a) => own(a, b, round.parse().unwrap_or(0)),
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
/// A line is no pair, a host is not in the fabric, or two have no way between them.
pub fn expected(network: &Network, asked: &Asked<'_>) -> Result<ExpectOutcome> {
    let names = Names::new(network);
    let mut batch = Batch { format: "pairs", ..Batch::default() };
    batch.samples = match asked {
        Asked::Pairs { path, text } => lines(network, &names, path, text)?,
        Asked::Ring(hosts) => {
            let next = hosts.iter().cycle().skip(1);
            together(network, &names, hosts, hosts.iter().zip(next))?
        }
        Asked::AllToAll(hosts) => {
            let all = hosts.iter().flat_map(|a| hosts.iter().map(move |b| (a, b))).filter(|(a, b)| a != b);
            together(network, &names, hosts, all)?
        }
    };
    let rounds: Vec<u32> = batch.samples.iter().flat_map(|s| s.rounds.iter().copied()).collect();
    let flows = gather(network, &names, &[batch], (false, Assumed::First))?;
    let mut outcome = outcome(network, &flows, &rounds);
    if let Asked::AllToAll(hosts) = asked {
        outcome.bus_gb_s *= hosts.len() as f64 - 1.0;
    }
    Ok(outcome)
}

/// Pairs of hosts that all run together.
fn together<'a>(
    network: &Network,
    names: &Names,
    hosts: &[String],
    pairs: impl Iterator<Item = (&'a String, &'a String)>,
) -> Result<Samples> {
    let strange = |why: String| Error::input(why).hint("`hopline fabric show --hosts` lists its hosts");
    if hosts.len() < 2 {
        return Err(Error::input(format!("{} host: expected at least two", hosts.len())));
    }
    let mut seen = rustc_hash::FxHashSet::default();
    for host in hosts {
        match names.host(host) {
            None => return Err(strange(format!("{} has no host `{host}`", network.fabric.name()))),
            Some(v) if !seen.insert(v) => return Err(Error::input(format!("host `{host}` stands twice in the list"))),
            Some(_) => {}
        }
    }
    let end = |host: &String| End::Name(host.clone());
    let sample = |(a, b)| Sample {
        pairs: vec![(end(a), end(b))],
        rounds: vec![0],
        value: Some(1.0),
        kind: Quantity::OneWay,
        line: 0,
    };
    Ok(pairs.map(sample).collect())
}

/// The pairs of a file.
fn lines(network: &Network, names: &Names, path: &str, text: &str) -> Result<Samples> {
    let known = |word: &str| names.host(word).is_some();
    let mut samples = Samples::default();
    for (n, words) in (1..).zip(text.lines()).filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#')) {
        let place = Place::new(path, n);
        if n == 1 && (words.starts_with("src") || words.starts_with("from")) {
            continue;
        }
        let Some(Line { from, to, round }) = line(words, &known) else {
            return Err(Error::input(format!("`{words}`: expected two hosts, and perhaps a round")).at(&place));
        };
        if let Some(unknown) = [&from, &to].into_iter().find(|w| !known(w)) {
            return Err(Error::input(format!("{} has no host `{unknown}`", network.fabric.name())).at(&place));
        }
        if from == to {
            return Err(Error::input(format!("`{from}` sends to itself: expected two hosts")).at(&place));
        }
        let pairs = vec![(End::Name(from), End::Name(to))];
        samples.push(Sample { pairs, rounds: vec![round], value: Some(1.0), kind: Quantity::OneWay, line: n });
    }
    if samples.is_empty() {
        return Err(Error::input("no pair in it: expected lines of two hosts").at(&Place::new(path, 0)));
    }
    Ok(samples)
}

fn outcome(network: &Network, flows: &Flows, rounds: &[u32]) -> ExpectOutcome {
    let fabric = &network.fabric;
    let rates = flows.rates(&vec![1.0; flows.links()], &mut Filling::new(flows.links()));
    let mut load: Vec<rustc_hash::FxHashMap<u32, (f64, u32)>> = vec![Default::default(); flows.rounds.len()];
    for (round, own) in flows.rounds.iter().enumerate() {
        for &f in own {
            for &(l, share) in flows.way(f) {
                let cell = load[round].entry(l).or_default();
                *cell = (cell.0 + rates[f as usize] * f64::from(share), cell.1 + 1);
            }
        }
    }
    let mut pairs = Vec::new();
    for (f, flow) in flows.flows.iter().enumerate() {
        let on = |l: u32| flow.round.and_then(|r| load[r as usize].get(&l)).copied().unwrap_or((0.0, 1));
        // The fullest link on the way; the one with most flows where several are full.
        let fullness = |l: u32| ((on(l).0 / flows.capacity(l) * 1e6).round() as i64, on(l).1);
        let limit = flows.way(f as u32).iter().map(|(l, _)| *l).max_by_key(|l| (fullness(*l), std::cmp::Reverse(*l)));
        pairs.push(Expected {
            from: fabric.vertex_name(flow.source).to_string(),
            to: fabric.vertex_name(flow.target).to_string(),
            round: rounds.get(f).copied().unwrap_or(0),
            alone_gb_s: alone(flows.way(f as u32), |l| flows.capacity(l)),
            expected_gb_s: rates[f],
            limited_by: limit.map_or_else(String::new, |l| fabric.link_name(LinkId(l))),
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
