//! Saturated networks of any kind: a number draws machine, routing, job, router and process, and what must always hold is looked at on the way.

#![allow(clippy::print_stdout, reason = "how many there were")]

use super::Bench;
use crate::common::is_slow;
use hopline::demand::Demand;
use hopline::error::Place;
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Injection, Process, Progress, ROUTER, Router, Simulation};
use hopline::forwarding::{self, Any, Forwarding as _, Wiring, find_deadlock};
use hopline::id::{SlotId, VertexId};
use hopline::params::Params;
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::scenario::Scenario;
use hopline::traffic;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A number from `least` to `most`.
fn from_to(rng: &mut Rng, least: u64, most: u64) -> u64 {
    least + rng.below(most - least + 1)
}

fn any<'a, T>(rng: &mut Rng, of: &'a [T]) -> &'a T {
    &of[rng.below(of.len() as u64) as usize]
}

/// So many numbers from `least` to `most`, as specs have extents.
fn extents(rng: &mut Rng, count: u64, least: u64, most: u64) -> String {
    let all: Vec<String> = (0..count).map(|_| from_to(rng, least, most).to_string()).collect();
    all.join("x")
}

/// A machine of a few dozen routers.
fn topology(rng: &mut Rng) -> String {
    let mut n = |least, most| from_to(rng, least, most);
    match n(0, 12) {
        0 | 1 => {
            let count = n(1, 3);
            format!("torus:dims={}", extents(rng, count, 2, [11, 6, 4][count as usize - 1]))
        }
        2 => {
            let count = n(1, 3);
            format!("mesh:dims={}", extents(rng, count, 2, [11, 6, 4][count as usize - 1]))
        }
        3 => format!("kncube:k={},n={}", n(2, 4), n(1, 3)),
        4 => format!("fat-tree:k={},n={}", n(2, 4), n(1, 3)),
        5 => format!("fat-tree:down={}x{}x{},up=1x{}x{}", n(1, 4), n(2, 4), n(1, 3), n(1, 3), n(1, 3)),
        6 => format!("full-mesh:n={}", n(2, 12)),
        7 => {
            let (p, count) = (n(1, 3), n(1, 3));
            format!("hyperx:dims={},p={p},trunk={}", extents(rng, count, 1, 4), from_to(rng, 1, 2))
        }
        8 => format!("slim-fly:q={},p={}", n(3, 4), n(1, 2)),
        9 | 10 => {
            let latencies = format!("local_latency={},global_latency={}", n(1, 3), n(1, 12));
            let (p, a, h) = (n(1, 2), n(1, 4), n(1, 2));
            let groups = n(2, a * h + 1);
            let arrangement = any(rng, &["relative", "palmtree", "absolute", "circulant"]);
            format!("dragonfly:p={p},a={a},h={h},g={groups},arrangement={arrangement},{latencies}")
        }
        11 => format!("dragonfly-plus:p={},global_latency={}", n(1, 2), n(1, 9)),
        _ => {
            let (half, r) = (n(3, 9), n(2, 4));
            format!("jellyfish:n={},r={r},p={},seed={}", 2 * half, n(1, 3), n(1, 1000))
        }
    }
}

/// What flits may follow somewhere; most machines take some of them.
const ROUTINGS: [&str; 31] = [
    "minimal",
    "minimal",
    "minimal:like=booksim",
    "minimal:like=caminos",
    "valiant-restricted",
    "valiant-any",
    "valiant-any",
    "ugal-l",
    "ugal-l:threshold=3",
    "ugal-l:like=booksim",
    "ugal-g",
    "ugal-g:threshold=-2",
    "par",
    "par:threshold=2",
    "omni-dimensional",
    "omni-dimensional:deroutes=0",
    "omni-dimensional:deroutes=1,threshold=0",
    "dor",
    "dor:tie=split",
    "dor:tie=parity",
    "min-adaptive",
    "min-adaptive:adaptive=2",
    "d-mod-k",
    "shortest",
    "shortest:vcs=hops",
    "up-down",
    "up-adaptive",
    "up-adaptive",
    "minhop",
    "minhop:vcs=hops",
    "table",
];

