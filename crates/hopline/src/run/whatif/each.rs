//! Every single failure, ranked by what it costs.

use super::sentence::percent;
use super::{FaultKind, FaultVerdict};
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use crate::fabric::{Fabric, metrics, switches};
use crate::files::Memory;
use crate::id::{LinkId, VertexId};
use crate::loads::{BusyLink, Failing, Remaining};
use crate::parallel;
use crate::plan::Plan;
use crate::routing;
use crate::run::{Setting, place, setting};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::str::FromStr;

/// What fails, one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Each {
    /// Every switch; in a direct network every router.
    Switch,
    /// Every cable between two switches.
    Link,
    /// Every switch that has adapters.
    Leaf,
}

impl FromStr for Each {
    type Err = Error;

    fn from_str(word: &str) -> Result<Each> {
        match word {
            "switch" => Ok(Each::Switch),
            "link" => Ok(Each::Link),
            "leaf" => Ok(Each::Leaf),
            _ => Err(Error::input(format!("`{word}` is nothing that fails, expected switch, link or leaf"))),
        }
    }
}

/// One failure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Failure {
    /// What is missing: a switch, or a cable with its ports. `--without` takes it.
    pub without: String,
    /// What is left of the job's throughput as far as links between switches limit it, a part of 1: the part of its
    /// traffic that still arrives, x the time that the busiest of these links took before / takes now; no more than that part
    /// where some of it is lost.
    pub left: f64,
    /// The same over all links, hosts' adapters included.
    pub throughput_left: f64,
    /// Part of the traffic between hosts whose ends are still joined.
    pub traffic_left: f64,
    /// Ordered pairs of endpoints with a host that no cable joins.
    pub unreachable_pairs: u64,
    /// The busiest link between switches then; null where they carry nothing.
    pub hottest: Option<BusyLink>,
}

/// What `hopline fabric whatif --each` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct EachOutcome {
    /// What it was about; its routing is the one before and after every failure.
    #[serde(flatten)]
    pub setting: Setting,
    /// The mapping.
    pub mapping: String,
    /// What fails, one at a time.
    pub each: Each,
    /// Pairs of endpoints with a host that no cable joins, without any failure.
    pub unreachable_before: u64,
    /// The busiest links between switches without any failure.
    pub hottest_before: Vec<BusyLink>,
    /// All of them, or with a note those before the observer said stop, worst first: by `left`, then by unreachable pairs, then in the fabric's order.
    pub failures: Vec<Failure>,
    /// What it comes to.
    pub verdict: FaultVerdict,
}

/// Failures between two looks at the observer.
const STEP: usize = 64;

/// Ranks every single failure of a kind by what it costs a job on a whole machine, whose routing routes anew after each:
/// shortest paths, or minhop's tables with what they must change; other routings are built again for each failure.
/// The network is best made by [`Network::as_after_faults`](crate::plan::Network::as_after_faults).
/// O(failures * (links + what changes)), on all threads; the same at any number of them. `hot` hottest links before.
///
/// # Errors
/// The job cannot be evaluated on the whole machine, the routing knows no failures, or nothing of the kind is
/// there.
pub fn each(plan: &Plan, each: Each, hot: usize, observer: &mut dyn Observer) -> Result<EachOutcome> {
    let network = &plan.network;
    let fabric = &*network.fabric;
    let params = &network.routing_params;
    if !routing::routes_anew(params.kind()) {
        let text = match params.kind() {
            "table" => "the tables that were read lead to what is missing".to_string(),
            kind => format!("routing `{kind}` needs a whole machine, and parts of it go missing"),
        };
        let hint = "leave the routing out, or use minhop, shortest or up-down";
        return Err(Error::input(text).at(params.place()).hint(hint));
    }
    let (chosen, mut notes) = place(plan, &plan.candidates[0], &*network.routing, 0, observer)?;
    let places = chosen.places(fabric.hosts());
    let rebuild =
        |broken: std::sync::Arc<Fabric>| routing::build(params, &network.topology, &broken, &Memory::default());
    let failing = Failing::new(&plan.demand, &places, &*network.routing, &rebuild)?;
    let parts = candidates(fabric, each);
    if parts.is_empty() {
        return Err(Error::input(format!("{} has no {}", fabric.name(), words(each).1)));
    }
    observer.event(Event::Stage {
        what: format!("without each of {} {}", parts.len(), words(each).1),
        steps: parts.len() as u64,
    });
    let mut failures = Vec::with_capacity(parts.len());
    for some in parts.chunks(STEP) {
        let one = |(without, gone): &(String, Vec<LinkId>)| {
            let Remaining { left, unreachable_pairs, hottest } = failing.without(gone)?;
            Ok(Failure {
                without: without.clone(),
                left: tidy(left.network),
                throughput_left: tidy(left.throughput),
                traffic_left: tidy(left.traffic),
                unreachable_pairs,
                hottest,
            })
        };
        failures.extend(parallel::try_map(some.len(), |i| one(&some[i]))?);
        let is_over = failures.len() == parts.len();
        if observer.event(Event::Progress(failures.len() as u64)) == Control::Stop && !is_over {
            notes.push(format!(
                "stopped: only the first {} of {} {} were looked at",
                failures.len(),
                parts.len(),
                words(each).1
            ));
            break;
        }
    }
    failures.sort_by(|a, b| {
        a.left
            .total_cmp(&b.left)
            .then(b.unreachable_pairs.cmp(&a.unreachable_pairs))
            .then(a.throughput_left.total_cmp(&b.throughput_left))
    });
    let mut setting = setting(plan);
    setting.notes.extend(notes);
    Ok(EachOutcome {
        setting,
        mapping: plan.candidates[0].spec.clone(),
        each,
        unreachable_before: metrics::pairs_apart(fabric, &metrics::parts(fabric, |_| true)),
        hottest_before: failing.whole().hottest(fabric, hot.max(1)),
        verdict: verdict(each, &failures),
        failures,
    })
}

