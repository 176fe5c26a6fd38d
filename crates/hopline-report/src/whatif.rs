//! What a fault does, before and after.

use super::columns::Columns;
use super::text::{amount, notes, rate, wrap};
use hopline::demand::Unit;
use hopline::loads::BusyLink;
use hopline::run::{EachOutcome, LoadOutcome, WhatIfOutcome};
use hopline::unit::seconds;
use std::fmt::Write as _;

/// Names listed before the rest is only counted.
const LISTED: usize = 8;

/// `hopline fabric whatif`.
pub fn whatif(o: &WhatIfOutcome) -> String {
    let mut text = format!("{} without {}\n", o.fabric, cables(&o.removed));
    if let Some(broken) = o.broken_until_rerouted {
        let _ = writeln!(text, "until rerouted  {broken} of {} pairs of endpoints lose each other", o.pairs);
    }
    let _ = writeln!(text, "rerouted        {} of {} pairs of endpoints are unreachable", o.unreachable, o.pairs);
    if !o.pairs_apart.is_empty() {
        let pairs: Vec<String> = o.pairs_apart.iter().map(|(a, b)| format!("{a} - {b}")).collect();
        let more = if o.unreachable > 2 * pairs.len() as u64 { ", ..." } else { "" };
        let _ = writeln!(text, "unreachable     these pairs: {}{more}", pairs.join(", "));
    }
    if !o.cut_off.is_empty() {
        let _ = writeln!(text, "cut off         {} hosts: {}", o.cut_off.len(), names(&o.cut_off));
    }
    let _ = writeln!(
        text,
        "\n{}, mapping {}, {} tasks on {} hosts",
        o.before.setting.traffic, o.before.mapping, o.before.setting.tasks, o.before.setting.hosts
    );
    let mut table =
        Columns::new(&["", "routing", "throughput", "limited by", "time at least", "between switches"], &[2, 4, 5]);
    table.row(row("before", &o.before));
    if let Some(alike) = &o.before_alike {
        table.row(row("before", alike));
    }
    if let Some(after) = &o.after {
        table.row(row("after", after));
    }
    text.push_str(&table.render());
    text.push_str(&hottest("before", &o.hottest_before, o.before.setting.unit));
    text.push_str(&hottest("after", &o.hottest_after, o.before.setting.unit));
    if let (None, Some(error)) = (&o.after, &o.error) {
        let _ = writeln!(text, "\nno loads of the whole job after: {error}");
    }
    let _ = writeln!(text, "\n{}", wrap(&format!("{}.", o.verdict.sentence), WIDTH));
    if let (Some(alike), None) = (&o.before_alike, &o.error) {
        let routing = &alike.setting.routing;
        let _ = writeln!(
            text,
            "{}",
            wrap(
                &format!(
                    "Compared under routing {routing}, before and after: what the machine's own routes do after the fault is not known."
                ),
                WIDTH
            )
        );
    }
    notes(&mut text, &o.notes);
    text
}

/// Characters of a line of prose.
const WIDTH: usize = 96;

/// The busiest links between switches, a line each.
fn hottest(when: &str, links: &[BusyLink], unit: Unit) -> String {
    if links.is_empty() {
        return String::new();
    }
    let heads = [format!("hottest between switches, {when}"), "class".into(), "load".into()];
    let mut table = Columns::new(&[heads[0].as_str(), &heads[1], &heads[2]], &[2]);
    for link in links {
        table.row(vec![link.name.clone(), link.class.clone(), amount(unit, link.load)]);
    }
    format!("\n{}", table.render())
}

/// `hopline fabric whatif --each`: the `list` worst.
pub fn each(o: &EachOutcome, list: usize) -> String {
    let s = &o.setting;
    let mut text = format!(
        "{}, mapping {}, {} tasks on {} hosts of {} ({} routing)\n",
        s.traffic, o.mapping, s.tasks, s.hosts, s.fabric, s.routing
    );
    text.push_str(&hottest("nothing missing", &o.hottest_before, s.unit));
    let head = ["without", "left", "with adapters", "unreachable pairs", "hottest between switches then", "load"];
    let mut table = Columns::new(&head, &[1, 2, 3, 5]);
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
    }
    let _ = write!(text, "\n{}", table.render());
    if let Some(next) = o.failures.get(list) {
        let more = o.failures.len() - list;
        let _ = writeln!(
            text,
            "and {more} more, which leave {} or more; --list {} shows them",
            percent(next.left),
            o.failures.len()
        );
    }
    let _ = writeln!(text, "\n{}", wrap(&format!("{}.", o.verdict.sentence), WIDTH));
    let legend = "left: of the job's throughput as far as links between switches limit it, traffic of hosts that are cut off \
                  counted as lost; with adapters: over all links";
    let _ = writeln!(text, "{}", wrap(legend, WIDTH));
    notes(&mut text, &s.notes);
    text
}

/// A part of 1; what is nearly whole is not rounded to it.
fn percent(part: f64) -> String {
    let shown = (1000.0 * part).floor() / 10.0;
    let shown = if part > 1.0 - 1e-6 { (1000.0 * part).round() / 10.0 } else { shown };
    format!("{shown:.1} %")
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
