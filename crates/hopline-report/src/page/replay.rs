//! When ranks finish, what they waited for, and how busy links were over time.

use super::Part;
use super::document::{list, number, text};
use super::html::{self, Cell};
use super::job::step;
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::escape::escape;
use crate::words::percent;
use hopline::unit::{bytes, seconds};
use serde_json::Value;
use std::fmt::Write as _;

/// Columns and rows of the time line at most.
const BINS: usize = 400;
const ROWS: usize = 64;

pub(super) fn parts(d: &Value) -> Vec<Part> {
    [timeline(d), finish(d), classes(d), critical(d)].into_iter().flatten().collect()
}

fn timeline(d: &Value) -> Option<Part> {
    let bin = number(d, "bin_s")?;
    let rows: Vec<(&str, Vec<f64>)> = list(d, "timeline")
        .iter()
        .take(ROWS)
        .map(|row| (text(row, "name"), list(row, "utilization").iter().filter_map(Value::as_f64).collect()))
        .collect();
    let bins = rows.iter().map(|r| r.1.len()).max().filter(|n| *n > 0)?;
    let merged = bins.div_ceil(BINS);
    let (width, left, high) = (480.0 / bins.div_ceil(merged) as f64, 220.0, 18.0);
    let mut s = String::new();
    for (k, (name, values)) in rows.iter().enumerate() {
        let y = 24.0 + high * k as f64;
        let short: String = name.chars().take(34).collect();
        let _ = write!(
            s,
            "<text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}<title>{}</title></text>",
            left - 6.0,
            y + 12.0,
            escape(&short),
            escape(name)
        );
        for (b, part) in values.chunks(merged).enumerate() {
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            if mean > 0.0 {
                let from = seconds((b * merged) as f64 * bin);
                let _ = write!(
                    s,
                    "<rect class=\"s{}\" x=\"{:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"{}\"><title>{}: {} from {from}</title></rect>",
                    step(mean),
                    left + width * b as f64,
                    width + 0.3,
                    high - 3.0,
                    escape(name),
                    percent(mean)
                );
            }
        }
    }
    let height = 24.0 + high * rows.len() as f64;
    let (end, bottom) = (seconds(bins as f64 * bin), height + 16.0);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 720 {:.0}\" role=\"img\"><title>Busy \
         links over time</title>{s}<text class=\"tick\" x=\"{left}\" y=\"{bottom}\">0</text><text class=\"tick\" x=\"700\" \
         y=\"{bottom}\" text-anchor=\"end\">{end}</text></svg>",
        bottom + 8.0
    );
    let caption = format!("Time from left to right, in bins of {}.", seconds(bin * merged as f64));
    let cells = rows.iter().map(|(name, values)| {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let most = values.iter().copied().fold(0.0, f64::max);
        vec![Cell::word(*name), Cell::number(mean, percent(mean)), Cell::number(most, percent(most))]
    });
    let table = html::table("Busy links over time", &["link or class", "mean", "busiest bin"], cells);
    let picture = super::job::scale("100 % busy") + &html::figure(&svg, &caption);
    Some(Part::new("Links over time", picture + &html::details("As numbers", &table)))
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
        y: Axis::numbers("done after", seconds),
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
    Some(Part::new("Ranks", html::figure(&chart.svg(), "") + &html::details("As numbers", &table)))
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
    let heads = ["done", "took", "rank", "what", "with", "bytes", ""];
    let table = html::table("What the last rank waited for, the end first", &heads, rows);
    let rows = list(d, "critical_links").iter().map(|l| {
        vec![Cell::word(text(l, "link")), Cell::word(text(l, "class")), Cell::maybe(number(l, "bytes"), bytes)]
    });
    let links = html::table("Links under its messages", &["link", "class", "bytes"], rows);
    (!steps.is_empty()).then(|| Part::new("The critical path", table + &links))
}