/// Keys of a router. What does not go together is refused.
fn router(rng: &mut Rng) -> String {
    let packet = *any(rng, &[1, 1, 1, 2, 3, 4, 7]);
    let mut keys = vec![format!("packet={packet}")];
    // Where one buffer takes no whole packet, the other may.
    for key in ["buffers", "output"] {
        keys.push(format!("{key}={}", from_to(rng, 1, 2 * packet + 2)));
    }
    let others: [(&str, &[&str]); 12] = [
        ("speedup", &["1", "2", "3"]),
        ("crossbar", &["ports", "vcs"]),
        ("delay", &["0", "1", "2", "5"]),
        ("latency", &["1", "2", "5"]),
        ("lanes", &["1", "2"]),
        ("switching", &["vct", "wormhole"]),
        ("arbitration", &["round-robin", "oldest", "fcfs", "random"]),
        ("allocator", &["maximal", "separable"]),
        ("claim", &["link", "switch"]),
        ("entry", &["first", "lowest", "random"]),
        ("exit", &["own", "any"]),
        ("link", &["flit", "packet"]),
    ];
    for (key, values) in others {
        if rng.below(3) == 0 {
            keys.push(format!("{key}={}", any(rng, values)));
        }
    }
    match rng.below(6) {
        0 => keys.push("source=3".to_owned()),
        1 => keys.push(format!("like={}", any(rng, &["booksim", "caminos"]))),
        _ => (),
    }
    keys.join(",")
}

/// Who sends to whom, at the slots of a machine, and its name.
fn job(rng: &mut Rng, fabric: &Fabric) -> (String, Demand) {
    let slots = fabric.hosts().slots();
    let spec = match rng.below(7) {
        0 | 1 => "uniform".to_owned(),
        2 => "bit-complement".to_owned(),
        3 => format!("shift:by={}", from_to(rng, 1, u64::from(slots))),
        4 => format!("halo:grid={slots}"),
        5 => format!("permute:of=[shift:by=1],by=random,seed={}", rng.below(1000)),
        // Few send, to few, and one of those is popular.
        _ => {
            let mut rows = vec![vec![0.0; slots as usize]; slots as usize];
            let popular = rng.below(u64::from(slots)) as usize;
            for (from, row) in rows.iter_mut().enumerate() {
                let more = (0..rng.below(3)).map(|_| rng.below(u64::from(slots)) as usize).collect::<Vec<_>>();
                for to in more.into_iter().chain([popular]).filter(|&to| to != from) {
                    row[to] += from_to(rng, 1, 9) as f64;
                }
            }
            return ("to few".to_owned(), Demand::from_rows(&rows).expect("a demand"));
        }
    };
    let context = traffic::Context { fabric, slots, files: &Disk };
    let params = Params::from_spec(&spec, &Place::new("test", 0)).expect("a spec");
    match traffic::build(&params, &context) {
        Ok(built) => (spec, built.demand),
        Err(_) => ("all to one".to_owned(), {
            let rows: Vec<Vec<f64>> = (0..slots)
                .map(|from| (0..slots).map(|to| f64::from(u8::from(to == 0 && from > 0))).collect())
                .collect();
            Demand::from_rows(&rows).expect("a demand")
        }),
    }
}

/// What can be simulated, of what was drawn: a name for people, and all that makes a simulation.
struct Case {
    what: String,
    bench: Bench,
    demand: Demand,
    place: Vec<VertexId>,
    router: Router,
    process: Process,
    seed: u64,
}

impl Case {
    /// Of a number; what does not go together is none, with the reason.
    fn new(number: u64) -> Result<Case, &'static str> {
        let mut rng = Rng::new(number, "saturated");
        let (topology, routing, keys) = (topology(&mut rng), *any(&mut rng, &ROUTINGS), router(&mut rng));
        let scenario = Scenario::default().topology(&topology).and_then(|s| s.routing(routing)).map_err(|_| "spec")?;
        let net = Network::new(&scenario, &Disk).map_err(|_| "machine")?;
        let router = format!("router:{keys}").parse().and_then(|keys: Params| Router::read(&keys.check(&ROUTER)?));
        let router = router.map_err(|_| "router")?;
        let wiring = Arc::new(Wiring::new(&net.fabric, router.latency).map_err(|_| "wiring")?);
        let context = forwarding::Context {
            topology: &net.topology,
            fabric: &net.fabric,
            wiring: &wiring,
            routing: &*net.routing,
        };
        let params = Params::from_spec(routing, &Place::new("test", 0)).expect("a spec");
        let forwarding = forwarding::build(&params, &context).map_err(|_| "forwarding")?;
        // Who asks for it gets a warning; here nothing may wait for itself.
        match find_deadlock(&wiring, &forwarding) {
            Ok(None) => (),
            Ok(Some(_)) => return Err("can deadlock"),
            Err(_) => return Err("in parts"),
        }
        let (name, demand) = job(&mut rng, &net.fabric);
        let place = (0..demand.tasks()).map(|t| net.fabric.hosts().endpoint_of(SlotId(t))).collect();
        let process = match rng.below(6) {
            0 | 1 => Process::Exchange { bytes: 64 * from_to(&mut rng, 1, 60) },
            2 => Process::Poisson,
            3 => Process::Bursts { length: from_to(&mut rng, 2, 30) as f64 },
            _ => Process::Bernoulli,
        };
        let what = format!("{number}: {topology} {routing} {name} {keys} {process:?}");
        let case =
            Case { what, bench: Bench { net, wiring, forwarding }, demand, place, router, process, seed: number };
        case.model().map_err(|_| "model")?;
        Ok(case)
    }

    fn model(&self) -> hopline::error::Result<FlitModel<&Any>> {
        let Case { bench, demand, place, router, process, seed, .. } = self;
        let injection = Injection { demand, place, process: *process, load: 1.0, seed: *seed };
        FlitModel::new(bench.wiring.clone(), &bench.forwarding, *router, injection)
    }

    fn simulation(&self, threads: usize) -> Simulation<&Any> {
        Simulation::of_any(self.model().expect("a model"), threads)
    }
}

