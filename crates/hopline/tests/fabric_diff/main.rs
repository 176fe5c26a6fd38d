//! Two looks at a machine, and in a file of its own a plan of its cables: every change is found, named and priced.

#[path = "../common/mod.rs"]
mod common;
mod plans;

use common::root;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::{Disk, Files, Memory, read_text};
use hopline::format::JSON;
use hopline::params::Params;
use hopline::plan::{Network, Plan};
use hopline::run::{self, ChangeKind, DiffKind, DiffOutcome};
use hopline::scenario::Scenario;
use std::collections::BTreeSet;

fn scenario(topology: &str, traffic: &str) -> Scenario {
    let params = Params::from_spec(topology, &Place::new("test", 0)).expect("a spec");
    let scenario = Scenario::on(params);
    scenario.traffic(traffic).expect("traffic")
}

fn compared(before: &str, after: &str, traffic: &str, files: &dyn Files) -> DiffOutcome {
    let (was, is) = (scenario(before, traffic), scenario(after, traffic));
    let plan = Plan::new(&was, files).unwrap_or_else(|e| panic!("{e}"));
    let faulty = Network::as_after_faults(&was, files).and_then(|n| Plan::with_network(&was, files, n)).ok();
    let network = Network::new(&is, files).unwrap_or_else(|e| panic!("{e}"));
    let job = Plan::new(&is, files);
    run::diff(&plan, faulty.as_ref(), &network, job.as_ref(), &mut Silent).unwrap_or_else(|e| panic!("{e}"))
}

fn cables() -> String {
    read_text(&Disk, &format!("{}/testdata/fabrics/rack64/ibnetdiscover.txt", root())).expect("cables")
}

/// rack64 as it is, and after `change` of its lines.
fn changed(change: impl Fn(&str) -> Option<String>) -> Memory {
    let old = cables();
    let mut block = String::new();
    let mut new = String::new();
    for line in old.lines() {
        // Each line with the first line of its block before it.
        if line.starts_with("Switch") || line.starts_with("Ca") {
            block = line.to_string();
        }
        if let Some(line) = change(&format!("{block}|{line}")) {
            new.push_str(line.split_once('|').map_or(&line[..], |(_, line)| line));
            new.push('\n');
        }
    }
    Memory([("old".to_string(), old.into_bytes()), ("new".to_string(), new.into_bytes())].into())
}

fn of_kind(outcome: &DiffOutcome, kind: ChangeKind) -> Vec<&run::Change> {
    outcome.changes.iter().filter(|change| change.kind == kind).collect()
}

#[test]
fn nothing_changes_from_one_form_to_another() {
    let rack = format!("file:path={}/testdata/fabrics/rack64", root());
    let network = Network::new(&scenario(&rack, "alltoall"), &Disk).expect("rack64");
    let text = run::export(&network, &JSON).expect("json");
    let path = std::env::temp_dir().join(format!("hopline-diff-{}.json", std::process::id()));
    std::fs::write(&path, text).expect("written");
    let outcome = compared(&rack, &format!("file:path={}", path.display()), "alltoall", &Disk);
    let _ = std::fs::remove_file(&path);
    assert!(!outcome.differs(), "{:?} {:?}", outcome.changes, outcome.routes);
    assert_eq!((outcome.cables_alike, outcome.verdict.kind), (80, DiffKind::Same));
    assert!(outcome.left.is_some_and(|left| (left - 1.0).abs() < 1e-9), "{:?}", outcome.left);
    assert_eq!(outcome.routes.map(|r| (r.pairs, r.changed)), Some((64 * 63, 0)));
}

