//! What is counted, exactly: when an exchange ends, how far delivered packets came,
//! how fast a single packet is.

use super::{Bench, CASES, bench, goes_with, router};
use crate::common::network;
use hopline::demand::{Demand, Unit};
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Injection, Options, Process, Simulation, no_options};
use hopline::id::SlotId;
use hopline::params::Value;
use hopline::plan::Plan;
use hopline::run::{FlitsPoint, Forget};
use hopline::scenario::Scenario;

/// The only point of a run, from words of the command line.
fn point(topology: &str, routing: &str, traffic: &str, keys: &[(&str, &str)]) -> FlitsPoint {
    let scenario =
        Scenario::default().topology(topology).and_then(|s| s.routing(routing)?.traffic(traffic)).expect("specs");
    let plan = Plan::new(&scenario, &Disk).expect("plan");
    let mut params = no_options();
    for (key, value) in keys {
        let value = value.parse().map_or_else(|_| Value::Text(value.to_string()), Value::Int);
        params.push(key, value, Place::new("test", 0)).expect("key");
    }
    let options = Options::read(&params).expect("options");
    let outcome = hopline::run::flits(&plan, &options, &mut Forget, &mut Silent).expect("a run");
    outcome.points.into_iter().next().expect("a point")
}

/// An exchange lasts until its last packet has arrived, not until somebody looks.
#[test]
fn an_exchange_ends_with_its_last_packet() {
    // One flit over host link, router, link, router, host link; then 99 more behind it.
    for (bytes, cycles) in [("64", 5), ("6400", 104), ("64000", 1004)] {
        let inject = format!("exchange:bytes={bytes}");
        let p = point("full-mesh:n=8", "shortest", "shift:by=1", &[("inject", &inject)]);
        assert_eq!(p.cycles, cycles);
        assert_eq!(p.accepted, f64::from(cycles - 4) / f64::from(cycles));
        assert_eq!((p.accepted_ci, p.latency_ci, p.saturated), (None, None, false));
        assert_eq!((p.classes[0].max_load, p.link_hops), (p.accepted, Some(1.0)));
    }
    let far =
        point("torus:dims=8", "dor", "shift:by=3", &[("inject", "exchange:bytes=64"), ("router", "delay=4,latency=7")]);
    assert_eq!((far.cycles, far.latency_cycles), (4 * 4 + 5 * 7, Some(51.0)));
}

/// Many packets under way have come far and are not there yet: only those that arrived are averaged.
#[test]
fn hops_are_those_of_delivered_packets() {
    for (keys, cycles) in [("buffers=8", "40"), ("buffers=64,packet=4", "400")] {
        let run = |load| [("load", load), ("warmup", "0"), ("cycles", cycles), ("router", keys)];
        // All go half round a ring of 16.
        let p = point("torus:dims=16x16", "dor", "shift:by=128", &run("1"));
        assert_eq!(p.link_hops, Some(8.0), "{keys}");
    }
    let p = point(
        "dragonfly:p=2,a=4,h=2",
        "minimal",
        "shift:groups=3",
        &[("load", "1"), ("warmup", "0"), ("cycles", "600")],
    );
    assert!(p.saturated && p.link_hops.is_some_and(|h| (1.0..=3.0).contains(&h)), "{p:?}");
}

/// What has arrived and what is under way add up to all that went through routers.
#[test]
fn every_router_on_the_way_is_counted_once() {
    for (topology, routing, _) in CASES {
        let bench = bench(topology, routing);
        let routers = ["", "packet=3,switching=wormhole,buffers=2,output=2", "delay=0"];
        for keys in routers.into_iter().filter(|keys| goes_with(routing, keys)) {
            let mut simulation = bench.simulation("uniform", keys, Process::Exchange { bytes: 500 }, 1.0, 2);
            simulation.advance(20).expect("alone");
            simulation.start_measuring();
            let early = simulation.totals();
            assert!(early.delivered_hops <= early.hops, "{topology} {routing} {keys}");
            while !simulation.is_over() {
                simulation.advance(100).expect("alone");
            }
            let t = simulation.totals();
            assert_eq!(t.delivered_hops, t.hops, "{topology} {routing} {keys}");
        }
    }
}

