//! The Dragonfly study, shortened: the order of the schemes and the models that
//! the paper's figures rest on.

mod common;

use hopline::error::Result;
use hopline::event::{Silent, Work};
use hopline::stats::Estimate;
use hopline_study::{Finding, Key, Options, Points, Reproduction, Verdict, read_points, reproduce_from, work};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Points in memory, and how many were new.
#[derive(Default)]
struct Kept {
    known: BTreeMap<String, Estimate>,
    new: usize,
}

impl Points for Kept {
    fn find(&self, command: &str) -> Option<Estimate> {
        self.known.get(command).copied()
    }
    fn keep(&mut self, command: &str, value: Estimate) -> Result<()> {
        self.new += 1;
        assert_eq!(self.known.insert(command.to_string(), value), None, "{command} was known");
        Ok(())
    }
}

fn study(options: &Options, points: &mut dyn Points) -> Reproduction {
    reproduce_from("dragonfly", options, points, &mut Silent).unwrap_or_else(|e| panic!("{e}"))
}

/// What is computed in a cell: an item, a row by its first coordinate, a column.
fn cell(r: &Reproduction, item: &str, row: u32, column: &str) -> f64 {
    let first = Some(Key::Number(row));
    let here =
        |f: &&Finding| f.item.starts_with(item) && f.column == column && f.row.first().map(|r| r.1.clone()) == first;
    // The last of several systems with this p is the balanced one.
    r.entries.iter().rfind(here).and_then(|f| f.computed).unwrap_or_else(|| panic!("{item} {row} {column}"))
}

fn assert_explained(r: &Reproduction) {
    let wrong: Vec<_> = r.entries.iter().filter(|f| f.verdict == Verdict::Differs).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for f in &r.entries {
        assert_eq!(f.verdict == Verdict::Noted, f.note.is_some(), "{f:?}");
    }
}

const FIGURES: [&str; 3] = ["Figures 3a, 3b", "Figures 3c, 3d", "Figures 3e, 3f"];
const ANY_ENDLESS: &str = "nearest, without an end, ValiantAny";
const REMOVED: &str = "Section III with one cause removed";

#[test]
fn other_seeds_stand() {
    common::other_seeds_stand("dragonfly", 1..9, 8);
}

/// One test: the study takes a minute.
#[test]
fn the_study_stands() {
    let (options, mut kept) = (Options { quick: true, seed: 0, data: None, fresh: true }, Kept::default());
    assert!(work("dragonfly", &options, &kept).is_ok_and(|w| w.0 > 1e8));
    let r = study(&options, &mut kept);
    let simulated = kept.new;
    assert!(simulated > 60, "{simulated}");
    // Where it was stopped after most points it goes on, and nothing is simulated twice.
    kept.known.retain(|command, _| !(command.contains("p=2,a=3,h=2") && command.contains("minimal")));
    let gone = simulated - kept.known.len();
    kept.new = 0;
    assert_eq!(study(&options, &mut kept), r);
    assert_eq!((kept.new, work("dragonfly", &options, &kept).ok()), (gone, Some((0.0, Work::FlitHops))));
    assert_explained(&r);
    let whole = whole_study(&mut Asked::default());
    common::has_the_items_of_the_page(&whole);
    common::tells_the_same(&r, &whole);
    for study in [&r, &whole] {
        common::values::are_counted(study);
    }
    common::values::are_listed(&whole);
    for (item, p) in FIGURES.into_iter().map(|item| (item, 2)) {
        let [minimal, restricted, any, random] =
            ["shortest path", "ValiantRestricted", "ValiantAny", "ValiantRestricted, random groups"]
                .map(|c| cell(&r, item, p, c));
        assert!(minimal < restricted && restricted <= any && any < 50.0, "{item}, p = {p}");
        assert!(random > 0.9 * restricted, "{item}, p = {p}: random groups do not hurt");
    }
    // What is offered arrives, while no link is full: ValiantAny's are not at 30 %.
    let below = r.entries.iter().filter(|f| f.item.contains("below full load") && f.column == "ValiantAny");
    let below: Vec<_> = below.map(|f| (f.row[1].1.clone(), f.computed.unwrap_or(0.0))).collect();
    assert_eq!(below.len(), 6);
    for (load, accepted) in below {
        let Key::Number(load) = load else { panic!("{load:?}") };
        assert!((accepted / f64::from(load) - 1.0).abs() < 0.02, "{load}: {accepted}");
    }
    // All p*a endpoints of a group share the one link to the other group.
    assert!((cell(&r, "Figures 3c, 3d", 2, "shortest path") / 12.5 - 1.0).abs() < 0.02);
    // Load under expected shares: in the group that is its own partner, and in the others, which equation (4) is about.
    let models = "Section III, models of ValiantRestricted, bit complement";
    assert!((cell(&r, models, 2, "busiest link") - 23.3).abs() < 0.05);
    assert!((cell(&r, models, 2, "busiest link of other groups") - 29.2).abs() < 0.05);
}

const POINTS: &str = include_str!("../src/dragonfly/points.txt");

/// Asked for what a study needs.
#[derive(Default)]
struct Asked(Mutex<BTreeSet<String>>);

impl Points for Asked {
    fn find(&self, command: &str) -> Option<Estimate> {
        self.0.lock().expect("commands").insert(command.to_string());
        None
    }
    fn keep(&mut self, command: &str, _: Estimate) -> Result<()> {
        panic!("{command} is not kept with the study")
    }
}

/// The study as it is kept; nothing is simulated.
fn whole_study(asked: &mut Asked) -> Reproduction {
    study(&Options::default(), asked)
}

