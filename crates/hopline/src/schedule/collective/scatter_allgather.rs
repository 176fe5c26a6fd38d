//! Broadcast of large messages: the root scatters parts along a binomial tree,
//! then all gather all parts.

use super::exchange::{double, ring as around};
use super::{BYTES, Keys, Plot, ROOT, Tree};
use crate::entry::Entry;

pub(super) const RING: Entry = Entry {
    name: "scatter-ring",
    summary: "broadcast: binomial scatter, then allgather around the ring",
    doc: "The message is cut into n parts of bytes/n rounded up (the last may be empty). Rank v (counted from the root) gets \
          the parts of its binomial subtree, then all parts go around the ring.\n\
          Source: van de Geijn; topology-aware MPI_Bcast paper, section II-D; MPICH, MPI_Bcast for large messages.",
    example: "scatter-ring:bytes=1M",
    params: &[BYTES, ROOT],
};

pub(super) const DOUBLING: Entry = Entry {
    name: "scatter-doubling",
    summary: "broadcast: binomial scatter, then allgather by recursive doubling",
    doc: "As scatter-ring, with recursive doubling instead of the ring where the number of ranks is a power of two; else with \
          the ring (libraries have a way of their own there).\n\
          Source: topology-aware MPI_Bcast paper, section II-D; MPICH, MPI_Bcast for medium messages.",
    example: "scatter-doubling:bytes=64K",
    params: &[BYTES, ROOT],
};

pub(super) fn ring(plot: &mut Plot<'_>, keys: &Keys) {
    scatter(plot, keys);
    let n = plot.len();
    if n > 1 {
        around(plot, keys.root, 0, |b| size(keys.bytes, b, n), |_| keys.root);
    }
}

pub(super) fn doubling(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    if !n.is_power_of_two() {
        return ring(plot, keys);
    }
    scatter(plot, keys);
    let members: Vec<u32> = (0..n).map(|v| (v + keys.root) % n).collect();
    double(plot, &members, |b| size(keys.bytes, b, n), |b| vec![(keys.root, b)]);
}

/// Bytes of part b: all but the last are bytes/n rounded up.
fn size(bytes: u64, b: u32, n: u32) -> u64 {
    let part = bytes.div_ceil(u64::from(n.max(1)));
    part.min(bytes.saturating_sub(u64::from(b) * part))
}

fn scatter(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    let (tree, rank) = (Tree::knomial(n, 2), |v: u32| (v + keys.root) % n);
    // The subtree of v are the ranks up to its lowest bit.
    let below = |v: u32| v..n.min(v + (1 << v.trailing_zeros()));
    let bytes = |v: u32| below(v).map(|b| size(keys.bytes, b, n)).sum::<u64>();
    for v in 0..n {
        if v > 0 {
            plot.recv(rank(v), rank(tree.parent[v as usize]), bytes(v));
            plot.wait(rank(v));
        }
        for &child in &tree.children[v as usize] {
            plot.send(rank(v), rank(child), bytes(child), || below(child).map(|b| (keys.root, b)).collect());
        }
        plot.wait(rank(v));
    }
}
