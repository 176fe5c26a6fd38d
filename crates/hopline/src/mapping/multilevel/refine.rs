//! Refinement of a cut by single moves with hill climbing. Fiduccia and
//! Mattheyses, "A linear-time heuristic for improving network partitions", 1982.

use super::coarsen::Clusters;
use std::collections::BinaryHeap;

/// A cut of a graph in two.
#[derive(Debug, Clone)]
pub(super) struct Cut {
    /// 0 or 1 by vertex.
    pub(super) side: Vec<u8>,
    /// Weight of cut edges and the bias of what lies on side 1.
    pub(super) cost: i64,
    /// Tasks on side 0 beyond those wanted there; negative where too few.
    pub(super) excess: i64,
}

impl Cut {
    /// The cut that `side` is, where `wanted` tasks should be on side 0. O(edges).
    pub(super) fn new(graph: &Clusters, side: Vec<u8>, wanted: u32) -> Cut {
        let (mut twice, mut bias, mut excess) = (0, 0, -i64::from(wanted));
        for v in 0..graph.len() {
            if side[v] == 0 {
                excess += i64::from(graph.size[v]);
            } else {
                bias += graph.bias[v];
            }
            let across = graph.of(v as u32).iter().filter(|e| side[e.to as usize] != side[v]);
            twice += across.map(|e| i64::from(e.weight)).sum::<i64>();
        }
        Cut { side, cost: twice / 2 + bias, excess }
    }

    /// What counts, smaller is better: tasks too many on a side beyond `slack`, then cost.
    pub(super) fn rank(&self, slack: i64) -> (i64, i64) {
        ((self.excess.abs() - slack).max(0), self.cost)
    }
}

/// Moves without a new best after which a pass ends, and passes at most.
const PATIENCE: usize = 60;
const PASSES: usize = 8;

/// Working space of refinement, kept between cuts.
#[derive(Default)]
pub(super) struct Refiner {
    gain: Vec<i64>,
    locked: Vec<bool>,
    queues: [BinaryHeap<(i64, u32)>; 2],
    moved: Vec<u32>,
}

impl Refiner {
    /// Improves a cut until a pass finds nothing; on return at most `slack` tasks
    /// are on the wrong side, if moves can reach that.
    /// O(passes * moved edges * log vertices).
    pub(super) fn refine(&mut self, graph: &Clusters, cut: &mut Cut, slack: i64) {
        for _ in 0..PASSES {
            let before = cut.rank(slack);
            self.pass(graph, cut, slack);
            if cut.rank(slack) >= before {
                return;
            }
        }
    }

    /// Moves every vertex at most once, the best move first, and takes back what
    /// came after the best state.
    fn pass(&mut self, graph: &Clusters, cut: &mut Cut, slack: i64) {
        self.start(graph, cut);
        // While moving, one task more than the slack may be on a side.
        let room = slack.max(graph.size.iter().copied().max().map_or(1, i64::from));
        let mut best = (cut.rank(slack), 0);
        while let Some(v) = self.next(graph, cut, slack, room) {
            self.flip(graph, cut, v);
            self.locked[v as usize] = true;
            self.moved.push(v);
            let rank = cut.rank(slack);
            if rank < best.0 {
                best = (rank, self.moved.len());
            } else if self.moved.len() > best.1 + PATIENCE + graph.len() / 50 {
                break;
            }
        }
        for i in (best.1..self.moved.len()).rev() {
            self.flip(graph, cut, self.moved[i]);
        }
    }

    /// Gains of all vertices; those at the border, or pulled over, are queued.
    fn start(&mut self, graph: &Clusters, cut: &Cut) {
        self.gain.clear();
        self.locked.clear();
        self.locked.resize(graph.len(), false);
        self.moved.clear();
        self.queues.iter_mut().for_each(BinaryHeap::clear);
        for v in 0..graph.len() {
            let side = cut.side[v];
            let mut gain = if side == 0 { -graph.bias[v] } else { graph.bias[v] };
            let mut border = gain > 0 || graph.len() < 100 || cut.excess != 0;
            for e in graph.of(v as u32) {
                let across = cut.side[e.to as usize] != side;
                border |= across;
                gain += if across { i64::from(e.weight) } else { -i64::from(e.weight) };
            }
            self.gain.push(gain);
            if border {
                self.queues[side as usize].push((gain, v as u32));
            }
        }
    }

    /// The best vertex to move: from the side that has too many, else from either.
    fn next(&mut self, graph: &Clusters, cut: &Cut, slack: i64, room: i64) -> Option<u32> {
        let sides: &[usize] = match cut.excess {
            e if e > slack => &[0],
            e if e < -slack => &[1],
            _ => &[0, 1],
        };
        let mut best: Option<(i64, u32)> = None;
        for &side in sides {
            while let Some(&(gain, v)) = self.queues[side].peek() {
                let stale =
                    self.locked[v as usize] || gain != self.gain[v as usize] || cut.side[v as usize] as usize != side;
                let size = i64::from(graph.size[v as usize]);
                let after = cut.excess + if side == 0 { -size } else { size };
                // A vertex too large for the room would only swing back and forth.
                if stale || (after.abs() > room && after.abs() >= cut.excess.abs()) {
                    self.queues[side].pop();
                    continue;
                }
                if best.is_none_or(|b| gain > b.0) {
                    best = Some((gain, v));
                }
                break;
            }
        }
        best.map(|b| b.1)
    }

    /// Moves a vertex to the other side and queues its neighbours anew.
    fn flip(&mut self, graph: &Clusters, cut: &mut Cut, v: u32) {
        let from = cut.side[v as usize];
        let size = i64::from(graph.size[v as usize]);
        cut.side[v as usize] = 1 - from;
        cut.excess += if from == 0 { -size } else { size };
        cut.cost -= self.gain[v as usize];
        self.gain[v as usize] = -self.gain[v as usize];
        for e in graph.of(v) {
            let to = e.to as usize;
            let change = 2 * i64::from(e.weight);
            self.gain[to] += if cut.side[to] == from { change } else { -change };
            if !self.locked[to] {
                self.queues[cut.side[to] as usize].push((self.gain[to], e.to));
            }
        }
    }
}
