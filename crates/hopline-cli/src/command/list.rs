//! `hopline list` and `hopline explain`: the library's lists.

use crate::args::{Common, Format};
use crate::lists::all;
use crate::output;
use hopline::entry::Entry;
use hopline::error::{Error, Result, suggest};
use hopline::lists::List;
use hopline::mapping;
use hopline_report as report;
use std::collections::BTreeMap;
use std::process::ExitCode;

pub(super) fn list(what: Option<&str>, common: &Common) -> Result<ExitCode> {
    let chosen: Vec<List> = all().into_iter().filter(|list| what.is_none_or(|w| w == list.name)).collect();
    let entries: BTreeMap<&str, &[Entry]> = chosen.iter().map(|list| (list.name, &list.entries[..])).collect();
    output::plain(common, &entries, |_| {
        let mut text = report::Text::new();
        for (k, list) in chosen.iter().enumerate() {
            if k > 0 {
                text.blank();
            }
            text.append(report::list(list.name, &list.entries));
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn explain(name: &str, common: &Common) -> Result<ExitCode> {
    let of = |list: List| list.entries.into_iter().map(move |entry| (list.name, entry));
    let all: Vec<(&str, Entry)> = all().into_iter().flat_map(of).collect();
    let found: Vec<&(&str, Entry)> = all.iter().filter(|(_, e)| e.name == name).collect();
    if found.is_empty() {
        let known = all.iter().map(|(_, e)| e.name);
        return Err(Error::input(format!("nothing is called `{name}`")).hint(suggest(name, known)));
    }
    if common.format == Format::Json {
        let entries: Vec<&Entry> = found.iter().map(|f| &f.1).collect();
        output::plain(common, &entries, |_| report::Text::new())?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = report::Text::new();
    for (k, (what, entry)) in found.into_iter().enumerate() {
        if k > 0 {
            text.blank();
        }
        text.append(report::explain(what, entry));
        if let Some(picture) = mapping::picture(name).filter(|_| *what == "mapping") {
            text.blank();
            picture.lines().for_each(|line| text.line(line));
        }
    }
    output::text(common, &text)?;
    Ok(ExitCode::SUCCESS)
}
