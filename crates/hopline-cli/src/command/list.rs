//! `hopline list` and `hopline explain`: the library's lists.

use crate::args::Common;
use crate::lists::all;
use crate::output;
use hopline::entry::Entry;
use hopline::error::{Error, Result, suggest_near};
use hopline::lists::List;
use hopline::mapping;
use hopline_report::{self as report, Text};
use std::collections::BTreeMap;
use std::process::ExitCode;

pub(super) fn list(what: Option<&str>, common: &Common) -> Result<ExitCode> {
    let chosen: Vec<List> = all().into_iter().filter(|list| what.is_none_or(|w| w == list.name)).collect();
    let entries: BTreeMap<&str, &[Entry]> = chosen.iter().map(|list| (list.name, &list.entries[..])).collect();
    output::plain(common, &entries, |_| {
        Text::joined(chosen.iter().map(|list| report::list(list.name, &list.entries)))
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn explain(name: &str, common: &Common) -> Result<ExitCode> {
    let of = |list: List| list.entries.into_iter().map(move |entry| (list.name, entry));
    let all: Vec<(&str, Entry)> = all().into_iter().flat_map(of).collect();
    let mut found: Vec<&(&str, Entry)> = all.iter().filter(|(_, e)| e.name == name).collect();
    if found.is_empty() {
        // Heads of columns stand in the terms that explain them.
        let word = format!("`{name}`");
        found = all.iter().filter(|(list, e)| *list == "term" && e.doc.contains(&word)).collect();
    }
    if found.is_empty() {
        let known = all.iter().map(|(_, e)| e.name);
        let hint = suggest_near(name, known, "`hopline list` has all names, with a line on each");
        return Err(Error::input(format!("nothing is called `{name}`")).hint(hint));
    }
    let entries: Vec<&Entry> = found.iter().map(|f| &f.1).collect();
    output::plain(common, &entries, |_| Text::joined(found.iter().map(|(what, entry)| explained(what, entry))))?;
    Ok(ExitCode::SUCCESS)
}

/// The words of an entry, for a mapping with its picture.
fn explained(what: &str, entry: &Entry) -> Text {
    let mut text = report::explain(what, entry);
    if let Some(picture) = mapping::picture(entry.name).filter(|_| what == "mapping") {
        text.blank();
        picture.lines().for_each(|line| text.line(line));
    }
    text
}
