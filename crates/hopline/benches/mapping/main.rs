//! Hop-bytes of mappings: a table of instances x strategies with J (the
//! literature's: each undirected edge once), the busiest link and CPU seconds,
//! medians and spread over seeds, and Scotch beside it where it is installed.
//!
//! `cargo bench --bench mapping -- [--data DIR] [--seeds N] [--only WORD] [--mapping A,B,...]`
//!
//! The instances are looked for in `--data`, `$HOPLINE_DATA` and
//! `../shared/data`; a random geometric graph stands in for one that is absent.
#![allow(clippy::print_stdout, reason = "it prints a table")]

mod scotch;

use hopline::demand::{Demand, Unit};
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::loads::{Summary, evaluate};
use hopline::mapping::{self, Context, Mapping, Problem};
use hopline::params::{Params, split_specs};
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::scenario::Scenario;
use hopline::traffic;

/// Name, topology, traffic; `DATA/` is where the data is.
const INSTANCES: &[(&str, &str, &str)] = &[
    ("torus16 halo2d_64x64", TORUS, "halo:grid=64x64,weight=per-edge"),
    ("torus16 halo3d_16^3", TORUS, "halo:grid=16x16x16,weight=per-edge"),
    ("torus16 transpose_64", TORUS, "transpose:grid=64x64,weight=per-edge"),
    ("torus16 rgg_4096", TORUS, "DATA/mapping/rgg_4096.graph.xz"),
    ("torus16 cg2d_del18", TORUS, "DATA/mapping/cg2d_del18_k4096.graph.xz"),
    ("torus16x16 halo2d_256", TORUS16, "halo:grid=256x256,weight=per-edge"),
    ("torus16x16 halo3d_32x32x64", TORUS16, "halo:grid=32x32x64,weight=per-edge"),
    ("torus16x16 rgg_65536", TORUS16, "DATA/mapping/rgg_65536.graph.xz"),
    ("tree4096 halo2d_64x64", TREE, "halo:grid=64x64,weight=per-edge"),
    ("tree4096 halo3d_16^3", TREE, "halo:grid=16x16x16,weight=per-edge"),
    ("tree4096 rgg_4096", TREE, "DATA/mapping/rgg_4096.graph.xz"),
    ("tree4096 cg2d_del18", TREE, "DATA/mapping/cg2d_del18_k4096.graph.xz"),
    ("tree4096x16 halo2d_256", TREE16, "halo:grid=256x256,weight=per-edge"),
    ("tree4096x16 halo3d_32x32x64", TREE16, "halo:grid=32x32x64,weight=per-edge"),
    ("tree4096x16 rgg_65536", TREE16, "DATA/mapping/rgg_65536.graph.xz"),
    ("torus4x1024 rgg_65536", "torus:dims=4x4x4,slots=1024", "DATA/mapping/rgg_65536.graph.xz"),
    ("torus4x1024 halo3d_32x32x64", "torus:dims=4x4x4,slots=1024", "halo:grid=32x32x64,weight=per-edge"),
    ("tree256x256 rgg_65536", "tree:arity=4x8x8,distance=1x10x100,slots=256", "DATA/mapping/rgg_65536.graph.xz"),
    ("dragonfly rgg_4096", "dragonfly:p=8,a=16,h=8", "DATA/mapping/rgg_4096.graph.xz"),
    ("percs rgg_4096", "percs:ns=32,nd=4", "DATA/mapping/rgg_4096.graph.xz"),
    ("torus12 rgg_4096 holes", "torus:dims=12x18x20", "DATA/mapping/rgg_4096.graph.xz"),
];

const TORUS: &str = "torus:dims=16x16x16";
const TORUS16: &str = "torus:dims=16x16x16,slots=16";
const TREE: &str = "tree:arity=4x16x64,distance=1x10x100";
const TREE16: &str = "tree:arity=4x16x64,distance=1x10x100,slots=16";

