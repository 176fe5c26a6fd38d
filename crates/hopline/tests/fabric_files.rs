//! Fabrics from Cray's cabling and from our own JSON: what is read, what comes
//! back, and that no damage panics.
#![allow(clippy::print_stderr, clippy::unwrap_used)]

mod common;

use common::damage::Random;
use common::{data, fabric, network, root};
use hopline::event::Silent;
use hopline::fabric::Fabric;
use hopline::files::{Disk, Memory, read_text};
use hopline::format::{JSON, cray_xc, fabric_json};
use hopline::id::{LinkId, VertexId};
use hopline::plan::{Network, Plan};
use hopline::run;
use hopline::scenario::Scenario;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Instant;

fn counts(f: &Fabric) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    f.link_ids().for_each(|l| *counts.entry(f.class_of(l).name.as_str()).or_default() += 1);
    counts
}

#[test]
fn a_small_cray_has_hosts_ports_and_levels() {
    let path = "testdata/fabrics/xc-mini.interconnect";
    let (_, f) = fabric(&format!("cray-xc:path={path}"));
    assert!(f == fabric(&format!("file:{path}")).1, "the content tells what it is");
    assert_eq!(counts(&f), [("black", 16), ("blue", 4), ("green", 8), ("host", 64)].into());
    assert_eq!(f.vertex_name(VertexId(5)), "c0-0c0s1n1");
    assert_eq!(f.hosts().name(hopline::id::HostId(31)), "c2-0c1s1n3");
    let parts: Vec<_> = f.levels().iter().map(|l| (l.name.as_str(), l.parts)).collect();
    assert_eq!(parts, [("router", 8), ("chassis", 4), ("group", 2)]);
    let router = f.find("c0-0c0s0a0").unwrap();
    let links: Vec<String> = f.out_links(router).map(|l| f.link_name(l)).collect();
    assert_eq!(links[0], "c0-0c0s0a0[0] -> c0-0c0s1a0[10]");
    assert_eq!(links[2..4], ["c0-0c0s0a0[7] -> c0-0c1s0a0[16]", "c0-0c0s0a0[17] -> c0-0c1s0a0[27]"], "parallel");
    assert_eq!(links[7], "c0-0c0s0a0[53] -> c0-0c0s0n3[0]");

    let (_, other) = fabric(&format!("cray-xc:path={path},blue=1,host=2,hosts=2,slots=64"));
    let rate = |name: &str| other.classes().iter().find(|c| c.name == name).unwrap().bandwidth.unwrap().as_gb_s();
    assert_eq!((rate("green"), rate("blue"), rate("host")), (5.25, 1.0, 2.0));
    assert_eq!((other.endpoints(), other.hosts().slots()), (16, 16 * 64));
}

#[test]
fn theta() {
    let Some(path) = data("fabrics/theta-xc/theta.interconnect.gz") else { return };
    let start = Instant::now();
    let scenario = Scenario::default().topology(&format!("cray-xc:path={path}")).unwrap();
    let network = Network::new(&scenario, &Disk).unwrap();
    eprintln!("Theta is there after {:?}", start.elapsed());
    let f = &*network.fabric;
    assert_eq!(counts(f), [("black", 12_960), ("blue", 3_456), ("green", 12_960), ("host", 6_912)].into());
    assert_eq!((f.switches(), f.hosts().len()), (864, 3_456));
    let parts: Vec<_> = f.levels().iter().map(|l| l.parts).collect();
    assert_eq!(parts, [864, 54, 9]);
    let notes = run::show(&network).notes;
    assert!(notes.iter().any(|n| n.starts_with("routes are assumed, not read")), "{notes:?}");
    // Every two groups are joined by as many cables as any other two.
    let group = |v: VertexId| f.levels()[2].part[f.target(f.out_link(v, f.degree(v) as u32 - 1)).index()];
    let mut pairs: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for l in f.link_ids().filter(|&l| f.class_of(l).name == "blue") {
        *pairs.entry((group(f.source(l)), group(f.target(l)))).or_default() += 1;
    }
    assert_eq!(pairs.len(), 72);
    assert!(pairs.iter().all(|((a, b), n)| a != b && *n == 48));
    comes_back(f);
}

