//! [`Plan`]: a checked scenario, with everything built that a run needs.

mod after_faults;
mod allocation;
mod assumed;
mod failing;
mod limits;
mod pins;

pub use after_faults::AfterFaults;
pub(crate) use allocation::usable;

use crate::demand::Demand;
use crate::entry::Listed as _;
use crate::error::{Error, Place, Result};
use crate::fabric::{Fabric, find_links};
use crate::files::Files;
use crate::id::SlotId;
use crate::mapping::{self, Kinds, Objective, Problem, Strategy};
use crate::params::Params;
use crate::routing::{self, Routing};
use crate::scenario::Scenario;
use crate::schedule::{self, Limit, Schedule};
use crate::topology::{self, Topology};
use crate::traffic::{self, Traffic};
pub use limits::Barred;
use std::sync::Arc;

/// A machine with its routing: what `hopline fabric` looks at.
#[non_exhaustive]
pub struct Network {
    /// The family, or the file it came from.
    pub topology: Topology,
    /// The network.
    pub fabric: Arc<Fabric>,
    /// How it routes.
    pub routing: Box<dyn Routing>,
    /// Kind and keys of the routing, with the lines where they stood.
    pub routing_params: Params,
    /// Cables that were taken out.
    pub removed: Vec<String>,
    /// What people should know: assumptions, things left out.
    pub notes: Vec<String>,
}

impl Network {
    /// Builds the topology and the routing of a scenario.
    ///
    /// # Errors
    /// No topology is given, or one of both cannot be built.
    pub fn new(scenario: &Scenario, files: &dyn Files) -> Result<Network> {
        Network::build(scenario, files, !scenario.without.is_empty())
    }

    /// The same under the routing that it is assumed to take after a fault, where the scenario names none; its notes
    /// say what is assumed.
    ///
    /// # Errors
    /// As those of [`Network::new`].
    pub fn as_after_faults(scenario: &Scenario, files: &dyn Files) -> Result<Network> {
        Network::build(scenario, files, true)
    }

    fn build(scenario: &Scenario, files: &dyn Files, after_faults: bool) -> Result<Network> {
        let Some(params) = &scenario.topology else {
            return Err(Error::input("no topology is given").hint("give one such as percs:ns=32,nd=4, or file:PATH"));
        };
        let (topology, fabric) = topology::build(params, files)?;
        let (fabric, removed) = break_down(fabric, &scenario.without)?;
        let fabric = Arc::new(fabric);
        let after = after_faults.then(|| AfterFaults::of(&topology));
        let default = after.as_ref().map_or(topology.default_routing(), AfterFaults::routing);
        let assumed = Params::new(default, Place::new("routing", 0));
        let params = scenario.routings.first().unwrap_or(&assumed);
        let whole = removed.is_empty();
        let routing = route(params, whole, &topology, &fabric, files)?;
        let mut notes = fabric.notes().to_vec();
        notes.extend(assumed::managers_note(&fabric));
        if let Topology::File(file) = &topology {
            notes.extend_from_slice(file.table_notes());
            notes.extend(assumed::idle_note(&fabric));
        }
        let real = matches!(topology, Topology::File(_) | Topology::CrayXc(_));
        if let (Some(paths), true, true) = (assumed_paths(params.kind()), real, removed.is_empty()) {
            notes.push(format!("routes are assumed, not read: {paths} with ties spread evenly"));
        }
        notes.extend(after.and_then(|after| after.note(params.kind())));
        Ok(Network { topology, fabric, routing, routing_params: params.clone(), removed, notes })
    }

    /// The spec of the routing.
    pub fn routing_spec(&self) -> String {
        self.routing_params.spec()
    }
}

/// A routing of a machine, whole or not.
fn route(
    params: &Params,
    whole: bool,
    topology: &Topology,
    fabric: &Arc<Fabric>,
    files: &dyn Files,
) -> Result<Box<dyn Routing>> {
    if !whole {
        routing::check_after_faults(params)?;
    }
    routing::build(params, topology, fabric, files)
}

/// What tasks exchange: a traffic, or all that a schedule sends.
fn job(params: &Params, context: &traffic::Context<'_>) -> Result<Traffic> {
    let is_traffic = traffic::LIST.iter().any(|kind| kind.entry().name == params.kind());
    if is_traffic || !schedule::names().any(|name| name == params.kind()) {
        return traffic::build(params, context);
    }
    let schedule::Made { schedule, notes } = schedule::build(params, context)?;
    Ok(Traffic { demand: schedule.demand()?, notes })
}

/// What a routing assumes of a machine that it does not know the routes of.
fn assumed_paths(routing: &str) -> Option<&'static str> {
    match routing {
        "shortest" => Some("shortest paths"),
        "up-down" => Some("shortest paths that go up, then down"),
        _ => None,
    }
}

