//! How good mappings are: a table of instances x strategies with J (the
//! literature's hop-bytes: each undirected edge once), the busiest link and CPU
//! seconds, medians and spread over seeds, how far they are from proven bounds,
//! and Scotch beside them where it is installed.
//!
//! `cargo bench --bench mapping -- [--data DIR] [--seeds N] [--only WORD] [--mapping A,B,...]`
//!
//! Data is looked for in `--data`, `$HOPLINE_DATA` and `../shared/data`; a random
//! geometric graph stands in for one that is absent, and machines that are
//! absent are left out.
#![allow(clippy::print_stdout, reason = "it prints a table")]

mod instances;
mod scotch;

use hopline::demand::{Demand, Unit};
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::loads::{Summary, evaluate};
use hopline::mapping::{self, Context, Mapping, Problem};
use hopline::params::{Params, split_specs};
use hopline::plan::{Network, Plan};
use hopline::rng::Rng;
use hopline::scenario::Scenario;
use instances::{INSTANCES, Instance};

struct Options {
    data: String,
    seeds: u64,
    only: String,
    mappings: Option<String>,
}

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let option = |name: &str| given.iter().position(|a| a == name).and_then(|i| given.get(i + 1)).cloned();
    let options = Options {
        data: option("--data").or(std::env::var("HOPLINE_DATA").ok()).unwrap_or_else(|| "../../../shared/data".into()),
        seeds: option("--seeds").and_then(|n| n.parse().ok()).unwrap_or(5),
        only: option("--only").unwrap_or_default(),
        mappings: option("--mapping"),
    };
    println!("| instance | mapping | J | x bound | busiest link | x bound | GB/s | CPU s |");
    println!("|---|---|---|---|---|---|---|---|");
    for instance in INSTANCES.iter().filter(|i| i.name.contains(&options.only)) {
        match job(instance, &options) {
            Some((network, demand, slots)) => table(instance, &network, &demand, &slots, &options),
            None => println!("| {} | left out: its machine is not in {} | | | | | | |", instance.name, options.data),
        }
    }
}

/// Machine, job and slots of an instance; `None` where the machine is absent.
fn job(instance: &Instance, options: &Options) -> Option<(Network, Demand, Vec<SlotId>)> {
    let here = |text: &str| text.replace("DATA", &options.data);
    let mut scenario = Scenario::default().topology(&here(instance.topology)).expect("topology");
    if !instance.routing.is_empty() {
        scenario = scenario.routing(instance.routing).expect("routing");
    }
    if !instance.hosts.is_empty() {
        scenario = scenario.hosts(instance.hosts);
    }
    match Plan::new(&scenario.clone().traffic(&here(instance.traffic)).expect("traffic"), &Disk) {
        Ok(Plan { network, demand, slots, .. }) => Some((network, demand, slots)),
        Err(_) => {
            let network = Network::new(&scenario, &Disk).ok()?;
            let slots: Vec<SlotId> = (0..network.fabric.hosts().slots()).map(SlotId).collect();
            Some((network, geometric(slots.len() as u32), slots))
        }
    }
}

fn table(instance: &Instance, network: &Network, demand: &Demand, slots: &[SlotId], options: &Options) {
    let problem = Problem::new(demand, &*network.routing, slots).expect("problem");
    let bounds = [mapping::hop_bound(&problem).map(|b| b / 2.0), mapping::bound(&problem).map(|b| b.busy)];
    let place = Place::new("--mapping", 0);
    for spec in split_specs(options.mappings.as_deref().unwrap_or(instance.mappings), &place).expect("specs") {
        let params = Params::from_spec(&spec, &place).expect("spec");
        let strategy = mapping::build(&params, &Disk).expect("mapping");
        let runs: Result<Vec<Run>, _> = (0..options.seeds)
            .map(|seed| {
                let before = cpu();
                let chosen = strategy.map(&problem, &mut Context::new(seed, &params.spec(), &mut Silent))?;
                Ok::<_, hopline::error::Error>(score(demand, &chosen, network, cpu() - before))
            })
            .collect();
        match runs {
            Ok(runs) => report(instance.name, &params.spec(), &runs, bounds),
            Err(e) => println!("| {} | {} | {e} | | | | | |", instance.name, params.spec()),
        }
    }
    for strategy in ["q", "qb"] {
        if let Some(found) = scotch::map(&problem, strategy) {
            let run = score(demand, &found.mapping, network, found.seconds);
            report(instance.name, &format!("Scotch -c{strategy}, {} moved", found.surplus), &[run], bounds);
        }
    }
}

