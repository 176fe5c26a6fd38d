//! All-gathers: each gives `bytes`, all get all.

use super::exchange::{double, ring as around, trade};
use super::{BYTES, Keys, Plot};
use crate::entry::Entry;

pub(super) const RING: Entry = Entry {
    name: "allgather-ring",
    summary: "allgather: blocks go around the ring",
    doc: "n-1 steps: each hands the block that it got last to the next rank.\n\
          Source: Open MPI, coll_base_allgather.c (ring), algorithm 4 of coll_tuned_allgather.",
    example: "allgather-ring:bytes=16K",
    params: &[BYTES],
};

pub(super) const DOUBLING: Entry = Entry {
    name: "allgather-doubling",
    summary: "allgather: pairs swap all that they have, distance 1, 2, 4, ...",
    doc: "log2(n) steps for a power of two; for other numbers Bruck's algorithm, as in Open MPI.\n\
          Source: Open MPI, coll_base_allgather.c (recursive doubling), algorithm 3 of coll_tuned_allgather.",
    example: "allgather-doubling:bytes=1K",
    params: &[BYTES],
};

pub(super) const BRUCK: Entry = Entry {
    name: "allgather-bruck",
    summary: "allgather: log2(n) steps for any number of ranks",
    doc: "In round i rank r sends its first min(2^i, n-2^i) blocks to r-2^i and gets as many from r+2^i.\n\
          Source: Bruck et al., IEEE TPDS 8 (1997); Open MPI, algorithm 2 of coll_tuned_allgather.",
    example: "allgather-bruck:bytes=64",
    params: &[BYTES],
};

pub(super) fn ring(plot: &mut Plot<'_>, keys: &Keys) {
    if plot.len() > 1 {
        around(plot, 0, 0, |_| keys.bytes, |b| b);
    }
}

pub(super) fn doubling(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    if !n.is_power_of_two() {
        return bruck(plot, keys);
    }
    let members: Vec<u32> = (0..n).collect();
    double(plot, &members, |_| keys.bytes, |b| vec![(b, b)]);
}

pub(super) fn bruck(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    for hop in (0..31).map(|i| 1u32 << i).take_while(|&hop| hop < n) {
        let count = hop.min(n - hop);
        let bytes = u64::from(count) * keys.bytes;
        for r in 0..n {
            trade(plot, r, ((r + n - hop) % n, bytes), ((r + hop) % n, bytes), || {
                (0..count).map(|i| (r + i) % n).map(|b| (b, b)).collect()
            });
        }
    }
}
