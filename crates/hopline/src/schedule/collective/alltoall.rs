//! All-to-alls: `bytes` from each to each.

use super::{BYTES, Keys, Plot};
use crate::entry::Entry;

pub(super) const PAIRWISE: Entry = Entry {
    name: "pairwise",
    summary: "alltoall: in step s each rank sends to the s-th next and receives from the s-th before",
    doc: "Step s from 1 to n-1: rank r sends to r+s and receives from r-s (modulo n), and waits for both.\n\
          Source: Open MPI, coll_base_alltoall.c (pairwise), algorithm 2 of coll_tuned_alltoall; the power paper, section III.",
    example: "pairwise:bytes=1K",
    params: &[BYTES],
};

pub(super) const LINEAR: Entry = Entry {
    name: "linear",
    summary: "alltoall: all messages at once",
    doc: "Rank r sends to r+1, r+2, ... (modulo n) without waiting; all receives are posted from the beginning.\n\
          Source: Open MPI, coll_base_alltoall.c (basic linear), algorithm 1 of coll_tuned_alltoall.",
    example: "linear:bytes=1K",
    params: &[BYTES],
};

pub(super) const BRUCK: Entry = Entry {
    name: "bruck",
    summary: "alltoall: about log2(n) messages of half of the blocks each",
    doc: "In round i rank r sends to r+2^i, in one message, all blocks whose distance to their target (modulo n) has bit i: \
          n/2 blocks or a few less. Copies within a rank are not counted.\n\
          Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8 (1997); algorithm 3 of coll_tuned_alltoall.",
    example: "bruck:bytes=64",
    params: &[BYTES],
};

pub(super) fn pairwise(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    for s in 1..n {
        for r in 0..n {
            let (to, from) = ((r + s) % n, (r + n - s) % n);
            plot.recv(r, from, keys.bytes);
            plot.send(r, to, keys.bytes, || vec![(r, to)]);
            plot.wait(r);
        }
    }
}

pub(super) fn linear(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    for r in 0..n {
        for from in (1..n).map(|s| (r + n - s) % n) {
            plot.recv(r, from, keys.bytes);
        }
    }
    for r in 0..n {
        for to in (1..n).map(|s| (r + s) % n) {
            plot.send(r, to, keys.bytes, || vec![(r, to)]);
        }
    }
}

pub(super) fn bruck(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    for hop in (0..31).map(|i| 1u32 << i).take_while(|&hop| hop < n) {
        // Blocks that are d ranks from their target, d with this bit, move on.
        let moving: Vec<u32> = (1..n).filter(|d| d & hop != 0).collect();
        let bytes = moving.len() as u64 * keys.bytes;
        for r in 0..n {
            plot.recv(r, (r + n - hop) % n, bytes);
            plot.send(r, (r + hop) % n, bytes, || {
                // A block of distance d has made the hops of its lower bits.
                let origin = |d: u32| (r + n - (d & (hop - 1)) % n) % n;
                moving.iter().map(|&d| (origin(d), (origin(d) + d) % n)).collect()
            });
            plot.wait(r);
        }
    }
}
