//! The busiest links as a table: sorted, filtered and exported by the script.

use super::Part;
use super::html::{self, Cell};
use super::job::Job;
use crate::words::amount;
use hopline::id::LinkId;
use serde_json::json;

/// Rows.
const LISTED: usize = 200;
/// Rows of them on paper, as page.css has it.
const PRINTED: usize = 30;

pub(super) fn part(job: &Job<'_>) -> Option<Part> {
    let view = job.views.last()?;
    let first = job.views.first().filter(|_| job.views.len() > 1);
    let unit = job.demand.unit();
    let (busy, show) = job.busy_word();
    let before = first.map(|v| format!("load under {}", v.name));
    let mut heads = vec!["link", "class", "load", "of the busiest", busy.as_str()];
    heads.extend(before.as_deref());
    heads.extend(["pairs of tasks", "heaviest pairs"]);
    let rows = view.hottest.iter().take(LISTED).map(|hot| {
        let pairs: Vec<String> =
            hot.heaviest.iter().map(|c| format!("{}->{} {}", c.from, c.to, amount(unit, c.amount))).collect();
        let link = LinkId(hot.link);
        let time = job.busy(view, link);
        let mut row = vec![
            Cell::word(&hot.name),
            Cell::word(&hot.class),
            Cell::number(hot.load, amount(unit, hot.load)),
            Cell::number(hot.relative, format!("{:.0} %", 100.0 * hot.relative)),
            Cell::number(time, show(time)),
        ];
        row.extend(first.map(|v| Cell::number(v.loads.load[link.index()], amount(unit, v.loads.load[link.index()]))));
        row.push(if hot.pairs == 0 {
            Cell::word("too many to list")
        } else {
            Cell::number(hot.pairs as f64, hot.pairs.to_string())
        });
        row.push(Cell::word(pairs.join(", ")));
        row
    });
    let table = html::table(&format!("The busiest links under {}", view.name), &heads, rows);
    let mut s = format!("<div class=\"abridged\">{table}</div>\n");
    let listed = view.hottest.len().min(LISTED);
    if listed > PRINTED {
        s.push_str(&format!("<p class=\"on-paper\">On paper: {PRINTED} of {listed} rows.</p>\n"));
    }
    Some(Part::new("Hottest links", s).with(json!({ "kind": "table", "name": "hottest-links" })))
}
