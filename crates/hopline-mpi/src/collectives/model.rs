//! How long a broadcast takes, from what single messages take.
//!
//! The library `hopline` has the same questions answered packet by packet (`replay`)
//! and its own delay matrices (`ordering`). This file does not use it: what is
//! preloaded into other people's programs stays small, starts at once and knows
//! measured seconds only, no fabric. Tests in `tree` compare the two.
//!
//! A message occupies the port it leaves, the port it enters, and between two
//! islands the one way out of the first and into the second, each for as long as
//! that part needs for its bytes; it arrives when the slowest part is done. What is
//! slower than both ports goes over something shared ([`super::islands`]).

use super::islands::{islands, ports};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes and what a message between two of them takes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Network {
    pub(crate) nodes: usize,
    /// Seconds of an empty message, by sender * nodes + receiver.
    latency: Vec<f64>,
    /// Seconds a byte.
    per_byte: Vec<f64>,
    /// Seconds a byte of each node's own port: its best.
    port: Vec<f64>,
    island: Vec<usize>,
}

impl Network {
    /// From measured messages between all pairs: row = sender; the diagonal is not read.
    pub(crate) fn new(nodes: usize, latency: Vec<f64>, per_byte: Vec<f64>) -> Network {
        let port = ports(nodes, &per_byte);
        let island = islands(nodes, &per_byte, &port);
        Network { nodes, latency, per_byte, port, island }
    }

    /// The same where it is known which nodes share a switch.
    pub(crate) fn with_islands(self, close: impl Fn(usize, usize) -> bool) -> Network {
        Network { island: groups(self.nodes, close), ..self }
    }

    /// The island of a node, named by its first node.
    pub(crate) fn island(&self, node: usize) -> usize {
        self.island[node]
    }

    /// Seconds of a message of 64 KiB: how far two nodes are apart.
    pub(crate) fn delay(&self, from: usize, to: usize) -> f64 {
        let pair = from * self.nodes + to;
        self.latency[pair] + 65536.0 * self.per_byte[pair]
    }

    /// Number of islands.
    pub(crate) fn islands(&self) -> usize {
        (0..self.nodes).filter(|&node| self.island[node] == node).count()
    }

    /// Seconds until every node has a broadcast of so many bytes, sent in segments over
    /// a tree (the children of every node). O(messages log messages).
    pub(crate) fn broadcast(&self, tree: &[Vec<usize>], root: usize, bytes: u64, segment: u64) -> f64 {
        let segments = bytes.div_ceil(segment.max(1)).max(1) as usize;
        let size = bytes as f64 / segments as f64;
        let mut arrived = vec![0usize; self.nodes];
        arrived[root] = segments;
        let mut when = vec![0.0f64; self.nodes * segments];
        let mut sent = vec![0usize; self.nodes];
        let mut wires = Wires::new(self);
        let mut end = 0.0f64;
        // Who may send next, by the time it can. Non-negative floats sort as their bits.
        let mut turns = BinaryHeap::from([Reverse((0u64, root))]);
        while let Some(Reverse((turn, from))) = turns.pop() {
            let Some(number) = (!tree[from].is_empty()).then(|| sent[from] / tree[from].len()) else { continue };
            if number >= arrived[from] {
                continue;
            }
            let to = tree[from][sent[from] % tree[from].len()];
            let start = wires.free(from, to).max(when[from * segments + number]);
            if start.to_bits() > turn {
                turns.push(Reverse((start.to_bits(), from)));
                continue;
            }
            let done = wires.send(from, to, start, size);
            let last = if arrived[to] > 0 { when[to * segments + arrived[to] - 1] } else { 0.0 };
            when[to * segments + arrived[to]] = done.max(last);
            arrived[to] += 1;
            end = end.max(done);
            sent[from] += 1;
            turns.push(Reverse((wires.out[from].to_bits(), from)));
            turns.push(Reverse((done.to_bits(), to)));
        }
        end
    }

    /// Seconds until a scatter down a tree (the children of every node) has brought each node so many bytes, its own
    /// and those of the nodes below it; a gather up the tree takes as long. O(nodes log nodes).
    pub(crate) fn scatter(&self, tree: &[Vec<usize>], root: usize, bytes: &[f64]) -> f64 {
        let mut when = vec![0.0f64; self.nodes];
        let mut sent = vec![0usize; self.nodes];
        let mut wires = Wires::new(self);
        let mut turns = BinaryHeap::from([Reverse((0u64, root))]);
        while let Some(Reverse((turn, from))) = turns.pop() {
            let Some(&to) = tree[from].get(sent[from]) else { continue };
            let start = wires.free(from, to).max(when[from]);
            if start.to_bits() > turn {
                turns.push(Reverse((start.to_bits(), from)));
                continue;
            }
            when[to] = wires.send(from, to, start, bytes[to]);
            sent[from] += 1;
            turns.push(Reverse((wires.out[from].to_bits(), from)));
            turns.push(Reverse((when[to].to_bits(), to)));
        }
        when.into_iter().fold(0.0, f64::max)
    }