/// The fabric without the named parts, and the names of the cables that went.
fn break_down(fabric: Fabric, without: &[(String, Place)]) -> Result<(Fabric, Vec<String>)> {
    let mut links = Vec::new();
    for (word, place) in without {
        links.extend(find_links(&fabric, word).map_err(|e| e.at(place))?);
    }
    links.sort_unstable();
    links.dedup();
    // One name per cable: the direction with the lower number.
    let cables = links.iter().filter(|&&l| l <= fabric.reverse(l)).map(|&l| fabric.link_name(l));
    let removed = cables.collect();
    Ok(if links.is_empty() { (fabric, removed) } else { (fabric.without(&links), removed) })
}

/// Mappings that `reorder-hosts` leaves alone: those that are given, and those
/// that place whole hosts by themselves.
const KEPT: [&str; 2] = ["file", "reorder-hosts"];
/// A mapping to evaluate.
pub struct Candidate {
    /// Its spec string.
    pub spec: String,
    /// Where it was asked for.
    pub place: Place,
    /// How to choose it.
    pub strategy: Box<dyn Strategy>,
    /// How often it is tried, each time with other random choices.
    pub runs: u32,
    /// Passed over where it does not fit.
    pub is_optional: bool,
}

impl Candidate {
    /// A mapping that was asked for; with `whole` it places whole hosts.
    fn new(params: &Params, whole: bool, files: &dyn Files) -> Result<Candidate> {
        let strategy = mapping::build(params, files)?;
        // A mapping that is given stays as it is.
        let whole = whole && !KEPT.contains(&params.kind());
        let strategy = if whole { mapping::whole_hosts(strategy) } else { strategy };
        Ok(Candidate { spec: params.spec(), place: params.place().clone(), strategy, runs: 1, is_optional: false })
    }
}

/// A checked scenario.
#[non_exhaustive]
pub struct Plan {
    /// Machine and routing.
    pub network: Network,
    /// The same once the parts that fail during a run are gone, where some do: [`Plan::failing`].
    pub broken: Option<Network>,
    /// Other routings to compare, with their kinds and keys.
    pub others: Vec<(Params, Box<dyn Routing>)>,
    /// The job.
    pub demand: Demand,
    /// The job's spec string.
    pub traffic_spec: String,
    /// Where tasks may go, in launcher order.
    pub slots: Vec<SlotId>,
    /// True where the user named the hosts: then no task may sit elsewhere.
    pub fixed_hosts: bool,
    /// Slots that may not be used and hosts that take fewer tasks, in the allocation or not.
    pub barred: Barred,
    /// Which tasks may sit in which of the slots, where not all may sit in any.
    pub kinds: Option<Kinds>,
    /// Whether ranks stay in blocks of one host each, and only hosts are reordered.
    pub reorder_hosts: bool,
    /// The mappings to evaluate, at least one.
    pub candidates: Vec<Candidate>,
    /// What makes one mapping better than another.
    pub objective: Objective,
    /// Seed of every random choice.
    pub seed: u64,
    /// What people should know.
    pub notes: Vec<String>,
}

impl Plan {
    /// Builds everything a run needs.
    ///
    /// # Errors
    /// Something is missing, unknown, or does not fit; the error names where.
    pub fn new(scenario: &Scenario, files: &dyn Files) -> Result<Plan> {
        let network = Network::new(scenario, files)?;
        Plan::with_network(scenario, files, network)
    }

    /// The same on a machine that is built already.
    ///
    /// # Errors
    /// Something is missing, unknown, or does not fit; the error names where.
    pub fn with_network(scenario: &Scenario, files: &dyn Files, network: Network) -> Result<Plan> {
        let Some(params) = &scenario.traffic else {
            return Err(
                Error::input("no traffic is given").hint("give some such as halo:grid=64x64 or matrix:file=PATH")
            );
        };
        Plan::of(scenario, files, network, params, |context| job(params, context))
    }

    /// Builds everything that the scenario's schedule needs; its demand is the
    /// schedule's, so mappings see it.
    ///
    /// # Errors
    /// Something is missing, unknown, or does not fit; the error names where.
    pub fn for_schedule(scenario: &Scenario, files: &dyn Files) -> Result<(Plan, Schedule)> {
        Plan::for_schedule_within(scenario, files, Limit::default())
    }

    /// The same where a schedule and its replay may take so much memory.
    ///
    /// # Errors
    /// As above, or it takes more.
    pub fn for_schedule_within(scenario: &Scenario, files: &dyn Files, limit: Limit) -> Result<(Plan, Schedule)> {
        let network = Network::new(scenario, files)?;
        let Some(params) = &scenario.schedule else {
            return Err(
                Error::input("no schedule is given").hint("give one such as collective:knomial:bytes=64K or goal:FILE")
            );
        };
        let mut made = None;
        let plan = Plan::of(scenario, files, network, params, |context| {
            let schedule::Made { schedule, notes } = schedule::build_within(params, context, limit)?;
            let demand = schedule.demand()?;
            made = Some(schedule);
            Ok(Traffic { demand, notes })
        })?;
        let schedule = made.ok_or_else(|| Error::failed("the schedule was not built"))?;
        Ok((plan, schedule))
    }