/// Written and read again it is the same.
fn comes_back(f: &Fabric) {
    let text = fabric_json::write(f, None, None).unwrap();
    let (machine, tables) = fabric_json::read("f.json", &text).unwrap();
    assert!(machine.fabric == *f && machine.lids.is_empty() && tables.is_none(), "{}", f.name());
}

#[test]
fn real_machines_come_back() {
    for path in ["rack64", "lmc1-8", "xc-mini.interconnect"] {
        comes_back(&fabric(&format!("file:testdata/fabrics/{path}")).1);
    }
    for path in ["ranger-2011/ibnetdiscover.txt.gz", "dgx-ndr/ibnetdiscover.txt", "simulated/mixed-speeds"] {
        if let Some(path) = data(&format!("fabrics/{path}")) {
            comes_back(&fabric(&format!("file:{path},rails=affine")).1);
            comes_back(&fabric(&format!("file:{path},slots=3")).1);
        }
    }
    let (_, whole) = fabric("dragonfly:p=2,a=4,h=2,local_latency=3");
    comes_back(&whole.without(&[LinkId(40)]));
}

fn x(sizes: Vec<u32>) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

fn specs() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u32..5, 0u32..6, any::<bool>()).prop_map(|(ns, nd, hub)| format!(
            "percs:ns={ns},nd={}{}",
            1 << nd,
            if hub { ",hub=192" } else { "" }
        )),
        (1u32..4, 1u32..5, 1u32..4).prop_map(|(p, a, h)| format!("dragonfly:p={p},a={a},h={h},global=1.2345678901")),
        prop::collection::vec(1u32..5, 1..4).prop_map(|dims| format!("torus:dims={}", x(dims))),
        (2u32..5, 1u32..4).prop_map(|(k, n)| format!("kncube:k={k},n={n}")),
        prop::collection::vec(1u32..5, 1..5).prop_map(|arity| {
            let distance = (1..=arity.len() as u32).map(|i| 10 * i).collect();
            format!("tree:arity={},distance={}", x(arity), x(distance))
        }),
    ]
}

proptest! {
    #[test]
    fn every_family_comes_back(spec in specs(), slots in 1u32..5, rails in prop::sample::select(vec!["", ",rails=stripe", ",rails=0"])) {
        comes_back(&fabric(&format!("{spec},slots={slots}{rails}")).1);
    }
}