/// To nine places: what rounding leaves must not rank equal failures.
fn tidy(part: f64) -> f64 {
    (part * 1e9).round() / 1e9
}

/// What is taken out, with both directions of all its cables.
fn candidates(fabric: &Fabric, each: Each) -> Vec<(String, Vec<LinkId>)> {
    let links = || fabric.link_ids();
    let both = |l: LinkId| vec![l, fabric.reverse(l)];
    let around = |v: VertexId| fabric.out_links(v).flat_map(both).collect::<Vec<_>>();
    let has_ends = |v: &VertexId| fabric.is_endpoint(*v) || fabric.out_links(*v).any(|l| fabric.is_host_link(l));
    let named = |v: VertexId| (fabric.vertex_name(v).to_string(), around(v));
    match each {
        Each::Link => links()
            .filter(|&l| !fabric.is_host_link(l) && l < fabric.reverse(l))
            .map(|l| (fabric.link_name(l), both(l)))
            .collect(),
        Each::Switch => switches(fabric).filter(|&v| fabric.degree(v) > 0).map(named).collect(),
        Each::Leaf => switches(fabric).filter(has_ends).filter(|&v| fabric.degree(v) > 0).map(named).collect(),
    }
}

/// One and several of what fails.
fn words(each: Each) -> (&'static str, &'static str) {
    match each {
        Each::Switch => ("switch", "switches"),
        Each::Link => ("cable between switches", "cables between switches"),
        Each::Leaf => ("leaf switch", "leaf switches"),
    }
}

fn verdict(each: Each, failures: &[Failure]) -> FaultVerdict {
    const SAME: f64 = 1.0 - 1e-6;
    let (one, several) = words(each);
    let felt = failures.iter().filter(|f| f.left < SAME || f.unreachable_pairs > 0).count();
    let Some(worst) = failures.first().filter(|_| felt > 0) else {
        let sentence = format!("No single {one} of {} costs the job anything", failures.len());
        return FaultVerdict { kind: FaultKind::Harmless, sentence };
    };
    let lost = failures.iter().filter(|f| f.traffic_left < SAME).count();
    let equals = failures.iter().filter(|f| f.left == worst.left).count();
    let like = match equals {
        1 => String::new(),
        2 => ", as without one other".to_string(),
        n => format!(", as without {} others", n - 1),
    };
    let mut sentence = format!(
        "The worst {one} is {}: without it links between switches have {} of the job's throughput left{like}; {felt} of {} {several} \
         cost something",
        worst.without,
        percent(worst.left),
        failures.len()
    );
    if lost > 0 {
        sentence += &format!(", {lost} of them cut off hosts of the job");
    }
    let slower = failures.iter().filter(|f| f.left < SAME && f.traffic_left >= SAME);
    let hidden = slower.filter(|f| f.throughput_left >= SAME).count();
    if hidden > 0 {
        sentence += &format!("; {hidden} of them do not show in the job's time, which hosts' adapters limit");
    }
    FaultVerdict { kind: if lost > 0 { FaultKind::Lost } else { FaultKind::Slower }, sentence }
}
