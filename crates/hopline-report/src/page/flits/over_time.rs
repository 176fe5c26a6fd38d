//! Latency, loads and queues over time, where intervals were recorded.

use super::super::Part;
use super::super::document::{list, number, text};
use super::super::html;
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::three;
use hopline::unit::short;
use serde_json::Value;

pub(in super::super) fn parts(d: &Value) -> Vec<Part> {
    list(d, "points").iter().filter(|point| !list(point, "series").is_empty()).flat_map(one).collect()
}

/// The interval's middle, and a figure there.
fn dots<'a>(series: &'a [Value], of: impl Fn(&'a Value) -> Option<f64>) -> Vec<Dot> {
    let at = |i: &Value| Some(number(i, "from_cycle")? + number(i, "cycles")? / 2.0);
    series.iter().filter_map(|i| Some(Dot::new(at(i)?, of(i)?))).collect()
}

fn one(point: &Value) -> Vec<Part> {
    let series = list(point, "series");
    let classes: Vec<&str> =
        series.first().map_or(Vec::new(), |i| list(i, "classes").iter().map(|c| text(c, "name")).collect());
    let by_class = |key: &'static str| -> Vec<Curve> {
        let curve = |(k, name): (usize, &&str)| Curve {
            name: (*name).into(),
            dots: dots(series, |i| number(list(i, "classes").get(k)?, key)),
            joined: true,
        };
        classes.iter().enumerate().map(curve).collect()
    };
    let load = number(point, "load").map_or(String::new(), |load| format!(", load {}", short(load)));
    let part = |title: &str, y: Axis, curves: Vec<Curve>| {
        let title = format!("{title} over time{load}");
        let chart = Chart { title: title.clone(), x: Axis::numbers("cycle", short), y, curves, levels: Vec::new() };
        Part::new(title, html::figure(&chart.svg(), "")).shows(chart)
    };
    let all = |name: &str, key: &'static str| {
        vec![Curve { name: name.into(), dots: dots(series, |i| number(i, key)), joined: true }]
    };
    vec![
        part("Latency", Axis::numbers("cycles, mean", three), all("all packets", "latency_cycles")),
        part("Arriving", Axis::numbers("flits per cycle and endpoint", short), all("accepted", "accepted")),
        part("Busiest link of each class", Axis::numbers("flits per cycle", short), by_class("max_load")),
        part("Waiting flits", Axis::numbers("flits, mean over links of a class", three), by_class("mean_queue")),
    ]
}
