//! Loads of many flows in pieces, which threads and processes add up side by side.

use crate::demand::Flows;
use crate::error::Result;
use crate::parallel;
use crate::peers::{Peers, agree, damaged, gather_at_first};
use crate::routing::Routing;
use std::ops::Range;

/// A piece has about so many links to look at, most of a second's worth.
const PIECE: u64 = 1 << 29;
/// Most pieces: each adds up all links, and looks at all senders.
const MOST: u64 = 1024;

/// Flows by receivers, in as many pieces as there is work for: their number follows from the flows alone, and pieces are
/// added up as a binary tree, so that sums are the same to the last bit whoever does what.
pub(super) struct Pieces<'a> {
    flows: &'a Flows,
    routing: &'a dyn Routing,
    /// First receiver of every piece, and the end.
    cuts: Vec<u32>,
}

impl<'a> Pieces<'a> {
    /// One piece where the routing does not go from receiver to receiver, or there is little to do.
    pub(super) fn new(flows: &'a Flows, routing: &'a dyn Routing) -> Pieces<'a> {
        let pieces = (routing.links_of_targets(flows) / PIECE).clamp(1, MOST);
        Pieces { flows, routing, cuts: flows.cuts(pieces as usize) }
    }

    fn count(&self) -> usize {
        self.cuts.len() - 1
    }

    /// The load of every link.
    ///
    /// # Errors
    /// Two places have no way between them.
    pub(super) fn sum(&self) -> Result<Vec<f64>> {
        self.sum_of(0..self.count())
    }

    /// The load of some pieces: of the halves of the range, and so on.
    fn sum_of(&self, range: Range<usize>) -> Result<Vec<f64>> {
        let [first, second] = halves(&range);
        if first.is_empty() {
            return self.one(range.start);
        }
        let (sum, other) = parallel::both(|| self.sum_of(first), || self.sum_of(second));
        Ok(added(sum?, &other?))
    }

    fn one(&self, piece: usize) -> Result<Vec<f64>> {
        let mut loads = vec![0.0; self.routing.fabric().links()];
        match self.count() {
            1 => self.routing.load(self.flows, &mut loads)?,
            all => {
                let part = self.flows.towards(self.cuts[piece]..self.cuts[piece + 1], all as u32);
                self.routing.load(&part, &mut loads)?;
            }
        }
        Ok(loads)
    }

    /// The same by all these processes, each of which adds up consecutive pieces: at the first one the load of every link,
    /// at the others nothing.
    ///
    /// # Errors
    /// Two places have no way between them; a process is gone.
    pub(super) fn sum_among(&self, peers: &dyn Peers) -> Result<Option<Vec<f64>>> {
        let size = peers.size() as usize;
        if size == 1 || self.count() == 1 {
            return if peers.rank() == 0 { self.sum().map(Some) } else { Ok(None) };
        }
        let shares = shares(self.count(), size);
        let own = shares.iter().filter(|share| share.1 == peers.rank() as usize);
        let sums: Result<Vec<Vec<f64>>> = own.map(|share| self.sum_of(share.0.clone())).collect();
        let bytes = agree(peers, sums)?.iter().flatten().flat_map(|sum| sum.to_le_bytes()).collect();
        let told = gather_at_first(peers, bytes)?;
        if peers.rank() > 0 {
            return Ok(None);
        }
        let links = self.routing.fabric().links();
        let mut sums = told.iter().flat_map(|bytes| bytes.chunks(links * size_of::<f64>())).map(|bytes| {
            let cell = |b: &[u8]| b.try_into().map(f64::from_le_bytes).map_err(|_| damaged());
            bytes.chunks(size_of::<f64>()).map(cell).collect::<Result<Vec<f64>>>()
        });
        fold(&(0..self.count()), &shares, &mut sums).map(Some)
    }
}

/// A range in halves, of which the first is empty where it has one piece.
fn halves(range: &Range<usize>) -> [Range<usize>; 2] {
    let middle = range.start + range.len() / 2;
    [range.start..middle, middle..range.end]
}

/// Which process adds up which pieces: the largest ranges of the tree that are of one process, in order.
fn shares(pieces: usize, processes: usize) -> Vec<(Range<usize>, usize)> {
    let owner = |piece: usize| piece * processes / pieces;
    let all = 0..pieces;
    let (mut left, mut shares) = (vec![all], Vec::new());
    while let Some(range) = left.pop() {
        match owner(range.start) {
            only if only == owner(range.end - 1) => shares.push((range, only)),
            _ => {
                let [first, second] = halves(&range);
                left.extend([second, first]);
            }
        }
    }
    shares
}

