//! Flits under the same faults: all arrive, links carry what the shares of the routing say, and a network whose endpoints are apart is refused by
//! the name of two of them.

use super::*;
use hopline::demand::Demand;
use hopline::event::Silent;
use hopline::flits::{FlitModel, Injection, Options, Process, ROUTER, Router, Simulation, no_options};
use hopline::forwarding::{self, Forwarding as _, NOWHERE, Wiring, find_deadlock};
use hopline::plan::Plan;
use hopline::run::{self, Forget};
use hopline::scenario::Scenario;

/// Flits that each endpoint sends to each other.
const FLITS: u64 = 64;

/// Routings that flits know and that find their way; whether shares depend on queues.
const ROUTINGS: [(&str, bool); 8] = [
    ("shortest:vcs=hops", false),
    ("minimal", false),
    ("valiant-any", false),
    ("up-down", false),
    ("minhop:vcs=hops", false),
    ("ugal-l", true),
    ("ugal-g", true),
    ("up-adaptive", true),
];

/// What came of it.
#[derive(Debug, Default)]
struct Seen {
    arrived: u64,
    refused: u64,
    too_long: u64,
}

/// A run as the command line has it is refused, with two endpoints that are apart.
fn refused(machine: &Machine, routing: &str, dead: &[LinkId], live: &Live, what: &str) {
    let f = &machine.whole;
    // A random network has no spec that a scenario could name.
    if machine.spec.starts_with("random") {
        return;
    }
    let cable = dead[0];
    let port = format!("{}[{}]", f.vertex_name(f.source(cable)), f.port(cable));
    let spec = machine.spec.replace("testdata/", &format!("{}/testdata/", root()));
    let scenario = Scenario::default().topology(&spec).and_then(|s| s.routing(routing)?.traffic("alltoall"));
    let plan = Plan::new(&scenario.expect("specs").without(&port), &Disk);
    let options = Options::read(&no_options()).expect("options");
    let error =
        plan.and_then(|plan| run::flits(&plan, &options, &mut Forget, &mut Silent)).expect_err(what).to_string();
    let named = (0..live.vertices).any(|t| {
        let lengths = live.lengths_to(t, Ways::All);
        let name = |v: usize| f.vertex_name(VertexId(v as u32)).to_string();
        (0..live.vertices)
            .any(|s| lengths[s].is_none() && error.contains(&format!("no way from {} to {}", name(s), name(t))))
    });
    assert!(named, "{what}: {error}");
}

fn simulated(machine: &Machine, (routing, is_adaptive): (&str, bool), dead: &[LinkId], seen: &mut Seen) {
    let names: Vec<String> = dead.iter().map(|&link| machine.whole.link_name(link)).collect();
    let what = format!("{} {routing} without {names:?}", machine.spec);
    let live = Live::new(&machine.whole, dead, false);
    let is_whole =
        (0..live.endpoints).all(|t| live.lengths_to(t, Ways::All)[..live.endpoints].iter().all(Option::is_some));
    if !is_whole {
        seen.refused += 1;
        refused(machine, routing, dead, &live, &what);
    }
    let left = Arc::new(machine.whole.without(dead));
    let wiring = Arc::new(Wiring::new(&left, 1).unwrap_or_else(|e| panic!("{what}: {e}")));
    let params: Params = routing.parse().expect("a spec");
    let built = machine.routing(routing, &left).and_then(|own| {
        let context =
            forwarding::Context { topology: &machine.topology, fabric: &left, wiring: &wiring, routing: &*own };
        Ok((forwarding::build(&params, &context)?, own))
    });
    let (forwarding, own) = match built {
        Ok(built) => built,
        Err(error) => return assert!(!is_whole, "{what}: {error}"),
    };
    if !is_whole {
        return assert!(find_deadlock(&wiring, &forwarding).is_err(), "{what}: walks that do not end");
    }
    assert_eq!(find_deadlock(&wiring, &forwarding).unwrap_or_else(|e| panic!("{what}: {e}")), None, "{what}");

    let ends = live.endpoints;
    let rows: Vec<Vec<f64>> = (0..ends).map(|s| (0..ends).map(|t| f64::from(u8::from(s != t))).collect()).collect();
    let (demand, place) =
        (Demand::from_rows(&rows).expect("a demand"), (0..ends as u32).map(VertexId).collect::<Vec<_>>());
    let router =
        "router:packet=1".parse().and_then(|keys: Params| Router::read(&keys.check(&ROUTER)?)).expect("a router");
    let process = Process::Exchange { bytes: FLITS * 64 };
    let injection = Injection { demand: &demand, place: &place, process, load: 1.0, seed: 7 };
    let setting = match FlitModel::new(wiring.clone(), &forwarding, router, injection) {
        Ok(setting) => setting,
        // Detours around what is dead may be longer than a router has channels for.
        Err(error) if error.to_string().contains("virtual channels, at most 8") => {
            assert!(forwarding.vcs() > 8, "{what}: {error}");
            return seen.too_long += 1;
        }
        Err(error) => panic!("{what}: {error}"),
    };
    let mut simulation = Simulation::of_any(setting, 1);
    simulation.start_measuring();
    while !simulation.is_over() {
        assert!(simulation.now() < 100_000, "{what}: {} flits have not arrived", simulation.in_flight());
        simulation.advance(100).expect("alone");
    }
    let all = FLITS * (ends * (ends - 1)) as u64;
    assert_eq!(simulation.totals().delivered, all, "{what}");
    seen.arrived += 1;
    if is_adaptive {
        return;
    }
    let mut shares = vec![0.0; left.links()];
    own.load(&Flows::new(&demand, &place, &left), &mut shares).unwrap_or_else(|e| panic!("{what}: {e}"));
    for (port, &sent) in
        wiring.ports.iter().zip(&simulation.sent().expect("alone")).filter(|(port, _)| port.link != NOWHERE)
    {
        let expected = shares[port.link as usize] * FLITS as f64;
        // Ties are drawn for every packet: counts vary at most as binomials do.
        let slack = 6.0 * expected.sqrt();
        let name = left.link_name(LinkId(port.link));
        assert!((f64::from(sent) - expected).abs() <= slack, "{what}: {name} carried {sent} flits, not {expected}");
    }
}

#[test]
fn every_single_cable() {
    let mut seen = Seen::default();
    for spec in singles::FABRICS {
        let machine = Machine::new(spec);
        let cables = machine.cables();
        // The hundreds of a supernode of PERCS take a minute.
        let step = if common::is_slow() { 1 } else { cables.len() / 40 + 1 };
        for &cable in cables.iter().step_by(step) {
            for routing in ROUTINGS {
                // Tables want LIDs, which models have not.
                if machine.routing(routing.0, &machine.whole).is_ok() {
                    simulated(&machine, routing, &machine.links_of(&[cable]), &mut seen);
                }
            }
        }
    }
    assert!(seen.arrived > 1000 && seen.refused > 200 && seen.too_long < 100, "{seen:?}");
}

#[test]
fn random_networks() {
    let mut seen = Seen::default();
    for number in 0..if common::is_slow() { 10_000 } else { 300 } {
        let (machine, dead) = random::machine(number);
        for routing in ROUTINGS {
            if machine.routing(routing.0, &machine.whole).is_ok() && machine.whole.endpoints() > 1 {
                simulated(&machine, routing, &dead, &mut seen);
            }
        }
    }
    assert!(seen.arrived > 300 && seen.refused > 300, "{seen:?}");
}
