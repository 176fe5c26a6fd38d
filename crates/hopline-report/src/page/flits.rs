//! Latency and throughput against offered load, with confidence bands.

mod over_time;

use super::Part;
use super::document::{list, number, text, word};
use super::html::{self, Cell};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::three;
use hopline::unit::short;
use serde_json::{Value, json};

pub(super) fn parts(runs: &[&Value]) -> Vec<Part> {
    let mut parts = curves(runs);
    parts.extend(runs.iter().map(|d| points(d)));
    parts.extend(runs.iter().filter_map(|d| failure(d)));
    parts.extend(runs.iter().filter_map(|d| energy(d)));
    parts.extend(runs.iter().flat_map(|d| over_time::parts(d)));
    parts
}

/// What tells a run from others: the first of these in which they differ.
fn names(runs: &[&Value]) -> Vec<String> {
    let keys = ["routing", "traffic", "fabric", "mapping", "router", "inject", "seed"];
    let of = |d: &Value, key: &str| d.get(key).map_or(String::new(), word);
    let differs: Vec<&str> =
        keys.into_iter().filter(|key| runs.iter().any(|d| of(d, key) != of(runs[0], key))).collect();
    let keys = if differs.is_empty() { &keys[..1] } else { &differs[..] };
    runs.iter().map(|d| keys.iter().map(|key| of(d, key)).collect::<Vec<_>>().join(", ")).collect()
}

/// Curves of one run or several.
pub(super) fn curves(runs: &[&Value]) -> Vec<Part> {
    let names = names(runs);
    let curve = |y: &'static str, ci: &'static str, keep: fn(&Value) -> bool| -> Vec<Curve> {
        let one = |(d, name): (&&Value, &String)| {
            let dots = list(d, "points").iter().filter(|p| keep(p)).filter_map(|p| {
                let value = number(p, y)?;
                let range = number(p, ci).map(|half| (value - half, value + half));
                Some(Dot { range, ..Dot::new(number(p, "load")?, value) })
            });
            Curve { name: name.clone(), dots: dots.collect(), joined: true }
        };
        runs.iter().zip(&names).map(one).collect()
    };
    let load = || Axis::numbers("offered load, flits per cycle and endpoint", short);
    let mut accepted = curve("accepted", "accepted_ci", |_| true);
    let all: Vec<f64> = accepted.iter().flat_map(|c| &c.dots).map(|d| d.x).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let most = all.iter().copied().fold(0.0, f64::max);
    let ideal = vec![Dot::new(0.0, 0.0), Dot::new(most, most)];
    accepted.push(Curve { name: "everything arrives".into(), dots: ideal, joined: true });
    // In saturation the latency grows with the run and says nothing.
    let latency = Chart {
        title: "Latency".into(),
        x: load(),
        y: Axis::numbers("cycles, mean", three),
        curves: curve("latency_cycles", "latency_ci", |p| p["saturated"] != true),
        levels: Vec::new(),
    };
    let mut levels: Vec<(String, f64)> = Vec::new();
    for (d, name) in runs.iter().zip(&names) {
        let what =
            if runs.len() > 1 { format!("limit of the links, {name}") } else { "limit of the links".to_string() };
        levels.extend(number(d, "analytic_limit").filter(|l| *l <= 1.5 * most.max(1e-9)).map(|limit| (what, limit)));
    }
    let throughput = Chart {
        title: "Throughput".into(),
        x: load(),
        y: Axis::numbers("accepted, flits per cycle and endpoint", short),
        curves: accepted,
        levels,
    };
    let percent = runs.first().and_then(|d| number(d, "confidence")).unwrap_or(0.95) * 100.0;
    let bands = format!("Bands: the true mean lies inside with a probability of {} %.", short(percent));
    vec![
        Part::new(
            "Latency against offered load",
            html::figure(&latency.svg(), &format!("{bands} Saturated loads are left out.")),
        )
        .shows(latency),
        Part::new("Throughput against offered load", html::figure(&throughput.svg(), &bands)).shows(throughput),
    ]
}

