//! nccl-tests, as text and as JSON (`-J`): busbw is what every hop of the ring of hosts carried at least.

use super::{Source, empty, nth, values};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::Result;
use serde_json::Value;

pub(super) fn fits(text: &str) -> bool {
    let json = text.trim_start().starts_with('{') && text.contains("\"nccl_version\"");
    json || text.contains("# Using devices") || text.lines().any(|l| l.contains("algbw") && l.contains("busbw"))
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    if source.text.trim_start().starts_with('{') {
        for value in values(source, batch)? {
            json(source, batch, &value)?;
        }
    } else {
        text(source, batch)?;
    }
    if batch.numbers == 0 { Err(empty(source, "hosts of two ranks or more, and a row with busbw")) } else { Ok(()) }
}

fn json(source: &Source<'_>, batch: &mut Batch, run: &Value) -> Result<()> {
    let devices = run["config"]["devices"].as_array().map_or(&[][..], Vec::as_slice);
    let hosts = devices.iter().filter_map(|d| d["hostname"].as_str()).map(String::from).collect();
    let Some(last) = run["results"].as_array().and_then(|all| all.last()) else { return Ok(()) };
    let rates = ["out_of_place", "in_place"].map(|place| last[place]["bus_bw"].as_f64().unwrap_or(0.0));
    let is_alltoall = last["experiment_name"].as_str().is_some_and(|name| name.contains("alltoall"));
    add(source, batch, 0, hosts, &rates, is_alltoall)
}

fn text(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let (mut hosts, mut is_alltoall) = (Vec::<String>::new(), false);
    let mut rates: Option<(usize, [f64; 2])> = None;
    for (n, line) in source.lines() {
        is_alltoall |= line.contains("alltoall");
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.trim_start().starts_with('#') && line.contains("Rank") && line.contains(" Pid ") {
            if line.contains("Rank  0 ")
                && let Some((n, rates)) = rates.take()
            {
                add(source, batch, n, std::mem::take(&mut hosts), &rates, is_alltoall)?;
            }
            let host = words.iter().position(|w| *w == "on").and_then(|at| words.get(at + 1));
            hosts.extend(host.map(|h| h.to_string()));
        } else if words.first().is_some_and(|w| w.parse::<u64>().is_ok()) && words.len() >= 8 {
            // Two results of 4 words each stand at the end: time algbw busbw #wrong.
            let at = |back: usize| words.len().checked_sub(back).and_then(|i| words[i].parse::<f64>().ok());
            rates = Some((n, [at(6).unwrap_or(0.0), at(2).unwrap_or(0.0)]));
        }
    }
    match rates {
        Some((n, rates)) => add(source, batch, n, hosts, &rates, is_alltoall),
        None => Ok(()),
    }
}

fn add(
    source: &Source<'_>,
    batch: &mut Batch,
    n: usize,
    mut hosts: Vec<String>,
    rates: &[f64],
    is_alltoall: bool,
) -> Result<()> {
    hosts.dedup();
    if hosts.len() > 2 && hosts.first() == hosts.last() {
        hosts.pop();
    }
    let good: Vec<f64> = rates.iter().copied().filter(|r| *r > 0.0).collect();
    if hosts.len() < 2 || good.is_empty() {
        return Ok(());
    }
    if is_alltoall && hosts.len() > 2 {
        batch.notes.push(format!(
            "{}: an all-to-all of {} hosts is left out: it has no rate per pair",
            source.path,
            hosts.len()
        ));
        return Ok(());
    }
    // All pairs of two hosts are their ring.
    let pairs = (0..hosts.len()).map(|i| (i, (i + 1) % hosts.len()));
    let end = |at: usize| End::Name(hosts[at].clone());
    let sample = Sample {
        pairs: pairs.map(|(i, j)| (end(i), end(j))).collect(),
        rounds: vec![batch.samples.len() as u32],
        value: Some(good.iter().sum::<f64>() / good.len() as f64),
        kind: Quantity::Slowest,
        line: nth(n),
    };
    source.add(batch, sample)
}
