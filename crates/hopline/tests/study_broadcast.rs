//! The broadcast study on its stand-in for Ranger: nothing differs without a
//! reason, and what must hold whatever the allocations do.

use hopline::event::Silent;
use hopline::study::{Finding, Options, Reproduction, Verdict, reproduce};
use std::sync::OnceLock;

/// One test: every test is a process of its own, and the study takes seconds.
#[test]
fn the_study_stands() {
    nothing_differs_without_a_reason();
    the_tree_and_the_tables_are_as_printed();
    optimised_is_never_behind();
    larger_messages_take_longer();
}

fn study() -> &'static Reproduction {
    static STUDY: OnceLock<Reproduction> = OnceLock::new();
    STUDY.get_or_init(|| {
        let options = Options { quick: true, seed: 1, data: None };
        reproduce("broadcast", &options, &mut Silent).unwrap_or_else(|e| panic!("{e}"))
    })
}

fn item(name: &str) -> Vec<&'static Finding> {
    let found: Vec<_> = study().entries.iter().filter(|f| f.item.starts_with(name)).collect();
    assert!(!found.is_empty(), "no item {name}");
    found
}

fn nothing_differs_without_a_reason() {
    let r = study();
    let wrong: Vec<_> = r.entries.iter().filter(|f| f.verdict == Verdict::Differs).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let silent = |f: &&Finding| f.verdict == Verdict::Noted && f.published.is_some() && f.note.is_none();
    assert_eq!(r.entries.iter().find(silent), None, "a note is missing");
    assert!(r.notes[0].contains("stands in"), "{}", r.notes[0]);
}

fn the_tree_and_the_tables_are_as_printed() {
    for name in ["Figure 3", "Table II: latency", "Table II: switches"] {
        let wrong: Vec<_> = item(name).into_iter().filter(|f| f.verdict != Verdict::Match).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    assert_eq!(item("Table II: latency").len(), 4);
    let off = item("Table III: printed total").into_iter().filter(|f| f.verdict == Verdict::Noted).count();
    assert_eq!(off, 2, "16 and 32 nodes do not sum; 8 do within 2 %");
}

fn optimised_is_never_behind() {
    for figure in ["Figure 6 (a)", "Figure 6 (b)"] {
        let all = item(figure);
        let best = all.iter().filter(|f| f.column.starts_with("optimised"));
        assert!(best.clone().count() > 0 && best.clone().all(|f| f.range.is_some_and(|r| r.0 >= 0.0)), "{figure}");
        for one in best {
            let of = |order: &str| {
                let here = |f: &&&Finding| f.item == one.item && f.row == one.row && f.column.starts_with(order);
                all.iter().find(here).and_then(|f| f.computed).expect("computed")
            };
            assert!(of("optimised") >= of("dft").max(of("bft")), "{:?}", one.row);
        }
    }
}

fn larger_messages_take_longer() {
    for figure in ["Figure 7", "Figure 8"] {
        for column in ["naive", "all DDR"] {
            let times: Vec<f64> = item(figure)
                .into_iter()
                .filter(|f| f.column == column && f.item.ends_with("root on DDR; us"))
                .filter_map(|f| f.computed)
                .collect();
            assert!(times.len() == 12 && times.windows(2).all(|w| w[0] <= w[1]), "{figure} {column}: {times:?}");
        }
    }
}
