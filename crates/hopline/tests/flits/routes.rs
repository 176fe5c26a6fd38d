//! Packets go where routings, demands and what is missing lead them.

use super::*;

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
            let setting = FlitModel::new(
                bench.wiring.clone(),
                &bench.forwarding,
                router("packet=2"),
                Injection {
                    demand: &demand,
                    place: &alive,
                    process: Process::Exchange { bytes: 256 },
                    load: 1.0,
                    seed: 5,
                },
            );
            let mut simulation = Simulation::of_any(setting.expect("setting"), 1);
            (0..400).for_each(|_| simulation.advance(50).expect("alone"));
            assert!(simulation.is_over(), "{what}: never ends");
            assert_eq!(simulation.totals().delivered, (n * (n - 1) * 4) as u64, "{what}");
        }
    }
}
