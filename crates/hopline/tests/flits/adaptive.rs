//! Routings that decide at every hop, and again while they wait: they go the shortest way,
//! are never without an escape, and spread what dimension order does not.

use super::{Bench, bench, router};
use hopline::flits::{FlitModel, Injection, Process, Simulation};
use hopline::forwarding::{
    Adapts, Any, At, Choice, Forwarding, Header, Hop, NOWHERE, Offers, Outputs, Queues, find_deadlock,
};
use hopline::rng::Rng;
use std::collections::VecDeque;

/// Hops to a router from every other.
fn distances(bench: &Bench, to: u32) -> Vec<u32> {
    let (w, mut hops) = (&bench.wiring, vec![u32::MAX; bench.wiring.len()]);
    hops[to as usize] = 0;
    let mut queue = VecDeque::from([to]);
    while let Some(r) = queue.pop_front() {
        let own = &w.ports[w.first[r as usize] as usize..w.first[r as usize + 1] as usize];
        for next in own.iter().filter(|p| p.peer != NOWHERE).map(|p| w.ports[p.peer as usize].router) {
            if hops[next as usize] == u32::MAX {
                hops[next as usize] = hops[r as usize] + 1;
                queue.push_back(next);
            }
        }
    }
    hops
}

/// Queues of any length.
struct Some7;

impl Outputs for Some7 {
    fn waiting(&self, hop: Hop) -> u32 {
        self.at_port(hop.port)
    }
    fn at_port(&self, port: u16) -> u32 {
        u32::from(port) * 5 % 7
    }
}

/// Every candidate leads nearer, all ports that do are among them, the shortest queue comes first, and dimension order is
/// the escape.
#[test]
fn candidates_are_all_that_lead_nearer() {
    for topology in ["torus:dims=4x4", "torus:dims=5x2x3", "kncube:k=2,n=4", "torus:dims=8x3"] {
        let (adaptive, dor) = (bench(topology, "min-adaptive:adaptive=2"), bench(topology, "dor"));
        let (f, w) = (&adaptive.forwarding, &adaptive.wiring);
        assert_eq!(f.adapts(), Adapts::EveryHop);
        for target in 0..w.len() as u32 {
            let hops = distances(&adaptive, target);
            for r in (0..w.len() as u32).filter(|&r| r != target) {
                let (at, mut offers) = (At::start(r), Offers::new(&Some7));
                f.candidates(at, target, Header(r * 77), &mut offers);
                let mut found = offers.in_order();
                // The escape comes last.
                assert_eq!(found.pop(), Some(f.hop(at, target, &mut Header(5))));
                let nearer = |port: u16| {
                    let peer = w.ports[(w.first[r as usize] + u32::from(port)) as usize].peer;
                    peer != NOWHERE && hops[w.ports[peer as usize].router as usize] < hops[r as usize]
                };
                let ports = (w.first[r as usize + 1] - w.first[r as usize]) as u16;
                let mut all: Vec<Hop> =
                    (0..ports).filter(|&p| nearer(p)).flat_map(|port| [2, 3].map(|vc| Hop { port, vc })).collect();
                assert!(found.is_sorted_by_key(|&hop| Some7.waiting(hop)), "{topology} {r} -> {target}");
                found.sort_by_key(|hop| (hop.port, hop.vc));
                all.sort_by_key(|hop| (hop.port, hop.vc));
                assert_eq!(found, all, "{topology} {r} -> {target}");
                let plus = &dor.forwarding.headers(r, target)[..];
                let [mut plus, mut any] = [plus[0], Header(5)];
                assert_eq!(f.hop(at, target, &mut any), dor.forwarding.hop(at, target, &mut plus));
            }
        }
    }
}

