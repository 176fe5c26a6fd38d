//! Which place takes which rank of a tree: the traversals of Subramoni et al., "Design
//! and evaluation of network topology-/speed-aware broadcast algorithms for InfiniBand
//! clusters" (CLUSTER 2011), section IV-B.

use crate::Tree;
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

/// The place of every rank of `tree`, of as many places as ranks: rank `root` takes
/// `start`, and every other rank in order of the traversal, children with most below
/// them first, gets the free place that is closest to its parent's by `delay(from, to)`.
/// Of equals that is the one as far behind `start` as the rank is behind the root, so that
/// nothing moves where all are equally far, else the first. Ranks outside the tree get
/// what is left, in order. O(n^2).
pub fn traverse(tree: &Tree, root: u32, start: u32, delay: impl Fn(u32, u32) -> f64, traversal: Traversal) -> Vec<u32> {
    let n = tree.children.len() as u32;
    const NOWHERE: u32 = u32::MAX;
    let mut place = vec![NOWHERE; n as usize];
    let mut free: Vec<u32> = (0..n).filter(|&p| p != start).collect();
    place[root as usize] = start;
    let sizes = tree.sizes(root);
    let children = |rank: u32| {
        let mut own = tree.children[rank as usize].clone();
        own.sort_by_key(|&child| Reverse(sizes[child as usize]));
        own.into_iter()
    };
    let mut open: VecDeque<u32> = children(root).collect();
    while let Some(rank) = open.pop_front() {
        let near = place[tree.parent[rank as usize] as usize];
        let own = (start + (rank + n - root) % n) % n;
        let closer = |&a: &usize, &b: &usize| {
            let (a, b) = (free[a], free[b]);
            delay(near, a).total_cmp(&delay(near, b)).then((a != own).cmp(&(b != own)))
        };
        let Some(at) = (0..free.len()).min_by(closer) else { break };
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

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Traversal; 2] = [Traversal::Depth, Traversal::Breadth];

    #[test]
    fn who_has_most_below_is_served_first_and_nobody_moves_without_a_reason() {
        let tree = Tree::knomial(17, 4);
        assert_eq!(tree.children[0][0], 16, "sent to first, and has nobody below");
        // Place 1 is closest to all.
        let near_1 = |_: u32, b: u32| if b == 1 { 1.0 } else { 2.0 };
        for traversal in BOTH {
            let order = traverse(&tree, 0, 0, near_1, traversal);
            assert_eq!(order[4], 1, "4 has three below, as 8 and 12: {order:?}");
            for (root, start) in [(0, 0), (0, 5), (3, 3)] {
                // The same tree from another root.
                let turned = |v: u32| tree.children[v as usize].iter().map(|&child| (child + root) % 17).collect();
                let tree = Tree::from_children((0..17).map(|v| turned((v + 17 - root) % 17)).collect());
                let same: Vec<u32> = (0..17).map(|v| (v + 17 - root + start) % 17).collect();
                assert_eq!(traverse(&tree, root, start, |_, _| 1.0, traversal), same, "{root} at {start}");
            }
        }
    }

    #[test]
    fn every_place_is_taken_once() {
        let far = |a: u32, b: u32| f64::from(a / 5 * 7 % 3 + b / 5) + f64::from(a.abs_diff(b) % 4);
        for (n, k) in [(1, 2), (2, 2), (10, 2), (33, 4)] {
            for start in [0, n / 2, n - 1] {
                for traversal in BOTH {
                    let order = traverse(&Tree::knomial(n, k), 0, start, far, traversal);
                    assert_eq!(order[0], start);
                    let mut sorted = order.clone();
                    sorted.sort_unstable();
                    assert_eq!(sorted, (0..n).collect::<Vec<_>>(), "{n} {k} {traversal:?}");
                }
            }
        }
    }

    #[test]
    fn ranks_that_nothing_reaches_take_what_is_left() {
        let tree = Tree::from_children(vec![vec![2], vec![], vec![], vec![]]);
        let order = traverse(&tree, 0, 0, |_, b| f64::from(3 - b.min(3)), Traversal::Depth);
        assert_eq!(order, [0, 1, 3, 2]);
    }
}
