//! A run as a [`Demand`]: point-to-point and one-sided bytes as they were
//! recorded, collectives as the messages of their library's algorithms. On whole runs without
//! one-sided calls it is what the schedule that [`super::goal`] writes adds up to.

use super::library::Call;
use super::messages::{sends, to_each};
use super::read::{read, spawned};
use super::totals::tally;
use super::{Comm, Gaps, Recording, Shape, Stream};
use crate::demand::{Block, Demand, TaskSet, Unit};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::format::matrix::Read;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Adds up a recording, collectives spelled out. All-to-alls in which a rank
/// sends as much to every other stay uniform blocks. O(nodes + messages of each
/// different call).
///
/// # Errors
/// A sum that does not fit 64 bits.
pub fn demand(recording: &Recording) -> Result<Read> {
    let mut sums = Sums::default();
    let mut entries = Vec::new();
    for (rank, stream) in recording.ranks.iter().enumerate() {
        let rank = rank as u32;
        sums.rank(rank, stream).ok_or_else(|| {
            Error::input(format!("{}: rank {rank} sends more than 2^64 bytes", recording.path))
                .hint("the recording is damaged")
        })?;
        let own = std::mem::take(&mut sums.own);
        entries.extend(own.into_iter().map(|(peer, bytes)| (rank, peer, bytes as f64)));
        // What others got from their windows.
        entries.extend(std::mem::take(&mut sums.got).into_iter().map(|(peer, bytes)| (peer, rank, bytes as f64)));
    }
    let notes = sums.notes(recording);
    let demand = Demand::new(recording.ranks.len() as u32, Unit::Bytes, entries, sums.blocks())?;
    Ok(Read { demand, notes })
}

/// The traffic of a recording on disk: of its first world, with a note on others.
///
/// # Errors
/// The recording is damaged, and as [`demand`].
pub fn read_demand(files: &dyn Files, path: &str) -> Result<Read> {
    demand_of_first(&read(files, path)?, files, path)
}

/// The traffic of the first world of a recording in the directory `path`, with a note on other worlds there.
///
/// # Errors
/// Those of [`demand`].
pub fn demand_of_first(first: &Recording, files: &dyn Files, path: &str) -> Result<Read> {
    let mut found = demand(first)?;
    let others = spawned(files, path).count();
    if others > 0 {
        found
            .notes
            .push(format!("{path}: the first of {} worlds; each of the others is a directory in it", others + 1));
    }
    Ok(found)
}

#[derive(Default)]
struct Sums<'a> {
    /// What the rank at hand sends to others, and what it fetches from them.
    own: BTreeMap<u32, u64>,
    got: BTreeMap<u32, u64>,
    /// What members of a communicator send to each other member: (rank, bytes).
    even: FxHashMap<&'a [Option<u32>], Vec<(u32, u64)>>,
    spelled: BTreeSet<&'a str>,
    gaps: Gaps,
    unknown: u64,
}

impl<'a> Sums<'a> {
    fn rank(&mut self, rank: u32, stream: &'a Stream) -> Option<()> {
        self.gaps.add_calls(stream);
        let mut plays = vec![0u64; stream.shapes.len()];
        tally(&stream.calls, 1, &mut plays, &mut 0);
        for &(shape, times, _) in &stream.counted {
            plays[shape as usize] = plays[shape as usize].saturating_add(times);
        }
        let mut even = vec![0u64; stream.comms.len()];
        for (shape, times) in stream.shapes.iter().zip(plays).filter(|(_, times)| *times > 0) {
            match (shape.op.as_str(), shape.peer) {
                ("recv" | "wait" | "cancel", _) => {}
                ("send" | "put" | "get" | "exchange", None) => self.gaps.add_elsewhere(times, shape.bytes)?,
                ("send" | "put", Some(peer)) => add(&mut self.own, peer, shape.bytes, times)?,
                ("get", Some(peer)) => add(&mut self.got, peer, shape.bytes, times)?,
                ("exchange", Some(peer)) => {
                    add(&mut self.own, peer, shape.bytes, times)?;
                    add(&mut self.got, peer, shape.bytes, times)?;
                }
                _ => self.collective(rank, stream, shape, times, &mut even)?,
            }
        }
        for (comm, bytes) in stream.comms.iter().zip(even).filter(|(_, bytes)| *bytes > 0) {
            self.even.entry(&comm.peers).or_default().push((rank, bytes));
        }
        Some(())
    }

