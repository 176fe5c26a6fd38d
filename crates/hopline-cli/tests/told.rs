//! What changes nothing is told.

mod common;

use common::{Ran, hopline};

const TORUS: &str = "--topology torus:dims=4 --traffic uniform";

fn done(line: &str) -> Ran {
    let ran = hopline(line);
    assert_eq!(ran.code, Some(0), "{line}: {}", ran.stderr);
    ran
}

#[test]
fn options_without_effect_are_told() {
    let note = "an exchange goes on until all has arrived: load, cycles changed nothing";
    let exchange = format!("flits {TORUS} --inject exchange:bytes=64");
    assert!(done(&format!("{exchange} --load 0.3 --cycles 50")).stdout.contains(note));
    assert!(!done(&exchange).stdout.contains("changed nothing"));

    let note = "note: intervals are in --series, --report and --format json; the text has none\n";
    let flits = format!("flits {TORUS} --load 0.1 --cycles 500 --interval 100");
    assert_eq!(done(&flits).stderr, note);
    assert_eq!(done(&format!("{flits} --format json")).stderr, "");

    for bound in ["", " --bound"] {
        let root = |name: &str| {
            done(&format!("collective {name} --topology torus:dims=4,bandwidth=1 --size 1K --root 1{bound}")).stdout
        };
        assert!(root("allgather").contains("root 1 changes nothing: allgather has none"), "{bound}");
        assert!(!root("broadcast").contains("changes nothing"), "{bound}");
    }
}
