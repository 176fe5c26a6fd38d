//! Laws of the networks that people buy: what their papers say of counts and distances, and how uniform traffic loads
//! them.

mod common;

use common::{fabric, network, root};
use hopline::demand::{Block, Demand, TaskSet, Unit};
use hopline::fabric::metrics::distances;
use hopline::fabric::{Builder, LinkClass};
use hopline::id::{LinkId, VertexId};
use hopline::loads::evaluate;
use hopline::plan::Network;
use hopline::routing::Valiant;
use hopline::topology::{DragonflyPlus, Jellyfish, SlimFly, Topology};
use hopline::unit::Bandwidth;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Least and largest load of the links of every class where every endpoint sends one unit, spread over all others.
fn uniform(net: &Network) -> BTreeMap<String, (f64, f64)> {
    let n = net.fabric.endpoints();
    let all = || TaskSet::all(n);
    let block = Block { sources: all(), destinations: all(), amount: 1.0 / f64::from(n - 1), to_self: false };
    let demand = Demand::new(n, Unit::Units, Vec::new(), vec![block]).expect("demand");
    ranges(net, &demand)
}

fn ranges(net: &Network, demand: &Demand) -> BTreeMap<String, (f64, f64)> {
    let place: Vec<VertexId> = (0..demand.tasks()).map(VertexId).collect();
    let loads = evaluate(demand, &place, &*net.routing).expect("loads").load;
    let mut ranges = BTreeMap::new();
    for (l, &load) in loads.iter().enumerate() {
        let class = net.fabric.class_of(LinkId(l as u32)).name.clone();
        let (low, high) = ranges.entry(class).or_insert((load, load));
        (*low, *high) = (low.min(load), high.max(load));
    }
    ranges
}

fn assert_near(a: f64, b: f64, within: f64, what: &str) {
    assert!((a - b).abs() <= within, "{what}: {a}, not {b}");
}

/// Graphs of another program, with their routers' mean distance to the others.
#[test]
fn slim_flies_are_those_of_their_paper() {
    let table = std::fs::read_to_string(format!("{}/testdata/modern/slimfly.csv", root())).expect("table");
    let mut sizes = 0;
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        let q = number(0) as u32;
        let slim_fly = SlimFly::new(q).expect("a prime power");
        assert_eq!((f64::from(slim_fly.routers()), f64::from(slim_fly.degree())), (number(5), number(6)), "q = {q}");
        // Without p it is balanced.
        let written = slim_fly.to_string();
        assert_eq!(written, format!("slim-fly:q={q}"));
        let counts = Topology::from(slim_fly).counts().expect("counts");
        assert_eq!(counts.endpoints as f64, number(11), "q = {q}");
        if q > 19 {
            continue;
        }
        sizes += 1;
        let (_, one) = fabric(&format!("slim-fly:q={q},p=1"));
        let found = distances(&one);
        assert_eq!(f64::from(found.diameter), number(7), "q = {q}");
        assert_near(found.mean, number(8), 1e-5, &format!("q = {q}"));
    }
    assert_eq!(sizes, 11);
    for q in [0, 1, 2, 6, 12, 100, 255, 257, 1024] {
        assert!(SlimFly::new(q).is_err(), "q = {q}");
    }
    assert!(SlimFly::new(256).is_ok());
}

/// Of the links between routers, per unit of injection; found by another program.
#[test]
fn uniform_traffic_loads_a_slim_fly_evenly_on_average_only() {
    for (q, p, most, least) in [(4, 3, 0.947, 0.568), (5, 4, 1.045, 1.045), (7, 6, 1.165, 0.532), (9, 7, 1.081, 0.908)]
    {
        let net = network(&format!("slim-fly:q={q},p={p}"), None);
        let found = uniform(&net);
        let both = ["local", "global"].map(|class| found[class]);
        assert_near(both[0].1.max(both[1].1), most, 5e-4, &format!("q = {q}"));
        assert_near(both[0].0.min(both[1].0), least, 5e-4, &format!("q = {q}"));
    }
}

