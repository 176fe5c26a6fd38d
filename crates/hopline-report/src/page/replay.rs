//! When ranks finish, what they waited for, and how busy links were over time.

use super::Part;
use super::document::{list, number, text};
use super::html::{self, Cell};
use super::timeline::{self, Many};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::words::percent;
use hopline::unit::{bytes, seconds};
use serde_json::Value;

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let links = ("Links over time", "Share of the time in which links carry something.");
    let ranks =
        ("Ranks over time", "Share of the time in which processors compute or handle messages; else they wait.");
    let lines =
        [timeline::part(d, "timeline", Many::Busiest, links), timeline::part(d, "rank_timeline", Many::Merged, ranks)];
    lines.into_iter().chain([finish(d), classes(d), critical(d)]).flatten().collect()
}

fn finish(d: &Value) -> Option<Part> {
    let mut done: Vec<f64> = list(d, "finish_s").iter().filter_map(Value::as_f64).collect();
    let ranks: Vec<(usize, f64)> = done.iter().copied().enumerate().collect();
    done.sort_by(f64::total_cmp);
    let (&last, count) = (done.last()?, done.len());
    let step = count.div_ceil(300).max(1);
    let dots = (0..count).step_by(step).chain([count - 1]).map(|k| Dot::new(k as f64, done[k])).collect();
    let chart = Chart {
        title: "When ranks are done, the first to the last".into(),
        x: Axis::numbers("ranks", hopline::unit::short),
        y: Axis::numbers("done after", seconds).measured("s"),
        curves: vec![Curve { name: "ranks".into(), dots, joined: true }],
        levels: number(d, "mean_finish_s").map(|m| ("mean".to_string(), m)).into_iter().collect(),
    };
    let mut late = ranks;
    late.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let rows = late.into_iter().take(20).map(|(rank, t)| {
        vec![
            Cell::number(rank as f64, rank.to_string()),
            Cell::number(t, seconds(t)),
            Cell::number(t / last, percent(t / last)),
        ]
    });
    let table = html::table("The last ranks", &["rank", "done after", "of the last"], rows);
    Some(Part::new("Ranks", html::figure(&chart.svg(), "") + &html::details("As numbers", &table)).shows(chart))
}

fn classes(d: &Value) -> Option<Part> {
    let rows = list(d, "classes").iter().map(|c| {
        let whole = |key: &str| Cell::maybe(number(c, key), |v| v.to_string());
        let part = |key: &str| Cell::maybe(number(c, key), percent);
        vec![
            Cell::word(text(c, "name")),
            whole("links"),
            whole("used"),
            part("mean_utilization"),
            part("max_utilization"),
            Cell::word(text(c, "busiest")),
        ]
    });
    let heads = ["class", "links", "used", "mean busy", "busiest", "busiest link"];
    Some(Part::new("Classes of links", html::table("Part of the time in which links carry something", &heads, rows)))
}

fn critical(d: &Value) -> Option<Part> {
    let steps = list(d, "critical");
    let rows = steps.iter().map(|c| {
        let time = |key: &str| Cell::maybe(number(c, key), seconds);
        let whole = |key: &str| Cell::maybe(number(c, key), |v| v.to_string());
        let waited = if c["waited"] == true { "waited for the message" } else { "" };
        vec![
            time("done_s"),
            time("took_s"),
            whole("rank"),
            Cell::word(text(c, "what")),
            whole("peer"),
            Cell::maybe(number(c, "bytes"), bytes),
            Cell::word(waited),
        ]
    });
    let heads = ["done", "took", "rank", "what", "with", "bytes", "waited"];
    let table = html::table("What the last rank waited for, the end first", &heads, rows);
    let rows = list(d, "critical_links").iter().map(|l| {
        vec![Cell::word(text(l, "link")), Cell::word(text(l, "class")), Cell::maybe(number(l, "bytes"), bytes)]
    });
    let links = html::table("Links under its messages", &["link", "class", "bytes"], rows);
    (!steps.is_empty()).then(|| Part::new("The critical path", table + &links))
}