    /// Racks of nodes with 200 Mb/s ports and one trunk of 100 Mb/s a rack.
    #[cfg(test)]
    pub(crate) fn racks(racks: usize, hosts: usize) -> Network {
        let nodes = racks * hosts;
        let pairs = (0..nodes * nodes).map(|pair| (pair / nodes / hosts, pair % nodes / hosts));
        let per_byte = pairs.map(|(a, b)| if a == b { 4e-8 } else { 8e-8 }).collect();
        Network::new(nodes, vec![1e-4; nodes * nodes], per_byte)
    }
}

/// When ports, and the ways out of islands and into them, are free again.
pub(super) struct Wires<'a> {
    network: &'a Network,
    out: Vec<f64>,
    into: Vec<f64>,
    up: Vec<f64>,
    down: Vec<f64>,
}

impl<'a> Wires<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        let [out, into, up, down] = [(); 4].map(|()| vec![0.0; network.nodes]);
        Wires { network, out, into, up, down }
    }

    /// When a message between two nodes can leave at the earliest.
    pub(super) fn free(&self, from: usize, to: usize) -> f64 {
        let (a, b) = (self.network.island[from], self.network.island[to]);
        let ports = self.out[from].max(self.into[to]);
        if a == b { ports } else { ports.max(self.up[a]).max(self.down[b]) }
    }

    /// Sends so many bytes at `start`; answers when they are there.
    pub(super) fn send(&mut self, from: usize, to: usize, start: f64, bytes: f64) -> f64 {
        let network = self.network;
        let (a, b) = (network.island[from], network.island[to]);
        let pair = from * network.nodes + to;
        let wire = bytes * network.per_byte[pair];
        self.out[from] = start + bytes * network.port[from];
        self.into[to] = start + bytes * network.port[to];
        if a != b {
            (self.up[a], self.down[b]) = (start + wire, start + wire);
        }
        start + network.latency[pair] + wire
    }
}

/// The first node of each node's group: those that closeness links together.
fn groups(nodes: usize, close: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut group = vec![usize::MAX; nodes];
    for first in 0..nodes {
        if group[first] != usize::MAX {
            continue;
        }
        group[first] = first;
        let mut open = vec![first];
        while let Some(i) = open.pop() {
            for (j, found) in group.iter_mut().enumerate() {
                if *found == usize::MAX && close(i, j) {
                    *found = first;
                    open.push(j);
                }
            }
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Shape, placed, positions};
    use super::*;

    const MB: u64 = 1 << 20;

    #[test]
    fn racks_are_islands_and_slow_ports_are_none() {
        assert_eq!(Network::racks(2, 8).islands(), 2);
        // Even nodes fast, odd nodes slow.
        let pairs = (0..256usize).map(|pair| if pair / 16 % 2 + pair % 16 % 2 == 0 { 4e-8 } else { 8e-8 });
        assert_eq!(Network::new(16, vec![0.0; 256], pairs.collect()).islands(), 1);
    }

    #[test]
    fn a_chain_takes_its_sum_whole_and_little_more_than_one_message_in_segments() {
        let network = Network::new(4, vec![0.0; 16], vec![1e-6; 16]);
        let chain = positions(Shape::Chain, 4);
        let whole = network.broadcast(&chain, 0, 3000, 3000);
        assert!((whole - 9e-3).abs() < 1e-9, "three messages one after the other: {whole}");
        let segments = network.broadcast(&chain, 0, 3000, 1000);
        assert!((segments - 5e-3).abs() < 1e-9, "the last of three leaves at 2 ms and takes 3: {segments}");
    }

    #[test]
    fn a_scatter_takes_what_leaves_the_root_and_a_chain_passes_all_on() {
        let network = Network::new(4, vec![0.0; 16], vec![1e-6; 16]);
        let star = network.scatter(&positions(Shape::Star, 4), 0, &[4e3, 1e3, 1e3, 1e3]);
        assert!((star - 3e-3).abs() < 1e-12, "three blocks out of the root's port: {star}");
        let chain = network.scatter(&positions(Shape::Chain, 4), 0, &[4e3, 3e3, 2e3, 1e3]);
        assert!((chain - 6e-3).abs() < 1e-12, "three blocks, two, one: {chain}");
    }

    /// Measured in namespaces, two racks of 8 at 200 Mb/s with a trunk of 100 Mb/s, 1 MB (ms):
    /// Open MPI's binomial tree 793 contiguous and 430 round robin, k-nomial 4 395 and 799. The model has the
    /// order, not the milliseconds: it sends to one child after the other, Open MPI to all at once.
    #[test]
    fn predictions_order_the_placements_as_measurements_do() {
        let network = Network::racks(2, 8);
        let contiguous: Vec<usize> = (0..16).collect();
        let robin: Vec<usize> = (0..16).map(|i| i / 2 + i % 2 * 8).collect();
        let time = |shape, order: &[usize]| network.broadcast(&placed(&positions(shape, 16), order), 0, MB, MB);
        let binomial = [time(Shape::Scattered, &contiguous), time(Shape::Scattered, &robin)];
        assert!(binomial[0] > 1.4 * binomial[1], "{binomial:?}");
        let nomial = [time(Shape::Nomial(4), &contiguous), time(Shape::Nomial(4), &robin)];
        assert!(nomial[1] > 1.4 * nomial[0], "{nomial:?}");
    }
}
