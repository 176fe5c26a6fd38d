//! Trees over ranks 0 to n-1, rank 0 the root.

/// A tree: the children of every rank in the order in which it serves them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Parent of every rank; the root's is itself.
    pub parent: Vec<u32>,
    /// Children of every rank, the first served first.
    pub children: Vec<Vec<u32>>,
}

impl Tree {
    /// From the children of every rank; whoever is no child is its own parent.
    pub fn from_children(children: Vec<Vec<u32>>) -> Tree {
        let mut parent: Vec<u32> = (0..children.len() as u32).collect();
        for (rank, own) in children.iter().enumerate() {
            own.iter().for_each(|&child| parent[child as usize] = rank as u32);
        }
        Tree { parent, children }
    }

    /// All are children of the first.
    pub fn star(n: u32) -> Tree {
        Tree::from_children((0..n).map(|v| if v == 0 { (1..n).collect() } else { Vec::new() }).collect())
    }

    /// Open MPI's binomial tree (`ompi_coll_base_topo_build_bmtree`): the children
    /// of v are v + 2^j for all 2^j above v, nearest first.
    pub fn binomial(n: u32) -> Tree {
        let children = |v: u32| {
            let first = if v == 0 { 0 } else { 32 - v.leading_zeros() };
            (first..31).map(|j| v + (1 << j)).take_while(|&c| c < n).collect()
        };
        Tree::from_children((0..n).map(children).collect())
    }

    /// The k-nomial tree of MVAPICH, MPICH and Open MPI
    /// (`ompi_coll_base_topo_build_kmtree`): the children of v are v + r*k^j for r
    /// from 1 to k-1 and all k^j that divide v evenly, farthest first. With k = 2
    /// it is MPICH's binomial tree.
    pub fn knomial(n: u32, k: u32) -> Tree {
        let (n64, k) = (u64::from(n), u64::from(k));
        let children = |v: u32| {
            let v = u64::from(v);
            let mut strides = Vec::new();
            let mut stride = 1;
            while stride < n64 && v.is_multiple_of(stride * k) {
                strides.push(stride);
                stride *= k;
            }
            // Below the first digit that is not 0 nothing else belongs to v.
            let all = strides.iter().rev().flat_map(|s| (1..k).map(move |r| v + r * s));
            all.filter(|&c| c < n64).map(|c| c as u32).collect()
        };
        Tree::from_children((0..n).map(children).collect())
    }

    /// Each rank has the next as its only child.
    pub fn chain(n: u32) -> Tree {
        Tree::from_children((0..n).map(|v| if v + 1 < n { vec![v + 1] } else { vec![] }).collect())
    }

    /// Ranks below each one on the way from `root`, itself included. O(n).
    pub fn sizes(&self, root: u32) -> Vec<u32> {
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&rank) = order.get(next) {
            order.extend(&self.children[rank as usize]);
            next += 1;
        }
        let mut sizes = vec![1; self.children.len()];
        order[1..].iter().rev().for_each(|&v| sizes[self.parent[v as usize] as usize] += sizes[v as usize]);
        sizes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_those_of_the_libraries() {
        let t = Tree::binomial(8);
        assert_eq!(t.children[0], [1, 2, 4]);
        assert_eq!(t.children[1], [3, 5]);
        assert_eq!((t.children[3].as_slice(), t.parent[7]), (&[7][..], 3));
        // MPICH's binomial tree: half of the ranks first.
        let t = Tree::knomial(8, 2);
        assert_eq!(t.children[0], [4, 2, 1]);
        assert_eq!(t.children[4], [6, 5]);
        let t = Tree::knomial(20, 4);
        assert_eq!(t.children[0], [16, 4, 8, 12, 1, 2, 3]);
        assert_eq!(t.children[4], [5, 6, 7]);
        assert_eq!(t.children[16], [17, 18, 19]);
    }

    #[test]
    fn every_rank_has_one_parent() {
        for n in 1..40 {
            for t in [Tree::binomial(n), Tree::knomial(n, 2), Tree::knomial(n, 7), Tree::chain(n), Tree::star(n)] {
                let mut all: Vec<u32> = t.children.concat();
                all.sort_unstable();
                assert_eq!(all, (1..n).collect::<Vec<_>>());
            }
        }
    }
}
