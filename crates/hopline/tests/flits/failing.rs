//! Cables that fail during a run: what is not dropped arrives, by the new routes; and no other result for any cut, with a state kept in
//! any of its stages or without one.

use super::made_up::{kept, tried};
use super::processes::{Kept, options};
use super::*;
use hopline::demand::Demand;
use hopline::event::{Control, Event, Silent};
use hopline::flits::{Failed, Failure};
use hopline::peers::Peers;
use hopline::plan::Plan;
use hopline::run::{FlitsOutcome, Forget, flits, flits_among};

/// A machine and what fails of it, with the routes before and after.
struct Failing {
    bench: Bench,
    rest: Network,
    after: Any,
    ports: Vec<u32>,
}

impl Failing {
    fn new(topology: &str, cable: &str, routing: &str) -> Failing {
        let scenario = |cable: Option<&str>| {
            let whole = Scenario::default().topology(topology).and_then(|s| s.routing(routing)).expect("specs");
            cable.map_or(whole.clone(), |cable| whole.without(cable))
        };
        let net = |cable| Network::new(&scenario(cable), &Disk).unwrap_or_else(|e| panic!("{topology} {routing}: {e}"));
        let (bench, rest) = (bench_of(net(None), routing), net(Some(cable)));
        let (wiring, ports) =
            bench.wiring.without(&bench.net.fabric, &rest.fabric).expect("endpoints keep their links");
        let context = forwarding::Context {
            topology: &rest.topology,
            fabric: &rest.fabric,
            wiring: &wiring,
            routing: &*rest.routing,
        };
        let after = forwarding::build(&rest.routing_params, &context).expect("routes around it");
        assert_eq!(forwarding::find_deadlock(&wiring, &after).expect("walks"), None, "{topology} {routing}");
        Failing { bench, rest, after, ports }
    }

    fn failure(&self, at: u32, repair: u32) -> Failure<&Any> {
        Failure { at, repair, ports: self.ports.clone(), after: &self.after }
    }

    /// All send as much to all.
    fn demand(&self) -> (Demand, Vec<VertexId>) {
        let ends = self.bench.net.fabric.endpoints();
        let rows: Vec<Vec<f64>> = (0..ends).map(|s| (0..ends).map(|t| f64::from(u8::from(s != t))).collect()).collect();
        (Demand::from_rows(&rows).expect("a demand"), (0..ends).map(VertexId).collect())
    }

    fn simulation(&self, (at, repair): (u32, u32), keys: &str, bytes: u64, threads: usize) -> Simulation<&Any> {
        let (demand, place) = self.demand();
        let injection =
            Injection { demand: &demand, place: &place, process: Process::Exchange { bytes }, load: 1.0, seed: 7 };
        let setting = FlitModel::new(self.bench.wiring.clone(), &self.bench.forwarding, router(keys), injection);
        let setting = setting.and_then(|setting| setting.failing(self.failure(at, repair)));
        Simulation::of_any(setting.unwrap_or_else(|e| panic!("{keys}: {e}")), threads)
    }
}

/// Machines, and routings that find their way around what is dead.
const MACHINES: &[(&str, &[&str])] = &[
    ("torus:dims=4x4", &["minimal", "up-down", "valiant-any", "up-adaptive"]),
    ("dragonfly:p=2,a=4,h=2", &["minimal", "valiant-any", "ugal-l", "ugal-g", "shortest:vcs=hops"]),
    ("fat-tree:k=4,n=2", &["up-down", "up-adaptive"]),
];

const ROUTERS: [&str; 6] = [
    "packet=1",
    "packet=4",
    "packet=3,buffers=4,output=3,latency=3",
    "like=booksim,packet=2",
    "like=caminos,packet=3",
    "packet=1,delay=0,arbitration=oldest",
];

/// A cable between switches of a machine, as people name it: the n-th.
fn cable(topology: &str, n: usize) -> String {
    let net = network(topology, None);
    let fabric = &net.fabric;
    let between = |l: &LinkId| [fabric.source(*l), fabric.target(*l)].iter().all(|&v| !fabric.is_adapter(v));
    let link = (0..fabric.links() as u32).map(LinkId).filter(between).nth(n).expect("a cable");
    format!("{}[{}]", fabric.vertex_name(fabric.source(link)), fabric.port(link))
}

