//! All-reduces: all get the sum of the `bytes` of all. Only messages are
//! counted, no arithmetic.

use super::exchange::{fold, folded, part, ring as around, trade, unfold};
use super::plot::ANY;
use super::{BYTES, Keys, Plot};
use crate::entry::Entry;
use std::ops::Range;

pub(super) const RING: Entry = Entry {
    name: "allreduce-ring",
    summary: "allreduce: reduce-scatter and allgather around the ring",
    doc: "2(n-1) steps with parts of bytes/n.\n\
          Source: Open MPI, coll_base_allreduce.c (ring), algorithm 4 of coll_tuned_allreduce; NCCL's ring.",
    example: "allreduce-ring:bytes=1M",
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
    doc: "log2(n) steps at distance 1, 2, 4, ... with bytes/2, bytes/4, ..., and the same back: the largest messages go to the \
          nearest ranks. Where n is no power of two, the first 2*rest ranks go on in pairs: each reduces half for both, the even \
          one takes part and hands the result back. (MPICH lets the odd one take part.)\n\
          Source: Rabenseifner, ICCS 2004; Open MPI, algorithm 6 of coll_tuned_allreduce.",
    example: "rabenseifner:bytes=1M",
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
    let n = plot.len();
    let parts = 1 << n.max(1).ilog2();
    let rest = n.saturating_sub(parts);
    let size = |blocks: &Range<u32>| blocks.clone().map(|b| part(keys.bytes, b, parts)).sum::<u64>();
    let sums = |blocks: Range<u32>| blocks.map(|b| (ANY, b)).collect::<Vec<_>>();
    let (left, right) = (0..parts / 2, parts / 2..parts);
    for even in (0..2 * rest).step_by(2) {
        let odd = even + 1;
        trade(plot, even, (odd, size(&right)), (odd, size(&left)), || sums(right.clone()));
        trade(plot, odd, (even, size(&left)), (even, size(&right)), || sums(left.clone()));
        plot.send(odd, even, size(&right), || sums(right.clone()));
        plot.recv(even, odd, size(&right));
        plot.wait(even);
    }
    let member = |v: u32| if v < rest { 2 * v } else { v + rest };
    let steps = parts.trailing_zeros();
    // What v holds after `step` steps: its lowest bit chose a half, the next one a quarter, ...
    let window = |v: u32, step: u32| {
        let first = (0..step).map(|j| (v >> j & 1) * (parts >> (j + 1))).sum::<u32>();
        first..first + (parts >> step)
    };
    let mut step = |i: u32, gathers: bool| {
        for v in 0..parts {
            let peer = v ^ (1 << i);
            let (mine, theirs) = (window(v, i + 1), window(peer, i + 1));
            let (out, back) = if gathers { (mine, theirs) } else { (theirs, mine) };
            trade(plot, member(v), (member(peer), size(&out)), (member(peer), size(&back)), || sums(out.clone()));
        }
    };
    (0..steps).for_each(|i| step(i, false));
    (0..steps).rev().for_each(|i| step(i, true));
    for even in (0..2 * rest).step_by(2) {
        plot.send(even, even + 1, keys.bytes, || sums(0..parts));
        plot.recv(even + 1, even, keys.bytes);
        plot.wait(even);
        plot.wait(even + 1);
    }
}
