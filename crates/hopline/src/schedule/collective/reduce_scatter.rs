//! Reduce-scatters: each gives n blocks of `bytes`, rank r gets the sum of all blocks r.

use super::exchange::{fold, folded, halve, ring as around, unfold};
use super::plot::ANY;
use super::{BYTES, Keys, Plot};
use crate::entry::Entry;

pub(super) const RING: Entry = Entry {
    name: "reduce-scatter-ring",
    summary: "reduce-scatter: partial sums go around the ring",
    doc: "n-1 steps: the sum of block b begins at rank b+1 and ends at rank b.\n\
          Source: Open MPI, coll_base_reduce_scatter.c (ring).",
    example: "reduce-scatter-ring:bytes=16K",
    params: &[BYTES],
};

pub(super) const HALVING: Entry = Entry {
    name: "reduce-scatter-halving",
    summary: "reduce-scatter: pairs swap halves, distance n/2, n/4, ...",
    doc: "For a power of two log2(n) steps. Else even ranks of the first 2*rest (rest ranks above the power of two) hand all \
          to the next, which keeps two blocks and sends one back.\n\
          Source: Open MPI, coll_base_reduce_scatter.c (recursive halving); MPICH.",
    example: "reduce-scatter-halving:bytes=1K",
    params: &[BYTES],
};

pub(super) fn ring(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    if n > 1 {
        around(plot, 0, n - 1, |_| keys.bytes, |_| ANY);
    }
}

pub(super) fn halving(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    let (members, rest) = folded(n);
    fold(plot, rest, keys.bytes * u64::from(n), n);
    let blocks = |i: u32| if i < rest { vec![2 * i, 2 * i + 1] } else { vec![i + rest] };
    halve(plot, &members, |i| keys.bytes * if i < rest { 2 } else { 1 }, blocks);
    unfold(plot, rest, keys.bytes, |even| vec![even]);
}