    fn collective(
        &mut self,
        rank: u32,
        stream: &'a Stream,
        shape: &'a Shape,
        times: u64,
        even: &mut [u64],
    ) -> Option<()> {
        let (op, list) = (shape.op.as_str(), stream.list(shape));
        let Some((comm, at)) = stream.comm(shape).zip(shape.comm).filter(|(comm, _)| comm.local.is_none()) else {
            self.unknown = self.unknown.saturating_add(times);
            return Some(());
        };
        self.spelled.insert(op);
        let n = comm.peers.len() as u32;
        let root = shape.peer.unwrap_or(0);
        let call = Call { library: &stream.library, op, n, root, bytes: shape.bytes, list };
        if let Some(bytes) = to_each(&call) {
            let sum = &mut even[at as usize];
            *sum = sum.checked_add(bytes.checked_mul(times)?)?;
            return Some(());
        }
        let Some(me) = comm.peers.iter().position(|&peer| peer == Some(rank)) else { return Some(()) };
        // Every stream begins with the world's communicator; neighbours are its ranks.
        let world = stream.comms.first().map_or(0, |world| world.peers.len());
        let real = |peer: u32| match op.starts_with("neighbor") {
            true => Some(peer).filter(|&peer| (peer as usize) < world),
            false => member(comm, peer),
        };
        let mut fits = Some(());
        sends(&call, me as u32, |peer, bytes| {
            if let Some(peer) = real(peer) {
                fits = fits.and_then(|()| add(&mut self.own, peer, bytes, times));
            }
        });
        fits
    }

    /// One block for all members of a communicator that send as much.
    fn blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        for (peers, sent) in self.even {
            let destinations = TaskSet::sorted(peers.iter().copied().flatten().collect());
            if destinations.len() < 2 {
                continue;
            }
            let mut senders: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            sent.into_iter().for_each(|(rank, bytes)| senders.entry(bytes).or_default().push(rank));
            blocks.extend(senders.into_iter().map(|(bytes, ranks)| Block {
                sources: TaskSet::sorted(ranks),
                destinations: destinations.clone(),
                amount: bytes as f64,
                to_self: false,
            }));
        }
        // Hash maps have no order of their own.
        blocks.sort_by_key(|block| (block.sources.get(0), block.destinations.get(0), block.destinations.len()));
        blocks
    }

    fn notes(&self, recording: &Recording) -> Vec<String> {
        let ranks = recording.ranks.len();
        let early = recording.ranks.iter().filter(|stream| !stream.finished).count();
        let spelled: Vec<&str> = self.spelled.iter().copied().collect();
        let notes = [
            (!spelled.is_empty()).then(|| {
                let library = recording.ranks.first().map_or("", |stream| stream.library.as_str());
                format!("collectives are spelled out as {library} sends them by default: {}", spelled.join(", "))
            }),
            (early > 0).then(|| {
                format!("{early} of {ranks} ranks ended before MPI_Finalize: what they did until then is here")
            }),
            (self.unknown > 0)
                .then(|| format!("{} collective calls between two groups of ranks are left out", self.unknown)),
        ];
        notes.into_iter().flatten().chain(self.gaps.notes()).collect()
    }
}

/// The world rank of a member.
fn member(comm: &Comm, peer: u32) -> Option<u32> {
    comm.peers.get(peer as usize).copied().flatten()
}

fn add(sums: &mut BTreeMap<u32, u64>, peer: u32, bytes: u64, times: u64) -> Option<()> {
    let sum = sums.entry(peer).or_default();
    *sum = sum.checked_add(bytes.checked_mul(times)?)?;
    Some(())
}
