//! Bounds beside the usual algorithms on the routes of a machine.

use crate::algorithm::{Algorithm, MOST_PAIRS, algorithms};
use crate::bound::{Bound, bound, worst};
use crate::boxes::boxes;
use crate::concurrent::{Concurrent, MOST_RANKS_OF_FLOWS, above};
use crate::latency;
use crate::network::{Link, Network};
use crate::operation::{Operation, Switches};
use crate::order::optimised;
use crate::outcome::{
    BoundOutcome, Crossed, Limiting, OnRoutes, Programmed, Proven, Sized, Tables, Tried, WeightedSet,
};
use crate::relayed;
use crate::routed::{Routed, Routes};
use crate::tables::{MOST_RANKS, on_tables};
use crate::trees::trees;
use crate::verdict::verdict;
use hopline::error::{Error, Result};
use hopline::id::SlotId;
use hopline::plan::Network as Machine;

/// A flow is not exact where what is known of it is farther from its proof.
const EXACT: f64 = 1e-6;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The operation.
    pub operation: Operation,
    /// Its root, where it has one.
    pub root: u32,
    /// Sizes in bytes, as the operation counts them.
    pub sizes: &'a [u64],
    /// What switches do beside passing on.
    pub switches: Switches,
    /// A better order of the ranks for each algorithm, too: so many changes that are tried, and the seed of their choice.
    pub orders: Option<(u64, u64)>,
}

/// A network that no routing takes, since its links may have one direction: its bound, and the usual algorithms along
/// shortest ways ([`Routes::shortest`]), where there is one from each rank to each other.
///
/// # Errors
/// As [`bound`]; a root that is no rank.
pub fn compare_one_way(name: &str, network: &Network, asked: &Asked<'_>) -> Result<BoundOutcome> {
    let mut routes = Routes::shortest(network);
    // Ranks pass messages on: all meet where each meets the first.
    let mut all = (1..routes.ranks()).flat_map(|rank| [(0, rank), (rank, 0)]);
    let apart = all.find_map(|(from, to)| routes.of(from, to).err());
    let (routed, note) = match apart {
        None => {
            let ways = "messages take the shortest ways along them, over each next link the same where several are as near (ECMP)";
            (Some((routes, 0.0)), format!("links of one direction: {ways}"))
        }
        Some(apart) => (None, format!("links of one direction: {apart}, so that no algorithm is looked at")),
    };
    let mut found = outcome(name, network, asked, routed)?;
    found.notes.push(note);
    Ok(found)
}

/// The bound of an operation among ranks in these slots of a machine, and the usual algorithms on its routes.
///
/// # Errors
/// As [`bound`]; a root that is no rank; ranks without a way between them.
pub fn compare(machine: &Machine, slots: &[SlotId], asked: &Asked<'_>) -> Result<BoundOutcome> {
    let network = Network::of_fabric(&machine.fabric, slots)?;
    let root = asked.operation.has_root().then_some(asked.root);
    let latency_s = latency::least(&machine.fabric, slots, root);
    let routed = Some((Routes::new(&*machine.routing, slots), latency_s));
    let mut found = outcome(machine.fabric.name(), &network, asked, routed)?;
    found.routing = Some(machine.routing_params.spec());
    Ok(found)
}

