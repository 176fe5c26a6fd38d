//! Orders of whole hosts: where several ranks share one, its leader is what is
//! reordered (section IV-B), and its ranks stay together.

use super::{Delays, Traversal, traverse};
use crate::replay::Places;
use hopline_trees::Tree;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// As [`traverse`], for whole hosts where each has as many ranks: a host's ranks go
/// together to one that is closest to that from which the first of them is reached,
/// each to the place that has as many of its host's before it. Where hosts differ in
/// their ranks, ranks are taken one by one. O(ranks + hosts^2).
pub fn traverse_hosts(tree: &Tree, root: u32, delays: &Delays, places: &Places, traversal: Traversal) -> Vec<u32> {
    let (of, members) = by_host(places);
    let each = members[0].len();
    if each == 1 || members.iter().any(|m| m.len() != each) {
        return traverse(tree, root, delays, traversal);
    }
    let hosts = contract(tree, root, &of, members.len());
    let delay = |a: u32, b: u32| delays.between(members[a as usize][0], members[b as usize][0]);
    let root = of[root as usize];
    let to = hopline_trees::traverse(&hosts, root, root, delay, traversal);
    let mut order = vec![0; of.len()];
    for (own, host) in members.iter().zip(to) {
        own.iter().zip(&members[host as usize]).for_each(|(&rank, &place)| order[rank as usize] = place);
    }
    order
}

/// The host of every rank, counted in the order in which ranks come to them, and the ranks of each.
fn by_host(places: &Places) -> (Vec<u32>, Vec<Vec<u32>>) {
    let (mut number, mut members) = (FxHashMap::default(), Vec::<Vec<u32>>::new());
    let of = (0u32..).zip(&places.host).map(|(rank, host)| {
        let next = members.len() as u32;
        let own = *number.entry(*host).or_insert(next);
        if own == next {
            members.push(Vec::new());
        }
        members[own as usize].push(rank);
        own
    });
    (of.collect(), members)
}

/// The tree of the hosts: who is reached first, from where.
fn contract(tree: &Tree, root: u32, of: &[u32], hosts: usize) -> Tree {
    let mut whole = Tree { parent: (0..hosts as u32).collect(), children: vec![Vec::new(); hosts] };
    let mut reached = vec![false; hosts];
    reached[of[root as usize] as usize] = true;
    let mut open = VecDeque::from([root]);
    while let Some(rank) = open.pop_front() {
        for &child in &tree.children[rank as usize] {
            let (above, own) = (of[rank as usize], of[child as usize]);
            if !reached[own as usize] {
                reached[own as usize] = true;
                whole.parent[own as usize] = above;
                whole.children[above as usize].push(own);
            }
            open.push_back(child);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{HostId, VertexId};

    #[test]
    fn hosts_move_whole_and_only_where_they_are_equal() {
        // Four hosts with two ranks each; the third host is closest to the first.
        let host = [0, 0, 1, 1, 2, 2, 3, 3];
        let mut places = Places::on(host.map(HostId).to_vec(), host.map(VertexId).to_vec());
        let delays = Delays::new(&places, |a, b| Ok(if (a.0, b.0) == (0, 2) { 1.0 } else { 2.0 })).expect("delays");
        let tree = Tree::chain(8);
        let order = traverse_hosts(&tree, 0, &delays, &places, Traversal::Depth);
        assert_eq!(order, [0, 1, 4, 5, 2, 3, 6, 7]);
        places.host[7] = HostId(2);
        let single = traverse_hosts(&tree, 0, &delays, &places, Traversal::Depth);
        assert_eq!(single, traverse(&tree, 0, &delays, Traversal::Depth), "hosts with one and three ranks");
    }

    #[test]
    fn a_root_that_is_not_the_first_keeps_its_place() {
        let host = [0, 1, 2, 0, 1, 2];
        let places = Places::on(host.map(HostId).to_vec(), host.map(VertexId).to_vec());
        let delays = Delays::new(&places, |a, b| Ok(f64::from(a.0.abs_diff(b.0)))).expect("delays");
        let tree = Tree::binomial(6);
        let order = traverse_hosts(&tree, 0, &delays, &places, Traversal::Breadth);
        assert_eq!(order[0], 0);
        // Ranks of one host are on one host.
        let at = |rank: usize| places.host[order[rank] as usize];
        (0..3).for_each(|r| assert_eq!(at(r), at(r + 3)));
    }
}
