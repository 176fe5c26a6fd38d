//! Orders of the ranks that make an algorithm fast: which rank takes which place of its steps.

use crate::algorithm::Algorithm;
use crate::operation::Operation;
use crate::routed::{Routed, Routes};
use crate::step::Step;
use hopline::error::Result;
use hopline::rng::Rng;

/// An order, and what the algorithm takes in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ordered {
    /// The rank at each place.
    pub ranks: Vec<u32>,
    /// What it takes.
    pub routed: Routed,
}

/// The algorithm with ranks at other places.
pub(crate) fn placed(algorithm: &Algorithm, ranks: &[u32]) -> Algorithm {
    let at = |place: u32| ranks[place as usize];
    let step = |step: &Step| {
        let sends = step.sends.iter().map(|&(from, to, amount)| (at(from), at(to), amount)).collect();
        Step { sends, ..step.clone() }
    };
    Algorithm { name: algorithm.name, steps: algorithm.steps.iter().map(step).collect() }
}

/// A good order for an algorithm, by the busiest link of its steps: the order of the ranks, that of their places in the fabric,
/// then so many changes of the better one (exchanges of two ranks and reversals of a run), kept where they are no worse.
/// O(changes x messages x links of a route).
///
/// # Errors
/// There is no way between two ranks.
pub fn optimised(
    routes: &mut Routes<'_>,
    algorithm: &Algorithm,
    operation: Operation,
    root: u32,
    changes: u64,
    seed: u64,
) -> Result<Ordered> {
    let n = routes.ranks();
    let default = Ordered { ranks: (0..n).collect(), routed: routes.time(algorithm)? };
    let mut near = routes.by_place();
    if let (true, Some(at)) = (operation.has_root(), near.iter().position(|&rank| rank == root)) {
        // The root's place is that of its number; the others keep their order.
        near.remove(at);
        near.insert(root as usize, root);
    }
    let mut best = match routes.time(&placed(algorithm, &near))? {
        routed if routed.is_better(&default.routed) => Ordered { ranks: near, routed },
        _ => default,
    };
    let places: Vec<u32> = (0..n).filter(|&place| !operation.has_root() || place != root).collect();
    if places.len() < 2 {
        return Ok(best);
    }
    let mut rng = Rng::new(seed, algorithm.name);
    let mut any = || places[rng.below(places.len() as u64) as usize] as usize;
    for change in 0..changes {
        let (a, b) = (any(), any());
        let mut ranks = best.ranks.clone();
        let run = a.min(b)..=a.max(b);
        let keeps_root = !operation.has_root() || !run.contains(&(root as usize));
        if change % 2 == 1 && keeps_root {
            ranks[run].reverse()
        } else {
            ranks.swap(a, b)
        }
        let routed = routes.time(&placed(algorithm, &ranks))?;
        if !best.routed.is_better(&routed) {
            best = Ordered { ranks, routed };
        }
    }
    Ok(best)
}