struct Options {
    data: String,
    seeds: u64,
    only: String,
    mappings: Vec<Params>,
}

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let option = |name: &str| given.iter().position(|a| a == name).and_then(|i| given.get(i + 1)).cloned();
    let specs = option("--mapping").unwrap_or_else(|| "default,greedy,multilevel".into());
    let options = Options {
        data: option("--data").or(std::env::var("HOPLINE_DATA").ok()).unwrap_or_else(|| "../../../shared/data".into()),
        seeds: option("--seeds").and_then(|n| n.parse().ok()).unwrap_or(5),
        only: option("--only").unwrap_or_default(),
        mappings: split_specs(&specs, &Place::new("--mapping", 0))
            .expect("specs")
            .into_iter()
            .map(|s| Params::from_spec(s.as_ref(), &Place::new("--mapping", 0)).expect("spec"))
            .collect(),
    };
    println!(
        "{:<28} {:<32} {:>12} {:>12} {:>12} {:>9} {:>7}",
        "instance", "mapping", "J", "least", "most", "max link", "CPU s"
    );
    for (name, topology, job) in INSTANCES.iter().filter(|i| i.0.contains(&options.only)) {
        table(name, topology, job, &options);
    }
}

fn table(name: &str, topology: &str, job: &str, options: &Options) {
    let network = Network::new(&Scenario::default().topology(topology).expect("topology"), &Disk).expect("machine");
    let slots: Vec<SlotId> = (0..network.fabric.hosts().slots()).map(SlotId).collect();
    let demand = demand(job, &network, slots.len() as u32, options);
    let problem = Problem::new(&demand, &*network.routing, &slots).expect("problem");
    for params in &options.mappings {
        let strategy = mapping::build(params, &Disk).expect("mapping");
        let mut runs: Vec<(f64, f64, f64)> = Vec::new();
        for seed in 0..options.seeds {
            let before = cpu();
            let rng = Rng::new(seed, &params.spec());
            let chosen = match strategy.map(&problem, &mut Context { rng, observer: &mut Silent }) {
                Ok(chosen) => chosen,
                Err(e) => {
                    println!("{name:<28} {:<32} {e}", params.spec());
                    return;
                }
            };
            let seconds = cpu() - before;
            let (j, link) = score(&demand, &chosen, &network);
            runs.push((j, link, seconds));
        }
        report(name, &params.spec(), &mut runs);
    }
    for strategy in ["q", "qb"] {
        if let Some(found) = scotch::map(&demand, &network.fabric, strategy) {
            let (j, link) = score(&demand, &found.mapping, &network);
            report(name, &format!("scotch -c{strategy}, {} moved", found.surplus), &mut [(j, link, found.seconds)]);
        }
    }
}

/// The traffic of a spec, or of a file.
fn demand(job: &str, network: &Network, slots: u32, options: &Options) -> Demand {
    let context = traffic::Context { fabric: &network.fabric, slots, files: &Disk };
    let spec = match job.strip_prefix("DATA/") {
        Some(file) => format!("matrix:file={}/{file}", options.data),
        None => job.to_string(),
    };
    let params = Params::from_spec(&spec, &Place::new("bench", 0)).expect("spec");
    match traffic::build(&params, &context) {
        Ok(traffic) => traffic.demand,
        Err(_) => geometric(slots),
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

/// J and the busiest link.
fn score(demand: &Demand, chosen: &Mapping, network: &Network) -> (f64, f64) {
    let loads = evaluate(demand, &chosen.places(network.fabric.hosts()), &*network.routing).expect("loads");
    let summary = Summary::new(demand, &loads, &network.fabric);
    (summary.hop_bytes / 2.0, summary.max_load)
}

fn report(name: &str, mapping: &str, runs: &mut [(f64, f64, f64)]) {
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (median, last) = (runs[runs.len() / 2], runs[runs.len() - 1]);
    let mut seconds: Vec<f64> = runs.iter().map(|r| r.2).collect();
    seconds.sort_by(f64::total_cmp);
    println!(
        "{name:<28} {mapping:<32} {:>12.0} {:>12.0} {:>12.0} {:>9.0} {:>7.2}",
        median.0,
        runs[0].0,
        last.0,
        median.1,
        seconds[seconds.len() / 2]
    );
}

/// CPU seconds of this thread; 0 where the system does not tell.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
