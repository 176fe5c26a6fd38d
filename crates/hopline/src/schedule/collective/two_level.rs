//! Broadcast between the leaders of hosts, then within hosts.

use super::{BYTES, CORES, Keys, Plot, ROOT, Tree};
use crate::entry::{Entry, param};

pub(super) const ENTRY: Entry = Entry {
    name: "two-level",
    summary: "broadcast: k-nomial between the leaders of hosts, then k-nomial within each host",
    doc: "`cores` consecutive ranks share a host; its leader is the first of them, on the root's host the root. A leader serves \
          other hosts before its own.\n\
          Source: topology-aware MPI_Bcast paper, section II-D (MVAPICH2's multi-core aware broadcast).",
    example: "two-level:bytes=64K,cores=4",
    params: &[BYTES, param("k", "count", "4", "radix of both trees"), CORES, ROOT],
};

pub(super) fn draw(plot: &mut Plot<'_>, keys: &Keys) {
    let (n, cores) = (plot.len(), keys.cores.clamp(1, plot.len().max(1)));
    let (hosts, home) = (n / cores, keys.root / cores);
    // Member i of a host, its leader first.
    let member = |host: u32, i: u32| {
        let first = host * cores;
        if host == home { first + (keys.root - first + i) % cores } else { first + i }
    };
    let leader = |h: u32| member((h + home) % hosts, 0);
    let (between, within) = (Tree::knomial(hosts, keys.k), Tree::knomial(cores, keys.k));
    let payload = || vec![(keys.root, 0)];
    for h in 0..hosts {
        let host = (h + home) % hosts;
        for i in 0..cores {
            let r = member(host, i);
            if i > 0 {
                plot.recv(r, member(host, within.parent[i as usize]), keys.bytes);
            } else if h > 0 {
                plot.recv(r, leader(between.parent[h as usize]), keys.bytes);
            }
            plot.wait(r);
            if i == 0 {
                for &child in &between.children[h as usize] {
                    plot.send(r, leader(child), keys.bytes, payload);
                }
            }
            for &child in &within.children[i as usize] {
                plot.send(r, member(host, child), keys.bytes, payload);
            }
            plot.wait(r);
        }
    }
}