    fn of(
        scenario: &Scenario,
        files: &dyn Files,
        network: Network,
        params: &Params,
        make: impl FnOnce(&traffic::Context<'_>) -> Result<Traffic>,
    ) -> Result<Plan> {
        let fabric = &network.fabric;
        let others = scenario.routings.iter().skip(1);
        let whole = network.removed.is_empty();
        let others = others.map(|p| Ok((p.clone(), route(p, whole, &network.topology, fabric, files)?)));
        let others = others.collect::<Result<_>>()?;
        let (hosts, allocated) = match &scenario.hosts {
            Some((text, place)) => {
                let found = allocation::allocate(fabric, text, scenario.seed, files).map_err(|e| e.at(place))?;
                (found.shares, found.note)
            }
            None => (allocation::whole(fabric), None),
        };
        let barred = limits::barred(fabric, &scenario.limits)?;
        let hosts = limits::left(fabric, &hosts, &barred, &pins::pinned(fabric, &scenario.limits, files)?);
        let context = traffic::Context { fabric, slots: hosts.iter().map(|own| own.len() as u32).sum(), files };
        let Traffic { demand, notes } = make(&context)?;
        let reorder_hosts = scenario.limits.reorder_hosts;
        let default = [Params::new("default", Place::new("mapping", 0))];
        let specs = if scenario.mappings.is_empty() { &default[..] } else { &scenario.mappings };
        let candidates =
            specs.iter().map(|p| Candidate::new(p, reorder_hosts, files)).collect::<Result<Vec<Candidate>>>()?;
        let (slots, assumed) = match &scenario.hosts {
            Some(_) => (hosts.concat(), None),
            None => {
                let given: Vec<SlotId> = candidates.iter().flat_map(|c| c.strategy.given(fabric)).collect();
                assumed::assume(fabric, hosts, demand.tasks(), &given, &barred)
            }
        };
        let kinds = pins::pins(fabric, &slots, demand.tasks(), &scenario.limits, files)?;
        let objective = match &scenario.objective {
            Some((terms, place)) => {
                let objective = Objective::read(terms, place)?;
                objective.check(fabric).map_err(|e| e.at(place))?;
                objective
            }
            None => Objective::default(),
        };
        let notes = network.notes.iter().cloned().chain(notes).chain(allocated).chain(assumed).collect();
        let plan = Plan {
            traffic_spec: params.spec(),
            network,
            broken: None,
            others,
            demand,
            slots,
            fixed_hosts: scenario.hosts.is_some(),
            barred,
            kinds,
            reorder_hosts,
            candidates,
            objective,
            seed: scenario.seed,
            notes,
        };
        plan.problem().map_err(|e| e.at(params.place()))?;
        Ok(plan)
    }

    /// The plan with the portfolio as its mappings: [`mapping::members`].
    ///
    /// # Errors
    /// There are fewer slots than tasks.
    pub fn with_portfolio(mut self) -> Result<Plan> {
        let candidate = |mapping::Member { spec, strategy, runs }| Candidate {
            place: Place::new("portfolio", 0),
            strategy: if self.reorder_hosts { mapping::whole_hosts(strategy) } else { strategy },
            runs,
            // Where even the launcher's order fails, something is wrong with the machine.
            is_optional: spec != "default",
            spec,
        };
        self.candidates = mapping::members(&self.problem()?)?.into_iter().map(candidate).collect();
        Ok(self)
    }

    /// Number of hosts of the allocation, whose slots stand together.
    pub fn used_hosts(&self) -> u32 {
        let hosts = self.network.fabric.hosts();
        let mut used: Vec<_> = self.slots.iter().map(|&s| hosts.host_of(s)).collect();
        used.dedup();
        used.len() as u32
    }

    /// Slots of the first host of the allocation; 1 where nothing is allocated.
    pub fn first_slots(&self) -> u32 {
        let hosts = self.network.fabric.hosts();
        self.slots.first().map_or(1, |&s| hosts.slot_count(hosts.host_of(s)))
    }

    /// Slots of the first host of the allocation where they divide the tasks, else 1.
    pub fn cores(&self) -> u32 {
        let first = self.first_slots();
        if first > 0 && self.demand.tasks().is_multiple_of(first) { first } else { 1 }
    }

    /// The job on the machine.
    ///
    /// # Errors
    /// There are fewer slots than tasks.
    pub fn problem(&self) -> Result<Problem<'_>> {
        self.problem_under(&*self.network.routing)
    }

    /// The job on the machine under one of its routings.
    ///
    /// # Errors
    /// There are fewer slots than tasks.
    pub fn problem_under<'a>(&'a self, routing: &'a dyn Routing) -> Result<Problem<'a>> {
        let problem = Problem::new(&self.demand, routing, &self.slots)?;
        Ok(problem.with_objective(&self.objective).with_kinds(self.kinds.as_ref()))
    }

    /// Every routing with its kind and keys, the one in use first.
    pub fn routings(&self) -> impl Iterator<Item = (&Params, &dyn Routing)> {
        let first = (&self.network.routing_params, &*self.network.routing);
        std::iter::once(first).chain(self.others.iter().map(|(params, routing)| (params, &**routing)))
    }
}
