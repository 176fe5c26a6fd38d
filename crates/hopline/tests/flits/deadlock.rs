//! What can deadlock is refused, what was broken is reported, what was admitted goes on.

use super::{CASES, bench, goes_with, router};
use hopline::flits::{FlitModel, Injection, Process, Simulation};
use hopline::forwarding::{Any, At, Channel, Forwarding, Header, Hop, Queues, Wiring, find_deadlock};
use hopline::rng::Rng;

#[test]
fn what_can_deadlock_is_found_before_it_does() {
    for (topology, routing, _) in CASES {
        let bench = bench(topology, routing);
        assert_eq!(find_deadlock(&bench.wiring, &bench.forwarding).expect("walks"), None, "{topology} {routing}");
    }
    for (topology, routing) in
        [("torus:dims=4x4", "shortest"), ("torus:dims=5", "shortest"), ("dragonfly:p=2,a=4,h=2", "shortest")]
    {
        let bench = bench(topology, routing);
        let cycle = find_deadlock(&bench.wiring, &bench.forwarding).expect("walks").expect("a cycle");
        // Every channel of it ends where the next begins.
        let router = |port: u32| bench.wiring.ports[port as usize].router;
        for (i, c) in cycle.iter().enumerate() {
            let next = cycle[(i + 1) % cycle.len()];
            let end = bench.wiring.ports[c.port as usize].peer;
            assert_eq!(router(end), router(next.port), "{topology} {routing}");
        }
    }
}

/// A forwarding with its VCs or without, proven by walks that stand for all or by all.
struct Proven<'a> {
    of: &'a Any,
    keeps_vcs: bool,
    everywhere: bool,
}

impl Forwarding for Proven<'_> {
    fn vcs(&self) -> u8 {
        self.of.vcs()
    }
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        self.of.inject(router, target, queues, rng)
    }
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        self.of.hop(at, target, header)
    }
    fn longest(&self) -> u32 {
        self.of.longest()
    }
    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        self.of.headers(router, target)
    }
    fn ways(&self, at: At, target: u32, header: Header, found: &mut Vec<(Hop, Header)>) {
        self.of.ways(at, target, header, found);
        if !self.keeps_vcs {
            found.iter_mut().for_each(|way| way.0.vc = 0);
        }
    }
    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        if !self.everywhere {
            return self.of.walks(wiring, visit);
        }
        for (target, source) in
            (0..wiring.home.len() as u32).flat_map(|t| (0..wiring.len() as u32).map(move |s| (t, s)))
        {
            self.headers(source, target).into_iter().for_each(|header| visit(source, target, header));
        }
    }
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        match self.everywhere {
            true => u64::from(channel.port) << 8 | u64::from(channel.vc),
            false => self.of.class(wiring, channel),
        }
    }
}

/// Two routers of a Slim Fly stand for all, whether its channels are safe or not.
#[test]
fn walks_that_stand_for_all_say_the_same_as_all() {
    for (q, routing) in [(3, "minimal"), (4, "minimal"), (5, "minimal"), (3, "valiant-any"), (4, "ugal-l")] {
        let bench = bench(&format!("slim-fly:q={q},p=1"), routing);
        for (keeps_vcs, everywhere) in [(true, true), (true, false), (false, true), (false, false)] {
            let proven = Proven { of: &bench.forwarding, keeps_vcs, everywhere };
            let cycle = find_deadlock(&bench.wiring, &proven).expect("walks");
            assert_eq!(cycle.is_none(), keeps_vcs, "q={q} {routing} everywhere {everywhere}");
        }
        let mut walks = 0;
        bench.forwarding.walks(&bench.wiring, &mut |_, _, _| walks += 1);
        assert!(walks < 9 * bench.wiring.len(), "q={q} {routing}: {walks}");
    }
}

/// Shortest paths on one VC wait in a circle on rings.
#[test]
fn a_broken_vc_scheme_is_reported_with_its_circle() {
    for (topology, keys) in [
        ("torus:dims=6", "buffers=2,output=1"),
        ("torus:dims=6", "buffers=4,output=4,packet=4"),
        ("torus:dims=4x4", "buffers=2,output=2,packet=8,switching=wormhole"),
    ] {
        let bench = bench(topology, "shortest");
        assert!(find_deadlock(&bench.wiring, &bench.forwarding).expect("walks").is_some(), "{topology}");
        let (demand, place) = bench.demand("uniform");
        let setting = FlitModel::new(
            bench.wiring.clone(),
            &bench.forwarding,
            router(keys),
            Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 1.0, seed: 1 },
        )
        .expect("setting");
        let mut simulation = Simulation::of_any(setting, 2);
        let mut found = None;
        for _ in 0..200 {
            simulation.advance(100).expect("alone");
            found = simulation.deadlock().expect("alone");
            if found.is_some() {
                break;
            }
        }
        let cycle = found.unwrap_or_else(|| panic!("{topology} {keys}: runs on"));
        assert!(cycle.len() > 1, "{topology} {keys}");
        // The channels follow each other (long packets also wait for one that holds their VC at the
        // same router), and stand still for ever.
        let ends = |c: Channel| {
            let port = &bench.wiring.ports[c.port as usize];
            // An endpoint takes all that comes, but a worm may hold the way to it.
            (port.router, bench.wiring.ports.get(port.peer as usize).map_or(port.router, |peer| peer.router))
        };
        for (i, &c) in cycle.iter().enumerate() {
            let (at, next) = (ends(c).1, ends(cycle[(i + 1) % cycle.len()]));
            assert!(at == next.0 || keys.contains("packet") && at == next.1, "{topology} {keys}: {cycle:?}");
        }
        simulation.advance(500).expect("alone");
        simulation.start_measuring();
        simulation.advance(1000).expect("alone");
        let sent = simulation.sent().expect("alone");
        assert!(cycle.iter().all(|c| sent[c.port as usize] == 0), "{topology} {keys}: a channel of the circle moves");
    }
}

/// At full load and with small buffers nothing ever waits for itself: a million
/// flits with `./check --full`.
#[test]
fn admitted_routings_do_not_deadlock() {
    let flits = if std::env::var_os("HOPLINE_FUZZ").is_some() { 1_000_000 } else { 10_000 };
    for (topology, routing, _) in CASES {
        let bench = bench(topology, routing);
        let routers =
            ["buffers=1,output=1", "buffers=2,output=1,packet=5,switching=wormhole", "buffers=4,output=3,packet=3"];
        for keys in routers.into_iter().filter(|keys| goes_with(routing, keys)) {
            let mut simulation = bench.simulation("uniform", keys, Process::Bernoulli, 1.0, 1);
            let mut before = 0;
            while simulation.totals().delivered < flits {
                simulation.advance(500).expect("alone");
                let now = simulation.totals().delivered;
                assert!(now > before, "{topology} {routing} {keys}: stands still");
                before = now;
            }
            assert_eq!(simulation.deadlock().expect("alone"), None, "{topology} {routing} {keys}");
        }
    }
}
