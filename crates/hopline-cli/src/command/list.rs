//! `hopline list` and `hopline explain`: the library's lists.

use crate::args::{Common, Format};
use crate::lists::{LISTS, entries};
use crate::output;
use hopline::entry::Entry;
use hopline::error::{Error, Result, suggest};
use hopline::mapping;
use hopline_report as report;
use std::collections::BTreeMap;
use std::process::ExitCode;

pub(super) fn list(what: Option<&str>, common: &Common) -> Result<ExitCode> {
    let chosen = LISTS.iter().filter(|name| what.is_none_or(|w| w == **name));
    let lists: BTreeMap<&str, Vec<Entry>> = chosen.map(|name| (*name, entries(name))).collect();
    output::outcome(common, &lists, |lists| {
        let mut text = report::Text::new();
        for (k, (name, list)) in LISTS.iter().filter_map(|name| Some((name, lists.get(name)?))).enumerate() {
            if k > 0 {
                text.blank();
            }
            text.append(report::list(name, list));
        }
        text
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn explain(name: &str, common: &Common) -> Result<ExitCode> {
    let all: Vec<(&str, Entry)> = LISTS.iter().flat_map(|what| entries(what).into_iter().map(|e| (*what, e))).collect();
    let found: Vec<&(&str, Entry)> = all.iter().filter(|(_, e)| e.name == name).collect();
    if found.is_empty() {
        let known = all.iter().map(|(_, e)| e.name);
        return Err(Error::input(format!("nothing is called `{name}`")).hint(suggest(name, known)));
    }
    if common.format == Format::Json {
        let entries: Vec<&Entry> = found.iter().map(|f| &f.1).collect();
        output::outcome(common, &entries, |_| report::Text::new())?;
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
