//! Cables that can be off, and what that saves.

use super::Part;
use super::document::{list, number, text, texts};
use super::html::{self, Cell};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::{percent, rate, three};
use hopline::unit::{seconds, short};
use serde_json::{Value, json};

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let candidates = list(d, "candidates");
    let on = |c: &Value| number(c, "links").unwrap_or(0.0) - number(c, "off").unwrap_or(0.0);
    let name = |c: &Value| format!("{}, {}", text(c, "mapping"), text(c, "routing"));
    let curve = |c: &Value| {
        let dot = Dot::new(on(c), number(c, "throughput_gb_s")?);
        // A mark of one thing stands where it belongs, not beside those of others.
        Some(Curve { name: name(c), dots: vec![dot], joined: true })
    };
    let chart = Chart {
        title: "Throughput against links that stay on".into(),
        x: Axis::numbers("links on", short),
        y: Axis::numbers("throughput, GB/s per host", short),
        curves: candidates.iter().filter_map(curve).collect(),
        levels: Vec::new(),
    };
    let rows = candidates.iter().map(|c| {
        let share = |key: &str| Cell::maybe(number(c, key), percent);
        let links = number(c, "links").unwrap_or(0.0);
        vec![
            Cell::word(text(c, "mapping")).marked(c["on_the_curve"] == true),
            Cell::word(text(c, "routing")),
            Cell::maybe(number(c, "throughput_gb_s"), |v| rate(Some(v))),
            Cell::number(on(c), format!("{} of {links}", on(c))),
            Cell::maybe(number(c, "dark_cables"), |v| v.to_string()),
            Cell::maybe(number(c, "saved_watts"), |v| format!("{} W", three(v))),
            share("network_saving"),
            share("machine_saving"),
        ]
    });
    let heads =
        ["mapping", "routing", "throughput", "links on", "cables off", "saved", "of the network", "of the machine"];
    let words = "Bold: no other has as much throughput with fewer links on. Of links in cables: what joins a router to itself is \
                 always on, and not counted.";
    let table = html::table(words, &heads, rows);
    let picture = if candidates.len() > 1 { html::figure(&chart.svg(), "") } else { String::new() };
    let mut parts = vec![
        Part::new("What can be off", picture + &table).with(json!({ "kind": "table", "name": "power" })).shows(chart),
    ];
    for c in candidates {
        parts.extend(policies(c));
        parts.extend(over_time(c));
        parts.extend(dark(c));
    }
    parts
}

fn policies(c: &Value) -> Option<Part> {
    let rows = list(c, "policies").iter().map(|p| {
        let time = |key: &str| Cell::maybe(number(p, key), seconds);
        let sum = |key: &str| list(p, "classes").iter().filter_map(|class| number(class, key)).sum::<f64>();
        let links = number(p, "joules").zip(number(p, "all_on_joules")).map(|(now, all)| 1.0 - now / all);
        vec![
            Cell::word(text(p, "policy")),
            time("all_on_s"),
            time("makespan_s"),
            Cell::maybe(links.filter(|saved| saved.is_finite()), percent),
            Cell::maybe(number(p, "machine_saving"), percent),
            Cell::number(sum("woken"), short(sum("woken"))),
            Cell::number(sum("waited_s"), seconds(sum("waited_s"))),
        ]
    });
    let heads = [
        "policy",
        "time, all on",
        "time",
        "energy of links saved",
        "of the machine",
        "times woken",
        "waited for links",
    ];
    let table = html::table("Policies that switch cables while the job runs", &heads, rows);
    (!list(c, "policies").is_empty()).then(|| Part::new(format!("Policies, {}", text(c, "mapping")), table))
}

/// Watts of all links in every bin of the job's time, a curve for each policy.
fn over_time(c: &Value) -> Option<Part> {
    let curve = |p: &Value| {
        let rows: Vec<&[Value]> = list(p, "timeline").iter().map(|class| list(class, "watts")).collect();
        let bins = rows.iter().map(|watts| watts.len()).max().filter(|bins| *bins > 0)?;
        let bin = number(p, "bin_s")?;
        let watts = |k: usize| rows.iter().filter_map(|watts| watts.get(k)?.as_f64()).sum::<f64>();
        let dots = (0..bins).map(|k| Dot::new((k as f64 + 0.5) * bin, watts(k))).collect();
        Some(Curve { name: text(p, "policy").to_string(), dots, joined: true })
    };
    let all_on = list(c, "policies")
        .first()
        .map(|p| list(p, "timeline").iter().filter_map(|class| number(class, "all_on")).sum());
    let chart = Chart {
        title: format!("Watts of links over time, {}", text(c, "mapping")),
        x: Axis::numbers("time", seconds).measured("s"),
        y: Axis::numbers("watts of all links", short),
        curves: list(c, "policies").iter().filter_map(curve).collect(),
        levels: all_on.map(|watts: f64| ("all on".to_string(), watts)).into_iter().collect(),
    };
    if chart.curves.is_empty() {
        return None;
    }
    let rows = chart.curves.iter().flat_map(|curve| {
        curve.dots.iter().map(|dot| {
            vec![
                Cell::word(&curve.name),
                Cell::number(dot.x, seconds(dot.x)),
                Cell::number(dot.y, format!("{} W", three(dot.y))),
            ]
        })
    });
    let table = html::details(
        "As numbers",
        &html::table("Watts in the middle of every bin", &["policy", "time", "watts"], rows),
    );
    Some(Part::new(&chart.title, html::figure(&chart.svg(), "") + &table).shows(chart))
}

fn dark(c: &Value) -> Option<Part> {
    let names = texts(c, "dark");
    let all = number(c, "dark_cables").unwrap_or(0.0);
    let table = html::table(
        &format!("{} of {all} cables that are off", names.len()),
        &["cable"],
        names.iter().map(|n| vec![Cell::word(*n)]),
    );
    (!names.is_empty()).then(|| Part::new(format!("Cables that are off, {}", text(c, "mapping")), table))
}
