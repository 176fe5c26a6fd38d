//! Broadcast trees over positions, and which node takes which position
//! ([`hopline_trees`] has both).

use hopline_trees::{Traversal, traverse};

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
        shape: Shape,
        nodes: usize,
        far: &dyn Fn(usize, usize) -> f64,
        root: usize,
    ) -> Vec<(&'static str, Vec<usize>)> {
        let tree = shape.tree(nodes);
        let far = |a: u32, b: u32| far(a as usize, b as usize);
        let walked = |traversal| wide(&traverse(&tree, 0, root as u32, far, traversal));
        let depth = || ("depth first", walked(Traversal::Depth));
        let breadth = || ("breadth first", walked(Traversal::Breadth));
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

impl Shape {
    fn tree(self, n: usize) -> hopline_trees::Tree {
        let n = n as u32;
        match self {
            Shape::Star => hopline_trees::Tree::star(n),
            Shape::Chain => hopline_trees::Tree::chain(n),
            Shape::Scattered => hopline_trees::Tree::binomial(n),
            Shape::Nomial(k) => hopline_trees::Tree::knomial(n, k as u32),
        }
    }
}

fn wide(list: &[u32]) -> Vec<usize> {
    list.iter().map(|&v| v as usize).collect()
}

/// The tree of a shape over `n` positions.
pub(crate) fn positions(shape: Shape, n: usize) -> Tree {
    shape.tree(n).children.iter().map(|below| wide(below)).collect()
}

/// A tree of nodes: `order[position]` is the node at a position.
pub(crate) fn placed(positions: &Tree, order: &[usize]) -> Tree {
    let mut tree = vec![Vec::new(); order.len()];
    for (position, children) in positions.iter().enumerate() {
        tree[order[position]] = children.iter().map(|&child| order[child]).collect();
    }
    tree
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
        let far = |a, b| network.delay(a, b);
        let named = |word| Order::read(word).map(|order| order.of(Shape::Nomial(2), 8, &far, 3));
        assert_eq!(named(Some("dft")).map(|all| all.iter().map(|one| one.0).collect()), Ok(vec!["depth first"]));
        assert_eq!(named(Some("bft")).map(|all| all.iter().map(|one| one.0).collect()), Ok(vec!["breadth first"]));
        assert_eq!((named(None), named(None).map(|all| all.len())), (named(Some("auto")), Ok(2)));
        assert!(named(Some("DFT")).is_err_and(|why| why.contains("`DFT` is not known; dft, bft and auto are")));
    }

    #[test]
    fn orders_keep_the_root_and_name_every_node_once() {
        let network = Network::racks(2, 5);
        for root in [0, 3, 9] {
            for (name, order) in Order::Auto.of(Shape::Nomial(2), 10, &|a, b| network.delay(a, b), root) {
                assert_eq!(order[0], root, "{name}");
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, (0..10).collect::<Vec<_>>(), "{name}");
            }
        }
    }
}
