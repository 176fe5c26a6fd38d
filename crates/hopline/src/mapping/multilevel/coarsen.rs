//! Graphs of clusters: heavy edges are contracted level by level, so that a cut
//! of the small graph is a cut of the large one.

use super::super::graph::{Edge, Graph};
use crate::rng::Rng;

/// Weights lose these bits in clusters, so that sums of edges fit 32.
const DROPPED: u32 = 10;

/// The weight of an edge of the job in clusters.
pub(super) fn light(weight: u32) -> u32 {
    (weight >> DROPPED).max(1)
}

/// A part of the job with what pulls its vertices to either side of a cut.
#[derive(Debug, Clone, Default)]
pub(super) struct Clusters {
    /// `first[v]..first[v + 1]` are the edges of v.
    pub(super) first: Vec<u32>,
    pub(super) edges: Vec<Edge>,
    /// Tasks in each vertex.
    pub(super) size: Vec<u32>,
    /// What it costs more, in weight, to have a vertex on side 1 than on side 0.
    pub(super) bias: Vec<i64>,
}

impl Clusters {
    /// Every task on its own, without bias.
    pub(super) fn singles(graph: &Graph) -> Clusters {
        let tasks = 0..graph.len() as u32;
        let mut all =
            Clusters { first: vec![0], size: vec![1; graph.len()], bias: vec![0; graph.len()], edges: Vec::new() };
        for task in tasks {
            all.edges.extend(graph.of(task).iter().map(|e| Edge { to: e.to, weight: light(e.weight) }));
            all.first.push(all.edges.len() as u32);
        }
        all
    }

    /// Mean weight of an edge.
    pub(super) fn mean_weight(&self) -> f64 {
        self.edges.iter().map(|e| f64::from(e.weight)).sum::<f64>() / self.edges.len().max(1) as f64
    }

    pub(super) fn len(&self) -> usize {
        self.size.len()
    }

    pub(super) fn of(&self, v: u32) -> &[Edge] {
        &self.edges[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }

    /// Contracts a matching of heavy edges between light vertices: the smaller
    /// graph and the vertex of it that each vertex went into. O(edges).
    pub(super) fn contract(
        &self,
        most: u32,
        together: impl Fn(u32, u32) -> bool,
        rng: &mut Rng,
    ) -> (Clusters, Vec<u32>) {
        let partner = self.matching(most, together, rng);
        let mut into = vec![u32::MAX; self.len()];
        let mut members: Vec<(u32, u32)> = Vec::with_capacity(self.len() / 2 + 1);
        for v in 0..self.len() as u32 {
            let other = partner[v as usize];
            if v <= other {
                into[v as usize] = members.len() as u32;
                into[other as usize] = members.len() as u32;
                members.push((v, other));
            }
        }
        let mut small = Clusters { first: vec![0], ..Clusters::default() };
        small.edges.reserve(self.edges.len());
        // Where the edge to each vertex of the small graph stands in the row at hand.
        let mut at = vec![u32::MAX; members.len()];
        for (own, &(a, b)) in members.iter().enumerate() {
            let start = small.edges.len();
            let both = [a, b];
            let ends = if a == b { &both[..1] } else { &both[..] };
            for edge in ends.iter().flat_map(|&v| self.of(v)) {
                let to = into[edge.to as usize];
                if to as usize == own {
                    continue;
                }
                match at[to as usize] {
                    place if place != u32::MAX && place as usize >= start => {
                        let kept = &mut small.edges[place as usize];
                        kept.weight = kept.weight.saturating_add(edge.weight);
                    }
                    _ => {
                        at[to as usize] = small.edges.len() as u32;
                        small.edges.push(Edge { to, weight: edge.weight });
                    }
                }
            }
            small.size.push(ends.iter().map(|&v| self.size[v as usize]).sum());
            small.bias.push(ends.iter().map(|&v| self.bias[v as usize]).sum());
            small.first.push(small.edges.len() as u32);
        }
        (small, into)
    }

    /// The partner of every vertex, itself where it has none: in random order each
    /// takes the free neighbour with the heaviest edge for its size.
    fn matching(&self, most: u32, together: impl Fn(u32, u32) -> bool, rng: &mut Rng) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        rng.shuffle(&mut order);
        let mut partner = vec![u32::MAX; self.len()];
        for &v in &order {
            if partner[v as usize] != u32::MAX {
                continue;
            }
            let own = self.size[v as usize];
            let mut best = (0.0, v);
            for edge in self.of(v) {
                let size = self.size[edge.to as usize];
                if partner[edge.to as usize] == u32::MAX && own + size <= most && together(v, edge.to) {
                    let rating = f64::from(edge.weight) / f64::from(size);
                    if rating > best.0 {
                        best = (rating, edge.to);
                    }
                }
            }
            partner[v as usize] = best.1;
            partner[best.1 as usize] = v;
        }
        partner
    }
}
