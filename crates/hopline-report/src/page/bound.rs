//! What no schedule of a collective can beat, beside the usual algorithms, and the worst set on the fabric.

use super::Part;
use super::document::{list, number, text, texts};
use super::html::{self, Cell};
use super::job::STEPS;
use super::marked::Marks;
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::count;
use hopline::fabric::Fabric;
use hopline::id::{HostId, VertexId};
use hopline::unit::{bytes, seconds, short, times};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Sizes of the curves: powers of two between these.
const POWERS: std::ops::RangeInclusive<i32> = 8..=32;
/// Curves of algorithms, most: the best ones, and a ring.
const MOST: usize = 7;
/// The step of colour of ranks outside the set; links that leave it have the darkest.
const OUTSIDE: usize = 3;
/// Names of ranks that a caption has.
const NAMED: usize = 8;

/// Whether a document is that of a bound.
pub(super) fn is_one(d: &Value) -> bool {
    text(d, "schema").starts_with("hopline/collective-bound/")
}

pub(super) fn parts(d: &Value, fabric: Option<&Fabric>) -> Vec<Part> {
    let mut parts = Vec::new();
    parts.extend(fabric.and_then(|fabric| picture(d, fabric)));
    parts.push(least(d));
    parts.push(curves(d));
    let rows = list(d, "algorithms").iter().map(|a| {
        vec![
            Cell::word(text(a, "algorithm")),
            Cell::word(text(a, "order")),
            Cell::maybe(number(a, "of_bound"), times),
            Cell::maybe(number(a, "seconds_per_gb"), |x| format!("{x:.6}")),
            Cell::maybe(number(a, "latency_s"), seconds),
            Cell::word(text(a, "hottest")),
        ]
    });
    let heads = ["algorithm", "order", "of the bound", "s per GB", "latency", "busiest link"];
    let table = html::table("Every step takes as long as its busiest link", &heads, rows);
    parts.push(Part::new("How near the algorithms come", table).with(json!({ "kind": "table", "name": "bound" })));
    parts
}

/// What no schedule can beat, in numbers, and by size with the best algorithm.
fn least(d: &Value) -> Part {
    let b = &d["bound"];
    let gb_s = |v: f64| format!("{} GB/s", short(v));
    let mut facts = Vec::new();
    let mut fact = |name: &'static str, said: Option<String>| facts.extend(said.map(|said| (name, said)));
    fact("at least", number(b, "seconds_per_gb").map(|x| format!("{x:.6} s per GB = {}", text(b, "fraction"))));
    fact("algbw at most", number(b, "algbw_gb_s").map(gb_s));
    fact("by trees of ranks", number(&d["program"], "seconds_per_gb").map(|x| format!("{x:.6} s per GB")));
    fact("on these routes", number(&d["tables"], "seconds_per_gb").map(|x| format!("{x:.6} s per GB")));
    fact("latency, at least", number(d, "latency_s").filter(|s| *s > 0.0).map(seconds));
    let rows = list(d, "sizes").iter().map(|size| {
        let best = list(size, "tried").iter().min_by(|a, b| {
            let time = |t: &Value| number(t, "time_s").unwrap_or(f64::INFINITY);
            time(a).total_cmp(&time(b))
        });
        let of = |key: &str| best.and_then(|best| number(best, key));
        vec![
            Cell::maybe(number(size, "bytes"), bytes),
            Cell::maybe(number(size, "bound_s"), seconds),
            Cell::word(best.map_or("-", |best| text(best, "algorithm"))),
            Cell::maybe(of("time_s"), seconds),
            Cell::maybe(of("of_bound"), times),
        ]
    });
    let table = html::table(
        &format!("By size of {}", text(d, "size_of")),
        &["size", "at least", "best algorithm", "takes", "of the bound"],
        rows,
    );
    Part::new("What no schedule can beat", html::facts(&facts) + &table)
        .with(json!({ "kind": "table", "name": "sizes" }))
}

/// The fabric with the links of the bound's certificate; none where it has no links.
fn picture(d: &Value, fabric: &Fabric) -> Option<Part> {
    let mut marks = Marks::on(fabric);
    let links = list(&d["bound"], "links").iter();
    let crossed: BTreeSet<(&str, &str)> = links.map(|l| (text(l, "from"), text(l, "to"))).collect();
    for link in fabric.link_ids() {
        if crossed.contains(&(fabric.vertex_name(fabric.source(link)), fabric.vertex_name(fabric.target(link)))) {
            marks.link(link, STEPS - 1, "a link of the set that proves the bound");
        }
    }
    if crossed.is_empty() || marks.is_empty() {
        return None;
    }
    left_out(d, fabric, &mut marks);
    marks.part("The worst set on the fabric", None, &proof(d))
}