fn outcome(
    name: &str,
    network: &Network,
    asked: &Asked<'_>,
    routed: Option<(Routes<'_>, f64)>,
) -> Result<BoundOutcome> {
    let Asked { operation, root, switches, .. } = *asked;
    let n = network.size() as u32;
    if root >= n {
        return Err(Error::argument("root", format!("root {root} is none of {n} ranks")));
    }
    if asked.sizes.contains(&0) {
        return Err(Error::argument("size", "0 bytes take no time"));
    }
    let mut notes = Vec::new();
    let mut least = bound(network, operation, root as usize, switches)?;
    let flow = if operation == Operation::Alltoall { above(network, Some(&least))? } else { None };
    if let Some(worse) = flow.as_ref().and_then(|flow| worst(network, flow.near(network))) {
        least = if worse.is_above(&least) { worse } else { least };
    }
    least.check(network, operation, root as usize)?;
    let program = programmed(network, asked, &least, flow.as_ref(), &mut notes)?;
    let (mut per_gb, mut kind) = (least.seconds_per_gb(), least.kind());
    if let Some(program) = program.as_ref().filter(|program| program.of_bound > 1.0 + EXACT) {
        (per_gb, kind) = (program.seconds_per_gb, if program.kind == "flow" { "flow" } else { "trees" });
    }
    let (mut on_routes, mut tables, mut latency_s) = (Vec::new(), None, 0.0);
    if let Some((mut routes, own)) = routed {
        latency_s = own;
        on_routes = tried(&mut routes, network, asked, per_gb, &least)?;
        let free = flow.as_ref().map(|flow| (network, flow));
        tables = on_given_routes(&mut routes, asked, &on_routes, (per_gb, free), &mut notes)?;
        if n > MOST_PAIRS && operation.joins_all_pairs() {
            notes.push(format!(
                "algorithms in which all pairs of ranks meet are looked at for up to {MOST_PAIRS} ranks"
            ));
        }
        if on_routes.iter().all(|a| a.latency_s == 0.0) {
            notes.push("links of this fabric have no latency: small messages take longer than is said here".into());
        }
    }
    let words = [("copy", switches.copy), ("reduce", switches.reduce)];
    let sized = |&bytes: &u64| at_size(bytes, (per_gb, kind), latency_s, &on_routes, tables.as_ref());
    Ok(BoundOutcome {
        fabric: name.to_string(),
        routing: None,
        operation: operation.name().to_string(),
        size_of: operation.unit().to_string(),
        ranks: n,
        root: operation.has_root().then_some(root),
        verdict: verdict(operation, per_gb, &on_routes, tables.as_ref()),
        switches: words.into_iter().filter(|word| word.1).map(|word| word.0.to_string()).collect(),
        bound: proven(network, operation, &least),
        program,
        latency_s,
        sizes: asked.sizes.iter().map(sized).collect(),
        tables,
        algorithms: on_routes,
        notes,
    })
}

/// Says so where a search ended before what it proves and what it reached were one.
fn inexact(what: &str, proven: f64, reached: f64) -> Option<String> {
    let text = || format!("{what} was not found exactly: its least time is {proven:.6} to {reached:.6} s per GB");
    (reached > proven * (1.0 + EXACT)).then(text)
}

/// What a linear program proves, checked without it.
fn programmed(
    network: &Network,
    asked: &Asked<'_>,
    least: &Bound,
    flow: Option<&Concurrent>,
    notes: &mut Vec<String>,
) -> Result<Option<Programmed>> {
    let of_bound = |seconds: f64| seconds / least.seconds_per_gb();
    let unbalanced = network.unbalanced();
    if let Some(switch) = unbalanced {
        notes.push(format!(
            "`{switch}` gives out another bandwidth than it takes in: what a cut promises may need switches that copy"
        ));
    }
    match asked.operation {
        Operation::Alltoall => {
            let Some(found) = flow else {
                let worst =
                    "the bound of all-to-all is the worst of the sets that were looked at, there may be worse ones";
                notes.push(format!(
                    "{worst}: the flow of all pairs is worked out for up to {MOST_RANKS_OF_FLOWS} ranks"
                ));
                return Ok(None);
            };
            let (seconds_per_gb, reached) = (found.check(network)?, found.reached_seconds_per_gb());
            notes.extend(inexact("the flow of all pairs", seconds_per_gb, reached));
            let gb_s = |link: usize| network.links()[link].bytes_s.map(|bytes| bytes as f64 / 1e9);
            let priced = |(k, part): (usize, f64)| Limiting { link: network.link_name(k), gb_s: gb_s(k), part };
            Ok(Some(Programmed {
                kind: "flow".into(),
                seconds_per_gb,
                of_bound: of_bound(seconds_per_gb),
                reached_seconds_per_gb: Some(reached),
                switches_reduce_and_copy_seconds_per_gb: None,
                limiting: found.dearest(network).into_iter().map(priced).collect(),
                phases: Vec::new(),
            }))
        }
        Operation::Allreduce | Operation::Allgather | Operation::ReduceScatter => {
            let is_all = asked.operation == Operation::Allreduce;
            if !is_all && (unbalanced.is_none() || asked.switches.help(asked.operation)) {
                return Ok(None);
            }
            let Some(found) = trees(network, asked.operation, asked.switches)? else {
                notes.push("the linear program of trees is larger than is solved here: the bound may be low".into());
                return Ok(None);
            };
            let seconds_per_gb = found.check(network, asked.operation, asked.switches)?;
            let able = Switches { copy: true, reduce: true };
            let aided = match asked.switches == able {
                true => Some(seconds_per_gb),
                false => trees(network, asked.operation, able)?
                    .map(|trees| trees.check(network, asked.operation, able))
                    .transpose()?,
            };
            if is_all && of_bound(seconds_per_gb) > 1.0 + EXACT {
                notes.push(
                    "the bound is of schedules that add up along trees and spread along trees; that no other is faster is not proven"
                        .into(),
                );
            }
            Ok(Some(Programmed {
                kind: "trees".into(),
                seconds_per_gb,
                of_bound: of_bound(seconds_per_gb),
                reached_seconds_per_gb: None,
                switches_reduce_and_copy_seconds_per_gb: aided,
                limiting: Vec::new(),
                phases: found.told(network),
            }))
        }
        _ => Ok(None),
    }
}

/// The usual algorithms on the routes, in both orders where that is asked for.
fn tried(
    routes: &mut Routes<'_>,
    network: &Network,
    asked: &Asked<'_>,
    per_gb: f64,
    least: &Bound,
) -> Result<Vec<OnRoutes>> {
    let Asked { operation, root, orders, .. } = *asked;
    let crossed: Vec<(u32, u32)> = least
        .border()
        .into_iter()
        .flat_map(|border| border.crossing(network))
        .map(|link| (link.from, link.to))
        .collect();
    let mut found = Vec::new();
    for algorithm in algorithms(operation, routes.ranks(), root, &boxes(network)) {
        let routed = routes.time(&algorithm)?;
        found.push(on_routes(&algorithm, None, &routed, per_gb, routes, &crossed));
        if let Some((changes, seed)) = orders {
            let better = optimised(routes, &algorithm, operation, root, changes, seed)?;
            found.push(on_routes(&algorithm, Some(better.ranks), &better.routed, per_gb, routes, &crossed));
        }
    }
    found.sort_by(|a, b| a.seconds_per_gb.total_cmp(&b.seconds_per_gb));
    Ok(found)
}

fn on_routes(
    algorithm: &Algorithm,
    ranks: Option<Vec<u32>>,
    routed: &Routed,
    bound: f64,
    routes: &Routes<'_>,
    crossed: &[(u32, u32)],
) -> OnRoutes {
    OnRoutes {
        algorithm: algorithm.name.to_string(),
        order: if ranks.is_some() { "optimised" } else { "default" }.to_string(),
        ranks,
        seconds_per_gb: routed.seconds_per_gb,
        of_bound: routed.seconds_per_gb / bound,
        busiest_seconds_per_gb: routed.busiest_seconds_per_gb,
        hottest: routed.hottest.map(|link| routes.link_name(link)),
        tight_links: crossed.len() as u64,
        tight_links_used: routes.used(&routed.busy, crossed),
        steps: routed.steps,
        latency_s: routed.latency_s,
    }
}

/// What the routes cost.
fn on_given_routes(
    routes: &mut Routes<'_>,
    asked: &Asked<'_>,
    on_routes: &[OnRoutes],
    (bound, free): (f64, Option<(&Network, &Concurrent)>),
    notes: &mut Vec<String>,
) -> Result<Option<Tables>> {
    let (operation, n) = (asked.operation, routes.ranks());
    if asked.switches.help(operation) {
        notes.push("what the routes cost is worked out for switches that only pass on".into());
        return Ok(None);
    }
    let named = |routes: &Routes<'_>, dearest: Vec<(hopline::id::LinkId, f64)>| -> Vec<Limiting> {
        let gb_s = |link| routes.bytes_s(link).map(|bytes| bytes as f64 / 1e9);
        dearest
            .into_iter()
            .map(|(link, part)| Limiting { link: routes.link_name(link), gb_s: gb_s(link), part })
            .collect()
    };
    let of = |kind: &str, seconds: f64, limiting, direct| {
        // What holds on any routes holds on these.
        let seconds_per_gb = seconds.max(bound);
        let of_bound = seconds_per_gb / bound;
        Tables {
            kind: kind.into(),
            seconds_per_gb,
            of_bound,
            limiting,
            sets: Vec::new(),
            direct_seconds_per_gb: direct,
        }
    };
    match operation {
        Operation::Allgather | Operation::ReduceScatter => {
            let is_turned = operation == Operation::ReduceScatter;
            let Some(found) = on_tables(routes, n, is_turned)? else {
                if n > MOST_RANKS {
                    notes.push(format!("what the routes cost is worked out for up to {MOST_RANKS} ranks"));
                }
                return Ok(None);
            };
            let seconds = found.check(routes, n, is_turned)?;
            notes.extend(inexact("what the routes cost", seconds, found.reached_seconds_per_gb()));
            let sets = found.weighted_sets().map(|(ranks, weight)| WeightedSet { ranks, weight }).collect();
            Ok(Some(Tables { sets, ..of("relayed", seconds, named(routes, found.dearest()), None) }))
        }
        Operation::Alltoall => {
            let all = on_routes.iter().find(|a| a.algorithm == "at-once" && a.order == "default");
            let Some(direct) = all else {
                notes.push(format!("what the routes cost is worked out for up to {MOST_PAIRS} ranks"));
                return Ok(None);
            };
            let seconds = direct.seconds_per_gb;
            Ok(Some(match relayed::above(routes, n, free)? {
                Some(found) => {
                    let (least, reached) = (found.check(routes, n)?, found.reached_seconds_per_gb());
                    notes.extend(inexact("what the routes cost", least, reached));
                    of("relayed", least, named(routes, found.dearest(routes)), Some(seconds))
                }
                None => {
                    if n > MOST_RANKS {
                        let relays = format!("with ranks that pass on it is worked out for up to {MOST_RANKS} ranks");
                        notes.push(format!("what the routes cost is of direct messages alone: {relays}"));
                    }
                    let hottest =
                        direct.hottest.iter().map(|link| Limiting { link: link.clone(), gb_s: None, part: 1.0 });
                    of("direct", seconds, hottest.collect(), Some(seconds))
                }
            }))
        }
        _ => Ok(None),
    }
}