#[test]
fn a_hyperx_has_the_distances_and_loads_of_its_closed_forms() {
    for (dims, p, trunk) in [
        (vec![4, 4], 4, vec![1, 1]),
        (vec![5, 2, 3], 2, vec![2, 1, 3]),
        (vec![7], 3, vec![2]),
        (vec![4, 1, 2], 1, vec![1, 1, 1]),
    ] {
        let word = |sizes: &[u32]| sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let spec = format!("hyperx:dims={},p={p},trunk={}", word(&dims), word(&trunk));
        let net = network(&spec, None);
        let found = distances(&net.fabric);
        let (routers, p) = (f64::from(dims.iter().product::<u32>()), f64::from(p));
        assert_eq!(usize::from(found.diameter), dims.iter().filter(|&&s| s > 1).count(), "{spec}");
        // Over all ordered pairs of routers, a router with itself among them.
        let mean: f64 = dims.iter().map(|&s| 1.0 - 1.0 / f64::from(s)).sum();
        assert_near(found.mean * (p * routers - 1.0) / (p * routers), mean, 1e-12, &spec);
        let loads = uniform(&net);
        for (d, &k) in trunk.iter().enumerate().filter(|&(d, _)| dims[d] > 1) {
            let expected = p * p * routers / ((p * routers - 1.0) * f64::from(k) * f64::from(dims[d]));
            let (least, most) = loads[&format!("dim{d}")];
            assert_near(least, expected, 1e-12, &spec);
            assert_near(most, expected, 1e-12, &spec);
        }
        // A cable joins routers that differ in one coordinate.
        for l in net.fabric.link_ids().filter(|&l| !net.fabric.is_host_link(l)) {
            let (from, to) = (net.fabric.source(l), net.fabric.target(l));
            let router = |v: VertexId| v.0 - net.fabric.endpoints();
            let digits = |mut r: u32| dims.iter().map(|s| (r % s, r /= s).0).collect::<Vec<u32>>();
            let (a, b) = (digits(router(from)), digits(router(to)));
            assert_eq!(a.iter().zip(&b).filter(|(x, y)| x != y).count(), 1, "{spec}");
        }
    }
}

/// All routers send one step up in every dimension: whatever the order, the same links.
#[test]
fn minimal_routing_of_a_hyperx_cannot_spread_a_shift_and_valiant_does() {
    let shift = |routing: &str| {
        let net = network("hyperx:dims=4x4x4,p=4", Some(routing));
        let up = |r: u32| (r % 4 + 1) % 4 + 4 * ((r / 4 % 4 + 1) % 4) + 16 * ((r / 16 + 1) % 4);
        let entries = (0..256).map(|e| (e, 4 * up(e / 4) + e % 4, 1.0)).collect();
        let demand = Demand::new(256, Unit::Units, entries, Vec::new()).expect("demand");
        let found = ranges(&net, &demand);
        (0..3).map(|d| found[&format!("dim{d}")].1).fold(0.0, f64::max)
    };
    assert_near(shift("minimal"), 4.0, 1e-12, "p units by one link");
    assert_near(shift("valiant-any"), 2.0, 1e-12, "two uniform legs");
}

