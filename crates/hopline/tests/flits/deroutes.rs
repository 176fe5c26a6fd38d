//! Routings that leave the shortest way by the queues, wherever a packet may still turn: progressive
//! adaptive on Dragonflies, omni-dimensional on HyperX.

use super::{Bench, bench, measured};
use hopline::forwarding::{At, Forwarding, Header, Hop, NOWHERE, Offers, Outputs};

/// Queues by port.
struct Long<'a>(&'a dyn Fn(u16) -> u32);

impl Outputs for Long<'_> {
    fn waiting(&self, hop: Hop) -> u32 {
        self.at_port(hop.port)
    }
    fn at_port(&self, port: u16) -> u32 {
        (self.0)(port)
    }
}

/// The router behind a port, and where a packet stands there; `None` at a terminal.
fn next(bench: &Bench, at: At, hop: Hop) -> Option<At> {
    let w = &bench.wiring;
    let peer = w.ports[(w.first[at.router as usize] + u32::from(hop.port)) as usize].peer;
    (peer != NOWHERE).then(|| w.head(peer, hop.vc))
}

/// A router, and the hop that leaves it.
type Step = (u32, Hop);

/// Routers of every way from one to an endpoint, with the VCs of its hops: all ways that queues may lead to.
fn walked(bench: &Bench, source: u32, target: u32, header: Header, visit: &mut dyn FnMut(&[Step])) {
    fn go(bench: &Bench, at: At, target: u32, header: Header, way: &mut Vec<Step>, visit: &mut dyn FnMut(&[Step])) {
        let mut ways = Vec::new();
        bench.forwarding.ways(at, target, header, &mut ways);
        for (hop, header) in ways {
            way.push((at.router, hop));
            match next(bench, at, hop) {
                Some(at) => go(bench, at, target, header, way, visit),
                None => visit(way),
            }
            way.pop();
        }
    }
    go(bench, At::start(source), target, header, &mut Vec::new(), visit);
}

/// On every way of PAR at most two global links are used, the second by way of the router that was drawn; all ways but the minimal
/// one come by it; a packet turns in its own group alone, and no way is longer than promised.
#[test]
fn progressive_packets_turn_once_and_in_their_own_group() {
    for (topology, a, p) in [("dragonfly:p=2,a=4,h=2", 4, 2), ("dragonfly:p=2,a=2,h=1", 2, 2)] {
        let bench = bench(topology, "par");
        let (f, groups) = (&bench.forwarding, bench.wiring.len() as u32 / a);
        let mut turned = 0;
        for source in 0..bench.wiring.len() as u32 {
            for home in (0..bench.wiring.len() as u32).filter(|home| *home != source) {
                let (i, j) = (source / a, home / a);
                for header in f.headers(source, home * p) {
                    let (mut minimal, mut others) = (0, 0);
                    walked(&bench, source, home * p, header, &mut |way| {
                        let routers: Vec<u32> = way.iter().map(|(router, _)| *router).collect();
                        let visited: Vec<u32> = routers.chunk_by(|x, y| x / a == y / a).map(|own| own[0] / a).collect();
                        assert!(routers.len() as u32 <= f.longest(), "{topology} {routers:?}");
                        match (&visited[..], header.0) {
                            ([one], 0) => assert!(i == j && *one == i && routers.len() == 2),
                            ([from, to], _) => {
                                assert!(i != j && (*from, *to) == (i, j), "{topology} {routers:?}");
                                assert!(routers.len() <= 4);
                                minimal += 1;
                            }
                            ([from, middle, to], via) => {
                                assert!((*from, *middle, *to) == (i, (via - 1) / a, j), "{topology} {routers:?}");
                                assert!(routers.contains(&(via - 1)), "{topology} {routers:?} not by {}", via - 1);
                                others += 1;
                                turned += u32::from(routers.iter().filter(|r| **r / a == i).count() == 3);
                            }
                            _ => panic!("{topology}: {routers:?} with {header:?}"),
                        }
                    });
                    assert!(i == j || minimal == 1 && (others > 0 || groups < 3), "{topology} {minimal} {others}");
                }
            }
        }
        assert!(turned > 0, "{topology}: nobody turns at the second router");
    }
}

/// A packet turns away where the minimal path's queue is longer than twice the other's and the threshold, not before.
#[test]
fn progressive_packets_compare_queues() {
    for threshold in [0, 5] {
        let bench = bench("dragonfly:p=2,a=4,h=2", &format!("par:threshold={threshold}"));
        let (f, at) = (&bench.forwarding, At::start(0));
        let target = 20 * 2;
        for mut header in f.headers(0, target) {
            let mut ways = Vec::new();
            f.ways(at, target, header, &mut ways);
            let [minimal, away] = [0, 1].map(|n: usize| ways[n.min(ways.len() - 1)].0);
            assert_eq!(f.hop(at, target, &mut header), minimal);
            for (long, turns) in [(3 * 2 + threshold, false), (3 * 2 + threshold + 1, true)] {
                let queue = |port: u16| if port == minimal.port { long } else { 3 };
                let queues = Long(&queue);
                let mut offers = Offers::new(&queues);
                f.candidates(at, target, header, &mut offers);
                let expected = if turns && minimal.port != away.port { vec![away, minimal] } else { vec![minimal] };
                assert_eq!(offers.in_order(), expected, "{header:?} {long}");
            }
        }
    }
}