/// Packets that never meet go the shortest way.
#[test]
fn hops_are_the_shortest() {
    for (topology, keys) in [("torus:dims=6x5", ""), ("torus:dims=4x4x2", "packet=3")] {
        let bench = bench(topology, "min-adaptive");
        let n = bench.wiring.len() as u64;
        let pairs: u64 = (0..n).map(|t| distances(&bench, t as u32).iter().map(|&h| u64::from(h)).sum::<u64>()).sum();
        for load in [0.02, 1.0] {
            let mut simulation = bench.simulation("uniform", keys, Process::Exchange { bytes: 6400 }, load, 1);
            while !simulation.is_over() {
                simulation.advance(100).expect("alone");
            }
            let t = simulation.totals();
            let routers = pairs as f64 / (n * (n - 1)) as f64 + 1.0;
            assert_eq!(t.delivered_hops, t.hops);
            assert!((t.hops as f64 / t.delivered as f64 - routers).abs() < 1e-9, "{topology} {keys}");
        }
    }
}

/// Flits per cycle and endpoint that arrive at full load.
fn accepted(topology: &str, routing: &str, job: &str, keys: &str) -> f64 {
    let bench = bench(topology, routing);
    let mut simulation = bench.simulation(job, keys, Process::Bernoulli, 1.0, 1);
    simulation.advance(1000).expect("alone");
    let before = simulation.totals().delivered;
    simulation.advance(1500).expect("alone");
    assert_eq!(simulation.deadlock().expect("alone"), None);
    (simulation.totals().delivered - before) as f64 / 1500.0 / f64::from(simulation.setting().senders())
}

/// Dimension order sends all of a row of a transpose around one corner; where the virtual channels are as many, adaptive
/// packets get through at a third more and better. Uniform traffic fills all links anyway.
#[test]
fn a_transpose_is_spread() {
    for keys in ["", "packet=4,buffers=16,output=8"] {
        let dor = accepted("kncube:k=8,n=2", "dor", "linear:name=transpose", &format!("lanes=2,{keys}"));
        let adaptive = accepted("kncube:k=8,n=2", "min-adaptive:adaptive=2", "linear:name=transpose", keys);
        assert!(adaptive > 1.3 * dor, "{adaptive} {dor} {keys}");
        let dor = accepted("kncube:k=8,n=2", "dor", "uniform", &format!("lanes=2,{keys}"));
        let adaptive = accepted("kncube:k=8,n=2", "min-adaptive:adaptive=2", "uniform", keys);
        assert!(adaptive > 0.9 * dor, "{adaptive} {dor} {keys}");
    }
}

/// Minimal-adaptive with an escape of one VC, or where packets may be without one.
struct Broken<'a> {
    whole: &'a Any,
    escapes: bool,
}

impl Forwarding for Broken<'_> {
    fn vcs(&self) -> u8 {
        self.whole.vcs()
    }
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        self.whole.inject(router, target, queues, rng)
    }
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let hop = self.whole.hop(at, target, header);
        Hop { vc: if self.escapes { 0 } else { 2 }, ..hop }
    }
    fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
        let mut offers = Offers::new(&Some7);
        self.whole.candidates(at, target, header, &mut offers);
        let adaptive = offers.in_order().into_iter().filter(|&hop| !self.is_escape(hop));
        for hop in adaptive.chain([self.hop(at, target, &mut { header })]) {
            choice.offer(hop, 0);
        }
    }
    fn is_escape(&self, hop: Hop) -> bool {
        self.whole.is_escape(hop)
    }
    fn adapts(&self) -> Adapts {
        Adapts::EveryHop
    }
    fn longest(&self) -> u32 {
        self.whole.longest()
    }
    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        self.whole.headers(router, target)
    }
}

/// The escape's dependencies must have no circle, those by way of adaptive channels included, and it must be everywhere.
#[test]
fn escapes_are_checked() {
    for topology in ["torus:dims=5", "torus:dims=4x4", "kncube:k=4,n=3"] {
        let bench = bench(topology, "min-adaptive");
        let broken = |escapes| find_deadlock(&bench.wiring, &Broken { whole: &bench.forwarding, escapes });
        let cycle = broken(true).expect("walks").expect("a circle of the escape");
        assert!(cycle.len() > 1 && cycle.iter().all(|c| c.vc == 0), "{topology} {cycle:?}");
        assert!(broken(false).is_err(), "{topology}");
        // A symmetry makes few walks enough: all of them find no circle either.
        assert_eq!(find_deadlock(&bench.wiring, &Everywhere(&bench.forwarding)).expect("walks"), None, "{topology}");
    }
}

