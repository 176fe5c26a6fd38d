//! Laws of the flit simulator: nothing is lost, closed forms are met. Routings are followed, no deadlock, and no other
//! result for any cut, in files of their own.

mod adaptive;
#[path = "../common/mod.rs"]
mod common;
mod counts;
mod coverage;
mod deadlock;
mod deroutes;
mod failing;
mod failing_told;
mod made_up;
mod others;
mod processes;
mod resume;
mod routes;
mod saturated;

use common::network;
use hopline::demand::Flows;
use hopline::error::Place;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Injection, Process, ROUTER, Router, Simulation};
use hopline::forwarding::{self, Any, At, Forwarding, NOWHERE, Wiring};
use hopline::id::{LinkId, SlotId, VertexId};
use hopline::params::Params;
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::scenario::Scenario;
use hopline::traffic;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A machine ready to be simulated.
struct Bench {
    net: Network,
    wiring: Arc<Wiring>,
    forwarding: Any,
}

fn bench(topology: &str, routing: &str) -> Bench {
    bench_of(network(topology, Some(routing)), routing)
}

fn bench_of(net: Network, routing: &str) -> Bench {
    let wiring = Arc::new(Wiring::new(&net.fabric, 1).expect("wiring"));
    let context =
        forwarding::Context { topology: &net.topology, fabric: &net.fabric, wiring: &wiring, routing: &*net.routing };
    let params = Params::from_spec(routing, &Place::new("test", 0)).expect("spec");
    let forwarding =
        forwarding::build(&params, &context).unwrap_or_else(|e| panic!("{} {routing}: {e}", net.fabric.name()));
    Bench { net, wiring, forwarding }
}

fn router(keys: &str) -> Router {
    let params = Params::from_spec(&format!("router:{keys}"), &Place::new("test", 0)).expect("keys");
    params.check(&ROUTER).and_then(|r| Router::read(&r)).expect("router")
}

impl Bench {
    fn demand(&self, job: &str) -> (hopline::demand::Demand, Vec<VertexId>) {
        let fabric = &self.net.fabric;
        let context = traffic::Context { fabric, slots: fabric.hosts().slots(), files: &Disk };
        let params = Params::from_spec(job, &Place::new("test", 0)).expect("spec");
        let demand = traffic::build(&params, &context).expect("job").demand;
        let place = (0..demand.tasks()).map(|t| fabric.hosts().endpoint_of(SlotId(t))).collect();
        (demand, place)
    }

    fn simulation(&self, job: &str, keys: &str, process: Process, load: f64, threads: usize) -> Simulation<&Any> {
        let (demand, place) = self.demand(job);
        let setting = FlitModel::new(
            self.wiring.clone(),
            &self.forwarding,
            router(keys),
            Injection { demand: &demand, place: &place, process, load, seed: 7 },
        );
        Simulation::of_any(setting.expect("setting"), threads)
    }
}

/// Flits per cycle and endpoint that arrive, and cycles of a packet, and links that it takes.
fn measured(topology: &str, routing: &str, job: &str, keys: &str, load: f64) -> [f64; 3] {
    let bench = bench(topology, routing);
    let mut simulation = bench.simulation(job, keys, Process::Bernoulli, load, 1);
    simulation.advance(3000).expect("alone");
    let before = simulation.totals();
    simulation.advance(4000).expect("alone");
    let after = simulation.totals();
    assert_eq!(simulation.deadlock().expect("alone"), None);
    let flits = (after.delivered - before.delivered) as f64;
    let packets = (after.packets - before.packets) as f64;
    let hops = (after.delivered_hops - before.delivered_hops) as f64 / flits;
    [
        flits / 4000.0 / f64::from(simulation.setting().senders()),
        (after.latency - before.latency) as f64 / packets,
        hops - 1.0,
    ]
}

