//! superbench's ib-traffic: `ib_write_bw_8388608_cpu-to-cpu_{line}_{pair}:{server}_{client}:{rank}`, GB/s.

use super::{Source, empty, nth, values};
use crate::measured::{Batch, End, Quantity, RoundPair, Sample};
use hopline::error::{Error, Result};
use serde_json::Value;

pub(super) fn fits(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("ib-traffic")
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    for (n, object) in values(source, batch)?.into_iter().enumerate() {
        let entries = object.as_object().into_iter().flatten();
        for sample in entries.filter_map(|(key, value)| sample(source, n, key, value)) {
            source.add(batch, sample)?;
        }
    }
    if batch.numbers == 0 { Err(empty(source, "metrics of ib-traffic")) } else { Ok(()) }
}

fn sample(source: &Source<'_>, n: usize, key: &str, value: &Value) -> Option<Sample> {
    let metric = key.rsplit('/').next()?;
    let value = value.as_f64().or_else(|| value.get(0)?.as_f64())?;
    let mut parts = metric.split(':');
    let (what, pair) = (parts.next()?, parts.next()?);
    let mut tail = what.rsplit('_');
    let (_, round) = (tail.next()?.parse::<u32>().ok()?, tail.next()?.parse::<u32>().ok()?);
    let latency = what.contains("_lat_");
    if !latency && !what.contains("_bw_") {
        return None;
    }
    let splits = || pair.match_indices('_').map(|(at, _)| (&pair[..at], &pair[at + 1..]));
    let (server, client) =
        splits().find(|(a, b)| (source.known)(a) && (source.known)(b)).or_else(|| splits().next())?;
    let [server, client] = [server, client].map(|name| End::Name(name.to_string()));
    // A client writes to the server, and reads from it.
    let pair = if what.contains("_read_bw") { (server, client) } else { (client, server) };
    Some(Sample {
        pairs: vec![pair],
        rounds: vec![round],
        value: (value > 0.0 && value.is_finite()).then_some(value),
        kind: if latency { Quantity::Latency } else { Quantity::OneWay },
        line: nth(n),
    })
}

/// Lines of `server,client;server,client`.
pub(super) fn is_config(text: &str) -> bool {
    let mut lines = text.lines().filter(|l| !l.trim().is_empty()).peekable();
    let number = |word: &str| word.trim().parse::<u32>().is_ok();
    let pair = |word: &str| word.split_once(',').is_some_and(|(a, b)| number(a) && number(b));
    lines.peek().is_some() && lines.all(|line| line.trim_end_matches(';').split(';').all(pair))
}

pub(super) fn read_config(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let lines = source.text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
    for (round, (n, line)) in lines.enumerate() {
        for word in line.trim_end_matches(';').split(';') {
            let pair = word.split_once(',').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
            let Some((server, client)) = pair else {
                return Err(Error::input(format!("`{word}`: expected server,client")).at(&source.at(n)));
            };
            batch.indices.push(RoundPair { round: round as u32, server, client });
        }
    }
    Ok(())
}
