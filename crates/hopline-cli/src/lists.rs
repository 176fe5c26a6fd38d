//! All lists by name: the library's, the studies, and the words of the tables. `list`, `explain`, help and completions
//! feed on it.

use hopline::entry::Entry;
use hopline::lists::{List, lists};
use hopline_report::terms;
use hopline_study::studies;

/// All lists, in the order in which they are shown.
pub(crate) fn all() -> Vec<List> {
    let mut all = lists();
    let launchers = all.iter().position(|list| list.name == "export").map_or(all.len(), |at| at + 1);
    all.insert(launchers, hopline_formats::exports());
    all.extend([studies(), terms()]);
    all
}

/// What one of them has.
pub(crate) fn entries(name: &str) -> Vec<Entry> {
    all().into_iter().find(|list| list.name == name).map_or(Vec::new(), |list| list.entries)
}
