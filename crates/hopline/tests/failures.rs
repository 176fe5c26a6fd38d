//! `fabric whatif --each`, which repairs routes, against `fabric whatif --without`, which routes anew.

mod common;

use common::{data, network, root};
use hopline::event::{Control, Event, Silent};
use hopline::fabric::find_links;
use hopline::files::Disk;
use hopline::id::VertexId;
use hopline::plan::{AfterFaults, Plan};
use hopline::routing::{Routing as _, likeness};
use hopline::run::{self, Each};
use hopline::scenario::Scenario;
use hopline::topology::Topology;

fn scenario(topology: &str, routing: &str, traffic: &str) -> Scenario {
    let topology = topology.replace("testdata/", &format!("{}/testdata/", root()));
    let scenario = Scenario::default().topology(&topology).and_then(|s| s.routing(routing));
    scenario.and_then(|s| s.traffic(traffic)).unwrap_or_else(|e| panic!("{topology}: {e}"))
}

fn plan(scenario: &Scenario) -> Plan {
    Plan::new(scenario, &Disk).unwrap_or_else(|e| panic!("{e}"))
}

/// Machines, routings after a fault, and jobs.
const CASES: &[(&str, &str, &str)] = &[
    ("file:testdata/fabrics/rack64", "minhop", "alltoall"),
    ("file:testdata/fabrics/rack64", "minhop", "halo:grid=8x8"),
    ("file:testdata/fabrics/rack64", "shortest", "alltoall"),
    ("file:testdata/fabrics/rack64", "up-down", "halo:grid=4x4"),
    ("file:testdata/fabrics/lmc1-8", "minhop:lid=spread", "alltoall"),
    ("file:testdata/fabrics/ring5-lash", "minhop", "alltoall"),
    ("file:testdata/fabrics/ring5-lash", "shortest", "alltoall"),
    ("fat-tree:k=4,n=3,host=1", "shortest", "alltoall"),
    ("fat-tree:k=2,n=3", "shortest", "halo:grid=2x4"),
    ("torus:dims=4x4", "shortest", "alltoall"),
    ("torus:dims=3x3x3", "shortest", "halo:grid=3x9"),
    ("torus:dims=5", "up-down", "alltoall"),
    ("dragonfly:p=2,a=4,h=2", "shortest", "shift:groups=1"),
    ("dragonfly:p=1,a=2,h=1", "shortest", "alltoall"),
    ("full-mesh:n=5", "shortest", "alltoall"),
    ("tree:arity=4x4", "shortest", "alltoall"),
];

#[test]
fn every_single_failure_costs_what_it_costs_alone() {
    for &(topology, routing, traffic) in CASES {
        let scenario = scenario(topology, routing, traffic);
        let whole = plan(&scenario);
        for each in [Each::Link, Each::Switch, Each::Leaf] {
            let Ok(o) = run::each(&whole, each, 2, &mut Silent) else {
                assert!(each == Each::Link, "{topology}: {each:?}: {:?}", run::each(&whole, each, 2, &mut Silent));
                continue;
            };
            assert!(o.failures.windows(2).all(|w| w[0].left <= w[1].left), "worst first");
            for f in &o.failures {
                let what = format!("{topology} {routing} {traffic} {}", f.without);
                let broken = plan(&scenario.clone().without(&f.without));
                let one = run::whatif(&whole, None, &broken, 1, &mut Silent).unwrap_or_else(|e| panic!("{what}: {e}"));
                let close = |a: f64, b: f64| (a - b).abs() < 1e-8;
                assert!(one.left.is_some_and(|left| close(f.left, left)), "{what}: {} but {:?}", f.left, one.left);
                assert!(
                    one.throughput_left.is_some_and(|left| close(f.throughput_left, left)),
                    "{what}: {f:?} {one:?}"
                );
                assert!(one.traffic_left.is_some_and(|left| close(f.traffic_left, left)), "{what}: {f:?} {one:?}");
                assert_eq!(f.unreachable_pairs, one.unreachable, "{what}");
                let load = one.hottest_after.first().map_or(0.0, |h| h.load);
                assert!(close(f.hottest.as_ref().map_or(0.0, |h| h.load), load), "{what}");
            }
        }
    }
}

#[test]
fn the_same_at_any_number_of_threads() {
    let whole = plan(&scenario("file:testdata/fabrics/rack64", "minhop", "alltoall"));
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run::each(&whole, Each::Link, 3, &mut Silent)).expect("failures")
    };
    assert_eq!(run(1), run(3));
}

/// Tables that OpenSM's minhop engine made are those that minhop computes from the cables alone.
#[test]
fn minhop_computes_the_tables_of_opensm() {
    let mut dirs = vec!["testdata/fabrics/rack64".to_string()];
    for name in ["fat-tree-16", "fat-tree-324", "dragonfly-72", "glenn-1to8", "mixed-speeds"] {
        dirs.extend(data(&format!("fabrics/simulated/{name}")));
    }
    for dir in dirs {
        let net = network(&format!("file:{dir}"), None);
        let Topology::File(file) = &net.topology else { panic!("a file") };
        assert_eq!(AfterFaults::of(&net.topology).routing(), "minhop");
        let (lids, tables) = file.tables().expect("tables");
        let is = likeness(&net.fabric, &lids, &tables);
        assert_eq!((is.same, is.shortest), (is.entries, is.entries), "{dir}");
    }
}

