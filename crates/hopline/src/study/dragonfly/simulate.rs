//! Simulated throughput of the four schemes, and the figures.

use super::jobs::{Job, Length};
use super::loads;
use super::model::{Model, between_groups, model};
use super::{ANY, Pattern, RANDOM, RESTRICTED, SCHEMES, System, systems};
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::loads::{LinkLoads, Summary, evaluate};
use crate::study::{Figure, Finding, Options, Point as Dot, Points, Published, Series, Verdict, read_points};
use crate::topology::{Dragonfly, Topology};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Everything about one pattern on one system.
pub(super) struct Point {
    pub(super) system: System,
    /// Throughput by scheme, in flits per cycle and endpoint.
    pub(super) simulated: [f64; 4],
    pub(super) model: Model,
    /// Throughput at which the busiest link is full under ValiantRestricted, on average.
    pub(super) worst_link: f64,
    /// The same of local links of groups that send nothing to themselves, where some do.
    pub(super) elsewhere: Option<f64>,
}

/// Results of the whole study, each with the command that made it.
const KNOWN: &str = include_str!("points.txt");

/// The jobs of one scheme on one system: several where groups are in random order.
fn jobs_of(pattern: Pattern, system: System, scheme: usize, options: &Options) -> impl Iterator<Item = Job> + use<> {
    let orders = if scheme == RANDOM && !options.quick && system.p <= 4 { 3 } else { 1 };
    let (seed, length) = (options.seed, Length::of(pattern, system.p, options.quick));
    (0..orders).map(move |order| Job { system, pattern, scheme: SCHEMES[scheme], seed: seed + order, length })
}

fn all_jobs(options: &Options) -> impl Iterator<Item = Job> + use<'_> {
    let of_system = |system| (0..SCHEMES.len()).flat_map(move |s| Pattern::ALL.map(|pattern| (pattern, system, s)));
    let full = systems(options).flat_map(of_system);
    full.flat_map(|(pattern, system, s)| jobs_of(pattern, system, s, options)).chain(loads::jobs(options))
}

/// Throughput by command as far as it is known, in the repository or among the
/// points, and what is to be simulated, the longest first.
pub(super) fn known(options: &Options, points: &dyn Points) -> Result<(BTreeMap<String, f64>, Vec<Job>)> {
    let mut known = if options.fresh { BTreeMap::new() } else { read_points(KNOWN, "points.txt")? };
    let mut missing = Vec::new();
    for job in all_jobs(options) {
        let command = job.command();
        match points.find(&command) {
            Some(value) => _ = known.insert(command, value),
            None if !known.contains_key(&command) => missing.push(job),
            None => {}
        }
    }
    missing.sort_by(|a, b| b.work().total_cmp(&a.work()));
    Ok((known, missing))
}

