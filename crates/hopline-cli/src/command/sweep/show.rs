//! `hopline sweep show`: the points of a directory with their results.

use crate::answer;
use crate::args::Common;
use hopline::error::{Error, Place, Result, suggest};
use hopline::unit::{seconds, short};
use hopline_report::{Column, Columns, Text};
use hopline_sweep::outcome::{SweepOutcome, outcome};
use hopline_sweep::rows::Row;
use hopline_sweep::store::Store;
use hopline_sweep::values::written;
use std::process::ExitCode;

pub(super) fn run(dir: &str, by: Option<&str>, common: &Common) -> Result<ExitCode> {
    let mut outcome = outcome(&Store::read(dir)?)?;
    if let Some(by) = by {
        rank(&mut outcome, by)?;
    }
    answer::outcome(common, None, &outcome, text)?;
    Ok(ExitCode::SUCCESS)
}

/// Puts the points with the least of a column first, those without a number last.
fn rank(o: &mut SweepOutcome, by: &str) -> Result<()> {
    let names = || o.parameters.iter().map(|p| p.name.as_str()).chain(o.results.iter().map(|c| c.name.as_str()));
    let has = |name: &str| o.points.iter().any(|row| row.number(name).is_some());
    if !has(by) {
        let numbers: Vec<&str> = names().filter(|name| has(name)).collect();
        return Err(Error::input(format!("no point has a number called `{by}`"))
            .at(&Place::new("--by", 0))
            .hint(suggest(by, numbers.into_iter())));
    }
    let key = |row: &Row| row.number(by).unwrap_or(f64::INFINITY);
    o.points.sort_by(|a, b| key(a).total_cmp(&key(b)));
    Ok(())
}

/// Results that people look for first, of all commands.
const FIRST: [&str; 25] = [
    "without",
    "bytes",
    "algorithm",
    "order",
    "mapping",
    "accepted",
    "accepted_ci",
    "latency_cycles",
    "latency_ci",
    "latency_p99",
    "saturated",
    "throughput_gb_s",
    "bottleneck",
    "max_load",
    "hop_bytes",
    "makespan_s",
    "seconds",
    "time_s",
    "watts",
    "saved_watts",
    "dark_cables",
    "left",
    "unreachable_pairs",
    "mean_hops",
    "diameter",
];

/// Results of a command that has none of them.
const OTHERS: usize = 6;

/// `hopline sweep show`.
pub(super) fn text(o: &SweepOutcome) -> Text {
    let mut text = Text::new();
    let (varied, fixed): (Vec<_>, Vec<_>) = o.parameters.iter().partition(|p| p.values.len() > 1);
    let fixed: Vec<String> =
        fixed.iter().flat_map(|p| p.values.iter().map(|v| format!("{}={}", p.name, written(v)))).collect();
    text.line(format!("hopline {} {}", o.runs, fixed.join(" ")).trim_end().to_string());
    text.blank();
    let shown = shown(o);
    let results = shown.iter().enumerate().map(|(k, name)| match is_number(&o.points, name) {
        // The last of them first, where the screen is narrow.
        true => Column::number(*name).dropped(shown.len() - k),
        false => Column::word(*name).dropped(shown.len() - k),
    });
    let keys: Vec<&str> = varied.iter().map(|p| p.name.as_str()).collect();
    let keyed =
        keys.iter().map(|name| if is_number(&o.points, name) { Column::number(*name) } else { Column::word(*name) });
    let mut table = Columns::new(keyed.chain(results));
    for row in &o.points {
        table.row(keys.iter().map(|key| row.word(key)).chain(shown.iter().map(|name| cell(row, name))).collect());
    }
    if !o.points.is_empty() {
        text.table(table);
    }
    if let Some(line) = units(o, &shown) {
        text.line(line);
    }
    for row in &o.failures {
        let point: Vec<String> = varied.iter().map(|p| format!("{}={}", p.name, row.word(&p.name))).collect();
        text.fact("failed", format!("{}: {}", point.join(" "), row.word("error")));
    }
    text.line(format!("{}, {} missing, {} failed", points(o.finished), o.missing, o.failed));
    text
}

/// Units, each with the results that are in it.
fn units(o: &SweepOutcome, shown: &[&str]) -> Option<String> {
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for column in o.results.iter().filter(|c| shown.contains(&c.name.as_str())) {
        let Some(unit) = column.unit.filter(|unit| *unit != column.name) else { continue };
        match all.iter_mut().find(|(own, _)| *own == unit) {
            Some((_, names)) => names.push(&column.name),
            None => all.push((unit, vec![&column.name])),
        }
    }
    let texts: Vec<String> = all.iter().map(|(unit, names)| format!("{} in {unit}", names.join(", "))).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Results for a screen: those that people look for and that are no parameters.
fn shown(o: &SweepOutcome) -> Vec<&str> {
    let there = |name: &&str| {
        o.results.iter().any(|c| c.name == **name) && o.points.iter().any(|row| !row.word(name).is_empty())
    };
    let same = |name: &&str| o.points.iter().all(|row| row.word(name) == o.points[0].word(name));
    let first: Vec<&str> = FIRST.into_iter().filter(there).filter(|name| *name != "mapping" || !same(name)).collect();
    match first.is_empty() {
        true => {
            o.results.iter().map(|c| c.name.as_str()).filter(|name| is_number(&o.points, name)).take(OTHERS).collect()
        }
        false => first,
    }
}

fn is_number(rows: &[Row], name: &str) -> bool {
    rows.iter()
        .find_map(|row| row.get(name).filter(|value| value.get() != "null"))
        .is_some_and(|value| value.get().parse::<f64>().is_ok())
}

/// A number in short, as people read it.
fn cell(row: &Row, name: &str) -> String {
    match row.number(name) {
        Some(number) => short(number),
        None => row.word(name),
    }
}

/// `1 point`, `7 points`.
pub(super) fn points(count: usize) -> String {
    format!("{count} point{}", if count == 1 { "" } else { "s" })
}

/// Seconds, minutes or hours.
pub(super) fn long(time: f64) -> String {
    match time {
        t if t < 120.0 => seconds(t),
        t if t < 7200.0 => format!("{:.0} min", t / 60.0),
        t => format!("{:.1} h", t / 3600.0),
    }
}

/// What a sweep has done, in a line or two.
pub(super) fn summary(store: &Store, all: usize, missing: usize, failed: usize, is_part: bool) -> String {
    let dir = store.dir().display();
    let done = points(all - missing - failed);
    match (missing, is_part) {
        (0, _) => format!("{done} in {dir}/results.csv and results.jsonl, {failed} failed; hopline sweep show {dir}\n"),
        (_, true) => {
            format!("{done} in {dir}, {failed} failed, {missing} missing, which other parts may be computing\n")
        }
        (_, false) => format!("{done} in {dir}, {failed} failed, {missing} missing\n"),
    }
}
