//! What one rank does in a plan, and doing it.

use super::bcast::{Place, bcast};
use super::blocks::{Branch, gather, scatter};
use super::channel::Channel;
use super::message::{Blocks, first};
use super::nodes::Nodes;
use super::operation::{self, Operation};
use super::plan::Form;
use super::reduce::reduce;
use super::ring::{Ring, allgather, allreduce, alltoall};
use super::scattered::{self, Scattered};
use super::tree::Tree;
use crate::abi::type_size;
use crate::call::Call;

/// What one rank does.
pub(super) enum Role {
    /// A place in a tree; segments in bytes.
    Tree(Place, u64),
    Ring(Ring),
    Scattered(Scattered),
    Blocks(Branch),
}

/// The ranks of a communicator on their nodes, as one of them sees it.
pub(super) struct Cast<'a> {
    pub(super) nodes: &'a Nodes,
    /// The own rank.
    pub(super) rank: usize,
    /// The root, which leads its node.
    pub(super) root: usize,
}

impl Cast<'_> {
    /// The own part; `None` where there is none, which no plan has.
    pub(super) fn role(&self, form: Form) -> Option<Role> {
        Some(match form {
            Form::Tree(_, tree, segment) => Role::Tree(self.place(&tree), segment),
            Form::Ring(nodes) => {
                let order: Vec<usize> = nodes.into_iter().flat_map(|node| self.ranks(node)).collect();
                let position = order.iter().position(|&rank| rank == self.rank)?;
                Role::Ring(Ring { position, order })
            }
            Form::Scattered(nodes) => {
                let order: Vec<usize> = nodes.into_iter().map(|node| self.leader(node)).collect();
                let position = order.iter().position(|&rank| rank == self.rank);
                Role::Scattered(Scattered { order, position, mates: self.mates() })
            }
            Form::Blocks(_, tree) => Role::Blocks(self.branch(&tree)),
        })
    }

    fn ranks(&self, node: usize) -> impl Iterator<Item = usize> {
        let of_rank = &self.nodes.of_rank;
        (0..of_rank.len()).filter(move |&rank| of_rank[rank] == node)
    }

    fn leader(&self, node: usize) -> usize {
        if node == self.nodes.of_rank[self.root] { self.root } else { self.nodes.leader[node] }
    }

    /// Where this rank stands among the ranks of its node, which pass on one after the other what their leader has.
    fn mates(&self) -> Place {
        let node = self.nodes.of_rank[self.rank];
        let leader = self.leader(node);
        let mates = || self.ranks(node).filter(|&rank| rank != leader);
        if self.rank == leader {
            return Place { parent: None, children: mates().take(1).collect() };
        }
        let before = mates().take_while(|&mate| mate != self.rank).last();
        let after = mates().skip_while(|&mate| mate != self.rank).skip(1);
        Place { parent: Some(before.unwrap_or(leader)), children: after.take(1).collect() }
    }

    /// Where this rank stands in a tree of nodes.
    fn place(&self, tree: &Tree) -> Place {
        let node = self.nodes.of_rank[self.rank];
        let mates = self.mates();
        if self.rank != self.leader(node) {
            return mates;
        }
        let parent = tree.iter().position(|children| children.contains(&node));
        let children = tree[node].iter().map(|&child| self.leader(child)).chain(mates.children);
        Place { parent: parent.map(|node| self.leader(node)), children: children.collect() }
    }

    /// The ranks of a node and of those below it in a tree, the leader first.
    fn below(&self, tree: &Tree, node: usize) -> Vec<usize> {
        let leader = self.leader(node);
        let mut ranks = vec![leader];
        ranks.extend(self.ranks(node).filter(|&rank| rank != leader));
        tree[node].iter().for_each(|&child| ranks.extend(self.below(tree, child)));
        ranks
    }

    /// Where this rank stands in a tree of nodes that has a block for every rank.
    fn branch(&self, tree: &Tree) -> Branch {
        let node = self.nodes.of_rank[self.rank];
        let leader = self.leader(node);
        if self.rank != leader {
            return Branch { parent: Some(leader), ranks: vec![self.rank], children: Vec::new() };
        }
        let ranks = self.below(tree, node);
        let mates = self.ranks(node).count();
        let mut begin = mates;
        let mut children = Vec::new();
        for &child in &tree[node] {
            let end = begin + self.below(tree, child).len();
            children.push((self.leader(child), begin..end));
            begin = end;
        }
        children.extend((1..mates).map(|i| (ranks[i], i..i + 1)));
        let parent = tree.iter().position(|children| children.contains(&node));
        Branch { parent: parent.map(|node| self.leader(node)), ranks, children }
    }
}

