//! Dragonflies in general form: their wiring, presets, and minimal paths, whole and broken.

mod common;

use common::{fabric, network};
use hopline::demand::{Block, Demand, TaskSet, Unit};
use hopline::error::Place;
use hopline::fabric::Fabric;
use hopline::fabric::metrics::distances;
use hopline::files::Disk;
use hopline::id::{LinkId, VertexId};
use hopline::loads::evaluate;
use hopline::plan::Network;
use hopline::routing::Path;
use hopline::scenario::Scenario;
use hopline::topology::Topology;
use std::collections::BTreeMap;

/// Sizes whose cables use all, some and few of the ports.
const SHAPES: [&str; 8] = [
    "p=2,a=4,h=2",
    "p=1,a=4,h=3,g=4",
    "p=1,a=4,h=3,g=6,cables=1",
    "p=2,a=5,h=2,g=3",
    "p=1,a=6,h=2,g=4,group=3x2,trunk=1x3",
    "p=1,h=2,g=5,group=2x2x2,cables=2",
    "p=2,a=3,h=1,g=1",
    "p=1,a=1,h=4",
];

/// Router number `r`.
fn switch(f: &Fabric, r: u32) -> VertexId {
    VertexId(f.endpoints() + r)
}

fn group(f: &Fabric, v: VertexId) -> u32 {
    let name = f.vertex_name(v);
    name[1..].split('r').next().and_then(|g| g.parse().ok()).expect("a group")
}

/// Directed global links by the groups that they join.
fn pairs(f: &Fabric) -> BTreeMap<(u32, u32), Vec<LinkId>> {
    let mut pairs: BTreeMap<_, Vec<LinkId>> = BTreeMap::new();
    for l in f.link_ids().filter(|&l| f.class_of(l).name == "global") {
        pairs.entry((group(f, f.source(l)), group(f, f.target(l)))).or_default().push(l);
    }
    pairs
}

#[test]
fn every_arrangement_joins_all_groups_alike_and_spreads_their_cables() {
    for (shape, arrangement) in
        SHAPES.iter().flat_map(|s| ["relative", "palmtree", "absolute", "circulant"].map(|a| (s, a)))
    {
        let spec = format!("dragonfly:{shape},arrangement={arrangement}");
        let (topology, f) = fabric(&spec);
        let Topology::Dragonfly(d) = &topology else { panic!("{spec}") };
        let (g, c) = (d.groups(), d.links_between());
        let pairs = pairs(&f);
        assert_eq!(pairs.len() as u32, g * (g - 1), "{spec}");
        assert!(pairs.values().all(|links| links.len() as u32 == c), "{spec}");
        let promised: u64 = topology.counts().expect("counts").links.iter().map(|(_, n)| n).sum();
        assert_eq!(promised, f.links() as u64, "{spec}");
        // Every router has as many global links as the others, or one more.
        let of = |r: u32| f.out_links(switch(&f, r)).filter(|&l| f.class_of(l).name == "global").count() as u32;
        for r in 0..f.switches() {
            assert!(of(r) <= d.h() && of(r).abs_diff(c * (g - 1) / d.a()) <= 1, "{spec}: {} at {r}", of(r));
        }
        assert_eq!(distances(&f).unreachable, 0, "{spec}");
        assert_eq!(topology.to_string().parse::<Topology>().expect("its own spec").to_string(), topology.to_string());
    }
}

/// By Hastings et al., of group 2 of 5: where its ports lead, in order.
#[test]
fn arrangements_are_those_of_their_paper() {
    for (arrangement, peers) in [
        ("relative", [3, 4, 0, 1]),
        ("palmtree", [1, 0, 4, 3]),
        ("absolute", [0, 1, 3, 4]),
        ("circulant", [3, 1, 4, 0]),
    ] {
        let (_, f) = fabric(&format!("dragonfly:p=1,a=2,h=2,arrangement={arrangement}"));
        let globals = (4..6).flat_map(|r| f.out_links(switch(&f, r))).filter(|&l| f.class_of(l).name == "global");
        assert!(globals.map(|l| group(&f, f.target(l))).eq(peers), "{arrangement}");
    }
}

#[test]
fn presets_have_the_sizes_of_their_machines() {
    let counts = |spec: &str| {
        let counts = spec.parse::<Topology>().expect("a machine").counts().expect("counts");
        let of = |name: &str| counts.links.iter().find(|(class, _)| class == name).map_or(0, |(_, n)| *n);
        (counts.endpoints, counts.switches, of("local"), of("local0"), of("local1"), of("global"))
    };
    // 9,472 places for nodes with four adapters; half of all global links carry 270.1 TB/s.
    assert_eq!(counts("dragonfly:preset=frontier"), (37_888, 2368, 2368 * 31, 0, 0, 74 * 73 * 4));
    assert_eq!(counts("dragonfly:preset=aurora"), (89_600, 5600, 5600 * 31, 0, 0, 175 * 174 * 2));
    // As the cabling of Theta counts them.
    assert_eq!(counts("dragonfly:preset=theta"), (3456, 864, 0, 12_960, 12_960, 3456));
    // Smaller ones of the same kind.
    assert_eq!(counts("dragonfly:preset=frontier,g=4").5, 4 * 3 * 4);
    assert_eq!(counts("dragonfly:preset=frontier,p=2,a=4,h=2,g=3").5, 3 * 2 * 4);
    assert_eq!(counts("dragonfly:preset=theta,group=2x3,g=2,cables=1").1, 12);
}

