//! Laws of every routing: its paths are walks that end where they should, their
//! shares add up to 1, and paths, routes and loads of whole flows say the same.

mod common;

use common::{endpoint, is_adaptive, network, pairs};
use hopline::demand::{Block, Demand, Flows, TaskSet, Unit};
use hopline::entry::Listed;
use hopline::id::VertexId;
use hopline::rng::Rng;
use hopline::routing::{LIST, Path, Route, Routing, load_by_routes};

/// Every path is a walk from source to target; middle=free leaves a gap on purpose.
fn check_paths(routing: &dyn Routing, source: VertexId, target: VertexId, what: &str) {
    let fabric = routing.fabric();
    let gap = what.contains("middle=free");
    let mut path = Path::default();
    let mut total = 0.0;
    let mut by_paths = vec![0.0; fabric.links()];
    for choice in 0..routing.choices(source, target).expect(what) {
        routing.path(source, target, choice, &mut path).expect(what);
        let end = path.links.iter().fold(source, |at, &link| {
            assert!(gap || fabric.source(link) == at, "{what}: a path is broken");
            fabric.target(link)
        });
        assert_eq!(end, target, "{what}: a path ends elsewhere");
        assert!(path.share > 0.0 && path.share <= 1.0, "{what}");
        total += path.share;
        path.links.iter().for_each(|l| by_paths[l.index()] += path.share);
    }
    assert!((total - 1.0).abs() < 1e-9, "{what}: shares add up to {total}");
    let mut route = Route::new();
    routing.route(source, target, &mut route).expect(what);
    let mut by_route = vec![0.0; fabric.links()];
    route.iter().for_each(|(l, share)| by_route[l.index()] += share);
    close(&by_paths, &by_route, what);
    let between = route.iter().filter(|(l, _)| !fabric.is_host_link(*l)).map(|r| r.1).sum::<f64>();
    let hops = routing.hops(source, target, &mut Route::new()).expect(what);
    assert!((hops - between).abs() < 1e-9, "{what}: {hops} hops for {between}");
    // Flow conservation: one unit leaves the source, arrives at the target, passes elsewhere.
    let mut balance = vec![0.0; fabric.vertices() as usize];
    for (l, share) in &route {
        balance[fabric.source(*l).index()] += share;
        balance[fabric.target(*l).index()] -= share;
    }
    if source != target && !gap {
        balance[source.index()] -= 1.0;
        balance[target.index()] += 1.0;
    }
    assert!(gap || balance.iter().all(|b| b.abs() < 1e-9), "{what}: flow is lost");
}

fn close(a: &[f64], b: &[f64], what: &str) {
    for (link, (x, y)) in a.iter().zip(b).enumerate() {
        assert!((x - y).abs() <= 1e-9 * (1.0 + x.abs()), "{what}: link {link} has {x} and {y}");
    }
}

#[test]
fn paths_are_walks_and_routes_are_their_mean() {
    for (topology, spec) in pairs() {
        let net = network(topology, Some(spec));
        let mut rng = Rng::new(1, spec);
        for _ in 0..60 {
            let (a, b) = (endpoint(&net.fabric, &mut rng), endpoint(&net.fabric, &mut rng));
            check_paths(&*net.routing, a, b, &format!("{topology} {spec} {a}->{b}"));
        }
    }
}

