//! What files tell before any fabric is known: who sent to whom, together with whom, and what came of it.

use crate::samples::Samples;
use hopline::error::{Error, Place, Result};

/// One end of a pair, as a tool names it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum End {
    /// A host's or an adapter's name, perhaps with a domain or `:rank`.
    Name(String),
    /// A host and one of its adapters, such as `mlx5_1`.
    Adapter(String, String),
    /// The LID of a port.
    Lid(u16),
    /// A rank, counted from 0, of a program that prints no hosts: a line each of the hostfile.
    Rank(u32),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Name(name) => write!(f, "host `{name}`"),
            End::Adapter(host, adapter) => write!(f, "adapter `{adapter}` of host `{host}`"),
            End::Lid(lid) => write!(f, "LID {lid}"),
            End::Rank(rank) => write!(f, "rank {rank}"),
        }
    }
}

/// What a number says of the flows it was measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// GB/s of one direction.
    OneWay,
    /// GB/s of both directions, added.
    Both,
    /// GB/s of the slowest of all flows: collectives and rings.
    Slowest,
    /// GB/s of all flows, added.
    Sum,
    /// Half of a round trip, in microseconds; the mean where there are several pairs.
    Latency,
}

/// One number of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The flows that the number is about.
    pub pairs: Vec<(End, End)>,
    /// Rounds of the file in which they ran; empty where they ran alone.
    pub rounds: Vec<u32>,
    /// GB/s (1e9 bytes) or microseconds; none where the pair ran and no number came of it.
    pub value: Option<f64>,
    /// What the number says.
    pub kind: Quantity,
    /// The line where it stands, from 1; 0 for the file as a whole.
    pub line: u32,
}

/// A port with errors, by what a tool of InfiniBand calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortErrors {
    /// GUID of the switch or adapter.
    pub guid: Option<u64>,
    /// LID, where the tool tells no GUID.
    pub lid: Option<u16>,
    /// The port's number.
    pub port: u16,
    /// Counters that speak of this cable or port.
    pub own: Vec<(String, u64)>,
}

/// A pair that ran in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoundPair<T> {
    /// The round.
    pub round: u32,
    /// One end; where a file says so, the server.
    pub server: T,
    /// The other.
    pub client: T,
}

/// All numbers of one file.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    /// The file.
    pub path: String,
    /// The format's name.
    pub format: &'static str,
    /// Its numbers, those that were kept.
    pub samples: Samples,
    /// How many numbers it has.
    pub numbers: usize,
    /// Pairs of the numbers that were kept.
    pub pairs: usize,
    /// Hosts in order, of a hostfile.
    pub hosts: Vec<String>,
    /// Rounds as pairs of indices into a hostfile.
    pub indices: Vec<RoundPair<u32>>,
    /// Rounds as pairs of names.
    pub rounds: Vec<RoundPair<String>>,
    /// Ports with errors.
    pub errors: Vec<PortErrors>,
    /// Numbers of hosts that are not known, which were counted and not kept.
    pub unknown: u64,
    /// Whether its end is missing, so that numbers may be missing that were measured.
    pub is_cut: bool,
    /// What a person should know of it.
    pub notes: Vec<String>,
}

/// Gives ranks the names of the hostfiles' lines.
///
/// # Errors
/// There are fewer lines than ranks.
pub(crate) fn name_ranks(batches: &mut [Batch]) -> Result<()> {
    let hosts: Vec<String> = batches.iter().flat_map(|b| b.hosts.iter().cloned()).collect();
    for batch in batches {
        let mut unnamed = None;
        for end in batch.samples.ends_mut() {
            let End::Rank(rank) = *end else { continue };
            match hosts.get(rank as usize) {
                Some(host) => *end = End::Name(host.clone()),
                None => unnamed = unnamed.or(Some(rank)),
            }
        }
        if let Some(rank) = unnamed {
            let named = |(a, b): (&End, &End)| [a, b].contains(&&End::Rank(rank));
            let line = batch.samples.iter().find(|s| s.pairs().any(named)).map_or(0, |s| s.line);
            let text = format!("nothing says on which host rank {rank} of this test ran; {} are listed", hosts.len());
            return Err(Error::input(text).at(&Place::new(&batch.path, line)).hint(
                "OSU prints no hosts: keep the command (`set -x`) in the log, name the file like \
                 osu_bw.HOST-HOST.log, or give the hostfile, a rank a line",
            ));
        }
    }
    Ok(())
}