/// Thresholds that no queue reaches are no trouble: nobody turns away.
#[test]
fn thresholds_may_be_as_large_as_numbers_are() {
    let job = ("dragonfly:p=2,a=4,h=2", "shift:groups=1");
    let [par, minimal] = ["par:threshold=4294967295", "minimal"].map(|routing| run(job.0, routing, job.1, 0.4));
    assert!((par[0] / minimal[0] - 1.0).abs() < 0.05 && par[2] < 3.0, "{par:?} {minimal:?}");
    let [omni, dor] =
        ["omni-dimensional:threshold=4294967295", "dor"].map(|r| run("hyperx:dims=4x4,p=4", r, "shift:by=4", 0.4));
    assert!((omni[0] / dor[0] - 1.0).abs() < 0.05 && omni[2] < 1.5, "{omni:?} {dor:?}");
}

/// Every way of an omni-dimensional packet has a new VC for each hop, changes only coordinates that are not the target's, and has as
/// many hops beyond the shortest as deroutes allow, some of them all.
#[test]
fn omni_dimensional_packets_stay_where_they_are_aligned() {
    for (dims, deroutes) in [([3u32, 3], 0u32), ([3, 3], 1), ([4, 3], 2), ([4, 2], 2)] {
        let topology = format!("hyperx:dims={}x{},p=1", dims[0], dims[1]);
        let bench = bench(&topology, &format!("omni-dimensional:deroutes={deroutes}"));
        let place = |router: u32| [router % dims[0], router / dims[0]];
        let mut most = 0;
        for home in 1..bench.wiring.len() as u32 {
            let apart = |router: u32| (0..2).filter(|&d| place(router)[d] != place(home)[d]).count() as u32;
            let mut least = u32::MAX;
            walked(&bench, 0, home, bench.forwarding.headers(0, home)[0], &mut |way| {
                let hops = way.len() as u32 - 1;
                least = least.min(hops);
                most = most.max(hops - apart(0));
                assert!(hops <= apart(0) + deroutes, "{topology} {way:?}");
                assert!(way[..hops as usize].iter().enumerate().all(|(n, (_, hop))| usize::from(hop.vc) == n));
                let aligned = way.windows(2).all(|w| apart(w[1].0) <= apart(w[0].0));
                assert!(aligned, "{topology} {way:?}");
            });
            assert_eq!(least, apart(0), "{topology}");
        }
        let useful = dims.iter().any(|&k| k > 2);
        assert!(most == deroutes || !useful, "{topology}: {most} of {deroutes} deroutes");
    }
}

fn run(topology: &str, routing: &str, job: &str, load: f64) -> [f64; 3] {
    measured(topology, routing, job, "buffers=64,output=64,crossbar=vcs", load)
}

/// Where minimal paths share one link, and Valiant's are twice as long, these are as good as the better of both.
#[test]
fn adversaries_are_spread_and_uniform_traffic_is_left_alone() {
    let dragonfly = "dragonfly:p=2,a=4,h=2";
    let [[minimal, ..], [par, ..]] = ["minimal", "par:threshold=8"].map(|r| run(dragonfly, r, "shift:groups=1", 0.4));
    assert!(par > 0.39 && minimal < 0.2, "{par} {minimal}");
    let [[_, even, short], [_, slow, hops]] = ["minimal", "par:threshold=8"].map(|r| run(dragonfly, r, "uniform", 0.3));
    assert!(slow < 1.05 * even && hops < 1.02 * short, "{slow} {even} {hops} {short}");
    // All four endpoints of a router send to those of one other router, which one link leads to.
    let (hyperx, shift) = ("hyperx:dims=4x4,p=4", "shift:by=4");
    let [[dor, ..], [omni, ..]] = ["dor", "omni-dimensional"].map(|r| run(hyperx, r, shift, 0.45));
    assert!(omni > 0.43 && dor < 0.3, "{omni} {dor}");
    let [[_, even, short], [_, slow, hops]] =
        ["minimal", "omni-dimensional:threshold=8"].map(|r| run(hyperx, r, "uniform", 0.5));
    assert!(slow < 1.05 * even && hops < 1.02 * short, "{slow} {even} {hops} {short}");
}

/// A threshold that no queue reaches makes UGAL minimal, and a negative one Valiant.
#[test]
fn thresholds_of_ugal_go_both_ways() {
    for topology in ["dragonfly:p=2,a=4,h=2", "hyperx:dims=4x4,p=4"] {
        for ugal in ["ugal-l", "ugal-g"] {
            for (threshold, plain) in [("1000000", "minimal"), ("-1000000", "valiant-any")] {
                let [[.., own], [.., other]] = [&format!("{ugal}:threshold={threshold}"), plain]
                    .map(|routing| run(topology, routing, "uniform", 0.2));
                assert!((own / other - 1.0).abs() < 0.03, "{topology} {ugal} {threshold}: {own} and {plain} {other}");
            }
        }
    }
}