/// Throughput by command: what is missing is simulated, and kept as soon as it is done.
pub(super) fn throughputs(
    options: &Options,
    points: &mut dyn Points,
    observer: &mut dyn Observer,
) -> Result<BTreeMap<String, f64>> {
    let (mut known, missing) = known(options, points)?;
    let tell = |observer: &mut dyn Observer, event: Event| match observer.event(event) {
        Control::Stop => Err(Error::failed("the study was stopped before its end")),
        Control::Continue => Ok(()),
    };
    tell(observer, Event::Stage { what: "simulations".into(), steps: missing.len() as u64 })?;
    let desk = Mutex::new((points, observer, 0));
    let simulate = |job: Job| -> Result<(String, f64)> {
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
pub(super) fn point(
    pattern: Pattern,
    system: System,
    options: &Options,
    throughputs: &BTreeMap<String, f64>,
) -> Result<Point> {
    let mut simulated = [0.0; 4];
    for (s, mean) in simulated.iter_mut().enumerate() {
        let jobs: Vec<Job> = jobs_of(pattern, system, s, options).collect();
        *mean = jobs.iter().map(|job| throughputs[&job.command()]).sum::<f64>() / jobs.len() as f64;
    }
    let length = Length::of(pattern, system.p, options.quick);
    let plan = Job { system, pattern, scheme: SCHEMES[RESTRICTED], seed: 0, length }.plan()?;
    let Topology::Dragonfly(dragonfly) = &plan.network.topology else {
        return Err(Error::failed("the study is about Dragonflies"));
    };
    let (fabric, demand) = (&plan.network.fabric, &plan.demand);
    // Task t sits on endpoint t, and endpoints come first.
    let at: Vec<VertexId> = (0..demand.tasks()).map(VertexId).collect();
    let loads = evaluate(demand, &at, &*plan.network.routing)?;
    // Links of 1 GB/s and tasks that send one unit: busy time is load over injection.
    let full = |busiest: f64| if busiest > 0.0 { (1.0 / busiest).min(1.0) } else { 1.0 };
    let worst_link = full(Summary::new(demand, &loads, fabric).busy.1);
    let amount = between_groups(demand, dragonfly);
    let elsewhere = busiest_elsewhere(&loads, dragonfly, fabric, &amount).map(full);
    Ok(Point { system, simulated, model: model(dragonfly, &amount), worst_link, elsewhere })
}

/// Load of the busiest local link outside of the groups that send to themselves;
/// `None` where all do or none does.
fn busiest_elsewhere(loads: &LinkLoads, d: &Dragonfly, fabric: &Fabric, amount: &[f64]) -> Option<f64> {
    let groups = d.groups();
    let (own, others): (Vec<u32>, Vec<u32>) = (0..groups).partition(|&i| amount[(i * groups + i) as usize] > 0.0);
    let pairs = || (0..d.a).flat_map(|x| (0..d.a).filter(move |&y| y != x).map(move |y| (x, y)));
    let links = others.iter().flat_map(|&i| pairs().map(move |(x, y)| d.local_link(fabric, i, x, y)));
    let busiest = links.map(|l| loads.load[l.index()]).reduce(f64::max);
    busiest.filter(|&load| load > 0.0 && !own.is_empty())
}

/// What section IV-B says of a scheme, in percent: least, most, words.
fn stated(pattern: Pattern, scheme: usize, system: &System) -> Option<(f64, f64, &'static str)> {
    // More than 512 switches: p >= 6.
    match (scheme, pattern) {
        (ANY, _) => Some((33.0, 43.0, "33-43")),
        (RESTRICTED, Pattern::Nearest) if system.p >= 6 => Some((0.0, 20.0, "<20")),
        (RESTRICTED, _) if system.p >= 6 => Some((0.0, 15.0, "<15")),
        _ => None,
    }
}

/// The curves of Figure 3 as numbers.
pub(super) fn findings(pattern: Pattern, point: &Point) -> Vec<Finding> {
    let row = [("p", point.system.p.into()), ("endpoints", point.system.endpoints().into())];
    let cells = SCHEMES.iter().enumerate().map(|(s, scheme)| {
        let percent = 100.0 * point.simulated[s];
        let mut finding = Finding { computed: Some(percent), ..Finding::new(pattern.item(), &row, scheme.head) };
        if let Some((least, most, words)) = stated(pattern, s, &point.system) {
            finding.published = Some(Published::Text(words.into()));
            finding.verdict = Verdict::Differs;
            // Read off a figure: whole percents.
            if (least..=most).contains(&percent.round()) {
                finding.verdict = Verdict::Match;
            } else if s == ANY && percent > most {
                finding = finding.noted(
                    "above the range: short runs have not settled, and of the paper's router only the buffers are known",
                );
            } else if pattern == Pattern::Nearest && s == RESTRICTED {
                finding = finding.noted(
                    "the paper does not state its grid; how far apart neighbours are, and so which local links they share, depends \
                     on it",
                );
            } else if s == ANY {
                finding = finding.noted("below the range; the paper's router and run differ in what it does not say");
            }
        }
        finding
    });
    cells.collect()
}

/// Figures 3a to 3f, two in one.
pub(super) fn figure(pattern: Pattern, points: &[Point]) -> Figure {
    let series = |name: &str, y: &dyn Fn(&Point) -> f64| Series {
        name: name.into(),
        points: points
            .iter()
            .enumerate()
            .map(|(tick, p)| Dot { tick: tick as f64, y: 100.0 * y(p), range: None, published: None })
            .collect(),
    };
    let mut all: Vec<Series> = Vec::new();
    for (s, scheme) in SCHEMES.iter().enumerate() {
        all.push(series(&scheme.head.replace("ValiantRestricted, random groups", "random groups"), &|p| {
            p.simulated[s]
        }));
    }
    all.push(series("3/(4p)", &|p| p.model.estimate));
    all.push(series("busiest link", &|p| p.worst_link));
    all.push(series("uniform limit", &|_| 0.5));
    Figure {
        name: pattern
            .item()
            .split(", throughput")
            .next()
            .unwrap_or("")
            .to_lowercase()
            .replace([',', ':'], "")
            .replace(' ', "-"),
        title: format!("Figure 3: {}", pattern.name()),
        x: "endpoints".into(),
        y: "throughput, % of injection".into(),
        ticks: points.iter().map(|p| p.system.endpoints().to_string()).collect(),
        log: false,
        series: all,
    }
}
