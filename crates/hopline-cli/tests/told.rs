//! What changes nothing is told, and what cannot be seen from one number alone is shown beside it.

mod common;

use common::{Ran, Scratch, hopline};

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

#[test]
fn what_is_offered_stands_beside_what_is_accepted_where_not_all_send_alike() {
    let dir = Scratch::new("told-offered");
    dir.write("m", "0,4,0,0\n1,0,0,0\n0,0,0,1\n0,0,2,0\n");
    let flits = |traffic: &str| {
        dir.hopline(&format!("flits --topology torus:dims=4 --traffic {traffic} --load 0.4 --cycles 20000")).done()
    };
    let unequal = flits("matrix:file=DIR/m");
    let row: Vec<&str> =
        unequal.lines().find(|line| line.trim_start().starts_with("0.4 ")).expect("a row").split_whitespace().collect();
    // A quarter of 0.4 * (4 + 1 + 1 + 2) / 4.
    assert_eq!(row[1], "0.2000", "{unequal}");
    let accepted: f64 = row[2].parse().expect("a number");
    assert!((accepted - 0.2).abs() < 0.01, "{unequal}");
    assert!(unequal.contains("offered and accepted are means over all that send"), "{unequal}");
    assert!(!flits("uniform").contains("offered"), "all send alike");
}