fn state(simulation: &Simulation<&Any>) -> Vec<u8> {
    Progress::default().save(simulation).expect("alone")
}

/// Runs one and looks at it at random cycles; gives flits that arrived and how often it was looked at.
fn run(case: &Case) -> (u64, u64) {
    let what = &case.what;
    let mut rng = Rng::new(case.seed, "cycles");
    let mut one = case.simulation(1);
    one.start_measuring();
    let mut twin: Option<Simulation<&Any>> = None;
    let (mut looks, mut still, mut before) = (0, 0, one.totals());
    // The longest that nothing may arrive: packets that all wait for each other's last flits, all the way.
    let slowest = case.bench.wiring.ports.iter().map(|port| u32::from(port.latency)).max().unwrap_or(1);
    let hop = slowest + u32::from(case.router.delay) + u32::from(case.router.packet);
    let patience = 4 * case.bench.forwarding.longest() * hop + 200;
    let is_exchange = matches!(case.process, Process::Exchange { .. });
    while if is_exchange { !one.is_over() } else { one.now() < 600 } {
        let cycles = from_to(&mut rng, 1, if is_exchange && one.now() > 600 { 400 } else { 40 }) as u32;
        one.advance(cycles).expect("alone");
        looks += 1;
        let now = one.totals();
        assert_eq!(
            now.injected,
            now.delivered + one.in_flight(),
            "{what}: cycle {}: flits are lost or made",
            one.now()
        );
        // Somebody goes on; with nothing in the network the next packet may be far away.
        still = if now.delivered > before.delivered || one.in_flight() == 0 { 0 } else { still + cycles };
        assert!(still < patience, "{what}: cycle {}: nothing arrives for {still} cycles", one.now());
        before = now;
        assert!(one.sent().expect("alone").iter().all(|&n| n <= one.now()), "{what}: two flits a cycle");
        // Credits, buffers and packets agree everywhere, or it would not be taken; from there others come to the same.
        let bytes = state(&one);
        if let Some(twin) = &mut twin {
            twin.advance(cycles).expect("alone");
            assert!(state(twin) == bytes, "{what}: cycle {}: others come to another state", one.now());
        }
        if rng.below(3) == 0 {
            let mut other = case.simulation(from_to(&mut rng, 1, 4) as usize);
            Progress::load(&mut other, &bytes).unwrap_or_else(|e| panic!("{what}: cycle {}: {e}", one.now()));
            twin = Some(other);
        }
    }
    assert_eq!(one.deadlock().expect("alone"), None, "{what}");
    if is_exchange {
        assert_eq!(one.in_flight(), 0, "{what}");
        assert!(one.backlog().iter().all(|&n| n == 0), "{what}: somebody is forgotten");
    }
    (one.totals().delivered, looks)
}

/// 150 here, 3,000 with HOPLINE_SLOW, or as many as HOPLINE_SATURATED says.
#[test]
fn what_must_hold_holds_in_saturated_networks_of_any_kind() {
    let asked = std::env::var("HOPLINE_SATURATED").ok().map(|n| n.parse().expect("a number"));
    let count: u64 = asked.unwrap_or(if is_slow() { 3000 } else { 150 });
    let (mut simulated, mut flits, mut looks) = (0, 0, 0);
    let (mut refused, mut kinds) = (BTreeMap::<_, u64>::new(), BTreeMap::<_, u64>::new());
    for number in 0.. {
        if simulated == count {
            break;
        }
        match Case::new(number) {
            Ok(case) => {
                let (arrived, looked) = run(&case);
                (simulated, flits, looks) = (simulated + 1, flits + arrived, looks + looked);
                let words: Vec<&str> = case.what.split([' ', ':']).filter(|word| !word.is_empty()).collect();
                *kinds.entry(words[1].to_owned()).or_default() += 1;
            }
            Err(reason) => *refused.entry(reason).or_default() += 1,
        }
    }
    println!("{simulated} simulated, {flits} flits, looked at {looks} times; {kinds:?}; refused: {refused:?}");
    assert!(kinds.len() == 10 && flits > 1000 * count, "{kinds:?}, {flits} flits");
}
