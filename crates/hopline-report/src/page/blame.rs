//! Who is slow: suspects on the fabric, and what every pair lacks of its rate.

use super::document::{list, number, text};
use super::heat::{self, Heat};
use super::html::{self, Cell};
use super::marked::Marks;
use super::{Part, other};
use crate::words::count;
use hopline::fabric::Fabric;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Steps of colour of suspects: of the likeliest of a fault, and of others.
const LIKELIEST: usize = 7;
const OTHERS: usize = 4;

pub(super) fn parts(d: &Value, fabric: Option<&Fabric>) -> Vec<Part> {
    let mut parts = Vec::new();
    parts.extend(fabric.and_then(|fabric| picture(d, fabric)));
    parts.extend(table(d));
    parts.extend(cleared(d));
    parts.extend(next(d));
    parts.extend(matrix(&d["matrix"]));
    // The fabric's name stands above.
    let checked = std::iter::once(&d["checked"]).filter(|checked| checked.is_object());
    parts.extend(checked.flat_map(other::parts));
    parts.extend(other::parts(&without(d, &["suspects", "matrix", "next", "fabric", "measured"])));
    parts
}

fn without(d: &Value, keys: &[&str]) -> Value {
    let kept = d.as_object().into_iter().flatten().filter(|(key, _)| !keys.contains(&key.as_str()));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}

/// The suspects, the likeliest first.
fn table(d: &Value) -> Option<Part> {
    let suspects = list(d, "suspects");
    let left = |s: &Value| match (number(s, "rate"), number(s, "extra_us")) {
        (Some(rate), _) => Cell::number(rate, format!("{:.0} %", rate * 100.0)),
        (_, extra) => Cell::maybe(extra, |us| format!("+{us:.2} us")),
    };
    let rows = suspects.iter().map(|s| {
        vec![
            Cell::word(number(s, "fault").map_or(String::new(), |n| n.to_string())),
            Cell::word(text(s, "kind")),
            Cell::word(text(s, "name")),
            Cell::word(text(s, "direction")),
            left(s),
            Cell::maybe(number(s, "confidence"), |c| format!("{c:.3}")),
            Cell::word(if s["certain"] == false { "perhaps" } else { "yes" }),
            Cell::word(s["slow"].as_array().map_or(String::new(), |pairs| {
                pairs.iter().map(|p| format!("{} to {}", text(p, "from"), text(p, "to"))).collect::<Vec<_>>().join(", ")
            })),
        ]
    });
    let heads = ["fault", "kind", "name", "direction", "left", "confidence", "certain", "slowest pairs"];
    (!suspects.is_empty()).then(|| {
        Part::new("Suspects", html::table("Suspects, the likeliest first", &heads, rows))
            .with(json!({ "kind": "table", "name": "suspects" }))
    })
}

/// Good pairs across links of the slow pairs, which speak for those links.
fn cleared(d: &Value) -> Option<Part> {
    let rows = list(d, "suspects").iter().flat_map(|s| {
        list(s, "cleared_by").iter().map(move |p| {
            let value = |key: &str| Cell::maybe(number(p, key), |v| v.to_string());
            vec![
                Cell::word(text(s, "name")),
                Cell::word(text(p, "link")),
                Cell::word(text(p, "from")),
                Cell::word(text(p, "to")),
                value("measured"),
                value("usual"),
            ]
        })
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    let heads = ["suspect", "link that is good", "from", "to", "measured", "usual"];
    let is_known = !rows.is_empty();
    let table = html::table("Pairs that got what is usual over links that slow pairs cross, too", &heads, rows);
    is_known.then(|| Part::new("Why not the others", table).with(json!({ "kind": "table", "name": "cleared" })))
}

/// The rounds that the answer asks for.
fn next(d: &Value) -> Option<Part> {
    let rounds = list(d, "next");
    let rows = rounds.iter().zip(1..).flat_map(|(round, n)| {
        let pairs = round.as_array().into_iter().flatten();
        pairs.map(move |pair| {
            let end = |at: usize| Cell::word(pair[at].as_str().unwrap_or_default());
            vec![Cell::number(f64::from(n), n.to_string()), end(0), end(1)]
        })
    });
    let heads = ["round", "from", "to"];
    (!rounds.is_empty()).then(|| {
        Part::new("Measure next", html::table("Pairs of a round at once, one round after the other", &heads, rows))
            .with(json!({ "kind": "table", "name": "next" }))
    })
}

/// The fabric with the cables of the suspects: those of the likeliest of each fault are darkest.
fn picture(d: &Value, fabric: &Fabric) -> Option<Part> {
    let mut marks = Marks::on(fabric);
    let mut faults = BTreeSet::new();
    for suspect in list(d, "suspects") {
        let step = if faults.insert(suspect["fault"].as_u64()) { LIKELIEST } else { OTHERS };
        let sure = number(suspect, "confidence").map_or(String::new(), |c| format!(", confidence {c:.3}"));
        let words = format!("suspected: {} {}{sure}", text(suspect, "kind"), text(suspect, "name"));
        for ends in list(suspect, "links") {
            let Some(from) = fabric.find(text(ends, "from")) else { continue };
            let port = ends["from_port"].as_u64();
            let links = fabric.out_links(from).filter(|&l| Some(u64::from(fabric.port(l))) == port);
            links.for_each(|l| marks.link(l, step, &words));
        }
    }
    let caption = match marks.cables() {
        0 => "Nothing is suspected.".to_string(),
        n => format!(
            "Suspected: {}; those of the likeliest part stand out most, a host is a square.",
            count(n as u64, "cable")
        ),
    };
    marks.part("The fabric, suspects in colour", None, &caption)
}

/// What pairs lack of the rate that they should have.
fn matrix(of: &Value) -> Option<Part> {
    let names: Vec<String> = list(of, "hosts").iter().filter_map(Value::as_str).map(String::from).collect();
    let cell = |c: &Value| {
        let at = |k: usize| u32::try_from(c[k].as_u64()?).ok().filter(|i| (*i as usize) < names.len());
        Some(((at(0)?, at(1)?), (1.0 - c[2].as_f64()?).max(0.0)))
    };
    let cells: BTreeMap<(u32, u32), f64> = list(of, "cells").iter().filter_map(cell).collect();
    let size = names.len() as u32;
    let map = Heat {
        title: "part of the expected rate that is lacking".to_string(),
        size,
        merged: 1,
        cells,
        down: "sender".to_string(),
        across: "receiver".to_string(),
        names,
        bytes: false,
        log: false,
    };
    let words = "What was measured beside what should have been: what each pair lacks of the rate that the fabric lets it have, beside all that ran with it: 0 where it has all, \
                 1 where it has nothing. Pairs that were not measured are empty.";
    heat::part("Measured over expected", words, &[map])
}
