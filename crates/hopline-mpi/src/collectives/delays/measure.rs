//! Delays measured pair by pair, one pair at a time with a barrier between: pairs
//! that run at once meet on shared links and see each other, not the network.

use super::super::nodes::Nodes;
use crate::abi::{Handle, abi};
use crate::now;
use crate::real::pmpi;

/// Bytes of a message that tells the rate: more than what links let through at once after a rest.
const LARGE: usize = 196_608;
/// Messages of each size and pair; the fastest counts.
const REPEATS: usize = 2;
const TAG: i32 = 4711;

/// Seconds of an empty message, and of each further byte.
pub(super) type Delay = [f64; 2];

/// Collective: the delays of some pairs of nodes; every rank gets all.
pub(super) fn pairs(comm: Handle, rank: usize, nodes: &Nodes, pairs: &[(usize, usize)]) -> Option<Vec<Delay>> {
    let mut found = vec![0.0f64; 2 * pairs.len()];
    let mut buffer = vec![0u8; LARGE];
    for (number, &(i, j)) in pairs.iter().enumerate() {
        pmpi!(PMPI_Barrier(comm));
        let (a, b) = (nodes.leader[i], nodes.leader[j]);
        if rank == a || rank == b {
            let other = if rank == a { b } else { a };
            let [small, large] = [1, LARGE].map(|size| exchange(comm, rank == a, other, &mut buffer[..size]));
            // What the first of the two has measured counts: the others tell 0, the largest is its.
            if rank == a {
                found[2 * number] = small;
                found[2 * number + 1] = ((large - small) / LARGE as f64).max(1e-12);
            }
        }
    }
    let mut all = vec![0.0f64; found.len()];
    let code = pmpi!(PMPI_Allreduce(found.as_ptr(), all.as_mut_ptr(), found.len(), abi().double, abi().max, comm));
    (code == 0).then(|| all.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
}

/// Seconds of a message one way: the fastest of a few, with an empty answer.
fn exchange(comm: Handle, first: bool, other: usize, buffer: &mut [u8]) -> f64 {
    let (byte, size) = (abi().byte, buffer.len());
    let mut status = [0u64; 16];
    let mut best = f64::INFINITY;
    // Once to connect, then what counts.
    for repeat in 0..=REPEATS {
        let begin = now();
        if first {
            pmpi!(PMPI_Send(buffer.as_ptr(), size, byte, other, TAG, comm));
            pmpi!(PMPI_Recv(buffer.as_mut_ptr(), 1, byte, other, TAG, comm, status.as_mut_ptr()));
        } else {
            pmpi!(PMPI_Recv(buffer.as_mut_ptr(), size, byte, other, TAG, comm, status.as_mut_ptr()));
            pmpi!(PMPI_Send(buffer.as_ptr(), 1, byte, other, TAG, comm));
        }
        if repeat > 0 {
            best = best.min((now() - begin) as f64 / 1e9);
        }
    }
    best
}
