//! How long collectives of rounds take: rings, exchanges at growing distance and
//! all-to-all, predicted with the ports and ways of [`Network`].

use super::model::{Network, Wires};
use super::scattered::{held, passed};
use std::cmp::Ordering;

/// Seconds a byte within a node.
const MEMORY: f64 = 2e-10;
/// Rounds of a ring that are simulated; the others take as long as these.
const ENOUGH: usize = 32;

/// Ranks at positions, on the nodes of a network.
pub(super) struct Seats<'a> {
    pub(super) network: &'a Network,
    /// The node of each position.
    pub(super) node: Vec<usize>,
}

/// A message between two positions: from, to, bytes.
type Message = (usize, usize, f64);

impl Seats<'_> {
    fn len(&self) -> usize {
        self.node.len()
    }

    /// Seconds of rounds one after the other: a rank begins a round when all it sends
    /// and receives in the one before is done. O(messages log ranks).
    fn rounds(&self, rounds: impl Iterator<Item = Vec<Message>>) -> f64 {
        self.after(vec![0.0; self.len()], rounds).into_iter().fold(0.0, f64::max)
    }

    /// When each position is done with rounds that it may begin when it is `ready`.
    fn after(&self, mut ready: Vec<f64>, rounds: impl Iterator<Item = Vec<Message>>) -> Vec<f64> {
        let mut wires = Wires::new(self.network);
        for mut messages in rounds {
            let mut next = ready.clone();
            messages.sort_by(|a, b| ready[a.0].partial_cmp(&ready[b.0]).unwrap_or(Ordering::Equal));
            for (from, to, bytes) in messages {
                let (a, b) = (self.node[from], self.node[to]);
                let both = ready[from].max(ready[to]);
                let done = match a == b {
                    true => both + bytes * MEMORY,
                    false => wires.send(a, b, both.max(wires.free(a, b)), bytes),
                };
                (next[from], next[to]) = (next[from].max(done), next[to].max(done));
            }
            ready = next;
        }
        ready
    }

    /// `rounds` rounds in which every position sends to the next.
    pub(super) fn ring(&self, rounds: usize, bytes: f64) -> f64 {
        let n = self.len();
        let some = rounds.min(ENOUGH);
        let round = |_| (0..n).map(|p| (p, (p + 1) % n, bytes)).collect();
        self.rounds((0..some).map(round)) * rounds as f64 / some.max(1) as f64
    }

    /// Pairs of positions whose distance is a power of two exchange `bytes(distance)`,
    /// in the order of `distances`; positions past the last power of two wait.
    fn pairs(&self, distances: impl Iterator<Item = usize>, bytes: impl Fn(usize) -> f64) -> f64 {
        let n = 1 << self.len().max(1).ilog2();
        self.rounds(distances.map(|d| (0..n).map(|p| (p, p ^ d, bytes(d))).collect()))
    }

    fn powers(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        (0..self.len().max(1).ilog2()).map(|bit| 1 << bit)
    }

    /// Broadcast along a binomial tree, whole: from round to round twice as many have it, those next to each other
    /// in the end (`far_first`) or half of all apart (Open MPI's).
    pub(super) fn binomial(&self, bytes: f64, far_first: bool) -> f64 {
        let n = self.len();
        let steps: Vec<usize> = (0..usize::BITS).map(|bit| 1usize << bit).take_while(|&step| step < n).collect();
        let near = |step: usize| (0..step.min(n)).filter(move |v| v + step < n).map(move |v| (v, v + step, bytes));
        let far =
            |step: usize| (0..n).step_by(2 * step).filter(move |v| v + step < n).map(move |v| (v, v + step, bytes));
        match far_first {
            false => self.rounds(steps.iter().map(|&step| near(step).collect())),
            true => self.rounds(steps.iter().rev().map(|&step| far(step).collect())),
        }
    }

    /// The first sends something to each of the others.
    pub(super) fn star(&self, bytes: f64) -> f64 {
        self.rounds(std::iter::once((1..self.len()).map(|p| (0, p, bytes)).collect()))
    }

    /// Scatter of blocks down a binomial tree: when each position has its part.
    fn scattered(&self, block: f64) -> Vec<f64> {
        let n = self.len();
        let steps = (0..usize::BITS).rev().map(|bit| 1usize << bit).skip_while(move |&step| step >= n);
        let round = |step: usize| {
            let to = (0..n).step_by(2 * step).map(move |v| (v, v + step)).filter(move |&(_, to)| to < n);
            to.map(|(from, to)| (from, to, block * held(to, n).len() as f64)).collect()
        };
        self.after(vec![0.0; n], steps.map(round))
    }

    /// Scatter of blocks down a binomial tree.
    pub(super) fn scatter(&self, block: f64) -> f64 {
        self.scattered(block).into_iter().fold(0.0, f64::max)
    }

    /// Broadcast by a scatter down a binomial tree and a ring that passes on what the next one lacks.
    pub(super) fn scatter_allgather(&self, bytes: f64) -> f64 {
        let n = self.len();
        let part = bytes / n.max(1) as f64;
        let ready = self.scattered(part);
        let begin = ready.iter().copied().fold(0.0, f64::max);
        let round = |round| {
            let sends = (0..n).filter(|&p| passed(p, round, n).is_some());
            sends.map(|p| (p, (p + 1) % n, part)).collect()
        };
        let (all, some) = (n.saturating_sub(1), n.saturating_sub(1).min(ENOUGH));
        let end = self.after(ready, (0..some).map(round)).into_iter().fold(0.0, f64::max);
        // Rounds that are not simulated take as long as the others.
        end + (end - begin) * (all - some) as f64 / some.max(1) as f64
    }

    /// All-gather of blocks: what is known doubles from round to round.
    pub(super) fn doubling(&self, block: f64) -> f64 {
        self.pairs(self.powers(), |distance| distance as f64 * block)
    }

    /// All-gather of blocks by Bruck: round k from the 2^k-th after it.
    pub(super) fn bruck(&self, block: f64) -> f64 {
        let n = self.len();
        let round = |d: usize| (0..n).map(|p| (p, (p + n - d) % n, block * d.min(n - d) as f64)).collect();
        self.rounds((0..).map(|bit| 1 << bit).take_while(|&d| d < n).map(round))
    }

    /// All-gather of blocks by neighbour exchange: pairs, then alternately to both sides, two blocks each.
    pub(super) fn neighbours(&self, block: f64) -> f64 {
        let n = self.len();
        let partner =
            |p: usize, round: usize| if (p + round).is_multiple_of(2) { (p + 1) % n } else { (p + n - 1) % n };
        let bytes = |round| if round == 0 { block } else { 2.0 * block };
        self.rounds((0..n / 2).map(|round| (0..n).map(|p| (p, partner(p, round), bytes(round))).collect()))
    }

    /// All-reduce in which pairs exchange everything.
    pub(super) fn exchange_all(&self, bytes: f64) -> f64 {
        self.pairs(self.powers(), |_| bytes)
    }

    /// All-reduce by halving and doubling (Rabenseifner).
    pub(super) fn halving(&self, bytes: f64) -> f64 {
        let n = self.len().max(1) as f64;
        2.0 * self.pairs(self.powers().rev(), |distance| bytes * distance as f64 / n)
    }

    /// All-to-all of blocks: in round k to the k-th after it.
    pub(super) fn shifts(&self, block: f64) -> f64 {
        let n = self.len();
        self.rounds((1..n).map(|k| (0..n).map(|p| (p, (p + k) % n, block)).collect()))
    }

    /// All-to-all of blocks with everything sent at once.
    pub(super) fn at_once(&self, block: f64) -> f64 {
        let n = self.len();
        let all = (1..n).flat_map(|k| (0..n).map(move |p| (p, (p + k) % n, block))).collect();
        self.rounds(std::iter::once(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: f64 = 1048576.0;

    fn seats(network: &Network, round_robin: bool) -> Seats<'_> {
        let half = network.nodes / 2;
        let node = |p: usize| if round_robin { p / 2 + p % 2 * half } else { p };
        Seats { network, node: (0..network.nodes).map(node).collect() }
    }

    #[test]
    fn a_ring_takes_its_rounds_times_the_slowest_message() {
        let network = Network::new(4, vec![0.0; 16], vec![1e-6; 16]);
        let ring = Seats { network: &network, node: (0..4).collect() };
        assert!((ring.ring(3, 1000.0) - 3e-3).abs() < 1e-12);
        assert!((ring.ring(64, 1000.0) - 64e-3).abs() < 1e-9, "as many rounds as are not simulated");
        let mates = Seats { network: &network, node: vec![2; 4] };
        assert!(mates.ring(3, 1000.0) < 1e-5, "within a node nothing goes over the network");
    }

    #[test]
    fn a_scatter_and_a_ring_bring_every_port_the_message_once() {
        let network = Network::new(8, vec![0.0; 64], vec![1e-6; 64]);
        let seats = Seats { network: &network, node: (0..8).collect() };
        // Seven eighths leave the root; then seven rounds of an eighth, some of them idle.
        let seconds = seats.scatter_allgather(8000.0);
        assert!((13e-3..=14.1e-3).contains(&seconds), "{seconds}");
        assert!((seats.scatter(1000.0) - 7e-3).abs() < 1e-12);
        assert!((seats.star(1000.0) - 7e-3).abs() < 1e-12);
        assert!([true, false].iter().all(|&far| (seats.binomial(1000.0, far) - 3e-3).abs() < 1e-12));
        let one = Seats { network: &network, node: vec![3] };
        assert!(one.scatter_allgather(8.0) == 0.0 && one.scatter(8.0) == 0.0 && one.binomial(8.0, true) == 0.0);
    }

    #[test]
    fn trees_of_ranks_cross_the_trunk_as_those_of_nodes_do() {
        use super::super::tree::{Shape, placed, positions};
        let network = Network::racks(2, 4);
        for robin in [false, true] {
            let seats = seats(&network, robin);
            for (shape, far) in [(Shape::Scattered, false), (Shape::Nomial(2), true)] {
                let tree = placed(&positions(shape, 8), &seats.node);
                let nodes = network.broadcast(&tree, seats.node[0], 1 << 20, 1 << 20);
                let ranks = seats.binomial(MB, far);
                assert!((nodes / ranks - 1.0).abs() < 0.2, "{shape:?} {robin}: {nodes} {ranks}");
            }
        }
    }

    #[test]
    fn orders_by_racks_cross_the_trunk_once_a_round() {
        let network = Network::racks(2, 4);
        let (good, bad) = (seats(&network, false), seats(&network, true));
        assert!(3.5 * good.ring(7, MB) < bad.ring(7, MB), "one message against four over each trunk");
        // All of an all-to-all crosses in the end, whatever the order.
        let least = 16.0 * MB * 8e-8;
        for seats in [&good, &bad] {
            assert!(seats.shifts(MB) >= least && seats.at_once(MB) >= least);
            let once = [seats.doubling(MB), seats.bruck(MB), seats.neighbours(MB)];
            assert!(
                once.iter().all(|&seconds| seconds >= 7.0 * MB * 4e-8),
                "each port takes in seven blocks: {once:?}"
            );
            let all = [seats.exchange_all(MB), seats.halving(MB)];
            assert!(all.iter().all(|&seconds| seconds >= 14.0 / 8.0 * MB * 4e-8), "{all:?}");
        }
    }
}
