//! Broadcasts along trees, in segments or as a whole.

use super::{BYTES, Keys, Plot, ROOT, SEGMENT, Tree};
use crate::entry::{Entry, param};

pub(super) const BINOMIAL: Entry = Entry {
    name: "binomial",
    summary: "broadcast: Open MPI's binomial tree",
    doc: "Rank v (counted from the root) serves v + 2^j for all 2^j above v, nearest first. With a segment the parts follow \
          each other down the tree.\n\
          Source: Open MPI, ompi/mca/coll/base/coll_base_topo.c (build_bmtree); algorithm 6 of coll_tuned_bcast.",
    example: "binomial:bytes=64K",
    params: &[BYTES, ROOT, SEGMENT],
};

pub(super) const KNOMIAL: Entry = Entry {
    name: "knomial",
    summary: "broadcast: the k-nomial tree of MVAPICH, MPICH and Open MPI",
    doc: "Rank v (counted from the root) serves v + r*k^j for r below k and all k^j whose multiple v is, farthest first; the \
          root serves n/k first. k=2 is MPICH's binomial tree.\n\
          Source: topology-aware MPI_Bcast paper, Figure 3; Open MPI, coll_base_topo.c (build_kmtree), algorithm 7.",
    example: "knomial:k=4,bytes=64K",
    params: &[BYTES, param("k", "count", "4", "radix"), ROOT, SEGMENT],
};

pub(super) const CHAIN: Entry = Entry {
    name: "chain",
    summary: "broadcast: a pipeline from rank to rank",
    doc: "Each rank hands every segment to the next. With s segments and n ranks the last has all after n-2+s steps.\n\
          Source: Open MPI, algorithm 3 of coll_tuned_bcast (pipeline).",
    example: "chain:bytes=1M,segment=64K",
    params: &[BYTES, SEGMENT, ROOT],
};

pub(super) fn binomial(plot: &mut Plot<'_>, keys: &Keys) {
    along(plot, &Tree::binomial(plot.len()), keys);
}

pub(super) fn knomial(plot: &mut Plot<'_>, keys: &Keys) {
    along(plot, &Tree::knomial(plot.len(), keys.k), keys);
}

pub(super) fn chain(plot: &mut Plot<'_>, keys: &Keys) {
    along(plot, &Tree::chain(plot.len()), keys);
}

/// Bytes of each segment.
pub(super) fn segments(bytes: u64, segment: u64) -> Vec<u64> {
    if segment == 0 || bytes <= segment {
        return vec![bytes];
    }
    (0..bytes.div_ceil(segment)).map(|i| segment.min(bytes - i * segment)).collect()
}

/// Every rank hands each segment to its children as soon as it has it.
pub(super) fn along(plot: &mut Plot<'_>, tree: &Tree, keys: &Keys) {
    let (n, segments) = (plot.len(), segments(keys.bytes, keys.segment));
    let rank = |v: u32| (v + keys.root) % n;
    for v in 0..n {
        for (i, &bytes) in segments.iter().enumerate() {
            let got = (v > 0).then(|| plot.recv(rank(v), rank(tree.parent[v as usize]), bytes));
            for &child in &tree.children[v as usize] {
                let sent = plot.send(rank(v), rank(child), bytes, || vec![(keys.root, i as u32)]);
                if let Some(got) = got {
                    plot.requires(sent, got);
                }
            }
        }
    }
}
