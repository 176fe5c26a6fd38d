//! Mappings side by side, and classes of links.

use super::Part;
use super::document::{list, number, text, unit};
use super::html::{self, Cell};
use crate::words::{amount, percent, rate, three};
use hopline::mapping::without_budget;
use hopline::unit::{seconds, times};
use serde_json::{Value, json};

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let best = &d["best"];
    let mut parts = vec![compared(d)];
    parts.extend(axes(d));
    parts.extend(classes_of(best, d));
    parts.extend(levels(best));
    parts.extend(spreading(d));
    parts
}

/// A row for each mapping.
fn compared(d: &Value) -> Part {
    let best = &d["best"];
    let is_best =
        |c: &Value| text(c, "mapping") == text(best, "mapping") && text(c, "routing") == text(best, "routing");
    let over = |v: Option<f64>, of: Option<f64>| match (v, of) {
        (Some(v), Some(of)) if of > 0.0 => Cell::number(v / of, times(v / of)),
        _ => Cell::word("-"),
    };
    // What is compared first: the time of the busiest link, from the throughput of both.
    let first = list(d, "candidates").first().and_then(|c| number(c, "throughput_gb_s"));
    let rows = list(d, "candidates").iter().map(|c| {
        let mark = is_best(c);
        vec![
            Cell::word(without_budget(text(c, "mapping"))).marked(mark),
            Cell::word(text(c, "routing")),
            Cell::maybe(number(c, "throughput_gb_s"), |v| rate(Some(v))).marked(mark),
            over(number(c, "throughput_gb_s"), first),
            Cell::word(text(c, "bottleneck")),
            Cell::maybe(number(c, "seconds"), seconds),
            Cell::maybe(number(c, "network_gb_s"), |v| rate(Some(v))),
            over(busy(c), number(c, "bound")),
            Cell::maybe(number(c, "max_load"), |v| amount(unit(d), v)),
            Cell::maybe(number(c, "hop_bytes"), |v| amount(unit(d), v)),
            over(number(c, "hop_bytes"), number(c, "hop_bound")),
            Cell::maybe(number(c, "dilation"), three),
            Cell::number(list(c, "runs").len() as f64, runs(c)),
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
        "between switches",
        "x the bound",
        "hottest load",
        "amount x hops",
        "x its bound",
        "mean hops",
        "runs, worst / best",
        "hottest link",
    ];
    let mut s = html::table("Mappings, the best in bold", &heads, rows);
    let searched = number(d, "evaluations").map_or(String::new(), |n| format!(" The search tried {n} moves."));
    s.push_str(&html::paragraph(&format!(
        "Objective: {}. Bounds are what no mapping of this job can be below.{searched}",
        text(d, "objective")
    )));
    Part::new("Mappings compared", s).with(json!({ "kind": "table", "name": "mappings" }))
}

/// Busy time of the busiest link (s/GB x amount), in what bounds are given; none where no link has a bandwidth.
fn busy(c: &Value) -> Option<f64> {
    let hottest = &c["hottest"];
    let class = list(c, "classes").iter().find(|class| class["name"] == hottest["class"])?;
    Some(number(hottest, "load")? / number(class, "bandwidth_gb_s")?)
}

/// How many runs with other random choices there were, and how far they are apart.
fn runs(c: &Value) -> String {
    let runs: Vec<f64> = list(c, "runs").iter().filter_map(Value::as_f64).collect();
    let (least, most) = runs.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &v| (a.min(v), b.max(v)));
    match runs.len() {
        n if n > 1 && least > 0.0 => format!("{n}, {}", times(most / least)),
        n => n.to_string(),
    }
}

/// What stays within hosts and what leaves them.
fn levels(of: &Value) -> Option<Part> {
    let rows = list(of, "levels").iter().map(|l| {
        vec![
            Cell::word(text(l, "name")),
            Cell::maybe(number(l, "share"), percent),
            Cell::maybe(number(l, "throughput_gb_s"), |v| rate(Some(v))),
            Cell::word(l["bottleneck"].as_str().unwrap_or("-")),
        ]
    });
    let heads = ["level", "of all that is sent", "throughput per host, if it alone limits", "limited by"];
    let table = html::table("Within hosts and between them", &heads, rows);
    (!list(of, "levels").is_empty()).then(|| Part::new("Within hosts and between them", table))
}

/// Groups that send to few others, and what helps.
fn spreading(d: &Value) -> Option<Part> {
    let of = &d["spreading"];
    let rows = list(of, "remedies").iter().map(|r| {
        vec![
            Cell::word(text(r, "mapping")),
            Cell::word(text(r, "routing")),
            Cell::maybe(number(r, "throughput_gb_s"), |v| rate(Some(v))),
        ]
    });
    let share = |key: &str| number(of, key).map_or("-".to_string(), percent);
    let mut facts = vec![
        ("leaves a group for one other group", share("to_one_group")),
        ("of that, consecutive groups to consecutive ones", share("consecutive")),
    ];
    let mut table = String::new();
    if !list(of, "remedies").is_empty() {
        facts.push(("throughput lost without a remedy", share("loss")));
        table = html::table("What helps, the best first", &["mapping", "routing", "throughput per host"], rows);
    }
    of.is_object().then(|| Part::new("How groups send to groups", html::facts(&facts) + &table))
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

/// What a load has of this: classes of links, levels, groups.
pub(super) fn of_load(d: &Value) -> Vec<Part> {
    [classes_of(d, d), levels(d), spreading(d)].into_iter().flatten().collect()
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
