//! Runs: a [`Plan`] in, an outcome out. Outcomes serialise to the stable JSON
//! of the command line.

mod among;
mod axes;
mod chance;
mod check;
mod collective;
mod compare;
mod diff;
mod export;
mod fabric;
mod flits;
mod inventory;
mod limit;
mod map;
mod policy;
mod power;
mod record;
mod rehearse;
mod replay;
mod spreading;
mod trains;
mod tried;
mod verdict;
mod whatif;

pub use axes::{AxisPlaces, PlaceShare};
pub use chance::Chance;
pub use check::{CheckOutcome, check};
pub use collective::{
    CollectiveOptions, CollectiveOutcome, CollectiveSize, CollectiveTime, ORDERS, Trained, algorithms, collective,
};
pub use compare::{CompareKind, CompareOptions, CompareOutcome, CompareVerdict, ComparedJob, ComparedMachine, compare};
pub use diff::{Change, ChangeKind, DiffKind, DiffOutcome, DiffVerdict, RouteChanges, diff, diff_plan};
pub use export::export;
pub use fabric::{ClassInfo, Hop, LevelInfo, RouteOutcome, RoutePath, ShowOutcome, route, show};

pub use flits::{
    ClassInterval, FlitsClass, FlitsFailure, FlitsInterval, FlitsLosses, FlitsOutcome, FlitsPoint, FlitsSpan, Forget,
    Keep, LinkInterval, flits, flits_among,
};
pub use inventory::{HostInfo, HostsOutcome, SwitchInfo, SwitchesOutcome, show_hosts, show_switches};
pub use limit::{LimitKind, LimitVerdict};
pub use map::{MapOutcome, map, map_among, search, search_among};
pub use policy::{Policies, PoliciesTried, PolicyTried};
pub use power::{PowerOptions, PowerOutcome, PowerTried, power};
pub use record::{RecordOutcome, record, worlds};
pub use rehearse::rehearse;
pub use replay::{CriticalStep, ReplayClass, ReplayOptions, ReplayOutcome, TimelineRow, UsedLink, replay};
pub use spreading::{Criterion, Remedy, Spreading};
pub use tried::Tried;
pub use verdict::{Verdict, VerdictKind};
pub use whatif::{Each, EachOutcome, Failure, FaultKind, FaultVerdict, WhatIfOutcome, each, whatif};

use crate::demand::Unit;
use crate::error::{Error, Result};
use crate::event::{Event, Observer};
use crate::id::{HostId, SlotId};
use crate::loads::{self, HotLink, LinkLoads, Summary};
use crate::mapping::{Context, Mapping};
use crate::params::Params;
use crate::peers::Peers;
use crate::plan::{Candidate, Plan};
use crate::routing::Routing;
use rustc_hash::{FxHashMap, FxHashSet};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What a run was about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct LoadOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: Setting,
    /// The mapping.
    pub mapping: String,
    /// Throughput, bottleneck, classes.
    #[serde(flatten)]
    pub summary: Summary,
    /// What limits it.
    pub verdict: LimitVerdict,
    /// The busiest links with who loads them.
    pub hottest: Vec<HotLink>,
    /// Which criteria of imbalanced jobs it meets on a network of groups with one link between any two (a
    /// Dragonfly), and what helps; null where it meets none, or nothing helps.
    pub spreading: Option<Spreading>,
    /// How throughput spreads over seeds, where a hash chooses paths; null where none does.
    pub chance: Option<Chance>,
    /// Where each task sits.
    #[serde(skip)]
    pub chosen: Mapping,
    /// The load of every link.
    #[serde(skip)]
    pub loads: LinkLoads,
}

/// A routing with its kind and keys.
type NamedRouting<'a> = (&'a Params, &'a dyn Routing);

