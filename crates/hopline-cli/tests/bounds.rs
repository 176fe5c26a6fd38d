//! `hopline collective NAME --bound`.

mod common;

use common::Scratch;

const RACKS: &str = r#"{"name": "racks", "ranks": ["a0", "a1", "b0", "b1", "b2"], "switches": ["a", "b", "core"], "links": [
    ["a0", "a", 25], ["a", "a0", 25], ["a1", "a", 25], ["a", "a1", 25], ["b0", "b", 25], ["b", "b0", 25],
    ["b1", "b", 25], ["b", "b1", 25], ["b2", "b", 25], ["b", "b2", 25],
    ["a", "core", 10], ["core", "a", 10], ["b", "core", 10], ["core", "b", 10]]}"#;

fn json(dir: &Scratch, words: &str) -> serde_json::Value {
    serde_json::from_str(&dir.hopline(&format!("{words} --format json")).done()).expect("JSON")
}

#[test]
fn a_bound_has_a_proof_that_can_be_added_up() {
    let dir = Scratch::new("bounds");
    dir.write("racks.json", RACKS);
    let found = json(&dir, "collective allgather --fabric DIR/racks.json --size 1GB,1GiB --bound");
    // Three shards enter the rack of two ranks by 10 GB/s, in either case the worst.
    assert_eq!((&found["bound"]["fraction"], &found["bound"]["pieces"]), (&"3/10".into(), &3.into()));
    assert_eq!(found["bound"]["left_out"], serde_json::json!(["a0", "a1"]));
    let sum: f64 = found["bound"]["links"].as_array().expect("links").iter().filter_map(|l| l["gb_s"].as_f64()).sum();
    assert!((sum - 10.0).abs() < 1e-12 && found["bound"]["sum_gb_s"] == 10.0);
    let (gb, gib) = (&found["sizes"][0], &found["sizes"][1]);
    assert_eq!((&gb["bytes"], &gib["bytes"]), (&1_000_000_000u64.into(), &(1u64 << 30).into()));
    assert!((gb["bound_s"].as_f64().expect("s") - 0.3).abs() < 1e-12 && gb["bound_kind"] == "cut");
    assert!((gb["bound_tables_s"].as_f64().expect("s") - 0.3).abs() < 1e-6);
    let tried = gb["tried"].as_array().expect("algorithms");
    // A ring passes the core once each way, four shards.
    let ring = tried.iter().find(|t| t["algorithm"] == "ring").expect("a ring");
    assert!((ring["of_bound"].as_f64().expect("a quotient") - 4.0 / 3.0).abs() < 1e-9, "{ring}");
    assert!(tried.iter().all(|t| t["of_bound"].as_f64().is_some_and(|of| of >= 1.0)), "nothing beats a bound");
    assert_eq!((&found["schema"], &found["command"]), (&"hopline/collective-bound/1".into(), &"collective".into()));
}

#[test]
fn every_operation_has_a_bound_that_no_algorithm_beats() {
    let dir = Scratch::new("bounds-all");
    dir.write("racks.json", RACKS);
    let machines = ["--fabric DIR/racks.json", "--topology torus:dims=4x2,bandwidth=25", "--topology slim-fly:q=3,p=2"];
    for machine in machines {
        for name in ["allgather", "reduce-scatter", "allreduce", "broadcast", "reduce", "alltoall", "gather", "scatter"]
        {
            let found = json(&dir, &format!("collective {name} {machine} --size 1MB --root 1 --bound"));
            let algorithms = found["algorithms"].as_array().expect("algorithms");
            assert!(!algorithms.is_empty(), "{name} {machine}");
            for a in algorithms {
                assert!(a["of_bound"].as_f64().is_some_and(|of| of > 1.0 - 1e-9), "{name} {machine}: {a}");
            }
            if let Some(of) = found["tables"]["of_bound"].as_f64() {
                assert!(of > 1.0 - 1e-6, "{name} {machine}: {of}");
            }
        }
    }
}

#[test]
fn links_of_one_direction_have_bounds_alone() {
    let dir = Scratch::new("bounds-one-way");
    dir.write("ring.json", r#"{"ranks": ["a", "b", "c"], "links": [["a", "b", 10], ["b", "c", 10], ["c", "a", 10]]}"#);
    let found = json(&dir, "collective allgather --fabric DIR/ring.json --bound");
    assert_eq!((&found["bound"]["fraction"], &found["routing"]), (&"1/5".into(), &serde_json::Value::Null));
    let refused = dir.hopline("load --fabric DIR/ring.json --traffic alltoall");
    assert!(refused.code == Some(2) && refused.stderr.contains("has no other direction"), "{}", refused.stderr);
    let refused = dir.hopline("collective barrier --fabric DIR/ring.json --bound");
    assert!(
        refused.code == Some(2) && refused.stderr.contains("no bound is known for `barrier`"),
        "{}",
        refused.stderr
    );
    let refused = dir.hopline("collective broadcast --fabric DIR/ring.json --bound --root 9");
    assert!(refused.code == Some(2) && refused.stderr.contains("root 9 is none of 3 ranks"), "{}", refused.stderr);
}

#[test]
fn a_bound_takes_no_option_that_it_would_not_read() {
    let dir = Scratch::new("bounds-options");
    for option in ["--order host", "--algorithm ring", "--segment 4096", "--model bandwidth"] {
        let words = format!("collective allgather --topology torus:dims=4 --bound {option}");
        let refused = dir.hopline(&words);
        assert!(
            refused.code == Some(2) && refused.stderr.contains("cannot be used with"),
            "{words}: {}",
            refused.stderr
        );
    }
}
