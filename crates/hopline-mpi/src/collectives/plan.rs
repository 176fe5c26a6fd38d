//! How a collective is best done: candidates are predicted, the best is improved by
//! exchanges, and it is taken only where it beats what the MPI library does.
//!
//! Of broadcasts it is known which tree the library uses, that large all-gathers go
//! round a ring or between neighbours, and Open MPI's large all-reduces round a ring;
//! of the others the library is taken to use the best of its algorithms.

use super::model::Network;
use super::operation::Operation;
use super::rounds::Seats;
use super::tree::{Shape, Tree, breadth_first, depth_first, placed, positions};

/// Gains below this are not worth a way of our own.
const WORTH: f64 = 1.1;
/// Exchanges tried on the best order of a tree.
const EXCHANGES: usize = 400;
/// Messages simulated while the order of a ring is improved.
const MESSAGES: usize = 1 << 21;
/// All-gathers of more go round.
const ROUND: u64 = 524_288;
/// Segments in which a library's pipelines send.
const SEGMENT: u64 = 65_536;

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) operation: Operation,
    pub(super) open_mpi: bool,
    /// The node of the root.
    pub(super) root: usize,
    /// Of the message, or of one block.
    pub(super) bytes: u64,
    /// The node of each rank.
    pub(super) node_of: &'a [usize],
}

/// Who sends to whom, over nodes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// Down from the root (or up to it) in segments of so many bytes.
    Tree(usize, Tree, u64),
    /// From each node to the next; ranks of a node one after the other.
    Ring(Vec<usize>),
}

/// A way to do it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) name: String,
    pub(super) form: Form,
    /// Predicted seconds.
    pub(super) seconds: f64,
    /// Predicted seconds of the library's own way.
    pub(super) given: f64,
}

/// The best plan, `None` where the library's own is as good; `forced` takes it in any case.
pub(super) fn plan(wanted: &Wanted<'_>, network: &Network, forced: bool) -> Option<Plan> {
    let given = given(wanted, network);
    let bytes = wanted.bytes;
    let best = match wanted.operation {
        Operation::Bcast | Operation::Reduce => tree(network, wanted.root, bytes),
        Operation::Allgather | Operation::Alltoall => ring(wanted, network),
        Operation::Allreduce => {
            let ring = ring(wanted, network);
            let there = tree(network, wanted.root, bytes);
            let both = (format!("{} and back", there.0), there.1, 2.0 * there.2);
            if both.2 < ring.2 { both } else { ring }
        }
    };
    let (name, form, seconds) = best;
    (forced || seconds * WORTH < given).then_some(Plan { name, form, seconds, given })
}

