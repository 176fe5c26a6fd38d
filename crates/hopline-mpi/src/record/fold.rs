//! Folds what repeats while it is recorded: `a b b b a b b b` becomes `2 x (a, 3 x b)`.
//!
//! The tail of the stream is compared with what stands before it (as the
//! regular section descriptors of ScalaTrace: Noeth et al., "ScalaTrace: Scalable
//! compression and replay of communication traces for HPC", JPDC 2009, section 3).
//! Hashes of all prefixes make a comparison of two stretches one subtraction, and
//! chains of equal nodes name the few stretches worth comparing, so an event costs
//! O(1) but for what is folded away.

use super::encode::{Fx, put};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Earlier nodes equal to the last one that are tried as the end of a repetition.
const TRIES: usize = 8;
/// Multiplier of the prefix hashes: odd, so no step loses bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Nanoseconds before and inside calls, summed over all times a node was played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Time {
    /// Since the last call ended.
    pub(crate) gap: u64,
    /// In the call.
    pub(crate) inside: u64,
}

/// An event or a loop of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// The shape of a call, by number.
    Event { shape: u32, time: Time },
    /// A body that was played so often.
    Loop { times: u64, body: Vec<Node> },
}

impl Node {
    fn hash(&self) -> u64 {
        let mix = |h: u64| (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31);
        match self {
            Node::Event { shape, .. } => mix(u64::from(*shape) + 1).wrapping_mul(BASE) | 1,
            Node::Loop { times, body } => mix(body.iter().fold(*times, |h, n| h.wrapping_mul(BASE) ^ n.hash())),
        }
    }

    /// Equal but for the times.
    fn is_like(&self, other: &Node) -> bool {
        match (self, other) {
            (Node::Event { shape: a, .. }, Node::Event { shape: b, .. }) => a == b,
            (Node::Loop { times: n, body: a }, Node::Loop { times: m, body: b }) => n == m && alike(a, b),
            _ => false,
        }
    }

    fn add_times_of(&mut self, other: &Node) {
        match (self, other) {
            (Node::Event { time, .. }, Node::Event { time: more, .. }) => {
                time.gap = time.gap.saturating_add(more.gap);
                time.inside = time.inside.saturating_add(more.inside);
            }
            (Node::Loop { body, .. }, Node::Loop { body: more, .. }) => add_times(body, more),
            _ => {}
        }
    }

    /// Appends the node: `0 shape gap inside`, or `times length` and the body.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Node::Event { shape, time } => {
                [0, u64::from(*shape), time.gap, time.inside].into_iter().for_each(|word| put(out, word));
            }
            Node::Loop { times, body } => {
                put(out, *times);
                put(out, body.len() as u64);
                body.iter().for_each(|node| node.write(out));
            }
        }
    }
}

fn alike(a: &[Node], b: &[Node]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_like(b))
}

fn add_times(to: &mut [Node], from: &[Node]) {
    to.iter_mut().zip(from).for_each(|(to, from)| to.add_times_of(from));
}

/// The part of a stream that can still be folded.
pub(crate) struct Fold {
    nodes: Vec<Node>,
    /// Hash of each node.
    hashes: Vec<u64>,
    /// Hash of all nodes before each place; one more than nodes.
    prefix: Vec<u64>,
    /// The node before that has the same hash, or `NONE`.
    before: Vec<u32>,
    /// The last node of each hash.
    last: HashMap<u64, u32, BuildHasherDefault<Fx>>,
    /// Where loops stand, in order.
    loops: Vec<u32>,
    /// `BASE` to the power of the index.
    powers: Vec<u64>,
}

const NONE: u32 = u32::MAX;

impl Fold {
    /// Room for `most` nodes.
    pub(crate) fn new(most: usize) -> Self {
        let powers = std::iter::successors(Some(1u64), |p| Some(p.wrapping_mul(BASE))).take(most + 2).collect();
        Fold {
            nodes: Vec::new(),
            hashes: Vec::new(),
            prefix: vec![0],
            before: Vec::new(),
            last: HashMap::default(),
            loops: Vec::new(),
            powers,
        }
    }

