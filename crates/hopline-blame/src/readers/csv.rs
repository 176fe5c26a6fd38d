//! Our own table (`src,dst,gbytes_per_s,round`) and ibperf's, columns by name.

use super::{Source, empty, nth};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::{Error, Result};

/// Columns that hold a value: name, kind, and what one of it is in GB/s or microseconds.
const VALUES: &[(&str, Quantity, f64)] = &[
    ("gbytes_per_s", Quantity::OneWay, 1.0),
    ("gb_s", Quantity::OneWay, 1.0),
    ("bandwidth_gbps", Quantity::OneWay, 0.125),
    ("gbit_per_s", Quantity::OneWay, 0.125),
    ("mbytes_per_s", Quantity::OneWay, 1e-3),
    ("latency_us", Quantity::Latency, 1.0),
];

/// More columns than any table of measurements has.
const MOST_COLUMNS: usize = 4096;

fn columns(text: &str) -> Option<(usize, Vec<String>)> {
    let (at, line) = text.lines().enumerate().find(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'))?;
    Some((
        at,
        line.split(',').take(MOST_COLUMNS).map(|word| word.trim().trim_matches('"').to_ascii_lowercase()).collect(),
    ))
}

/// The column of the numbers.
struct Values {
    at: usize,
    kind: Quantity,
    /// What a number is multiplied by.
    unit: f64,
}

fn values(columns: &[String]) -> Option<Values> {
    let column = |&(name, kind, unit): &_| Some(Values { at: columns.iter().position(|c| c == name)?, kind, unit });
    VALUES.iter().find_map(column)
}

pub(super) fn fits(text: &str) -> bool {
    columns(text).is_some_and(|(_, c)| {
        values(&c).is_some() && c.iter().any(|c| ["src", "source", "source_ip", "from"].contains(&c.as_str()))
    })
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let Some((header, names)) = columns(source.text) else { return Err(empty(source, "a header")) };
    let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.as_str()));
    let from = find(&["src", "source", "source_ip", "from"]);
    let to = find(&["dst", "target", "target_ip", "to"]);
    let (Some(from), Some(to), Some(Values { at, kind, unit })) = (from, to, values(&names)) else {
        let text = "a column is missing: expected src, dst and gbytes_per_s (and round, where pairs ran together)";
        return Err(Error::input(text).at(&source.at(header)));
    };
    let (from_hca, to_hca, round) =
        (find(&["source_hca", "src_hca"]), find(&["target_hca", "dst_hca"]), find(&["round"]));
    for (n, line) in source.lines().skip(header + 1).filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#')) {
        let cell = |at: usize| line.split(',').nth(at).unwrap_or_default().trim().trim_matches('"');
        let wrong = |what: String| Error::input(what).at(&source.at(n));
        let end = |name: usize, hca: Option<usize>| match (cell(name), hca.map(cell)) {
            ("", _) => Err(wrong("no host: expected its name".to_string())),
            (name, Some(hca)) if !hca.is_empty() => Ok(End::Adapter(name.to_string(), hca.to_string())),
            (name, _) => Ok(match name.strip_prefix("lid:").and_then(|lid| lid.parse().ok()) {
                Some(lid) => End::Lid(lid),
                None => End::Name(name.to_string()),
            }),
        };
        let value = match cell(at) {
            "" | "-" | "nan" | "NaN" => None,
            word => match word.parse::<f64>() {
                Ok(v) if v.is_finite() => (v > 0.0).then_some(v * unit),
                _ => return Err(wrong(format!("`{word}` in column {}: expected a number", names[at]))),
            },
        };
        let rounds = match round.map(cell) {
            None | Some("") => Vec::new(),
            Some(word) => {
                let text = || wrong(format!("round `{word}`: expected a whole number, or nothing for a pair alone"));
                vec![word.parse::<u32>().map_err(|_| text())?]
            }
        };
        let pairs = vec![(end(from, from_hca)?, end(to, to_hca)?)];
        let sample = Sample { pairs, rounds, value, kind, line: nth(n) };
        source.add(batch, sample)?;
    }
    if batch.numbers == 0 { Err(empty(source, "a row of src,dst,gbytes_per_s")) } else { Ok(()) }
}
