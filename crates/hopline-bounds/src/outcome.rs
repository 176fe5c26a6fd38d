//! The answer to "how fast can this collective be here, and how near do the usual algorithms come?".

use crate::algorithm::{MOST_PAIRS, Operation, algorithms};
use crate::bound::{Bound, bound};
use crate::network::{Link, Network};
use crate::routed::{Routed, Routes};
use crate::tables::{MOST_RANKS, on_tables};
use hopline::error::{Error, Result};
use hopline::id::SlotId;
use hopline::plan::Network as Machine;
use schemars::JsonSchema;
use serde::Serialize;

/// Links that limit the routes, most.
const LIMITING: usize = 4;

/// Least time of a collective, and that of the usual algorithms.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BoundOutcome {
    /// The fabric.
    pub fabric: String,
    /// Its routing; null where the fabric has links of one direction, which no routing takes.
    pub routing: Option<String>,
    /// The operation.
    pub operation: String,
    /// What a size counts.
    pub size_of: String,
    /// Number of ranks.
    pub ranks: u32,
    /// What can be said.
    pub verdict: Verdict,
    /// What no schedule can beat, and what proves it.
    pub bound: Proven,
    /// What no schedule can beat on the routes as they are; null where that is not worked out: for other operations than
    /// allgather, reduce-scatter and all-to-all, and for more than 64 ranks.
    pub tables: Option<Tables>,
    /// The usual algorithms on the routes, ranks in the order of their hosts; best first.
    pub algorithms: Vec<OnRoutes>,
    /// One for each size that was asked for.
    pub sizes: Vec<Sized>,
    /// What was assumed or left out.
    pub notes: Vec<String>,
}

/// What can be said.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Verdict {
    /// `optimal`: an algorithm is within 1 % of the bound; `gap`: none is; `bound`: no algorithm was looked at.
    pub kind: String,
    /// The same in a sentence.
    pub sentence: String,
    /// The best algorithm's seconds per GB over the bound's; null where none was looked at.
    pub of_bound: Option<f64>,
}

/// A bound with its certificate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Proven {
    /// `cut`: what the ranks of a set own must leave it (or their results enter it); `separation`: two ranks that links keep apart;
    /// `pairs`: blocks between a set and the others; `volume`: what ranks must send, if only they add up.
    pub kind: String,
    /// Seconds per GB (10^9 bytes) of the size.
    pub seconds_per_gb: f64,
    /// The same, exactly: a fraction in lowest terms.
    pub fraction: String,
    /// GB of data over time, as nccl-tests counts it: of all shards for allgather and reduce-scatter, else of the size.
    pub algbw_gb_s: f64,
    /// The ranks outside the certificate's set; empty for a volume.
    pub left_out: Vec<String>,
    /// Pieces that pass, one for a separation: of a GB each they take the sum of the links' time.
    pub pieces: u64,
    /// The links that they pass.
    pub links: Vec<Crossed>,
    /// What these take together, GB/s.
    pub sum_gb_s: f64,
}

/// Least time on the routes as they are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Tables {
    /// `relayed`: ranks may pass on what they have got; `direct`: every block goes straight from its source to its target.
    pub kind: String,
    /// Seconds per GB (10^9 bytes) of the size.
    pub seconds_per_gb: f64,
    /// That over the bound's: what the routes cost, whatever the schedule (of `direct` messages: whatever their order).
    pub of_bound: f64,
    /// The links that limit it most, with their part of its proof's prices.
    pub limiting: Vec<Limiting>,
}

/// A link that limits what routes can do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Limiting {
    /// The link.
    pub link: String,
    /// Its part of all prices, 1 where it is the only one.
    pub part: f64,
}

/// A link of a certificate.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Crossed {
    /// Where it starts.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// GB/s.
    pub gb_s: f64,
}

/// An algorithm on the routes of the fabric.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OnRoutes {
    /// Its name.
    pub algorithm: String,
    /// The order of the ranks.
    pub order: String,
    /// Seconds per GB of the size: the sum over its steps of the time of the busiest link.
    pub seconds_per_gb: f64,
    /// That over the bound's.
    pub of_bound: f64,
    /// Seconds per GB of the link that is busiest over all steps: what is left if steps do not wait for each other.
    pub busiest_seconds_per_gb: f64,
    /// That link; null where no link has a bandwidth.
    pub hottest: Option<String>,
    /// Steps.
    pub steps: u64,
    /// Seconds of latency of all steps.
    pub latency_s: f64,
}

