//! Mappings side by side, and classes of links.

use super::Part;
use super::document::{list, number, text, unit};
use super::html::{self, Cell};
use crate::words::{amount, percent, rate, three};
use hopline::unit::seconds;
use serde_json::{Value, json};

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let best = &d["best"];
    let is_best =
        |c: &Value| text(c, "mapping") == text(best, "mapping") && text(c, "routing") == text(best, "routing");
    let times = |v: Option<f64>, of: Option<f64>| match (v, of) {
        (Some(v), Some(of)) if of > 0.0 => Cell::number(v / of, format!("{:.2}x", v / of)),
        _ => Cell::word("-"),
    };
    // What is compared first: the time of the busiest link, from the throughput of both.
    let first = list(d, "candidates").first().and_then(|c| number(c, "throughput_gb_s"));
    let rows = list(d, "candidates").iter().map(|c| {
        let mark = is_best(c);
        vec![
            Cell::word(text(c, "mapping")).marked(mark),
            Cell::word(text(c, "routing")),
            Cell::maybe(number(c, "throughput_gb_s"), |v| rate(Some(v))).marked(mark),
            times(number(c, "throughput_gb_s"), first),
            Cell::word(text(c, "bottleneck")),
            Cell::maybe(number(c, "seconds"), seconds),
            Cell::maybe(number(c, "max_load"), |v| amount(unit(d), v)),
            Cell::maybe(number(c, "hop_bytes"), |v| amount(unit(d), v)),
            Cell::maybe(number(c, "dilation"), three),
            Cell::word(c.pointer("/hottest/name").and_then(Value::as_str).unwrap_or("-")),
        ]
    });
    let heads = [
        "mapping",
        "routing",
        "throughput",
        "x the first",
        "limited by",
        "time at least",
        "hottest load",
        "amount x hops",
        "mean hops",
        "hottest link",
    ];
    let table = html::table("Mappings, the best in bold", &heads, rows);
    let mut parts = vec![Part::new("Mappings compared", table).with(json!({ "kind": "table", "name": "mappings" }))];
    parts.extend(axes(d));
    parts.extend(classes_of(best, d));
    parts
}

/// Where the axes of a training job are.
fn axes(d: &Value) -> Option<Part> {
    let all = list(d, "axes");
    let places: Vec<&str> = list(all.first()?, "places").iter().map(|place| text(place, "place")).collect();
    let heads: Vec<&str> = ["axis", "ranks", "sends"].into_iter().chain(places).chain(["on one rail"]).collect();
    let share = |value: Option<f64>| Cell::maybe(value, percent);
    let rows = all.iter().map(|axis| {
        let mut row = vec![
            Cell::word(text(axis, "axis")),
            Cell::maybe(number(axis, "ranks"), |n| n.to_string()),
            Cell::maybe(number(axis, "bytes"), |bytes| amount(unit(d), bytes)),
        ];
        row.extend(list(axis, "places").iter().map(|place| share(number(place, "share"))));
        row.push(share(number(axis, "on_one_rail")));
        row
    });
    let table = html::table("Where the best mapping has the axes of the job", &heads, rows);
    Some(Part::new("Axes", table).with(json!({ "kind": "table", "name": "axes" })))
}

/// The classes of links of a load.
pub(super) fn classes(d: &Value) -> Option<Part> {
    classes_of(d, d)
}

fn classes_of(of: &Value, d: &Value) -> Option<Part> {
    let unit = unit(d);
    let rows = list(of, "classes").iter().map(|c| {
        let links = number(c, "links").unwrap_or(0.0);
        vec![
            Cell::word(text(c, "name")).marked(text(c, "name") == text(of, "bottleneck")),
            Cell::maybe(number(c, "bandwidth_gb_s"), |v| rate(Some(v))),
            Cell::number(links, links.to_string()),
            Cell::maybe(number(c, "used"), |v| percent(v / links.max(1.0))),
            Cell::maybe(number(c, "max_load"), |v| amount(unit, v)),
            Cell::maybe(number(c, "mean_load"), |v| amount(unit, v)),
            Cell::maybe(number(c, "throughput_gb_s"), |v| rate(Some(v))),
        ]
    });
    let heads = ["class", "bandwidth", "links", "used", "largest load", "mean load", "throughput if it alone limits"];
    let table = html::table("Classes of links, the one that limits in bold", &heads, rows);
    (!list(of, "classes").is_empty()).then(|| Part::new("Classes of links", table))
}
