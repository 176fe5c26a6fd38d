//! `hopline list` and `hopline explain`: the library's lists.

use crate::args::{Common, Format, LISTS};
use crate::output;
use hopline::entry::{Entry, Listed};
use hopline::error::{Error, Result};
use hopline::{flits, format, mapping, power, replay, routing, schedule, topology, traffic};
use hopline_report as report;
use hopline_study as study;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Borrowed entries of one list.
struct Item(Entry);

impl Listed for Item {
    fn entry(&self) -> &Entry {
        &self.0
    }
}

fn items(what: &str) -> Vec<Item> {
    fn of<T: Listed>(list: &[T]) -> Vec<Item> {
        list.iter().map(|t| Item(*t.entry())).collect()
    }
    match what {
        "topology" => of(topology::LIST),
        "routing" => of(routing::LIST),
        "traffic" => of(traffic::LIST),
        "mapping" => of(mapping::LIST),
        "objective" => of(mapping::OBJECTIVES),
        "flits" => vec![Item(flits::OPTIONS), Item(flits::ROUTER)],
        "inject" => flits::PROCESSES.iter().map(|e| Item(*e)).collect(),
        "schedule" => of(schedule::LIST),
        "collective" => of(schedule::collective::LIST),
        "replay" => vec![Item(replay::MODEL)],
        "power" => vec![Item(power::MODEL)],
        "policy" => of(power::policy::LIST),
        "export" => of(format::EXPORTS),
        "tuning" => of(format::tuning::TUNINGS),
        "study" => of(study::LIST),
        _ => of(format::FABRIC_EXPORTS),
    }
}

pub(super) fn list(what: Option<&str>, common: &Common) -> Result<ExitCode> {
    let chosen = LISTS.iter().filter(|name| what.is_none_or(|w| w == **name));
    let lists: BTreeMap<&str, Vec<Item>> = chosen.map(|name| (*name, items(name))).collect();
    let entries: BTreeMap<&str, Vec<Entry>> =
        lists.iter().map(|(name, list)| (*name, list.iter().map(|i| i.0).collect())).collect();
    output::outcome(common.format, &entries, |_| {
        let tables: Vec<String> = LISTS.iter().filter_map(|name| Some(report::list(name, lists.get(name)?))).collect();
        tables.join("\n")
    })?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn explain(name: &str, common: &Common) -> Result<ExitCode> {
    let all: Vec<(&str, Entry)> = LISTS.iter().flat_map(|what| items(what).into_iter().map(|i| (*what, i.0))).collect();
    let found: Vec<&(&str, Entry)> = all.iter().filter(|(_, e)| e.name == name).collect();
    if found.is_empty() {
        let known: Vec<&str> = all.iter().map(|(_, e)| e.name).collect();
        return Err(
            Error::input(format!("nothing is called `{name}`")).hint(hopline::error::suggest(name, known.into_iter()))
        );
    }
    if common.format == Format::Json {
        let entries: Vec<&Entry> = found.iter().map(|f| &f.1).collect();
        output::outcome(common.format, &entries, |_| String::new())?;
    } else {
        let picture = |what: &str| mapping::picture(name).filter(|_| what == "mapping").map(|text| format!("\n{text}"));
        let texts: Vec<String> =
            found.iter().map(|(what, e)| report::explain(what, e) + &picture(what).unwrap_or_default()).collect();
        output::write(&texts.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}
