//! perftest's `--out_json`: an object with `test_info` and `results`. Hosts stand in the file's name only.

use super::{Source, empty, values};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::{Error, Result};
use serde_json::Value;

const MIB: f64 = 1048576e-9;
const GBIT: f64 = 0.125;

pub(super) fn fits(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"test_info\"") && text.contains("_Test\"")
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    // A bandwidth alone is written with a comma behind it.
    let mended = source.text.replace(",\n}", "\n}");
    let runs = values(&Source { text: &mended, ..*source }, batch)?;
    for (n, run) in runs.iter().enumerate() {
        let title = run["test_info"]["test"].as_str().unwrap_or_default();
        let results = if run["results"].is_object() { &run["results"] } else { run };
        let latency = title.contains("Latency");
        let value = if latency { number(results, &["t_typical", "t_avg", "avg_lat"]) } else { rate(results, batch) };
        let Some(value) = value.filter(|v| *v > 0.0 && v.is_finite()) else { continue };
        let [client, server] = ends(source, n)?;
        let kind = match () {
            () if latency => Quantity::Latency,
            () if title.contains("Bidirectional") => Quantity::Both,
            () => Quantity::OneWay,
        };
        // A client writes to the server, and reads from it.
        let pair = if title.contains("Read") && !latency { (server, client) } else { (client, server) };
        let sample = Sample { pairs: vec![pair], rounds: Vec::new(), value: Some(value), kind, line: 1 };
        source.add(batch, sample)?;
    }
    if batch.numbers == 0 { Err(empty(source, "BW_average or t_typical in its results")) } else { Ok(()) }
}

/// The client and the server of a run, by the file's name.
fn ends(source: &Source<'_>, run: usize) -> Result<[End; 2]> {
    match &source.hosts_of_name()[..] {
        [a, b, ..] => Ok([End::Name(a.clone()), End::Name(b.clone())]),
        _ => Err(Error::input(format!("the hosts of run {} are not known", run + 1)).at(&source.at(0)).hint(
            "JSON of perftest names no port: call the file ib_write_bw.CLIENT-SERVER.json, or give the text output",
        )),
    }
}

/// A value by the beginning of its name (units may follow).
fn number(results: &Value, names: &[&str]) -> Option<f64> {
    let entries = results.as_object()?;
    names.iter().find_map(|name| entries.iter().find(|(key, _)| key.starts_with(name))?.1.as_f64())
}

/// GB/s. The file does not say whether MiB/s or Gbit/s is meant: bytes and messages per second do.
fn rate(results: &Value, batch: &mut Batch) -> Option<f64> {
    let told = number(results, &["BW_average", "bw_avg"])?;
    let bytes = number(results, &["MsgSize"]).zip(number(results, &["MsgRate"])).map(|(size, rate)| size * rate * 1e-3);
    let off = |unit: f64| bytes.map(|gb| (told * unit / gb).ln().abs());
    match (off(MIB), off(GBIT)) {
        (Some(mib), Some(gbit)) if mib.is_finite() && gbit.is_finite() => {
            Some(told * if gbit < mib { GBIT } else { MIB })
        }
        _ => {
            batch.notes.push(format!("{}: no message rate beside the bandwidth, which is taken as MiB/s", batch.path));
            Some(told * MIB)
        }
    }
}
