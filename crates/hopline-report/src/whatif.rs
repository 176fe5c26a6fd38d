//! What a fault does, before and after.

use super::columns::{Column, Columns};
use super::terms::see;
use super::text::Text;
use super::words::{amount, amounts, percent, rate};
use hopline::demand::Unit;
use hopline::loads::BusyLink;
use hopline::run::{EachOutcome, LoadOutcome, WhatIfOutcome};
use hopline::unit::seconds;

/// Names listed before the rest is only counted.
const LISTED: usize = 8;

/// `hopline fabric whatif`.
pub fn whatif(o: &WhatIfOutcome) -> Text {
    let mut text = Text::new();
    text.line(format!("{} without {}", o.fabric, cables(&o.removed)));
    let mut fact = |label: &str, words: String| text.fact(&format!("{label:<16}"), words);
    if let Some(broken) = o.broken_until_rerouted {
        fact("until rerouted", format!("{broken} of {} pairs of endpoints lose each other", o.pairs));
    }
    fact("rerouted", format!("{} of {} pairs of endpoints are unreachable", o.unreachable, o.pairs));
    if !o.pairs_apart.is_empty() {
        let pairs: Vec<String> = o.pairs_apart.iter().map(|(a, b)| format!("{a} - {b}")).collect();
        let more = if o.unreachable > 2 * pairs.len() as u64 { ", ..." } else { "" };
        fact("unreachable", format!("these pairs: {}{more}", pairs.join(", ")));
    }
    if !o.cut_off.is_empty() {
        fact("cut off", format!("{} hosts: {}", o.cut_off.len(), names(&o.cut_off)));
    }
    let (job, unit) = (&o.before.setting, o.before.setting.unit);
    text.blank();
    text.line(format!("{}, mapping {}, {} tasks on {} hosts", job.traffic, o.before.mapping, job.tasks, job.hosts));
    let mut table = Columns::new([
        Column::word(""),
        Column::name("routing").dropped(1),
        Column::number("throughput"),
        Column::word("limited by").dropped(2),
        Column::number("time at least").dropped(3),
        Column::number("between switches"),
    ]);
    table.row(row("before", &o.before));
    if let Some(alike) = &o.before_alike {
        table.row(row("before", alike));
    }
    if let Some(after) = &o.after {
        table.row(row("after", after));
    }
    text.table(table);
    hottest(&mut text, "before", &o.hottest_before, unit);
    hottest(&mut text, "after", &o.hottest_after, unit);
    if let (None, Some(error)) = (&o.after, &o.error) {
        text.blank();
        text.line(format!("no loads of the whole job after: {error}"));
    }
    text.blank();
    text.prose(format!("{}.", o.verdict.sentence));
    if let (Some(alike), None) = (&o.before_alike, &o.error) {
        let routing = &alike.setting.routing;
        text.prose(format!(
            "Compared under routing {routing}, before and after: what the machine's own routes do after the fault is not known."
        ));
    }
    see(&mut text, &["left", "throughput"]);
    text.notes(&o.notes);
    text
}

/// The busiest links between switches, a line each.
fn hottest(text: &mut Text, when: &str, links: &[BusyLink], unit: Unit) {
    if links.is_empty() {
        return;
    }
    let head = format!("hottest between switches, {when}");
    let load = amounts(unit, "load");
    let mut table = Columns::new([Column::name(head), Column::word("class").dropped(1), Column::number(load)]);
    for link in links {
        table.row(vec![link.name.clone(), link.class.clone(), amount(unit, link.load)]);
    }
    text.blank();
    text.table(table);
}

/// `hopline fabric whatif --each`: the `list` worst.
pub fn each(o: &EachOutcome, list: usize) -> Text {
    let s = &o.setting;
    let mut text = Text::new();
    text.line(format!(
        "{}, mapping {}, {} tasks on {} hosts of {} ({} routing)",
        s.traffic, o.mapping, s.tasks, s.hosts, s.fabric, s.routing
    ));
    hottest(&mut text, "nothing missing", &o.hottest_before, s.unit);
    let mut table = Columns::new([
        Column::name("without"),
        Column::number("left"),
        Column::number("with adapters").dropped(2),
        Column::number("unreachable pairs"),
        Column::name("hottest between switches then").dropped(3),
        Column::number(amounts(s.unit, "load")).dropped(1),
    ]);
    for f in o.failures.iter().take(list) {
        let hottest = f.hottest.as_ref();
        table.row(vec![
            f.without.clone(),
            percent(f.left),
            percent(f.throughput_left),
            f.unreachable_pairs.to_string(),
            hottest.map_or("-".into(), |h| h.name.clone()),
            hottest.map_or("-".into(), |h| amount(s.unit, h.load)),
        ]);
        table.heat("left", 1.0 - f.left);
    }
    text.blank();
    text.table(table);
    if let Some(next) = o.failures.get(list) {
        text.line(format!(
            "and {} more, which leave {} or more; --list {} shows them",
            o.failures.len() - list,
            percent(next.left),
            o.failures.len()
        ));
    }
    text.blank();
    text.prose(format!("{}.", o.verdict.sentence));
    text.prose(
        "left: of the job's throughput as far as links between switches limit it, traffic of hosts that are cut off \
         counted as lost; with adapters: over all links",
    );
    text.notes(&s.notes);
    text
}

fn row(label: &str, o: &LoadOutcome) -> Vec<String> {
    vec![
        label.to_string(),
        o.setting.routing.clone(),
        rate(o.summary.throughput_gb_s),
        o.summary.bottleneck.clone().unwrap_or_else(|| "-".into()),
        o.summary.seconds.map_or("-".into(), seconds),
        rate(o.summary.network_gb_s),
    ]
}

/// Many cables by their number and the first of them.
fn cables(all: &[String]) -> String {
    match all {
        [first, second, _, _, ..] => format!("{} cables: {first}, {second}, ...", all.len()),
        few => names(few),
    }
}

fn names(all: &[String]) -> String {
    let shown = all.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > LISTED { format!("{shown}, and {} more", all.len() - LISTED) } else { shown }
}
