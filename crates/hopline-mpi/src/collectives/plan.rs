//! Which tree a broadcast takes: candidates are predicted, the best is improved by
//! exchanges, and it is taken only where it beats what the MPI library does.

use super::model::Network;
use super::tree::{Shape, Tree, breadth_first, depth_first, placed, positions};

/// Gains below this are not worth a tree of our own.
const WORTH: f64 = 1.1;
/// Exchanges tried on the best order.
const EXCHANGES: usize = 400;

/// A way to broadcast, over nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) tree: Tree,
    pub(crate) segment: u64,
    /// Predicted seconds.
    pub(crate) seconds: f64,
    /// Predicted seconds of the library's own way.
    pub(crate) given: f64,
}

/// The tree of the library as it stands: node i is rank i, counted from the root.
pub(crate) fn given(open_mpi: bool, network: &Network, root: usize, bytes: u64) -> f64 {
    let n = network.nodes;
    let order: Vec<usize> = (0..n).map(|i| (i + root) % n).collect();
    let time = |shape, segment| network.broadcast(&placed(&positions(shape, n), &order), root, bytes, segment);
    match (open_mpi, bytes) {
        (true, _) => time(Shape::Scattered, bytes),
        (false, ..12_288) => time(Shape::Nomial(2), bytes),
        // Scatter along a binomial tree, then a ring that passes every part on: as a chain, in as many segments as nodes.
        (false, _) => time(Shape::Nomial(2), bytes.div_ceil(n as u64)) + time(Shape::Chain, bytes.div_ceil(n as u64)),
    }
}

/// The best plan, `None` where the library's own is as good.
pub(crate) fn plan(open_mpi: bool, network: &Network, root: usize, bytes: u64) -> Option<Plan> {
    let n = network.nodes;
    let given = given(open_mpi, network, root, bytes);
    let mut best: Option<(Plan, Shape, Vec<usize>)> = None;
    for shape in [Shape::Chain, Shape::Nomial(2), Shape::Nomial(4)] {
        let tree = positions(shape, n);
        let orders = [
            ("depth first", depth_first(&tree, network, root)),
            ("breadth first", breadth_first(&tree, network, root)),
        ];
        for (order_name, order) in orders {
            for segment in [bytes, 131_072, 32_768] {
                let placed = placed(&tree, &order);
                let seconds = network.broadcast(&placed, root, bytes, segment);
                if best.as_ref().is_none_or(|(plan, ..)| seconds < plan.seconds) {
                    let name = format!("{shape:?}, {order_name}, segments of {} KiB", segment.div_ceil(1024));
                    best = Some((Plan { name, tree: placed, segment, seconds, given }, shape, order.clone()));
                }
            }
        }
    }
    let (mut plan, shape, order) = best?;
    improve(&mut plan, &positions(shape, n), order, network, root, bytes);
    (plan.seconds * WORTH < given).then_some(plan)
}

/// Exchanges nodes of two positions as long as that helps.
fn improve(plan: &mut Plan, tree: &Tree, mut order: Vec<usize>, network: &Network, root: usize, bytes: u64) {
    let n = order.len();
    let pairs = (1..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    for (i, j) in pairs.take(EXCHANGES) {
        order.swap(i, j);
        let other = placed(tree, &order);
        let seconds = network.broadcast(&other, root, bytes, plan.segment);
        if seconds < plan.seconds * (1.0 - 1e-9) {
            (plan.tree, plan.seconds) = (other, seconds);
        } else {
            order.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_predicted_to_beat_the_library_or_there_is_none() {
        for (racks, hosts) in [(2, 8), (4, 3), (1, 6)] {
            let network = Network::racks(racks, hosts);
            for root in [0, racks * hosts - 1] {
                for bytes in [16 << 10, 256 << 10, 1 << 20] {
                    for open_mpi in [true, false] {
                        let given = given(open_mpi, &network, root, bytes);
                        if let Some(plan) = plan(open_mpi, &network, root, bytes) {
                            let again = network.broadcast(&plan.tree, root, bytes, plan.segment);
                            assert_eq!(again, plan.seconds);
                            assert!(again * WORTH < given);
                            let mut reached = plan.tree.concat();
                            reached.push(root);
                            reached.sort_unstable();
                            assert_eq!(reached, (0..racks * hosts).collect::<Vec<_>>());
                        }
                    }
                }
            }
        }
        assert!(plan(true, &Network::racks(2, 8), 0, 1 << 20).is_some());
    }
}