#[test]
fn tables_stay_with_the_fabric() {
    let network = |spec: &str| network(spec, Some("table:lid=spread"));
    let read = network("file:testdata/fabrics/lmc1-8");
    let text = run::export(&read, &JSON).unwrap();
    let path = std::env::temp_dir().join(format!("hopline-tables-{}.json", std::process::id()));
    std::fs::write(&path, &text).unwrap();
    let back = network(&format!("file:{}", path.display()));
    assert!(read.fabric == back.fabric);
    assert_eq!(run::export(&back, &JSON).unwrap(), text, "the same bytes again");
    for (from, to) in (0..8).flat_map(|a| (0..8).map(move |b| (VertexId(a), VertexId(b)))) {
        let route = |network: &Network| {
            let mut route = Vec::new();
            network.routing.route(from, to, &mut route).map(|()| route)
        };
        assert_eq!(route(&read), route(&back));
    }
    let bare = common::network(&format!("file:{},tables=none", path.display()), None);
    assert_eq!(bare.routing_spec(), "shortest");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn tables_need_lids() {
    let folder = format!("{}/testdata/fabrics", root());
    let spec = format!("file:{folder}/xc-mini.interconnect,tables={folder}/rack64/dump_fts_n.txt");
    let error = Scenario::default().topology(&spec).and_then(|s| Network::new(&s, &Disk).map(drop)).unwrap_err();
    assert!(error.to_string().ends_with("tells no LIDs, by which tables forward"), "{error}");
}

#[test]
fn errors_name_line_and_item() {
    let text = fabric_json::write(&fabric("percs:ns=1,nd=1").1, None, None).unwrap();
    let error = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fabric_json::read("f.json", &text.replacen(from, to, 1)).map(drop).expect_err(to).to_string()
    };
    let cable = "\"b\": \"s0n1\", \"port_b\": 0";
    let line = text[..text.find(cable).unwrap()].lines().count();
    for (from, to, expected) in [
        (
            cable,
            "\"b\": \"s0m1\", \"port_b\": 0",
            format!("f.json:{line}: cables[0]: no vertex is called `s0m1`; did you"),
        ),
        (cable, "\"b\": \"s0n1\"", format!("f.json:{line}: cables[0]: a port is left out; give ports of all")),
        (
            cable,
            "\"b\": \"s0n0\", \"port_b\": 1",
            format!("f.json:{line}: cables[0]: a link from a vertex to itself has `"),
        ),
        (
            cable,
            "\"b\": \"s0n1\", \"port_b\": 1",
            format!("f.json:{}: cables[32]: port 1 is that of cables[0] already", line + 32),
        ),
        (cable, "\"b\": 3", format!("f.json:{line}: invalid type: integer `3`, expected a ")),
        ("\"class\": \"LL\"", "\"class\": \"L\"", format!("f.json:{line}: cables[0]: no class is called `L`; ")),
        (
            "\"hopline_fabric\": 1",
            "\"hopline_fabric\": 2",
            "f.json:2: hopline_fabric: this is version 2, expected 1; ".into(),
        ),
        ("\"hopline_fabric\": 1,", "", "f.json:".into()),
        ("\"name\": \"LR\"", "\"name\": \"LL\"", "f.json:6: classes[1]: two classes are called `LL`".into()),
        (
            "\"bandwidth_bytes_s\": 5000000000",
            "\"bandwidth_bytes_s\": 0",
            "f.json:6: classes[1]: class `LR` has 0 bytes per second; ".into(),
        ),
        (
            "{\"name\": \"s0n1\"}",
            "{\"name\": \"s0n0\"}",
            "f.json:11: endpoints[1]: two vertices are called `s0n0`".into(),
        ),
        (
            "{\"name\": \"s0n1\"}",
            "{\"name\": \"s0n1\", \"guid\": \"a1\"}",
            "f.json:11: endpoints[1]: the GUID is `a1`, ex".into(),
        ),
        (
            "{\"name\": \"s0n1\"}",
            "{\"name\": \"s0n1\", \"lid\": 49152}",
            "f.json:11: endpoints[1]: LID 49152 with LMC 0".into(),
        ),
        ("\"latency_ns\": 0", "\"latency\": 0", "f.json:5: unknown field `latency`, expected one of".into()),
        ("[\"s0n1\"], \"slots\": 4", "[\"s0n0\"], \"slots\": 4", "hosts[1]: `s0n0` belongs to two hosts".into()),
        ("[\"s0n1\"], \"slots\": 4", "[], \"slots\": 4", "hosts[1]: 4 slots, expected none without an endpoint".into()),
        ("\"slots\": 4", "\"slots\": 4294967295", "hosts[0]: 4294967295 slots, expected none without".into()),
        ("\"parts\": [0, ", "\"parts\": [", "levels[0]: 31 parts for 32 endpoints".into()),
        ("\"parts\": [0, ", "\"parts\": [5, ", "levels[0]: a part has no endpoint".into()),
        ("\"parts\": [0, ", "\"parts\": [32, ", "levels[0]: part 32 of 32 endpoints".into()),
        (
            "\"levels\"",
            "\"coordinates\": [4, 9], \"levels\"",
            "coordinates: the product of the extents is not 32".into(),
        ),
    ] {
        let found = error(from, to);
        assert!(found.contains(&expected) && found.starts_with("f.json:") && !found.contains('\n'), "{found}");
    }
    let cut = fabric_json::read("f.json", &text[..text.len() / 2]).err().unwrap().to_string();
    assert!(cut.contains("EOF while parsing") && cut.ends_with("the file is cut short"), "{cut}");
}

/// Whatever can be read can be written, and comes back.
fn exports_hold(machine: &hopline::format::infiniband::Machine, tables: Option<&hopline::format::lft::Tables>) {
    let text = fabric_json::write(&machine.fabric, Some(&machine.lids), tables).unwrap();
    let (again, _) = fabric_json::read("again", &text).unwrap();
    assert!(again == *machine);
}

