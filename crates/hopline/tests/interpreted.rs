//! What an interpreter that looks for undefined behaviour and for races can do in minutes (`./check --full`): flits by two threads.

mod common;

use common::network;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Injection, Process, Progress, ROUTER, Router, Simulation};
use hopline::forwarding::{self, Wiring};
use hopline::id::SlotId;
use hopline::params::Params;
use hopline::traffic;
use std::sync::Arc;

/// Two threads meet at every cycle, whatever the order in which they run; a state that is read goes on.
#[test]
fn flits_of_two_threads_are_those_of_one() {
    let net = network("torus:dims=2x2", Some("dor"));
    let wiring = Arc::new(Wiring::new(&net.fabric, 1).expect("wiring"));
    let (topology, fabric, routing) = (&net.topology, &net.fabric, &*net.routing);
    let context = forwarding::Context { topology, fabric, wiring: &wiring, routing };
    let forwarding = "dor".parse().and_then(|params| forwarding::build(&params, &context)).expect("a forwarding");
    let hosts = fabric.hosts();
    let context = traffic::Context { fabric, slots: hosts.slots(), files: &Disk };
    let demand = "uniform".parse().and_then(|params| traffic::build(&params, &context)).expect("traffic").demand;
    let place: Vec<_> = (0..demand.tasks()).map(|task| hosts.endpoint_of(SlotId(task))).collect();
    let router = "router:packet=2,buffers=4".parse().and_then(|params: Params| Router::read(&params.check(&ROUTER)?));
    let router = router.expect("a router");
    let start = |threads: usize| {
        let injection = Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 0.8, seed: 7 };
        Simulation::of_any(FlitModel::new(wiring.clone(), &forwarding, router, injection).expect("a setting"), threads)
    };
    let state = |simulation: &Simulation<_>| Progress::default().save(simulation).expect("alone");
    let (mut one, mut two) = (start(1), start(2));
    for _ in 0..2 {
        one.advance(12).expect("alone");
        two.advance(12).expect("alone");
        assert!(state(&one) == state(&two), "threads change something");
        let kept = state(&two);
        two = start(2);
        Progress::load(&mut two, &kept).expect("a state");
    }
    assert!(one.totals().injected > 10);
}
