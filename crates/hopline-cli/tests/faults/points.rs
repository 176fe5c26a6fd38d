//! `reproduce --points`: results are kept as soon as they are there, a line each. What a fault leaves is whole lines, and at most the
//! beginning of one, which the next run takes for none.

use super::common::{Ran, Scratch, skip};
use super::{NEVER, each_fault, library, run};
use std::fs;

#[test]
fn points_of_a_study() {
    if library().is_none() {
        return skip::skip("no C compiler");
    }
    let dir = Scratch::new("faults-points");
    let place = dir.path("");
    let study = |at: u64, mode: &str| run(&place, "reproduce dragonfly --quick --points DIR/points", at, mode);
    let (undisturbed, _) = study(NEVER, "io");
    assert_eq!(undisturbed.code, Some(0), "{}", undisturbed.stderr);
    let all = dir.read("points");
    // Of two, which are soon simulated; they come in any order.
    let is_wanted = |line: &&str| line.contains("p=2,a=3,h=2 --routing minimal");
    let given: String = all.split_inclusive('\n').filter(|line| !is_wanted(line)).collect();
    let wanted: Vec<&str> = all.split_inclusive('\n').filter(is_wanted).collect();
    assert_eq!(wanted.len(), 2, "{all}");
    each_fault("points_of_a_study", 3, |at, mode, cause| {
        fs::write(dir.path("points"), &given).expect("points");
        let (ran, fault) = study(at, mode);
        let what = format!("{mode} at call {at}: {ran:?}");
        let left = dir.read("points");
        let added: Vec<&str> = left.strip_prefix(&given).expect(&what).split_inclusive('\n').collect();
        let known = |line: &&str| wanted.iter().any(|w| w == line || !line.ends_with('\n') && w.starts_with(line));
        assert!(added.iter().all(known), "{what}\n{added:?}");
        if fault {
            match ran.code {
                Some(-9) => assert!(cause.is_empty(), "{what}"),
                code => {
                    assert_eq!(code, Some(1), "{what}");
                    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("hopline: ")).collect();
                    assert!(told.len() == 1 && told[0].contains("DIR/points") && told[0].contains(cause), "{what}");
                }
            }
        }
        let whole = |ran: &Ran| {
            let mut lines: Vec<String> = dir.read("points").lines().map(String::from).collect();
            lines.sort_unstable();
            let mut expected: Vec<&str> = all.lines().collect();
            expected.sort_unstable();
            assert_eq!((ran.code, &ran.stdout), (Some(0), &undisturbed.stdout), "{what}\n{}", ran.stderr);
            assert_eq!(lines, expected, "{what}");
        };
        whole(&if fault { study(NEVER, "io").0 } else { ran });
        fault
    });
}