/// One size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Sized {
    /// Bytes, as the operation counts them.
    pub bytes: u64,
    /// Least seconds.
    pub bound_s: f64,
    /// As `bound.kind`.
    pub bound_kind: String,
    /// Least seconds on the routes as they are, by `tables`: for all-to-all those of direct messages; null where that is not
    /// known.
    pub bound_tables_s: Option<f64>,
    /// The algorithms, best first at this size.
    pub tried: Vec<Tried>,
}

/// An algorithm at a size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Tried {
    /// Its name.
    pub algorithm: String,
    /// The order of the ranks.
    pub order: String,
    /// Predicted seconds: bandwidth and latency of its steps.
    pub time_s: f64,
    /// That over `bound_s`.
    pub of_bound: f64,
}

/// A network without routes: bounds alone.
///
/// # Errors
/// As [`bound`]; a root that is no rank.
pub fn bound_only(
    name: &str,
    network: &Network,
    operation: Operation,
    root: u32,
    sizes: &[u64],
) -> Result<BoundOutcome> {
    outcome(name, network, operation, root, sizes, None)
}

/// The bound of an operation among ranks in these slots of a machine, and the usual algorithms on its routes.
///
/// # Errors
/// As [`bound`]; a root that is no rank; ranks without a way between them.
pub fn compare(
    machine: &Machine,
    slots: &[SlotId],
    operation: Operation,
    root: u32,
    sizes: &[u64],
) -> Result<BoundOutcome> {
    let network = Network::of_fabric(&machine.fabric, slots)?;
    let routes = Routes::new(&*machine.routing, slots);
    let mut found = outcome(machine.fabric.name(), &network, operation, root, sizes, Some(routes))?;
    found.routing = Some(machine.routing_params.spec());
    Ok(found)
}

fn outcome(
    name: &str,
    network: &Network,
    operation: Operation,
    root: u32,
    sizes: &[u64],
    routes: Option<Routes<'_>>,
) -> Result<BoundOutcome> {
    let n = network.size() as u32;
    if root >= n {
        return Err(Error::argument("root", format!("root {root} is none of {n} ranks")));
    }
    let least = bound(network, operation, root as usize)?;
    least.check(network, operation, root as usize)?;
    let mut notes = Vec::new();
    if let Some(switch) = network.unbalanced() {
        notes.push(format!(
            "`{switch}` gives out another bandwidth than it takes in: the bound holds, but only switches that copy may reach it"
        ));
    }
    if operation == Operation::Alltoall {
        notes.push(
            "the bound of all-to-all is the worst of the sets that were looked at; there may be worse ones".into(),
        );
    }
    let per_gb = least.seconds_per_gb();
    let (mut on_routes, mut tables) = (Vec::new(), None);
    if let Some(mut routes) = routes {
        if n > MOST_PAIRS && operation.joins_all_pairs() {
            notes.push(format!(
                "algorithms in which all pairs of ranks meet are looked at for up to {MOST_PAIRS} ranks"
            ));
        }
        for algorithm in algorithms(operation, n, root) {
            let routed = routes.time(&algorithm)?;
            if operation == Operation::Alltoall && algorithm.name == "at-once" {
                let limiting = routed.hottest.map(|link| Limiting { link: routes.link_name(link), part: 1.0 });
                let (seconds_per_gb, kind) = (routed.seconds_per_gb, "direct".to_string());
                let (of_bound, limiting) = (seconds_per_gb / per_gb, limiting.into_iter().collect());
                tables = Some(Tables { kind, seconds_per_gb, of_bound, limiting });
            }
            on_routes.push(of(algorithm.name, &routed, per_gb, |link| routes.link_name(link)));
        }
        if matches!(operation, Operation::Allgather | Operation::ReduceScatter) {
            tables = on_given_routes(&mut routes, n, operation == Operation::ReduceScatter, per_gb)?;
            if tables.is_none() && n > MOST_RANKS {
                notes.push(format!("what the routes cost is worked out for up to {MOST_RANKS} ranks"));
            }
        }
        on_routes.sort_by(|a, b| a.seconds_per_gb.total_cmp(&b.seconds_per_gb));
        if on_routes.iter().all(|a| a.latency_s == 0.0) {
            notes.push("links of this fabric have no latency: small messages take longer than is said here".into());
        }
    }
    let at = |bytes: u64| {
        let size = bytes as f64 / 1e9;
        let bound_s = per_gb * size;
        let mut tried: Vec<Tried> = on_routes
            .iter()
            .map(|a| {
                let time_s = a.seconds_per_gb * size + a.latency_s;
                Tried { algorithm: a.algorithm.clone(), order: a.order.clone(), time_s, of_bound: time_s / bound_s }
            })
            .collect();
        tried.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        let bound_tables_s = tables.as_ref().map(|tables: &Tables| tables.seconds_per_gb * size);
        Sized { bytes, bound_s, bound_kind: least.kind().into(), bound_tables_s, tried }
    };
    Ok(BoundOutcome {
        fabric: name.to_string(),
        routing: None,
        operation: operation.name().to_string(),
        size_of: operation.unit().to_string(),
        ranks: n,
        verdict: verdict(operation, per_gb, &on_routes, tables.as_ref()),
        bound: proven(network, operation, &least),
        sizes: sizes.iter().map(|&bytes| at(bytes)).collect(),
        tables,
        algorithms: on_routes,
        notes,
    })
}

