//! When ranks finish, what they waited for, and how busy links were over time.

use super::Part;
use super::document::{list, number, text};
use super::fabric::digits;
use super::html::{self, Cell};
use super::job::{STEPS, step};
use crate::chart::{Axis, Chart, Curve, Dot};
use crate::escape::escape;
use crate::words::percent;
use hopline::unit::{bytes, seconds};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Columns and rows of a time line at most.
const BINS: usize = 400;
const ROWS: usize = 64;
/// Where rows begin, how wide they are and how high: units of the picture.
const LEFT: f64 = 220.0;
const WIDE: f64 = 480.0;
const TOP: f64 = 8.0;
const HIGH: f64 = 18.0;

pub(super) fn parts(d: &Value) -> Vec<Part> {
    let links = ("Links over time", "Share of the time in which links carry something.");
    let ranks =
        ("Ranks over time", "Share of the time in which processors compute or handle messages; else they wait.");
    let lines = [timeline(d, "timeline", links), timeline(d, "rank_timeline", ranks)];
    lines.into_iter().chain([finish(d), classes(d), critical(d)]).flatten().collect()
}

/// Rows of a time line, with fewer and longer bins where there are many.
fn rows<'a>(d: &'a Value, key: &str) -> (usize, Vec<(&'a str, Vec<f64>)>) {
    let utilization = |row: &'a Value| list(row, "utilization").iter().filter_map(Value::as_f64).collect::<Vec<_>>();
    let all: Vec<(&str, Vec<f64>)> =
        list(d, key).iter().take(ROWS).map(|row| (text(row, "name"), utilization(row))).collect();
    let merged = all.iter().map(|r| r.1.len()).max().unwrap_or(0).div_ceil(BINS).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    (merged, all.into_iter().map(|(name, values)| (name, values.chunks(merged).map(mean).collect())).collect())
}

fn timeline(d: &Value, key: &str, (title, words): (&str, &str)) -> Option<Part> {
    let (merged, rows) = rows(d, key);
    let bin = number(d, "bin_s")? * merged as f64;
    let bins = rows.iter().map(|r| r.1.len()).max().filter(|n| *n > 0)?;
    let caption = format!("{words} Time from left to right, in bins of {}.", seconds(bin));
    let cells = rows.iter().map(|(name, values)| {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let most = values.iter().copied().fold(0.0, f64::max);
        vec![Cell::word(*name), Cell::number(mean, percent(mean)), Cell::number(most, percent(most))]
    });
    let table = html::table(title, &["who", "mean", "busiest bin"], cells);
    let picture = super::job::scale("100 % busy") + &html::figure(&picture(title, &rows, bins, bin), &caption);
    let busy = |(name, values): &(&str, Vec<f64>)| json!({ "name": name, "busy": values.iter().map(|&v| digits(v)).collect::<Vec<_>>() });
    let data = json!({ "kind": "time", "bin_s": bin, "rows": rows.iter().map(busy).collect::<Vec<_>>(),
        "place": [LEFT, TOP, WIDE / bins as f64, HIGH] });
    Some(Part::new(title, picture + &html::details("As numbers", &table)).with(data))
}

fn picture(title: &str, rows: &[(&str, Vec<f64>)], bins: usize, bin: f64) -> String {
    let width = WIDE / bins as f64;
    let (mut s, mut paths) = (String::new(), vec![String::new(); STEPS]);
    for (k, (name, values)) in rows.iter().enumerate() {
        let y = TOP + HIGH * k as f64;
        let short: String = name.chars().take(34).collect();
        let _ = write!(
            s,
            "<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 12.0,
            escape(&short)
        );
        let shades: Vec<usize> = values.iter().map(|&v| step(v)).collect();
        let mut b = 0;
        // Bins alike are one rectangle.
        for run in shades.chunk_by(|a, b| a == b) {
            let (x, wide) = (LEFT + width * b as f64, width * run.len() as f64);
            if run[0] > 0 {
                let _ = write!(paths[run[0]], "M{x:.1} {y}h{wide:.1}v{0}h-{wide:.1}z", HIGH - 3.0);
            }
            b += run.len();
        }
    }
    for (k, path) in paths.iter().enumerate().filter(|p| !p.1.is_empty()) {
        let _ = write!(s, "<path class=\"mark s{k}\" d=\"{path}\"/>");
    }
    let (bottom, right) = (TOP + HIGH * rows.len() as f64 + 12.0, LEFT + WIDE);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart time\" viewBox=\"0 0 720 {:.0}\" role=\"img\" \
         aria-label=\"{1}\"><title>{1}</title>{s}<text class=\"tick\" x=\"{LEFT}\" y=\"{bottom}\">0</text><text \
         class=\"tick\" x=\"{right}\" y=\"{bottom}\" text-anchor=\"end\">{2}</text></svg>",
        bottom + 8.0,
        escape(title),
        seconds(bins as f64 * bin)
    )
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
    let heads = ["done", "took", "rank", "what", "with", "bytes", ""];
    let table = html::table("What the last rank waited for, the end first", &heads, rows);
    let rows = list(d, "critical_links").iter().map(|l| {
        vec![Cell::word(text(l, "link")), Cell::word(text(l, "class")), Cell::maybe(number(l, "bytes"), bytes)]
    });
    let links = html::table("Links under its messages", &["link", "class", "bytes"], rows);
    (!steps.is_empty()).then(|| Part::new("The critical path", table + &links))
}
