//! What a picture shows, in numbers, as CSV: a row for every point, link or cell.

use super::Part;
use super::document::{list, text};
use super::plot::Plot;
use crate::chart::{Axis, Chart};
use serde_json::Value;
use std::fmt::Write as _;

/// The numbers of a part's picture; none where it has none.
pub(super) fn csv(part: &Part) -> Option<String> {
    if let Some(Plot::Curves(chart)) = &part.plot {
        return Some(curves(chart));
    }
    let data = part.data.as_ref()?;
    match text(data, "kind") {
        // Without loads or marks there is nothing to count.
        "fabric" if list(data, "views").is_empty() && data["marked"].is_null() => None,
        "fabric" => Some(links(data)),
        "heat" => Some(list(data, "maps").iter().fold(head(&["from", "to", "amount"]), |s, map| s + &cells(map))),
        "time" => Some(list(data, "rows").iter().fold(head(&["from_s", "busy"]), |s, row| s + &bins(data, row))),
        _ => None,
    }
}

fn head(columns: &[&str]) -> String {
    let columns: Vec<String> = columns.iter().map(|c| quoted(c)).collect();
    format!("series,{}\n", columns.join(","))
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

fn curves(chart: &Chart) -> String {
    let name = |axis: &Axis| match axis.unit {
        "" => axis.name.clone(),
        unit => format!("{} ({unit})", axis.name),
    };
    let mut s = head(&[&name(&chart.x), &name(&chart.y), "low", "high", "published"]);
    let maybe = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
    for curve in &chart.curves {
        for d in &curve.dots {
            let x = if chart.x.names.is_empty() { d.x.to_string() } else { quoted(&chart.x.word(d.x)) };
            let [low, high] = [d.range.map(|r| r.0), d.range.map(|r| r.1)].map(maybe);
            let _ = writeln!(s, "{},{x},{},{low},{high},{}", quoted(&curve.name), d.y, maybe(d.published));
        }
    }
    for (name, value) in &chart.levels {
        let _ = writeln!(s, "{},,{value},,,", quoted(name));
    }
    s
}

/// Both directions of every cable, under each mapping; or what is marked.
fn links(data: &Value) -> String {
    if data["marked"].is_object() {
        return marked(data);
    }
    let (names, cables, classes) = (list(data, "names"), list(data, "cables"), list(data, "classes"));
    let name = |at: &Value| at.as_u64().and_then(|v| names.get(v as usize)?.as_str()).unwrap_or("");
    let mut s = head(&["link", "class", "load"]);
    for view in list(data, "views") {
        for (ends, both) in cables.chunks(5).zip(list(view, "loads").chunks(2)) {
            let [a, port, b, back, class] = ends else { continue };
            let class = class.as_u64().and_then(|c| classes.get(c as usize)?[0].as_str()).unwrap_or("");
            let (there, here) = (format!("{}[{port}]", name(a)), format!("{}[{back}]", name(b)));
            for (link, load) in [format!("{there} -> {here}"), format!("{here} -> {there}")].iter().zip(both) {
                let _ = writeln!(s, "{},{},{},{load}", quoted(text(view, "name")), quoted(link), quoted(class));
            }
        }
    }
    s
}

/// What stands out, and what is said of it.
fn marked(data: &Value) -> String {
    let (names, cables) = (list(data, "names"), list(data, "cables"));
    let name = |at: u64| names.get(at as usize).and_then(Value::as_str).unwrap_or("").to_string();
    let cable = |at: usize| {
        let number = |k: usize| cables.get(5 * at + k).and_then(Value::as_u64).unwrap_or(0);
        format!("{}[{}]--{}[{}]", name(number(0)), number(1), name(number(2)), number(3))
    };
    let mut s = head(&["name", "said"]);
    for (series, key) in [("cable", "links"), ("vertex", "vertices")] {
        let all = data["marked"][key].as_object().into_iter().flatten();
        for (at, said) in all.filter_map(|(at, said)| Some((at.parse::<usize>().ok()?, said))) {
            let name = if key == "links" { cable(at) } else { name(at as u64) };
            let _ = writeln!(s, "{series},{},{}", quoted(&name), quoted(said[1].as_str().unwrap_or("")));
        }
    }
    s
}

/// Cells of a map that are not empty.
fn cells(map: &Value) -> String {
    let (size, merged) = (map["size"].as_u64().unwrap_or(1).max(1), map["merged"].as_u64().unwrap_or(1));
    let names = list(map, "names");
    let name = |at: u64| match names.get(at as usize).and_then(Value::as_str) {
        Some(name) => quoted(name),
        None if merged > 1 => format!("{} to {}", at * merged, (at + 1) * merged - 1),
        None => at.to_string(),
    };
    let (mut s, mut at) = (String::new(), 0);
    for run in list(map, "cells").chunks(3) {
        let [gap, count, value] = run else { continue };
        at += gap.as_u64().unwrap_or(0);
        for _ in 0..count.as_u64().unwrap_or(0) {
            let _ = writeln!(s, "{},{},{},{value}", quoted(text(map, "title")), name(at / size), name(at % size));
            at += 1;
        }
    }
    s
}

/// Parts of the time in which a row was busy.
fn bins(data: &Value, row: &Value) -> String {
    let bin = data["bin_s"].as_f64().unwrap_or(0.0);
    let line = |(k, busy): (usize, &Value)| format!("{},{},{busy}\n", quoted(text(row, "name")), k as f64 * bin);
    list(row, "busy").iter().enumerate().map(line).collect()
}
