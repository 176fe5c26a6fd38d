//! A recording carried to more ranks: a grid of ranks that all do the same, each with
//! its neighbours, becomes a larger grid. What a rank sends and computes stays as it
//! was recorded (weak scaling); collectives of the world are those of the larger one.

use super::{Comm, Node, Recording, Shape, Stream};
use crate::error::{Error, Result};

/// Each of them knows all others.
const MOST_RANKS: u32 = 4096;

/// Carries a recording to `ranks` ranks. The grid is found in it: extents, the last one fastest, in which every rank
/// calls the same as rank 0, with peers as far away in every dimension, around the ends. Ranks of the larger grid do what
/// the recorded ones did in their place modulo the recorded extents. O(ranks * calls, folded) for each grid that is tried.
///
/// # Errors
/// `ranks` is no multiple of the recorded number, no grid is found, or there are calls that say nothing of more ranks; the
/// error says which.
pub fn carry(recording: &Recording, ranks: u32) -> Result<Recording> {
    let recorded = recording.ranks.len() as u32;
    let fail =
        |why: String| Error::input(format!("{}: {recorded} ranks cannot be carried to {ranks}: {why}", recording.path));
    if ranks == recorded {
        return Ok(recording.clone());
    }
    if recorded == 0 || ranks < recorded || !ranks.is_multiple_of(recorded) || ranks > MOST_RANKS {
        return Err(fail(format!("expected a multiple of {recorded}, and {MOST_RANKS} at most")));
    }
    recording.ranks.iter().enumerate().try_for_each(|(rank, stream)| stands_alone(stream, rank)).map_err(&fail)?;
    let mut why = String::new();
    for extents in grids(recorded) {
        let grid = Grid { extents };
        match grid.holds(recording) {
            Ok(grid) => return Ok(grid.grown(ranks / recorded, recording)),
            // The first grid is the line of all ranks, which says most.
            Err(reason) if why.is_empty() => why = reason,
            Err(_) => {}
        }
    }
    Err(fail(format!("no grid whose ranks all do the same: as a ring, {why}")))
}

/// Whether a rank's calls say what they would be among more ranks.
fn stands_alone(stream: &Stream, rank: usize) -> std::result::Result<(), String> {
    let shape = |shape: &Shape| match shape.op.as_str() {
        "send" | "recv" | "put" | "get" | "exchange" if shape.comm.is_some_and(|comm| comm != 0) => {
            Some("messages in another communicator than the world")
        }
        "send" | "put" | "get" | "exchange" if shape.peer.is_none() => Some("messages to another world"),
        "send" | "recv" | "put" | "get" | "exchange" | "wait" | "cancel" => None,
        op if op.starts_with("neighbor") => Some("neighbourhood collectives, whose ranks are a list"),
        _ if shape.comm != Some(0) => Some("collectives in another communicator than the world"),
        _ if shape.list.is_some() => Some("collectives with bytes for each rank"),
        _ => None,
    };
    match stream.shapes.iter().find_map(shape) {
        Some(what) => Err(format!("rank {rank} has {what}")),
        None if !stream.counted.is_empty() => Err(format!("rank {rank} reached the limit of the recording")),
        None => Ok(()),
    }
}

/// Extents of grids of `ranks` ranks: the line first, then those of more dimensions. Two neighbours along an extent of 2
/// are one rank, which tells nothing of a larger one.
fn grids(ranks: u32) -> Vec<Vec<u32>> {
    fn split(ranks: u32, dimensions: u32, found: &mut Vec<Vec<u32>>, so_far: &mut Vec<u32>) {
        if dimensions == 1 {
            found.push(so_far.iter().copied().chain([ranks]).collect());
            return;
        }
        for extent in (3..=ranks / 3).filter(|&extent| ranks.is_multiple_of(extent)) {
            so_far.push(extent);
            split(ranks / extent, dimensions - 1, found, so_far);
            so_far.pop();
        }
    }
    let mut found = Vec::new();
    (1..=4).for_each(|dimensions| split(ranks, dimensions, &mut found, &mut Vec::new()));
    found
}

struct Grid {
    extents: Vec<u32>,
}

impl Grid {
    fn coordinates(&self, rank: u32) -> Vec<u32> {
        let mut left = rank;
        let mut at: Vec<u32> = self.extents.iter().rev().map(|&n| (left % n, left /= n).0).collect();
        at.reverse();
        at
    }

    fn rank(&self, at: impl Iterator<Item = u32>) -> u32 {
        at.zip(&self.extents).fold(0, |rank, (x, n)| rank * n + x)
    }

