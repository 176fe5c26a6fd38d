//! Results that are kept with a study are what the commands beside them give.

mod common;

use common::hopline;
use serde_json::Value;

const KEPT: &str = include_str!("../../hopline/src/study/dragonfly/points.txt");

/// Of the Dragonfly study those that take a second each.
#[test]
fn kept_points_are_what_their_commands_give() {
    let short = |line: &&str| {
        let of = |what: &str| line.contains(what);
        of("p=2,a=3,h=2") && of("exchange") || of("p=2,a=4,h=2") && of("bit-complement") && of("--load 0.1")
    };
    let lines: Vec<&str> = KEPT.lines().filter(|l| !l.starts_with('#')).filter(short).collect();
    assert!(lines.len() >= 10, "{lines:#?}");
    for line in lines {
        let (kept, command) = line.split_once(" hopline ").expect("a number and a command");
        let text = hopline(&format!("{command} --format json")).done();
        let outcome: Value = serde_json::from_str(&text).expect("JSON");
        let accepted = outcome["points"][0]["accepted"].as_f64().expect("accepted");
        assert_eq!(accepted, kept.parse::<f64>().expect("a number"), "{command}");
    }
}
