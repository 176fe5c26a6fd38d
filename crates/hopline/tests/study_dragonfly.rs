//! The Dragonfly study, shortened: the order of the schemes and the models that
//! the paper's figures rest on.

use hopline::error::Result;
use hopline::event::Silent;
use hopline::study::{Finding, Key, Options, Points, Verdict, reproduce_from, work};
use std::collections::BTreeMap;

/// Points in memory, and how many were new.
#[derive(Default)]
struct Kept {
    known: BTreeMap<String, f64>,
    new: usize,
}

impl Points for Kept {
    fn find(&self, command: &str) -> Option<f64> {
        self.known.get(command).copied()
    }
    fn keep(&mut self, command: &str, value: f64) -> Result<()> {
        self.new += 1;
        assert_eq!(self.known.insert(command.to_string(), value), None, "{command} was known");
        Ok(())
    }
}

/// One test: the study takes half a minute.
#[test]
fn the_study_stands() {
    let (options, mut kept) = (Options { quick: true, seed: 0, data: None, fresh: true }, Kept::default());
    let run =
        |kept: &mut Kept| reproduce_from("dragonfly", &options, kept, &mut Silent).unwrap_or_else(|e| panic!("{e}"));
    assert!(work("dragonfly", &options, &kept).is_ok_and(|w| w > 1e8));
    let r = run(&mut kept);
    // Four systems, three patterns, four schemes; three lower loads of two patterns on one system.
    assert_eq!(kept.new, 48 + 24);
    // Where it was stopped after most points it goes on, and nothing is simulated twice.
    kept.known.retain(|command, _| !(command.contains("p=2,a=3,h=2") && command.contains("minimal")));
    kept.new = 0;
    assert_eq!(run(&mut kept), r);
    assert_eq!((kept.new, work("dragonfly", &options, &kept).ok()), (3, Some(0.0)));
    let wrong: Vec<_> = r.entries.iter().filter(|f| f.verdict == Verdict::Differs).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let of = |item: &str, p: u32, column: &str| {
        let here = |f: &&Finding| {
            f.item.starts_with(item) && f.column == column && f.row.first() == Some(&("p", Key::Number(p)))
        };
        // The last of several systems with this p is the balanced one.
        let found = r.entries.iter().rfind(here);
        found.and_then(|f| f.computed).unwrap_or_else(|| panic!("{item} {p} {column}"))
    };
    let figures = ["Figures 3a, 3b", "Figures 3c, 3d", "Figures 3e, 3f"];
    for (item, p) in figures.into_iter().flat_map(|item| (2..=4).map(move |p| (item, p))) {
        let [minimal, restricted, any, random] =
            ["shortest path", "ValiantRestricted", "ValiantAny", "ValiantRestricted, random groups"]
                .map(|c| of(item, p, c));
        assert!(minimal < restricted && restricted <= any && any < 50.0, "{item}, p = {p}");
        assert!(random > 0.9 * restricted, "{item}, p = {p}: random groups do not hurt");
        assert!((25.0..50.0).contains(&any), "{item}, p = {p}: {any}");
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
    for p in 2..=4 {
        let limit = 100.0 / f64::from(2 * p * p);
        assert!((of("Figures 3c, 3d", p, "shortest path") / limit - 1.0).abs() < 0.02, "p = {p}");
    }
    // Load under expected shares: in the group that is its own partner, and in the others, which equation (4) is about.
    for (p, bound, others) in [(2, 23.3, 29.2), (3, 16.2, 23.6), (4, 12.3, 19.4)] {
        let computed = of("Section III, models of ValiantRestricted, bit complement", p, "busiest link");
        assert!((computed - bound).abs() < 0.05, "p = {p}: {computed}");
        let elsewhere =
            of("Section III, models of ValiantRestricted, bit complement", p, "busiest link of other groups");
        assert!((elsewhere - others).abs() < 0.05, "p = {p}: {elsewhere}");
        assert_eq!(
            of("Section III, models of ValiantRestricted, bit complement", p, "(4) 3/(4p)"),
            75.0 / f64::from(p)
        );
    }
}
