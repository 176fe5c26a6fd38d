//! Laws of the flit simulator: nothing is lost, closed forms are met, routings
//! are followed. No deadlock, and no other result for any cut, in files of their own.

mod adaptive;
#[path = "../common/mod.rs"]
mod common;
mod counts;
mod coverage;
mod deadlock;
mod processes;
mod resume;

use common::network;
use hopline::demand::Flows;
use hopline::error::Place;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Process, ROUTER, Router, Simulation};
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
        let what = (router(keys), process);
        let setting = FlitModel::new(self.wiring.clone(), &self.forwarding, what, (&demand, &place), (load, 7));
        Simulation::new(setting.expect("setting"), threads)
    }
}

/// Machines, routings and the VCs that they need.
const CASES: &[(&str, &str, u8)] = &[
    ("dragonfly:p=2,a=4,h=2", "minimal", 2),
    ("dragonfly:p=2,a=4,h=2", "valiant-restricted", 3),
    ("dragonfly:p=2,a=4,h=2", "valiant-any", 4),
    ("dragonfly:p=2,a=4,h=2", "ugal-l", 4),
    ("dragonfly:p=2,a=4,h=2", "ugal-g", 4),
    ("dragonfly:p=1,a=3,h=1", "valiant-any", 4),
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
    ["ugal-l", "ugal-g", "min-adaptive", "up-adaptive"].contains(&routing.split(':').next().expect("a name"))
}