/// A random geometric graph of about eight neighbours a task.
fn geometric(tasks: u32) -> Demand {
    let mut rng = Rng::new(1, "geometric");
    let at: Vec<(f64, f64)> = (0..tasks).map(|_| (rng.unit(), rng.unit())).collect();
    let radius = (8.0 / std::f64::consts::PI / f64::from(tasks)).sqrt();
    let cells = (1.0 / radius) as usize;
    let cell = |p: (f64, f64)| ((p.0 * cells as f64) as usize, (p.1 * cells as f64) as usize);
    let mut grid = vec![Vec::new(); cells * cells];
    at.iter().enumerate().for_each(|(t, &p)| grid[cell(p).0 * cells + cell(p).1].push(t));
    let mut entries = Vec::new();
    for (t, &p) in at.iter().enumerate() {
        let (x, y) = cell(p);
        for (i, j) in (x.saturating_sub(1)..=x + 1).flat_map(|i| (y.saturating_sub(1)..=y + 1).map(move |j| (i, j))) {
            let near = |u: &&usize| **u != t && (at[**u].0 - p.0).hypot(at[**u].1 - p.1) < radius;
            if i < cells && j < cells {
                entries.extend(grid[i * cells + j].iter().filter(near).map(|&u| (t as u32, u as u32, 1.0)));
            }
        }
    }
    Demand::new(tasks, Unit::Bytes, entries, Vec::new()).expect("demand")
}

/// J, busy time and load of the busiest link, throughput, CPU seconds.
struct Run([f64; 5]);

fn score(demand: &Demand, chosen: &Mapping, network: &Network, seconds: f64) -> Run {
    let loads = evaluate(demand, &chosen.places(network.fabric.hosts()), &*network.routing).expect("loads");
    let s = Summary::new(demand, &loads, &network.fabric);
    Run([s.hop_bytes / 2.0, s.busy.0, s.max_load, s.throughput_gb_s.unwrap_or(0.0), seconds])
}

fn report(name: &str, mapping: &str, runs: &[Run], [far, busy]: [Option<f64>; 2]) {
    let sorted = |field: usize| {
        let mut all: Vec<f64> = runs.iter().map(|r| r.0[field]).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let median = |field: usize| sorted(field)[runs.len() / 2];
    let shown = |field: usize| {
        let all = sorted(field);
        let (first, last) = (all[0], all[all.len() - 1]);
        let median = number(median(field));
        if number(first) == number(last) { median } else { format!("{median} ({}-{})", number(first), number(last)) }
    };
    let times =
        |value: f64, bound: Option<f64>| bound.filter(|b| *b > 0.0).map_or("-".into(), |b| format!("{:.2}", value / b));
    println!(
        "| {name} | {mapping} | {} | {} | {} | {} | {} | {:.2} |",
        shown(0),
        times(median(0), far),
        shown(2),
        times(median(1), busy),
        shown(3),
        median(4)
    );
}

/// Whole numbers, or three digits.
fn number(x: f64) -> String {
    let rounded = x.round();
    if (x - rounded).abs() < 1e-6 * x.abs().max(1.0) {
        return format!("{rounded:.0}");
    }
    let digits = (2 - x.abs().log10().floor() as i32).max(0) as usize;
    format!("{x:.digits$}")
}

/// CPU seconds of all threads; 0 where the system does not tell.
fn cpu() -> f64 {
    let of_thread = |task: std::fs::DirEntry| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0)
    };
    std::fs::read_dir("/proc/self/task").map_or(0.0, |tasks| tasks.flatten().map(of_thread).sum::<f64>() / 1e9)
}
