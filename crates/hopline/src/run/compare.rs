//! Several machines for a set of jobs: by load, cost and power.

mod verdict;
mod worst;

pub use verdict::{CompareKind, CompareVerdict};

use super::{Forget, flits, load};
use crate::cost::{self, Bill, Prices};
use crate::error::{Error, Result};
use crate::event::Observer;
use crate::fabric::Fabric;
use crate::files::Files;
use crate::flits::Options;
use crate::params::Params;
use crate::plan::{Network, Plan};
use crate::power;
use crate::routing::{Routing as _, Shortest};
use crate::scenario::Scenario;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// What is compared, and by what.
pub struct CompareOptions {
    /// Jobs that run on every machine, beside uniform traffic, the worst shift, and those that scenarios name.
    pub jobs: Vec<Params>,
    /// Prices of switches and cables.
    pub prices: Prices,
    /// How long flits are simulated at full load under every job; not at all where there is none.
    pub flits: Option<Options>,
    /// Seed of every random choice.
    pub seed: u64,
}

/// Several machines for a set of jobs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CompareOutcome {
    /// Which one carries the most for its price.
    pub verdict: CompareVerdict,
    /// The jobs, in the order in which every machine has them.
    pub jobs: Vec<String>,
    /// Every machine under every routing that was asked for.
    pub machines: Vec<ComparedMachine>,
    /// Seed of every random choice.
    pub seed: u64,
    /// What people should know.
    pub notes: Vec<String>,
}

/// A machine under one routing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ComparedMachine {
    /// The machine.
    pub fabric: String,
    /// Its routing.
    pub routing: String,
    /// Hosts, and endpoints, of which a host may have several.
    pub hosts: u32,
    /// Places where traffic comes from and goes to.
    pub endpoints: u32,
    /// Switches and cables with their prices.
    #[serde(flatten)]
    pub bill: Bill,
    /// The price for each host.
    pub cost_per_host: f64,
    /// Watts of the network while nothing is sent.
    pub watts: f64,
    /// The same for each host.
    pub watts_per_host: f64,
    /// Most links between routers on a shortest path between two hosts; null where the machine is too large to look.
    pub diameter: Option<u32>,
    /// Bandwidth from the first half of the endpoints to the second, GB/s; null where nothing limits it or the machine is
    /// too large to look.
    pub bisection_gb_s: Option<f64>,
    /// What it does under each job.
    pub jobs: Vec<ComparedJob>,
    /// Shifts among which the worst was looked for.
    pub shifts_tried: u32,
    /// All that there are: the worst of so many is the worst of all.
    pub shifts: u32,
}

/// A job on a machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ComparedJob {
    /// The job, as it stands above all machines.
    pub job: String,
    /// What that is on this machine.
    pub traffic: Option<String>,
    /// Throughput as far as the busiest link allows it, GB/s per host; null where nothing limits it, and where loads are not
    /// known before a simulation.
    pub throughput_gb_s: Option<f64>,
    /// The class of that link.
    pub bottleneck: Option<String>,
    /// Links between routers that the mean message crosses.
    pub mean_hops: Option<f64>,
    /// GB/s for every 1000 that the network costs.
    pub gb_s_per_1000: Option<f64>,
    /// GB/s for every watt that it takes.
    pub gb_s_per_watt: Option<f64>,
    /// Flits per cycle and sender that arrive when each sends one every cycle; null where it was not simulated.
    pub saturation: Option<f64>,
    /// The same in GB/s per host; null where links differ in bandwidth, which flits do not.
    pub saturation_gb_s: Option<f64>,
    /// That for every 1000 that the network costs.
    pub saturation_per_1000: Option<f64>,
    /// That for every watt that it takes.
    pub saturation_per_watt: Option<f64>,
    /// Why something above is missing.
    pub missing: Option<String>,
}

/// Names of the jobs that every machine is looked at under.
const UNIFORM: &str = "uniform";
const WORST: &str = "worst shift";

/// Steps, links times places where paths end, beyond which a diameter or a bisection is not looked for.
const MOST_STEPS: u64 = 2_000_000_000;