    /// What is there, folded.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// True where half of the nodes should be [taken](Fold::take).
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() + 2 >= self.powers.len()
    }

    /// Adds a call and folds what it completes. O(1) amortised over what is folded.
    pub(crate) fn push(&mut self, shape: u32, time: Time) {
        self.append(Node::Event { shape, time });
        while self.extend_loop() || self.begin_loop() {}
    }

    /// Removes the first `count` nodes; what is left goes on being folded. O(nodes).
    pub(crate) fn take(&mut self, count: usize) -> Vec<Node> {
        let rest = self.nodes.split_off(count.min(self.nodes.len()));
        let taken = std::mem::take(&mut self.nodes);
        self.hashes.clear();
        self.prefix.truncate(1);
        self.before.clear();
        self.last.clear();
        self.loops.clear();
        rest.into_iter().for_each(|node| self.append(node));
        taken
    }

    fn append(&mut self, node: Node) {
        let (at, hash) = (self.nodes.len() as u32, node.hash());
        if matches!(node, Node::Loop { .. }) {
            self.loops.push(at);
        }
        self.prefix.push(self.prefix[at as usize].wrapping_mul(BASE).wrapping_add(hash));
        self.before.push(self.last.insert(hash, at).unwrap_or(NONE));
        self.hashes.push(hash);
        self.nodes.push(node);
    }

    fn pop(&mut self) -> Option<Node> {
        let node = self.nodes.pop()?;
        let hash = self.hashes.pop()?;
        self.prefix.pop();
        match self.before.pop() {
            Some(NONE) | None => drop(self.last.remove(&hash)),
            Some(before) => drop(self.last.insert(hash, before)),
        }
        if matches!(node, Node::Loop { .. }) {
            self.loops.pop();
        }
        Some(node)
    }

    /// The last `length` nodes, taken off, in order.
    fn pop_tail(&mut self, length: usize) -> Vec<Node> {
        let mut tail: Vec<Node> = (0..length).filter_map(|_| self.pop()).collect();
        tail.reverse();
        tail
    }

    /// The tail is one more play of a loop right before it.
    fn extend_loop(&mut self) -> bool {
        let end = self.nodes.len();
        let fits = |&&at: &&u32| match &self.nodes[at as usize] {
            Node::Loop { body, .. } => {
                at as usize + 1 + body.len() == end && alike(body, &self.nodes[at as usize + 1..])
            }
            Node::Event { .. } => false,
        };
        let Some(&at) = self.loops.iter().rev().take(TRIES).find(fits) else { return false };
        let (before, tail) = self.nodes.split_at_mut(at as usize + 1);
        if let Some(Node::Loop { times, body }) = before.last_mut() {
            *times += 1;
            add_times(body, tail);
        }
        while self.nodes.len() > at as usize + 1 {
            self.pop();
        }
        // Its hash is another now.
        self.pop().map(|node| self.append(node)).is_some()
    }

    /// The tail is the same as what stands right before it.
    fn begin_loop(&mut self) -> bool {
        let end = self.nodes.len();
        let mut at = self.before.last().copied().unwrap_or(NONE);
        for _ in 0..TRIES {
            if at == NONE {
                return false;
            }
            let length = end - 1 - at as usize;
            if 2 * length > end {
                return false;
            }
            let (start, middle) = (end - 2 * length, end - length);
            if self.stretch(start, middle) == self.stretch(middle, end)
                && alike(&self.nodes[start..middle], &self.nodes[middle..])
            {
                let again = self.pop_tail(length);
                let mut body = self.pop_tail(length);
                add_times(&mut body, &again);
                self.append(Node::Loop { times: 2, body });
                return true;
            }
            at = self.before[at as usize];
        }
        false
    }

    /// Hash of the nodes from `start` to `end`.
    fn stretch(&self, start: usize, end: usize) -> u64 {
        self.prefix[end].wrapping_sub(self.prefix[start].wrapping_mul(self.powers[end - start]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(shapes: impl IntoIterator<Item = u32>) -> Fold {
        let mut fold = Fold::new(1000);
        shapes.into_iter().for_each(|s| fold.push(s, Time { gap: 2, inside: 1 }));
        fold
    }

    /// What a stretch of nodes plays, and the sum of its gaps.
    fn unfold(nodes: &[Node], shapes: &mut Vec<u32>) -> u64 {
        nodes.iter().fold(0, |sum, node| match node {
            Node::Event { shape, time } => {
                shapes.push(*shape);
                sum + time.gap
            }
            Node::Loop { times, body } => {
                let mut gap = 0;
                (0..*times).for_each(|_| gap = unfold(body, shapes));
                sum + gap
            }
        })
    }

    #[test]
    fn nested_loops_fold_to_a_few_nodes() {
        let step = || [1, 2, 2, 2, 3].into_iter().cycle().take(25).chain([4]);
        let folded = fold((0..40).flat_map(|_| step()));
        assert_eq!(folded.nodes().len(), 1, "{:?}", folded.nodes());
        let mut bytes = Vec::new();
        folded.nodes()[0].write(&mut bytes);
        assert!(bytes.len() < 40, "{} bytes", bytes.len());
    }

    #[test]
    fn what_was_folded_unfolds_to_the_same() {
        let mut state = 1u64;
        for alphabet in 1..6 {
            // Runs of a random walk: much repeats, at many lengths.
            let shapes: Vec<u32> = (0..900)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    ((state >> 33) % alphabet) as u32
                })
                .collect();
            let mut folded = fold(shapes.iter().copied());
            let mut played = Vec::new();
            assert_eq!(unfold(folded.nodes(), &mut played), 1800, "every gap is counted once");
            assert_eq!(played, shapes);
            let half = folded.nodes().len() / 2;
            let (mut parts, taken) = (Vec::new(), folded.take(half));
            unfold(&taken, &mut parts);
            unfold(folded.nodes(), &mut parts);
            assert_eq!(parts, shapes, "taking a part loses nothing");
        }
    }
}
