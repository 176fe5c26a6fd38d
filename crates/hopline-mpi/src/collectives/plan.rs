//! How a collective is best done: candidates are predicted, the best is improved by
//! exchanges, and it is taken only where it beats what the MPI library does ([`library`]).

use super::library::{self, CallForm};
use super::model::Network;
use super::operation::Operation;
use super::rounds::Seats;
use super::settings::Broadcasts;
use super::tree::{Order, Shape, Tree, placed, positions};
use super::wanted::Wanted;

/// Gains below this are not worth a way of our own.
const WORTH: f64 = 1.1;
/// Gains below this are not worth another order of ranks for the library's way, as no trial follows.
const WORTH_UNTRIED: f64 = 1.25;
/// Exchanges tried on the best order of a tree.
const EXCHANGES: usize = 400;
/// Ranks beyond which an all-to-all takes too long to predict.
pub(super) const MOST_RANKS: usize = 256;
/// Messages simulated while the order of a ring is improved.
const MESSAGES: usize = 1 << 21;

impl Wanted<'_> {
    /// Positions of a tree hold nodes in these orders.
    fn orders(&self, shape: Shape, network: &Network) -> Vec<(&'static str, Vec<usize>)> {
        self.order.of(shape, network.nodes, &|a, b| network.delay(a, b), self.root)
    }

    /// Improves an order where none is asked for.
    fn improve(&self, order: &mut [usize], seconds: &mut f64, tries: usize, time: impl Fn(&[usize]) -> f64) {
        if self.order == Order::Auto {
            improve(order, seconds, tries, time);
        }
    }
}

/// Who sends to whom, over nodes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// Down from the root (or up to it) in segments of so many bytes.
    Tree(usize, Tree, u64),
    /// From each node to the next; ranks of a node one after the other.
    Ring(Vec<usize>),
    /// In parts down a binomial tree over nodes in this order, then round; the root's is the first.
    Scattered(Vec<usize>),
    /// A block for every rank down from the root or up to it.
    Blocks(usize, Tree),
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
    let given = library::given(wanted, network);
    let best = match wanted.operation {
        Operation::Bcast => match wanted.broadcasts {
            Broadcasts::Tree => tree(wanted, network),
            Broadcasts::Scattered => scattered(wanted, network),
            Broadcasts::Auto => quicker(tree(wanted, network), scattered(wanted, network)),
        },
        Operation::Reduce => tree(wanted, network),
        Operation::Allgather | Operation::Alltoall => ring(wanted, network),
        Operation::Allreduce => {
            let there = tree(wanted, network);
            quicker((format!("{} and back", there.0), there.1, 2.0 * there.2), ring(wanted, network))
        }
        Operation::Scatter | Operation::Gather => blocks(wanted, network),
    };
    let (name, form, seconds) = best;
    (forced || seconds * WORTH < given).then_some(Plan { name, form, seconds, given })
}

/// An order of the ranks in which the library's own non-blocking way is faster, the root first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reordering {
    pub(super) name: &'static str,
    /// The rank at each position.
    pub(super) order: Vec<usize>,
    /// Predicted seconds, and those of the given order.
    pub(super) seconds: f64,
    pub(super) given: f64,
}

/// The best order of ranks for the library's own non-blocking way; `None` where the given one is as good. `forced`
/// takes it in any case.
pub(super) fn reordering(wanted: &Wanted<'_>, network: &Network, forced: bool) -> Option<Reordering> {
    let Wanted { operation, open_mpi, root_rank, bytes, node_of, .. } = *wanted;
    let ranks = node_of.len();
    let at_once = [CallForm::Given, CallForm::Reordered].map(|form| library::is_at_once(operation, open_mpi, form));
    // No order changes what is begun all at once.
    let is_many = matches!(operation, Operation::Alltoall | Operation::Allgather) && ranks > MOST_RANKS;
    if at_once == [true; 2] && !forced || at_once[1] && is_many {
        return None;
    }
    let seconds = |form, order: &[usize]| {
        let seats = Seats { network, node: order.iter().map(|&rank| node_of[rank]).collect() };
        library::nonblocking(operation, open_mpi, form, bytes, &seats)
    };
    let time = |order: &[usize]| seconds(CallForm::Reordered, order);
    let given = seconds(CallForm::Given, &(0..ranks).map(|i| (i + root_rank) % ranks).collect::<Vec<_>>());
    let far = |a: usize, b: usize| match node_of[a] == node_of[b] {
        true => 0.0,
        false => network.delay(node_of[a], node_of[b]),
    };
    // The trees that libraries use; a ring in the order of the second has neighbours side by side.
    let shapes = [Shape::Scattered, Shape::Nomial(2)];
    let orders = shapes.into_iter().flat_map(|shape| wanted.order.of(shape, ranks, &far, root_rank));
    let timed = orders.map(|(name, order)| (time(&order), name, order));
    let (mut seconds, name, mut order) = timed.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let tries = if at_once[1] { 0 } else { (MESSAGES / (32 * ranks).max(1)).min(EXCHANGES) };
    wanted.improve(&mut order, &mut seconds, tries, time);
    (forced || seconds * WORTH_UNTRIED < given).then_some(Reordering { name, order, seconds, given })
}