/// Points that are spread evenly use every link as often as the route says.
#[test]
fn draws_follow_the_shares() {
    const POINTS: u64 = 1 << 14;
    for (topology, spec) in pairs() {
        let net = network(topology, Some(spec));
        let (f, mut rng) = (&*net.fabric, Rng::new(4, spec));
        let (mut path, mut route, mut channels) = (Path::default(), Route::new(), Vec::new());
        for _ in 0..3 {
            let (a, b) = (endpoint(f, &mut rng), endpoint(f, &mut rng));
            let mut share = vec![0.0; f.links()];
            let choices = net.routing.choices(a, b).expect(spec);
            assert!(choices == 1 || !net.routing.one_path(), "{topology} {spec} has one path for every message");
            net.routing.route(a, b, &mut route).expect(spec);
            route.iter().for_each(|(l, s)| share[l.index()] -= s);
            for k in 0..POINTS {
                let choice = net.routing.draw(a, b, choices, k * (u64::MAX / POINTS), &mut path).expect(spec);
                net.routing.channels(&path, choice, &mut channels);
                assert_eq!(channels.len(), path.links.len(), "{topology} {spec}");
                path.links.iter().for_each(|l| share[l.index()] += 1.0 / POINTS as f64);
            }
            let worst = share.iter().fold(0.0, |w: f64, s| w.max(s.abs()));
            assert!(worst < 0.005, "{topology} {spec} {a} -> {b}: a link is off by {worst}");
        }
    }
}

#[test]
fn loads_of_whole_flows_equal_loads_pair_by_pair() {
    for (topology, spec) in pairs() {
        let net = network(topology, Some(spec));
        let f = &*net.fabric;
        let mut rng = Rng::new(2, spec);
        for round in 0..6 {
            let tasks = 40;
            let place: Vec<VertexId> = (0..tasks).map(|_| endpoint(f, &mut rng)).collect();
            let mut pick = |n: usize| TaskSet::List(rng.sample(n, tasks as usize).iter().map(|&t| t as u32).collect());
            let blocks = vec![
                Block { sources: TaskSet::all(tasks), destinations: TaskSet::all(tasks), amount: 0.25, to_self: true },
                Block { sources: pick(7), destinations: pick(12), amount: 1.5, to_self: false },
                Block { sources: pick(1), destinations: pick(30), amount: 2.0, to_self: false },
            ];
            let entries =
                (0..60).map(|i| (i % tasks, rng.below(u64::from(tasks)) as u32, 1.0 + f64::from(i))).collect();
            let demand = Demand::new(tasks, Unit::Units, entries, blocks).expect("demand");
            let flows = Flows::new(&demand, &place, f);
            let (mut whole, mut pairs) = (vec![0.0; f.links()], vec![0.0; f.links()]);
            net.routing.load(&flows, &mut whole).expect("load");
            load_by_routes(&*net.routing, &flows, &mut pairs).expect("pairs");
            close(&whole, &pairs, &format!("{topology} {spec} round {round}"));
            assert!(
                (flows.local + flows.remote - demand.total()).abs() < 1e-9 * demand.total(),
                "{topology}: traffic is lost"
            );
        }
    }
}

#[test]
fn routes_are_sums_of_their_bundles() {
    let mut tested = 0;
    for (topology, spec) in pairs() {
        let net = network(topology, Some(spec));
        let Some(bundles) = net.routing.bundles() else { continue };
        let (f, mut rng) = (&*net.fabric, Rng::new(11, topology));
        let (mut route, mut part, mut found) = (Route::new(), Route::new(), Vec::new());
        for _ in 0..200 {
            let (source, target) = (endpoint(f, &mut rng), endpoint(f, &mut rng));
            let (mut whole, mut sum) = (vec![0.0; f.links()], vec![0.0; f.links()]);
            net.routing.route(source, target, &mut route).expect("route");
            route.iter().for_each(|(link, share)| whole[link.index()] += share);
            bundles.of(source, target, &mut found);
            for &bundle in &found {
                assert!(bundle < bundles.count(), "{topology} {spec}");
                bundles.links(bundle, &mut part);
                part.iter().for_each(|(link, share)| sum[link.index()] += share);
            }
            close(&whole, &sum, &format!("{topology} {spec} {source} -> {target}"));
        }
        tested += 1;
    }
    assert!(tested >= 6, "bundles of {tested} routings were tested");
}

