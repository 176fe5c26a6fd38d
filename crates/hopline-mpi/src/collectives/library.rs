//! What the MPI library's own ways take, predicted. Of broadcasts it is known which tree the library uses, that large
//! all-gathers go round a ring or between neighbours, and Open MPI's large all-reduces round a ring; of the others
//! the library is taken to use the best of its algorithms.

use super::model::Network;
use super::operation::Operation;
use super::rounds::Seats;
use super::tree::{Shape, placed, positions};
use super::wanted::Wanted;

/// All-gathers of more go round.
const ROUND: u64 = 524_288;
/// Segments in which a library's pipelines send; Open MPI's all-reduces of so much go round.
const SEGMENT: u64 = 65_536;
/// MPICH's broadcasts of less go down a tree.
const SMALL: u64 = 12_288;
/// Open MPI's non-blocking broadcasts and sums among so few ranks are sent by the root, one after the other.
const FEW: usize = 4;

/// Seconds of the library's way: nodes and ranks in the order of ranks, counted from the root.
pub(super) fn given(wanted: &Wanted<'_>, network: &Network) -> f64 {
    let Wanted { open_mpi, root, bytes, node_of, .. } = *wanted;
    let (n, ranks) = (network.nodes, node_of.len());
    let order: Vec<usize> = (0..n).map(|i| (i + root) % n).collect();
    let time = |shape, segment| network.broadcast(&placed(&positions(shape, n), &order), root, bytes, segment);
    let seats = Seats { network, node: node_of.to_vec() };
    let (block, own) = (bytes as f64, bytes as f64 / ranks.max(1) as f64);
    match wanted.operation {
        Operation::Bcast => match (open_mpi, bytes) {
            (true, _) => time(Shape::Scattered, bytes),
            (false, ..SMALL) => time(Shape::Nomial(2), bytes),
            (false, _) => Seats { network, node: order }.scatter_allgather(block),
        },
        Operation::Reduce => {
            least(&[time(Shape::Scattered, bytes), time(Shape::Nomial(2), bytes), time(Shape::Chain, SEGMENT)])
        }
        Operation::Allgather => {
            let mut times = vec![seats.ring(ranks - 1, block)];
            if ranks.is_multiple_of(2) {
                times.push(seats.neighbours(block));
            }
            if bytes * (ranks as u64) < ROUND {
                times.push(seats.bruck(block));
                times.extend(ranks.is_power_of_two().then(|| seats.doubling(block)));
            }
            least(&times)
        }
        Operation::Allreduce => {
            let ring = seats.ring(2 * (ranks - 1), own);
            match open_mpi && bytes >= SEGMENT {
                true => ring,
                false => least(&[ring, seats.exchange_all(block), seats.halving(block)]),
            }
        }
        Operation::Alltoall => least(&[seats.shifts(block), seats.at_once(block)]),
        Operation::Scatter | Operation::Gather => {
            let turned = (0..ranks).map(|p| node_of[(p + wanted.root_rank) % ranks]).collect();
            let turned = Seats { network, node: turned };
            least(&[turned.star(block), turned.scatter(block)])
        }
    }
}

/// In which form a call with a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallForm {
    /// As the program made it.
    Given,
    /// On another communicator: calls of blocks as their vector forms, which libraries do in fewer ways.
    Reordered,
}

/// True where a call's messages are all begun at once, in whatever order of ranks.
pub(super) fn is_at_once(operation: Operation, open_mpi: bool, form: CallForm) -> bool {
    match operation {
        Operation::Allgather => open_mpi,
        Operation::Alltoall | Operation::Scatter | Operation::Gather => open_mpi || form == CallForm::Reordered,
        Operation::Bcast | Operation::Reduce | Operation::Allreduce => false,
    }
}

/// Seconds of the library's non-blocking way with the ranks on these nodes, the root first.
pub(super) fn nonblocking(operation: Operation, open_mpi: bool, form: CallForm, bytes: u64, seats: &Seats<'_>) -> f64 {
    let (ranks, size) = (seats.node.len(), bytes as f64);
    let few = open_mpi && ranks <= FEW;
    let own = size / ranks.max(1) as f64;
    let at_once = is_at_once(operation, open_mpi, form);
    match operation {
        Operation::Bcast | Operation::Reduce if few => seats.star(size),
        Operation::Bcast => match (open_mpi, bytes) {
            (true, _) => seats.binomial(size, false),
            (false, ..SMALL) => seats.binomial(size, true),
            (false, _) => seats.scatter_allgather(size),
        },
        Operation::Reduce if open_mpi => seats.binomial(size, true),
        Operation::Reduce => least(&[seats.binomial(size, true), seats.halving(size)]),
        Operation::Allreduce if open_mpi && bytes >= SEGMENT && !few => seats.ring(2 * (ranks - 1), own),
        Operation::Allreduce if open_mpi => 2.0 * seats.binomial(size, true),
        Operation::Allreduce => least(&[seats.exchange_all(size), seats.halving(size)]),
        Operation::Allgather | Operation::Alltoall if at_once => seats.at_once(size),
        Operation::Allgather if bytes * (ranks as u64) >= ROUND => seats.ring(ranks - 1, size),
        Operation::Allgather if ranks.is_power_of_two() => seats.doubling(size),
        Operation::Allgather => least(&[seats.bruck(size), seats.ring(ranks - 1, size)]),
        Operation::Alltoall => least(&[seats.shifts(size), seats.at_once(size)]),
        Operation::Scatter | Operation::Gather if at_once => seats.star(size),
        Operation::Scatter | Operation::Gather => seats.scatter(size),
    }
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}