/// Where a file numbers no ports they are counted, and every number behind a cable that is gone is another.
#[test]
fn cables_without_ports_are_known_by_their_ends() {
    let tree = ["h0 a", "h1 a", "h2 b", "h3 b", "a x", "a x", "a y", "b x", "b y"];
    let machine = |cables: &[&str]| {
        let ends = cables.iter().flat_map(|cable| cable.split(' '));
        let vertices: BTreeSet<&str> = ends.collect();
        let (hosts, switches): (Vec<&str>, Vec<&str>) = vertices.iter().partition(|name| name.starts_with('h'));
        let named =
            |names: Vec<&str>| names.iter().map(|n| format!(r#"{{"name": "{n}"}}"#)).collect::<Vec<_>>().join(", ");
        let host = |name: &&str| format!(r#"{{"name": "{name}", "endpoints": ["{name}"], "slots": 1}}"#);
        let cable = |cable: &&str| {
            let (a, b) = cable.split_once(' ').expect("two ends");
            format!(r#"{{"a": "{a}", "b": "{b}", "class": "link"}}"#)
        };
        let owners: Vec<String> = hosts.iter().map(host).collect();
        let cables: Vec<String> = cables.iter().map(cable).collect();
        format!(
            r#"{{"hopline_fabric": 1, "name": "tree",
            "classes": [{{"name": "link", "bandwidth_bytes_s": 1000000000, "latency_ns": 0, "host": false}}],
            "endpoints": [{}], "switches": [{}], "cables": [{}], "hosts": [{}]}}"#,
            named(hosts),
            named(switches),
            cables.join(", "),
            owners.join(", ")
        )
    };
    let found = |now: &[&str]| {
        let texts = [("old", machine(&tree)), ("new", machine(now))];
        let files = Memory(texts.map(|(name, text)| (name.to_string(), text.into_bytes())).into());
        let outcome = compared("file:path=old", "file:path=new", "alltoall", &files);
        outcome
            .changes
            .iter()
            .map(|c| format!("{:?} {}", c.kind, c.after.as_ref().unwrap_or(&c.name)))
            .collect::<Vec<_>>()
    };
    let without =
        |gone: usize| tree.iter().enumerate().filter(|(i, _)| *i != gone).map(|(_, c)| *c).collect::<Vec<_>>();
    assert_eq!(found(&tree), [""; 0]);
    assert_eq!(found(&without(4)), ["CableGone a -- x"], "one of two");
    assert_eq!(found(&without(6)), ["CableGone a -- y"]);
    assert_eq!(found(&without(0)), ["HostGone h0"]);
    let moved = tree.map(|cable| if cable == "a x" { "a y" } else { cable });
    assert_eq!(found(&moved), ["CableMoved a -- y"; 2]);
}

/// Each change of a file that a load may not show.
#[test]
fn speeds_slots_and_exchanged_ports_are_changes() {
    let machine = r#"{"hopline_fabric": 1, "name": "two",
        "classes": [{"name": "host", "bandwidth_bytes_s": 4000000000, "latency_ns": 100, "host": true},
                    {"name": "trunk", "latency_ns": 200, "host": false}],
        "endpoints": [{"name": "h0"}, {"name": "h1"}, {"name": "h2"}, {"name": "h3"}],
        "switches": [{"name": "a"}, {"name": "b"}],
        "cables": [{"a": "h0", "port_a": 0, "b": "a", "port_b": 0, "class": "host"},
                   {"a": "h1", "port_a": 0, "b": "a", "port_b": 1, "class": "host"},
                   {"a": "h2", "port_a": 0, "b": "b", "port_b": 0, "class": "host"},
                   {"a": "h3", "port_a": 0, "b": "b", "port_b": 1, "class": "host"},
                   {"a": "a", "port_a": 2, "b": "b", "port_b": 2, "class": "trunk"}],
        "hosts": [{"name": "n0", "endpoints": ["h0"], "slots": 2}, {"name": "n1", "endpoints": ["h1", "h2"], "slots": 2},
                  {"name": "n3", "endpoints": ["h3"], "slots": 2}]}"#;
    let found = |words: &[(&str, &str)]| {
        let now = words.iter().fold(machine.to_string(), |text, (from, to)| text.replacen(from, to, 1));
        assert!(words.is_empty() || now != machine);
        let texts = [("old", machine.to_string()), ("new", now)];
        let files = Memory(texts.map(|(name, text)| (name.to_string(), text.into_bytes())).into());
        let told = |before: &str, after: &str| {
            let outcome = compared(before, after, "alltoall:tasks=4", &files);
            let show = |c: &run::Change| {
                format!(
                    "{:?} {}: {} -> {}",
                    c.kind,
                    c.name,
                    c.before.as_deref().unwrap_or("-"),
                    c.after.as_deref().unwrap_or("-")
                )
            };
            (outcome.changes.iter().map(show).collect::<Vec<_>>(), outcome.left)
        };
        (told("file:path=old", "file:path=new"), told("file:path=new", "file:path=old"))
    };
    let one = |text: &str| vec![text.to_string()];
    assert_eq!(found(&[]).0, (Vec::new(), Some(1.0)));
    let ((there, left), (back, _)) = found(&[(r#""trunk", "#, r#""trunk", "bandwidth_bytes_s": 1000000000, "#)]);
    assert_eq!(there, one("Slower a[2] -- b[2]: unlimited -> 1 GB/s"));
    assert!(left.is_some_and(|left| left < 0.9), "{left:?}");
    assert_eq!(back, one("Faster a[2] -- b[2]: 1 GB/s -> unlimited"));
    let fast = r#""bandwidth_bytes_s": 4000000001"#;
    let ((_, _), (back, _)) = found(&[(r#""bandwidth_bytes_s": 4000000000"#, fast)]);
    assert_eq!((back.len(), &back[0][..]), (4, "Slower a[0] -- h0[0]: 4.000000001 GB/s -> 4 GB/s"));
    let ((there, left), (back, _)) = found(&[(r#""latency_ns": 200"#, r#""latency_ns": 250"#)]);
    assert_eq!((there, left), (one("LatencyHigher a[2] -- b[2]: 200 ns -> 250 ns"), Some(1.0)));
    assert_eq!(back, one("LatencyLower a[2] -- b[2]: 250 ns -> 200 ns"));
    let ((there, _), _) = found(&[(r#"["h3"], "slots": 2"#, r#"["h3"], "slots": 3"#)]);
    assert_eq!(there, one("SlotsChanged n3: 2 -> 3"));
    let ((there, _), _) = found(&[
        (r#""h0", "port_a": 0, "b": "a", "port_b": 0"#, r#""h0", "port_a": 0, "b": "a", "port_b": 9"#),
        (r#""h1", "port_a": 0, "b": "a", "port_b": 1"#, r#""h1", "port_a": 0, "b": "a", "port_b": 0"#),
        (r#""port_b": 9"#, r#""port_b": 1"#),
    ]);
    assert_eq!(
        there,
        [
            "CableMoved a[0] -- h0[0]: a[0] -- h0[0] -> a[1] -- h0[0]",
            "CableMoved a[1] -- h1[0]: a[1] -- h1[0] -> a[0] -- h1[0]"
        ]
    );
    let ((there, _), _) = found(&[(r#"["h1", "h2"]"#, r#"["h1"]"#), (r#"["h3"]"#, r#"["h3", "h2"]"#)]);
    assert_eq!(there, one("AdapterMoved h2: n1 -> n3"));
}

#[test]
fn swapped_slow_and_missing_parts_are_found_and_priced() {
    let files = changed(|line| {
        let hosts = [("0002c90300100010", "[1]", "[2]"), ("0002c90300100020", "[2]", "[1]")];
        for (guid, was, is) in hosts {
            // The switch's line of the host, and the host's own.
            if line.contains(&format!("|{was}\t\"H-{guid}\"")) {
                return Some(line.replacen(&format!("|{was}"), &format!("|{is}"), 1));
            }
            if line.starts_with("Ca") && line.contains(&format!("\"H-{guid}\"")) && line.contains("|[1](") {
                return Some(line.replacen(&format!("\"{was}\t"), &format!("\"{is}\t"), 1));
            }
        }
        Some(line.to_string())
    });
    let outcome = compared("file:path=old", "file:path=new", "alltoall", &files);
    let moved = of_kind(&outcome, ChangeKind::CableMoved);
    assert_eq!((moved.len(), outcome.changes.len(), outcome.cables_alike), (2, 2, 78), "{:?}", outcome.changes);
    assert!(moved.iter().all(|m| m.mend.as_deref().is_some_and(|mend| mend.starts_with("swap the cables in leaf01"))));
    let routes = outcome.routes.as_ref().expect("routes");
    // All ways from and to the two hosts.
    assert_eq!((routes.pairs, routes.changed, routes.lost), (64 * 63, 2 * 2 * 63 - 2, 0));
    assert_eq!(outcome.verdict.kind, DiffKind::Changed, "an all-to-all is the same: {:?}", outcome.left);

    let files = changed(|line| {
        let slow = (line.contains("leaf01/U1") && line.contains("|[36]"))
            || (line.contains("spine02/U1") && line.contains("|[1]"));
        Some(if slow && line.starts_with("Switch") { line.replace("4xQDR", "4xSDR") } else { line.to_string() })
    });
    let outcome = compared("file:path=old", "file:path=new", "alltoall", &files);
    let slower = of_kind(&outcome, ChangeKind::Slower);
    assert_eq!((slower.len(), outcome.changes.len()), (1, 1), "{:?}", outcome.changes);
    // An uplink carries as much as the other one; at a quarter of its rate a quarter is left.
    assert_eq!((slower[0].before.as_deref(), slower[0].after.as_deref()), (Some("4 GB/s"), Some("1 GB/s")));
    assert!(slower[0].left.is_some_and(|left| (left - 0.25).abs() < 1e-9), "{:?}", slower[0].left);
    assert!(outcome.left.is_some_and(|left| (left - 0.25).abs() < 1e-9), "{:?}", outcome.left);
    assert_eq!(outcome.verdict.kind, DiffKind::Slower);

    let files = changed(|line| {
        let gone = line.starts_with("Ca") && line.contains("H-0002c90300100400");
        (!gone && !line.contains("|[8]\t\"H-0002c90300100400\"")).then(|| line.to_string())
    });
    let outcome = compared("file:path=old", "file:path=new", "alltoall", &files);
    let gone = of_kind(&outcome, ChangeKind::HostGone);
    assert_eq!((gone.len(), outcome.changes.len(), &gone[0].name[..]), (1, 1, "node064"), "{:?}", outcome.changes);
    assert_eq!(outcome.verdict.kind, DiffKind::Lost);
    assert!(outcome.verdict.sentence.starts_with("1 host gone"), "{}", outcome.verdict.sentence);
    assert_eq!(outcome.routes.map(|r| (r.pairs, r.changed)), Some((63 * 62, 0)));
}

#[test]
fn models_are_compared_as_well() {
    let outcome = compared("torus:dims=4x4,bandwidth=4", "torus:dims=4x4,bandwidth=2", "alltoall", &Disk);
    assert_eq!((outcome.changes.len(), outcome.cables_alike), (32, 32));
    assert!(
        outcome.changes.iter().all(|c| c.kind == ChangeKind::Slower && c.left == Some(0.5)),
        "{:?}",
        outcome.changes
    );
    assert_eq!(outcome.left, Some(0.5));
    let outcome = compared("tree:arity=4x4", "tree:arity=4x3", "alltoall:tasks=8", &Disk);
    assert_eq!(of_kind(&outcome, ChangeKind::HostGone).len(), 4, "{:?}", outcome.changes);
    assert!(outcome.verdict.sentence.contains("on the hosts and slots that there are now"), "{:?}", outcome.verdict);
    let outcome = compared("tree:arity=4x3", "tree:arity=4x4", "alltoall:tasks=8", &Disk);
    assert_eq!(of_kind(&outcome, ChangeKind::HostNew).len(), 4, "{:?}", outcome.changes);
    assert!(outcome.differs());
}

#[test]
fn what_cuts_a_machine_is_not_harmless_and_a_job_that_does_not_fit_says_so() {
    // Two leaves under one spine: without the spine each half is as fast as ever, and half of the traffic is lost.
    let scenario = scenario("tree:arity=4x2", "alltoall");
    let network = Network::as_after_faults(&scenario, &Disk).expect("a tree");
    let plan = Plan::with_network(&scenario, &Disk, network).expect("a job");
    let each = run::each(&plan, run::Each::Switch, 1, &mut Silent).expect("failures");
    for failure in each.failures.iter().filter(|f| f.unreachable_pairs > 0) {
        let most = failure.traffic_left;
        assert!(most < 1.0 && failure.left <= most && failure.throughput_left <= most, "{failure:?}");
    }
    assert!(each.failures[0].unreachable_pairs > 0, "{:?}", each.failures[0]);
    let outcome = compared("tree:arity=4x4", "tree:arity=4x3", "alltoall:tasks=16", &Disk);
    assert_eq!(outcome.verdict.kind, DiffKind::Lost);
    assert!(outcome.verdict.sentence.contains("does not fit"), "{}", outcome.verdict.sentence);
    assert!(outcome.notes.iter().any(|n| n.contains("does not fit")) && outcome.left.is_none(), "{:?}", outcome.notes);
}

#[test]
fn nearly_all_is_not_all() {
    let told = [(1.0, "100.0 %"), (0.9996, "> 99.9 %"), (0.99999, "> 99.9 %"), (0.5, "50.0 %"), (1.2, "120.0 %")];
    told.iter().for_each(|(part, text)| assert_eq!(hopline::unit::percent(*part), *text));
}
