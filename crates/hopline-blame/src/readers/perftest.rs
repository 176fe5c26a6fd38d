//! perftest: ib_write_bw, ib_read_bw, ib_send_bw and their latencies; the LIDs name the ports exactly.

use super::{Source, empty, nth, numbers};
use crate::measured::{Batch, End, Quantity, Sample};
use hopline::error::{Error, Result};
use rustc_hash::FxHashSet;

pub(super) fn fits(text: &str) -> bool {
    text.lines().any(|l| (l.contains("BW Test") || l.contains("Latency Test")) && !l.contains('#'))
}

#[derive(Default)]
struct Test {
    title: String,
    server: bool,
    local: Option<u16>,
    remote: Option<u16>,
    /// What a number of the table is in GB/s, and its column.
    column: Option<(usize, f64)>,
    told: Option<(usize, f64)>,
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let mut test = Test::default();
    let mut seen = FxHashSet::default();
    let mut server = false;
    for (n, line) in source.lines() {
        if line.contains("Waiting for client") {
            server = true;
        } else if line.contains("BW Test") || line.contains("Latency Test") {
            finish(source, batch, &mut seen, std::mem::take(&mut test))?;
            test = Test { title: line.trim().to_string(), server: std::mem::take(&mut server), ..Test::default() };
        } else if line.trim_start().starts_with("local address") {
            test.local = test.local.or(lid(line));
        } else if line.trim_start().starts_with("remote address") {
            test.remote = test.remote.or(lid(line));
        } else if line.contains("#bytes") {
            let at = |word: &str| line.find(word);
            test.column = match () {
                () if at("t_typical").is_some() => Some((4, 1.0)),
                () if at("BW average[Gb/sec]").is_some() => Some((3, 0.125)),
                () if at("BW average").is_some() => Some((3, 1048576e-9)),
                () => None,
            };
        } else if let Some((column, unit)) = test.column
            && let Some(value) = numbers(line).get(column)
            && *value > 0.0
        {
            // The delay of a message is that of a small one; a rate needs a large one.
            if test.told.is_none() || !test.title.contains("Latency") {
                test.told = Some((n, value * unit));
            }
        }
    }
    finish(source, batch, &mut seen, test)?;
    if batch.numbers == 0 { Err(empty(source, "a row below `#bytes #iterations`")) } else { Ok(()) }
}

fn lid(line: &str) -> Option<u16> {
    let word = line.split("LID").nth(1)?.split_whitespace().next()?;
    match word.strip_prefix("0x") {
        Some(hex) => u16::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    }
    .filter(|lid| *lid > 0)
}

/// A pair's number; the server's log of the same test counts for nothing.
fn finish(source: &Source<'_>, batch: &mut Batch, seen: &mut FxHashSet<(End, End, u64)>, test: Test) -> Result<()> {
    let Some((n, value)) = test.told else { return Ok(()) };
    let hosts = source.hosts_of_name();
    let (mut client, mut server) = match (test.local, test.remote, &hosts[..]) {
        (Some(local), Some(remote), _) => (End::Lid(local), End::Lid(remote)),
        (_, _, [a, b, ..]) => (End::Name(a.clone()), End::Name(b.clone())),
        _ => {
            return Err(Error::input("neither LIDs nor hosts of this test are known")
                .at(&source.at(n))
                .hint("name the file like ib_write_bw.CLIENT-SERVER.log"));
        }
    };
    if test.server {
        std::mem::swap(&mut client, &mut server);
    }
    let latency = test.title.contains("Latency");
    let both = test.title.contains("Bidirectional");
    let pair = if test.title.contains("Read") && !latency { (server, client) } else { (client, server) };
    if seen.insert((pair.0.clone(), pair.1.clone(), value.to_bits())) {
        let kind = if latency {
            Quantity::Latency
        } else if both {
            Quantity::Both
        } else {
            Quantity::OneWay
        };
        let sample = Sample { pairs: vec![pair], rounds: Vec::new(), value: Some(value), kind, line: nth(n) };
        source.add(batch, sample)?;
    }
    Ok(())
}
