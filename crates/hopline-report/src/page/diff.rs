//! What changed between two looks at a machine, on both.

use super::document::{list, number, text};
use super::html::{self, Cell};
use super::job::step;
use super::marked::{Marks, Names};
use super::{Part, Source};
use crate::words::{count, percent, rate};
use hopline::fabric::Fabric;
use serde_json::{Value, json};

/// Changes in the table.
const LISTED: usize = 2000;
/// The colour of what changed at no known cost.
const CHANGED: usize = 3;

pub(super) fn parts(source: &Source<'_>) -> Vec<Part> {
    let d = source.document;
    let mut parts = Vec::new();
    if !list(d, "changes").is_empty() {
        parts.extend(source.before.and_then(|fabric| picture(d, fabric, "before", "The machine before")));
        parts.extend(source.fabric.and_then(|fabric| picture(d, fabric, "after", "The machine now")));
        parts.push(changes(d));
    }
    parts.extend(loads(d));
    parts.extend(routes(d));
    parts
}

/// The machine with what changed in the colour of what that costs.
fn picture(d: &Value, fabric: &Fabric, side: &str, title: &str) -> Option<Part> {
    let by_name = Names::of(fabric);
    let lost = |c: &Value| number(c, "left").map(|left| 1.0 - left.clamp(0.0, 1.0));
    let most = list(d, "changes").iter().filter_map(lost).fold(0.0, f64::max);
    let mut marks = Marks::on(fabric);
    let mut seen = 0;
    for c in list(d, "changes") {
        let cost = lost(c).map_or(String::new(), |part| format!(", costs {} of the throughput", percent(part)));
        let words = format!("{}{cost}", kind(c));
        let step = lost(c).filter(|part| *part > 0.0).map_or(CHANGED, |part| step(part / most).max(CHANGED));
        // Else it is on the other picture only.
        let is_here = [side, "name"].iter().any(|key| marks.named(&by_name, text(c, key), step, &words));
        seen += u64::from(is_here);
    }
    let scale = (most > 0.0).then(|| format!("{} of the throughput lost", percent(most)));
    let caption =
        format!("{} that can be seen here, in the colour of what each costs by itself.", count(seen, "change"));
    (!marks.is_empty()).then(|| marks.part(title, scale.as_deref(), &caption)).flatten()
}

fn kind(c: &Value) -> String {
    text(c, "kind").replace('-', " ")
}

fn changes(d: &Value) -> Part {
    let all = list(d, "changes");
    let word = |c: &Value, key: &str| Cell::word(if text(c, key).is_empty() { "-" } else { text(c, key) });
    let rows = all.iter().take(LISTED).map(|c| {
        vec![
            Cell::word(kind(c)),
            word(c, "name"),
            word(c, "before"),
            word(c, "after"),
            Cell::maybe(number(c, "left"), percent),
            word(c, "mend"),
        ]
    });
    let caption = match all.len() {
        n if n > LISTED => format!("The gravest {LISTED} of {n} changes"),
        n => count(n as u64, "change"),
    };
    let table = html::table(&caption, &["change", "what", "before", "now", "left", "mend"], rows);
    let words = "left: of the job's throughput over all links, by that change alone; a cable that has moved counts as \
                 missing where it was.";
    let has_costs = all.iter().any(|c| c["left"].is_number());
    let table = if has_costs { table + &html::paragraph(words) } else { table };
    Part::new("What changed", table).with(json!({ "kind": "table", "name": "changes" }))
}

/// The job on both.
fn loads(d: &Value) -> Option<Part> {
    let rows = [("before", &d["load_before"]), ("now", &d["load_after"])].into_iter().filter(|side| side.1.is_object());
    let rows: Vec<Vec<Cell>> = rows
        .map(|(when, load)| {
            vec![
                Cell::word(when),
                Cell::maybe(number(load, "throughput_gb_s"), |v| rate(Some(v))),
                Cell::word(text(load, "bottleneck")),
            ]
        })
        .collect();
    let caption = format!("{} on both", text(d, "traffic"));
    let is_known = !rows.is_empty();
    let table = html::table(&caption, &["when", "throughput", "limited by"], rows);
    is_known.then(|| Part::new("What it costs the job", table))
}

/// Ways between hosts that are others now.
fn routes(d: &Value) -> Option<Part> {
    let routes = &d["routes"];
    let changed = number(routes, "changed").filter(|n| *n > 0.0)?;
    let looked_at = if routes["sampled"] == true { " that were looked at" } else { "" };
    let lost = number(routes, "lost").filter(|n| *n > 0.0).map_or(String::new(), |n| format!(", {n} of them lost"));
    let pairs = number(routes, "pairs").unwrap_or(0.0);
    let rows = list(routes, "examples").iter().map(|pair| {
        let end = |at: usize| Cell::word(pair[at].as_str().unwrap_or_default());
        vec![end(0), end(1)]
    });
    let caption = format!("{changed} of {pairs} ways between hosts{looked_at} are others now{lost}; some of them");
    Some(Part::new("Routes that changed", html::table(&caption, &["from", "to"], rows)))
}
