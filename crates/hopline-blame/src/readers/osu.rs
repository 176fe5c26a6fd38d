//! OSU micro-benchmarks: bw, bibw, latency, mbw_mr, multi_lat. Hosts come from the command's trace, the
//! file's name or a hostfile.

use super::{Source, empty, nth, numbers};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::{Error, Result};
use hopline::format::hostlist;

pub(super) fn fits(text: &str) -> bool {
    text.lines().any(|line| line.contains("# OSU MPI"))
}

/// A test that is being read.
struct Test {
    kind: Quantity,
    all_pairs: bool,
    hosts: Vec<String>,
    /// How many ranks it has, where that is known.
    ranks: Option<u32>,
    /// Its number, and the line of that.
    told: Option<(usize, f64)>,
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let named = source.hosts_of_name();
    let mut hosts = named.clone();
    let mut test: Option<Test> = None;
    for (n, line) in source.lines() {
        if let Some(traced) = traced_hosts(line) {
            finish(source, batch, test.take())?;
            hosts = traced;
        } else if let Some(title) = line.split("# OSU MPI").nth(1) {
            finish(source, batch, test.take())?;
            let title = title.to_ascii_lowercase();
            let all_pairs = title.contains("multi");
            let kind = match () {
                () if title.contains("latency") => Quantity::Latency,
                () if all_pairs => Quantity::Sum,
                () if title.contains("bi-directional") || title.contains("bidirectional") => Quantity::Both,
                () => Quantity::OneWay,
            };
            test = Some(Test { kind, all_pairs, hosts: hosts.clone(), ranks: (!all_pairs).then_some(2), told: None });
        } else if let Some(pairs) = line.split("[ pairs:").nth(1) {
            let pairs = pairs.split_whitespace().next().and_then(|word| word.parse().ok());
            if let Some(test) = &mut test {
                test.ranks = pairs.map(|pairs: u16| 2 * u32::from(pairs));
            }
        } else if let Some(test) = &mut test
            && let [_, value, ..] = numbers(line)[..]
            && value > 0.0
        {
            // The delay of a message is that of a small one; a rate needs a large one.
            if test.kind != Quantity::Latency || test.told.is_none() {
                test.told = Some((n, value));
            }
        }
    }
    finish(source, batch, test)?;
    if batch.numbers == 0 { Err(empty(source, "rows of size and value")) } else { Ok(()) }
}

/// Hosts of `+ mpirun -np 2 -host a,b ./osu_bw` or `srun -w a,b`.
fn traced_hosts(line: &str) -> Option<Vec<String>> {
    if !line.contains("osu_") || line.trim_start().starts_with('#') {
        return None;
    }
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        let list = match word.split_once('=') {
            Some(("--host" | "--hosts" | "--nodelist", list)) => list,
            None if ["-host", "--host", "-H", "-hosts", "--hosts", "-w", "--nodelist"].contains(&word) => {
                words.next()?
            }
            _ => continue,
        };
        let plain: Vec<String> = match list.contains('[') {
            true => hostlist::expand(list).ok()?,
            false => list.split(',').map(String::from).collect(),
        };
        return Some(plain.iter().map(|h| h.split(':').next().unwrap_or(h).to_string()).collect());
    }
    None
}

fn finish(source: &Source<'_>, batch: &mut Batch, test: Option<Test>) -> Result<()> {
    let Some(Test { kind, all_pairs, hosts, ranks, told: Some((n, value)) }) = test else { return Ok(()) };
    let ends: Vec<End> = match ranks {
        Some(ranks) if hosts.is_empty() => (0..ranks).map(End::Rank).collect(),
        _ => hosts.into_iter().map(End::Name).collect(),
    };
    if ends.len() < 2 || ends.len() % 2 == 1 {
        return Err(Error::input(format!("{} hosts for this test: expected 2, or pairs of them", ends.len()))
            .at(&source.at(n))
            .hint("OSU prints no hosts: keep the command (`set -x`) in the log, or name the file like osu_bw.HOST-HOST.log"));
    }
    let half = ends.len() / 2;
    let count = if all_pairs { half } else { 1 };
    let pair = |i: usize| (ends[i].clone(), ends[i + half].clone());
    let together = all_pairs && kind == Quantity::Sum;
    let sample = Sample {
        pairs: (0..count).map(pair).collect(),
        rounds: if together { vec![batch.samples.len() as u32] } else { Vec::new() },
        value: Some(if kind == Quantity::Latency { value } else { value * 1e-3 }),
        kind,
        line: nth(n),
    };
    source.add(batch, sample)
}
