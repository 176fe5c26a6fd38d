//! Runs: a [`Plan`] in, an outcome out. Outcomes serialise to the stable JSON
//! of the command line.

mod check;
mod collective;
mod export;
mod fabric;
mod flits;
mod policy;
mod power;
mod record;
mod replay;
mod spreading;
mod whatif;

pub use check::{CheckOutcome, check};
pub use collective::{
    CollectiveOptions, CollectiveOutcome, CollectiveSize, CollectiveTime, ORDERS, algorithms, collective,
};
pub use export::export;
pub use fabric::{ClassInfo, Hop, LevelInfo, RouteOutcome, RoutePath, ShowOutcome, route, show};

pub use flits::{FlitsClass, FlitsOutcome, FlitsPoint, Forget, Keep, flits};
pub use policy::{Policies, PoliciesTried, PolicyTried};
pub use power::{PowerOptions, PowerOutcome, PowerTried, power};
pub use record::{RecordOutcome, record, worlds};
pub use replay::{CriticalStep, ReplayClass, ReplayOptions, ReplayOutcome, TimelineRow, UsedLink, replay};
pub use spreading::{Criterion, Remedy, Spreading};
pub use whatif::{WhatIfOutcome, whatif};

use crate::demand::Unit;
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use crate::id::{HostId, SlotId};
use crate::loads::{self, HotLink, Summary};
use crate::mapping::{self, Context, Mapping, Problem, WholeHosts};
use crate::plan::{Candidate, Plan};
use crate::rng::Rng;
use crate::routing::Routing;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Mutex;

/// What a run was about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Setting {
    /// The machine.
    pub fabric: String,
    /// Its routing.
    pub routing: String,
    /// The job.
    pub traffic: String,
    /// Number of tasks.
    pub tasks: u32,
    /// Hosts of the allocation.
    pub hosts: u32,
    /// What amounts are counted in.
    pub unit: Unit,
    /// Seed of every random choice.
    pub seed: u64,
    /// What people should know: assumptions, things left out.
    pub notes: Vec<String>,
}

/// Loads under one mapping.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LoadOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: Setting,
    /// The mapping.
    pub mapping: String,
    /// Throughput, bottleneck, classes.
    #[serde(flatten)]
    pub summary: Summary,
    /// The busiest links with who loads them.
    pub hottest: Vec<HotLink>,
    /// Which criteria of imbalanced jobs it meets on a network of groups with one link between any two (a
    /// Dragonfly), and what helps; null where it meets none, or nothing helps.
    pub spreading: Option<Spreading>,
}

/// One mapping that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Tried {
    /// Its spec.
    pub mapping: String,
    /// The routing under which it was tried.
    pub routing: String,
    /// Throughput, bottleneck, classes.
    #[serde(flatten)]
    pub summary: Summary,
    /// A proven lower bound, over all mappings, on the load / bandwidth (GB/s)
    /// of the busiest link; null where none is known.
    pub bound: Option<f64>,
    /// A proven lower bound, over all mappings, on `hop_bytes`; null where none
    /// is known.
    pub hop_bound: Option<f64>,
    /// The busiest link; null where nothing loads a limited link.
    pub hottest: Option<HotLink>,
    /// What people should know of how it was found.
    pub notes: Vec<String>,
    /// Where each task sits.
    #[serde(skip)]
    pub chosen: Mapping,
}

/// Several mappings side by side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MapOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: Setting,
    /// In the order in which they were asked for, routing by routing.
    pub candidates: Vec<Tried>,
    /// What makes one better than another.
    pub objective: String,
    /// The best by the objective; the first of equals.
    pub best: Tried,
    /// Where the best puts each task: host and slot on it.
    pub placement: Vec<(String, u32)>,
    /// Moves that the search tried; null without a search.
    pub evaluations: Option<u64>,
    /// The same as `spreading` of `load`, for the best.
    pub spreading: Option<Spreading>,
}

fn setting(plan: &Plan) -> Setting {
    let hosts = plan.network.fabric.hosts();
    let mut used: Vec<_> = plan.slots.iter().map(|&s| hosts.host_of(s)).collect();
    used.dedup();
    Setting {
        fabric: plan.network.fabric.name().to_string(),
        routing: plan.routings().map(|r| r.0).collect::<Vec<_>>().join(", "),
        traffic: plan.traffic_spec.clone(),
        tasks: plan.demand.tasks(),
        hosts: used.len() as u32,
        unit: plan.demand.unit(),
        seed: plan.seed,
        notes: plan.notes.clone(),
    }
}

