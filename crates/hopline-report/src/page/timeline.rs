//! Rows over time: how busy links and ranks were in every bin.

use super::Part;
use super::document::{list, number, text};
use super::fabric::digits;
use super::html::{self, Cell};
use super::job::{STEPS, scale, step};
use crate::chart::WIDTH;
use crate::words::percent;
use hopline::format::escape;
use hopline::unit::seconds;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Columns and rows at most.
const BINS: usize = 400;
const ROWS: usize = 64;
/// Units of the picture: the most that names take, what is left free at the right, above and below the rows, how high
/// these are, and the least that they may be.
const NAMES: f64 = 220.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 8.0;
const BELOW: f64 = 20.0;
const HIGH: f64 = 18.0;
const LEAST: f64 = 14.0;
/// About the width of a character.
const CHARACTER: f64 = 6.3;

/// Rows with the part of each bin in which they were busy.
pub(super) struct TimeLine {
    pub(super) title: String,
    rows: Vec<(String, Vec<f64>)>,
    bins: usize,
    /// Seconds.
    bin: f64,
}

/// What is done with more rows than are drawn.
#[derive(Clone, Copy)]
pub(super) enum Many {
    /// The least busy are left out.
    Busiest,
    /// Neighbours become one row, the mean of theirs.
    Merged,
}

/// The time line of a key of the document; none where there is none.
pub(super) fn part(d: &Value, key: &str, many: Many, (title, words): (&str, &str)) -> Option<Part> {
    let utilization = |row: &Value| list(row, "utilization").iter().filter_map(Value::as_f64).collect::<Vec<_>>();
    let all: Vec<(String, Vec<f64>)> =
        list(d, key).iter().map(|row| (text(row, "name").to_string(), utilization(row))).collect();
    let (fewer, said) = fewer(all, many);
    let long = fewer.iter().map(|r| r.1.len()).max().filter(|n| *n > 0)?;
    // Fewer and longer bins where there are many.
    let merged = long.div_ceil(BINS);
    let rows = fewer.into_iter().map(|(name, values)| (name, values.chunks(merged).map(mean).collect())).collect();
    let line = TimeLine {
        title: title.to_string(),
        rows,
        bins: long.div_ceil(merged),
        bin: number(d, "bin_s")? * merged as f64,
    };
    let caption = format!("{words} Time from left to right, in bins of {}.{said}", seconds(line.bin));
    let cells = line.rows.iter().map(|(name, values)| {
        let (mean, most) = (mean(values), values.iter().copied().fold(0.0, f64::max));
        vec![Cell::word(name), Cell::number(mean, percent(mean)), Cell::number(most, percent(most))]
    });
    let table = html::table(title, &["who", "mean", "busiest bin"], cells);
    let (svg, place) = line.drawn(WIDTH, HIGH);
    let busy = |(name, values): &(String, Vec<f64>)| json!({ "name": name, "busy": values.iter().map(|&v| digits(v)).collect::<Vec<_>>() });
    let data = json!({ "kind": "time", "bin_s": line.bin, "rows": line.rows.iter().map(busy).collect::<Vec<_>>(),
        "place": place });
    let html = scale("100 % busy") + &html::figure(&svg, &caption) + &html::details("As numbers", &table);
    Some(Part::new(title, html).with(data).over_time(line))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// As many rows as are drawn, and what is said of the others.
fn fewer(all: Vec<(String, Vec<f64>)>, many: Many) -> (Vec<(String, Vec<f64>)>, String) {
    let count = all.len();
    if count <= ROWS {
        return (all, String::new());
    }
    match many {
        Many::Busiest => {
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by(|&a, &b| mean(&all[b].1).total_cmp(&mean(&all[a].1)).then(a.cmp(&b)));
            order.truncate(ROWS);
            let kept = all.into_iter().enumerate().filter(|(k, _)| order.contains(k)).map(|(_, row)| row);
            (kept.collect(), format!(" The {ROWS} busiest of {count} rows are drawn."))
        }
        Many::Merged => {
            let size = count.div_ceil(ROWS);
            let one = |rows: &[(String, Vec<f64>)]| {
                let long = rows.iter().map(|r| r.1.len()).max().unwrap_or(0);
                let at = |k: usize| rows.iter().filter_map(|r| r.1.get(k)).sum::<f64>() / rows.len() as f64;
                let name = match rows {
                    [(first, _), .., (last, _)] => format!("{first} to {last}"),
                    _ => rows.iter().map(|r| r.0.clone()).collect(),
                };
                (name, (0..long).map(at).collect())
            };
            (all.chunks(size).map(one).collect(), format!(" A row is the mean of {size} of {count}."))
        }
    }
}

impl TimeLine {
    /// The picture so many units wide and, where that is asked for, high; rows are never lower than their names.
    pub(super) fn sized(&self, width: f64, height: Option<f64>) -> String {
        let rows = self.rows.len() as f64;
        self.drawn(width, height.map_or(HIGH, |high| ((high - TOP - BELOW) / rows).max(LEAST))).0
    }

    /// The picture, and where its bins are: left, top, width, height.
    fn drawn(&self, width: f64, high: f64) -> (String, [f64; 4]) {
        let longest = self.rows.iter().map(|r| r.0.chars().count()).max().unwrap_or(0) as f64;
        let left = (CHARACTER * longest + 12.0).min(NAMES).min(0.4 * width);
        let (right, wide) = (width - RIGHT, (width - RIGHT - left) / self.bins as f64);
        let letters = ((left - 6.0) / CHARACTER + 1e-9) as usize;
        let (mut s, mut paths) = (String::new(), vec![String::new(); STEPS]);
        for (k, (name, values)) in self.rows.iter().enumerate() {
            let y = TOP + high * k as f64;
            let _ = write!(
                s,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 6.0,
                y + high / 2.0 + 3.0,
                escape(&cut(name, letters))
            );
            let shades: Vec<usize> = values.iter().map(|&v| step(v)).collect();
            let mut b = 0;
            // Bins alike are one rectangle.
            for run in shades.chunk_by(|a, b| a == b) {
                let (x, wide) = (left + wide * b as f64, wide * run.len() as f64);
                if run[0] > 0 {
                    let _ = write!(paths[run[0]], "M{x:.1} {y:.1}h{wide:.1}v{0:.1}h-{wide:.1}z", high - 3.0);
                }
                b += run.len();
            }
        }
        for (k, path) in paths.iter().enumerate().filter(|p| !p.1.is_empty()) {
            let _ = write!(s, "<path class=\"mark s{k}\" d=\"{path}\"/>");
        }
        let bottom = TOP + high * self.rows.len() as f64 + 12.0;
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart time\" viewBox=\"0 0 {width} {:.0}\" role=\"img\" \
             aria-label=\"{1}\"><title>{1}</title>{s}<text class=\"tick\" x=\"{left:.1}\" y=\"{bottom:.1}\">0</text><text \
             class=\"tick\" x=\"{right:.1}\" y=\"{bottom:.1}\" text-anchor=\"end\">{2}</text></svg>",
            bottom + 8.0,
            escape(&self.title),
            seconds(self.bins as f64 * self.bin)
        );
        (svg, [left, TOP, wide, high])
    }
}