/// Does a call: MPI's error code; `None` where the role is another operation's.
pub(super) fn perform(role: &Role, channel: &Channel, call: &Call<'_>, operation: Operation) -> Option<i32> {
    let elements = |segment: u64| (segment / type_size(call.datatype()).max(1)).max(1) as usize;
    Some(match (operation, role) {
        (Operation::Bcast, Role::Tree(place, segment)) => {
            bcast(channel, place, operation::message(call)?, *segment as usize)
        }
        (Operation::Bcast, Role::Scattered(way)) => scattered::bcast(channel, way, operation::message(call)?),
        (Operation::Reduce, Role::Tree(place, segment)) => {
            reduce(channel, place, &operation::reduction(call)?, elements(*segment))
        }
        (Operation::Allreduce, Role::Tree(place, segment)) => {
            let data = operation::reduction(call)?;
            let code = reduce(channel, place, &data, elements(*segment));
            first(code, bcast(channel, place, data.sum(), *segment as usize))
        }
        (Operation::Allreduce, Role::Ring(ring)) => allreduce(channel, ring, &operation::reduction(call)?),
        (Operation::Allgather, Role::Ring(ring)) => {
            allgather(channel, ring, operation::sent(call), operation::received(call))
        }
        (Operation::Alltoall, Role::Ring(ring)) => {
            let sent = operation::sent(call).map(Blocks::new);
            alltoall(channel, ring, sent, operation::received(call))
        }
        (Operation::Scatter, Role::Blocks(branch)) => {
            let from = branch.parent.is_none().then(|| operation::sent(call).map(Blocks::new)).flatten();
            let into = operation::taken(call);
            scatter(channel, branch, operation.bytes(call) as usize, from, into)
        }
        (Operation::Gather, Role::Blocks(branch)) => {
            let into = branch.parent.is_none().then(|| operation::received(call));
            gather(channel, branch, operation.bytes(call) as usize, operation::sent(call), into)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Shape, placed, positions};
    use super::*;

    /// Ten ranks on four nodes, dealt out.
    fn nodes() -> Nodes {
        Nodes { of_rank: (0..10).map(|rank| rank % 4).collect(), leader: vec![0, 1, 2, 3], ..Nodes::default() }
    }

    #[test]
    fn every_block_has_one_way_from_the_root() {
        let nodes = nodes();
        for root in 0..10 {
            let node = nodes.of_rank[root];
            let order: Vec<usize> = (0..4).map(|i| (i + node) % 4).collect();
            for shape in [Shape::Star, Shape::Chain, Shape::Nomial(2)] {
                let tree = placed(&positions(shape, 4), &order);
                let branch = |rank| Cast { nodes: &nodes, rank, root }.branch(&tree);
                let top = branch(root);
                assert!(top.parent.is_none() && top.ranks[0] == root);
                let mut all = top.ranks.clone();
                all.sort_unstable();
                assert_eq!(all, (0..10).collect::<Vec<_>>());
                for rank in 0..10 {
                    let own = branch(rank);
                    let mut reached = 1;
                    for (child, range) in &own.children {
                        let other = branch(*child);
                        assert_eq!((other.parent, &own.ranks[range.clone()]), (Some(rank), &other.ranks[..]));
                        reached += range.len();
                    }
                    assert_eq!((own.ranks[0], reached), (rank, own.ranks.len()), "{shape:?} {root}");
                }
            }
        }
    }

    #[test]
    fn ranks_of_a_node_pass_on_what_their_leader_has() {
        let nodes = nodes();
        let mates = |rank| Cast { nodes: &nodes, rank, root: 5 }.mates();
        assert_eq!(mates(5), Place { parent: None, children: vec![1] }, "the root leads its node");
        assert_eq!(mates(1), Place { parent: Some(5), children: vec![9] });
        assert_eq!(mates(9), Place { parent: Some(1), children: Vec::new() });
    }
}
