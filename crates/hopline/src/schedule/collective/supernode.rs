//! The all-to-all of a supernode.

use super::{BYTES, CORES, Keys, Plot};
use crate::entry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "supernode",
    summary: "alltoall: in each phase the cores of a node send to different nodes",
    doc: "n nodes with c = `cores` ranks each. In phase i from 0 to n-1 core j of every node sends to all cores of node (j+i) mod n, \
          and waits for what it sends and gets in the phase. So all links of a node are in use at once, where in pairwise \
          exchange all its cores use the same one.\n\
          Source: the power paper, section III.",
    example: "supernode:bytes=64K,cores=4",
    params: &[BYTES, CORES],
};

pub(super) fn draw(plot: &mut Plot<'_>, keys: &Keys) {
    let (n, c) = (plot.len() / keys.cores.max(1), keys.cores);
    for i in 0..n {
        for r in 0..n * c {
            let (node, core) = (r / c, r % c);
            // Those who send to this node in the phase: the same cores of every node.
            for from in (0..n).flat_map(|p| (0..c).filter(|j| (j + i) % n == node).map(move |j| p * c + j)) {
                if from != r {
                    plot.recv(r, from, keys.bytes);
                }
            }
            let there = (core + i) % n;
            for to in (0..c).map(|s| there * c + (core + s) % c).filter(|&to| to != r) {
                plot.send(r, to, keys.bytes, || vec![(r, to)]);
            }
            plot.wait(r);
        }
    }
}
