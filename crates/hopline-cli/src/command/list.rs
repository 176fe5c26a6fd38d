//! `hopline list` and `hopline explain`: the library's lists.

use crate::args::{Args, Common};
use crate::lists::all;
use crate::output;
use clap::{Command, CommandFactory as _};
use hopline::entry::{Entry, Param};
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
        let near = || suggest_near(name, known, "`hopline list` has all names, with a line on each");
        let hint = of_key(name, &all).or_else(|| of_option(name)).unwrap_or_else(near);
        return Err(Error::input(format!("nothing is called `{name}`")).hint(hint));
    }
    let entries: Vec<&Entry> = found.iter().map(|f| &f.1).collect();
    output::plain(common, &entries, |_| Text::joined(found.iter().map(|(what, entry)| explained(what, entry))))?;
    Ok(ExitCode::SUCCESS)
}

/// Where a name is a key of entries, or one of the words that their keys take: which explain it.
fn of_key(name: &str, all: &[(&str, Entry)]) -> Option<String> {
    let is_it = |param: &Param| param.name == name || param.value.split('|').any(|word| word.trim() == name);
    let takers = all.iter().filter(|(_, e)| e.params.iter().any(is_it));
    let takers: Vec<String> = takers.map(|(_, e)| format!("`hopline explain {}`", e.name)).collect();
    let most = 4;
    let more = if takers.len() > most { format!(" and {} more", takers.len() - most) } else { String::new() };
    (!takers.is_empty()).then(|| format!("keys have it: see {}{more}", takers[..takers.len().min(most)].join(", ")))
}

/// Where a name is an option of commands: which they are.
fn of_option(name: &str) -> Option<String> {
    let long = name.trim_start_matches('-');
    let mut all = Args::command();
    all.build();
    if all.get_arguments().any(|a| a.get_long() == Some(long) && a.is_global_set()) {
        return Some(format!("`--{long}` is an option of every command: see `hopline help`"));
    }
    let mut takers = Vec::new();
    with_option(&all, long, "hopline help", &mut takers);
    (!takers.is_empty()).then(|| format!("`--{long}` is an option: see {}", takers.join(", ")))
}

/// The commands of `command` that have an option, as `help` is asked for them.
fn with_option(command: &Command, long: &str, path: &str, takers: &mut Vec<String>) {
    for inner in command.get_subcommands() {
        let path = format!("{path} {}", inner.get_name());
        if inner.get_arguments().any(|a| a.get_long() == Some(long) && !a.is_global_set()) {
            takers.push(format!("`{path}`"));
        }
        with_option(inner, long, &path, takers);
    }
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
