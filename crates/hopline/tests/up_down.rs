//! Laws of up*/down* routing: it never deadlocks, and on trees it is shortest.

mod common;

use common::{endpoint, network};
use hopline::fabric::{Fabric, find_links};
use hopline::id::{LinkId, VertexId};
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::routing::deadlock::find_cycle;
use hopline::routing::{Path, Route, Routing, Shortest, default_roots, up_down};
use std::sync::Arc;

/// Which links packets that hold a link may wait for, over all paths.
fn dependencies(routing: &dyn Routing) -> Vec<Vec<u32>> {
    let f = routing.fabric();
    let mut next = vec![Vec::new(); f.links()];
    let mut path = Path::default();
    let ends: Vec<VertexId> = (0..f.endpoints()).map(VertexId).filter(|&v| f.hosts().owner(v).is_some()).collect();
    for &source in &ends {
        for &target in &ends {
            for choice in 0..routing.choices(source, target).expect("a way") {
                routing.path(source, target, choice, &mut path).expect("a path");
                for pair in path.links.windows(2) {
                    next[pair[0].index()].push(pair[1].0);
                }
            }
        }
        next.iter_mut().for_each(|n: &mut Vec<u32>| {
            n.sort_unstable();
            n.dedup();
        });
    }
    next
}

#[test]
fn packets_never_wait_in_a_circle() {
    for (topology, cyclic) in [
        ("torus:dims=5x4", true),
        ("torus:dims=4x3x3", true),
        ("dragonfly:p=1,a=4,h=2", true),
        ("percs:ns=2,nd=2", true),
        ("kncube:k=2,n=4", true),
        ("full-mesh:n=6", false),
        ("fat-tree:k=3,n=3", false),
        ("fat-tree:down=2x5x3,up=2x3x1", false),
        ("tree:arity=3x2x2", false),
        ("file:testdata/fabrics/rack64", false),
    ] {
        let cycle = |routing: &str| find_cycle(&dependencies(&*network(topology, Some(routing)).routing)).is_some();
        assert!(!cycle("up-down"), "{topology}");
        assert_eq!(cycle("shortest"), cyclic, "{topology}: shortest");
    }
}

#[test]
fn on_trees_up_down_is_shortest() {
    for topology in ["tree:arity=3x2x2", "fat-tree:k=3,n=3", "fat-tree:down=3x2x4,up=1x2x3", "full-mesh:n=6"] {
        let [one, other] = ["up-down", "shortest"].map(|routing| network(topology, Some(routing)));
        let route = |net: &Network, a: VertexId, b: VertexId| {
            let mut route = Route::new();
            net.routing.route(a, b, &mut route).expect("a way");
            route.sort_by_key(|r| r.0);
            route
        };
        let mut rng = Rng::new(1, topology);
        for _ in 0..200 {
            let (a, b) = (endpoint(&one.fabric, &mut rng), endpoint(&one.fabric, &mut rng));
            assert_eq!(route(&one, a, b), route(&other, a, b), "{topology} {a}->{b}");
        }
    }
}

/// Up*/down* without shortcuts: the way from `a` to `b` in links, by trying all
/// walks of (vertex, may still go up) breadth first.
fn length(f: &Fabric, rank: &[u16], a: VertexId, b: VertexId) -> usize {
    let mut layer = vec![(a, true)];
    let mut seen = std::collections::BTreeSet::from([(a, true)]);
    let mut length = 0;
    while !layer.iter().any(|s| s.0 == b) {
        length += 1;
        let mut next = Vec::new();
        for (v, may_go_up) in layer {
            for w in f.out_links(v).map(|l| f.target(l)) {
                let up = (rank[w.index()], w) < (rank[v.index()], v);
                if (may_go_up || !up) && seen.insert((w, up)) {
                    next.push((w, up));
                }
            }
        }
        layer = next;
    }
    length
}

#[test]
fn paths_are_the_shortest_legal_ones() {
    for (topology, routing, root) in [
        ("torus:dims=5x4", "up-down", "t0-0"),
        ("torus:dims=5x4", "up-down:roots=t3-2", "t3-2"),
        ("torus:dims=4x3x3", "up-down:t1-1-1", "t1-1-1"),
        ("dragonfly:p=1,a=4,h=2", "up-down", "g0r0"),
    ] {
        let net = network(topology, Some(routing));
        let f = &*net.fabric;
        let rank = hopline::fabric::metrics::hops_to(f, f.find(root).expect("root"));
        let mut path = Path::default();
        for a in (0..f.endpoints()).map(VertexId) {
            for b in (0..f.endpoints()).map(VertexId) {
                for choice in 0..net.routing.choices(a, b).expect("a way") {
                    net.routing.path(a, b, choice, &mut path).expect("a path");
                    assert_eq!(path.links.len(), length(f, &rank, a, b), "{topology} {routing} {a}->{b}");
                }
            }
        }
    }
}