/// Machines, routings and the VCs that they need.
const CASES: &[(&str, &str, u8)] = &[
    ("dragonfly:p=2,a=4,h=2", "minimal", 2),
    ("dragonfly:p=2,a=4,h=2", "minimal:like=booksim", 2),
    ("dragonfly:p=2,a=4,h=2", "minimal:like=caminos", 2),
    ("dragonfly:p=2,a=4,h=2", "valiant-restricted", 3),
    ("dragonfly:p=2,a=4,h=2", "valiant-any", 4),
    ("dragonfly:p=2,a=4,h=2", "ugal-l", 4),
    ("dragonfly:p=2,a=4,h=2", "ugal-g", 4),
    ("dragonfly:p=2,a=4,h=2", "ugal-l:like=booksim", 4),
    ("dragonfly:p=1,a=2,h=1", "ugal-l:like=booksim,threshold=-3", 4),
    ("dragonfly:p=1,a=3,h=1", "valiant-any", 4),
    ("dragonfly:p=2,a=4,h=2", "par:threshold=2", 5),
    ("dragonfly:p=1,a=3,h=1", "par", 5),
    ("dragonfly:p=2,a=2,h=1", "par", 5),
    ("dragonfly:p=2,a=1,h=2", "valiant-restricted", 3),
    ("torus:dims=4x4", "dor", 2),
    ("torus:dims=5x2x3", "dor:tie=split", 2),
    ("kncube:k=4,n=3", "dor:tie=parity", 2),
    ("kncube:k=2,n=4", "dor", 2),
    ("torus:dims=4x4", "min-adaptive", 3),
    ("torus:dims=5x2x3", "min-adaptive:adaptive=2", 4),
    ("kncube:k=2,n=4", "min-adaptive", 3),
    ("fat-tree:k=3,n=3", "d-mod-k", 1),
    ("fat-tree:k=3,n=3", "up-down", 1),
    ("fat-tree:down=3x4x2,up=1x2x3", "d-mod-k:roots=5", 1),
    ("fat-tree:k=3,n=3", "up-adaptive", 1),
    ("torus:dims=4x4", "up-adaptive", 1),
    // Routers with more than 64 ports.
    ("fat-tree:down=66x2,up=1x3", "d-mod-k", 1),
    ("fat-tree:down=66x2,up=1x3", "up-down", 1),
    ("hyperx:dims=3,p=64", "valiant-any", 2),
    ("fat-tree:k=2,n=3", "shortest", 1),
    ("tree:arity=3x2x2", "shortest", 1),
    ("torus:dims=4x4", "up-down", 1),
    ("full-mesh:n=7", "shortest", 1),
    ("torus:dims=4x4", "shortest:vcs=hops", 4),
    ("mesh:dims=4x3x2", "dor", 1),
    ("hyperx:dims=3x3,p=2,trunk=1x2", "dor", 1),
    ("hyperx:dims=3x3,p=2,trunk=1x2", "omni-dimensional", 4),
    ("hyperx:dims=3x1x4,p=2", "omni-dimensional:deroutes=1,threshold=0", 3),
    ("hyperx:dims=3x3,p=2", "omni-dimensional:deroutes=0", 2),
    ("slim-fly:q=3,p=2", "minimal", 2),
    ("dragonfly:p=2,a=4,h=2,g=4,arrangement=circulant", "minimal", 3),
    ("dragonfly:p=1,a=4,h=3,g=4,cables=2", "minimal", 3),
    ("slim-fly:q=3,p=2", "valiant-any", 4),
    ("slim-fly:q=3,p=2", "ugal-l", 4),
    ("hyperx:dims=3x3,p=2,trunk=1x2", "minimal", 2),
    ("hyperx:dims=3x3,p=2", "ugal-g", 4),
    ("dragonfly-plus:p=2", "minimal", 3),
    ("full-mesh:n=7", "valiant-any", 2),
    ("dragonfly:p=2,a=4,h=2", "shortest:vcs=hops", 3),
    ("full-mesh:n=7", "shortest:vcs=hops", 1),
    ("file:testdata/fabrics/rack64", "minhop:vcs=hops", 2),
    ("file:testdata/fabrics/lmc1-8", "table:lid=spread,vcs=hops", 2),
    ("file:testdata/fabrics/rack64", "table", 1),
    ("file:testdata/fabrics/lmc1-8", "table:lid=spread", 1),
];

/// Routings whose paths depend on queues.
fn has_no_shares(routing: &str) -> bool {
    let name = routing.split(':').next().expect("a name");
    ["ugal-l", "ugal-g"].contains(&name) || decides_at_every_hop(name)
}

