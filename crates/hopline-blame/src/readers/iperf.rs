//! iperf3 -J: one object a run.

use super::{Source, empty, values};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::Result;

pub(super) fn fits(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"bits_per_second\"") && text.contains("\"start\"")
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    for run in values(source, batch)? {
        let start = &run["start"];
        let own = start["system_info"].as_str().and_then(|info| info.split_whitespace().nth(1));
        let peer = start["connecting_to"]["host"].as_str().or(start["accepted_connection"]["host"].as_str());
        let named = source.hosts_of_name();
        let ends = match (own, peer, &named[..]) {
            (Some(own), Some(peer), _) if (source.known)(own) && (source.known)(peer) => [own, peer],
            (_, _, [a, b, ..]) => [a.as_str(), b.as_str()],
            (Some(own), Some(peer), _) => [own, peer],
            _ => continue,
        }
        .map(|name| End::Name(name.to_string()));
        let [client, server] = ends;
        let reversed = start["test_start"]["reverse"].as_i64() == Some(1);
        let mut add = |back: bool, value: Option<f64>| {
            let Some(value) = value.filter(|v| *v > 0.0) else { return Ok(()) };
            let (a, b) = (client.clone(), server.clone());
            let sample = Sample {
                pairs: vec![if back { (b, a) } else { (a, b) }],
                rounds: Vec::new(),
                value: Some(value / 8e9),
                kind: Quantity::OneWay,
                line: 1,
            };
            source.add(batch, sample)
        };
        add(reversed, run["end"]["sum_received"]["bits_per_second"].as_f64())?;
        add(!reversed, run["end"]["sum_received_bidir_reverse"]["bits_per_second"].as_f64())?;
    }
    if batch.numbers == 0 { Err(empty(source, "end.sum_received.bits_per_second and both hosts")) } else { Ok(()) }
}