    /// How far `to` is from `from` in every dimension, the short way round; `None` where both ways are as long.
    fn offset(&self, from: u32, to: u32) -> Option<Vec<i64>> {
        let ways = self.coordinates(from).into_iter().zip(self.coordinates(to)).zip(&self.extents);
        let way = |((from, to), &n): ((u32, u32), &u32)| {
            let up = (to + n - from) % n;
            match (2 * up).cmp(&n) {
                std::cmp::Ordering::Less => Some(i64::from(up)),
                std::cmp::Ordering::Greater => Some(i64::from(up) - i64::from(n)),
                std::cmp::Ordering::Equal => None,
            }
        };
        ways.map(way).collect()
    }

    /// This grid, if every rank does in its place what rank 0 does; else what first does not fit.
    fn holds(self, recording: &Recording) -> std::result::Result<Grid, String> {
        let first = &recording.ranks[0];
        for (rank, stream) in recording.ranks.iter().enumerate() {
            self.alike((0, first, &first.calls), (rank as u32, stream, &stream.calls))?;
        }
        Ok(self)
    }

    fn alike(
        &self,
        (zero, first, these): (u32, &Stream, &[Node]),
        (rank, stream, those): (u32, &Stream, &[Node]),
    ) -> std::result::Result<(), String> {
        let other = || format!("rank {rank} calls something else than rank {zero}");
        if these.len() != those.len() {
            return Err(other());
        }
        for pair in these.iter().zip(those) {
            match pair {
                (Node::Call { shape: a, .. }, Node::Call { shape: b, .. }) => {
                    let (a, b) = (first.shape(*a), stream.shape(*b));
                    let plain = |shape: &Shape| Shape { peer: None, list: None, ..shape.clone() };
                    if plain(a) != plain(b) || first.list(a) != stream.list(b) {
                        return Err(other());
                    }
                    self.peers_alike((zero, a), (rank, b))?;
                }
                (Node::Loop { times: n, body: a }, Node::Loop { times: m, body: b }) if n == m => {
                    self.alike((zero, first, a), (rank, stream, b))?;
                }
                _ => return Err(other()),
            }
        }
        Ok(())
    }

    fn peers_alike(&self, (zero, a): (u32, &Shape), (rank, b): (u32, &Shape)) -> std::result::Result<(), String> {
        let (Some(to), Some(there)) = (a.peer, b.peer) else {
            return if a.peer == b.peer {
                Ok(())
            } else {
                Err(format!("rank {rank} has another peer than rank {zero}"))
            };
        };
        if is_collective(&a.op) {
            return if to == there { Ok(()) } else { Err(format!("the roots of {} are not one", a.op)) };
        }
        let both = self.offset(zero, to).zip(self.offset(rank, there));
        let (one, two) = both.ok_or_else(|| format!("rank {zero} and {to} are as near either way round"))?;
        if one == two { Ok(()) } else { Err(format!("rank {rank} and {there} are not as rank {zero} and {to}")) }
    }

    /// The recording on a grid of `factor` times as many ranks: the smallest extent grows first.
    fn grown(&self, factor: u32, recording: &Recording) -> Recording {
        let mut large = Grid { extents: self.extents.clone() };
        let mut left = factor;
        for prime in (2..=factor).rev() {
            while left.is_multiple_of(prime) && (2..prime).all(|p| !prime.is_multiple_of(p)) {
                left /= prime;
                if let Some(least) = large.extents.iter_mut().min() {
                    *least *= prime;
                }
            }
        }
        let ranks = recording.ranks.len() as u32 * factor;
        let stream = |rank: u32| {
            let at = large.coordinates(rank);
            let model = self.rank(at.iter().zip(&self.extents).map(|(x, n)| x % n));
            let mut stream = recording.ranks[model as usize].clone();
            let world = Comm { peers: (0..ranks).map(Some).collect(), local: None, twin: 0 };
            stream.comms = vec![world];
            for shape in stream.shapes.iter_mut().filter(|shape| !is_collective(&shape.op)) {
                shape.peer = shape.peer.and_then(|peer| self.offset(model, peer)).map(|offset| {
                    let to = at.iter().zip(offset).zip(&large.extents);
                    large.rank(to.map(|((&x, d), &n)| (i64::from(x) + d).rem_euclid(i64::from(n)) as u32))
                });
            }
            stream
        };
        Recording { path: recording.path.clone(), ranks: (0..ranks).map(stream).collect() }
    }
}

fn is_collective(op: &str) -> bool {
    !matches!(op, "send" | "recv" | "put" | "get" | "exchange" | "wait" | "cancel")
}