fn at_size(
    bytes: u64,
    (per_gb, kind): (f64, &str),
    latency_s: f64,
    on_routes: &[OnRoutes],
    tables: Option<&Tables>,
) -> Sized {
    let size = bytes as f64 / 1e9;
    let (bound_s, kind) = if latency_s > per_gb * size { (latency_s, "latency") } else { (per_gb * size, kind) };
    let of = |a: &OnRoutes| {
        let time_s = a.seconds_per_gb * size + a.latency_s;
        Tried { algorithm: a.algorithm.clone(), order: a.order.clone(), time_s, of_bound: time_s / bound_s }
    };
    let mut tried: Vec<Tried> = on_routes.iter().map(of).collect();
    tried.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    let bound_tables_s = tables.map(|tables| (tables.seconds_per_gb * size).max(latency_s));
    Sized { bytes, bound_s, bound_kind: kind.into(), bound_tables_s, tried }
}

fn proven(network: &Network, operation: Operation, least: &Bound) -> Proven {
    let gb = |bytes_s: u64| bytes_s as f64 / 1e9;
    let crossed = |l: Link| Crossed {
        from: network.name(l.from).to_string(),
        to: network.name(l.to).to_string(),
        gb_s: gb(l.bytes_s.unwrap_or(0)),
    };
    let border = least.border();
    let out = border.map(|border| border.left_out(network).map(|rank| network.name(rank).to_string()).collect());
    let links = border.map(|border| border.crossing(network).map(crossed).collect());
    let (a, b) = least.fraction();
    let whole = matches!(operation, Operation::Allgather | Operation::ReduceScatter);
    Proven {
        kind: least.kind().to_string(),
        seconds_per_gb: least.seconds_per_gb(),
        fraction: if b == 1 { a.to_string() } else { format!("{a}/{b}") },
        algbw_gb_s: if whole { network.size() as f64 } else { 1.0 } / least.seconds_per_gb(),
        left_out: out.unwrap_or_default(),
        pieces: least.pieces(),
        links: links.unwrap_or_default(),
        sum_gb_s: gb(least.bytes_s()),
    }
}
