//! Collective calls as events. What `bytes` and the list of a shape say:
//!
//! | operation | bytes | list |
//! |---|---|---|
//! | barrier | 0 | |
//! | bcast, reduce, allreduce, scan, exscan | the whole vector | |
//! | gather, scatter, allgather, alltoall, `reduce_scatter_block` | one rank's block | |
//! | gatherv, scatterv | own block | at the root: each rank's |
//! | allgatherv, `reduce_scatter` | own block | each rank's |
//! | alltoallv, alltoallw | all that is sent | to each rank, then from each rank |
//! | `neighbor_`... | all that is sent | receivers n, (rank, bytes) n times, then (rank, bytes) of senders |
//!
//! Intercommunicators: only bytes.

use super::Recorder;
use super::event::Shape;
use crate::call::Call;
use crate::comms::{Comm, Neighbours};

impl Recorder {
    pub(super) fn collective(&mut self, call: &Call<'_>, op: &'static str) {
        let comm = self.comm(call.comm());
        let (bytes, list) =
            if op.starts_with("neighbor") { neighbours(call, op, &comm) } else { volume(call, op, &comm) };
        let mut shape = Shape { bytes, comm: comm.number, peer: call.root().max(-1), ..Shape::new(op) };
        if !list.is_empty() {
            shape.list = self.stream.words.list(&list);
        }
        self.issue(call, shape);
    }
}

fn volume(call: &Call<'_>, op: &str, comm: &Comm) -> (u64, Vec<u64>) {
    let size = comm.peers.len();
    let is_root = call.root() == comm.rank as i32 && !comm.inter;
    let own = |list: Vec<u64>| (list.get(comm.rank as usize).copied().unwrap_or(0), list);
    match op {
        "barrier" => (0, Vec::new()),
        "bcast" | "reduce" | "allreduce" | "scan" | "exscan" => (call.bytes(), Vec::new()),
        "reduce_scatter_block" => (call.recv_block(), Vec::new()),
        "gather" | "allgather" | "alltoall" | "gatherv" if !is_root || op != "gatherv" => {
            let bytes = if call.is_send_in_place() { call.recv_block() } else { call.send_block() };
            (bytes, Vec::new())
        }
        "scatter" => (if is_root { call.send_block() } else { call.recv_block() }, Vec::new()),
        "scatterv" if !is_root => (call.recv_block(), Vec::new()),
        "scatterv" => own(call.send_blocks(size)),
        "gatherv" | "allgatherv" => own(call.recv_blocks(size)),
        "reduce_scatter" => own(call.reduce_blocks(size)),
        "alltoallv" | "alltoallw" => {
            let received = call.recv_blocks(size);
            let sent = if call.is_send_in_place() { received.clone() } else { call.send_blocks(size) };
            (sent.iter().sum(), sent.into_iter().chain(received).collect())
        }
        _ => (0, Vec::new()),
    }
}

fn neighbours(call: &Call<'_>, op: &str, comm: &Comm) -> (u64, Vec<u64>) {
    let Some(Neighbours { to, from }) = &comm.neighbours else { return (0, Vec::new()) };
    let blocks = |one: bool, count: usize, block: &dyn Fn() -> u64, many: &dyn Fn(usize) -> Vec<u64>| match one {
        true => vec![block(); count],
        false => many(count),
    };
    let one_in = matches!(op, "neighbor_allgather" | "neighbor_alltoall");
    let one_out = one_in || op == "neighbor_allgatherv";
    let sent = blocks(one_out, to.len(), &|| call.send_block(), &|n| call.send_blocks(n));
    let received = blocks(one_in, from.len(), &|| call.recv_block(), &|n| call.recv_blocks(n));
    // Beyond the edge of a grid there is no one.
    let pairs = |ranks: &[i32], bytes: Vec<u64>| -> Vec<(u64, u64)> {
        ranks.iter().zip(bytes).filter(|(rank, _)| **rank >= 0).map(|(&rank, bytes)| (rank as u64, bytes)).collect()
    };
    let (sent, received) = (pairs(to, sent), pairs(from, received));
    let total = sent.iter().map(|pair| pair.1).sum();
    let list = [sent.len() as u64].into_iter();
    (total, list.chain(sent.into_iter().chain(received).flat_map(|(rank, bytes)| [rank, bytes])).collect())
}
