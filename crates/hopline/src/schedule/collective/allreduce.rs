//! All-reduces: all get the sum of the `bytes` of all. Only messages are
//! counted, no arithmetic.

use super::exchange::{double, fold, folded, halve, part, ring as around, trade, unfold};
use super::plot::ANY;
use super::{BYTES, Keys, Plot};
use crate::entry::Entry;

pub(super) const RING: Entry = Entry {
    name: "allreduce-ring",
    summary: "allreduce: reduce-scatter and allgather around the ring",
    doc: "2(n-1) steps with parts of bytes/n.\n\
          Source: Open MPI, coll_base_allreduce.c (ring), algorithm 4 of coll_tuned_allreduce; NCCL's ring.",
    example: "allreduce-ring:bytes=1MB",
    params: &[BYTES],
};

pub(super) const DOUBLING: Entry = Entry {
    name: "allreduce-doubling",
    summary: "allreduce: pairs swap all, distance 1, 2, 4, ...",
    doc: "log2(n) steps with all bytes. Where n is no power of two, even ranks of the first 2*rest hand theirs to the next \
          before and get the result after.\n\
          Source: Open MPI, coll_base_allreduce.c (recursive doubling), algorithm 3 of coll_tuned_allreduce.",
    example: "allreduce-doubling:bytes=1K",
    params: &[BYTES],
};

pub(super) const RABENSEIFNER: Entry = Entry {
    name: "rabenseifner",
    summary: "allreduce: reduce-scatter by halving, allgather by doubling",
    doc: "2*log2(n) steps with bytes/2, bytes/4, ... and back; other numbers than powers of two as in allreduce-doubling.\n\
          Source: Rabenseifner, ICCS 2004; Open MPI, algorithm 6 of coll_tuned_allreduce.",
    example: "rabenseifner:bytes=1MB",
    params: &[BYTES],
};

pub(super) fn ring(plot: &mut Plot<'_>, keys: &Keys) {
    let n = plot.len();
    if n > 1 {
        let size = |b: u32| part(keys.bytes, b, n);
        around(plot, 0, n - 1, size, |_| ANY);
        around(plot, 0, 0, size, |_| ANY);
    }
}

pub(super) fn doubling(plot: &mut Plot<'_>, keys: &Keys) {
    let (members, rest) = folded(plot.len());
    fold(plot, rest, keys.bytes, 1);
    let n = members.len() as u32;
    for hop in (0..31).map(|i| 1u32 << i).take_while(|&hop| hop < n) {
        for v in 0..n {
            let (r, peer) = (members[v as usize], members[(v ^ hop) as usize]);
            trade(plot, r, (peer, keys.bytes), (peer, keys.bytes), || vec![(ANY, 0)]);
        }
    }
    unfold(plot, rest, keys.bytes, |_| vec![0]);
}

pub(super) fn rabenseifner(plot: &mut Plot<'_>, keys: &Keys) {
    let (members, rest) = folded(plot.len());
    let parts = members.len() as u32;
    fold(plot, rest, keys.bytes, parts);
    let size = |b: u32| part(keys.bytes, b, parts);
    halve(plot, &members, size, |b| vec![b]);
    double(plot, &members, size, |b| vec![(ANY, b)]);
    unfold(plot, rest, keys.bytes, |_| (0..parts).collect());
}
