//! `--reorder-hosts`, `--pin`, `--forbid` and `--capacity`, as a user sees them.

mod common;

use common::{Scratch, hopline};
use serde_json::Value;
use std::collections::BTreeMap;

/// The host and slot of every task, after a run that went well.
fn placement(line: &str) -> Vec<(String, u64)> {
    let text = hopline(&format!("{line} --format json")).done();
    let json: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{line}: {e}"));
    let pair = |p: &Value| (p[0].as_str().expect("a host").to_string(), p[1].as_u64().expect("a slot"));
    json["placement"].as_array().expect("a placement").iter().map(pair).collect()
}

const JOB: &str = "--topology file:path=testdata/fabrics/rack64,slots=2 --traffic halo:grid=8x8";

#[test]
fn reordered_hosts_keep_their_blocks_and_are_exported_in_order() {
    let dir = Scratch::new("limits-reorder");
    let hosts = "--hosts random:32 --seed 4";
    let line = format!(
        "map {JOB} {hosts} --mapping default,greedy,multilevel:evaluations=20000 --reorder-hosts --evaluations 3000 \
         --export hostfile=DIR/hosts --export torchrun=DIR/nodes --export machinefile=DIR/machines"
    );
    let text = dir.hopline(&format!("{line} --format json")).done();
    let json: Value = serde_json::from_str(&text).expect("json");
    assert!(json["best"]["max_load"].as_f64() < json["candidates"][0]["max_load"].as_f64(), "{text}");
    let placement = json["placement"].as_array().expect("a placement");
    for pair in placement.chunks(2) {
        assert_eq!((&pair[0][0], pair[0][1].as_u64(), pair[1][1].as_u64()), (&pair[1][0], Some(0), Some(1)));
    }
    let order: Vec<&str> = placement.iter().step_by(2).filter_map(|p| p[0].as_str()).collect();
    let lines =
        |name: &str| dir.read(name).lines().filter(|l| !l.starts_with('#')).map(String::from).collect::<Vec<_>>();
    assert_eq!(lines("nodes"), order);
    assert_eq!(lines("hosts"), order.iter().map(|h| format!("{h} slots=2")).collect::<Vec<_>>());
    assert_eq!(lines("machines"), order.iter().map(|h| format!("{h}:2")).collect::<Vec<_>>());
}

#[test]
fn reordering_compares_searches_where_no_mapping_is_named() {
    let torus = "--topology torus:dims=4,slots=2 --traffic halo:grid=2x4";
    let text = hopline(&format!("map {torus} --reorder-hosts --format json")).done();
    let json: Value = serde_json::from_str(&text).expect("json");
    let names: Vec<&str> =
        json["candidates"].as_array().expect("all").iter().filter_map(|c| c["mapping"].as_str()).collect();
    for name in ["default", "greedy", "multilevel", "congestion-search", "fold", "curve"] {
        assert!(names.iter().any(|n| n.split(':').next() == Some(name)), "{name}: {names:?}");
    }
}

#[test]
fn pins_holes_and_capacities_are_kept() {
    let dir = Scratch::new("limits-pins");
    let pins = dir.write("pins", "0=node007 # rank 0 writes\n63=node001:1, 5=node001\n");
    let limits = format!(
        "--pin {} --forbid node[002-004],node010:0 --capacity node[030-033]=1,node005=0",
        pins.to_str().expect("a path")
    );
    for mapping in
        ["default", "greedy", "multilevel:evaluations=5000", "congestion-search:evaluations=3000", "blocks:level=node"]
    {
        let line = format!("map {JOB} {limits} --mapping {mapping}");
        let ran = hopline(&line);
        if mapping.starts_with("blocks") {
            // Hosts of different sizes: it says so.
            assert_eq!(ran.code, Some(2), "{}", ran.stderr);
            continue;
        }
        let placed = placement(&line);
        let at = |host: &str, slot| (host.to_string(), slot);
        assert_eq!((&placed[0], &placed[63], &placed[5]), (&at("node007", 0), &at("node001", 1), &at("node001", 0)));
        let mut count: BTreeMap<&str, u64> = BTreeMap::new();
        placed.iter().for_each(|(host, _)| *count.entry(host).or_insert(0) += 1);
        for host in ["node002", "node003", "node004", "node005"] {
            assert!(!count.contains_key(host), "{mapping} uses {host}");
        }
        assert!((30..34).all(|n| count.get(format!("node0{n}").as_str()).is_none_or(|&c| c == 1)), "{mapping}");
        assert!(!placed.contains(&at("node010", 0)), "{mapping}");
    }
}

#[test]
fn what_cannot_be_kept_is_said() {
    let dir = Scratch::new("limits-bad");
    dir.write("map", (0..64).map(|slot| format!("{slot}\n")).collect::<String>());
    let torus = "--topology torus:dims=4x4x4 --traffic halo:grid=8x8";
    let percs = "--topology percs:ns=32,nd=4 --traffic halo:grid=64x64";
    for (line, expected) in [
        (
            format!("{percs} --mapping mod-coloring --pin 0=7"),
            "--mapping: mapping `mod-coloring` cannot keep tasks in given slots; use greedy",
        ),
        (
            format!("{torus} --mapping file:DIR/map --pin 0=7"),
            "--mapping: mapping `file` puts task 0 into slot 0 (host t0-0-0, its slot 0), and it must sit elsewhere",
        ),
        (format!("{torus} --forbid 9"), "--traffic: 64 tasks do not fit into 63 slots"),
        (format!("{torus} --pin 0=64"), "--pin: slot 64, but torus:dims=4x4x4 has 64 slots"),
        (format!("{torus} --pin 0=t0-0-9"), "--pin: torus:dims=4x4x4 has no host `t0-0-9`; did you mean"),
        (format!("{torus} --pin 64=0"), "--pin: task 64 is pinned, but the job has 64 tasks"),
        (format!("{torus} --forbid t0-0-0"), "--traffic: 64 tasks do not fit into 63 slots"),
        (format!("{torus} --capacity t0-0-0=2"), "--capacity: capacity `2` of host `t0-0-0`, expected 0 to 1"),
    ] {
        let ran = dir.hopline(&format!("map {line}"));
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.lines().count()),
            (Some(2), "", 1),
            "{line}: {}",
            ran.stderr
        );
        assert!(ran.stderr.starts_with(&format!("hopline: {expected}")), "{line}: {}", ran.stderr);
    }
    let whole = dir.hopline(&format!("map {torus} --reorder-hosts --pin 0=7"));
    assert!(whole.stderr.contains("--pin: whole hosts are reordered"), "{}", whole.stderr);
    let room = "--topology torus:dims=4x4x4,slots=2 --traffic halo:grid=8x8 --mapping file:DIR/map --forbid 9";
    let ran = dir.hopline(&format!("map {room}"));
    assert!(
        ran.stderr.contains("--mapping: task 9 sits in slot 9 (host t0-1-0, its slot 1), which is forbidden"),
        "{}",
        ran.stderr
    );
}