fn decides_at_every_hop(name: &str) -> bool {
    ["min-adaptive", "up-adaptive", "par", "omni-dimensional"].contains(&name)
}

/// Whether a routing can be simulated with such routers: worms and an escape to which they may come back do not go together.
fn goes_with(routing: &str, keys: &str) -> bool {
    !(decides_at_every_hop(routing.split(':').next().expect("a name")) && keys.contains("wormhole"))
}

/// Nothing is lost or invented, cycle by cycle, at full load and with every kind of router.
#[test]
fn flits_are_conserved_in_every_cycle() {
    let routers = [
        "",
        "buffers=2,output=1,speedup=1",
        "packet=4,buffers=8,output=4",
        "packet=6,buffers=3,output=2,switching=wormhole",
        "arbitration=oldest,delay=3,latency=5",
        "arbitration=fcfs,packet=2,lanes=2,source=3",
        "arbitration=random,speedup=3,latency=2",
        "crossbar=vcs,packet=2,buffers=4,output=3",
        "delay=0",
        "delay=0,crossbar=vcs,packet=3,buffers=4,output=3,latency=3",
        "like=booksim,buffers=2",
        "like=booksim,switching=vct,packet=3,buffers=4",
        "like=caminos,buffers=3,claim=switch",
    ];
    for (topology, routing, vcs) in CASES {
        let bench = bench(topology, routing);
        // A port has at most 8 buffers.
        let fits = |keys: &&str| *vcs <= 4 || !keys.contains("lanes=2");
        for keys in routers.into_iter().filter(|keys| goes_with(routing, keys)).filter(fits) {
            let mut simulation = bench.simulation("uniform", keys, Process::Bernoulli, 1.0, 1);
            for cycle in 0..150 {
                simulation.advance(1).expect("alone");
                let t = simulation.totals();
                let what = format!("{topology} {routing} {keys} cycle {cycle}");
                assert_eq!(t.injected, t.delivered + simulation.in_flight(), "{what}");
            }
            assert!(simulation.totals().packets > 0, "{topology} {routing} {keys}: nothing arrives");
            assert_eq!(simulation.deadlock().expect("alone"), None, "{topology} {routing} {keys}");
        }
    }
}

/// An exchange ends with every packet delivered: nobody is forgotten in a corner.
#[test]
fn an_exchange_delivers_all_it_has() {
    for (topology, routing, _) in CASES {
        let bench = bench(topology, routing);
        let routers = [
            "crossbar=vcs,buffers=4",
            "packet=3,switching=wormhole,buffers=2,output=2",
            "packet=2,arbitration=oldest",
            // Queues of endpoints that are shorter than what they have to send.
            "like=caminos,packet=2,source=1",
        ];
        for keys in routers.into_iter().filter(|keys| goes_with(routing, keys)) {
            let mut simulation = bench.simulation("uniform", keys, Process::Exchange { bytes: 1000 }, 1.0, 1);
            let n = u64::from(simulation.setting().senders());
            let flits = 1000u64.div_ceil(64 * u64::from(router(keys).packet)) * u64::from(router(keys).packet);
            for _ in 0..2000 {
                simulation.advance(100).expect("alone");
                if simulation.is_over() {
                    break;
                }
            }
            assert!(simulation.is_over(), "{topology} {routing} {keys}: never ends");
            assert_eq!(simulation.totals().delivered, n * (n - 1) * flits, "{topology} {routing} {keys}");
        }
    }
}