#[test]
fn a_dragonfly_plus_has_one_way_over_one_global_link() {
    let net = network("dragonfly-plus:p=3,l=4,s=2,h=5", None);
    let found = distances(&net.fabric);
    assert_eq!((found.diameter, net.fabric.endpoints(), net.fabric.switches()), (3, 11 * 12, 11 * 6));
    let loads = uniform(&net);
    // Each global link has what its two groups send each other.
    let n = f64::from(net.fabric.endpoints());
    assert_near(loads["global"].0, 144.0 / (n - 1.0), 1e-12, "global");
    assert_near(loads["global"].1, 144.0 / (n - 1.0), 1e-12, "global");
    // Radix 36: the largest.
    let largest = Topology::from(DragonflyPlus::new(18, 18, 18, 18).expect("fits"));
    assert_eq!(largest.counts().expect("counts").endpoints, 105_300);
    // Fewer groups have several cables between any two, as evenly as can be.
    let (_, five) = fabric("dragonfly-plus:p=2,l=2,s=3,h=3,g=5");
    let mut cables: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let group = |name: &str| name[1..].split(['l', 's']).next().and_then(|g| g.parse::<u32>().ok()).expect("a group");
    for l in five.link_ids().filter(|&l| five.class_of(l).name == "global") {
        let ends = [five.source(l), five.target(l)].map(|v| group(five.vertex_name(v)));
        *cables.entry((ends[0], ends[1])).or_default() += 1;
    }
    assert_eq!(cables.len(), 20);
    assert!(cables.values().all(|&count| count == 2), "{cables:?}");
    assert_eq!(distances(&fabric("dragonfly-plus:p=2,g=1").1).diameter, 2);
}

#[test]
fn a_jellyfish_is_random_regular_whole_and_the_same_for_a_seed() {
    for (n, r, p) in [(32, 5, 3), (2, 1, 1), (6, 5, 2), (6, 4, 1), (9, 8, 1), (50, 3, 1), (101, 4, 1), (64, 31, 1)] {
        let mut graphs = BTreeSet::new();
        for seed in 1..=6 {
            let (_, f) = fabric(&format!("jellyfish:n={n},r={r},p={p},seed={seed}"));
            assert_eq!(f, Jellyfish::new(n, r, p).expect("fits").seed(seed).build().expect("whole"));
            let mut edges = Vec::new();
            for v in f.endpoints()..f.vertices() {
                let others: BTreeSet<u32> =
                    f.out_links(VertexId(v)).filter(|&l| !f.is_host_link(l)).map(|l| f.target(l).0).collect();
                assert_eq!(others.len(), r as usize, "no router twice");
                assert!(!others.contains(&v));
                edges.extend(others.into_iter().map(|w| (v, w)));
            }
            assert_eq!(distances(&f).unreachable, 0);
            graphs.insert(edges);
        }
        let only = r + 1 == n;
        assert_eq!(graphs.len(), if only { 1 } else { 6 }, "n = {n}, r = {r}");
    }
    // Another seed is another graph, but all are alike: mean distance of 32 routers with 5 links each.
    let mean = |seed| distances(&fabric(&format!("jellyfish:n=32,r=5,p=1,seed={seed}")).1).mean;
    let means: Vec<f64> = (1..=20).map(mean).collect();
    assert!(means.iter().all(|m| (2.1..2.3).contains(m)), "{means:?}");
    for (n, r) in [(5, 3), (4, 4), (4, 0), (0, 0), (7, 1)] {
        assert!(Jellyfish::new(n, r, 1).is_err(), "{n} {r}");
    }
    assert!(Jellyfish::new(6, 1, 1).and_then(|j| j.build()).is_err_and(|e| e.to_string().contains("fall apart")));
}

/// Two uniform legs: every endpoint's unit goes to each router and from there on.
#[test]
fn valiant_routing_makes_any_traffic_two_uniform_ones() {
    for spec in [
        "slim-fly:q=5,p=2",
        "jellyfish:n=20,r=4,p=2",
        "hyperx:dims=3x4,p=2",
        "torus:dims=4x3",
        "full-mesh:n=6",
        "dragonfly-plus:p=2",
    ] {
        let net = network(spec, Some("valiant-any"));
        let n = net.fabric.endpoints();
        // Any permutation in which nobody stays at its router.
        let entries: Vec<(u32, u32, f64)> = (0..n).map(|e| (e, (e + n / 2) % n, 1.0)).collect();
        let demand = Demand::new(n, Unit::Units, entries, Vec::new()).expect("demand");
        let place: Vec<VertexId> = (0..n).map(VertexId).collect();
        let found = evaluate(&demand, &place, &*net.routing).expect("loads").load;
        // The same as all-to-all on shortest paths, twice, with what routers would send themselves.
        let shortest = network(spec, Some("shortest"));
        let routers = if net.fabric.switches() > 0 { n / ends_of_one(&net) } else { n };
        let per = f64::from(n / routers);
        let block = Block {
            sources: TaskSet::all(n),
            destinations: TaskSet::all(n),
            amount: 2.0 / (f64::from(routers) * per),
            to_self: false,
        };
        let all = Demand::new(n, Unit::Units, Vec::new(), vec![block]).expect("demand");
        let expected = evaluate(&all, &place, &*shortest.routing).expect("loads").load;
        for l in net.fabric.link_ids().filter(|&l| !net.fabric.is_host_link(l)) {
            assert_near(found[l.index()], expected[l.index()], 1e-9, spec);
        }
        let ways = net.routing.choices(VertexId(0), VertexId(n - 1)).expect("ways");
        assert!(ways >= u64::from(routers), "{spec}: {ways}");
    }
}