/// Tables along the first link of up*/down* routing on a ring, where no shortest ways would do.
#[test]
fn up_down_is_known_by_its_tables() {
    let net = network("file:testdata/fabrics/ring5-lash", None);
    let Topology::File(file) = &net.topology else { panic!("a file") };
    let (lids, mut tables) = file.tables().expect("tables");
    let f = &net.fabric;
    let legal = hopline::routing::up_down(f.clone(), &hopline::routing::default_roots(f));
    for v in (f.endpoints()..f.vertices()).map(VertexId) {
        let own = f.guid(v).expect("a GUID");
        let table = std::sync::Arc::make_mut(&mut tables).tables.get_mut(&own).expect("a table");
        for target in (0..f.endpoints()).map(VertexId) {
            let mut path = hopline::routing::Path::default();
            legal.path(v, target, 0, &mut path).expect("a way");
            table.out[usize::from(lids.of(target).start)] = f.port(path.links[0]) as u8;
        }
    }
    let is = likeness(f, &lids, &tables);
    assert!(is.shortest < is.entries && is.up_down == is.entries, "{is:?}");
    assert_eq!(is.engine(), "up-down");
}

#[test]
fn tables_are_left_alone_where_they_still_lead_on() {
    let whole = network("file:testdata/fabrics/rack64", Some("minhop"));
    let tables = network("file:testdata/fabrics/rack64", Some("table"));
    for (a, b) in [(0, 9), (5, 63), (40, 12)].map(|(a, b)| (VertexId(a), VertexId(b))) {
        let (mut made, mut read) = (Vec::new(), Vec::new());
        whole.routing.route(a, b, &mut made).expect("route");
        tables.routing.route(a, b, &mut read).expect("route");
        assert_eq!(made, read);
    }
}

#[test]
fn short_names_and_patterns() {
    let f = network("file:testdata/fabrics/rack64", None).fabric;
    let count = |word: &str| find_links(&f, word).unwrap_or_else(|e| panic!("{word}: {e}")).len();
    assert_eq!(count("spine02"), count("spine02/U1"));
    assert_eq!(count("ine02"), 16);
    assert_eq!(count("leaf01[36]"), 2);
    assert_eq!(count("leaf01/U1[36] -> spine02/U1[1]"), 2);
    assert_eq!(count("leaf01 -- spine02"), 2);
    assert_eq!(count("S-0002c90200420020"), 16);
    assert_eq!(count("spine*"), 32);
    assert_eq!(count("leaf0[1-4] -- spine01"), 8);
    assert_eq!(count("leaf*[36]"), 16);
    assert_eq!(count("leaf0[1]"), 20);
    assert_eq!(count("node0[01-04]"), 8);
    for (word, why) in [
        ("spine", "`spine` may be 2 parts of"),
        ("leaf", "spine01"),
        ("lea*x", "no switch, host or GUID `lea*x`"),
        ("spine03", "did you mean"),
        ("", "empty name"),
        ("*[99]", "no cable in port"),
        ("node001 -- node002", "no cable"),
        ("leaf01[36] -> spine01[1]", "no cable `leaf01[36] -> spine01[1]`"),
        ("leaf01[36] -> spine77[1]", "no switch, host or GUID `spine77`"),
    ] {
        let error = find_links(&f, word).expect_err(word).to_string();
        assert!(error.contains(why) || word == "leaf" && error.contains("8 parts"), "{word}: {error}");
    }
}

#[test]
fn what_cannot_fail_is_said() {
    let whole = plan(&scenario("file:testdata/fabrics/rack64", "table", "alltoall"));
    let error = run::each(&whole, Each::Link, 1, &mut Silent).expect_err("old tables").to_string();
    assert!(error.contains("use minhop, shortest or up-down"), "{error}");
    let torus = plan(&scenario("torus:dims=4x4", "dor", "alltoall"));
    let error = run::each(&torus, Each::Switch, 1, &mut Silent).expect_err("a whole torus").to_string();
    assert!(error.contains("routing `dor` needs a whole machine"), "{error}");
    assert!("port".parse::<Each>().expect_err("a port").to_string().contains("expected switch, link or leaf"));
}

#[test]
fn every_switch_and_host_is_shown() {
    let net = network("file:testdata/fabrics/rack64", None);
    let switches = run::show_switches(&net).switches;
    assert_eq!(switches.len(), 10);
    let leaf = switches.iter().find(|s| s.name == "leaf01/U1").expect("leaf");
    assert_eq!((leaf.cables, leaf.adapters, leaf.hosts, leaf.up_links, leaf.neighbours), (10, 8, 8, 2, 2));
    let hosts = run::show_hosts(&net).hosts;
    assert_eq!((hosts.len(), hosts[0].name.as_str(), hosts[0].adapters.len()), (64, "node001", 1));
    assert!(hosts[0].adapters[0].switch.as_deref().is_some_and(|s| s.starts_with("leaf")));
    // In a direct network routers are switches and hosts at once.
    let net = network("torus:dims=3x3", None);
    let routers = run::show_switches(&net).switches;
    assert_eq!((routers.len(), routers[0].hosts, routers[0].up_links, routers[0].neighbours), (9, 1, 4, 4));
    assert_eq!(run::show_hosts(&net).hosts[4].adapters[0].switch, None);
}

#[test]
fn told_to_stop_it_ranks_what_it_has_looked_at() {
    let whole = plan(&scenario("torus:dims=6x6", "shortest", "halo:grid=6x6"));
    let mut stop = |event: Event| match event {
        Event::Progress(_) => Control::Stop,
        _ => Control::Continue,
    };
    let o = run::each(&whole, Each::Link, 2, &mut stop).expect("a part");
    assert!(!o.failures.is_empty() && o.failures.len() < 72, "{}", o.failures.len());
    let note = format!("stopped: only the first {} of 72 cables between switches were looked at", o.failures.len());
    assert!(o.setting.notes.contains(&note), "{:?}", o.setting.notes);
    assert_eq!(run::each(&whole, Each::Link, 2, &mut Silent).expect("all").failures.len(), 72);
}
