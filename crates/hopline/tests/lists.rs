//! What every entry of every list owes: an example that works, documented keys
//! that are read, a doc that says something; and for topologies, counts by
//! formula that the built fabric has.

mod common;

use common::words::check_words;
use common::{fabric, network, root, slow};
use hopline::entry::{Entry, Listed};
use hopline::error::Place;
use hopline::event::Silent;
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::id::{LinkId, VertexId};
use hopline::mapping::{self, Context, Problem};
use hopline::params::Params;
use hopline::{format, routing, schedule, topology, traffic};
use std::collections::BTreeMap;

#[test]
fn every_entry_has_its_words() {
    check_words(topology::LIST, "topology");
    check_words(topology::HOSTS, "host");
    check_words(routing::LIST, "routing");
    check_words(traffic::LIST, "traffic");
    check_words(mapping::LIST, "mapping");
    check_words(mapping::OBJECTIVES, "objective");
    check_words(schedule::LIST, "schedule");
    check_words(hopline::power::policy::LIST, "policy");
    check_words(schedule::collective::LIST, "collective");
    check_words(format::tuning::TUNINGS, "tuning");
    check_words(format::EXPORTS, "export");
}

fn spec(text: &str) -> Params {
    let text = text.replace("testdata/", &format!("{}/testdata/", root()));
    Params::from_spec(&text, &Place::new("test", 0)).expect("spec")
}

/// A key that an entry documents but nobody reads would be refused or ignored:
/// a value of the wrong type must be noticed. Texts can be of any type, so keys
/// that hold one are left out.
fn keys_are_read(entry: &Entry, build: impl Fn(&Params) -> Option<String>) {
    for p in entry.params.iter().filter(|p| !["path", "path|none", "spec", "base|spread|N"].contains(&p.value)) {
        if p.value.contains("level") {
            continue;
        }
        let mut params = Params::new(entry.name, Place::new("test", 0));
        let wrong = hopline::params::Value::Text("no such value".into());
        for given in entry.params.iter().filter(|q| q.default.is_empty() && q.name != p.name) {
            let own = entry.example.split([':', ',']).find_map(|w| w.strip_prefix(&format!("{}=", given.name)));
            // The first key may stand without its name.
            let own = own.or_else(|| entry.example.split([':', ',']).nth(1).filter(|w| !w.contains('=')));
            let value = own
                .and_then(|v| v.parse().ok().map(hopline::params::Value::Int))
                .or(own.map(|v| hopline::params::Value::Text(v.into())));
            params
                .push(given.name, value.expect("the example gives what must be given"), Place::new("test", 0))
                .expect("key");
        }
        params.push(p.name, wrong, Place::new("test", 0)).expect("key");
        let error = build(&params).unwrap_or_else(|| panic!("{}: key `{}` is not read", entry.name, p.name));
        assert!(error.contains(p.name), "{}: `{}` is misread: {error}", entry.name, p.name);
    }
}

/// As large as Dragonflies of 64-port routers get: seconds, and 2 GB.
#[test]
fn a_dragonfly_of_four_million_endpoints_is_built() {
    if !slow("seconds, and 2 GB") {
        return;
    }
    let (topology, fabric) = fabric("dragonfly:p=32,a=64,h=32");
    let counts = topology.counts().expect("counts");
    assert_eq!((fabric.endpoints(), fabric.switches(), fabric.links()), (4_196_352, 131_136, 20_850_624));
    assert_eq!(counts.links.iter().map(|(_, n)| n).sum::<u64>(), 20_850_624);
    assert_eq!(fabric.notes(), ["building the network takes about 1.95 GB of memory"]);
}

