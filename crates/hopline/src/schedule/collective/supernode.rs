//! The all-to-all of a supernode, and the all-reduce that is made as it is.

use super::exchange::part;
use super::plot::ANY;
use super::{BYTES, CORES, Keys, Plot};
use crate::entry::Entry;
use std::ops::Range;

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

pub(super) const ALLREDUCE: Entry = Entry {
    name: "allreduce-supernode",
    summary: "allreduce: core j of every node sums part j of the vector, each phase to another node",
    doc: "n nodes with c = `cores` ranks each; the vector has a block for every rank. Inside a node core j sums the n blocks \
          of part j. Then, as in the all-to-all of the same name, in phase i core j of every node sends to core j of node \
          (j+i) mod n the block that this rank sums, in n phases more its sum to all cores j, and inside a node core j \
          hands part j to all. Between nodes that is 2(n-1)/n of the vector for each node, over all links of the node at \
          once, in 2n phases of one hop.\n\
          Source: ours, by the method of the power paper, which names the all-reduce in its section V.",
    example: "allreduce-supernode:bytes=1M,cores=4",
    params: &[BYTES, CORES],
};

pub(super) fn allreduce(plot: &mut Plot<'_>, keys: &Keys) {
    let c = keys.cores.max(1);
    let n = plot.len() / c;
    // Core j's part is its blocks one behind the other, a block for each node.
    let size = |blocks: Range<u32>| blocks.map(|b| part(keys.bytes, b, n * c)).sum::<u64>();
    let part_of = |core: u32| core * n..(core + 1) * n;
    let inside = |plot: &mut Plot<'_>, gathers: bool| {
        for r in 0..n * c {
            let (first, core) = (r / c * c, r % c);
            for other in (1..c).map(|step| (core + step) % c) {
                let (out, back) = if gathers { (core, other) } else { (other, core) };
                plot.recv(r, first + other, size(part_of(back)));
                plot.send(r, first + other, size(part_of(out)), || part_of(out).map(|b| (ANY, b)).collect());
            }
            plot.wait(r);
        }
    };
    let between = |plot: &mut Plot<'_>, gathers: bool| {
        for i in 0..n {
            for r in 0..n * c {
                let (node, core) = (r / c, r % c);
                let block = |node: u32| core * n + node;
                let there = (core + i) % n;
                let others = |node: u32| (0..n).filter(move |&p| p != node);
                if there == node {
                    for from in others(node) {
                        let block = block(if gathers { from } else { node });
                        plot.recv(r, from * c + core, size(block..block + 1));
                    }
                } else {
                    let block = block(if gathers { node } else { there });
                    plot.send(r, there * c + core, size(block..block + 1), || vec![(ANY, block)]);
                }
                plot.wait(r);
            }
        }
    };
    inside(plot, false);
    between(plot, false);
    between(plot, true);
    inside(plot, true);
}

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
