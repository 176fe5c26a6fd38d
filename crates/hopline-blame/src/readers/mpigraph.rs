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
    let mut rates = Rates::default();
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
                rates = Rates::new(all.len());
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
            rates.tell(i, j, rate, nth(n));
        }
        row += 1;
    }
    let mut any = false;
    let end = |at: usize| End::Name(names[at].rsplit_once(':').map_or(names[at], |(host, _)| host).to_string());
    for (i, j) in (0..names.len()).flat_map(|i| (0..names.len()).map(move |j| (i, j))).filter(|(i, j)| i != j) {
        let told = rates.at(i, j);
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
            line: told.map_or(nth(header), |(_, line)| line),
        };
        any |= sample.value.is_some();
        source.add(batch, sample)?;
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

/// Rates from each host to each, with the lines that tell them: two lists, since there may be many millions.
#[derive(Default)]
struct Rates {
    hosts: usize,
    /// NaN where there is none.
    rates: Vec<f64>,
    lines: Vec<u32>,
}

impl Rates {
    fn new(hosts: usize) -> Rates {
        let pairs = hosts.saturating_mul(hosts);
        Rates { hosts, rates: vec![f64::NAN; pairs], lines: vec![0; pairs] }
    }

    fn at(&self, from: usize, to: usize) -> Option<(f64, u32)> {
        let place = from * self.hosts + to;
        Some((self.rates[place], self.lines[place])).filter(|(rate, _)| !rate.is_nan())
    }

    /// Takes a rate where there is none above 0 yet.
    fn tell(&mut self, from: usize, to: usize, rate: f64, line: u32) {
        let is_new = || self.at(from, to).is_none_or(|(rate, _)| rate <= 0.0);
        if from < self.hosts && to < self.hosts && rate.is_finite() && is_new() {
            let place = from * self.hosts + to;
            (self.rates[place], self.lines[place]) = (rate, line);
        }
    }
}
