//! Who is slow: suspects on the fabric, and what every pair lacks of its rate.

use super::document::{list, number, text};
use super::heat::{self, Heat};
use super::html::{self, Cell};
use super::layout::layout;
use super::{Part, other};
use crate::escape::escape;
use hopline::fabric::Fabric;
use hopline::id::LinkId;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

pub(super) fn parts(d: &Value, fabric: Option<&Fabric>) -> Vec<Part> {
    let mut parts = Vec::new();
    parts.extend(fabric.and_then(|fabric| picture(d, fabric)));
    parts.extend(table(d));
    parts.extend(matrix(&d["matrix"]));
    parts.extend(other::parts(&without(d, &["suspects", "matrix"])));
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
            Cell::word(s["slow"].as_array().map_or(String::new(), |pairs| {
                pairs.iter().map(|p| format!("{} to {}", text(p, "from"), text(p, "to"))).collect::<Vec<_>>().join(", ")
            })),
        ]
    });
    let heads = ["fault", "kind", "name", "direction", "left", "confidence", "slowest pairs"];
    (!suspects.is_empty()).then(|| {
        Part::new("Suspects", html::table("Suspects, the likeliest first", &heads, rows))
            .with(json!({ "kind": "table", "name": "suspects" }))
    })
}

/// Links of the suspects of a document, each with whether it is the first of its fault.
fn suspected(d: &Value, fabric: &Fabric) -> BTreeMap<LinkId, bool> {
    let mut found = BTreeMap::new();
    let mut faults = BTreeSet::new();
    for suspect in list(d, "suspects") {
        let first = faults.insert(suspect["fault"].as_u64());
        for ends in list(suspect, "links") {
            let Some(from) = fabric.find(text(ends, "from")) else { continue };
            let port = ends["from_port"].as_u64();
            for l in fabric.out_links(from).filter(|&l| Some(u64::from(fabric.port(l))) == port) {
                let cable = l.min(fabric.reverse(l));
                *found.entry(cable).or_insert(false) |= first;
            }
        }
    }
    found
}

/// The fabric with suspects in colour: the likeliest darkest.
fn picture(d: &Value, fabric: &Fabric) -> Option<Part> {
    let made = layout(fabric);
    let suspects = suspected(d, fabric);
    if made.marks.is_empty() {
        return None;
    }
    // Nobody, one of several, the likeliest.
    let step = |l: LinkId| match suspects.get(&l.min(fabric.reverse(l))) {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    };
    let (mut lines, mut squares) = ([const { String::new() }; 3], [const { String::new() }; 3]);
    for segment in &made.segments {
        let ((x, y), (to_x, to_y)) = (segment.from, segment.to);
        let _ = write!(lines[step(segment.link)], "M{x:.0} {y:.0}L{to_x:.0} {to_y:.0}");
    }
    for mark in &made.marks {
        let own = fabric.out_links(mark.vertex).filter(|&l| fabric.is_host_link(l) && fabric.is_adapter(mark.vertex));
        let (x, y, side) = (mark.at.0 - mark.side / 2.0, mark.at.1 - mark.side / 2.0, mark.side.max(1.0));
        let _ = write!(squares[own.map(step).max().unwrap_or(0)], "M{x:.0} {y:.0}h{side:.0}v{side:.0}h-{side:.0}z");
    }
    let mut s = String::new();
    for ((x, y), r) in &made.circles {
        let _ = write!(s, "<circle class=\"group\" cx=\"{x:.0}\" cy=\"{y:.0}\" r=\"{r:.0}\"/>");
    }
    for (class, paths) in [("link", &lines), ("vertex", &squares)] {
        for (colour, path) in [0, 4, 7].iter().zip(paths).filter(|p| !p.1.is_empty()) {
            let _ = writeln!(s, "<path class=\"{class} s{colour}\" d=\"{path}\"/>");
        }
    }
    for label in &made.labels {
        let _ = write!(s, "<text x=\"{:.0}\" y=\"{:.0}\">{}</text>", label.at.0, label.at.1, escape(&label.words));
    }
    let words = match suspects.len() {
        0 => "nothing is suspected".to_string(),
        n => format!("{n} cables are suspected; those of the likeliest part are darkest, a host is a square"),
    };
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"net\" viewBox=\"0 0 10000 {:.0}\" role=\"img\" \
         aria-label=\"{}, suspects in colour\">{s}</svg>",
        made.height,
        escape(&made.caption)
    );
    let figure = html::figure(&svg, &format!("{}; {words}", made.caption));
    Some(Part::new("The fabric, suspects in colour", figure))
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
        title: "measured over expected".to_string(),
        size,
        merged: 1,
        cells,
        down: "sender".to_string(),
        across: "receiver".to_string(),
        names,
        bytes: false,
        log: false,
    };
    let words = "What each pair lacks of the rate that the fabric lets it have, beside all that ran with it: 0 where it has all, \
                 1 where it has nothing. Pairs that were not measured are empty.";
    heat::part("Measured over expected", words, &[map])
}
