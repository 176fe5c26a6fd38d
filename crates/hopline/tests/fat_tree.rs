//! Laws of fat trees: how they are wired, and how D-mod-k and up*/down* load them.

mod common;

use common::{fabric, network};
use hopline::demand::{Block, Demand, Flows, TaskSet, Unit};
use hopline::files::Disk;
use hopline::id::{LinkId, VertexId};
use hopline::plan::Network;
use std::collections::BTreeMap;

fn loads(net: &Network, demand: &Demand) -> Vec<f64> {
    let place: Vec<VertexId> = (0..demand.tasks()).map(VertexId).collect();
    let mut loads = vec![0.0; net.fabric.links()];
    net.routing.load(&Flows::new(demand, &place, &net.fabric), &mut loads).expect("load");
    loads
}

/// One unit from every endpoint to every other.
fn alltoall(net: &Network) -> Demand {
    let all = || TaskSet::all(net.fabric.endpoints());
    let block = Block { sources: all(), destinations: all(), amount: 1.0, to_self: false };
    Demand::new(net.fabric.endpoints(), Unit::Units, Vec::new(), vec![block]).expect("demand")
}

/// Smallest and largest load of every class.
fn ranges(net: &Network, loads: &[f64]) -> BTreeMap<String, (f64, f64)> {
    let mut ranges = BTreeMap::new();
    for (l, &load) in loads.iter().enumerate() {
        let class = &net.fabric.class_of(LinkId(l as u32)).name;
        let (low, high) = ranges.entry(class.clone()).or_insert((load, load));
        (*low, *high) = (low.min(load), high.max(load));
    }
    ranges
}

#[test]
fn parents_are_those_of_the_definition() {
    // Label of a vertex of level i (Ohring): its subtree a_h..a_(i+1), its switch b_i..b_1. A cable joins labels that
    // differ in place i+1 alone.
    let (down, up) = ([3, 2, 4], [1, 2, 3]);
    let (_, f) = fabric("fat-tree:down=3x2x4,up=1x2x3");
    let label = |v: VertexId| {
        let name = f.vertex_name(v);
        let (level, tree, top) = match name.strip_prefix('l') {
            Some(rest) => {
                let numbers: Vec<u32> = rest.split(['t', 's']).map(|n| n.parse().expect("number")).collect();
                (numbers[0] as usize, numbers[1], numbers[2])
            }
            None => (0, v.0, 0),
        };
        let digits = |mut n: u32, radix: &[u32]| -> Vec<u32> { radix.iter().map(|r| (n % r, n /= r).0).collect() };
        (level, [digits(top, &up[..level]), digits(tree, &down[level..])].concat())
    };
    for l in f.link_ids() {
        let ((i, a), (j, b)) = (label(f.source(l)), label(f.target(l)));
        assert_eq!(i.abs_diff(j), 1);
        let differ: Vec<usize> = (0..3).filter(|&d| a[d] != b[d]).collect();
        assert!(differ.iter().all(|&d| d == i.min(j)), "{}", f.link_name(l));
    }
}

#[test]
fn d_mod_k_puts_no_two_flows_of_a_shift_on_a_link() {
    let net = network("fat-tree:k=4,n=3", Some("d-mod-k"));
    let context = hopline::traffic::Context { fabric: &net.fabric, slots: 64, files: &Disk };
    for by in 0..64 {
        let spec = format!("shift:by={by}");
        let params = hopline::params::Params::from_spec(&spec, &hopline::error::Place::new("test", 0)).expect("spec");
        let demand = hopline::traffic::build(&params, &context).expect("shift").demand;
        let ranges = ranges(&net, &loads(&net, &demand));
        assert!(ranges.values().all(|r| r.1 <= 1.0), "{spec}: {ranges:?}");
        // Where every flow climbs to the top, every link carries one.
        if (16..=48).contains(&by) {
            assert!(ranges.values().all(|r| *r == (1.0, 1.0)), "{spec}: {ranges:?}");
        }
    }
    // Other permutations can collide.
    let entries = vec![(0, 16, 1.0), (1, 20, 1.0)];
    let demand = Demand::new(64, Unit::Units, entries, Vec::new()).expect("demand");
    assert_eq!(ranges(&net, &loads(&net, &demand))["up1"].1, 2.0);
}

#[test]
fn alltoall_loads_links_of_a_class_equally_and_by_formula() {
    for spec in ["fat-tree:k=4,n=3", "fat-tree:down=3x2x4,up=1x2x3", "fat-tree:down=2x6x3,up=2x3x1"] {
        let (down, up): (Vec<u32>, Vec<u32>) = match fabric(spec).0 {
            hopline::topology::Topology::FatTree(t) => (t.down().to_vec(), t.up().to_vec()),
            _ => unreachable!(),
        };
        for routing in ["up-down", "shortest", "d-mod-k"] {
            let net = network(spec, Some(routing));
            let ranges = ranges(&net, &loads(&net, &alltoall(&net)));
            let n = f64::from(net.fabric.endpoints());
            for (class, (low, high)) in &ranges {
                let level: usize = class.strip_prefix("up").map_or(0, |i| i.parse().expect("level"));
                // All that leaves a subtree, over the links that leave it.
                let span = f64::from(down[..level].iter().product::<u32>());
                let ways = f64::from(up[..=level].iter().product::<u32>());
                let expected = span * (n - span) / ways;
                if routing == "d-mod-k" && spec != "fat-tree:k=4,n=3" {
                    // Targets need not divide evenly among the ways.
                    assert!(*low <= expected && expected <= *high, "{spec} {routing} {class}");
                    continue;
                }
                assert!((low - expected).abs() < 1e-9 && (high - expected).abs() < 1e-9, "{spec} {routing} {class}");
            }
        }
    }
}