/// Whether a routing can be simulated with such routers: worms and an escape to which they may come back do not go together.
fn goes_with(routing: &str, keys: &str) -> bool {
    !(routing.contains("-adaptive") && keys.contains("wormhole"))
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
    ];
    for (topology, routing, _) in CASES {
        let bench = bench(topology, routing);
        for keys in routers.into_iter().filter(|keys| goes_with(routing, keys)) {
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
        let routers =
            ["crossbar=vcs,buffers=4", "packet=3,switching=wormhole,buffers=2,output=2", "packet=2,arbitration=oldest"];
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
            let what = (router(keys), Process::Bernoulli);
            let setting = FlitModel::new(wiring, &bench.forwarding, what, (&demand, &place), (0.0005, 3));
            let ports = setting.as_ref().map(|_| bench.wiring.ports.clone()).expect("setting");
            let mut simulation = Simulation::new(setting.expect("setting"), 1);
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

/// What links carry at low load comes to the shares of the routing of that name.
#[test]
fn links_carry_the_shares_of_the_routing() {
    for (topology, routing, _) in CASES.iter().filter(|c| !has_no_shares(c.1)) {
        let bench = bench(topology, routing);
        let (demand, place) = bench.demand("uniform");
        let flows = Flows::new(&demand, &place, &bench.net.fabric);
        let mut shares = vec![0.0; bench.net.fabric.links()];
        bench.net.routing.load(&flows, &mut shares).expect("load");
        let mut simulation = bench.simulation("uniform", "", Process::Bernoulli, 0.2, 1);
        simulation.advance(100).expect("alone");
        simulation.start_measuring();
        let before = simulation.totals().delivered;
        simulation.advance(5000).expect("alone");
        let senders = f64::from(simulation.setting().senders());
        let units = (simulation.totals().delivered - before) as f64 / senders;
        for (port, &sent) in bench.wiring.ports.iter().zip(&simulation.sent().expect("alone")) {
            if port.link == NOWHERE {
                continue;
            }
            let expected = shares[port.link as usize] * units;
            // Counts vary at most as binomials do; 6 sigma, and what is on the way at both ends.
            let slack = 6.0 * expected.sqrt() + 8.0;
            let name = bench.net.fabric.link_name(LinkId(port.link));
            assert!((f64::from(sent) - expected).abs() < slack, "{topology} {routing} {name}: {sent}, not {expected}");
        }
    }
}

/// Hop by hop as path by path: the walks of a forwarding are the paths of its routing, on the same virtual channels.
#[test]
fn forwardings_unroll_to_the_paths_of_their_routings() {
    for (topology, routing, vcs) in CASES {
        let bench = bench(topology, routing);
        assert_eq!(bench.forwarding.vcs(), *vcs, "{topology} {routing}");
        let adaptive = has_no_shares(routing);
        assert!(adaptive || bench.net.routing.vcs() == *vcs, "{topology} {routing}");
        let mut rng = Rng::new(1, routing);
        for _ in 0..if adaptive { 0 } else { 40 } {
            let (a, b) = (common::endpoint(&bench.net.fabric, &mut rng), common::endpoint(&bench.net.fabric, &mut rng));
            if a == b || bench.net.routing.choices(a, b).expect("a way") > 5000 {
                continue;
            }
            let mut paths: Vec<Vec<(LinkId, u8)>> = Vec::new();
            let (mut path, mut channels) = (hopline::routing::Path::default(), Vec::new());
            for choice in 0..bench.net.routing.choices(a, b).expect("a way") {
                bench.net.routing.path(a, b, choice, &mut path).expect("a path");
                bench.net.routing.channels(&path, choice, &mut channels);
                let all = path.links.iter().copied().zip(channels.iter().copied());
                paths.push(all.filter(|&(l, _)| !bench.net.fabric.is_host_link(l)).collect());
            }
            paths.sort();
            paths.dedup();
            let mut walks = walks(&bench, a, b);
            walks.sort();
            walks.dedup();
            assert_eq!(walks, paths, "{topology} {routing} {a} -> {b}");
        }
    }
}

/// All ways of all headers between two endpoints, as links between routers with their VCs.
fn walks(bench: &Bench, a: VertexId, b: VertexId) -> Vec<Vec<(LinkId, u8)>> {
    let (f, w) = (&bench.forwarding, &bench.wiring);
    let start = At::start(w.router_of(a.0));
    let mut open: Vec<_> = f.headers(start.router, b.0).into_iter().map(|h| (start, h, Vec::new())).collect();
    let mut done = Vec::new();
    while let Some((at, header, links)) = open.pop() {
        let mut ways = Vec::new();
        f.ways(at, b.0, header, &mut ways);
        for (hop, header) in ways {
            assert!(hop.vc < f.vcs());
            let port = w.first[at.router as usize] + u32::from(hop.port);
            let own = w.ports[port as usize];
            if own.peer == NOWHERE {
                assert_eq!(own.endpoint, b.0);
                done.push(links.clone());
                continue;
            }
            let next = At { router: w.ports[own.peer as usize].router, port: w.offset(own.peer).into(), vc: hop.vc };
            let mut links = links.clone();
            links.push((LinkId(own.link), hop.vc));
            open.push((next, header, links));
        }
    }
    done
}

/// Every sender gets the receivers that the demand names, as often as it says.
#[test]
fn receivers_follow_the_demand() {
    let bench = bench("full-mesh:n=6", "shortest");
    for job in [
        "uniform",
        "uniform:self=true",
        "alltoall",
        "halo:grid=2x3",
        "bit-complement",
        "sum:[scale:[shift:by=1],by=3;shift:by=2]",
    ] {
        let Ok(params) = Params::from_spec(job, &Place::new("test", 0)) else { continue };
        let context = traffic::Context { fabric: &bench.net.fabric, slots: 6, files: &Disk };
        if traffic::build(&params, &context).is_err() {
            continue;
        }
        let (demand, _) = bench.demand(job);
        let mut expected: BTreeMap<u32, f64> = BTreeMap::new();
        demand.each_pair(|_, to, amount| *expected.entry(to).or_default() += amount);
        let mut simulation = bench.simulation(job, "", Process::Bernoulli, 0.3, 1);
        simulation.start_measuring();
        simulation.advance(20_000).expect("alone");
        let total: f64 = expected.values().sum();
        let all = simulation.totals().delivered as f64;
        for (port, &sent) in
            bench.wiring.ports.iter().zip(&simulation.sent().expect("alone")).filter(|(p, _)| p.endpoint != NOWHERE)
        {
            let share = expected.get(&port.endpoint).copied().unwrap_or(0.0) / total * all;
            assert!((f64::from(sent) - share).abs() < 6.0 * share.sqrt() + 4.0, "{job} to {}: {sent}", port.endpoint);
        }
    }
}

/// Links that are missing from the start: every routing that finds its way goes round them, delivers all, and stays free of
/// circles.
#[test]
fn flits_go_round_what_is_missing() {
    let machines = [
        (
            "dragonfly:p=2,a=4,h=2",
            &["g0r0 -- g0r1", "g1r2 -- g1r3"][..],
            // By way of a router it would need a ninth virtual channel.
            &["minimal"][..],
        ),
        ("hyperx:dims=4x4,p=2", &["*"][..], &["minimal", "valiant-any", "ugal-l", "ugal-g"][..]),
        ("slim-fly:q=3,p=2", &["*"][..], &["minimal", "valiant-any", "ugal-l"][..]),
        ("fat-tree:k=3,n=3", &["l2t0s0 -- l3t0s3", "l3t0s4"][..], &["up-down", "up-adaptive"][..]),
    ];
    for (topology, missing, routings) in machines {
        for routing in routings {
            let whole = Scenario::default().topology(topology).and_then(|s| s.routing(routing)).expect("scenario");
            let fabric = Network::new(&whole, &Disk).expect("machine").fabric;
            // A star is the first cable between routers.
            let ends = |l: LinkId| [fabric.source(l), fabric.target(l)].map(|v| fabric.vertex_name(v).to_string());
            let first = fabric.link_ids().find(|&l| !fabric.is_host_link(l)).map(|l| ends(l).join(" -- "));
            let first = first.expect("a cable");
            let named = |word: &&str| if word.contains('*') { first.clone() } else { word.to_string() };
            let broken = missing.iter().map(named).fold(whole, |s, word| s.without(&word));
            let bench = bench_of(Network::new(&broken, &Disk).unwrap_or_else(|e| panic!("{topology}: {e}")), routing);
            let what = format!("{topology} {routing}");
            assert!(bench.net.fabric.links() < fabric.links(), "{what}");
            assert_eq!(forwarding::find_deadlock(&bench.wiring, &bench.forwarding).expect("walks"), None, "{what}");
            // Endpoints that lost their router send nothing.
            let homes: Vec<VertexId> = (0..bench.wiring.home.len() as u32)
                .filter(|&e| bench.wiring.router_of(e) != NOWHERE)
                .map(VertexId)
                .collect();
            let alive: Vec<VertexId> =
                homes.into_iter().filter(|&e| bench.net.routing.fabric().degree(e) > 0).collect();
            let n = alive.len();
            let rows: Vec<Vec<f64>> = (0..n).map(|a| (0..n).map(|b| f64::from(u8::from(a != b))).collect()).collect();
            let demand = hopline::demand::Demand::from_rows(&rows).expect("demand");
            let run = (router("packet=2"), Process::Exchange { bytes: 256 });
            let setting = FlitModel::new(bench.wiring.clone(), &bench.forwarding, run, (&demand, &alive), (1.0, 5));
            let mut simulation = Simulation::new(setting.expect("setting"), 1);
            (0..400).for_each(|_| simulation.advance(50).expect("alone"));
            assert!(simulation.is_over(), "{what}: never ends");
            assert_eq!(simulation.totals().delivered, (n * (n - 1) * 4) as u64, "{what}");
        }
    }
}
