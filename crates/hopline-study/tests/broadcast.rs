//! The broadcast study on its stand-in for Ranger: nothing differs without a
//! reason, and what must hold whatever the allocations do.

mod common;

use common::Study;
use hopline_study::{Finding, Verdict};

static STUDY: Study = Study::new("broadcast");

/// One test: every test is a process of its own, and the study takes seconds.
#[test]
fn the_study_stands() {
    STUDY.nothing_differs_without_a_reason();
    assert!(STUDY.all().notes[0].contains("stands in"), "{}", STUDY.all().notes[0]);
    the_tree_and_the_tables_are_as_printed();
    optimised_is_never_behind();
    larger_messages_take_longer();
}

fn the_tree_and_the_tables_are_as_printed() {
    STUDY.all_match(&["Figure 3", "Table II: switches"]);
    let latencies: Vec<Verdict> = STUDY.item("Table II: latency").iter().map(|f| f.verdict).collect();
    assert_eq!(
        latencies,
        [Verdict::Match, Verdict::Noted, Verdict::Noted, Verdict::Noted],
        "equal steps, unlike the printed ones"
    );
    // Numbers that no run of ours makes have no verdict that could fail.
    for item in ["Table III: printed total", "Table III: measured against our service"] {
        let all = STUDY.item(item);
        assert!(all.iter().all(|f| f.verdict == Verdict::Ours && f.published.is_none()), "{all:#?}");
        assert!(all.iter().filter(|f| f.note.as_deref().is_some_and(|n| n.contains("printed"))).count() >= 3);
    }
}

fn optimised_is_never_behind() {
    for figure in ["Figure 6 (a)", "Figure 6 (b)"] {
        let all = STUDY.item(figure);
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
            let times: Vec<f64> = STUDY
                .item(figure)
                .into_iter()
                .filter(|f| f.column == column && f.item.ends_with("root on DDR; us"))
                .filter_map(|f| f.computed)
                .collect();
            assert!(times.len() == 12 && times.windows(2).all(|w| w[0] <= w[1]), "{figure} {column}: {times:?}");
        }
    }
}

#[test]
fn the_whole_study_stands() {
    common::the_whole_stands("broadcast");
}