#[test]
fn all_arrives_but_what_is_dropped() {
    let mut dropped = 0;
    for &(topology, routings) in MACHINES {
        let name = cable(topology, 3);
        for &routing in routings {
            let machine = Failing::new(topology, &name, routing);
            for keys in ROUTERS {
                // Worms are refused where packets decide at every hop.
                if routing == "up-adaptive" && keys.contains("booksim") {
                    continue;
                }
                let mut simulation = machine.simulation((40, 25), keys, 4096, 2);
                let what = format!("{topology} {routing} {keys}");
                simulation.start_measuring();
                let dead = |simulation: &Simulation<&Any>| -> u32 {
                    let sent = simulation.sent().expect("alone");
                    machine.ports.iter().map(|&p| sent[p as usize]).sum()
                };
                simulation.advance(40).expect("alone");
                assert_eq!(simulation.failed(), None, "{what}");
                let before = dead(&simulation);
                let mut after = None;
                while !simulation.is_over() {
                    assert!(simulation.now() < 100_000, "{what}: {} flits stay", simulation.in_flight());
                    simulation.advance(10).expect("alone");
                    if simulation.failed().is_some_and(|f| f.resumed.is_some()) && after.is_none() {
                        after = Some(dead(&simulation));
                    }
                }
                let totals = simulation.totals();
                assert_eq!(totals.injected, totals.delivered + totals.dropped_flits, "{what}");
                let packet = u64::from(router(keys).packet);
                assert_eq!(totals.dropped_flits, totals.dropped * packet, "{what}: whole packets");
                assert_eq!(totals.packets * packet, totals.delivered, "{what}");
                let Some(Failed { before: then, resumed: Some((at, _)), .. }) = simulation.failed() else {
                    panic!("{what}: no new routes")
                };
                assert!(then.dropped == 0 && at >= 65, "{what}");
                // Only packets that had begun to cross did so.
                let crossed = after.expect("new routes") - before;
                let most = machine.ports.len() as u32 * u32::from(simulation.setting().vcs()) * packet as u32;
                assert!(crossed < most.max(1), "{what}: {crossed} flits crossed dead cables");
                assert_eq!(dead(&simulation), after.expect("new routes"), "{what}: dead cables carry nothing");
                dropped += totals.dropped;
            }
        }
    }
    assert!(dropped > 1000, "{dropped}");
}

/// With a failure before the first packet all go by the new routes, whose shares the links carry.
#[test]
fn links_carry_the_shares_of_the_new_routes() {
    const FLITS: u64 = 64;
    for (topology, n, routing) in [
        ("torus:dims=4x4", 0, "minimal"),
        ("torus:dims=4x4", 17, "up-down"),
        ("dragonfly:p=2,a=4,h=2", 1, "valiant-any"),
        ("dragonfly:p=2,a=4,h=2", 50, "minimal"),
    ] {
        let name = cable(topology, n);
        let machine = Failing::new(topology, &name, routing);
        let mut simulation = machine.simulation((0, 0), "packet=1", FLITS * 64, 1);
        simulation.start_measuring();
        while !simulation.is_over() {
            simulation.advance(100).expect("alone");
        }
        assert_eq!(simulation.failed().and_then(|f| f.resumed).map(|r| r.0), Some(0), "{topology}");
        assert_eq!(simulation.totals().dropped, 0, "{topology}");
        let (demand, place) = machine.demand();
        let rest = &machine.rest.fabric;
        let mut shares = vec![0.0; rest.links()];
        machine.rest.routing.load(&Flows::new(&demand, &place, rest), &mut shares).expect("loads");
        let whole = &machine.bench.net.fabric;
        let mut expected: BTreeMap<String, f64> = BTreeMap::new();
        (0..rest.links() as u32)
            .map(LinkId)
            .for_each(|l| *expected.entry(rest.link_name(l)).or_default() += shares[l.index()]);
        let sent = simulation.sent().expect("alone");
        let mut found: BTreeMap<String, u32> = BTreeMap::new();
        let ports = machine.bench.wiring.ports.iter().zip(&sent).filter(|(port, _)| port.link != NOWHERE);
        ports.for_each(|(port, &n)| *found.entry(whole.link_name(LinkId(port.link))).or_default() += n);
        for (link, &sent) in &found {
            let share = expected.get(link).copied().unwrap_or(0.0) * FLITS as f64;
            let slack = 6.0 * share.sqrt();
            assert!(
                (f64::from(sent) - share).abs() <= slack,
                "{topology} {routing}: {link} carried {sent}, not {share}"
            );
        }
    }
}

pub(super) fn plan(topology: &str, routing: Option<&str>, cable: &str) -> Plan {
    let scenario = Scenario::default().topology(topology).and_then(|s| s.traffic("uniform")).expect("specs");
    let scenario = routing.map_or(scenario.clone(), |routing| scenario.routing(routing).expect("a spec"));
    Plan::failing(&scenario.without(cable), &Disk).expect("a plan")
}