/// Every walk, every channel by itself.
struct Everywhere<'a>(&'a Any);

impl Forwarding for Everywhere<'_> {
    fn vcs(&self) -> u8 {
        self.0.vcs()
    }
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        self.0.inject(router, target, queues, rng)
    }
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        self.0.hop(at, target, header)
    }
    fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
        self.0.candidates(at, target, header, choice);
    }
    fn adapts(&self) -> Adapts {
        Adapts::EveryHop
    }
    fn is_escape(&self, hop: Hop) -> bool {
        self.0.is_escape(hop)
    }
    fn longest(&self) -> u32 {
        self.0.longest()
    }
    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        self.0.headers(router, target)
    }
}

/// A worm that left its escape holds it while it waits behind another: refused, not risked.
#[test]
fn worms_are_refused() {
    let bench = bench("torus:dims=4x4", "min-adaptive");
    let (demand, place) = bench.demand("uniform");
    let setting = |keys: &str| {
        FlitModel::new(
            bench.wiring.clone(),
            &bench.forwarding,
            router(keys),
            Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 1.0, seed: 1 },
        )
    };
    let error = setting("packet=3,switching=wormhole").err().expect("worms").to_string();
    assert!(error.contains("wormhole") && error.contains("vct"), "{error}");
    for keys in ["switching=wormhole", "packet=3"] {
        Simulation::of_any(setting(keys).expect("setting"), 1).advance(10).expect("alone");
    }
}

/// On a tree every port up is a candidate until the way leads down, and then one port is, on any fabric that of up-down; the
/// shortest queue comes first.
#[test]
fn up_adaptive_offers_the_ways_of_up_down() {
    for topology in ["fat-tree:k=3,n=3", "torus:dims=4x4", "tree:arity=3x2x2", "fat-tree:down=66x2,up=1x3"] {
        let (adaptive, plain) = (bench(topology, "up-adaptive"), bench(topology, "up-down"));
        let (f, w) = (&adaptive.forwarding, &adaptive.wiring);
        assert_eq!(f.adapts(), Adapts::EveryHop);
        for target in (0..w.home.len() as u32).step_by(5) {
            for source in (0..w.home.len() as u32).step_by(7).map(|e| w.router_of(e)) {
                // All walks of a packet, each with the note that up-down itself would have made.
                let mut open = vec![(At::start(source), Header(0))];
                while let Some((at, note)) = open.pop() {
                    let (mut offers, mut ways) = (Offers::new(&Some7), Vec::new());
                    f.candidates(at, target, Header(12345), &mut offers);
                    let mut found = offers.in_order();
                    plain.forwarding.ways(at, target, note, &mut ways);
                    assert!(found.is_sorted_by_key(|&hop| Some7.waiting(hop)), "{topology}");
                    let first = ways[0].0;
                    let port = w.ports[(w.first[at.router as usize] + u32::from(first.port)) as usize];
                    if port.peer == NOWHERE {
                        assert_eq!((found, f.hop(at, target, &mut Header(9))), (vec![first], first), "{topology}");
                        continue;
                    }
                    found.sort_by_key(|hop| hop.port);
                    let mut all: Vec<Hop> = ways.iter().map(|way| way.0).collect();
                    all.sort_by_key(|hop| hop.port);
                    assert_eq!(found, all, "{topology} {source} -> {target}");
                    assert!(all.contains(&f.hop(at, target, &mut Header(9))), "{topology}");
                    open.extend(ways.into_iter().map(|(hop, note)| {
                        let own = w.first[at.router as usize] + u32::from(hop.port);
                        let peer = w.ports[own as usize].peer;
                        (w.head(peer, hop.vc), note)
                    }));
                }
            }
        }
    }
}
