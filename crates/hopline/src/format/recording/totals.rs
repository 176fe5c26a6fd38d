//! What a run adds up to: bytes and messages of every pair, calls of every collective.

use super::{Gaps, Node, Recording, Shape, Stream};
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Messages (or calls) and bytes.
type Sum = (u64, u64);

/// Sums of a run, in world ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Totals {
    /// Point to point: (sender, receiver) to messages and bytes.
    pub messages: BTreeMap<(u32, u32), Sum>,
    /// What all-to-all and neighbourhood calls send, pair by pair.
    pub all_to_all: BTreeMap<(u32, u32), Sum>,
    /// One-sided calls, in the direction the bytes go.
    pub one_sided: BTreeMap<(u32, u32), Sum>,
    /// (rank, operation, size of the communicator, root in the world) to calls and bytes.
    pub collectives: BTreeMap<(u32, String, u32, Option<u32>), Sum>,
    /// By rank: calls and nanoseconds in them.
    pub time: Vec<Sum>,
    /// What no pair shows.
    pub gaps: Gaps,
}

/// Adds up a recording: O(nodes). Loops are not unfolded.
///
/// # Errors
/// A sum that does not fit 64 bits.
pub fn totals(recording: &Recording) -> Result<Totals> {
    let mut totals = Totals::default();
    for (rank, stream) in recording.ranks.iter().enumerate() {
        let mut plays = vec![0u64; stream.shapes.len()];
        let mut inside = 0u64;
        tally(&stream.calls, 1, &mut plays, &mut inside);
        for &(shape, times, time) in &stream.counted {
            plays[shape as usize] = plays[shape as usize].saturating_add(times);
            inside = inside.saturating_add(time.inside);
        }
        totals.time.push((plays.iter().fold(0, |sum, n| sum.saturating_add(*n)), inside));
        totals.gaps.add_calls(stream);
        for (shape, times) in stream.shapes.iter().zip(plays).filter(|(_, times)| *times > 0) {
            totals.add(rank as u32, stream, shape, times).ok_or_else(|| {
                Error::input(format!("{}: rank {rank} sends more than 2^64 bytes", recording.path))
                    .hint("the recording is damaged")
            })?;
        }
    }
    Ok(totals)
}

pub(super) fn tally(nodes: &[Node], times: u64, plays: &mut [u64], inside: &mut u64) {
    for node in nodes {
        match node {
            Node::Call { shape, time } => {
                plays[*shape as usize] = plays[*shape as usize].saturating_add(times);
                *inside = inside.saturating_add(time.inside);
            }
            Node::Loop { times: more, body } => tally(body, times.saturating_mul(*more), plays, inside),
        }
    }
}

impl Totals {
    fn add(&mut self, rank: u32, stream: &Stream, shape: &Shape, times: u64) -> Option<()> {
        match shape.op.as_str() {
            "recv" | "wait" | "cancel" => Some(()),
            "send" => match shape.peer {
                Some(peer) => add(&mut self.messages, (rank, peer), times, shape.bytes),
                None => self.gaps.add_elsewhere(times, shape.bytes),
            },
            op @ ("put" | "get" | "exchange") => {
                let Some(peer) = shape.peer else { return self.gaps.add_elsewhere(times, shape.bytes) };
                if op != "get" {
                    add(&mut self.one_sided, (rank, peer), times, shape.bytes)?;
                }
                if op != "put" {
                    add(&mut self.one_sided, (peer, rank), times, shape.bytes)?;
                }
                Some(())
            }
            op => self.add_collective(rank, stream, shape, times, op),
        }
    }

    fn add_collective(&mut self, rank: u32, stream: &Stream, shape: &Shape, times: u64, op: &str) -> Option<()> {
        let peers = stream.comm(shape).map_or(&[][..], |comm| &comm.peers);
        let list = stream.list(shape);
        let pairs: Vec<(Option<u32>, u64)> = match op {
            "alltoall" => peers.iter().map(|&peer| (peer, shape.bytes)).collect(),
            "alltoallv" | "alltoallw" => peers.iter().copied().zip(list.iter().copied()).collect(),
            _ if op.starts_with("neighbor") => {
                // Every stream begins with the world's communicator.
                let world = stream.comms.first().map_or(0, |world| world.peers.len());
                let sent = list.get(1..).unwrap_or_default().chunks_exact(2);
                let count = list.first().copied().unwrap_or(0) as usize;
                let known = |word: u64| u32::try_from(word).ok().filter(|&r| (r as usize) < world);
                sent.take(count).map(|pair| (known(pair[0]), pair[1])).collect()
            }
            _ => Vec::new(),
        };
        let mut bytes = if pairs.is_empty() { shape.bytes } else { 0 };
        for (peer, amount) in pairs {
            bytes = bytes.checked_add(amount)?;
            if let Some(peer) = peer.filter(|_| amount > 0) {
                add(&mut self.all_to_all, (rank, peer), times, amount)?;
            }
        }
        let root = shape.peer.and_then(|root| peers.get(root as usize).copied().flatten());
        add(&mut self.collectives, (rank, op.to_string(), peers.len() as u32, root), times, bytes)
    }
}

fn add<K: Ord>(sums: &mut BTreeMap<K, Sum>, key: K, times: u64, bytes: u64) -> Option<()> {
    let sum = sums.entry(key).or_default();
    sum.0 = sum.0.checked_add(times)?;
    sum.1 = sum.1.checked_add(bytes.checked_mul(times)?)?;
    Some(())
}

/// The sums as CSV, in the form that [`crate::format::matrix`] reads as a recording:
/// lines `p`, `a`, `r` of pairs, `c` of collectives and `t` of times.
pub fn csv(totals: &Totals) -> String {
    let mut text = String::from("# p,src,dst,messages,bytes  a,src,dst,0,bytes  r,src,dst,calls,bytes\n");
    text.push_str("# c,rank,op,commsize,root,calls,bytes  t,rank,size,calls,seconds\n");
    // Writing to a String cannot fail.
    for ((src, dst), (messages, bytes)) in &totals.messages {
        let _ = writeln!(text, "p,{src},{dst},{messages},{bytes}");
    }
    for ((src, dst), (_, bytes)) in &totals.all_to_all {
        let _ = writeln!(text, "a,{src},{dst},0,{bytes}");
    }
    for ((src, dst), (calls, bytes)) in &totals.one_sided {
        let _ = writeln!(text, "r,{src},{dst},{calls},{bytes}");
    }
    for ((rank, op, size, root), (calls, bytes)) in &totals.collectives {
        let root = root.map_or(-1, i64::from);
        let _ = writeln!(text, "c,{rank},{op},{size},{root},{calls},{bytes}");
    }
    for (rank, (calls, nanos)) in totals.time.iter().enumerate() {
        let _ = writeln!(text, "t,{rank},{},{calls},{}", totals.time.len(), *nanos as f64 / 1e9);
    }
    text
}
