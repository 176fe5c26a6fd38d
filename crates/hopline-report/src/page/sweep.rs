//! Points of a sweep as curves: a result over a number that was varied, a curve for each value of everything else, with
//! a band over seeds.

use super::document::{list, number, word};
use super::html::{self, Cell};
use super::{Part, other};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::three;
use hopline::unit::short;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Charts of a sweep whose document has more results than anybody looks at.
const CHARTS: usize = 8;
/// Points in the table.
const LISTED: usize = 2000;
/// Curves in a chart.
const CURVES: usize = 16;
/// What people look at first.
const FIRST: [&str; 10] = [
    "latency_cycles",
    "accepted",
    "throughput_gb_s",
    "makespan_s",
    "time_s",
    "max_load",
    "hop_bytes",
    "machine_saving",
    "left",
    "bound",
];
const SEED: &str = "seed";
/// What a command repeats of its settings: no result.
const REPEATED: [&str; 2] = ["offered", "virtual_channels"];
/// What a sweep is about, the first of these that it has, and whether more of it is better.
const SOUGHT: [(&str, bool); 6] = [
    ("accepted", true),
    ("throughput_gb_s", true),
    ("machine_saving", true),
    ("makespan_s", false),
    ("time_s", false),
    ("max_load", false),
];

/// The best point, and what is not there.
pub(super) fn sentence(d: &Value) -> String {
    let points: Vec<&Map<String, Value>> = list(d, "points").iter().filter_map(Value::as_object).collect();
    let absent = |key: &str, word: &str| match number(d, key) {
        Some(n) if n > 0.0 => format!(", {n} {word}"),
        _ => String::new(),
    };
    let count = format!("{} points{}{}", points.len(), absent("missing", "missing"), absent("failed", "failed"));
    best(d, &points).map_or_else(|| format!("{count}."), |best| format!("{best} ({count})."))
}

fn best(d: &Value, points: &[&Map<String, Value>]) -> Option<String> {
    let of = |p: &Map<String, Value>, key: &str| p.get(key).and_then(Value::as_f64);
    let (key, more) = sought(points)?;
    let good = |p: &Map<String, Value>| of(p, key).map(|v| if more { v } else { -v });
    let rated = points.iter().filter_map(|p| good(p).map(|v| (v, *p)));
    // The first of equals.
    let (_, best) = rated.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    let varied = parameters(d, points).into_iter().filter(|p| p != SEED && values(points, p).len() > 1);
    let setting = varied.filter_map(|p| Some(format!("{} {}", p.replace('_', " "), word(best.get(&p)?))));
    let setting = setting.collect::<Vec<_>>().join(", ");
    let unit = list(d, "results").iter().find(|r| r["name"] == key).and_then(|r| r["unit"].as_str());
    let unit = unit.map_or(String::new(), |unit| format!(" {unit}"));
    let (name, value) = (other::heading(key), three(of(best, key)?));
    let side = if more { "highest" } else { "lowest" };
    Some(format!("The {side} {name}, {value}{unit}, is that of {setting}"))
}

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let points: Vec<&Map<String, Value>> = list(d, "points").iter().filter_map(Value::as_object).collect();
    let parameters = parameters(d, &points);
    let mut parts = Vec::new();
    if let Some(x) = varied(&points, &parameters) {
        for result in results(d, &points, &parameters) {
            let axes = [titled(d, "parameters", &x), titled(d, "results", &result)];
            let chart = chart(&points, &parameters, (&x, &result), axes);
            let caption = match values(&points, SEED).len() {
                0 | 1 => "Bands are the intervals that hold the true value with 95 % probability.",
                _ => "Bands reach from the least to the greatest of several seeds; the curve is their mean.",
            };
            let beyond = match result.starts_with("latency") && points.iter().any(|p| is_saturated(p)) {
                true => " Points beyond saturation are left out.",
                false => "",
            };
            let has_bands = chart.curves.iter().flat_map(|c| &c.dots).any(|d| d.range.is_some());
            let svg = chart.svg();
            if !svg.is_empty() {
                parts.push(
                    Part::new(
                        &chart.title,
                        html::figure(&svg, &format!("{}{beyond}", if has_bands { caption } else { "" })),
                    )
                    .shows(chart),
                );
            }
        }
    }
    if !points.is_empty() {
        parts.extend(ranked(d, &points, &parameters));
    }
    for key in ["failures", "failed_points"] {
        if !list(d, key).is_empty() {
            parts.push(other::listed(&key.replace('_', " "), list(d, key)));
        }
    }
    if !points.is_empty() {
        let whole = other::listed("every column", list(d, "points"));
        parts.push(Part { html: html::details("All that is known of every point", &whole.html), ..whole });
    }
    parts
}

