//! The communication tree of a schedule.

use super::Delays;
use crate::schedule::{Schedule, What};
use hopline_trees::{Traversal, Tree};
use std::collections::VecDeque;

/// Who gets its first message from whom, from `root` on: each rank's children are
/// those to which it sends and that nobody nearer to the root has reached, in order
/// of its sends. Of a broadcast along a tree it is that tree. Where the root only
/// receives, as in a reduction, children are those from which a rank receives, the
/// last first: what arrives last comes from furthest below. O(sends).
///
/// Ranks that no message reaches are not in it.
pub fn communication_tree(schedule: &Schedule, root: u32) -> Tree {
    let n = schedule.ranks() as usize;
    let mut tree = Tree { parent: (0..n as u32).collect(), children: vec![Vec::new(); n] };
    let mut reached = vec![false; n];
    let mut open = VecDeque::from([root]);
    reached[root as usize] = true;
    let peers = |rank: u32, what: What| -> Vec<u32> {
        let ops = (0..schedule.bodies()).flat_map(|body| schedule.of(body, rank)).map(|op| schedule.ops()[op as usize]);
        ops.filter(|op| op.what == what).map(|op| op.peer).collect()
    };
    let up = peers(root, What::Send).is_empty();
    while let Some(rank) = open.pop_front() {
        let mut next = peers(rank, if up { What::Recv } else { What::Send });
        if up {
            next.reverse();
        }
        for peer in next {
            if !reached[peer as usize] {
                reached[peer as usize] = true;
                tree.parent[peer as usize] = rank;
                tree.children[rank as usize].push(peer);
                open.push_back(peer);
            }
        }
    }
    tree
}

/// The place of every rank: the root keeps its own, and the others choose in order of the
/// traversal ([`hopline_trees::traverse`]). O(n^2).
pub fn traverse(tree: &Tree, root: u32, delays: &Delays, traversal: Traversal) -> Vec<u32> {
    hopline_trees::traverse(tree, root, root, |a, b| delays.between(a, b), traversal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::collective::{named, sized};

    #[test]
    fn the_tree_of_a_broadcast_is_its_tree() {
        for (name, n, tree) in
            [("binomial", 13, Tree::binomial(13)), ("knomial", 30, Tree::knomial(30, 4)), ("chain", 5, Tree::chain(5))]
        {
            let schedule = named(name).and_then(|a| a.schedule(&sized(64, 1), n)).expect(name);
            assert_eq!(communication_tree(&schedule, 0).children, tree.children, "{name}");
        }
        let reduce = named("reduce-knomial").and_then(|a| a.schedule(&sized(64, 1), 30)).expect("reduce");
        assert_eq!(communication_tree(&reduce, 0).children, Tree::knomial(30, 4).children, "the same, upwards");
    }
}
