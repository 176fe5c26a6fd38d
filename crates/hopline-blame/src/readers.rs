//! Readers of measurements: one file a format; the content decides.

mod clusterkit;
mod counters;
mod csv;
mod hosts;
mod iperf;
mod mpigraph;
mod nccl;
mod osu;
mod perftest;
mod perftest_json;
mod superbench;

use crate::measured::{Batch, Sample};
use crate::snapshots::COUNTERS;
use hopline::error::{Error, Place, Result};
use hopline::files::{check_room, check_values};
use serde_json::{Deserializer, Value};

/// What a reader is told.
pub struct Source<'a> {
    /// The file's path, for places and for hosts named by it.
    pub path: &'a str,
    /// Its content.
    pub text: &'a str,
    /// Whether a word is the name of a host.
    pub known: &'a dyn Fn(&str) -> bool,
    /// Whether a number of a pair alone is to be kept, asked of each: files may be very long.
    pub keep: &'a dyn Fn(&Sample) -> bool,
}

impl Source<'_> {
    fn at(&self, line: usize) -> Place {
        Place::new(self.path, nth(line))
    }

    /// Takes a number in. Pairs of a round load each other's links, so that all of them are needed; of others those that are to be kept.
    ///
    /// # Errors
    /// The text stands for far more pairs than it tells numbers of.
    fn add(&self, batch: &mut Batch, sample: Sample) -> Result<()> {
        batch.numbers += 1;
        if !sample.rounds.is_empty() || (self.keep)(&sample) {
            batch.pairs += sample.pairs.len();
            check_room(self.path, self.text.len(), batch.pairs, DENSEST)?;
            batch.samples.push(sample);
        }
        Ok(())
    }

    /// Lines with their numbers from 0, without what launchers write before them (`[1,0]<stdout>:`).
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(n, line)| match line.split_once("<stdout>:") {
            Some((rank, rest)) if rank.starts_with('[') => (n, rest),
            _ => (n, line),
        })
    }

    /// Hosts that the file's name tells, in order: `osu_bw.n001-n002.log`.
    fn hosts_of_name(&self) -> Vec<String> {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        let words = name.split(['.', ',', '+', '=', ' ']).flat_map(|part| match (self.known)(part) {
            true => vec![part],
            false => part.split(['_', '-']).collect(),
        });
        words.filter(|word| (self.known)(word)).map(String::from).collect()
    }
}

/// Bytes of memory of a number of a pair, with the flows that are made of it.
pub(crate) const SAMPLE: usize = 300;

/// Bytes of memory of a pair and of a number of it (see [`check_room`]).
const DENSEST: usize = 36;

/// The number of a line that is counted from 0.
fn nth(line: usize) -> u32 {
    u32::try_from(line + 1).unwrap_or(u32::MAX)
}

/// A format: how its files begin or look, and how they are read.
struct Format {
    name: &'static str,
    fits: fn(&str) -> bool,
    read: fn(&Source<'_>, &mut Batch) -> Result<()>,
}

/// Formats of measurements; the first that fits is taken.
const MEASURED: &[Format] = &[
    Format { name: "mpiGraph", fits: mpigraph::fits, read: mpigraph::read },
    Format { name: "OSU", fits: osu::fits, read: osu::read },
    Format { name: "perftest", fits: perftest::fits, read: perftest::read },
    Format { name: "perftest JSON", fits: perftest_json::fits, read: perftest_json::read },
    Format { name: "nccl-tests", fits: nccl::fits, read: nccl::read },
    Format { name: "iperf3", fits: iperf::fits, read: iperf::read },
    Format { name: "superbench", fits: superbench::fits, read: superbench::read },
    Format { name: "ClusterKit", fits: clusterkit::fits, read: clusterkit::read },
    Format { name: COUNTERS, fits: counters::fits, read: counters::read },
    Format { name: "CSV", fits: csv::fits, read: csv::read },
];

/// What says which pairs ran together, and on which hosts: nearly any list of words, so these come last.
const BESIDE: &[Format] = &[
    Format { name: "rounds by index", fits: superbench::is_config, read: superbench::read_config },
    Format { name: "rounds", fits: clusterkit::is_rounds, read: clusterkit::read_rounds },
    Format { name: "hostfile", fits: hosts::fits, read: hosts::read },
];

fn all() -> impl Iterator<Item = &'static Format> {
    MEASURED.iter().chain(BESIDE)
}

/// The name of a text's format; none where it is of no known one.
pub fn format_of(text: &str) -> Option<&'static str> {
    all().find(|format| (format.fits)(text)).map(|format| format.name)
}

/// The same where the text has measurements, not what was beside them.
pub fn measurements_of(text: &str) -> Option<&'static str> {
    MEASURED.iter().find(|format| (format.fits)(text)).map(|format| format.name)
}

/// The names of all formats.
pub fn formats() -> impl Iterator<Item = &'static str> {
    all().map(|format| format.name)
}

/// Reads a file as one of a format, whatever it looks like.
///
/// # Errors
/// There is no such format, or the file has nothing of what it promises.
pub fn read_as(name: &str, source: &Source<'_>) -> Result<Batch> {
    match all().find(|format| format.name == name) {
        Some(format) => batch_of(format, source),
        None => Err(Error::input(format!("`{name}` is no format of measurements"))),
    }
}

fn batch_of(format: &Format, source: &Source<'_>) -> Result<Batch> {
    let mut batch = Batch { path: source.path.to_string(), format: format.name, ..Batch::default() };
    (format.read)(source, &mut batch)?;
    Ok(batch)
}

/// Reads a file of any format.
///
/// # Errors
/// It is of no format, or has nothing of what its format promises.
pub fn read(source: &Source<'_>) -> Result<Batch> {
    let Some(format) = all().find(|format| (format.fits)(source.text)) else {
        let names: Vec<&str> = formats().collect();
        return Err(Error::input("not a measurement that is known").at(&Place::new(source.path, 0)).hint(format!(
            "known are {}; any table can be a CSV with the header src,dst,gbytes_per_s,round",
            names.join(", ")
        )));
    };
    batch_of(format, source)
}

/// The JSON values of a file that may hold several; what follows the last whole one is left out, with a note.
///
/// # Errors
/// It has more values than inputs may.
fn values(source: &Source<'_>, batch: &mut Batch) -> Result<Vec<Value>> {
    check_values(source.path, source.text)?;
    let mut all = Vec::new();
    for value in Deserializer::from_str(source.text).into_iter::<Value>() {
        match value {
            Ok(value) => all.push(value),
            Err(e) => {
                let place = Place::new(source.path, u32::try_from(e.line()).unwrap_or(u32::MAX));
                batch.notes.push(format!("{place}: no JSON from here on, left out: {e}"));
                break;
            }
        }
    }
    Ok(all)
}

/// The numbers at the beginning of a line; none where it does not begin with one.
fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map_while(|word| word.parse::<f64>().ok().filter(|v| v.is_finite())).collect()
}

/// The error of a file of a format without a number.
fn empty(source: &Source<'_>, expected: &str) -> Error {
    Error::input(format!("no measurement in it: expected {expected}"))
        .at(&Place::new(source.path, 0))
        .hint("was the run cut short? leave the file out, or measure again")
}