/// Packets that never meet take one cycle per router and link, and the flits behind the first.
#[test]
fn latency_without_load_is_the_closed_form() {
    for (topology, routing, _) in CASES.iter().filter(|c| !c.1.starts_with("ugal") && !c.0.starts_with("file")) {
        let bench = bench(topology, routing);
        for (keys, flits, delay, link) in [
            ("", 1, 1, 1),
            ("packet=5,delay=3,latency=4", 5, 3, 4),
            ("delay=2", 1, 2, 1),
            ("delay=0", 1, 0, 1),
            ("delay=0,packet=5,latency=4", 5, 0, 4),
        ] {
            let (demand, place) = bench.demand("uniform");
            let wiring = Arc::new(Wiring::new(&bench.net.fabric, link).expect("wiring"));
            let setting = FlitModel::new(
                wiring,
                &bench.forwarding,
                router(keys),
                Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 0.0005, seed: 3 },
            );
            let ports = setting.as_ref().map(|_| bench.wiring.ports.clone()).expect("setting");
            let mut simulation = Simulation::of_any(setting.expect("setting"), 1);
            simulation.start_measuring();
            simulation.advance(40_000 * flits).expect("alone");
            let t = simulation.totals();
            // Per packet: routers * delay, the latencies of its links, and the other flits. A Dragonfly's
            // links have a latency of their own.
            let packets = t.injected as f64 / f64::from(flits);
            let routers = t.hops as f64 / t.injected as f64;
            let own = if topology.starts_with("dragonfly") { 1 } else { link };
            let cross = |(p, &n): (&forwarding::Port, &u32)| n * u32::from(if p.peer == NOWHERE { link } else { own });
            let links: u32 = ports.iter().zip(&simulation.sent().expect("alone")).map(cross).sum();
            let links = f64::from(links) / t.injected as f64 + f64::from(link);
            let expected = routers * f64::from(delay) + links + f64::from(flits - 1);
            let latency = t.latency as f64 / t.packets as f64;
            assert!(packets > 50.0, "{topology}: only {packets} packets");
            assert!(
                (latency - expected).abs() < 0.02 * expected,
                "{topology} {routing} {keys}: {latency}, not {expected}"
            );
            assert!(latency > expected - 0.3, "{topology} {routing} {keys}: faster than possible");
        }
    }
}

/// A flit per cycle and VC through the switch is more than one per port and less than two. CAMINOS, whose switch
/// that is, has 9.42 cycles here.
#[test]
fn a_switch_of_vcs_lies_between_speed_ups() {
    let bench = bench("dragonfly:p=2,a=4,h=2", "minimal");
    let latency = |keys: &str| {
        let mut simulation = bench.simulation("uniform", keys, Process::Bernoulli, 0.5, 1);
        simulation.advance(1000).expect("alone");
        let before = simulation.totals();
        simulation.advance(10_000).expect("alone");
        let t = simulation.totals();
        (t.latency - before.latency) as f64 / (t.packets - before.packets) as f64
    };
    let [slow, vcs, fast] = ["speedup=1", "crossbar=vcs", "speedup=2"].map(latency);
    assert!(fast + 0.3 < vcs && vcs + 0.3 < slow, "{fast} {vcs} {slow}");
    assert!((vcs / 9.42 - 1.0).abs() < 0.02, "{vcs}");
}

/// Uniform traffic saturates where the busiest link is full: the bound that `load` computes.
#[test]
fn saturation_is_at_the_busiest_link() {
    for (topology, routing, job, keys, share) in [
        // Round robin lets those behind starve on a ring; the oldest first are fair.
        ("torus:dims=8", "dor", "shift:by=3", "arbitration=oldest", 0.97),
        ("torus:dims=8", "dor", "shift:by=1", "", 0.99),
        ("full-mesh:n=8", "shortest", "shift:by=3", "", 0.99),
        ("dragonfly:p=2,a=4,h=2", "minimal", "shift:groups=5", "", 0.99),
        ("dragonfly:p=2,a=4,h=2", "minimal", "uniform", "", 0.95),
        ("fat-tree:k=4,n=2", "d-mod-k", "shift:by=4", "", 0.99),
    ] {
        let bench = bench(topology, routing);
        let (demand, place) = bench.demand(job);
        let loads = hopline::loads::evaluate(&demand, &place, &*bench.net.routing).expect("loads").load;
        let bound = (1.0 / loads.iter().copied().fold(0.0, f64::max)).min(1.0);
        let mut simulation = bench.simulation(job, keys, Process::Bernoulli, 1.0, 1);
        simulation.advance(3000).expect("alone");
        let before = simulation.totals().delivered;
        simulation.advance(3000).expect("alone");
        let delivered = (simulation.totals().delivered - before) as f64;
        let accepted = delivered / 3000.0 / f64::from(simulation.setting().senders());
        assert!(accepted <= bound * 1.003, "{topology} {routing} {job}: {accepted} of {bound}");
        assert!(accepted >= bound * share, "{topology} {routing} {job}: {accepted} of {bound}");
    }
}
