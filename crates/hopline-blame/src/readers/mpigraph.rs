//! mpiGraph: two matrices, MiB/s. In step D rank i sends to i + D and receives from i - D at the same time.

use super::{Source, empty};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::Result;

const MIB: f64 = 1048576e-9;

pub(super) fn fits(text: &str) -> bool {
    text.lines().any(|l| l.starts_with("START mpiGraph") || l.starts_with("Send\t") || l.starts_with("Recv\t"))
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let mut names: Vec<&str> = Vec::new();
    // Rate from row to column, by the sender; the receiver's where the sender has none.
    let mut rates: Vec<Vec<(f64, usize)>> = Vec::new();
    let mut row = 0;
    for (n, line) in source.lines() {
        let mut cells = line.split('\t').map(str::trim);
        let first = cells.next().unwrap_or_default();
        if matches!(first, "Send" | "Recv") && line.contains(':') {
            let all: Vec<&str> = cells.filter(|c| !c.is_empty()).collect();
            if names.is_empty() {
                rates = vec![vec![(0.0, n); all.len()]; all.len()];
                names = all;
            }
            row = 0;
            continue;
        }
        let sends = first.ends_with(" to");
        if names.is_empty() || !(sends || first.ends_with(" from")) {
            continue;
        }
        for (column, cell) in cells.enumerate().take(names.len()) {
            let Ok(rate) = cell.parse::<f64>() else { continue };
            let (i, j) = if sends { (row, column) } else { (column, row) };
            if let Some(held) = rates.get_mut(i).and_then(|r| r.get_mut(j))
                && held.0 <= 0.0
                && rate.is_finite()
            {
                *held = (rate, n);
            }
        }
        row += 1;
    }
    let end = |at: usize| End::Name(names[at].rsplit_once(':').map_or(names[at], |(host, _)| host).to_string());
    for (i, row) in rates.iter().enumerate() {
        for (j, &(rate, n)) in row.iter().enumerate().filter(|(j, (rate, _))| *j != i && *rate > 0.0) {
            let round = ((j + names.len() - i) % names.len()) as u32;
            batch.samples.push(Sample {
                pairs: vec![(end(i), end(j))],
                rounds: vec![round],
                value: Some(rate * MIB),
                kind: Quantity::OneWay,
                place: source.at(n),
            });
        }
    }
    if batch.samples.is_empty() { Err(empty(source, "the Send matrix")) } else { Ok(()) }
}
