//! Machines side by side: what they cost and what they carry.

use super::Part;
use super::document::{list, number, text, texts};
use super::html::{self, Cell};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::{rate, three};
use hopline::unit::short;
use serde_json::{Value, json};

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let machines = list(d, "machines");
    let name = |m: &Value| format!("{}, {}", text(m, "fabric"), text(m, "routing"));
    let best = |m: &Value| m["fabric"] == d["verdict"]["use"] && m["routing"] == d["verdict"]["routing"];
    let rows = machines.iter().map(|m| {
        let cell = |key: &str| Cell::maybe(number(m, key), three);
        let whole = |key: &str| Cell::maybe(number(m, key), |v| v.to_string());
        let cables: f64 = list(m, "cables").iter().filter_map(|c| number(c, "cables")).sum();
        vec![
            Cell::word(text(m, "fabric")).marked(best(m)),
            Cell::word(text(m, "routing")),
            whole("hosts"),
            whole("switches"),
            whole("radix"),
            Cell::number(cables, cables.to_string()),
            whole("diameter"),
            Cell::maybe(number(m, "bisection_gb_s"), |v| rate(Some(v))),
            cell("cost"),
            cell("cost_per_host"),
            cell("watts"),
            cell("watts_per_host"),
        ]
    });
    let heads = [
        "machine",
        "routing",
        "hosts",
        "switches",
        "radix",
        "cables",
        "diameter",
        "bisection",
        "cost",
        "for each host",
        "watts",
        "W for each host",
    ];
    let table = html::table("Bold: carries the most for its price", &heads, rows);
    let mut parts = vec![Part::new("What is built", table).with(json!({ "kind": "table", "name": "machines" }))];
    for (k, job) in texts(d, "jobs").into_iter().enumerate() {
        let of = |m: &Value, key: &str| list(m, "jobs").get(k).and_then(|cell| number(cell, key));
        let curve = |m: &Value| {
            let dot = Dot::new(number(m, "cost_per_host")?, of(m, "throughput_gb_s")?);
            // A mark of one thing stands where it belongs, not beside those of others.
            Some(Curve { name: name(m), dots: vec![dot], joined: true })
        };
        let chart = Chart {
            title: format!("What machines carry over what they cost, {job}"),
            x: Axis::numbers("cost for each host", short),
            y: Axis::numbers("throughput, GB/s per host", short),
            curves: machines.iter().filter_map(curve).collect(),
            levels: Vec::new(),
        };
        let known =
            |key: &str| machines.iter().any(|m| list(m, "jobs").get(k).is_some_and(|cell| !cell[key].is_null()));
        let (simulated, lacking) = (known("saturation"), known("missing"));
        let rows = machines.iter().map(|m| {
            let cell = |key: &str| Cell::maybe(of(m, key), three);
            let word = |key: &str| Cell::word(list(m, "jobs").get(k).map_or("", |cell| text(cell, key)));
            let mut row = vec![
                Cell::word(text(m, "fabric")).marked(best(m)),
                Cell::word(text(m, "routing")),
                word("traffic"),
                Cell::maybe(of(m, "throughput_gb_s"), |v| rate(Some(v))),
                word("bottleneck"),
                cell("mean_hops"),
                cell("gb_s_per_1000"),
                cell("gb_s_per_watt"),
            ];
            row.extend(simulated.then(|| cell("saturation")));
            row.extend(lacking.then(|| word("missing")));
            row
        });
        let heads: Vec<&str> = [
            "machine",
            "routing",
            "traffic",
            "throughput",
            "limited by",
            "mean hops",
            "GB/s for 1000",
            "GB/s for a watt",
        ]
        .into_iter()
        .chain(simulated.then_some("saturation"))
        .chain(lacking.then_some("missing"))
        .collect();
        let table = html::table(&format!("Under {job}"), &heads, rows);
        parts.push(
            Part::new(format!("Under {job}"), html::figure(&chart.svg(), "") + &table)
                .with(json!({ "kind": "table", "name": format!("job-{k}") }))
                .shows(chart),
        );
    }
    parts
}