/// A candidate: its name, form and predicted seconds.
type Candidate = (String, Form, f64);

fn quicker(a: Candidate, b: Candidate) -> Candidate {
    if a.2 <= b.2 { a } else { b }
}

/// The best tree from a root.
fn tree(wanted: &Wanted<'_>, network: &Network) -> Candidate {
    let Wanted { root, bytes, .. } = *wanted;
    let n = network.nodes;
    let mut best = (Shape::Chain, "", Vec::new(), bytes, f64::INFINITY);
    for shape in [Shape::Chain, Shape::Nomial(2), Shape::Nomial(4)] {
        let tree = positions(shape, n);
        for (name, order) in wanted.orders(shape, network) {
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
    wanted.improve(&mut order, &mut seconds, EXCHANGES, |order| {
        network.broadcast(&placed(&tree, order), root, bytes, segment)
    });
    let name = format!("{shape:?}, {name}, segments of {} KiB", segment.div_ceil(1024));
    (name, Form::Tree(root, placed(&tree, &order), segment), seconds)
}

/// The best scatter down a binomial tree, and a ring of the same order.
fn scattered(wanted: &Wanted<'_>, network: &Network) -> Candidate {
    let n = network.nodes;
    let time = |order: &[usize]| Seats { network, node: order.to_vec() }.scatter_allgather(wanted.bytes as f64);
    let mut best = ("", Vec::new(), f64::INFINITY);
    for (name, order) in wanted.orders(Shape::Nomial(2), network) {
        let seconds = time(&order);
        if seconds < best.2 {
            best = (name, order, seconds);
        }
    }
    let (name, mut order, mut seconds) = best;
    wanted.improve(&mut order, &mut seconds, (MESSAGES / (32 * n).max(1)).min(EXCHANGES), time);
    (format!("Scatter and all-gather, {name}"), Form::Scattered(order), seconds)
}

/// The best tree for a block of every rank.
fn blocks(wanted: &Wanted<'_>, network: &Network) -> Candidate {
    let Wanted { root, bytes, node_of, .. } = *wanted;
    let n = network.nodes;
    let mut own = vec![0.0f64; n];
    node_of.iter().for_each(|&node| own[node] += bytes as f64);
    let time = |tree: &Tree, order: &[usize]| {
        let mut below: Vec<f64> = order.iter().map(|&node| own[node]).collect();
        // Children stand above their parents.
        (0..n).rev().for_each(|v| below[v] += tree[v].iter().map(|&child| below[child]).sum::<f64>());
        let mut by_node = vec![0.0; n];
        order.iter().zip(below).for_each(|(&node, below)| by_node[node] = below);
        network.scatter(&placed(tree, order), root, &by_node)
    };
    let mut best = (Shape::Star, "", Vec::new(), f64::INFINITY);
    for shape in [Shape::Star, Shape::Nomial(2), Shape::Nomial(4)] {
        let tree = positions(shape, n);
        for (name, order) in wanted.orders(shape, network) {
            let seconds = time(&tree, &order);
            if seconds < best.3 {
                best = (shape, name, order, seconds);
            }
        }
    }
    let (shape, name, mut order, mut seconds) = best;
    let tree = positions(shape, n);
    wanted.improve(&mut order, &mut seconds, EXCHANGES, |order| time(&tree, order));
    (format!("{shape:?}, {name}"), Form::Blocks(root, placed(&tree, &order)), seconds)
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
                let root_rank = node_of.iter().position(|&node| node == root).unwrap_or(0);
                let node_of = &node_of[..];
                let (order, broadcasts) = (Order::Auto, Broadcasts::Auto);
                let wanted = Wanted { operation, open_mpi, root, root_rank, bytes, node_of, order, broadcasts };
                check(&wanted, &network, plan(&wanted, &network, false));
            }
        }
    }

    #[test]
    fn a_plan_is_predicted_to_beat_the_library_or_there_is_none() {
        for (racks, hosts, robin) in [(2, 8, false), (4, 3, true), (1, 6, false)] {
            plans(racks, hosts, robin, |wanted, network, plan| {
                let Some(plan) = plan else { return };
                assert!(plan.seconds * WORTH < library::given(wanted, network), "{wanted:?}");
                let mut reached = match plan.form {
                    Form::Ring(order) | Form::Scattered(order) => order,
                    Form::Blocks(root, tree) => [tree.concat(), vec![root]].concat(),
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

    /// A broadcast, each position on its own node.
    fn broadcast(network: &Network, bytes: u64, order: Order, broadcasts: Broadcasts) -> Plan {
        let node_of: Vec<usize> = (0..network.nodes).collect();
        let (operation, node_of) = (Operation::Bcast, &node_of[..]);
        let wanted = Wanted { operation, open_mpi: true, root: 0, root_rank: 0, bytes, node_of, order, broadcasts };
        plan(&wanted, network, true).expect("forced")
    }

    #[test]
    fn messages_to_many_nodes_go_in_parts_and_small_ones_whole() {
        // A chain has as many hops as nodes; a tree sends everything several times.
        let nodes = 48;
        let network = Network::new(nodes, vec![2e-5; nodes * nodes], vec![1e-9; nodes * nodes]);
        let form = |bytes| broadcast(&network, bytes, Order::Auto, Broadcasts::Auto).form;
        assert!(matches!(form(512 << 10), Form::Scattered(_)), "{:?}", form(512 << 10));
        assert!(matches!(form(1 << 10), Form::Tree(..)), "{:?}", form(1 << 10));
    }

    #[test]
    fn the_way_and_the_order_asked_for_are_taken() {
        let network = Network::racks(2, 4);
        for (order, name) in [(Order::Depth, "depth first"), (Order::Breadth, "breadth first")] {
            for (broadcasts, start) in [(Broadcasts::Scattered, "Scatter and all-gather, "), (Broadcasts::Tree, "")] {
                let plan = broadcast(&network, 1 << 20, order, broadcasts);
                assert!(plan.name.starts_with(start) && plan.name.contains(name), "{}", plan.name);
                let best = broadcast(&network, 1 << 20, Order::Auto, broadcasts);
                assert!(best.seconds <= plan.seconds, "{} {}", best.seconds, plan.seconds);
            }
        }
    }

    #[test]
    fn another_order_of_ranks_is_taken_for_what_the_library_sends_over_the_trunk_again_and_again() {
        let network = Network::racks(2, 4);
        let found = |operation, open_mpi, robin: bool| {
            let node_of: Vec<usize> = (0..8).map(|r| if robin { r % 2 * 4 + r / 2 } else { r }).collect();
            let (order, broadcasts, node_of) = (Order::Auto, Broadcasts::Auto, &node_of[..]);
            let root = node_of[3];
            let wanted = Wanted { operation, open_mpi, root, root_rank: 3, bytes: 1 << 20, node_of, order, broadcasts };
            reordering(&wanted, &network, false)
        };
        let one = found(Operation::Allreduce, true, true).expect("a ring that crosses the trunk eight times");
        assert!(one.order[0] == 3 && one.seconds * WORTH_UNTRIED < one.given, "{one:?}");
        let mut sorted = one.order;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        assert_eq!(found(Operation::Allreduce, true, false), None, "a ring rack by rack");
        assert!(found(Operation::Bcast, true, false).is_some());
        for operation in [Operation::Allgather, Operation::Alltoall, Operation::Scatter, Operation::Gather] {
            assert_eq!(found(operation, true, true), None, "Open MPI begins all messages at once");
        }
        assert!(found(Operation::Allgather, false, true).is_some(), "MPICH's ring crosses the trunk eight times");
        assert_eq!(found(Operation::Allgather, false, false), None, "a ring rack by rack");
        assert_eq!(found(Operation::Alltoall, false, true), None, "all must cross the trunk in any order");
    }
}
