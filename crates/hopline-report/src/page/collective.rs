//! Algorithms and orders of a collective by predicted time.

use super::Part;
use super::document::{list, number, text};
use super::html::{self, Cell};
use crate::chart::{Axis, Chart, Curve, Dot};
use hopline::unit::{bytes, seconds};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let sizes = list(d, "sizes");
    let mut times: BTreeMap<(String, String), Vec<Dot>> = BTreeMap::new();
    for size in sizes {
        let Some(count) = number(size, "bytes") else { continue };
        for t in list(size, "tried") {
            let key = (text(t, "algorithm").to_string(), text(t, "order").to_string());
            times.entry(key).or_default().extend(number(t, "time_s").map(|s| Dot::new(count, s)));
        }
    }
    // An algorithm is drawn in its fastest order: that of the largest size.
    let last = |dots: &[Dot]| dots.last().map_or(f64::INFINITY, |d| d.y);
    let mut best: BTreeMap<&str, (&str, &[Dot])> = BTreeMap::new();
    for ((algorithm, order), dots) in &times {
        let known = best.entry(algorithm).or_insert((order, dots));
        if last(dots) < last(known.1) {
            *known = (order, dots);
        }
    }
    let curve = |(algorithm, (order, dots)): (&&str, &(&str, &[Dot]))| Curve {
        name: format!("{algorithm}, {order}"),
        dots: dots.to_vec(),
        joined: true,
    };
    let chart = Chart {
        title: format!("{} by size", text(d, "operation")),
        x: Axis::numbers("bytes", bytes)
            .measured("B")
            .logarithmic(sizes.iter().all(|s| number(s, "bytes").unwrap_or(0.0) > 0.0)),
        y: Axis::numbers("time", seconds).measured("s").logarithmic(true),
        curves: best.iter().map(curve).collect(),
        levels: Vec::new(),
    };
    let rows = sizes.iter().flat_map(|size| {
        let best = number(&size["best"], "time_s").unwrap_or(f64::NAN);
        list(size, "tried").iter().map(move |t| {
            let time = number(t, "time_s");
            vec![
                Cell::maybe(number(size, "bytes"), bytes),
                Cell::word(text(t, "algorithm")).marked(time == Some(best)),
                Cell::word(text(t, "order")),
                Cell::maybe(time, seconds),
                Cell::maybe(time.map(|t| t / best).filter(|x| x.is_finite()), hopline::unit::times),
            ]
        })
    });
    let table = html::table(
        "The fastest of each size in bold",
        &["bytes", "algorithm", "order", "time", "x the fastest"],
        rows,
    );
    let picture = if sizes.len() > 1 {
        html::figure(&chart.svg(), "Each algorithm in the order that is its fastest for the largest size.")
    } else {
        String::new()
    };
    vec![
        Part::new("Algorithms and orders", picture + &table)
            .with(json!({ "kind": "table", "name": "collective" }))
            .shows(chart),
    ]
}
