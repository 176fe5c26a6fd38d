//! Throughputs: those that are known, those that are simulated, and the points
//! of the figures with the models beside them.

use super::jobs::{Job, Length, Throughputs};
use super::model::{Point, between_groups, model};
use super::{MINIMAL, Pattern, RANDOM, RESTRICTED, SCHEMES, System, controls, loads, systems};
use crate::{Options, Points, read_points, tell};
use hopline::error::{Error, Result};
use hopline::event::{Event, Observer};
use hopline::fabric::Fabric;
use hopline::id::VertexId;
use hopline::loads::{LinkLoads, Summary, evaluate};
use hopline::plan::Plan;
use hopline::stats::{Estimate, estimate};
use hopline::topology::{Dragonfly, Topology};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Results of the whole study, each with the command that made it.
const KNOWN: &str = include_str!("points.txt");

/// Runs of an exchange, whose throughput is one number a run, without an interval, where packets draw their ways. And of random
/// groups, whose order decides.
const SEEDS: u64 = 3;

/// The jobs of one scheme on one system: several where one says too little.
fn jobs_of(pattern: Pattern, system: System, scheme: usize, options: &Options) -> impl Iterator<Item = Job> + use<> {
    let orders = scheme == RANDOM && !options.quick && system.p <= 4;
    let ends = pattern == Pattern::Nearest && scheme != MINIMAL && (system.p == 2 || !options.quick);
    let runs = if orders || ends { SEEDS } else { 1 };
    let (seed, length) = (options.seed, Length::of(pattern, scheme, system.p, options.quick));
    (0..runs).map(move |run| Job::new(system, pattern, scheme, seed + run, length))
}

fn all_jobs(options: &Options) -> impl Iterator<Item = Job> + use<'_> {
    let of_system = |system| (0..SCHEMES.len()).flat_map(move |s| Pattern::ALL.map(|pattern| (pattern, system, s)));
    let full = systems(options).flat_map(of_system);
    let figures = full.flat_map(|(pattern, system, s)| jobs_of(pattern, system, s, options));
    figures.chain(loads::jobs(options)).chain(controls::jobs(options))
}

/// Throughput by command as far as it is known, in the repository or among the
/// points, and what is to be simulated, the longest first.
pub(super) fn known(options: &Options, points: &dyn Points) -> Result<(Throughputs, Vec<Job>)> {
    let mut known = if options.fresh { BTreeMap::new() } else { read_points(KNOWN, "points.txt")? };
    let mut missing: BTreeMap<String, Job> = BTreeMap::new();
    for job in all_jobs(options) {
        let command = job.command();
        match points.find(&command) {
            Some(value) => _ = known.insert(command, value),
            None if !known.contains_key(&command) => _ = missing.insert(command, job),
            None => {}
        }
    }
    let mut missing: Vec<Job> = missing.into_values().collect();
    missing.sort_by(|a, b| b.work().total_cmp(&a.work()));
    Ok((known, missing))
}

/// Throughput by command: what is missing is simulated, and kept as soon as it is done.
pub(super) fn throughputs(
    options: &Options,
    points: &mut dyn Points,
    observer: &mut dyn Observer,
) -> Result<Throughputs> {
    let (mut known, missing) = known(options, points)?;
    tell(observer, Event::Stage { what: "simulations".into(), steps: missing.len() as u64 })?;
    let desk = Mutex::new((points, observer, 0));
    let simulate = |job: Job| -> Result<(String, Estimate)> {
        let (command, value) = (job.command(), job.simulate()?);
        let (points, observer, done) = &mut *desk.lock().map_err(|_| Error::failed("a simulation panicked"))?;
        points.keep(&command, value)?;
        *done += 1;
        tell(*observer, Event::Progress(*done))?;
        Ok((command, value))
    };
    known.extend(missing.into_iter().par_bridge().map(simulate).collect::<Result<Vec<_>>>()?);
    Ok(known)
}

/// The throughputs of one pattern on one system, and the models.
pub(super) fn point(pattern: Pattern, system: System, options: &Options, throughputs: &Throughputs) -> Result<Point> {
    let simulated = std::array::from_fn(|scheme| {
        let runs: Vec<Estimate> =
            jobs_of(pattern, system, scheme, options).map(|j| throughputs[&j.command()]).collect();
        match runs[..] {
            // Where nothing is drawn another run is the same.
            [only] if scheme == MINIMAL && pattern == Pattern::Nearest => Estimate { half: 0.0, ..only },
            [only] => only,
            // Runs differ by the order of the groups, or the end of the exchange, more than each varies.
            _ => estimate(&runs.iter().map(|run| run.mean).collect::<Vec<_>>(), CONFIDENCE),
        }
    });
    let job = Job::new(system, pattern, RESTRICTED, 0, Length::SHORT);
    let plan = job.plan()?;
    let Topology::Dragonfly(dragonfly) = &plan.network.topology else {
        return Err(Error::failed("the study is about Dragonflies"));
    };
    let (fabric, loads) = (&plan.network.fabric, expected(&plan)?);
    let amount = between_groups(&plan.demand, dragonfly);
    let elsewhere = busiest_elsewhere(&loads, dragonfly, fabric, &amount).map(full);
    let one_side = match pattern == Pattern::Nearest && system.is_balanced() {
        true => {
            let plan = controls::one_side(job).plan()?;
            Some(busiest(&plan, &expected(&plan)?))
        }
        false => None,
    };
    Ok(Point {
        system,
        simulated,
        model: model(dragonfly, &amount),
        worst_link: busiest(&plan, &loads),
        elsewhere,
        one_side,
    })
}

/// Load of every link on average.
fn expected(plan: &Plan) -> Result<LinkLoads> {
    // Task t sits on endpoint t, and endpoints come first.
    let at: Vec<VertexId> = (0..plan.demand.tasks()).map(VertexId).collect();
    evaluate(&plan.demand, &at, &*plan.network.routing)
}

/// Throughput at which the busiest link is full.
fn busiest(plan: &Plan, loads: &LinkLoads) -> f64 {
    full(Summary::new(&plan.demand, loads, &plan.network.fabric).busy.1)
}

/// Links of 1 GB/s and tasks that send one unit: busy time is load over injection.
fn full(busiest: f64) -> f64 {
    if busiest > 0.0 { (1.0 / busiest).min(1.0) } else { 1.0 }
}

/// Of all intervals at full load.
const CONFIDENCE: f64 = 0.95;

/// Load of the busiest local link outside of the groups that send to themselves;
/// `None` where all do or none does.
fn busiest_elsewhere(loads: &LinkLoads, d: &Dragonfly, fabric: &Fabric, amount: &[f64]) -> Option<f64> {
    let groups = d.groups();
    let (own, others): (Vec<u32>, Vec<u32>) = (0..groups).partition(|&i| amount[(i * groups + i) as usize] > 0.0);
    let pairs = || (0..d.a()).flat_map(|x| (0..d.a()).filter(move |&y| y != x).map(move |y| (x, y)));
    let links = others.iter().flat_map(|&i| pairs().map(move |(x, y)| d.local_link(fabric, i, x, y)));
    let busiest = links.map(|l| loads.load[l.index()]).reduce(f64::max);
    busiest.filter(|&load| load > 0.0 && !own.is_empty())
}
