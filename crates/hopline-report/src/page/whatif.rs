//! What failures cost.

use super::Part;
use super::document::{list, number, text, texts, unit};
use super::html::{self, Cell};
use super::job::{Job, step};
use super::marked::{Marks, Names};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::{amount, percent, rate};
use hopline::unit::seconds;
use serde_json::{Value, json};

/// Failures in the table.
const LISTED: usize = 500;

pub(super) fn parts(d: &Value, job: Option<&Job<'_>>) -> Vec<Part> {
    if d.get("failures").is_none() {
        return one(d);
    }
    job.and_then(|job| on_fabric(d, job)).into_iter().chain(each(d)).collect()
}

/// Every failure in its place, in the colour of what it costs.
fn on_fabric(d: &Value, job: &Job<'_>) -> Option<Part> {
    let fabric = job.fabric;
    let names = Names::of(fabric);
    let lost = |f: &Value| 1.0 - number(f, "left").unwrap_or(1.0).clamp(0.0, 1.0);
    let most = list(d, "failures").iter().map(lost).fold(0.0, f64::max);
    let mut marks = Marks::on(fabric);
    for f in list(d, "failures") {
        let (name, step) = (text(f, "without"), step(lost(f) / most.max(f64::MIN_POSITIVE)));
        let words = format!("without it {} of the throughput is lost", percent(lost(f)));
        marks.named(&names, name, step, &words);
    }
    if marks.is_empty() {
        return None;
    }
    let words =
        "Each in the colour of what the job loses when it alone fails; what is grey costs nothing, or was not tried.";
    marks.part("Failures in the fabric", Some(&format!("{} of the throughput lost", percent(most))), words)
}

fn each(d: &Value) -> Vec<Part> {
    let failures = list(d, "failures");
    let left = |f: &Value, key: &str| number(f, key).map(|part| 100.0 * part);
    let curve = |name: &str, key: &str| {
        let dots = failures.iter().enumerate().filter_map(|(k, f)| Some(Dot::new(k as f64 + 1.0, left(f, key)?)));
        Curve { name: name.into(), dots: dots.collect(), joined: true }
    };
    let chart = Chart {
        title: format!("What every single {} leaves of the job's throughput", text(d, "each")),
        x: Axis::numbers("failures, the worst first", hopline::unit::short),
        y: Axis::numbers("left, %", hopline::unit::short),
        curves: vec![curve("links between switches", "left"), curve("with adapters", "throughput_left")],
        levels: Vec::new(),
    };
    let rows = failures.iter().take(LISTED).map(|f| {
        vec![
            Cell::word(text(f, "without")),
            Cell::maybe(number(f, "left"), percent),
            Cell::maybe(number(f, "throughput_left"), percent),
            Cell::maybe(number(f, "traffic_left"), percent),
            Cell::maybe(number(f, "unreachable_pairs"), |v| v.to_string()),
            Cell::word(f.pointer("/hottest/name").and_then(Value::as_str).unwrap_or("-")),
        ]
    });
    let heads = ["without", "left", "with adapters", "traffic that arrives", "unreachable pairs", "hottest link then"];
    let table = html::table("Failures, the worst first", &heads, rows);
    vec![
        Part::new("Failures by cost", html::figure(&chart.svg(), "") + &table)
            .with(json!({ "kind": "table", "name": "failures" }))
            .shows(chart),
    ]
}

fn one(d: &Value) -> Vec<Part> {
    let row = |label: &str, o: &Value| {
        vec![
            Cell::word(label),
            Cell::word(text(o, "routing")),
            Cell::maybe(number(o, "throughput_gb_s"), |v| rate(Some(v))),
            Cell::word(text(o, "bottleneck")),
            Cell::maybe(number(o, "seconds"), seconds),
            Cell::maybe(number(o, "network_gb_s"), |v| rate(Some(v))),
        ]
    };
    let states = [("before", "before"), ("before, same routing", "before_alike"), ("after", "after")];
    let rows = states.iter().filter(|s| d.get(s.1).is_some_and(Value::is_object)).map(|s| row(s.0, &d[s.1]));
    let heads = ["when", "routing", "throughput", "limited by", "time at least", "between switches"];
    let mut s = html::table("The job before and after", &heads, rows);
    let unit = unit(&d["before"]);
    for (when, key) in [("before", "hottest_before"), ("after", "hottest_after")] {
        let rows = list(d, key).iter().map(|l| {
            vec![
                Cell::word(text(l, "name")),
                Cell::word(text(l, "class")),
                Cell::maybe(number(l, "load"), |v| amount(unit, v)),
            ]
        });
        s.push_str(&html::table(&format!("Hottest links between switches, {when}"), &["link", "class", "load"], rows));
    }
    let mut lists = String::new();
    for (what, key) in [("Cables that are missing", "removed"), ("Hosts that are cut off", "cut_off")] {
        let names = texts(d, key);
        if !names.is_empty() {
            let rows = names.iter().map(|n| vec![Cell::word(*n)]);
            lists.push_str(&html::details(&format!("{what}: {}", names.len()), &html::table(what, &["name"], rows)));
        }
    }
    vec![Part::new("Before and after", s + &lists)]
}