/// Loads of every link under the plan's first mapping; `hot` hottest links.
///
/// # Errors
/// The mapping does not fit, or two hosts have no way between them.
pub fn load(plan: &Plan, hot: usize, observer: &mut dyn Observer) -> Result<LoadOutcome> {
    let candidate = &plan.candidates[0];
    let way = (plan.network.routing_spec.as_str(), &*plan.network.routing);
    let (tried, hottest) = try_one(plan, candidate, way, hot, observer)?;
    let mut setting = setting(plan);
    setting.notes.extend(tried.notes);
    let spreading = spreading::spreading(plan, way, (&candidate.spec, &tried.chosen), &tried.summary)?;
    Ok(LoadOutcome { setting, mapping: candidate.spec.clone(), summary: tried.summary, hottest, spreading })
}

/// Evaluates all mappings of the plan under all its routings, each on a thread
/// of its own. The result is the same at any number of threads: every mapping draws from its own stream.
///
/// # Errors
/// A mapping does not fit, or two hosts have no way between them.
pub fn map(plan: &Plan, observer: &mut dyn Observer) -> Result<MapOutcome> {
    let all = plan.routings().flat_map(|way| plan.candidates.iter().map(move |candidate| (way, candidate)));
    let all: Vec<_> = all.collect();
    observer.event(Event::Stage { what: "mappings".into(), steps: all.len() as u64 });
    let shared = Mutex::new(observer);
    let mut candidates: Vec<Tried> = all
        .par_iter()
        .map(|&(way, candidate)| {
            let mut own = |event: Event| match shared.lock() {
                Ok(mut observer) => observer.event(event),
                Err(_) => Control::Stop,
            };
            try_one(plan, candidate, way, 1, &mut own).map(|t| t.0)
        })
        .collect::<Result<_>>()?;
    // Distances are the fabric's, whatever the routing.
    let hop_bound = mapping::hop_bound(&plan.problem()?);
    for (spec, way) in plan.routings() {
        let bound = mapping::bound(&plan.problem_under(way)?).map(|b| b.busy);
        let own = candidates.iter_mut().filter(|tried| tried.routing == spec);
        own.for_each(|tried| (tried.bound, tried.hop_bound) = (bound, hop_bound));
    }
    compare(plan, candidates)
}

/// Improves the best mapping, under its routing, by what the objective names and adds it as `search`: by so
/// many moves, or without a number until the observer says stop.
///
/// # Errors
/// Two hosts have no way between them, or too many pairs of tasks talk.
pub fn search(
    plan: &Plan,
    outcome: MapOutcome,
    evaluations: Option<u64>,
    observer: &mut dyn Observer,
) -> Result<MapOutcome> {
    let best = plan.routings().find(|way| way.0 == outcome.best.routing);
    let way = best.unwrap_or((&plan.network.routing_spec, &*plan.network.routing));
    let rng = Rng::new(plan.seed, "search");
    let context = &mut Context { rng, observer };
    let (problem, best) = (plan.problem_under(way.1)?, &outcome.best.chosen);
    let (chosen, done) = match plan.reorder_hosts {
        true => improve_whole(&problem, best, evaluations, context)?,
        false => mapping::improve(&problem, best, evaluations, context)?,
    };
    let mut tried = evaluate(plan, "search", way, chosen, 1)?.0;
    (tried.bound, tried.hop_bound) = (outcome.best.bound, outcome.best.hop_bound);
    let mut candidates = outcome.candidates;
    candidates.push(tried);
    Ok(MapOutcome { evaluations: Some(done), ..compare(plan, candidates)? })
}

/// The same by exchanges of whole hosts. A mapping that was given and parts
/// the ranks of a host stays as it is.
fn improve_whole(
    problem: &Problem<'_>,
    best: &Mapping,
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Mapping, u64)> {
    let whole = WholeHosts::new(problem)?;
    let Some(start) = whole.contracted(problem, best) else { return Ok((best.clone(), 0)) };
    let (found, done) = mapping::improve(&whole.problem(problem)?, &start, evaluations, context)?;
    Ok((whole.expand(problem, &found)?, done))
}

/// The best of all, where it puts tasks, and what would help it.
fn compare(plan: &Plan, candidates: Vec<Tried>) -> Result<MapOutcome> {
    let better = |best: usize, i: usize| {
        let score = |t: &Tried| plan.objective.score(&t.summary);
        if score(&candidates[i]).is_better(&score(&candidates[best])) { i } else { best }
    };
    let best = (1..candidates.len()).fold(0, better);
    let on_hosts = candidates[best].chosen.on_hosts(plan.network.fabric.hosts());
    let placement = on_hosts.into_iter().map(|(host, slot)| (host.to_string(), slot)).collect();
    let best = candidates[best].clone();
    let way = plan.routings().find(|way| way.0 == best.routing);
    let way = way.unwrap_or((&plan.network.routing_spec, &*plan.network.routing));
    let spreading = spreading::spreading(plan, way, (&best.mapping, &best.chosen), &best.summary)?;
    Ok(MapOutcome {
        setting: setting(plan),
        objective: plan.objective.spec(),
        best,
        candidates,
        placement,
        evaluations: None,
        spreading,
    })
}

