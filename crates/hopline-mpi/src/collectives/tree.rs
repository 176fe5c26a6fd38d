//! Broadcast trees over positions, and which node takes which position.
//!
//! The orders are those of Subramoni et al., "Design and Evaluation of Network
//! Topology-/Speed-Aware Broadcast Algorithms for InfiniBand Clusters" (CLUSTER
//! 2011), section IV-B: walk the tree, depth or breadth first, the largest
//! subtree first, and give each child the free node that is closest to its parent.
//!
//! `hopline::ordering` and `hopline::schedule::collective` have the same for ranks of
//! a fabric; they are not used here to keep what is preloaded small. A test below
//! sees that both agree.

use std::collections::VecDeque;

/// Children of every node, in the order in which they are sent to.
pub(crate) type Tree = Vec<Vec<usize>>;

/// Which orders of nodes are compared: `HOPLINE_ORDER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Depth first, as it is.
    Depth,
    /// Breadth first, as it is.
    Breadth,
    /// What is predicted to be faster, improved by exchanges.
    Auto,
}

impl Order {
    /// From `dft`, `bft` or `auto`.
    ///
    /// # Errors
    /// A word that is not known.
    pub(crate) fn read(word: Option<&str>) -> Result<Order, String> {
        match word {
            None | Some("auto") => Ok(Order::Auto),
            Some("dft") => Ok(Order::Depth),
            Some("bft") => Ok(Order::Breadth),
            Some(word) => Err(format!("HOPLINE_ORDER: `{word}` is not known; dft, bft and auto are")),
        }
    }

    /// The orders to compare, with their names: the node of each position, the root's at position 0.
    pub(crate) fn of(
        self,
        positions: &Tree,
        far: &dyn Fn(usize, usize) -> f64,
        root: usize,
    ) -> Vec<(&'static str, Vec<usize>)> {
        let depth = || ("depth first", depth_first(positions, far, root));
        let breadth = || ("breadth first", breadth_first(positions, far, root));
        match self {
            Order::Depth => vec![depth()],
            Order::Breadth => vec![breadth()],
            Order::Auto => vec![depth(), breadth()],
        }
    }
}

/// Shapes of trees over positions 0, 1, 2, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// All are children of the first.
    Star,
    /// One after the other.
    Chain,
    /// Children of v are v + 1, v + 2, v + 4, ... above its highest bit: Open MPI's.
    Scattered,
    /// A parent lacks its child's lowest digit to base k, far children first: subtrees are contiguous.
    Nomial(usize),
}

/// The tree of a shape over `n` positions.
pub(crate) fn positions(shape: Shape, n: usize) -> Tree {
    let children = |v: usize| -> Vec<usize> {
        match shape {
            Shape::Star => {
                if v == 0 {
                    (1..n).collect()
                } else {
                    Vec::new()
                }
            }
            Shape::Chain => (v + 1..n).take(1).collect(),
            Shape::Scattered => {
                let bits = (0..usize::BITS).map(|bit| 1usize << bit);
                bits.filter(|&bit| bit > v).take_while(|&bit| v + bit < n).map(|bit| v + bit).collect()
            }
            Shape::Nomial(k) => {
                let mut steps = Vec::new();
                let mut step = 1;
                while step < n && v.is_multiple_of(step * k) {
                    steps.push(step);
                    step *= k;
                }
                let all = steps.iter().rev().flat_map(|&step| (1..k).map(move |digit| v + digit * step));
                all.filter(|&child| child < n).collect()
            }
        }
    };
    (0..n).map(children).collect()
}

/// A tree of nodes: `order[position]` is the node at a position.
pub(crate) fn placed(positions: &Tree, order: &[usize]) -> Tree {
    let mut tree = vec![Vec::new(); order.len()];
    for (position, children) in positions.iter().enumerate() {
        tree[order[position]] = children.iter().map(|&child| order[child]).collect();
    }
    tree
}

/// Depth first: the node of each position, the root's at position 0.
fn depth_first(positions: &Tree, far: &dyn Fn(usize, usize) -> f64, root: usize) -> Vec<usize> {
    let mut walk = Walk::new(positions, far, root);
    let mut stack = vec![0];
    while let Some(parent) = stack.pop() {
        if parent != 0 {
            walk.place(parent);
        }
        // The largest subtree is popped first.
        stack.extend(walk.by_size(parent).into_iter().rev());
    }
    walk.order
}

/// Breadth first: all children of a position before any of theirs.
fn breadth_first(positions: &Tree, far: &dyn Fn(usize, usize) -> f64, root: usize) -> Vec<usize> {
    let mut walk = Walk::new(positions, far, root);
    let mut queue = VecDeque::from([0]);
    while let Some(parent) = queue.pop_front() {
        for child in walk.by_size(parent) {
            walk.place(child);
            queue.push_back(child);
        }
    }
    walk.order
}