fn points(d: &Value) -> Part {
    let rows = list(d, "points").iter().map(|p| {
        let of = |key: &str| Cell::maybe(number(p, key), three);
        let state = match (p["deadlock"].is_null(), p["saturated"] == true) {
            (false, _) => "deadlock",
            (true, true) => "saturated",
            (true, false) => "",
        };
        let busiest: Vec<String> = list(p, "classes")
            .iter()
            .map(|c| {
                format!(
                    "{} {} ({})",
                    text(c, "name"),
                    number(c, "max_load").map_or("-".into(), three),
                    text(c, "busiest")
                )
            })
            .collect();
        vec![
            of("load"),
            of("accepted"),
            of("accepted_ci"),
            of("latency_cycles"),
            of("latency_ci"),
            of("latency_p50"),
            of("latency_p99"),
            of("cycles"),
            of("link_hops"),
            Cell::word(state),
            Cell::word(busiest.join(", ")),
        ]
    });
    let heads = [
        "load",
        "accepted",
        "+-",
        "latency",
        "+-",
        "median",
        "99 %",
        "cycles",
        "link hops",
        "state",
        "busiest links, flits per cycle",
    ];
    let caption = "Loads in flits per cycle and endpoint, latencies in cycles";
    Part::new("Points", html::table(caption, &heads, rows)).with(json!({ "kind": "table", "name": "flits" }))
}

/// What a failure during the run did, where there was one.
fn failure(d: &Value) -> Option<Part> {
    let failed = d.get("failure").filter(|f| f.is_object())?;
    let rows = list(d, "points").iter().filter_map(|p| Some((p, p.get("failure")?))).map(|(p, losses)| {
        let mut cells = vec![Cell::maybe(number(p, "load"), three)];
        cells.extend(["dropped", "resumed_cycle"].map(|key| Cell::maybe(number(losses, key), short)));
        for span in ["before", "during", "after"].map(|key| &losses[key]) {
            cells.extend(["accepted", "latency_cycles"].map(|key| Cell::maybe(number(span, key), three)));
        }
        cells
    });
    let heads = [
        "load",
        "packets dropped",
        "new routes in cycle",
        "before",
        "latency",
        "until then",
        "latency",
        "after",
        "latency",
    ];
    let cables: Vec<String> = list(failed, "cables").iter().map(word).collect();
    let cycle = number(failed, "cycle").map_or("-".into(), short);
    let caption = format!("Failure in cycle {cycle}: {}; flits that arrive per cycle and endpoint", cables.join(", "));
    let table = html::table(&caption, &heads, rows);
    Some(Part::new("A failure during the run", table).with(json!({ "kind": "table", "name": "failure" })))
}

/// What a flit takes across a link of each class, by load, where watts were given.
fn energy(d: &Value) -> Option<Part> {
    d.get("power")?.as_str()?;
    let points = list(d, "points");
    let classes: Vec<&str> = points.first().map(|p| list(p, "classes").iter().map(|c| text(c, "name")).collect())?;
    let curve = |(k, name): (usize, &&str)| {
        let value = |p: &Value| Some(Dot::new(number(p, "load")?, number(list(p, "classes").get(k)?, "flit_hop_nj")?));
        Curve { name: (*name).into(), dots: points.iter().filter_map(value).collect(), joined: true }
    };
    let curves: Vec<Curve> = classes.iter().enumerate().map(curve).collect();
    if curves.iter().all(|curve| curve.dots.is_empty()) {
        return None;
    }
    let chart = Chart {
        title: "Energy of a flit across a link".into(),
        x: Axis::numbers("offered load, flits per cycle and endpoint", short),
        y: Axis::numbers("nJ, idle time of its class included", three),
        curves,
        levels: Vec::new(),
    };
    Some(Part::new("Energy of a flit across a link", html::figure(&chart.svg(), "")).shows(chart))
}