/// Killed in every stage of a failure, a run goes on at another number of processes, and comes to the same.
#[test]
fn no_other_result_for_any_cut_or_kept_state() {
    for (topology, routing, router) in [
        ("dragonfly:p=2,a=4,h=2,local_latency=3,global_latency=9", "valiant-any", "packet=3"),
        ("dragonfly:p=2,a=4,h=2", "ugal-g", "packet=1,source=3"),
        ("torus:dims=4x4", "up-adaptive", "packet=2"),
        ("fat-tree:k=4,n=2", "up-down", "like=caminos,packet=2"),
    ] {
        let plan = plan(topology, Some(routing), &cable(topology, 2));
        // Progress is told, and the state kept, every ten cycles: the network takes longer to be empty.
        let text = format!("flits:load=0.6,warmup=100,cycles=640,fail-at=300,repair-after=40,router=[{router}]");
        let options = options(&text);
        let whole = flits(&plan, &options, &mut Forget, &mut Silent).expect("a run");
        let losses = whole.points[0].failure.as_ref().expect("a failure");
        assert!(losses.dropped > 0 && losses.resumed_cycle.is_some_and(|at| at >= 340), "{topology}: {losses:?}");
        let mut kept = Kept::default();
        let mut outcome: Option<FlitsOutcome> = None;
        for size in [2, 1, 3].into_iter().cycle().take(150) {
            let shared = std::sync::Mutex::new(&mut kept);
            let found = hopline::peers::together(size, |peers: std::sync::Arc<dyn Peers>| {
                let mut left = 1;
                let mut killer = |event: Event| {
                    left -= i32::from(matches!(event, Event::Progress(_)));
                    if left < 0 { Control::Stop } else { Control::Continue }
                };
                match peers.rank() {
                    0 => flits_among(&plan, &options, &peers, &mut **shared.lock().expect("the first"), &mut killer),
                    _ => flits_among(&plan, &options, &peers, &mut Forget, &mut Silent),
                }
            });
            if let Ok((done, _)) = &found[0] {
                outcome = Some(done.clone());
                break;
            }
            assert!(found.iter().all(|f| f.as_ref().is_err_and(|e| e.is_stopped())), "{topology}: {:?}", found[0]);
        }
        assert_eq!(outcome.expect("it gets to its end"), whole, "{topology}");
    }
}

/// States of all stages, changed here and there, are refused or simulated without a panic.
#[test]
fn made_up_states_of_a_failure() {
    let each = if common::is_slow() { 1_000 } else { 100 };
    let (mut taken, mut refused) = (0, 0);
    for (case, (topology, routing, keys)) in [
        ("torus:dims=3x3", "minimal", "packet=3"),
        ("torus:dims=3x3", "up-adaptive", "packet=2"),
        ("fat-tree:k=2,n=2", "up-down", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let machine = Failing::new(topology, &cable(topology, 5), routing);
        let options = options("flits:warmup=100,cycles=300,interval=160,fail-at=150,repair-after=50");
        let (demand, place) = machine.demand();
        let fresh = || {
            let injection =
                Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 0.7, seed: 7 };
            let setting =
                FlitModel::new(machine.bench.wiring.clone(), &machine.bench.forwarding, router(keys), injection);
            let setting = setting.and_then(|setting| setting.failing(machine.failure(150, 50)));
            Simulation::of_any(setting.expect("a setting"), 1)
        };
        let states = kept(fresh(), &options);
        let mut rng = Rng::new(case as u64, "made up");
        let found = tried(&states, fresh, &options, each, &mut rng, &format!("{topology} {routing} {keys}"));
        (taken, refused) = (taken + found.0, refused + found.1);
    }
    assert!(taken > 0 && refused > taken, "{taken} taken, {refused} refused");
}

/// One endpoint sends to the next on a ring. As long as nobody knows of the failure all of it is lost; then it goes the other way
/// round, which takes two links more.
#[test]
fn what_is_lost_and_how_much_longer_it_takes() {
    let machine = Failing::new("torus:dims=4", "t0 -- t1", "minimal");
    let mut rows = vec![vec![0.0; 4]; 4];
    rows[0][1] = 1.0;
    let (demand, place) = (Demand::from_rows(&rows).expect("a demand"), (0..4).map(VertexId).collect::<Vec<_>>());
    let injection = Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 0.25, seed: 7 };
    let keys = router("packet=1");
    let setting = FlitModel::new(machine.bench.wiring.clone(), &machine.bench.forwarding, keys, injection);
    let mut simulation =
        Simulation::of_any(setting.and_then(|s| s.failing(machine.failure(1000, 400))).expect("setting"), 1);
    simulation.advance(3000).expect("alone");
    let Some(Failed { before, resumed: Some((at, then)), .. }) = simulation.failed() else { panic!("no new routes") };
    let end = simulation.totals();
    assert!((1400..1420).contains(&at), "nothing waits: {at}");
    assert_eq!(then.injected, then.delivered + then.dropped, "the network is empty");
    // What had crossed arrives.
    assert!(then.delivered - before.delivered <= 3, "{before:?} {then:?}");
    let lost = then.dropped as f64;
    assert!((lost - 100.0).abs() < 5.0 * (400.0f64 * 0.25 * 0.75).sqrt(), "{lost} of 400 cycles at 0.25");
    assert_eq!((before.dropped, end.dropped), (0, then.dropped), "nothing is lost by the new routes");
    assert_eq!(before.delivered_hops, 2 * before.delivered, "two routers");
    let later = (end.delivered_hops - then.delivered_hops, end.delivered - then.delivered);
    assert!(later.1 > 300 && later.0 == 4 * later.1, "four routers: {later:?}");
}
