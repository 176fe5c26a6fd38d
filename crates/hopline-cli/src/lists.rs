//! All lists by name: the library's, the studies, and the words of the tables. `list`, `explain`, help and completions
//! feed on it.

use hopline::entry::Entry;
use hopline::lists::{List, lists};
use hopline_report::terms;
use hopline_study::studies;

/// All lists, in the order in which they are shown.
pub(crate) fn all() -> Vec<List> {
    lists().into_iter().chain([studies(), terms()]).collect()
}

/// What one of them has.
pub(crate) fn entries(name: &str) -> Vec<Entry> {
    all().into_iter().find(|list| list.name == name).map_or(Vec::new(), |list| list.entries)
}
