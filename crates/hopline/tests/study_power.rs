//! The study of links used and links off: what is printed, or a note that says why not.

use hopline::event::Silent;
use hopline::study::{Drawing, Finding, Options, Reproduction, Verdict, reproduce};

/// One test: every test is a process of its own, and the study takes seconds.
#[test]
fn the_study_stands() {
    let r = reproduce("power", &Options { quick: true, seed: 1, data: None }, &mut Silent)
        .unwrap_or_else(|e| panic!("{e}"));
    let wrong: Vec<_> = r.entries.iter().filter(|f| f.verdict == Verdict::Differs).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let silent = |f: &&Finding| f.verdict == Verdict::Noted && f.published.is_some() && f.note.is_none();
    assert_eq!(r.entries.iter().find(silent), None, "a note is missing");
    links_are_counted(&r);
    the_supernode_algorithm_wins(&r);
    assert!(matches!(r.drawings.last(), Some(Drawing::Bars { groups, .. }) if groups.len() == 10));
}

fn value(r: &Reproduction, item: &str, row: &str, column: &str) -> f64 {
    let here = |f: &&Finding| {
        f.item.starts_with(item) && f.column == column && f.row.first().is_none_or(|k| k.1.to_string() == row)
    };
    r.entries.iter().find(here).and_then(|f| f.computed).unwrap_or_else(|| panic!("no {item} {row} {column}"))
}

fn links_are_counted(r: &Reproduction) {
    let percent = |application: &str, network: &str| value(r, "Figure 5", application, network);
    // 8 neighbours of 255 on a periodic 4 x 4 x 4 x 4 grid; an all-to-all uses what there is.
    assert!((percent("jacobi4d", "full mesh") - 800.0 / 255.0).abs() < 1e-9);
    assert_eq!([percent("FT", "full mesh"), percent("FT", "PERCS"), percent("FT", "3-D torus")], [100.0; 3]);
    // BT's six neighbours on 64 nodes.
    assert!((value(r, "BT by number", "64", "full mesh") - 600.0 / 63.0).abs() < 1e-9);
}

fn the_supernode_algorithm_wins(r: &Reproduction) {
    let gain = value(r, "Section III: gain for large", "", "pairwise / supernode, greatest");
    assert!(gain > 2.0, "{gain}");
    let idle = |name: &str| value(r, "Figure 1: %", "", name);
    assert!(idle("pairwise") < idle("supernode"));
}