#[test]
fn every_topology_builds_and_has_the_links_it_promises() {
    let more = [
        "percs:ns=1,nd=1",
        "percs:ns=7,nd=8,hub=192",
        "dragonfly:p=3,a=5,h=2",
        "dragonfly:p=2,a=6,h=3,g=5,group=2x3,trunk=3x1,arrangement=palmtree",
        "torus:dims=5x2x1x3",
        "kncube:k=2,n=5",
        "tree:arity=7",
        "fat-tree:k=5,n=1",
        "fat-tree:k=3,n=4",
        "fat-tree:down=4x4x4,up=1x2x2",
        "fat-tree:pods=3,servers=4,adapters=2,over=2",
        "fat-tree:pods=1,servers=6,adapters=3",
        "fat-tree:down=3x1x5,up=2x4x3",
        "full-mesh:n=1",
        "omega:k=2,n=1",
        "omega:k=4,n=3,host=2",
    ];
    let examples: Vec<&str> = topology::LIST.iter().map(|t| t.entry().example).collect();
    for spec in examples.iter().chain(&more) {
        let (topology, fabric) = fabric(spec);
        check_fabric(&fabric, spec);
        let Some(counts) = topology.counts() else { continue };
        let mut links: BTreeMap<String, u64> = BTreeMap::new();
        (0..fabric.links() as u32)
            .for_each(|l| *links.entry(fabric.class_of(LinkId(l)).name.clone()).or_default() += 1);
        let promised: BTreeMap<String, u64> = counts.links.into_iter().filter(|(_, n)| *n > 0).collect();
        assert_eq!(links, promised, "{spec}");
        assert_eq!(
            (u64::from(fabric.endpoints()), u64::from(fabric.switches())),
            (counts.endpoints, counts.switches),
            "{spec}"
        );
    }
    for family in topology::LIST {
        keys_are_read(family.entry(), |p| topology::build(p, &Disk).err().map(|e| e.to_string()));
    }
}

/// Cables go both ways between the same ports and in one class; every endpoint
/// reaches every other.
fn check_fabric(f: &Fabric, what: &str) {
    for l in f.link_ids() {
        let back = f.reverse(l);
        assert_eq!((f.source(back), f.target(back)), (f.target(l), f.source(l)), "{what}");
        assert_eq!(f.class_id(back), f.class_id(l), "{what}");
        assert_eq!(f.reverse(back), l, "{what}");
        assert!(
            f.out_link(f.source(l), f.offset(l)) == l && f.out_links(f.source(l)).any(|other| other == l),
            "{what}"
        );
    }
    assert_eq!(hopline::fabric::metrics::distances(f).unreachable, 0, "{what}");
    for level in f.levels() {
        assert_eq!(level.part.len(), f.endpoints() as usize, "{what}");
    }
    let hosts = f.hosts();
    for slot in (0..hosts.slots()).map(hopline::id::SlotId) {
        let host = hosts.host_of(slot);
        assert!(hosts.slots_of(host).any(|s| s == slot), "{what}");
        assert_eq!(hosts.owner(hosts.endpoint_of(slot)), Some(host), "{what}");
    }
}

#[test]
fn dragonfly_groups_share_one_global_link_each() {
    let (_, f) = fabric("dragonfly:p=2,a=4,h=2");
    let group = |v: VertexId| (v.0 - f.endpoints()) / 4;
    let mut pairs: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for l in f.link_ids().filter(|&l| f.class_of(l).name == "global") {
        *pairs.entry((group(f.source(l)), group(f.target(l)))).or_default() += 1;
    }
    assert_eq!(pairs.len(), 9 * 8);
    assert!(pairs.iter().all(|((a, b), n)| a != b && *n == 1));
    // Palmtree: port m of router x in group i leads to group i + x*h + m + 1.
    for (i, x, m) in [(0, 0, 0), (3, 2, 1), (8, 3, 1)] {
        let router = VertexId(f.endpoints() + i * 4 + x);
        assert_eq!(group(f.target(f.out_link(router, 2 + 3 + m))), (i + x * 2 + m + 1) % 9);
    }
}

#[test]
fn too_many_d_ports_are_warned_of() {
    assert!(fabric("percs:ns=16,nd=32").1.notes().is_empty());
    assert!(fabric("percs:ns=64,nd=16").1.notes()[0].contains("32 D ports"));
}

