//! A study run once for all checks of a test file.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part")]

#[path = "../../../hopline/tests/common/skip.rs"]
pub mod skip;
pub mod values;
#[path = "../../../hopline/tests/common/words.rs"]
pub mod words;

use hopline::event::Silent;
use hopline_study::{Finding, Options, Reproduction, Verdict, reproduce};
use std::sync::OnceLock;

/// A study in its quick form, without data that cannot be redistributed.
pub struct Study {
    name: &'static str,
    run: OnceLock<Reproduction>,
}

impl Study {
    /// The study of that name; it runs when it is first asked.
    pub const fn new(name: &'static str) -> Study {
        Study { name, run: OnceLock::new() }
    }

    /// What it found.
    pub fn all(&self) -> &Reproduction {
        self.run.get_or_init(|| {
            let options = Options { quick: true, seed: 0, data: None, fresh: false };
            reproduce(self.name, &options, &mut Silent).unwrap_or_else(|e| panic!("{e}"))
        })
    }

    /// The findings of all items whose names begin so; there must be one.
    pub fn item(&self, name: &str) -> Vec<&Finding> {
        let found: Vec<_> = self.all().entries.iter().filter(|f| f.item.starts_with(name)).collect();
        assert!(!found.is_empty(), "no item {name}");
        found
    }

    /// The number in an item's column, in the first row that begins with `row`; any row where that is empty.
    pub fn value(&self, item: &str, row: &str, column: &str) -> f64 {
        let here = |f: &&&Finding| {
            f.column == column && (row.is_empty() || f.row.first().is_some_and(|k| k.1.to_string() == row))
        };
        let found = self.item(item).iter().find(here).and_then(|f| f.computed);
        found.unwrap_or_else(|| panic!("no {item} {row} {column}"))
    }

    /// Every number is as published, or says why not; and the counts are those of the findings.
    pub fn nothing_differs_without_a_reason(&self) {
        let r = self.all();
        has_the_items_of_the_page(r);
        values::are_counted(r);
        let wrong: Vec<_> = r.entries.iter().filter(|f| f.verdict == Verdict::Differs).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!((r.differing, r.matching + r.noted + r.beyond), (0, r.entries.len()));
        let ours = |f: &&Finding| (f.verdict == Verdict::Ours) != f.published.is_none();
        assert_eq!(r.entries.iter().find(ours), None, "what is published has another verdict than `ours`");
        let silent = |f: &&Finding| f.verdict == Verdict::Noted && (f.note.is_none() || f.expected.is_none());
        assert_eq!(r.entries.iter().find(silent), None, "a note is missing, or what is expected");
    }

    /// All findings of these items are as published.
    pub fn all_match(&self, items: &[&str]) {
        for item in items {
            let wrong: Vec<_> = self.item(item).into_iter().filter(|f| f.verdict != Verdict::Match).collect();
            assert!(wrong.is_empty(), "{wrong:#?}");
        }
    }
}

/// The whole study, which takes minutes: nothing differs without a reason, and the page's items are there.
pub fn the_whole_stands(name: &str) -> Option<Reproduction> {
    if !skip::slow("minutes") {
        return None;
    }
    // Ranger's cabling is in no repository.
    let data = if name == "broadcast" { skip::data("fabrics")? } else { String::new() };
    let data = Some(data.trim_end_matches("/fabrics").to_string());
    let whole = Options { quick: false, seed: 0, data, fresh: false };
    let study = reproduce(name, &whole, &mut Silent).unwrap_or_else(|e| panic!("{e}"));
    has_the_items_of_the_page(&study);
    let wrong: Vec<_> = study.entries.iter().filter(|f| f.verdict == Verdict::Differs).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    values::are_listed(&study);
    values::are_counted(&study);
    let quick = reproduce(name, &Options { quick: true, ..whole }, &mut Silent).unwrap_or_else(|e| panic!("{e}"));
    tells_the_same(&quick, &study);
    Some(study)
}

/// --quick says of each published value what the whole study says of it, or its item says that it is another one.
pub fn tells_the_same(quick: &Reproduction, whole: &Reproduction) {
    let other = |f: &&Finding| {
        let same = |g: &&Finding| (&g.item, &g.row, &g.column) == (&f.item, &f.row, &f.column);
        let known = whole.entries.iter().find(same);
        known.is_none_or(|g| (g.verdict, &g.published) != (f.verdict, &f.published))
    };
    let others: Vec<_> = quick.entries.iter().filter(|f| f.published.is_some()).filter(other).collect();
    assert!(others.is_empty(), "the whole study says something else of these: {others:#?}");
}

/// The page of papers names items that this run of a study has; those behind `whole:` only a whole run has.
pub fn has_the_items_of_the_page(study: &Reproduction) {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/papers.md"))
        .expect("docs/src/papers.md");
    let section = text.split("\n## ").find(|s| s.starts_with(&format!("{}:", study.study)));
    let section = section.unwrap_or_else(|| panic!("docs/src/papers.md has no section {}", study.study));
    let rows = section.lines().filter(|l| l.starts_with("| "));
    // What is in backticks may hold asterisks.
    let last = rows.filter_map(|l| l.trim_end_matches([' ', '|']).rsplit(" | ").next());
    let plain = last.map(|cell| cell.split('`').step_by(2).collect::<Vec<_>>().join("`"));
    let named: Vec<String> =
        plain.flat_map(|c| c.split('*').skip(1).step_by(2).map(String::from).collect::<Vec<_>>()).collect();
    assert!(named.len() > 5, "{named:?}");
    let items: Vec<&str> = study.entries.iter().map(|f| f.item.as_str()).collect();
    let is_there = |name: &str| match name.strip_prefix("whole: ") {
        Some(name) => study.quick || items.contains(&name),
        None => items.contains(&name),
    };
    let strange: Vec<_> = named.iter().filter(|name| !is_there(name)).collect();
    assert!(strange.is_empty(), "no such items: {strange:#?}");
}

/// The short form under other seeds, which takes minutes: so many of them have nothing that differs without a reason.
pub fn other_seeds_stand(name: &str, seeds: std::ops::Range<u64>, least: usize) {
    if !skip::slow("minutes") {
        return;
    }
    let differing = |seed| {
        let options = Options { quick: true, seed, data: None, fresh: true };
        let study = reproduce(name, &options, &mut Silent).unwrap_or_else(|e| panic!("{e}"));
        let wrong = study.entries.into_iter().filter(|f| f.verdict == Verdict::Differs).collect::<Vec<_>>();
        (!wrong.is_empty()).then_some((seed, wrong))
    };
    let wrong: Vec<_> = seeds.clone().filter_map(differing).collect();
    assert!(seeds.count() - wrong.len() >= least, "{wrong:#?}");
}
