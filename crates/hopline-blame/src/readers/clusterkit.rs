//! ClusterKit's matrix (both directions added, MB/s; or microseconds), and the rounds of its CUSTOM mode.

use super::{Source, empty, nth};
use crate::measured::{Batch, End, Quantity, RoundPair, Sample};
use hopline::error::Result;

pub(super) fn fits(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("Rank:")) && text.lines().any(|l| row(l).is_some())
}

/// `  12 (n0123 ):  0.0 98247.0`: the name, and the numbers, which may run together.
fn row(line: &str) -> Option<(&str, &str)> {
    let (head, values) = line.split_once("):")?;
    let (rank, name) = head.split_once('(')?;
    rank.trim().parse::<u32>().ok()?;
    Some((name.trim(), values))
}

/// Numbers with so many decimals; `0.0332928.0` is two.
fn split(text: &str, decimals: usize) -> Vec<f64> {
    let mut values = Vec::new();
    for mut word in text.split_whitespace() {
        while let Some(dot) = word.find('.') {
            let end = (dot + 1 + decimals).min(word.len());
            let (Some(number), Some(rest)) = (word.get(..end), word.get(end..)) else { break };
            values.push(number.parse().unwrap_or(0.0));
            word = rest;
        }
        if let Ok(whole) = word.parse() {
            values.push(whole);
        }
    }
    values
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let rows: Vec<(usize, &str, &str)> =
        source.lines().filter_map(|(n, l)| row(l).map(|(name, v)| (n, name, v))).collect();
    let decimals = |values: &str| values.trim_end().rsplit_once('.').map_or(0, |(_, d)| d.len());
    let table: Vec<Vec<f64>> = rows.iter().map(|(_, _, v)| split(v, decimals(v))).collect();
    let latency = source.text.contains("usec");
    let at = |i: usize, j: usize| table.get(i).and_then(|r| r.get(j)).copied().filter(|v| *v > 0.0);
    // Of a file that was cut rows are missing, or cells.
    let cells =
        table.iter().enumerate().flat_map(|(i, row)| (0..row.len().min(rows.len())).map(move |j| (i.min(j), i.max(j))));
    let mut pairs: Vec<(usize, usize)> = cells.filter(|(i, j)| i != j).collect();
    pairs.sort_unstable();
    pairs.dedup();
    // A table whose halves differ has one direction in each (`-U`).
    let differ =
        |&&(i, j): &&(usize, usize)| matches!((at(i, j), at(j, i)), (Some(a), Some(b)) if (a - b).abs() > 1e-3 * a);
    let both = pairs.iter().filter(differ).count() * 2 <= pairs.len();
    let mut add = |i: usize, j: usize, value: f64, kind: Quantity| {
        let end = |at: usize| End::Name(rows[at].1.to_string());
        let value = if latency { value } else { value * 1e-3 };
        let pairs = vec![(end(i), end(j))];
        let sample = Sample { pairs, rounds: Vec::new(), value: Some(value), kind, line: nth(rows[i].0) };
        source.add(batch, sample)
    };
    for &(i, j) in &pairs {
        let kind = if latency { Quantity::Latency } else { Quantity::Both };
        if latency || both {
            at(i, j).or(at(j, i)).map_or(Ok(()), |v| add(i, j, v, kind))?;
        } else {
            at(i, j).map_or(Ok(()), |v| add(i, j, v, Quantity::OneWay))?;
            at(j, i).map_or(Ok(()), |v| add(j, i, v, Quantity::OneWay))?;
        }
    }
    if batch.numbers == 0 { Err(empty(source, "a matrix with numbers above 0")) } else { Ok(()) }
}

/// Lines of `round node node`.
pub(super) fn is_rounds(text: &str) -> bool {
    let mut lines = text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')).peekable();
    lines.peek().is_some() && lines.all(|line| round(line).is_some())
}

fn round(line: &str) -> Option<RoundPair<String>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [round, a, b] = words[..] else { return None };
    Some(RoundPair { round: round.parse().ok()?, server: a.to_string(), client: b.to_string() })
}

pub(super) fn read_rounds(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    batch.rounds = source.text.lines().filter_map(round).collect();
    Ok(())
}