#[test]
fn every_routing_builds_and_names_a_mismatch() {
    for kind in routing::LIST {
        let e = kind.entry();
        network(kind.network(), Some(e.example));
        let (topology, fabric) = fabric(kind.network());
        let fabric = std::sync::Arc::new(fabric);
        keys_are_read(e, |p| routing::build(p, &topology, &fabric, &Disk).err().map(|e| e.to_string()));
    }
    for name in [
        "direct",
        "indirect",
        "valiant-restricted",
        "dor",
        "min-adaptive",
        "par",
        "omni-dimensional",
        "d-mod-k",
        "destination-tag",
        "table",
        "minhop",
    ] {
        let (topology, f) = fabric("tree:arity=4x2");
        let error = routing::build(&spec(name), &topology, &std::sync::Arc::new(f), &Disk)
            .err()
            .expect("a mismatch")
            .to_string();
        assert!(error.contains("tree:arity=4x2"), "{error}");
    }
}

#[test]
fn every_traffic_makes_a_demand_in_which_tasks_send_one_unit() {
    let (_, f) = fabric("percs:ns=4,nd=1");
    let context = traffic::Context { fabric: &f, slots: f.hosts().slots(), files: &Disk };
    for kind in traffic::LIST {
        let e = kind.entry();
        let demand =
            traffic::build(&spec(e.example), &context).unwrap_or_else(|err| panic!("{}: {err}", e.name)).demand;
        assert!(demand.total() > 0.0, "{}", e.name);
        if demand.unit() == hopline::demand::Unit::Units {
            let mut sent = vec![0.0; demand.tasks() as usize];
            demand.each_pair(|from, _, amount| sent[from as usize] += amount);
            assert!(sent.iter().all(|s: &f64| (s - 1.0).abs() < 1e-9), "{}: a task sends other than 1", e.name);
        }
        keys_are_read(e, |p| traffic::build(p, &context).err().map(|e| e.to_string()));
    }
}

#[test]
fn every_mapping_is_an_injection_into_the_allocation() {
    for kind in mapping::LIST {
        let name = kind.entry().name;
        match name {
            // A given mapping, and one for tori with tests of its own.
            "file" | "linear" => {}
            // They want many blocks.
            "mod-coloring" | "inner-search" => is_an_injection(kind.entry(), "percs:ns=16,nd=4", "halo:grid=32x64"),
            _ => is_an_injection(kind.entry(), "percs:ns=4,nd=4", "halo:grid=16x32"),
        }
    }
}

fn is_an_injection(entry: &Entry, machine: &str, pattern: &str) {
    let (name, net) = (entry.name, network(machine, None));
    let context = traffic::Context { fabric: &net.fabric, slots: net.fabric.hosts().slots(), files: &Disk };
    let demand = traffic::build(&spec(pattern), &context).expect("halo").demand;
    let tasks = demand.tasks();
    let slots: Vec<_> = (0..tasks).map(hopline::id::SlotId).collect();
    let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
    let strategy = mapping::build(&spec(entry.example), &Disk).unwrap_or_else(|e| panic!("{name}: {e}"));
    let map = || {
        let mut silent = Silent;
        strategy.map(&problem, &mut Context::new(5, name, &mut silent)).unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let chosen = map();
    let mut taken: Vec<u32> = (0..tasks).map(|t| chosen.slot(t).0).collect();
    assert!((0..tasks).all(|t| chosen.task(chosen.slot(t)) == Some(t)), "{name}");
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), tasks as usize, "{name}");
    assert_eq!(chosen, map(), "{name}: the same seed gives another mapping");
}

#[test]
fn every_schedule_is_built_and_its_keys_are_read() {
    let (_, f) = fabric("percs:ns=4,nd=1");
    let context = traffic::Context { fabric: &f, slots: 16, files: &Disk };
    let lists = schedule::LIST.iter().map(Listed::entry).chain(schedule::collective::LIST.iter().map(Listed::entry));
    let mut names = Vec::new();
    for e in lists {
        let made = schedule::build(&spec(e.example), &context).unwrap_or_else(|err| panic!("{}: {err}", e.name));
        assert!(made.schedule.volume().messages > 0, "{}: nobody sends", e.name);
        assert!(made.schedule.demand().is_ok(), "{}", e.name);
        keys_are_read(e, |p| schedule::build(p, &context).err().map(|e| e.to_string()));
        names.push(e.name);
    }
    names.sort_unstable();
    assert!(names.windows(2).all(|w| w[0] != w[1]), "a schedule and a collective share a name");
}