#[test]
fn shapes_that_are_no_tree_are_refused() {
    let build = |spec: &str| {
        let params = hopline::params::Params::from_spec(spec, &hopline::error::Place::new("--topology", 0))?;
        hopline::topology::build(&params, &Disk)
    };
    for (spec, says) in [
        ("fat-tree", "needs `k` and `n`, `down` and `up`, or `pods`"),
        ("fat-tree:k=4", "needs `k` and `n`, `down` and `up`, or `pods`"),
        ("fat-tree:k=4,n=2,up=1x4", "needs `k` and `n`, `down` and `up`, or `pods`"),
        ("fat-tree:k=0,n=3", "`k` is 0"),
        ("fat-tree:k=4,n=0", "0 levels, expected 1 to 32"),
        ("fat-tree:k=1,n=33", "33 levels, expected 1 to 32"),
        ("fat-tree:down=4x4,up=1x2x2", "parents for 3 levels, children for 2"),
        ("fat-tree:k=4096,n=32", "more than 2^64 vertices"),
        ("fat-tree:down=2x2,up=4294967295x4294967295", "more than 2^64 vertices"),
        ("fat-tree:down=64x4096,up=1x65536", "331776 vertices and 537395200 links take about"),
        ("full-mesh:n=0", "`n` is 0"),
        ("full-mesh:n=4097", "`n` is 4097"),
    ] {
        let error = build(spec).err().unwrap_or_else(|| panic!("{spec} is built")).to_string();
        assert!(error.contains(says) && error.starts_with("--topology: "), "{spec}: {error}");
    }
    for (spec, name) in [
        ("fat-tree:down=3x3,up=1x3", "fat-tree:k=3,n=2"),
        ("fat-tree:k=1,n=32", "fat-tree:k=1,n=32"),
        ("fat-tree:down=70000,up=2", "fat-tree:down=70000,up=2"),
    ] {
        assert_eq!(build(spec).expect(spec).1.name(), name);
    }
}

#[test]
fn switches_are_no_ends_of_d_mod_k() {
    let net = network("fat-tree:k=2,n=2", None);
    let switch = net.fabric.find("l1t0s0").expect("a switch");
    let error = net.routing.route(VertexId(0), switch, &mut Vec::new()).expect_err("no endpoint").to_string();
    assert!(error.contains("no way from e0 to l1t0s0: d-mod-k routes between endpoints only"), "{error}");
}

/// A server has an adapter at each leaf of its pod; messages of one rail stay there, and leaves have `over` times less up.
#[test]
fn pods_have_a_rail_for_each_adapter() {
    let (topology, f) = fabric("fat-tree:pods=3,servers=4,adapters=2,over=2");
    assert_eq!(topology.to_string(), "fat-tree:pods=3,servers=4,adapters=2,over=2");
    assert_eq!((f.endpoints(), f.hosts().len()), (24, 12));
    let leaf = |e: VertexId| f.out_links(e).next().map(|l| f.target(l)).expect("a leaf");
    let server = |e: u32| f.hosts().owner(VertexId(e));
    for (a, b) in (0..24).flat_map(|a| (0..24).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        let (rail, pod) = (|e: u32| e / 4 % 2, |e: u32| e / 8);
        assert_eq!(server(a) == server(b), pod(a) == pod(b) && a % 4 == b % 4, "{a} {b}");
        let together = rail(a) == rail(b) && pod(a) == pod(b);
        assert_eq!(leaf(VertexId(a)) == leaf(VertexId(b)), together, "{a} {b}");
    }
    // Four servers below a leaf, two cables up; every spine of a pod as many up as down.
    for l in 0..6 {
        let out = |up: bool| f.out_links(VertexId(24 + l)).filter(|&link| f.is_host_link(link) != up).count();
        assert_eq!((out(false), out(true)), (4, 2));
    }
    let net = network("fat-tree:pods=3,servers=4,adapters=2,over=2", None);
    let loads = loads(&net, &alltoall(&net));
    let ups = net.fabric.out_links(VertexId(24)).filter(|&link| !net.fabric.is_host_link(link));
    // Of the four endpoints of a leaf, what is for the twenty at others; the other adapter of a server is reached inside it.
    let sum: f64 = ups.map(|link| loads[link.index()]).sum();
    assert!((sum - 4.0 * 19.0).abs() < 1e-9, "{sum}");
    for keys in ["pods=2,over=5", "pods=0", "pods=2,k=2,n=2", "servers=4", "k=2,n=2,adapters=8"] {
        assert!(format!("fat-tree:{keys}").parse::<hopline::topology::Topology>().is_err(), "{keys}");
    }
}
