//! Results that are kept with a study are what the commands beside them give.

mod common;

use common::hopline as run;
use serde_json::Value;

const KEPT: &str = include_str!("../../hopline-study/src/dragonfly/points.txt");

/// Of the Dragonfly study those that take a second each.
#[test]
fn kept_points_are_what_their_commands_give() {
    let short = |command: &str| {
        let of = |what: &str| command.contains(what);
        let brief = of("p=2,a=4,h=2") && of("valiant-restricted --traffic shift:groups=3") && !of("oldest");
        brief || of("p=2,a=3,h=2") && of("exchange") || of("p=2,a=4,h=2") && of("bit-complement") && of("--load 0.1")
    };
    let kept = hopline_study::read_points(KEPT, "points.txt").expect("points");
    let few: Vec<_> = kept.into_iter().filter(|(command, _)| short(command)).collect();
    assert!(few.len() >= 10, "{few:#?}");
    for (command, kept) in few {
        let words = command.strip_prefix("hopline ").expect("a command");
        let text = run(&format!("{words} --format json")).done();
        let outcome: Value = serde_json::from_str(&text).expect("JSON");
        let point = &outcome["points"][0];
        assert_eq!(point["accepted"].as_f64(), Some(kept.mean), "{command}");
        // Some were kept without their interval.
        if kept.half.is_finite() {
            assert_eq!(point["accepted_ci"].as_f64(), Some(kept.half), "{command}");
        }
    }
}