#[test]
fn adaptive_routings_have_no_shares_and_say_so() {
    let adaptive: Vec<_> = LIST.iter().filter(|kind| is_adaptive(kind)).collect();
    assert!(adaptive.len() >= 3 && adaptive.len() < LIST.len(), "{} adaptive routings", adaptive.len());
    for kind in adaptive {
        let (topology, spec) = (kind.network(), kind.entry().example);
        let net = network(topology, Some(spec));
        let error = net.routing.choices(VertexId(0), VertexId(1)).expect_err(spec).to_string();
        assert!(error.contains("no fixed shares") && error.contains("hopline flits"), "{error}");
    }
}

/// With a virtual channel per hop a routing stays the same, and its paths count their links.
#[test]
fn a_virtual_channel_per_hop_changes_no_path() {
    for (topology, spec, vcs) in [
        ("torus:dims=4x3", "shortest", 3),
        ("dragonfly:p=2,a=4,h=2", "shortest", 3),
        ("tree:arity=3x2x2", "shortest", 4),
        ("file:testdata/fabrics/rack64", "table", 2),
        ("file:testdata/fabrics/rack64", "minhop", 2),
    ] {
        let (one, hops) = (network(topology, Some(spec)), network(topology, Some(&format!("{spec}:vcs=hops"))));
        assert_eq!((one.routing.vcs(), hops.routing.vcs()), (1, vcs), "{topology} {spec}");
        let (f, mut rng) = (&*one.fabric, Rng::new(3, topology));
        let (mut path, mut same, mut channels) = (Path::default(), Path::default(), Vec::new());
        for _ in 0..50 {
            let (a, b) = (endpoint(f, &mut rng), endpoint(f, &mut rng));
            let choices = one.routing.choices(a, b).expect("a way");
            assert_eq!(hops.routing.choices(a, b).expect("a way"), choices);
            one.routing.path(a, b, choices - 1, &mut path).expect("a path");
            hops.routing.path(a, b, choices - 1, &mut same).expect("a path");
            assert_eq!(path, same, "{topology} {spec} {a} -> {b}");
            hops.routing.channels(&path, choices - 1, &mut channels);
            let between = path.links.iter().zip(&channels).filter(|(l, _)| !f.is_host_link(**l)).map(|(_, vc)| *vc);
            assert!(between.eq(0..path.links.iter().filter(|l| !f.is_host_link(**l)).count() as u8));
        }
        let entries = (0..20).map(|i| (i % 7, i % 12, 1.0)).collect();
        let demand = Demand::new(12, Unit::Units, entries, Vec::new()).expect("demand");
        let place: Vec<VertexId> = (0..12).map(|_| endpoint(f, &mut rng)).collect();
        let loads = [&one, &hops].map(|n| hopline::loads::evaluate(&demand, &place, &*n.routing).expect("loads").load);
        assert_eq!(loads[0], loads[1], "{topology} {spec}");
    }
}

/// Throughput of the complement by the worst link: the imbalance that the paper
/// estimates by 3/(4p).
#[test]
fn restricted_valiant_is_limited_by_local_links() {
    for (p, throughput) in [(2, 0.233), (3, 0.162), (4, 0.123), (5, 0.099)] {
        let net = network(&format!("dragonfly:p={p},a={},h={p}", 2 * p), Some("valiant-restricted"));
        let n = net.fabric.endpoints();
        let entries = (0..n).map(|k| (k, n - 1 - k, 1.0)).collect();
        let demand = Demand::new(n, Unit::Units, entries, Vec::new()).expect("demand");
        let place: Vec<VertexId> = (0..n).map(VertexId).collect();
        let loads = hopline::loads::evaluate(&demand, &place, &*net.routing).expect("loads");
        let most = (0..net.fabric.links() as u32)
            .map(hopline::id::LinkId)
            .filter(|&l| !net.fabric.is_host_link(l))
            .map(|l| loads.load[l.index()])
            .fold(0.0, f64::max);
        assert!((1.0 / most - throughput).abs() < 5e-4, "p = {p}: {}", 1.0 / most);
    }
}

