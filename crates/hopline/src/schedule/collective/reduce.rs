//! Reduction along a tree.

use super::plot::ANY;
use super::{BYTES, Keys, Plot, ROOT, Tree};
use crate::entry::{Entry, param};

pub(super) const ENTRY: Entry = Entry {
    name: "reduce-knomial",
    summary: "reduce: up the k-nomial tree",
    doc: "Each rank waits for all its children and sends their sum with its own to its parent; k=2 is the in-order binomial tree \
          of Open MPI and MPICH. Only messages are counted, no arithmetic.\n\
          Source: Open MPI, coll_base_topo.c (build_in_order_bmtree), algorithm 5 of coll_tuned_reduce.",
    example: "reduce-knomial:bytes=64K,k=2",
    params: &[BYTES, param("k", "count", "4", "radix"), ROOT],
};

pub(super) fn draw(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    let (tree, rank) = (Tree::knomial(n, keys.k), |v: u32| (v + keys.root) % n);
    for v in 0..n {
        for &child in tree.children[v as usize].iter().rev() {
            plot.recv(rank(v), rank(child), keys.bytes);
        }
        plot.wait(rank(v));
        if v > 0 {
            plot.send(rank(v), rank(tree.parent[v as usize]), keys.bytes, || vec![(ANY, 0)]);
            plot.wait(rank(v));
        }
    }
}