#[test]
fn roots_are_the_top_of_a_tree_and_one_router_elsewhere() {
    for (topology, names) in [
        ("tree:arity=3x2x2", vec!["l3s0"]),
        ("fat-tree:k=2,n=3", vec!["l3t0s0", "l3t0s1", "l3t0s2", "l3t0s3"]),
        ("dragonfly:p=2,a=4,h=2", vec!["g0r0"]),
        ("percs:ns=2,nd=2,hub=192", vec!["hub-s0n0"]),
        ("torus:dims=4x4", vec!["t0-0"]),
    ] {
        let f = network(topology, None).fabric;
        let roots: Vec<&str> = default_roots(&f).iter().map(|&v| f.vertex_name(v)).collect();
        assert_eq!(roots, names, "{topology}");
    }
}

#[test]
fn roots_are_routers() {
    let (topology, f) = common::fabric("tree:arity=4x2");
    let f = Arc::new(f);
    let error = |spec: &str| {
        let params =
            hopline::params::Params::from_spec(spec, &hopline::error::Place::new("--routing", 0)).expect("spec");
        hopline::routing::build(&params, &topology, &f, &hopline::files::Disk).err().expect("an error").to_string()
    };
    assert_eq!(error("up-down:roots=e0"), "--routing: `roots` has `e0`, which is no router of tree:arity=4x2");
    assert!(error("up-down:roots=[l2s0,l9]").contains("`l9`"));
}

#[test]
fn any_roots_join_all_endpoints() {
    for topology in ["tree:arity=3x3x2", "torus:dims=5x4", "fat-tree:down=2x5x3,up=2x3x1", "dragonfly:p=1,a=4,h=2"] {
        let net = network(topology, Some("shortest"));
        let f = &net.fabric;
        let first = if f.switches() > 0 { f.endpoints() } else { 0 };
        let mut rng = Rng::new(1, topology);
        for _ in 0..20 {
            let count = 2 + rng.below(4) as usize;
            let picked = rng.sample(count, (f.vertices() - first) as usize);
            let roots: Vec<VertexId> = picked.iter().map(|&r| VertexId(first + r as u32)).collect();
            let routing = up_down(f.clone(), &roots);
            assert!(find_cycle(&dependencies(&routing)).is_none(), "{topology} {roots:?}");
        }
    }
}

/// A fabric without the named cables.
fn broken(topology: &str, cables: &[&str]) -> Arc<Fabric> {
    let (_, f) = common::fabric(topology);
    let links: Vec<LinkId> = cables.iter().flat_map(|cable| find_links(&f, cable).expect("a cable")).collect();
    Arc::new(f.without(&links))
}

#[test]
fn faults_cut_nobody_off_and_close_no_circle() {
    for (topology, cables) in [
        ("fat-tree:k=3,n=2", vec!["l1t0s0 -- l2t0s0", "l1t1s0 -- l2t0s1", "l1t2s0 -- l2t0s2"]),
        ("fat-tree:k=2,n=3", vec!["l3t0s0", "l2t0s1 -- l3t0s1", "l1t0s0 -- l2t0s0"]),
        ("torus:dims=4x4", vec!["t0-0 -- t1-0", "t0-0 -- t0-1", "t2-2 -- t3-2"]),
    ] {
        let f = broken(topology, &cables);
        let routing = up_down(f.clone(), &default_roots(&f));
        assert!(find_cycle(&dependencies(&routing)).is_none(), "{topology}");
    }
}

#[test]
fn adapters_with_several_links_pass_nothing_on() {
    // Two planes; one end loses its link to the one, the other end to the other.
    let f = broken("fat-tree:down=2x2,up=2x1", &["e0 -- l1t0s1", "e3 -- l1t1s0"]);
    let [shortest, legal] = [Shortest::new(f.clone()), up_down(f.clone(), &default_roots(&f))];
    for routing in [shortest, legal] {
        assert!(routing.choices(VertexId(0), VertexId(2)).is_ok());
        let error = routing.choices(VertexId(0), VertexId(3)).expect_err("no way").to_string();
        assert!(error.contains("no way from e0 to e3"), "{error}");
    }
}