fn of(name: &str, routed: &Routed, bound: f64, link: impl Fn(hopline::id::LinkId) -> String) -> OnRoutes {
    OnRoutes {
        algorithm: name.to_string(),
        order: "default".to_string(),
        seconds_per_gb: routed.seconds_per_gb,
        of_bound: routed.seconds_per_gb / bound,
        busiest_seconds_per_gb: routed.busiest_seconds_per_gb,
        hottest: routed.hottest.map(link),
        steps: routed.steps,
        latency_s: routed.latency_s,
    }
}

/// What the routes cost.
fn on_given_routes(routes: &mut Routes<'_>, n: u32, is_turned: bool, bound: f64) -> Result<Option<Tables>> {
    let Some(found) = on_tables(routes, n, is_turned)? else { return Ok(None) };
    let dearest = found.dearest(LIMITING).into_iter().filter(|(_, part)| *part > 1e-6);
    let limiting = dearest.map(|(link, part)| Limiting { link: routes.link_name(link), part }).collect();
    // What holds on any routes holds on these.
    let seconds_per_gb = found.seconds_per_gb().max(bound);
    Ok(Some(Tables { kind: "relayed".into(), seconds_per_gb, of_bound: seconds_per_gb / bound, limiting }))
}

fn verdict(operation: Operation, bound: f64, algorithms: &[OnRoutes], tables: Option<&Tables>) -> Verdict {
    let name = operation.name();
    let Some(best) = algorithms.first() else {
        let sentence = format!("No {name} here takes less than {bound:.6} s per GB");
        return Verdict { kind: "bound".into(), sentence, of_bound: None };
    };
    let (kind, mut sentence) = match best.of_bound {
        x if x < 1.01 => ("optimal", format!("{} reaches the bound of this fabric", best.algorithm)),
        x => ("gap", format!("The best usual algorithm, {}, is {x:.2}x the bound of this fabric", best.algorithm)),
    };
    if let Some(ring) = algorithms.iter().skip(1).find(|a| a.algorithm == "ring") {
        let hottest = ring.hottest.as_ref().map_or(String::new(), |link| format!(", since {link} is busiest"));
        sentence += &format!("; a ring is {:.2}x{hottest}", ring.of_bound);
    }
    if let Some(tables) = tables.filter(|t| t.of_bound > 1.001 && t.kind == "relayed") {
        sentence += &format!("; the routes alone cost {:.2}x, whatever the schedule", tables.of_bound);
    }
    Verdict { kind: kind.into(), sentence, of_bound: Some(best.of_bound) }
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