/// Marks the ranks outside the set: vertices of their names, or where several share a host all of its adapters.
fn left_out(d: &Value, fabric: &Fabric, marks: &mut Marks<'_>) {
    let name = |rank| match str::split_once(rank, " on ") {
        Some((own, host)) if own.starts_with("rank ") => host,
        _ => rank,
    };
    let out: BTreeSet<&str> = texts(&d["bound"], "left_out").into_iter().map(name).collect();
    let words = "a rank outside of the set that proves the bound";
    let all = (0..fabric.vertices()).map(VertexId);
    all.filter(|v| out.contains(fabric.vertex_name(*v))).for_each(|v| marks.vertex(v, OUTSIDE, words));
    let hosts = fabric.hosts();
    let hosts_out = (0..hosts.len()).map(HostId).filter(|h| out.contains(hosts.name(*h)));
    hosts_out.flat_map(|h| hosts.endpoints(h)).for_each(|&v| marks.vertex(v, OUTSIDE, words));
}

/// The certificate in words.
fn proof(d: &Value) -> String {
    let b = &d["bound"];
    let out = texts(b, "left_out");
    let more = if out.len() > NAMED { format!(" and {} more", out.len() - NAMED) } else { String::new() };
    let named = out[..out.len().min(NAMED)].join(", ");
    format!(
        "Marked are the {} that take {} GB/s between {named}{more}, which have a lighter mark, and all other ranks: {} of the size \
         must pass them, which takes {} s per GB = {}.",
        count(list(b, "links").len() as u64, "link"),
        number(b, "sum_gb_s").map_or(String::new(), short),
        count(number(b, "pieces").unwrap_or(0.0) as u64, "piece"),
        number(b, "seconds_per_gb").map_or(String::new(), |x| format!("{x:.6}")),
        text(b, "fraction"),
    )
}

/// Times of the best algorithms over the bound, by size: the times themselves lie on each other.
fn curves(d: &Value) -> Part {
    let own = |of: &Value| number(of, "seconds_per_gb");
    let latency = number(d, "latency_s").unwrap_or(0.0);
    let least = own(&d["bound"]).into_iter().chain(own(&d["program"])).fold(0.0, f64::max);
    let bound = move |size: f64| (least * size / 1e9).max(latency);
    let line = |name: String, time: &dyn Fn(f64) -> f64| {
        let sizes = POWERS.map(|power| f64::from(power).exp2());
        let dots = sizes.map(|size| Dot::new(size, time(size) / bound(size))).filter(|dot| dot.y.is_finite());
        Curve { name, dots: dots.collect(), joined: true }
    };
    let mut curves = vec![line("the bound".into(), &bound)];
    let tables = own(&d["tables"]);
    curves.extend(tables.map(|per_gb| line("on these routes".into(), &|size| (per_gb * size / 1e9).max(latency))));
    let all = list(d, "algorithms");
    let is_shown = |(at, a): &(usize, &Value)| *at < MOST || text(a, "algorithm") == "ring";
    for (_, a) in all.iter().enumerate().filter(is_shown) {
        let order = if text(a, "order") == "default" { "" } else { ", optimised order" };
        let name = format!("{}{order}", text(a, "algorithm"));
        let latency = number(a, "latency_s").unwrap_or(0.0);
        curves.extend(own(a).map(|per_gb| line(name, &|size| per_gb * size / 1e9 + latency)));
    }
    let chart = Chart {
        title: format!("{} of {} ranks by size", text(d, "operation"), number(d, "ranks").unwrap_or(0.0)),
        x: Axis::numbers(text(d, "size_of"), bytes).measured("B").logarithmic(true),
        y: Axis::numbers("time over the bound", |x| format!("{}x", short(x))).logarithmic(true),
        curves,
        levels: Vec::new(),
    };
    let words = "1x is what no schedule can beat. Algorithms take the latency of their steps and the bytes of the busiest link.";
    Part::new("The bound and the algorithms by size", html::figure(&chart.svg(), words)).shows(chart)
}
