//! Barriers.

use super::exchange::trade;
use super::plot::ANY;
use super::{Keys, Plot};
use crate::entry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "dissemination",
    summary: "barrier: empty messages to ranks at distance 1, 2, 4, ...",
    doc: "In round i rank r sends to r+2^i and waits for r-2^i (modulo n).\n\
          Source: Hensgen, Finkel, Manber (1988); Open MPI, algorithm 4 of coll_tuned_barrier (bruck).",
    example: "dissemination",
    params: &[],
};

pub(super) fn draw(plot: &mut Plot<'_>, _: &Keys) {
    let n = plot.len();
    for hop in (0..31).map(|i| 1u32 << i).take_while(|&hop| hop < n) {
        for r in 0..n {
            trade(plot, r, ((r + hop) % n, 0), ((r + n - hop) % n, 0), || vec![(ANY, 0)]);
        }
    }
}