#[test]
fn what_is_no_dragonfly_is_refused_by_its_key() {
    for (keys, message) in [
        ("p=2,a=4,h=2,g=10", "`g` is 10, expected 1 to a*h+1 = 9"),
        ("p=2,a=4,h=2,g=5,cables=3", "`cables` is 3, expected 1 to a*h/(g-1) = 2"),
        ("p=2,a=4,h=2,cables=0", "`cables` is 0, expected 1"),
        ("p=2,a=4,h=2,group=3x2", "`group` does not multiply to a = 4"),
        ("p=2,a=4,h=2,group=65536x65536", "`group` does not multiply to a = 4"),
        ("p=2,h=2", "needs `a`"),
        ("p=2,a=4,h=2,trunk=1x2", "`trunk` has 2 numbers, expected 1"),
        ("p=2,a=4,h=2,trunk=65535", "expected at most 65535"),
        ("p=2,a=4,h=2,arrangement=random", "expected one of relative"),
        ("preset=summit", "expected one of none, frontier"),
        ("p=2,group=65536x65536,h=2", "needs `a`"),
        ("p=2,a=0,h=2,g=1", "`a` is 0"),
        ("p=2,a=4096,h=4096,g=0", "`g` is 0"),
    ] {
        let error = format!("dragonfly:{keys}").parse::<Topology>().expect_err(keys).to_string();
        assert!(error.contains(message), "{keys}: {error}");
    }
}

fn uniform(net: &Network) -> Vec<f64> {
    let n = net.fabric.endpoints();
    let all = || TaskSet::all(n);
    let block = Block { sources: all(), destinations: all(), amount: 1.0 / f64::from(n - 1), to_self: false };
    let demand = Demand::new(n, Unit::Units, Vec::new(), vec![block]).expect("demand");
    let place: Vec<VertexId> = (0..n).map(VertexId).collect();
    evaluate(&demand, &place, &*net.routing).expect("loads").load
}

/// Links of a class on a path.
fn count(net: &Network, path: &Path, class: &str) -> usize {
    path.links.iter().filter(|&&l| net.fabric.class_of(l).name.starts_with(class)).count()
}

fn each_path(net: &Network, mut visit: impl FnMut(VertexId, VertexId, &Path)) {
    let ends = || (0..net.fabric.endpoints()).map(VertexId);
    let mut path = Path::default();
    for (s, t) in ends().flat_map(|s| ends().map(move |t| (s, t))).filter(|(s, t)| s != t) {
        for choice in 0..net.routing.choices(s, t).expect("a way") {
            net.routing.path(s, t, choice, &mut path).expect("a path");
            visit(s, t, &path);
        }
    }
}

#[test]
fn minimal_paths_take_one_global_link_and_few_local_ones() {
    for shape in SHAPES {
        let net = network(&format!("dragonfly:{shape},arrangement=absolute"), None);
        assert_eq!(net.routing_spec(), "minimal");
        let f = &net.fabric;
        let dims = if shape.contains("x2x2") { 3 } else { 1 + usize::from(shape.contains("group")) };
        each_path(&net, |s, t, path| {
            let (from, to) = (group(f, s), group(f, t));
            assert_eq!(count(&net, path, "global"), usize::from(from != to), "{shape}");
            let most = if from == to { dims } else { 2 * dims };
            assert!(count(&net, path, "local") <= most, "{shape}: {path:?}");
        });
        // So that between two groups all cables together carry what these send each other.
        let loads = uniform(&net);
        let groups = f.levels().iter().find(|level| level.name == "group").expect("groups").parts;
        let (n, own) = (f64::from(f.endpoints()), f64::from(f.endpoints() / groups));
        for links in pairs(f).values() {
            let sum: f64 = links.iter().map(|l| loads[l.index()]).sum();
            assert!((sum - own * own / (n - 1.0)).abs() < 1e-9, "{shape}: {sum}");
        }
    }
}

/// One cable gone: only what went over it goes another way, over two global links.
#[test]
fn after_a_fault_a_dragonfly_stays_minimal_elsewhere() {
    let whole = network("dragonfly:p=2,a=4,h=2", None);
    let (&(i, j), links) = pairs(&whole.fabric).iter().next().map(|(k, v)| (k, v.clone())).expect("a pair");
    let cable = whole.fabric.link_name(links[0]);
    let mut scenario = Scenario::default().topology("dragonfly:p=2,a=4,h=2").expect("spec");
    scenario.without.push((cable, Place::new("--without", 0)));
    let broken = Network::new(&scenario, &Disk).expect("broken");
    assert_eq!(broken.routing_spec(), "minimal");
    let mut detours = 0;
    each_path(&broken, |s, t, path| {
        let (from, to) = (group(&broken.fabric, s), group(&broken.fabric, t));
        let cut = [(i, j), (j, i)].contains(&(from, to));
        detours += usize::from(cut);
        assert_eq!(count(&broken, path, "global"), usize::from(from != to) + usize::from(cut));
    });
    assert!(detours > 0);
}
