//! mpiGraph: two matrices, MiB/s. In step D rank i sends to i + D and receives from i - D at the same time.

use super::{DENSEST, Source, empty, nth};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::Result;
use hopline::files::check_room;

const MIB: f64 = 1048576e-9;

pub(super) fn fits(text: &str) -> bool {
    text.lines().any(|l| l.starts_with("START mpiGraph") || l.starts_with("Send\t") || l.starts_with("Recv\t"))
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let mut names: Vec<&str> = Vec::new();
    // Rate from row to column, by the sender; the receiver's where the sender has none.
    let mut rates: Vec<Vec<Option<(f64, usize)>>> = Vec::new();
    let (mut row, mut header, mut ends) = (0, 0, false);
    // The last number may be half a number where the file was cut.
    let last = source.text.lines().count().saturating_sub(1);
    let is_cut = |n: usize| n == last && !source.text.ends_with('\n');
    for (n, line) in source.lines() {
        ends |= line.starts_with("END mpiGraph");
        let line = if is_cut(n) { line.rsplit_once('\t').map_or("", |(whole, _)| whole) } else { line };
        let mut cells = line.split('\t').map(str::trim);
        let first = cells.next().unwrap_or_default();
        if matches!(first, "Send" | "Recv") && line.contains(':') {
            let all: Vec<&str> = cells.filter(|c| !c.is_empty()).collect();
            if names.is_empty() {
                check_room(source.path, source.text.len(), all.len().saturating_mul(all.len()), DENSEST)?;
                rates = vec![vec![None; all.len()]; all.len()];
                (names, header) = (all, n);
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
                && held.is_none_or(|(rate, _)| rate <= 0.0)
                && rate.is_finite()
            {
                *held = Some((rate, n));
            }
        }
        row += 1;
    }
    let mut any = false;
    let end = |at: usize| End::Name(names[at].rsplit_once(':').map_or(names[at], |(host, _)| host).to_string());
    for (i, row) in rates.iter().enumerate() {
        for (j, &told) in row.iter().enumerate().filter(|(j, _)| *j != i) {
            // 0 was never measured; what is missing ran all the same.
            if told.is_some_and(|(rate, _)| rate <= 0.0) {
                continue;
            }
            let round = ((j + names.len() - i) % names.len()) as u32;
            let sample = Sample {
                pairs: vec![(end(i), end(j))],
                rounds: vec![round],
                value: told.map(|(rate, _)| rate * MIB),
                kind: Quantity::OneWay,
                line: nth(told.map_or(header, |(_, n)| n)),
            };
            any |= sample.value.is_some();
            source.add(batch, sample)?;
        }
    }
    if !any {
        return Err(empty(source, "the Send matrix"));
    }
    batch.is_cut = !ends;
    if batch.is_cut {
        batch.notes.push(format!(
            "{}: its end (`END mpiGraph`) is missing: was it cut? pairs without a number are taken to have run",
            source.path
        ));
    }
    Ok(())
}