/// A detour by way of a router that no cable leads to is none: loads of whole blocks would lose what takes it.
#[test]
fn valiant_routing_needs_all_routers_joined() {
    let mut b = Builder::new("two parts", 4, 4);
    let host = b.class(LinkClass::host(None));
    let cable = b.class(LinkClass::network("cable", Bandwidth::gb_s(1.0)));
    (0..4).for_each(|v| b.cable(VertexId(v), b.switch(v), host));
    b.cable(b.switch(0), b.switch(1), cable);
    b.cable(b.switch(2), b.switch(3), cable);
    b.host_per_endpoint(1);
    let error = Valiant::new(Arc::new(b.finish().expect("a fabric"))).err().expect("two parts").to_string();
    assert!(error.contains("two parts: no way from s0 to s2: no cables join them"), "{error}");
}

/// Endpoints of the router of endpoint 0.
fn ends_of_one(net: &Network) -> u32 {
    let f = &net.fabric;
    let router = |e: u32| f.out_links(VertexId(e)).next().map(|l| f.target(l));
    (0..f.endpoints()).filter(|&e| router(e) == router(0)).count() as u32
}

/// In each dimension half of all pairs cross the middle, by one link of every line: a mesh gives 4 b/k of injection, a torus twice that.
#[test]
fn uniform_traffic_fills_the_middle_of_a_mesh() {
    for (dims, k) in [("8x8", 8.0), ("4x4x4", 4.0), ("6", 6.0)] {
        let net = network(&format!("mesh:dims={dims}"), None);
        let n = f64::from(net.fabric.endpoints());
        for (class, (_, most)) in uniform(&net) {
            assert_near(most, k / 4.0 * n / (n - 1.0), 1e-12, &format!("{dims} {class}"));
        }
    }
    let net = network("mesh:dims=8x4x2", None);
    assert_eq!(distances(&net.fabric).diameter, 7 + 3 + 1);
    let spec = "mesh:dims=4x2,bandwidth=10x2.5";
    let (_, f) = fabric(spec);
    let bandwidth = |name: &str| f.link_ids().map(|l| f.class_of(l)).find(|c| c.name == name).and_then(|c| c.bandwidth);
    assert_eq!(["dim0", "dim1"].map(|c| bandwidth(c).map(|b| b.as_gb_s())), [Some(10.0), Some(2.5)]);
    assert_eq!(f.name(), spec);
}

/// Dimension order takes the same links as minimal paths do in all orders together, where traffic is uniform.
#[test]
fn dimension_order_of_a_hyperx_is_even_under_uniform_traffic() {
    let spec = "hyperx:dims=4x3,p=2,trunk=1x2";
    let minimal = uniform(&network("hyperx:dims=4x3,p=2", None));
    let order = uniform(&network(spec, Some("dor")));
    for (class, cables) in [("dim0", 1.0), ("dim1", 2.0)] {
        assert_near(order[class].0, minimal[class].1 / cables, 1e-12, class);
        assert_near(order[class].1, minimal[class].1 / cables, 1e-12, class);
    }
}
