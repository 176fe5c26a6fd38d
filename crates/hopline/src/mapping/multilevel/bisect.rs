//! A cut of a graph into two sides of given sizes: contracted until it is small,
//! cut there from several starts, and refined on the way back.

use super::coarsen::Clusters;
use super::refine::{Cut, Refiner};
use crate::rng::Rng;

/// Graphs of so few vertices are cut as they are.
const SMALL: usize = 60;
const STARTS: usize = 8;

/// The side of every vertex; exactly `wanted` tasks are on side 0. The vertices
/// must be single tasks. Other edges contracted lead to another cut: of `tries` the best is taken. O(edges log vertices) each,
/// more or less.
pub(super) fn bisect(graph: &Clusters, wanted: u32, tries: usize, rng: &mut Rng, refiner: &mut Refiner) -> Vec<u8> {
    let cuts = (0..tries).map(|_| contracted_cut(graph, wanted, rng, refiner));
    cuts.min_by_key(|cut| cut.cost).map_or_else(Vec::new, |cut| cut.side)
}

/// A cut of what is left after contraction, refined on the way back.
fn contracted_cut(graph: &Clusters, wanted: u32, rng: &mut Rng, refiner: &mut Refiner) -> Cut {
    let most = (graph.len() / (SMALL / 3)).max(1) as u32;
    let mut levels: Vec<(Clusters, Vec<u32>)> = Vec::new();
    loop {
        let last = levels.last().map_or(graph, |l| &l.0);
        if last.len() <= SMALL {
            break;
        }
        let (small, into) = last.contract(most, |_, _| true, rng);
        if small.len() * 20 > last.len() * 19 {
            break;
        }
        levels.push((small, into));
    }
    let slack =
        |g: &Clusters| if g.len() == graph.len() { 0 } else { i64::from(g.size.iter().copied().max().unwrap_or(1)) };
    let smallest = levels.last().map_or(graph, |l| &l.0);
    let mut cut = grow(smallest, wanted, slack(smallest), rng, refiner);
    for i in (0..levels.len()).rev() {
        let larger = if i == 0 { graph } else { &levels[i - 1].0 };
        let side = levels[i].1.iter().map(|&v| cut.side[v as usize]).collect();
        cut = Cut { side, ..cut };
        refiner.refine(larger, &mut cut, slack(larger));
    }
    settle(graph, &mut cut);
    cut
}

/// The best of several cuts, each grown from one vertex and refined.
fn grow(graph: &Clusters, wanted: u32, slack: i64, rng: &mut Rng, refiner: &mut Refiner) -> Cut {
    let starts = STARTS.min(graph.len());
    let pulled = (0..graph.len()).max_by_key(|&v| graph.bias[v]).unwrap_or(0);
    let mut best: Option<Cut> = None;
    for start in 0..starts {
        let seed = if start == 0 { pulled } else { rng.below(graph.len() as u64) as usize };
        let mut cut = Cut::new(graph, grown(graph, wanted, seed as u32), wanted);
        refiner.refine(graph, &mut cut, slack);
        if best.as_ref().is_none_or(|b| cut.rank(slack) < b.rank(slack)) {
            best = Some(cut);
        }
    }
    best.unwrap_or_else(|| Cut::new(graph, vec![0; graph.len()], wanted))
}

/// Side 0 grown from a vertex: always the vertex that costs least to take.
/// O(vertices^2): for small graphs only.
fn grown(graph: &Clusters, wanted: u32, seed: u32) -> Vec<u8> {
    let mut side = vec![1u8; graph.len()];
    // Gain of taking each vertex.
    let mut gain: Vec<i64> = (0..graph.len())
        .map(|v| graph.bias[v] - graph.of(v as u32).iter().map(|e| i64::from(e.weight)).sum::<i64>())
        .collect();
    let (mut taken, mut next) = (0, Some(seed));
    while let Some(v) = next {
        let size = graph.size[v as usize];
        // The last vertex is taken where that comes nearer to the size wanted.
        if taken + size / 2 > wanted || taken >= wanted {
            break;
        }
        side[v as usize] = 0;
        taken += size;
        graph.of(v).iter().for_each(|e| gain[e.to as usize] += 2 * i64::from(e.weight));
        next = (0..graph.len() as u32)
            .filter(|&v| side[v as usize] == 1)
            .max_by_key(|&v| (gain[v as usize], std::cmp::Reverse(v)));
    }
    side
}

/// Moves the cheapest single tasks until the sizes are exact.
fn settle(graph: &Clusters, cut: &mut Cut) {
    while cut.excess != 0 {
        let from = u8::from(cut.excess < 0);
        let gain = |v: usize| {
            let edges = graph.of(v as u32).iter();
            let cut_now: i64 = edges
                .map(|e| if cut.side[e.to as usize] == from { -i64::from(e.weight) } else { i64::from(e.weight) })
                .sum();
            cut_now + if from == 0 { -graph.bias[v] } else { graph.bias[v] }
        };
        let Some(v) = (0..graph.len()).filter(|&v| cut.side[v] == from).max_by_key(|&v| gain(v)) else { return };
        cut.cost -= gain(v);
        cut.side[v] = 1 - from;
        cut.excess += if from == 0 { -1 } else { 1 };
    }
}
