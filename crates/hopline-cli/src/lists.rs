//! All lists by name: the library's, the studies, and the words of the tables. `list`, `explain`, help and completions
//! feed on it.

use hopline::entry::{Entry, Listed as _};
use hopline::lists::{List, lists};
use hopline_report::TERMS;
use hopline_study::LIST as STUDIES;

/// All lists, in the order in which they are shown.
pub(crate) fn all() -> Vec<List> {
    let studies = STUDIES.iter().map(|study| *study.entry()).collect();
    let mut all = lists();
    all.push(List { name: "study", title: "Studies", entries: studies });
    all.push(List { name: "term", title: "Words of the tables", entries: TERMS.to_vec() });
    all
}

/// What one of them has.
pub(crate) fn entries(name: &str) -> Vec<Entry> {
    all().into_iter().find(|list| list.name == name).map_or(Vec::new(), |list| list.entries)
}