/// Routers that take no time: a packet alone needs its links, and a cycle for every flit behind the first.
#[test]
fn routers_without_delay_cost_nothing() {
    for (topology, routing, shift, links) in [
        ("torus:dims=16", "dor", 5, 5),
        ("torus:dims=4x4", "dor", 10, 4),
        ("kncube:k=4,n=3", "dor:tie=parity", 42, 6),
        ("full-mesh:n=5", "shortest", 2, 1),
    ] {
        let bench = bench(topology, routing);
        for (flits, latency) in [(1, 1), (6, 1), (1, 3), (6, 3)] {
            for delay in [0, 1, 2] {
                let keys = format!("delay={delay},latency={latency},packet={flits}");
                let (found, hops) = alone(&bench, shift, &keys, latency);
                let cycles = (links + 2) * u32::from(latency) + (links + 1) * delay + flits - 1;
                assert_eq!((found, hops), (cycles, u64::from(links + 1)), "{topology} {keys}");
            }
        }
    }
}

/// The latency of the only packet, and the routers that it goes through.
fn alone(bench: &Bench, shift: u32, keys: &str, latency: u16) -> (u32, u64) {
    let slots = bench.net.fabric.hosts().slots();
    let demand = Demand::new(slots, Unit::Units, vec![(0, shift, 1.0)], Vec::new()).expect("a demand");
    let place: Vec<_> = (0..slots).map(|t| bench.net.fabric.hosts().endpoint_of(SlotId(t))).collect();
    let wiring = std::sync::Arc::new(hopline::forwarding::Wiring::new(&bench.net.fabric, latency).expect("wiring"));
    let router = router(keys);
    let setting = FlitModel::new(
        wiring,
        &bench.forwarding,
        router,
        Injection {
            demand: &demand,
            place: &place,
            process: Process::Exchange { bytes: u64::from(router.packet) * 64 },
            load: 1.0,
            seed: 1,
        },
    )
    .expect("setting");
    let mut simulation = Simulation::of_any(setting, 1);
    // Nobody is in two places at once: a flit crosses one link a cycle at most.
    let mut before = 0;
    while !simulation.is_over() {
        simulation.advance(1).expect("alone");
        let sent: u32 = simulation.sent().expect("alone").iter().sum();
        assert!(sent - before <= u32::from(router.packet), "{keys}");
        before = sent;
    }
    let t = simulation.totals();
    (t.last, t.delivered_hops / u64::from(router.packet))
}

/// A router has a port for each bit of a word, and all of them work.
#[test]
fn sixty_four_ports_are_simulated() {
    let bench = bench("full-mesh:n=64", "shortest");
    let mut simulation = bench.simulation("uniform", "", Process::Exchange { bytes: 64 }, 1.0, 1);
    simulation.advance(1000).expect("alone");
    assert!(simulation.is_over());
    assert_eq!(simulation.totals().delivered, 64 * 63);
}

/// One more is refused before anything else is done: no task is mapped, nothing is kept.
#[test]
fn more_ports_are_refused_first() {
    let scenario = Scenario::default()
        .topology("full-mesh:n=257")
        .and_then(|s| s.routing("shortest")?.traffic("uniform")?.mappings("random"))
        .expect("specs");
    let plan = Plan::new(&scenario, &Disk).expect("plan");
    let options = Options::read(&no_options()).expect("options");
    let mut observer = |event: hopline::event::Event| panic!("{event:?}");
    let error = hopline::run::flits(&plan, &options, &mut Never, &mut observer).expect_err("too many").to_string();
    assert!(error.contains("257 ports") && error.contains("at most 256"), "{error}");
}

/// Nothing may be kept.
struct Never;

impl hopline::run::Keep for Never {
    fn load(&mut self, _: &[u8]) -> hopline::error::Result<Option<Vec<u8>>> {
        panic!("asked for a state")
    }
    fn is_due(&mut self) -> bool {
        panic!("asked for the time")
    }
    fn save(&mut self, _: &[u8]) -> hopline::error::Result<()> {
        panic!("kept a state")
    }
}

/// A link takes at least a cycle, so a latency of 0 is not silently another.
#[test]
fn links_without_latency_are_refused() {
    for key in ["local_latency", "global_latency"] {
        let spec = format!("dragonfly:p=2,a=4,h=2,{key}=0");
        let error =
            Scenario::default().topology(&spec).and_then(|s| hopline::plan::Network::new(&s, &Disk).map(|_| ()));
        let error = error.expect_err("no cycle").to_string();
        assert!(error.contains(key) && error.contains("1 or more"), "{error}");
    }
    assert_eq!(network("dragonfly:p=2,a=4,h=2,local_latency=1", None).fabric.endpoints(), 72);
}