/// The sum of a range of the tree, by those of shares in their order.
fn fold(
    range: &Range<usize>,
    shares: &[(Range<usize>, usize)],
    sums: &mut dyn Iterator<Item = Result<Vec<f64>>>,
) -> Result<Vec<f64>> {
    if shares.iter().any(|share| share.0 == *range) {
        return sums.next().ok_or_else(damaged)?;
    }
    let [first, second] = halves(range);
    let sum = fold(&first, shares, sums)?;
    Ok(added(sum, &fold(&second, shares, sums)?))
}

fn added(mut sum: Vec<f64>, other: &[f64]) -> Vec<f64> {
    sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::{Block, Demand, TaskSet, Unit};
    use crate::error::Place;
    use crate::files::Disk;
    use crate::id::VertexId;
    use crate::params::Params;
    use crate::peers::together;
    use crate::topology;
    use std::sync::Arc;

    #[test]
    fn every_piece_has_one_process_and_equal_shares() {
        for (pieces, processes) in [(64, 1), (64, 4), (64, 3), (5, 4), (7, 100), (1024, 1000)] {
            let shares = shares(pieces, processes);
            let in_order: Vec<usize> = shares.iter().flat_map(|share| share.0.clone()).collect();
            assert_eq!(in_order, (0..pieces).collect::<Vec<_>>(), "{pieces} {processes}");
            let of = |p: usize| shares.iter().filter(|s| s.1 == p).map(|s| s.0.len()).sum::<usize>();
            let all: Vec<usize> = (0..processes).map(of).collect();
            assert!(all.iter().all(|&n| n.abs_diff(pieces / processes) <= 1), "{all:?}");
        }
    }

    /// Single flows and blocks, on paths that are searched for, that go up and down, and by tables.
    #[test]
    fn pieces_come_to_the_same_whoever_adds_them_up() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let place = Place::new("here", 0);
        for (machine, routing) in [
            ("slim-fly:q=5,p=3", "minimal"),
            ("fat-tree:k=4,n=3", "up-down"),
            ("file:ROOTtestdata/fabrics/lmc1-8", "table:lid=spread"),
            ("file:ROOTtestdata/fabrics/lmc1-8", "minhop"),
        ] {
            let params = Params::from_spec(&machine.replace("ROOT", root), &place).expect("spec");
            let (topology, fabric) = topology::build(&params, &Disk).expect("machine");
            let fabric = Arc::new(fabric);
            let params = Params::from_spec(routing, &place).expect("spec");
            let routing = crate::routing::build(&params, &topology, &fabric, &Disk).expect("routing");
            let tasks = fabric.endpoints();
            let block = |sources, destinations| Block { sources, destinations, amount: 0.1, to_self: false };
            let some = TaskSet::Range { first: 1, count: tasks / 3, step: 2 };
            let blocks = vec![block(TaskSet::all(tasks), TaskSet::all(tasks)), block(TaskSet::all(tasks), some)];
            let entries = (0..tasks).map(|task| (task, task * 5 % tasks, 1.0 / 3.0 + f64::from(task))).collect();
            let demand = Demand::new(tasks, Unit::Units, entries, blocks).expect("demand");
            let place: Vec<VertexId> = (0..tasks).map(VertexId).collect();
            let flows = Flows::new(&demand, &place, &fabric);
            assert!(routing.links_of_targets(&flows) > 0, "{machine}");
            let mut whole = vec![0.0; fabric.links()];
            routing.load(&flows, &mut whole).expect("loads");
            for pieces in [2, 5, 7] {
                let cut = || Pieces { flows: &flows, routing: &*routing, cuts: flows.cuts(pieces) };
                let sum = cut().sum().expect("loads");
                assert!(sum.iter().zip(&whole).all(|(a, b)| (a - b).abs() <= 1e-12 * b), "{machine} {pieces}");
                for size in [2, 3, 4, 9] {
                    let mut all = together(size, |peers| cut().sum_among(&*peers).expect("loads")).into_iter();
                    assert!(all.next() == Some(Some(sum.clone())), "{machine} {pieces} {size}");
                    assert!(all.all(|other| other.is_none()));
                }
            }
        }
    }
}