#[test]
fn everything_is_kept_with_the_study_and_every_deviation_explained() {
    let mut asked = Asked::default();
    let r = whole_study(&mut asked);
    assert_explained(&r);
    assert_eq!(r.entries.len(), r.matching + r.noted + r.beyond);
    let in_figures = |f: &&Finding| FIGURES.iter().any(|figure| f.item.starts_with(figure));
    let bare: Vec<_> = r.entries.iter().filter(in_figures).filter(|f| f.ci.is_none()).collect();
    assert!(bare.is_empty(), "points without an interval: {bare:#?}");
    let known: BTreeSet<String> = read_points(POINTS, "points.txt").expect("points").into_keys().collect();
    let asked = asked.0.into_inner().expect("commands");
    assert_eq!(known.difference(&asked).collect::<Vec<_>>(), Vec::<&String>::new(), "nobody asks for these");
}

/// Every reason that the study gives, by the run without it.
#[test]
fn without_its_cause_a_deviation_is_gone() {
    let r = whole_study(&mut Asked::default());
    let bounds = |p: u32| (50.0 / f64::from(p), 100.0 / f64::from(p));
    let inside = |what: &str, p: u32, value: f64| {
        let (lower, upper) = bounds(p);
        assert!((lower..=upper).contains(&value), "{what}, p = {p}: {value}");
    };
    let outside = |column: &str, p: u32, value: f64| {
        let (lower, upper) = bounds(p);
        assert!(!(lower..=upper).contains(&value), "{column}, p = {p}: {value} needs no reason");
    };
    for p in 2..=4 {
        outside("complement", p, cell(&r, FIGURES[0], p, "ValiantRestricted"));
        inside("complement, silent", p, cell(&r, REMOVED, p, "complement, middle group silent"));
    }
    let shifts = "Section III, equation (1): ValiantRestricted, shift by m groups";
    let of = |m: u32, column: &str| {
        let row = [("p", Key::Number(2)), ("m", Key::Number(m))];
        let found = r.entries.iter().find(|f| f.item.starts_with(shifts) && f.row == row && f.column == column);
        found.and_then(|f| f.computed).expect("a shift")
    };
    for m in [3, 4] {
        outside("in turn", 2, of(m, "in turn"));
        inside("oldest first", 2, of(m, "oldest first"));
    }
    // The smallest system, by name: no other has 42 endpoints.
    let smallest = |item: &str, column: &str| {
        let here = |f: &&Finding| {
            let endpoints = f.row.get(1).map(|r| r.1.clone()) == Some(Key::Number(42));
            f.item.starts_with(item) && f.column == column && endpoints
        };
        r.entries.iter().find(here).and_then(|f| f.computed).expect("a value")
    };
    for (figure, without) in [(FIGURES[1], "shift, oldest first"), (FIGURES[2], "nearest, without an end")] {
        outside(figure, 2, smallest(figure, "ValiantRestricted"));
        inside(without, 2, smallest(REMOVED, without));
    }
    for figure in &FIGURES[1..] {
        assert!(smallest(figure, "ValiantAny") < 32.5 && cell(&r, figure, 2, "ValiantAny") > 32.5, "{figure}");
    }
    let nearest = "Section III, models of ValiantRestricted, nearest neighbour";
    for p in [6, 7, 8] {
        outside("nearest", p, cell(&r, FIGURES[2], p, "ValiantRestricted"));
    }
    inside("nearest, one side", 6, cell(&r, REMOVED, 6, "nearest, to one side"));
    // Not even its busiest link allows more.
    inside("nearest, one side", 8, cell(&r, nearest, 8, "busiest link, to one side"));
    // Neighbours of p = 7 are fewer than h groups apart.
    outside("nearest, one side", 7, cell(&r, nearest, 7, "busiest link, to one side"));
    inside("shift by 2h", 7, cell(&r, FIGURES[1], 7, "ValiantRestricted"));
    assert!(cell(&r, FIGURES[2], 6, "ValiantAny") < 32.5);
    let endless =
        r.entries.iter().find(|f| f.row.first().is_some_and(|r| r.1 == Key::Number(6)) && f.column == ANY_ENDLESS);
    let endless = endless.and_then(|f| Some(f.computed? - f.ci?)).expect("a value with its interval");
    assert!(endless > 32.5, "{endless}");
    // Equation (4), within a tenth.
    let near = |what: &str, p: u32, value: f64| {
        assert!((value * f64::from(p) / 75.0 - 1.0).abs() <= 0.1, "{what}, p = {p}: {value}");
    };
    for p in [3, 4] {
        near("complement, silent", p, cell(&r, REMOVED, p, "complement, middle group silent"));
        near("one side, oldest first", p, cell(&r, REMOVED, p, "nearest, to one side, oldest first"));
    }
    for p in [4, 5] {
        near("shift, oldest first", p, cell(&r, REMOVED, p, "shift, oldest first"));
    }
    near("shift by 5h/2", 6, cell(&r, REMOVED, 6, "shift by 5h/2 groups"));
    // Random groups gain about ten points where the cause is absent, more than with it or less.
    let gain =
        |case: &str, p: u32| cell(&r, REMOVED, p, &format!("{case}, random groups")) - cell(&r, REMOVED, p, case);
    for (case, gains) in
        [("complement, middle group silent", [-0.8, 4.1, 10.5]), ("nearest, to one side", [8.1, 13.9, 15.6])]
    {
        for (p, expected) in (2..).zip(gains) {
            assert!((gain(case, p) - expected).abs() < 0.1, "{case}, p = {p}: {}", gain(case, p));
        }
    }
}
