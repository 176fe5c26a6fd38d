//! The calls of a stream one after the other, unfolded.

use super::{Node, Stream};

/// A call at one time: its shape and the nanoseconds before it, the mean over all times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) shape: u32,
    pub(super) gap: u64,
}

/// A body that is being played.
struct Body<'a> {
    nodes: &'a [Node],
    at: usize,
    left: u64,
    /// How often its calls are played in all.
    times: u64,
}

/// Plays the calls of a stream.
pub(super) struct Play<'a>(Vec<Body<'a>>);

impl<'a> Play<'a> {
    pub(super) fn new(stream: &'a Stream) -> Self {
        Play(vec![Body { nodes: &stream.calls, at: 0, left: 1, times: 1 }])
    }
}

impl Iterator for Play<'_> {
    type Item = Played;

    fn next(&mut self) -> Option<Played> {
        loop {
            let body = self.0.last_mut()?;
            match body.nodes.get(body.at) {
                Some(Node::Call { shape, time }) => {
                    body.at += 1;
                    return Some(Played { shape: *shape, gap: time.gap / body.times.max(1) });
                }
                Some(Node::Loop { times, body: nodes }) => {
                    body.at += 1;
                    let all = body.times.saturating_mul(*times);
                    if !nodes.is_empty() && *times > 0 {
                        self.0.push(Body { nodes, at: 0, left: *times, times: all });
                    }
                }
                None if body.left > 1 => (body.at, body.left) = (0, body.left - 1),
                None => drop(self.0.pop()),
            }
        }
    }
}

/// How many calls a stream unfolds to.
pub(super) fn length(nodes: &[Node]) -> u64 {
    nodes.iter().fold(0u64, |sum, node| match node {
        Node::Call { .. } => sum.saturating_add(1),
        Node::Loop { times, body } => sum.saturating_add(times.saturating_mul(length(body))),
    })
}