/// Evaluates every machine, under each of its routings, with every job. Loads are those of [`load`] under the scenario's
/// first mapping; a worst shift is the one, of all or of those that were tried, with the least throughput, or, where flits are simulated, with the least
/// saturation.
///
/// # Errors
/// There is no machine, one cannot be built, or a job fits none.
pub fn compare(
    scenarios: &[Scenario],
    options: &CompareOptions,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<CompareOutcome> {
    if scenarios.is_empty() {
        return Err(Error::input("no machine is named").hint("name scenarios or topologies, two or more"));
    }
    let mut jobs = options.jobs.clone();
    for own in scenarios.iter().filter_map(|s| s.traffic.as_ref()) {
        if jobs.iter().all(|job| job.spec() != own.spec()) {
            jobs.push(own.clone());
        }
    }
    jobs.retain(|job| job.spec() != UNIFORM);
    let (mut machines, mut specs) = (Vec::new(), Vec::new());
    for scenario in scenarios {
        let ways: Vec<Vec<Params>> = match &scenario.routings[..] {
            [] => vec![Vec::new()],
            named => named.iter().map(|way| vec![way.clone()]).collect(),
        };
        for routings in ways {
            let scenario = Scenario { routings, seed: options.seed, ..scenario.clone() };
            machines.push(machine(&scenario, &jobs, options, files, observer)?);
            specs.push(scenario.topology.as_ref().map(Params::spec).unwrap_or_default());
        }
    }
    tell_apart(&mut machines, &specs);
    for (k, job) in jobs.iter().enumerate() {
        let cells = || machines.iter().map(|m| &m.jobs[k + 2]);
        if let Some(why) =
            cells().find_map(|cell| cell.missing.as_ref().filter(|_| cells().all(|c| c.traffic.is_none())))
        {
            return Err(Error::input(format!("no machine runs {}: {why}", job.spec())).at(job.place()));
        }
    }
    let names = [UNIFORM.to_string(), WORST.to_string()].into_iter().chain(jobs.iter().map(Params::spec)).collect();
    Ok(CompareOutcome {
        verdict: verdict::verdict(&machines),
        jobs: names,
        notes: notes(&machines),
        machines,
        seed: options.seed,
    })
}

/// Files may give their graphs one name: then each is called by what was asked for.
fn tell_apart(machines: &mut [ComparedMachine], specs: &[String]) {
    let names: Vec<String> = machines.iter().map(|m| m.fabric.clone()).collect();
    for (machine, spec) in machines.iter_mut().zip(specs) {
        let is_other = |(name, other): (&String, &String)| *name == machine.fabric && other != spec;
        if names.iter().zip(specs).any(is_other) {
            machine.fabric.clone_from(spec);
        }
    }
}

/// What makes machines hard to compare.
fn notes(machines: &[ComparedMachine]) -> Vec<String> {
    let hosts = || machines.iter().map(|m| m.hosts);
    let (least, most) = (hosts().min().unwrap_or(0), hosts().max().unwrap_or(0));
    let mut notes = Vec::new();
    if f64::from(most) > 1.25 * f64::from(least) {
        notes.push(format!(
            "machines have {least} to {most} hosts: prices and watts for each host compare them, sums do not"
        ));
    }
    for m in machines.iter().filter(|m| m.shifts_tried < m.shifts) {
        let ComparedMachine { fabric, routing, shifts_tried: tried, shifts: all, .. } = m;
        notes.push(format!("{fabric}, {routing}: the worst shift is the worst of {tried} that were tried, of {all}"));
    }
    notes.push(
        "prices and lengths are those of `hopline explain cost`: replace them by quotes before anything is bought"
            .into(),
    );
    notes
}

fn machine(
    scenario: &Scenario,
    jobs: &[Params],
    options: &CompareOptions,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<ComparedMachine> {
    let network = Network::new(scenario, files)?;
    let (fabric, routing) = (network.fabric.clone(), network.routing_spec());
    let bill = cost::bill(&fabric, &options.prices);
    let watts = watts(scenario, &fabric, files)?;
    let hosts = fabric.hosts();
    let with_slots = (0..hosts.len()).filter(|&h| hosts.slot_count(crate::id::HostId(h)) > 0).count() as u32;
    let per_host = |all: f64| all / f64::from(with_slots.max(1));
    let mut bench = Bench {
        scenario,
        files,
        options,
        network: Some(network),
        per_host: [per_host(bill.cost), per_host(watts)],
        full_gb_s: fabric.one_bandwidth().map(|full| per_host(full.as_gb_s() * f64::from(fabric.endpoints()))),
    };
    let mut cells = vec![bench.job(UNIFORM, &job_of("uniform")?, observer)];
    let worst = worst::shift(&mut bench, observer)?;
    cells.push(bench.job(WORST, &worst.shift, observer));
    for params in jobs {
        cells.push(bench.job(&params.spec(), params, observer));
    }
    Ok(ComparedMachine {
        fabric: fabric.name().to_string(),
        routing,
        hosts: with_slots,
        endpoints: fabric.endpoints(),
        cost_per_host: per_host(bill.cost),
        watts_per_host: per_host(watts),
        bill,
        watts,
        diameter: diameter(&fabric),
        bisection_gb_s: bisection(&fabric),
        jobs: cells,
        shifts_tried: worst.tried,
        shifts: worst.all,
    })
}

fn job_of(spec: &str) -> Result<Params> {
    Params::from_spec(spec, &crate::error::Place::new("traffic", 0))
}

/// A machine that jobs are tried on.
struct Bench<'a> {
    scenario: &'a Scenario,
    files: &'a dyn Files,
    options: &'a CompareOptions,
    /// The machine, as long as no plan has it.
    network: Option<Network>,
    /// Price and watts for each host.
    per_host: [f64; 2],
    /// GB/s for each host while its endpoints send a flit every cycle; none where links differ in bandwidth.
    full_gb_s: Option<f64>,
}

impl Bench<'_> {
    /// Plans a job; the machine comes back from the plan with [`Bench::done`].
    fn plan(&mut self, traffic: &Params) -> Result<Plan> {
        let scenario = Scenario { traffic: Some(traffic.clone()), ..self.scenario.clone() };
        let network = match self.network.take() {
            Some(network) => network,
            None => Network::new(&scenario, self.files)?,
        };
        Plan::with_network(&scenario, self.files, network)
    }

    fn done(&mut self, plan: Plan) {
        self.network = Some(plan.network);
    }

    /// What the machine does under a job; where it does not run it the cell says why.
    fn job(&mut self, name: &str, traffic: &Params, observer: &mut dyn Observer) -> ComparedJob {
        let mut cell = ComparedJob {
            job: name.to_string(),
            traffic: None,
            throughput_gb_s: None,
            bottleneck: None,
            mean_hops: None,
            gb_s_per_1000: None,
            gb_s_per_watt: None,
            saturation: None,
            saturation_gb_s: None,
            saturation_per_1000: None,
            saturation_per_watt: None,
            missing: None,
        };
        let [cost, watts] = self.per_host;
        let over = |gb_s: Option<f64>, per_host: f64| gb_s.filter(|_| per_host > 0.0).map(|gb_s| gb_s / per_host);
        let plan = match self.plan(traffic) {
            Ok(plan) => plan,
            Err(e) => return ComparedJob { missing: Some(e.to_string()), ..cell },
        };
        cell.traffic = Some(plan.traffic_spec.clone());
        match load(&plan, 0, observer) {
            Ok(loaded) => {
                cell.throughput_gb_s = loaded.summary.throughput_gb_s;
                cell.bottleneck = loaded.summary.bottleneck.clone();
                cell.mean_hops = Some(loaded.summary.dilation);
                cell.gb_s_per_1000 = over(cell.throughput_gb_s, cost / 1000.0);
                cell.gb_s_per_watt = over(cell.throughput_gb_s, watts);
            }
            Err(e) => cell.missing = Some(e.to_string()),
        }
        if let Some(options) = &self.options.flits {
            match saturation(&plan, options, observer) {
                Ok(accepted) => {
                    cell.missing = None;
                    cell.saturation = accepted;
                    cell.saturation_gb_s = accepted.zip(self.full_gb_s).map(|(part, full)| part * full);
                    cell.saturation_per_1000 = over(cell.saturation_gb_s, cost / 1000.0);
                    cell.saturation_per_watt = over(cell.saturation_gb_s, watts);
                }
                Err(e) => cell.missing = Some(e.to_string()),
            }
        }
        self.done(plan);
        cell
    }
}

