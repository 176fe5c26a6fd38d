//! The study of linear mappings on k-ary n-cubes: every printed number as
//! computed, or a note that says why not.

mod common;

use common::Study;
use hopline_study::{Finding, Published, Verdict, page};

static STUDY: Study = Study::new("kncube");

/// One test: every test is a process of its own, and the study takes seconds.
#[test]
fn the_study_stands() {
    STUDY.nothing_differs_without_a_reason();
    the_page_is_in_the_json();
    printed_cells_are_computed();
    theorems_hold();
    every_cause_is_tested();
    corollary_1_is_no_minimum();
    what_lies_beyond_is_better();
    simulated_throughput_follows_contention();
}

fn printed_cells_are_computed() {
    for name in ["Example 1", "Example 3", "Example 4", "Example 5", "Section 4"] {
        let printed = STUDY.item(name).into_iter().filter(|f| f.published.is_some());
        let wrong: Vec<_> = printed.filter(|f| f.verdict != Verdict::Match).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    let example = STUDY.item("Example 3: T_i, matrix transpose, 4-ary 4-cube");
    let first: Vec<_> = example.into_iter().filter(|f| f.row.iter().any(|k| *k == ("dimension", 1.into()))).collect();
    assert_eq!(first.iter().map(|f| f.column.as_str()).collect::<Vec<_>>(), ["Theorem 1", "brute force"]);
    assert!(first.iter().all(|f| f.computed == Some(8.0) && f.published == Some(Published::Number(8.0))), "{first:#?}");
    // 5 fields: four exact cases each but where one did not occur, and the bound.
    assert!(STUDY.item("Theorem 1").iter().filter(|f| f.verdict == Verdict::Match).count() >= 22);
    let proven = ["Theorem 3", "Corollary 2", "Corollary 3, gathers", "exact", "Corollary 3, reversed order"];
    let found =
        STUDY.all().entries.iter().filter(|f| f.item.contains("percent") && proven.contains(&f.column.as_str()));
    assert!(found.clone().count() == 18 && found.clone().all(|f| f.computed == Some(100.0)));
}

fn theorems_hold() {
    for (name, least) in [
        ("Theorem 2", 6),
        ("Theorem 3", 12),
        ("Section 3", 9),
        ("Lemma 1", 6),
        ("Corollary 4: percent of random sets", 9),
    ] {
        let stated = STUDY.item(name).into_iter().filter(|f| f.published.is_some());
        assert!(stated.clone().count() >= least, "{name}");
        assert!(stated.clone().all(|f| f.verdict == Verdict::Match && f.samples > Some(0)), "{name}");
    }
    let proven = STUDY.item("Section 1, Omega networks").into_iter().chain(STUDY.item("Section 1, meshes"));
    let proven: Vec<_> = proven.filter(|f| f.column.starts_with('T')).collect();
    assert!(proven.len() == 9 && proven.iter().all(|f| f.computed == Some(100.0)), "{proven:#?}");
    let unmapped = STUDY.value("Section 1, Omega networks", "2", "permutations that pass without mapping");
    assert!(unmapped < 50.0, "few permutations need no mapping: {unmapped}");
}

/// What is not as published has an expected value; and with its cause removed it is as published.
fn every_cause_is_tested() {
    for f in STUDY.all().entries.iter().filter(|f| f.verdict == Verdict::Noted) {
        assert!(f.expected.is_some(), "{f:#?}");
    }
    for (item, row, column) in [
        ("After Theorem 1", "", "the same outside case (4b)"),
        ("Corollary 1", "4", "the greatest exponent, i - rank, is the least"),
        ("Corollary 4: percent of communications", "", "the greatest exponent, i - rank, is the least"),
        ("Proof of Corollary 1", "8", "least, case (4a)"),
        ("Scatters", "4", "Corollary 3, reversed order"),
    ] {
        let here = |f: &&&Finding| f.column == column && (row.is_empty() || f.row[0].1.to_string() == row);
        let found = STUDY.item(item).iter().find(here).map(|f| f.verdict);
        assert_eq!(found, Some(Verdict::Match), "{item} {row} {column}");
    }
    let figure = STUDY.item("Figure 2: matrix transpose, 4-ary 4-cube, sustained");
    for mapping in ["Map-S", "Map-G"] {
        let of = |ties: &str| {
            let here =
                |f: &&&Finding| f.row[0].1 == mapping.into() && f.row[1].1 == ties.into() && f.column == "sustained";
            figure.iter().find(here).map(|f| f.verdict)
        };
        assert_eq!([of("up"), of("random")], [Some(Verdict::Noted), Some(Verdict::Match)], "{mapping}");
    }
}

fn corollary_1_is_no_minimum() {
    let found = STUDY.item("Corollary 1");
    let of = |k: u32, column: &str| {
        found.iter().find(|f| f.column == column && f.row[0].1 == k.into()).and_then(|f| f.computed).expect("computed")
    };
    assert_eq!((of(2, "permutations"), of(2, "gathers"), of(4, "gathers")), (100.0, 100.0, 100.0));
    assert!((of(4, "permutations") - 100.0 * 11.0 / 12.0).abs() < 1e-9);
}

fn what_lies_beyond_is_better() {
    let cycles: Vec<_> = STUDY.item("Section 4").into_iter().filter(|f| f.column == "cycles").collect();
    assert!(cycles.len() == 4 && cycles.iter().all(|f| f.computed == Some(1.0)), "{cycles:#?}");
    let search: Vec<f64> = STUDY
        .item("Corollary 3: T of gathers, 4-ary 3-cube")
        .iter()
        .filter(|f| f.column == "search")
        .filter_map(|f| f.computed)
        .collect();
    assert_eq!(search, [32.0, 3.0, 1.0], "Corollary 3 has 32, 8, 2");
}

fn simulated_throughput_follows_contention() {
    let figure = STUDY.item("Figure 2: matrix transpose, 4-ary 4-cube, sustained");
    let of = |mapping: &str, tie: &str, column: &str| {
        let here = |f: &&&Finding| f.row[0].1 == mapping.into() && f.row[1].1 == tie.into() && f.column == column;
        figure.iter().find(here).and_then(|f| f.computed).expect("computed")
    };
    for mapping in ["no mapping", "Map-S", "Map-G"] {
        // A random choice between equally long ways never makes the busiest link busier.
        assert!(of(mapping, "random", "T") <= of(mapping, "up", "T"));
        assert!(of(mapping, "random", "sustained") > of(mapping, "up", "sustained"), "{mapping}");
    }
    assert_eq!(["no mapping", "Map-S", "Map-G", "T = 1"].map(|m| of(m, "up", "T")), [8.0, 2.0, 2.0, 1.0]);
    let [none, s, g, best] = ["no mapping", "Map-S", "Map-G", "T = 1"].map(|m| of(m, "up", "sustained"));
    assert!(none < 12.5 && s > 2.0 * none && g > 2.0 * none && best > 2.0 * s, "{none} {s} {g} {best}");
    let latency = STUDY.item("Figure 2: matrix transpose, 4-ary 4-cube, latency");
    let stated: Vec<_> = latency.iter().filter(|f| f.published.is_some()).collect();
    assert!(stated.len() >= 10 && stated.iter().all(|f| f.verdict == Verdict::Match), "{stated:#?}");
    let curve = STUDY.all().figures.iter().find(|f| f.name == "figure-2").expect("a figure");
    let (stated, simulated): (Vec<_>, Vec<_>) = curve.series.iter().partition(|s| s.name.starts_with("paper"));
    assert!(stated.len() == 2 && stated.iter().all(|s| s.points[0].tick == s.points[1].tick));
    // Sustained throughput is what is offered, and latency grows with it.
    assert!(simulated.iter().all(|s| s.points.len() >= 4));
    assert!(simulated.iter().all(|s| s.points.windows(2).all(|w| w[0].tick < w[1].tick)));
}

/// What is printed as JSON is enough for the same page.
fn the_page_is_in_the_json() {
    let found = STUDY.all();
    let text = serde_json::to_string(found).expect("JSON");
    let again = serde_json::from_str(&text).expect("a study");
    assert!(page(&again) == page(found));
}

#[test]
fn the_whole_study_stands() {
    let _ = common::the_whole_stands("kncube");
}
