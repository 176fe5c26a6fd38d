//! Flits per second and instructions per flit-hop.
//!
//! `cargo bench --bench flits` prints for every case the flit-hops (router
//! traversals) per second of one thread, best of three. With cases' names it
//! runs those once, on `threads=N` threads; instructions are counted by
//! `valgrind --tool=callgrind target/release/deps/flits-* small-minimal`.
#![allow(clippy::print_stdout, reason = "a bench prints")]

use hopline::error::Place;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Injection, Process, ROUTER, Router, Simulation};
use hopline::forwarding::{self, Any, Wiring};
use hopline::id::SlotId;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::scenario::Scenario;
use hopline::traffic;
use std::sync::Arc;
use std::time::Instant;

struct Case {
    name: &'static str,
    topology: &'static str,
    routing: &'static str,
    traffic: &'static str,
    router: &'static str,
    load: f64,
    cycles: u32,
}

const fn case(
    name: &'static str,
    topology: &'static str,
    routing: &'static str,
    traffic: &'static str,
    load: f64,
    cycles: u32,
) -> Case {
    Case { name, topology, routing, traffic, router: "router", load, cycles }
}

const SMALL: &str = "dragonfly:p=2,a=4,h=2";
const MIDDLE: &str = "dragonfly:p=4,a=8,h=4";
const LARGE: &str = "dragonfly:p=8,a=16,h=8";
const LARGE_FAR: &str = "dragonfly:p=8,a=16,h=8,local_latency=10,global_latency=100";

const CASES: &[Case] = &[
    case("small-minimal", SMALL, "minimal", "uniform", 0.3, 1000),
    case("small-any", SMALL, "valiant-any", "bit-complement", 0.3, 1000),
    case("middle-minimal", MIDDLE, "minimal", "uniform", 0.3, 1000),
    case("middle-any", MIDDLE, "valiant-any", "bit-complement", 0.3, 300),
    case("middle-saturated", MIDDLE, "valiant-restricted", "bit-complement", 1.0, 1000),
    case("middle-filling", MIDDLE, "valiant-restricted", "bit-complement", 1.0, 120),
    Case { router: "router:packet=8", ..case("middle-packets", MIDDLE, "minimal", "uniform", 0.3, 1000) },
    Case {
        router: "router:packet=8,switching=wormhole",
        ..case("middle-worms", MIDDLE, "minimal", "uniform", 0.3, 1000)
    },
    case("middle-far", "dragonfly:p=4,a=8,h=4,local_latency=10,global_latency=100", "minimal", "uniform", 0.3, 1000),
    case("torus-dor", "torus:dims=8x8", "dor", "uniform", 0.15, 2000),
    case("torus-adaptive", "torus:dims=8x8", "min-adaptive", "uniform", 0.15, 2000),
    case("torus-adaptive-full", "torus:dims=8x8", "min-adaptive", "uniform", 1.0, 1000),
    case("torus-dor-full", "torus:dims=8x8", "dor", "uniform", 1.0, 1000),
    case("middle-progressive", MIDDLE, "par:threshold=8", "shift:groups=1", 0.3, 300),
    case("hyperx-deroutes", "hyperx:dims=4x4x4,p=4", "omni-dimensional", "uniform", 0.5, 500),
    case("large-minimal", LARGE, "minimal", "uniform", 0.3, 70),
    case("large-any", LARGE, "valiant-any", "bit-complement", 0.3, 500),
    case("large-saturated", LARGE, "valiant-restricted", "bit-complement", 1.0, 1000),
    case("large-far", LARGE_FAR, "minimal", "uniform", 0.3, 1000),
    case("large-any-far", LARGE_FAR, "valiant-any", "bit-complement", 0.3, 2000),
];

fn set_up(case: &Case, threads: usize) -> Simulation<Any> {
    let place = Place::new("bench", 0);
    let scenario = Scenario::default().topology(case.topology).and_then(|s| s.routing(case.routing)).expect("specs");
    let network = Network::new(&scenario, &Disk).expect("machine");
    let fabric = &network.fabric;
    let context = traffic::Context { fabric, slots: fabric.hosts().slots(), files: &Disk };
    let demand = traffic::build(&Params::from_spec(case.traffic, &place).expect("spec"), &context).expect("job").demand;
    let places: Vec<_> = (0..demand.tasks()).map(|t| fabric.hosts().endpoint_of(SlotId(t))).collect();
    let router = Params::from_spec(case.router, &place).and_then(|p| p.check(&ROUTER)).and_then(|r| Router::read(&r));
    let router = router.expect("router");
    let wiring = Arc::new(Wiring::new(fabric, router.latency).expect("wiring"));
    let context =
        forwarding::Context { topology: &network.topology, fabric, wiring: &wiring, routing: &*network.routing };
    let params = Params::from_spec(case.routing, &place).expect("spec");
    let forwarding = forwarding::build(&params, &context).expect("forwarding");
    let setting = FlitModel::new(
        wiring,
        forwarding,
        router,
        Injection { demand: &demand, place: &places, process: Process::Bernoulli, load: case.load, seed: 1 },
    )
    .expect("setting");
    Simulation::new(setting, threads)
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let threads = named.iter().find_map(|n| n.strip_prefix("threads=")).and_then(|n| n.parse().ok()).unwrap_or(1);
    for case in CASES.iter().filter(|c| named.is_empty() || named.iter().any(|n| n == c.name)) {
        let mut best = 0.0f64;
        let runs = if named.is_empty() { 3 } else { 1 };
        let mut last = None;
        for _ in 0..runs {
            let mut simulation = set_up(case, threads);
            let start = Instant::now();
            simulation.advance(case.cycles).expect("alone");
            let hops = simulation.totals().hops as f64;
            best = best.max(hops / start.elapsed().as_secs_f64());
            last = Some(simulation);
        }
        let Some(simulation) = last else { continue };
        let t = simulation.totals();
        println!(
            "{:18} {:6.2} Mflit-hops/s  {:9} flit-hops  accepted {:.4}  latency {:.2}  in flight {}",
            case.name,
            best / 1e6,
            t.hops,
            t.delivered as f64 / f64::from(case.cycles) / f64::from(simulation.setting().senders()),
            t.latency as f64 / t.packets.max(1) as f64,
            simulation.in_flight(),
        );
    }
}
