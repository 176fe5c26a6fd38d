//! Delays measured pair by pair, one pair at a time: pairs that run at once meet on
//! shared links and see each other, not the network.

use super::super::channel::Channel;
use super::Team;
use crate::abi::{Abi, Handle, abi};
use crate::now;
use crate::real::pmpi;

/// Bytes of a message that tells the rate: more than what links let through at once after a rest.
pub(super) const LARGE: usize = 196_608;
/// Large messages of each pair; the fastest counts.
const LARGE_ONES: usize = 2;
/// Empty messages of each pair, after one that connects. More than large ones: an answer that comes late makes the
/// pair look faster than it is, as the rest is taken for the bytes.
const EMPTY_ONES: usize = 6;

/// Seconds of an empty message, and of each further byte.
pub(in super::super) type Delay = [f64; 2];

/// Collective: the delays of some pairs of nodes; every rank gets all.
pub(super) fn pairs(team: &Team<'_>, pairs: &[(usize, usize)]) -> Option<Vec<Delay>> {
    let (comm, rank) = (team.handle, team.channel.rank);
    let mut found = vec![0.0f64; 2 * pairs.len()];
    let mut buffer = vec![0u8; LARGE];
    for (number, &(i, j)) in pairs.iter().enumerate() {
        meet(comm);
        let (a, b) = (team.nodes.leader[i], team.nodes.leader[j]);
        if rank == a || rank == b {
            let other = if rank == a { b } else { a };
            let empty = exchange(team.channel, rank == a, other, &mut buffer[..1], 1 + EMPTY_ONES, 1);
            let large = exchange(team.channel, rank == a, other, &mut buffer, LARGE_ONES, 0);
            // What the first of the two has measured counts: the others tell 0, the largest is its.
            if rank == a {
                found[2 * number] = empty.max(1e-12);
                found[2 * number + 1] = ((large - empty) / LARGE as f64).max(1e-12);
            }
        }
    }
    let mut all = vec![0.0f64; found.len()];
    let code = pmpi!(PMPI_Allreduce(found.as_ptr(), all.as_mut_ptr(), found.len(), abi().double, abi().max, comm));
    (code == 0).then(|| all.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
}

/// A barrier at which ranks sleep: those that spin would take the processor from the pair where ranks share cores.
fn meet(comm: Handle) {
    let mut request = Abi::room();
    let mut status = [0u64; 16];
    let mut done = 0i32;
    if pmpi!(PMPI_Ibarrier(comm, request.as_mut_ptr())) != 0 {
        return;
    }
    while pmpi!(PMPI_Test(request.as_mut_ptr(), &raw mut done, status.as_mut_ptr())) == 0 && done == 0 {
        std::thread::sleep(std::time::Duration::from_micros(20));
    }
}

/// Seconds of a message one way: the fastest of a few after some that do not count, each with an empty answer.
fn exchange(channel: &Channel, first: bool, other: usize, buffer: &mut [u8], repeats: usize, idle: usize) -> f64 {
    let (byte, size) = (abi().byte, buffer.len());
    let (comm, tag, other) = (channel.comm, channel.tag, channel.member(other));
    let mut status = [0u64; 16];
    let mut best = f64::INFINITY;
    for repeat in 0..repeats {
        let begin = now();
        if first {
            pmpi!(PMPI_Send(buffer.as_ptr(), size, byte, other, tag, comm));
            pmpi!(PMPI_Recv(buffer.as_mut_ptr(), 1, byte, other, tag, comm, status.as_mut_ptr()));
        } else {
            pmpi!(PMPI_Recv(buffer.as_mut_ptr(), size, byte, other, tag, comm, status.as_mut_ptr()));
            pmpi!(PMPI_Send(buffer.as_ptr(), 1, byte, other, tag, comm));
        }
        if repeat >= idle {
            best = best.min((now() - begin) as f64 / 1e9);
        }
    }
    best
}