/// What was varied and what came of it, the best points first.
fn ranked(d: &Value, points: &[&Map<String, Value>], parameters: &[String]) -> Option<Part> {
    let varied = parameters.iter().filter(|p| values(points, p).len() > 1);
    let keys: Vec<String> = varied.cloned().chain(results(d, points, parameters)).collect();
    let cell = |p: &Map<String, Value>, key: &String| match p.get(key) {
        Some(value) => value.as_f64().map_or_else(|| Cell::word(word(value)), |v| Cell::number(v, three(v))),
        None => Cell::word("-"),
    };
    let (goal, more) = sought(points).unwrap_or(("", true));
    let good = |p: &Map<String, Value>| {
        p.get(goal).and_then(Value::as_f64).map_or(f64::NEG_INFINITY, |v| if more { v } else { -v })
    };
    let mut order = points.to_vec();
    order.sort_by(|a, b| good(b).total_cmp(&good(a)));
    let rows = order.iter().take(LISTED).map(|p| keys.iter().map(|key| cell(p, key)).collect());
    let heads: Vec<String> = keys.iter().map(|key| other::heading(key)).collect();
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let first =
        if goal.is_empty() { String::new() } else { format!(", by {}, the best first", goal.replace('_', " ")) };
    let caption = match points.len() {
        n if n > LISTED => format!("{LISTED} of {n} points{first}"),
        n => format!("{n} points{first}"),
    };
    let table = html::table(&caption, &heads, rows);
    (!keys.is_empty()).then(|| Part::new("Points", table).with(json!({ "kind": "table", "name": "points" })))
}

/// The result that the sweep is about, and whether more of it is better.
fn sought(points: &[&Map<String, Value>]) -> Option<(&'static str, bool)> {
    let has = |key: &str| points.iter().any(|p| p.get(key).is_some_and(Value::is_number));
    SOUGHT.into_iter().find(|s| has(s.0))
}

/// Names in a list of texts or of objects with a name.
fn named(d: &Value, key: &str) -> Vec<String> {
    let name = |v: &Value| v.as_str().or_else(|| v.get("name")?.as_str()).map(String::from);
    match d.get(key) {
        Some(Value::Object(object)) => object.keys().cloned().collect(),
        _ => list(d, key).iter().filter_map(name).collect(),
    }
}

/// What was varied: as the document says, else what has few values for so many points.
fn parameters(d: &Value, points: &[&Map<String, Value>]) -> Vec<String> {
    let said = named(d, "parameters");
    if !said.is_empty() {
        return said;
    }
    let Some(first) = points.first() else { return Vec::new() };
    let few = |key: &&String| key.as_str() == SEED || 2 * values(points, key).len() <= points.len();
    let known = |key: &&String| !FIRST.contains(&key.as_str()) && !key.ends_with("_ci");
    first.keys().filter(known).filter(few).cloned().collect()
}

fn values(points: &[&Map<String, Value>], key: &str) -> BTreeSet<String> {
    points.iter().filter_map(|p| p.get(key)).map(Value::to_string).collect()
}

fn is_number(points: &[&Map<String, Value>], key: &str) -> bool {
    let mut there = points.iter().filter_map(|p| p.get(key)).filter(|v| !v.is_null()).peekable();
    there.peek().is_some() && there.all(Value::is_number)
}

/// The number with the most values.
fn varied(points: &[&Map<String, Value>], parameters: &[String]) -> Option<String> {
    let numbers = parameters.iter().filter(|p| *p != SEED && is_number(points, p));
    let counted = numbers.map(|p| (values(points, p).len(), p)).filter(|n| n.0 > 1);
    // The first of equals: a product's outer list is written first.
    counted.rev().max_by_key(|n| n.0).map(|n| n.1.clone())
}

fn results(d: &Value, points: &[&Map<String, Value>], parameters: &[String]) -> Vec<String> {
    let said = named(d, "results");
    let all: Vec<String> = match points.first() {
        _ if !said.is_empty() => said,
        Some(first) => first.keys().filter(|k| !parameters.contains(k)).cloned().collect(),
        None => Vec::new(),
    };
    let worth = |key: &&String| {
        is_number(points, key)
            && values(points, key).len() > 1
            && !key.ends_with("_ci")
            && !REPEATED.contains(&key.as_str())
    };
    let mut all: Vec<String> = all.iter().filter(worth).cloned().collect();
    all.sort_by_key(|key| FIRST.iter().position(|f| f == key).unwrap_or(FIRST.len()));
    all.truncate(CHARTS);
    all
}

