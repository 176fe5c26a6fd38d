//! Which hosts a job is taken to have where `--hosts` is left out, and what the bounds are over then.

mod common;

use common::{Scratch, hopline};

#[test]
fn the_allocation_that_was_assumed_is_named() {
    let job = "--fabric testdata/fabrics/rack64 --traffic alltoall:tasks=16";
    let note = "hosts are assumed: the first 16 of 64, node[001-016] (16 slots); --hosts names others";
    for command in ["load", "map"] {
        let text = hopline(&format!("{command} {job}")).done();
        assert!(text.contains(note), "{command}: {text}");
    }
    let json = hopline(&format!("load {job} --format json")).done();
    assert!(json.contains(note), "{json}");
    let named = hopline(&format!("load {job} --hosts first:16")).done();
    assert!(!named.contains("assumed: the first"), "{named}");
    let all = hopline("load --fabric testdata/fabrics/rack64 --traffic alltoall").done();
    assert!(!all.contains("hosts are assumed"), "{all}");
}

/// The bounds are over the hosts that the mapping takes, too.
#[test]
fn a_given_mapping_widens_an_assumed_allocation() {
    let dir = Scratch::new("allocations");
    // The last leaf, though the first eight hosts are the first leaf.
    let hosts: String = (0..8).map(|t| format!("node{:03}\n", 57 + t)).collect();
    dir.write("far.txt", &hosts);
    let halo = "map --fabric testdata/fabrics/rack64 --traffic halo:grid=2x4 --mapping default,file:DIR/far.txt";
    let text = dir.hopline(halo).done();
    let note =
        "hosts are assumed: the first 8 of 64 and 8 that a given mapping names, node[001-008,057-064] (16 slots)";
    assert!(text.contains(note), "{text}");
    let searched = dir.hopline(&format!("{halo} --evaluations 200")).done();
    assert!(searched.contains("search"), "{searched}");
    // Where the hosts are named, the mapping may not leave them.
    let refused = dir.hopline(&format!("{halo} --hosts first:8"));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("task 0 sits on host node057, which is not in the allocation"),
        "{}",
        refused.stderr
    );
}

/// The first hosts that are left stand on two leaves, those of the mapping on one, where nothing takes a hop.
#[test]
fn no_given_mapping_is_below_its_bound() {
    let dir = Scratch::new("allocations-bound");
    let near: String = (9..17).map(|n| format!("node{n:03}\n")).collect();
    dir.write("near.txt", &near);
    let job = "--fabric testdata/fabrics/rack64 --traffic alltoall:tasks=8 --forbid node[002-008]";
    let tried = |mapping: &str| {
        let text = dir.hopline(&format!("map {job} --mapping {mapping} --format json")).done();
        let number = |key: &str| -> f64 {
            let (_, rest) = text.split_once(&format!("\"{key}\": ")).unwrap_or_else(|| panic!("{key}: {text}"));
            rest.split([',', '\n']).next().expect("a number").trim().parse().expect("a number")
        };
        (number("hop_bound"), number("hop_bytes"))
    };
    let (bound, hops) = tried("default");
    assert!(bound > 0.0 && bound <= hops * (1.0 + 1e-9), "over the first hosts: {bound} {hops}");
    assert_eq!(tried("file:DIR/near.txt"), (0.0, 0.0));
}

/// An adapter of the fabric's manager is no place for a task, unless it is named.
#[test]
fn managers_of_the_fabric_are_left_out_unless_named() {
    let dir = Scratch::new("allocations-managers");
    dir.rack64("net", |tables| tables.to_string());
    let cables = dir.read("net/ibnetdiscover.txt").replace("node002 ", "B11-P1-CUFM-02 ");
    dir.write("net/ibnetdiscover.txt", cables);
    let note = "hosts that manage the fabric, by their names, run tasks only if --hosts names them: B11-P1-CUFM-02";
    let shown = dir.hopline("fabric show --fabric DIR/net").done();
    assert!(shown.contains("hosts      63 with 63 slots (node001, node003") && shown.contains(note), "{shown}");
    let all = dir.hopline("load --fabric DIR/net --traffic alltoall").done();
    assert!(all.contains("63 tasks on 63 hosts") && all.contains(note), "{all}");
    let named = dir.hopline("load --fabric DIR/net --traffic alltoall --hosts node001,B11-P1-CUFM-02").done();
    assert!(named.contains("2 tasks on 2 hosts"), "{named}");
    let first = dir.hopline("map --fabric DIR/net --traffic alltoall:tasks=2 --hosts first:2 --format json").done();
    assert!(!first.contains("\"B11-P1-CUFM-02\"") && first.contains("\"node003\""), "{first}");
}

/// Words in names tell who computes; they are listed, and can be changed.
#[test]
fn rules_of_who_computes_can_be_seen_and_changed() {
    let load = |hosts: &str| {
        let names = "c1,c2,c3,c4,c5,c6,c7,build1,head1,x-ufm";
        hopline(&format!("load --topology full-mesh:n=10,names=[{names}] --traffic alltoall --hosts {hosts}"))
    };
    for (hosts, tasks, told) in [
        (
            "@compute",
            8,
            "left out by their names: head1 (management: `head` in the name), x-ufm (management: `ufm` in the name)",
        ),
        ("@compute:build,-head", 8, "build1 (as told: `build` in the name), x-ufm (management: `ufm` in the name)"),
        ("@compute:-ufm,-head", 10, "@compute is all 10 hosts"),
    ] {
        let text = load(hosts).done();
        assert!(text.contains(&format!("{tasks} tasks on {tasks} hosts")) && text.contains(told), "{hosts}: {text}");
    }
    for (hosts, error) in [
        ("@compute:-haed", "no rule of @compute has the word `haed`; did you mean `head`?"),
        ("@compute:", "`` in `@compute:`, expected the letters of a word in names"),
        ("@compute:c,build", "no host is left"),
        ("@partition", "`@partition` names no partition and no file; @compute is all hosts"),
        ("@login", "`@login` is no group of hosts; @compute is all hosts"),
    ] {
        let ran = load(hosts);
        assert!(ran.code == Some(2) && ran.stderr.contains(error), "{hosts}: {}", ran.stderr);
    }
    let listed = hopline("explain compute").done();
    let words = hopline::fabric::ROLES.iter().flat_map(|(_, words)| words.iter());
    for word in words {
        assert!(listed.split(|c: char| !c.is_alphanumeric()).any(|own| own == *word), "{word}: {listed}");
    }
}