/// Seconds of the library's way: nodes and ranks in the order of ranks, counted from the root.
pub(super) fn given(wanted: &Wanted<'_>, network: &Network) -> f64 {
    let Wanted { open_mpi, root, bytes, node_of, .. } = *wanted;
    let (n, ranks) = (network.nodes, node_of.len());
    let order: Vec<usize> = (0..n).map(|i| (i + root) % n).collect();
    let time = |shape, segment| network.broadcast(&placed(&positions(shape, n), &order), root, bytes, segment);
    let seats = Seats { network, node: node_of.to_vec() };
    let (block, own) = (bytes as f64, bytes as f64 / ranks.max(1) as f64);
    let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    match wanted.operation {
        Operation::Bcast => match (open_mpi, bytes) {
            (true, _) => time(Shape::Scattered, bytes),
            (false, ..12_288) => time(Shape::Nomial(2), bytes),
            // Scatter along a binomial tree, then a ring that passes every part on: as a chain, in as many segments as nodes.
            (false, _) => {
                let part = bytes.div_ceil(n as u64);
                time(Shape::Nomial(2), part) + time(Shape::Chain, part)
            }
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
    }
}

/// A candidate: its name, form and predicted seconds.
type Candidate = (String, Form, f64);

/// The best tree from a root.
fn tree(network: &Network, root: usize, bytes: u64) -> Candidate {
    let n = network.nodes;
    let mut best = (Shape::Chain, "", Vec::new(), bytes, f64::INFINITY);
    for shape in [Shape::Chain, Shape::Nomial(2), Shape::Nomial(4)] {
        let tree = positions(shape, n);
        let orders = [
            ("depth first", depth_first(&tree, network, root)),
            ("breadth first", breadth_first(&tree, network, root)),
        ];
        for (name, order) in orders {
            for segment in [bytes, 131_072, 32_768] {
                let seconds = network.broadcast(&placed(&tree, &order), root, bytes, segment);
                if seconds < best.4 {
                    best = (shape, name, order.clone(), segment, seconds);
                }
            }
        }
    }
    let (shape, name, mut order, segment, mut seconds) = best;
    let tree = positions(shape, n);
    improve(&mut order, &mut seconds, EXCHANGES, |order| {
        network.broadcast(&placed(&tree, order), root, bytes, segment)
    });
    let name = format!("{shape:?}, {name}, segments of {} KiB", segment.div_ceil(1024));
    (name, Form::Tree(root, placed(&tree, &order), segment), seconds)
}

/// The best ring.
fn ring(wanted: &Wanted<'_>, network: &Network) -> Candidate {
    let ranks = wanted.node_of.len();
    let bytes = wanted.bytes as f64;
    let time = |order: &[usize]| {
        let node =
            order.iter().flat_map(|&node| wanted.node_of.iter().copied().filter(move |&of| of == node)).collect();
        let seats = Seats { network, node };
        match wanted.operation {
            Operation::Alltoall => seats.shifts(bytes),
            Operation::Allreduce => seats.ring(2 * (ranks - 1), bytes / ranks.max(1) as f64),
            _ => seats.ring(ranks - 1, bytes),
        }
    };
    let mut order = side_by_side(network);
    let mut seconds = time(&order);
    let each = if wanted.operation == Operation::Alltoall { ranks * ranks } else { 32 * ranks };
    improve(&mut order, &mut seconds, (MESSAGES / each.max(1)).min(EXCHANGES), time);
    ("Ring by islands and nodes".to_string(), Form::Ring(order), seconds)
}

/// From node to nearest node, island after island.
fn side_by_side(network: &Network) -> Vec<usize> {
    let mut order = vec![0];
    let mut free: Vec<usize> = (1..network.nodes).collect();
    while let Some(&last) = order.last() {
        let far = |node: usize| (network.island(node) != network.island(last), network.delay(last, node));
        let nearer = |a: &usize, b: &usize| {
            let (a, b) = (far(free[*a]), far(free[*b]));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        let Some(at) = (0..free.len()).min_by(nearer) else { break };
        order.push(free.remove(at));
    }
    order
}

/// Exchanges nodes of two positions as long as that helps; the first stays.
fn improve(order: &mut [usize], seconds: &mut f64, tries: usize, time: impl Fn(&[usize]) -> f64) {
    let n = order.len();
    let pairs = (1..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    for (i, j) in pairs.take(tries) {
        order.swap(i, j);
        let now = time(order);
        if now < *seconds * (1.0 - 1e-9) {
            *seconds = now;
        } else {
            order.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every plan for two racks, or none: with its request.
    fn plans(racks: usize, hosts: usize, robin: bool, check: impl Fn(&Wanted<'_>, &Network, Option<Plan>)) {
        let network = Network::racks(racks, hosts);
        let n = racks * hosts;
        let node_of: Vec<usize> = (0..n).map(|r| if robin { r % racks * hosts + r / racks } else { r }).collect();
        for operation in Operation::ALL {
            for (root, bytes, open_mpi) in [(0, 16 << 10, true), (n - 1, 256 << 10, false), (0, 1 << 20, true)] {
                let wanted = Wanted { operation, open_mpi, root, bytes, node_of: &node_of };
                check(&wanted, &network, plan(&wanted, &network, false));
            }
        }
    }

    #[test]
    fn a_plan_is_predicted_to_beat_the_library_or_there_is_none() {
        for (racks, hosts, robin) in [(2, 8, false), (4, 3, true), (1, 6, false)] {
            plans(racks, hosts, robin, |wanted, network, plan| {
                let Some(plan) = plan else { return };
                assert!(plan.seconds * WORTH < given(wanted, network), "{wanted:?}");
                let mut reached = match plan.form {
                    Form::Ring(order) => order,
                    Form::Tree(root, tree, segment) => {
                        let again = network.broadcast(&tree, root, wanted.bytes, segment);
                        let ways = if wanted.operation == Operation::Allreduce { 2.0 } else { 1.0 };
                        assert_eq!(ways * again, plan.seconds);
                        [tree.concat(), vec![root]].concat()
                    }
                };
                reached.sort_unstable();
                assert_eq!(reached, (0..racks * hosts).collect::<Vec<_>>());
            });
        }
    }

    #[test]
    fn what_a_thin_trunk_slows_down_is_planned_anew() {
        let planned = |robin| {
            let found = std::cell::RefCell::new(Vec::new());
            plans(2, 8, robin, |wanted, _, plan| {
                if wanted.bytes == 1 << 20 && plan.is_some() {
                    found.borrow_mut().push(wanted.operation);
                }
            });
            found.into_inner()
        };
        assert!(planned(true).contains(&Operation::Allgather), "a ring round robin crosses the trunk sixteen times");
        assert!(!planned(false).contains(&Operation::Allgather), "a ring rack by rack is as good as ours");
        for robin in [true, false] {
            assert!(planned(robin).contains(&Operation::Bcast));
            assert!(!planned(robin).contains(&Operation::Alltoall), "all must cross the trunk in any order");
        }
    }
}