/// A mapping from a file may know other hosts than the allocation.
fn stays_inside(plan: &Plan, chosen: &Mapping) -> Result<()> {
    let allowed: FxHashSet<SlotId> = plan.slots.iter().copied().collect();
    let hosts = plan.network.fabric.hosts();
    // A host that takes fewer tasks takes them in any of its slots.
    let limited = plan.slots.iter().map(|&slot| hosts.host_of(slot));
    let limited: FxHashSet<HostId> = limited.filter(|host| plan.barred.capacity.contains_key(host)).collect();
    let inside = |slot: SlotId| allowed.contains(&slot) || limited.contains(&hosts.host_of(slot));
    let outside = |slot: SlotId| plan.fixed_hosts && !inside(slot);
    if let Some(task) = (0..chosen.tasks()).find(|&t| plan.barred.slots.contains(&chosen.slot(t))) {
        let slot = chosen.slot(task);
        let (host, k) = (hosts.name(hosts.host_of(slot)), hosts.rank_in_host(slot));
        return Err(Error::input(format!(
            "task {task} sits in slot {slot} (host {host}, its slot {k}), which is forbidden"
        )));
    }
    match (0..chosen.tasks()).find(|&t| outside(chosen.slot(t))) {
        Some(task) => {
            let host = hosts.name(hosts.host_of(chosen.slot(task)));
            Err(Error::input(format!("task {task} sits on host {host}, which is not in the allocation"))
                .hint("leave --hosts out, or name that host too"))
        }
        None => Ok(()),
    }
}

/// A mapping from a file may put more tasks on a host than it takes.
fn keeps_capacities(plan: &Plan, chosen: &Mapping) -> Result<()> {
    let (hosts, capacity) = (plan.network.fabric.hosts(), &plan.barred.capacity);
    if capacity.is_empty() {
        return Ok(());
    }
    let mut tasks: FxHashMap<HostId, u32> = FxHashMap::default();
    (0..chosen.tasks()).for_each(|t| *tasks.entry(hosts.host_of(chosen.slot(t))).or_default() += 1);
    let over = |host: &HostId| tasks[host] > capacity.get(host).copied().unwrap_or(u32::MAX);
    match tasks.keys().copied().filter(over).min_by_key(|host| host.0) {
        Some(host) => {
            let (name, has, most) = (hosts.name(host), tasks[&host], capacity[&host]);
            Err(Error::input(format!("{has} tasks sit on host {name}, whose capacity is {most}")))
        }
        None => Ok(()),
    }
}

fn try_one(
    plan: &Plan,
    candidate: &Candidate,
    way: (&str, &dyn Routing),
    hot: usize,
    observer: &mut dyn Observer,
) -> Result<(Tried, Vec<HotLink>)> {
    let (chosen, notes) = place(plan, candidate, way.1, observer)?;
    let (tried, hottest) = evaluate(plan, &candidate.spec, way, chosen, hot)?;
    Ok((Tried { notes, ..tried }, hottest))
}

/// Where a strategy puts the tasks, and what it has to say about it.
fn place(
    plan: &Plan,
    candidate: &Candidate,
    routing: &dyn Routing,
    observer: &mut dyn Observer,
) -> Result<(Mapping, Vec<String>)> {
    let problem = plan.problem_under(routing)?;
    let rng = Rng::new(plan.seed, &candidate.spec);
    let mut notes = Vec::new();
    let mut listener = |event: Event| {
        if let Event::Note(note) = &event {
            notes.push(note.clone());
        }
        observer.event(event)
    };
    let mut context = Context { rng, observer: &mut listener };
    let chosen = candidate.strategy.map(&problem, &mut context).map_err(|e| e.at(&candidate.place))?;
    stays_inside(plan, &chosen).and_then(|()| keeps_capacities(plan, &chosen)).map_err(|e| e.at(&candidate.place))?;
    Ok((chosen, notes))
}

/// What a mapping comes to under a routing, and its `hot` hottest links.
fn evaluate(
    plan: &Plan,
    spec: &str,
    (routing, way): (&str, &dyn Routing),
    chosen: Mapping,
    hot: usize,
) -> Result<(Tried, Vec<HotLink>)> {
    let problem = plan.problem_under(way)?;
    let places = chosen.places(problem.fabric().hosts());
    let loads = loads::evaluate(&plan.demand, &places, problem.routing())?;
    let summary = Summary::new(&plan.demand, &loads, problem.fabric());
    let hottest = loads::hottest(&plan.demand, &places, problem.routing(), &loads, hot)?;
    let tried = Tried {
        mapping: spec.to_string(),
        routing: routing.to_string(),
        summary,
        bound: None,
        hop_bound: None,
        hottest: hottest.first().cloned(),
        notes: Vec::new(),
        chosen,
    };
    Ok((tried, hottest))
}
