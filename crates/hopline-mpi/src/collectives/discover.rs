//! Which ranks share a node, and how far nodes are apart.
//!
//! Delays are measured pair by pair, one pair at a time with a barrier between:
//! pairs that run at once meet on shared links and see each other, not the network.

use super::model::Network;
use crate::abi::{Handle, abi};
use crate::real::pmpi;
use crate::wrap::now;

/// Nodes beyond which measuring all pairs takes too long.
pub(crate) const MOST_NODES: usize = 32;
/// Bytes of a message that tells the rate: more than what links let through at once after a rest.
const LARGE: usize = 196_608;
/// Messages of each size and pair; the fastest counts.
const REPEATS: usize = 2;
const TAG: i32 = 4711;

/// The nodes of a communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nodes {
    /// Node of each rank; nodes are numbered by their first rank.
    pub(crate) of_rank: Vec<usize>,
    /// The first rank of each node.
    pub(crate) leader: Vec<usize>,
}

/// FNV-1a of the processor's name: equal on ranks of one node.
fn name() -> i64 {
    let mut text = [0u8; 512];
    let mut length = 0i32;
    pmpi!(PMPI_Get_processor_name(text.as_mut_ptr(), &raw mut length));
    let name = &text[..(length.max(0) as usize).min(text.len())];
    let hash = name.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    hash as i64
}

/// Collective: every rank of `comm` calls it.
pub(crate) fn nodes(comm: Handle, size: usize) -> Option<Nodes> {
    let mine = name();
    let mut all = vec![0i64; size];
    let byte = abi().byte;
    if pmpi!(PMPI_Allgather(&raw const mine, 8, byte, all.as_mut_ptr(), 8, byte, comm)) != 0 {
        return None;
    }
    let mut leader: Vec<usize> = Vec::new();
    let mut of_rank = Vec::new();
    for (rank, name) in all.iter().enumerate() {
        let node = leader.iter().position(|&first| all[first] == *name).unwrap_or_else(|| {
            leader.push(rank);
            leader.len() - 1
        });
        of_rank.push(node);
    }
    Some(Nodes { of_rank, leader })
}

/// Collective: measures the delays between node leaders; every rank gets the matrix.
pub(crate) fn measure(comm: Handle, rank: usize, nodes: &Nodes) -> Option<Network> {
    let n = nodes.leader.len();
    let mut matrix = vec![0.0f64; 2 * n * n];
    let mut buffer = vec![0u8; LARGE];
    for i in 0..n {
        for j in i + 1..n {
            pmpi!(PMPI_Barrier(comm));
            let (a, b) = (nodes.leader[i], nodes.leader[j]);
            if rank == a || rank == b {
                let other = if rank == a { b } else { a };
                let [small, large] = [1, LARGE].map(|size| exchange(comm, rank == a, other, &mut buffer[..size]));
                let per_byte = ((large - small) / LARGE as f64).max(1e-12);
                for pair in [i * n + j, j * n + i] {
                    (matrix[pair], matrix[n * n + pair]) = (small, per_byte);
                }
            }
        }
    }
    // Only the lower of two leaders counts: the sum is its value.
    let mut sum = vec![0.0f64; 2 * n * n];
    for i in 0..n {
        let is_lower = rank == nodes.leader[i];
        for j in 0..n {
            let (low, pair) = (i.min(j), i * n + j);
            if rank != nodes.leader[low] || (is_lower && i == j) {
                (matrix[pair], matrix[n * n + pair]) = (0.0, 0.0);
            }
        }
    }
    let code = pmpi!(PMPI_Allreduce(matrix.as_ptr(), sum.as_mut_ptr(), 2 * n * n, abi().double, abi().max, comm));
    let per_byte = sum.split_off(n * n);
    (code == 0).then(|| Network::new(n, sum, per_byte))
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