/// How often each link of one path or another is used by a pair under so many seeds.
fn uses(topology: &str, keys: &str, (a, b): (u32, u32), seeds: u32) -> Vec<f64> {
    let mut uses = vec![0.0; network(topology, None).fabric.links()];
    for seed in 0..seeds {
        let net = network(topology, Some(&format!("ecmp:seed={seed}{keys}")));
        let mut path = Path::default();
        net.routing.path(VertexId(a), VertexId(b), 0, &mut path).expect("a path");
        path.links.iter().for_each(|l| uses[l.index()] += 1.0);
    }
    uses
}

/// A hash comes to the even spreading of shortest paths in the mean of its seeds, within 5 sigma of a binomial, and to the
/// bandwidths of links where these are its weights.
#[test]
fn hashes_are_fair() {
    let seeds = 400;
    for (topology, pair) in
        [("fat-tree:k=4,n=3", (0, 63)), ("torus:dims=4x4", (0, 10)), ("hyperx:dims=4x4,p=2", (0, 31))]
    {
        let net = network(topology, Some("shortest"));
        let mut route = Route::new();
        net.routing.route(VertexId(pair.0), VertexId(pair.1), &mut route).expect("a route");
        let used = uses(topology, "", pair, seeds);
        let mut shares = vec![0.0; used.len()];
        route.iter().for_each(|&(l, share)| shares[l.index()] += share);
        for (used, share) in used.iter().zip(&shares) {
            let n = f64::from(seeds);
            let slack = 5.0 * (n * share * (1.0 - share)).max(0.0).sqrt() + 1e-6;
            assert!((used - n * share).abs() <= slack, "{topology}: {used} of {n}, share {share}");
        }
    }
    // Two ways round a square, one over links of three times the bandwidth.
    let used = uses("mesh:dims=2x2,bandwidth=1x3", ",weights=bandwidth", (0, 3), seeds);
    let net = network("mesh:dims=2x2,bandwidth=1x3", None);
    let first = |to: u32| {
        let mut links = net.fabric.out_links(VertexId(0));
        links.find(|&l| net.fabric.target(l) == VertexId(to)).map(|l| used[l.index()]).expect("a link")
    };
    assert_eq!(first(1) + first(2), f64::from(seeds));
    assert!((first(2) - 0.75 * f64::from(seeds)).abs() < 5.0 * (400.0f64 * 0.75 * 0.25).sqrt(), "{}", first(2));
}

/// Without the switch in the hash the second choice on the way up is the first again; with it all pairs of choices occur.
#[test]
fn hashes_without_salt_polarise() {
    for (keys, most) in [(",salt=none", 4), ("", 16)] {
        let net = network("fat-tree:k=4,n=3", Some(&format!("ecmp:seed=5{keys}")));
        let mut pairs = std::collections::BTreeSet::new();
        let mut path = Path::default();
        for target in 16..64 {
            for source in 0..4 {
                net.routing.path(VertexId(source), VertexId(target), 0, &mut path).expect("a path");
                pairs.insert((net.fabric.offset(path.links[1]), net.fabric.offset(path.links[2])));
            }
        }
        assert_eq!(pairs.len(), most, "{keys}: {pairs:?}");
    }
}

/// Seeds give other loads, their own first, and flows of one pair take several paths.
#[test]
fn seeds_and_flows_spread() {
    let net = network("fat-tree:k=4,n=2", Some("ecmp:seed=3,seeds=7,flows=64"));
    assert_eq!(net.routing.reseeded().len(), 7);
    let (mut own, mut again) = (Route::new(), Route::new());
    net.routing.route(VertexId(0), VertexId(15), &mut own).expect("a route");
    net.routing.reseeded()[0].route(VertexId(0), VertexId(15), &mut again).expect("a route");
    assert_eq!(own, again);
    net.routing.reseeded()[1].route(VertexId(0), VertexId(15), &mut again).expect("a route");
    assert_ne!(own, again);
    let links: std::collections::BTreeSet<_> = own.iter().map(|r| r.0).collect();
    assert_eq!(links.len(), 2 + 2 * 4, "all four ways up are used");
}