/// A name in so many characters: its end is left out, and that is seen.
fn cut(name: &str, most: usize) -> String {
    match name.chars().count() > most {
        true => name.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(rows: usize) -> Value {
        let row = |k: usize| json!({ "name": format!("rank {k}"), "utilization": [k as f64 / rows as f64, 0.0] });
        json!({ "bin_s": 1e-6, "rank_timeline": (0..rows).map(row).collect::<Vec<_>>() })
    }

    #[test]
    fn rows_that_are_too_many_are_told_of() {
        let part = |many| part(&replayed(200), "rank_timeline", many, ("Ranks", "Words.")).expect("a time line");
        let busiest = part(Many::Busiest);
        assert!(busiest.html.contains("The 64 busiest of 200 rows are drawn."), "{}", busiest.html);
        assert!(busiest.html.contains(">rank 199</text>") && !busiest.html.contains(">rank 135</text>"));
        let merged = part(Many::Merged);
        assert!(merged.html.contains("A row is the mean of 4 of 200."), "{}", merged.html);
        let rows = merged.data.expect("data")["rows"].clone();
        assert_eq!(rows.as_array().map(Vec::len), Some(50));
        assert_eq!((&rows[1]["name"], rows[1]["busy"][0].as_f64()), (&json!("rank 4 to rank 7"), Some(0.0275)));
    }

    #[test]
    fn names_that_are_cut_say_so() {
        assert_eq!((cut("leaf", 4), cut("leaf01", 4)), ("leaf".to_string(), "lea…".to_string()));
    }
}