/// Whatever can be read can be looked at and loaded, or is refused with an error.
fn runs_hold(text: String) {
    let files = Memory([("fuzz".to_string(), text.into_bytes())].into());
    let scenario = Scenario::default().topology("file:fuzz").unwrap().traffic("alltoall").unwrap();
    let Ok(network) = Network::new(&scenario, &files) else { return };
    let _ = (run::show(&network), run::check(&network));
    if let Ok(plan) = Plan::new(&scenario, &files) {
        let _ = run::load(&plan, 3, &mut Silent);
    }
}

/// Fabrics that no family makes, but the form allows.
#[test]
fn odd_fabrics_never_panic() {
    for spec in
        ["torus:dims=3x3", "tree:arity=2x2x2,distance=1x10x100", "percs:ns=2,nd=1,hub=5", "dragonfly:p=2,a=2,h=1"]
    {
        let text = fabric_json::write(&fabric(spec).1, None, None).unwrap();
        for (from, to) in [
            ("\"host\": false", "\"host\": true"),
            ("\"host\": true", "\"host\": false"),
            ("\"bandwidth_bytes_s\": ", "\"bandwidth_bytes_s\": 1000000"),
            ("\"bandwidth_bytes_s\": 1", "\"bandwidth_bytes_s\": 0, \"latency_ns\": 1"),
            ("\"latency_ns\": 0", "\"latency_ns\": 18446744073709551615"),
            ("\"distance\": 1", "\"distance\": 1844674407370955161"),
            ("\"slots\": 1", "\"slots\": 0"),
        ] {
            runs_hold(text.replace(from, to));
        }
    }
}

fn rounds() -> usize {
    std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000)
}

/// A text with one to five damages.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    (0..=random.below(4)).for_each(|_| random.damage(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_json_never_panics() {
    let samples = [
        run::export(&network("file:testdata/fabrics/lmc1-8", None), &JSON).unwrap(),
        fabric_json::write(&fabric("torus:dims=3x3,slots=2").1, None, None).unwrap(),
        fabric_json::write(&fabric("tree:arity=2x2x2,distance=1x10x100").1, None, None).unwrap(),
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut read) = (0, 0);
    for round in 0..rounds() {
        let text = damaged(&samples[round % samples.len()], &mut random);
        match fabric_json::read("fuzz", &text) {
            Ok((machine, tables)) => {
                exports_hold(&machine, tables.as_ref());
                runs_hold(text);
                read += 1;
            }
            Err(e) => {
                assert!(e.is_input() && e.to_string().starts_with("fuzz") && !e.to_string().contains('\n'), "{e}");
                refused += 1;
            }
        }
    }
    assert!(refused > rounds() / 2 && read > rounds() / 100, "{refused} refused, {read} read");
}

#[test]
fn damaged_interconnects_never_panic() {
    let sample = read_text(&Disk, &format!("{}/testdata/fabrics/xc-mini.interconnect", root())).unwrap();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut refused, mut read) = (0, 0);
    for _ in 0..rounds() {
        let text = damaged(&sample, &mut random);
        let built = cray_xc::parse("fuzz", &text).and_then(|c| cray_xc::build("fuzz", &c, &cray_xc::Rates::default()));
        match built {
            Ok(_) => read += 1,
            Err(e) => {
                assert!(e.is_input() && e.to_string().starts_with("fuzz") && !e.to_string().contains('\n'), "{e}");
                refused += 1;
            }
        }
    }
    assert!(refused > rounds() / 2 && read > rounds() / 100, "{refused} refused, {read} read");
}

#[test]
fn an_interconnect_cut_anywhere_before_its_last_cable_is_refused() {
    let sample = read_text(&Disk, &format!("{}/testdata/fabrics/xc-mini.interconnect", root())).unwrap();
    let last = sample.rfind("-> c").unwrap();
    for (at, _) in sample.match_indices('\n').filter(|(at, _)| *at < last) {
        assert!(cray_xc::parse("cut", &sample[..at]).is_err(), "up to byte {at}");
    }
}
