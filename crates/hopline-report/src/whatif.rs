//! What a fault does, before and after.

use super::columns::Columns;
use super::text::{amount, notes, rate};
use hopline::run::{LoadOutcome, WhatIfOutcome};
use hopline::unit::seconds;
use std::fmt::Write as _;

/// Names listed before the rest is only counted.
const LISTED: usize = 8;

/// `hopline fabric whatif`.
pub fn whatif(o: &WhatIfOutcome) -> String {
    let mut text = format!("{} without {}\n", o.fabric, names(&o.removed));
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
    let mut table = Columns::new(
        &["", "routing", "throughput", "limited by", "time at least", "hottest load", "hottest link"],
        &[2, 4, 5],
    );
    table.row(row("before", &o.before));
    if let Some(alike) = &o.before_alike {
        table.row(row("before", alike));
    }
    if let Some(after) = &o.after {
        table.row(row("after", after));
    }
    text.push_str(&table.render());
    match (&o.after, &o.error) {
        (Some(after), _) => {
            let before = o.before_alike.as_ref().unwrap_or(&o.before);
            if let (Some(before), Some(now)) = (before.summary.throughput_gb_s, after.summary.throughput_gb_s) {
                let routing = o.before_alike.as_ref().map_or(String::new(), |_| {
                    format!(
                        ", both with routing {}: what its tables do after the fault is not known",
                        after.setting.routing
                    )
                });
                let _ = writeln!(text, "\n{:.0} % of the throughput is left{routing}", 100.0 * now / before);
            }
            notes(&mut text, &after.setting.notes);
        }
        (None, Some(error)) => {
            let _ = writeln!(text, "\nno loads after: {error}");
        }
        (None, None) => {}
    }
    text
}

fn row(label: &str, o: &LoadOutcome) -> Vec<String> {
    let hottest = o.hottest.first();
    vec![
        label.to_string(),
        o.setting.routing.clone(),
        rate(o.summary.throughput_gb_s),
        o.summary.bottleneck.clone().unwrap_or_else(|| "-".into()),
        o.summary.seconds.map_or("-".into(), seconds),
        hottest.map_or("-".into(), |h| amount(o.setting.unit, h.load)),
        hottest.map_or("-".into(), |h| h.name.clone()),
    ]
}

fn names(all: &[String]) -> String {
    let shown = all.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
    if all.len() > LISTED { format!("{shown}, and {} more", all.len() - LISTED) } else { shown }
}