/// Where a point lies, and half its interval where that is known.
type Sample = (f64, f64, Option<f64>);

/// Whether a point is beyond saturation, where latencies grow for as long as one measures.
fn is_saturated(p: &Map<String, Value>) -> bool {
    p.get("saturated") == Some(&Value::Bool(true))
}

/// A name with its unit, where the document says one.
fn titled(d: &Value, key: &str, name: &str) -> String {
    let own = list(d, key).iter().find(|v| v["name"] == name);
    let words = name.replace('_', " ");
    match own.and_then(|v| v["unit"].as_str()) {
        Some(unit) => format!("{words} ({unit})"),
        None => words,
    }
}

fn chart(
    points: &[&Map<String, Value>],
    parameters: &[String],
    (x, result): (&str, &str),
    [x_title, y_title]: [String; 2],
) -> Chart {
    let others: Vec<&String> =
        parameters.iter().filter(|p| *p != x && *p != SEED && values(points, p).len() > 1).collect();
    let interval = format!("{}_ci", result.trim_end_matches("_cycles"));
    let mut samples: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for p in points {
        // A number says what it is of; words do so themselves.
        let named = |o: &&String| {
            let value = p.get(*o)?;
            let name = o.rsplit('.').next().unwrap_or(o);
            Some(if value.is_number() { format!("{name} {}", word(value)) } else { word(value) })
        };
        let name: Vec<String> = others.iter().filter_map(named).collect();
        let is_told = !(result.starts_with("latency") && is_saturated(p));
        let of = |key: &str| p.get(key).and_then(Value::as_f64);
        let place = of(x).zip(of(result)).filter(|_| is_told).map(|(x, y)| (x, y, of(&interval)));
        samples.entry(name.join(", ")).or_default().extend(place);
    }
    let curve = |(name, mut all): (String, Vec<Sample>)| {
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let dots = all.chunk_by(|a, b| a.0 == b.0).map(|same| {
            let mean = same.iter().map(|s| s.1).sum::<f64>() / same.len() as f64;
            let range = match same {
                [(_, y, interval)] => interval.map(|half| (y - half, y + half)),
                [first, .., last] => Some((first.1, last.1)),
                [] => None,
            };
            Dot { range, ..Dot::new(same[0].0, mean) }
        });
        let name = if name.is_empty() { result.replace('_', " ") } else { name };
        Curve { name, dots: dots.collect(), joined: true }
    };
    Chart {
        title: format!("{} over {}", other::heading(result), other::heading(x)),
        x: Axis::numbers(x_title, short),
        y: Axis::numbers(y_title, short),
        curves: samples.into_iter().map(curve).filter(|c| !c.dots.is_empty()).take(CURVES).collect(),
        levels: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn seeds_become_bands_and_other_lists_curves() {
        let mut points = Vec::new();
        for routing in ["minimal", "valiant-any"] {
            for load in [0.1, 0.2, 0.3] {
                for seed in [1, 2, 3] {
                    points.push(json!({"routing": routing, "load": load, "seed": seed, "accepted": load - 0.001 * f64::from(seed), "latency_ci": 3.0}));
                }
            }
        }
        let d = json!({"command": "sweep", "points": points, "missing": 0, "failed": 0});
        let points: Vec<_> = list(&d, "points").iter().filter_map(Value::as_object).collect();
        let parameters = parameters(&d, &points);
        assert_eq!(varied(&points, &parameters).as_deref(), Some("load"));
        assert_eq!(results(&d, &points, &parameters), ["accepted"]);
        let d = json!({"parameters": [{"name": "load", "unit": "flits per cycle"}], "results": [{"name": "accepted", "unit": null}]});
        let axes = [titled(&d, "parameters", "load"), titled(&d, "results", "accepted")];
        assert_eq!(axes, ["load (flits per cycle)", "accepted"]);
        let chart = chart(&points, &parameters, ("load", "accepted"), axes);
        let names: Vec<&str> = chart.curves.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["minimal", "valiant-any"]);
        assert_eq!(chart.curves[0].dots.len(), 3);
        assert_eq!(chart.curves[0].dots[1].range, Some((0.2 - 0.003, 0.2 - 0.001)));
    }
}
