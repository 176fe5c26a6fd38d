//! The job as an undirected graph: who talks with whom, and how much both ways
//! together. Hop-bytes are symmetric in the two directions.

use super::Problem;
use crate::error::{Error, Result};

/// A neighbour and the weight of the edge to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) to: u32,
    pub(super) weight: u32,
}

/// Undirected graph; every edge stands at both its ends. No self-loops.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Graph {
    /// `first[v]..first[v + 1]` are the edges of v, by neighbour.
    first: Vec<u32>,
    edges: Vec<Edge>,
}

/// Demands with more pairs of tasks are refused: uniform blocks of that size
/// look the same from everywhere.
const MOST_PAIRS: u64 = 1 << 24;
/// Weights are scaled by a power of two so that the largest has this many bits:
/// whole numbers and halves stay exact, and sums of 2^22 edges fit 64 bits.
const WEIGHT_BITS: i32 = 23;

impl Graph {
    /// The graph between units of `unit` consecutive ranks of a problem.
    /// O(pairs log degree).
    ///
    /// # Errors
    /// The demand names too many pairs; `mapping` is who asks.
    pub(super) fn of_demand(problem: &Problem<'_>, unit: u32, mapping: &str) -> Result<Graph> {
        let demand = problem.demand();
        if demand.pairs() > MOST_PAIRS {
            let pairs = demand.pairs();
            return Err(Error::input(format!(
                "mapping `{mapping}` looks at every pair of tasks, and this traffic has {pairs}"
            ))
            .hint("use a mapping made for the pattern, such as hybrid or blocks"));
        }
        let mut rows = Rows::new(demand.tasks().div_ceil(unit) as usize);
        demand.each_pair(|from, to, _| rows.count(from / unit, to / unit));
        rows.lay();
        demand.each_pair(|from, to, amount| rows.put(from / unit, to / unit, amount));
        Ok(rows.finish())
    }

    /// From the edges of each vertex in order.
    pub(super) fn from_rows(first: Vec<u32>, edges: Vec<Edge>) -> Graph {
        Graph { first, edges }
    }

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Number of edges, each counted at both its ends.
    pub(super) fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The edges of a vertex.
    #[inline]
    pub(super) fn of(&self, v: u32) -> &[Edge] {
        &self.edges[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }

    /// Mean weight of an edge; 0 where there are none.
    pub(super) fn mean_weight(&self) -> f64 {
        let total: f64 = self.edges.iter().map(|e| f64::from(e.weight)).sum();
        if self.edges.is_empty() { 0.0 } else { total / self.edges.len() as f64 }
    }

    /// Mean weight of all edges of a vertex that has any; 0 where there are none.
    pub(super) fn mean_strength(&self) -> f64 {
        let busy = self.first.windows(2).filter(|w| w[0] < w[1]).count();
        self.mean_weight() * self.edges.len() as f64 / busy.max(1) as f64
    }

    /// The graph between groups of vertices: `group[v]` is below `groups`.
    /// O(edges log degree).
    pub(super) fn grouped(&self, group: &[u32], groups: usize) -> Graph {
        let mut rows = Rows::new(groups);
        let each = |visit: &mut dyn FnMut(u32, u32, f64)| {
            for v in 0..self.len() as u32 {
                for e in self.of(v).iter().filter(|e| e.to > v) {
                    visit(group[v as usize], group[e.to as usize], f64::from(e.weight));
                }
            }
        };
        each(&mut |a, b, _| rows.count(a, b));
        rows.lay();
        each(&mut |a, b, weight| rows.put(a, b, weight));
        rows.finish()
    }

    /// The same graph with vertex `order[i]` as vertex i. O(edges log degree).
    pub(super) fn renumbered(&self, order: &[u32]) -> Graph {
        let mut place = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(i, &v)| place[v as usize] = i as u32);
        let mut first = Vec::with_capacity(order.len() + 1);
        let mut edges = Vec::with_capacity(self.edges.len());
        first.push(0);
        for &v in order {
            let start = edges.len();
            edges.extend(self.of(v).iter().map(|e| Edge { to: place[e.to as usize], weight: e.weight }));
            edges[start..].sort_unstable_by_key(|e| e.to);
            first.push(edges.len() as u32);
        }
        Graph { first, edges }
    }
}

/// A graph in the making: amounts row by row.
struct Rows {
    first: Vec<u32>,
    next: Vec<u32>,
    cells: Vec<(u32, f32)>,
}

impl Rows {
    fn new(vertices: usize) -> Rows {
        Rows { first: vec![0; vertices + 1], next: Vec::new(), cells: Vec::new() }
    }

    fn count(&mut self, a: u32, b: u32) {
        if a != b {
            self.first[a as usize + 1] += 1;
            self.first[b as usize + 1] += 1;
        }
    }

    fn lay(&mut self) {
        (1..self.first.len()).for_each(|v| self.first[v] += self.first[v - 1]);
        self.next = self.first[..self.first.len() - 1].to_vec();
        self.cells = vec![(0, 0.0); self.first.last().map_or(0, |&n| n as usize)];
    }

    fn put(&mut self, a: u32, b: u32, amount: f64) {
        for (row, to) in [(a, b), (b, a)].into_iter().filter(|_| a != b) {
            self.cells[self.next[row as usize] as usize] = (to, amount as f32);
            self.next[row as usize] += 1;
        }
    }

    /// Adds up the amounts of each pair and scales them to whole weights.
    fn finish(mut self) -> Graph {
        let (mut kept, mut first) = (0usize, vec![0u32]);
        for v in 0..self.first.len() - 1 {
            let row = self.first[v] as usize..self.first[v + 1] as usize;
            self.cells[row.clone()].sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            let start = kept;
            for at in row {
                let (to, amount) = self.cells[at];
                if kept > start && self.cells[kept - 1].0 == to {
                    self.cells[kept - 1].1 += amount;
                } else {
                    self.cells[kept] = (to, amount);
                    kept += 1;
                }
            }
            first.push(kept as u32);
        }
        self.cells.truncate(kept);
        let most = self.cells.iter().fold(0.0f32, |most, c| most.max(c.1));
        // `most` is 0 only where no edge is there to be scaled.
        let scale = 2f64.powi(WEIGHT_BITS - f64::from(most.max(f32::MIN_POSITIVE)).log2().ceil() as i32);
        let weight = |amount: f32| ((f64::from(amount) * scale).round() as u32).max(1);
        let edges = self.cells.iter().map(|&(to, amount)| Edge { to, weight: weight(amount) }).collect();
        Graph { first, edges }
    }
}