/// Flits per cycle and sender that arrive at full load.
fn saturation(plan: &Plan, options: &Options, observer: &mut dyn Observer) -> Result<Option<f64>> {
    let options = Options { loads: vec![1.0], until: None, ..options.clone() };
    let outcome = flits(plan, &options, &mut Forget, observer)?;
    Ok(outcome.points.first().map(|point| point.accepted))
}

/// Idle watts of all links, over their share of the network's power; links without a bandwidth are as the widest that has one.
fn watts(scenario: &Scenario, fabric: &Fabric, files: &dyn Files) -> Result<f64> {
    let params = scenario.power.clone().unwrap_or_else(power::no_params);
    let model = power::Model::read(&params, files)?;
    model.check(fabric).map_err(|e| e.at(params.place()))?;
    let widest = fabric.classes().iter().filter_map(|c| c.bandwidth).max();
    let class = |c: &crate::fabric::LinkClass| {
        let known = crate::fabric::LinkClass { bandwidth: c.bandwidth.or(widest), ..c.clone() };
        model.watts(&known).idle
    };
    let watts: Vec<f64> = fabric.classes().iter().map(class).collect();
    // The sum of nothing is minus zero.
    let links: f64 = 0.0 + fabric.link_ids().map(|l| watts[fabric.class_id(l).index()]).sum::<f64>();
    Ok(if model.links > 0.0 { links / model.links } else { links })
}

fn diameter(fabric: &Arc<Fabric>) -> Option<u32> {
    let homes = u64::from(fabric.vertices().min(fabric.endpoints()));
    (homes * fabric.links() as u64 <= MOST_STEPS).then(|| Shortest::new(fabric.clone()).most_hops())
}

fn bisection(fabric: &Fabric) -> Option<f64> {
    let small = u64::from(fabric.endpoints()) * fabric.links() as u64 <= MOST_STEPS;
    small.then(|| power::bisection(fabric)).flatten().map(|b| b.as_gb_s())
}