struct Walk<'a> {
    positions: &'a Tree,
    /// How far two nodes are apart.
    far: &'a dyn Fn(usize, usize) -> f64,
    parent: Vec<usize>,
    size: Vec<usize>,
    free: Vec<bool>,
    order: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(positions: &'a Tree, far: &'a dyn Fn(usize, usize) -> f64, root: usize) -> Self {
        let n = positions.len();
        let (mut parent, mut size) = (vec![0; n], vec![1; n]);
        for (v, children) in positions.iter().enumerate() {
            children.iter().for_each(|&child| parent[child] = v);
        }
        // Children stand above their parents.
        (1..n).rev().for_each(|v| size[parent[v]] += size[v]);
        let mut free = vec![true; n];
        free[root] = false;
        Walk { positions, far, parent, size, free, order: vec![root; n] }
    }

    fn by_size(&self, parent: usize) -> Vec<usize> {
        let mut children = self.positions[parent].clone();
        children.sort_by_key(|&child| std::cmp::Reverse(self.size[child]));
        children
    }

    /// The closest free node to a position's parent; of equals the one that has it
    /// anyway, else the first.
    fn place(&mut self, position: usize) {
        let from = self.order[self.parent[position]];
        let own = (self.order[0] + position) % self.free.len();
        let close = |a: &usize, b: &usize| {
            let [x, y] = [a, b].map(|&node| (self.far)(from, node));
            x.total_cmp(&y).then((*a != own).cmp(&(*b != own)))
        };
        if let Some(node) = (0..self.free.len()).filter(|&node| self.free[node]).min_by(close) {
            self.free[node] = false;
            self.order[position] = node;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Network;
    use super::*;

    #[test]
    fn every_shape_reaches_every_position_once() {
        for shape in [Shape::Star, Shape::Chain, Shape::Scattered, Shape::Nomial(2), Shape::Nomial(4)] {
            for n in 1..70 {
                let mut reached: Vec<usize> = positions(shape, n).concat();
                reached.sort_unstable();
                assert_eq!(reached, (1..n).collect::<Vec<_>>(), "{shape:?} of {n}");
            }
        }
        assert_eq!(positions(Shape::Scattered, 16)[0], [1, 2, 4, 8]);
        assert_eq!(positions(Shape::Nomial(2), 16)[0], [8, 4, 2, 1]);
        assert_eq!(positions(Shape::Nomial(4), 32)[0], [16, 4, 8, 12, 1, 2, 3], "figure 3 of the paper");
    }

    #[test]
    fn the_order_asked_for_is_the_only_one() {
        let network = Network::racks(2, 4);
        let tree = positions(Shape::Nomial(2), 8);
        let named = |word| Order::read(word).map(|order| order.of(&tree, &|a, b| network.delay(a, b), 3));
        assert_eq!(named(Some("dft")).map(|all| all.iter().map(|one| one.0).collect()), Ok(vec!["depth first"]));
        assert_eq!(named(Some("bft")).map(|all| all.iter().map(|one| one.0).collect()), Ok(vec!["breadth first"]));
        assert_eq!((named(None), named(None).map(|all| all.len())), (named(Some("auto")), Ok(2)));
        assert!(named(Some("DFT")).is_err_and(|why| why.contains("`DFT` is not known; dft, bft and auto are")));
    }

    #[test]
    fn orders_keep_the_root_and_name_every_node_once() {
        let network = Network::racks(2, 5);
        for root in [0, 3, 9] {
            for order in [depth_first, breadth_first] {
                let order = order(&positions(Shape::Nomial(2), 10), &|a, b| network.delay(a, b), root);
                assert_eq!(order[0], root);
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..10).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn trees_and_orders_are_those_of_the_library() {
        use hopline::id::SlotId;
        use hopline::mapping::Mapping;
        use hopline::ordering::{Delays, Traversal, traverse};
        use hopline::replay::Places;
        use hopline::schedule::collective::Tree as Theirs;

        let wide = |list: &[u32]| -> Vec<usize> { list.iter().map(|&v| v as usize).collect() };
        let shapes = |n: u32| {
            let nomial = |k: usize| (Shape::Nomial(k), Theirs::knomial(n, k as u32));
            [(Shape::Chain, Theirs::chain(n)), (Shape::Scattered, Theirs::binomial(n)), nomial(2), nomial(4)]
        };
        for n in 1..40 {
            for (shape, theirs) in shapes(n) {
                let children: Tree = theirs.children.iter().map(|c| wide(c)).collect();
                assert_eq!(positions(shape, n as usize), children, "{shape:?} of {n}");
            }
        }
        // Two switches of four hosts under a third: the racks of the model.
        let scenario = hopline::scenario::Scenario::default().topology("tree:arity=4x2").expect("a spec");
        let machine = hopline::plan::Network::new(&scenario, &hopline::files::Disk).expect("a machine");
        let mapping = Mapping::new((0..8).map(SlotId).collect(), &machine.fabric).expect("a mapping");
        let places = Places::new(&mapping, machine.fabric.hosts()).expect("places");
        let delays = Delays::by_hops(&places, &*machine.routing).expect("delays");
        let network = Network::racks(2, 4);
        let far = |a, b| network.delay(a, b);
        for (shape, theirs) in shapes(8) {
            let tree = positions(shape, 8);
            let depth = (depth_first(&tree, &far, 0), traverse(&theirs, 0, &delays, Traversal::Depth));
            let breadth = (breadth_first(&tree, &far, 0), traverse(&theirs, 0, &delays, Traversal::Breadth));
            for (ours, theirs) in [depth, breadth] {
                assert_eq!(ours, wide(&theirs), "{shape:?}");
            }
        }
    }
}
