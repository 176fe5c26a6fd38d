//! The communication tree of a schedule, and its traversals.

use super::Delays;
use crate::schedule::{Schedule, What, collective::Tree};
use std::cmp::Reverse;
use std::collections::VecDeque;

/// In which order the ranks of a tree choose their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traversal {
    /// A child's children before its next sister.
    Depth,
    /// All children of a rank before theirs.
    Breadth,
}

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

/// The place of every rank: the root keeps its own, and every other rank in order of
/// the traversal, children with most below them first, gets the free place that is
/// closest to its parent's (section IV-B). Of equals that is its own, so that nothing
/// moves where all are equally far, else the first. Ranks outside the tree get what is
/// left, in order. O(n^2).
pub fn traverse(tree: &Tree, root: u32, delays: &Delays, traversal: Traversal) -> Vec<u32> {
    traverse_by(tree, root, delays.places(), |a, b| delays.between(a, b), traversal)
}

/// The same with delays from anywhere: `delay(a, b)` between two of `places` places.
pub fn traverse_by(
    tree: &Tree,
    root: u32,
    places: u32,
    delay: impl Fn(u32, u32) -> f64,
    traversal: Traversal,
) -> Vec<u32> {
    let n = places as usize;
    const NOWHERE: u32 = u32::MAX;
    let mut place = vec![NOWHERE; n];
    let mut free: Vec<u32> = (0..n as u32).filter(|&p| p != root).collect();
    place[root as usize] = root;
    let below = below(tree, root);
    let children = |rank: u32| {
        let mut own = tree.children[rank as usize].clone();
        own.sort_by_key(|&child| Reverse(below[child as usize]));
        own.into_iter()
    };
    let mut open: VecDeque<u32> = children(root).collect();
    while let Some(rank) = open.pop_front() {
        let near = place[tree.parent[rank as usize] as usize];
        let closer = |&a: &usize, &b: &usize| {
            let (a, b) = (free[a], free[b]);
            delay(near, a).total_cmp(&delay(near, b)).then((a != rank).cmp(&(b != rank)))
        };
        let Some(at) = (0..free.len()).min_by(|a, b| closer(a, b)) else { break };
        place[rank as usize] = free.remove(at);
        match traversal {
            Traversal::Breadth => open.extend(children(rank)),
            Traversal::Depth => children(rank).rev().for_each(|child| open.push_front(child)),
        }
    }
    let mut rest = free.into_iter();
    for cell in place.iter_mut().filter(|p| **p == NOWHERE) {
        *cell = rest.next().unwrap_or(NOWHERE);
    }
    place
}

/// Ranks below each one, itself included.
fn below(tree: &Tree, root: u32) -> Vec<u32> {
    let mut order = vec![root];
    let mut next = 0;
    while let Some(&rank) = order.get(next) {
        order.extend(&tree.children[rank as usize]);
        next += 1;
    }
    let mut below = vec![1; tree.children.len()];
    order[1..].iter().rev().for_each(|&rank| below[tree.parent[rank as usize] as usize] += below[rank as usize]);
    below
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

    #[test]
    fn who_has_most_below_is_served_first_and_nobody_moves_without_a_reason() {
        let tree = Tree::knomial(17, 4);
        assert_eq!(tree.children[0][0], 16, "sent to first, and has nobody below");
        // Place 1 is closest to all.
        let near_1 = |_: u32, b: u32| if b == 1 { 1.0 } else { 2.0 };
        for traversal in [Traversal::Depth, Traversal::Breadth] {
            let order = traverse_by(&tree, 0, 17, near_1, traversal);
            assert_eq!(order[4], 1, "4 has three below, as 8 and 12: {order:?}");
            let equal: Vec<u32> = traverse_by(&tree, 0, 17, |_, _| 1.0, traversal);
            assert_eq!(equal, (0..17).collect::<Vec<_>>());
        }
    }
}