fn setting(plan: &Plan) -> Setting {
    Setting {
        fabric: plan.network.fabric.name().to_string(),
        routing: plan.routings().map(|r| r.0.spec()).collect::<Vec<_>>().join(", "),
        traffic: plan.traffic_spec.clone(),
        tasks: plan.demand.tasks(),
        hosts: plan.used_hosts(),
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
    let way = (&plan.network.routing_params, &*plan.network.routing);
    loaded(plan, try_one(plan, candidate, way, 0, hot, observer)?)
}

/// The same by several processes, which all have the same plan: the first one has the outcome, that of [`load`], the
/// others nothing. It finds the mapping; what they share is that of [`loads::evaluate_among`].
///
/// # Errors
/// Those of [`load`], of any of them; a process is gone.
pub fn load_among(
    plan: &Plan,
    hot: usize,
    peers: &dyn Peers,
    observer: &mut dyn Observer,
) -> Result<Option<LoadOutcome>> {
    let way = (&plan.network.routing_params, &*plan.network.routing);
    if peers.size() == 1 {
        return load(plan, hot, observer).map(Some);
    }
    among::same(peers, &among::name(plan))?;
    let find = || place(plan, &plan.candidates[0], way.1, 0, observer);
    let (chosen, notes) = among::of_first(peers, plan, find)?;
    let places = chosen.places(plan.network.fabric.hosts());
    let Some(loads) = loads::evaluate_among(&plan.demand, &places, way.1, peers)? else { return Ok(None) };
    let found = summed(plan, &plan.candidates[0].spec, way, chosen, loads, (hot, Who::Listed))?;
    loaded(plan, Evaluated { tried: Tried { notes, ..found.tried }, ..found }).map(Some)
}

fn loaded(plan: &Plan, Evaluated { tried, loads, hottest }: Evaluated) -> Result<LoadOutcome> {
    let candidate = &plan.candidates[0];
    let way = (&plan.network.routing_params, &*plan.network.routing);
    let mut setting = setting(plan);
    setting.notes.extend(tried.notes);
    let spreading = spreading::spreading(plan, way, (&candidate.spec, &tried.chosen), &tried.summary)?;
    let chance = chance::chance(plan, way.1, &tried.chosen)?;
    let (mapping, summary, chosen) = (candidate.spec.clone(), tried.summary, tried.chosen);
    let verdict = limit::limit(&plan.network.fabric, &summary, &hottest);
    Ok(LoadOutcome { setting, mapping, summary, verdict, hottest, spreading, chance, chosen, loads })
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
                .hint("leave the allocation out, or name that host too"))
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
    way: NamedRouting<'_>,
    run: u32,
    hot: usize,
    observer: &mut dyn Observer,
) -> Result<Evaluated> {
    let (chosen, notes) = place(plan, candidate, way.1, run, observer)?;
    let found = evaluate(plan, &candidate.spec, way, chosen, (hot, Who::Listed))?;
    Ok(Evaluated { tried: Tried { notes, ..found.tried }, ..found })
}

/// Where the plan's first mapping puts the tasks.
///
/// # Errors
/// The mapping does not fit, or leaves the allocation, or its hosts' capacities or forbidden slots.
pub fn chosen(plan: &Plan, observer: &mut dyn Observer) -> Result<Mapping> {
    Ok(place(plan, &plan.candidates[0], &*plan.network.routing, 0, observer)?.0)
}

/// Where a strategy puts the tasks, and what it has to say about it.
fn place(
    plan: &Plan,
    candidate: &Candidate,
    routing: &dyn Routing,
    run: u32,
    observer: &mut dyn Observer,
) -> Result<(Mapping, Vec<String>)> {
    let problem = plan.problem_under(routing)?;
    let mut notes = Vec::new();
    let mut listener = |event: Event| {
        if let Event::Note(note) = &event {
            notes.push(note.clone());
        }
        observer.event(event)
    };
    let mut context = Context::of_run(plan.seed, &candidate.spec, run, &mut listener);
    let chosen = candidate.strategy.map(&problem, &mut context).map_err(|e| e.at(&candidate.place))?;
    stays_inside(plan, &chosen).and_then(|()| keeps_capacities(plan, &chosen)).map_err(|e| e.at(&candidate.place))?;
    Ok((chosen, notes))
}

/// A mapping with its loads, and its hottest links.
struct Evaluated {
    tried: Tried,
    loads: LinkLoads,
    hottest: Vec<HotLink>,
}

/// Whether the pairs of tasks that load hottest links are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Listed,
    Unknown,
}

/// What a mapping comes to under a routing, and its `hot` hottest links.
fn evaluate(plan: &Plan, spec: &str, way: NamedRouting<'_>, chosen: Mapping, looks: (usize, Who)) -> Result<Evaluated> {
    let problem = plan.problem_under(way.1)?;
    let places = chosen.places(problem.fabric().hosts());
    let loads = loads::evaluate(&plan.demand, &places, problem.routing())?;
    summed(plan, spec, way, chosen, loads, looks)
}

/// The same where the loads are known.
fn summed(
    plan: &Plan,
    spec: &str,
    (params, way): NamedRouting<'_>,
    chosen: Mapping,
    loads: LinkLoads,
    (hot, who): (usize, Who),
) -> Result<Evaluated> {
    let problem = plan.problem_under(way)?;
    let places = chosen.places(problem.fabric().hosts());
    let summary = Summary::new(&plan.demand, &loads, problem.fabric());
    let hottest = match who {
        Who::Listed => loads::hottest(&plan.demand, &places, problem.routing(), &loads, hot)?,
        Who::Unknown => loads::busiest(&loads, problem.fabric(), hot),
    };
    let tried = Tried {
        mapping: spec.to_string(),
        routing: params.spec(),
        summary,
        bound: None,
        hop_bound: None,
        hottest: hottest.first().cloned(),
        runs: Vec::new(),
        notes: Vec::new(),
        chosen,
    };
    Ok(Evaluated { tried, loads, hottest })
}
