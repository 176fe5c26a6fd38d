//! Nonlinear mappings of permutations: cycles laid along a path through all
//! nodes in which each is a neighbour of the one before.
//!
//! Two tasks that exchange messages are a cycle of length 2: on neighbouring
//! nodes they use one link each way, so every involution (matrix transpose, digit
//! reversal) reaches T = 1. A longer cycle uses the links along its stretch of
//! the path once and comes home by one long message; which cycle lies where
//! decides whether those messages meet.

use super::link_loads::LinkLoads;
use super::partners::Partners;
use crate::error::Result;
use crate::id::VertexId;
use crate::rng::Rng;
use crate::routing::Routing;

/// Numbers of the nodes of a torus, dimension 0 fastest, in an order in which
/// consecutive nodes are neighbours; of a mesh where `wraps` is false. On a torus where each extent
/// divides the next, the last is also a neighbour of the first (the modular Gray code); else the way
/// goes back and forth (the reflected one). O(nodes * dimensions).
pub fn gray_code(extents: &[u32], wraps: bool) -> Vec<u32> {
    let modular = wraps && extents.windows(2).all(|w| w[1].is_multiple_of(w[0]));
    let nodes: u32 = extents.iter().product();
    let node = |mut at: u32| {
        let (mut node, mut stride) = (0, 1);
        for &k in extents {
            let digit = at % k;
            at /= k;
            let place = if modular {
                (digit + k - at % k) % k
            } else if at.is_multiple_of(2) {
                digit
            } else {
                k - 1 - digit
            };
            node += place * stride;
            stride *= k;
        }
        node
    };
    (0..nodes).map(node).collect()
}

/// Ways to lay a cycle on a stretch of the path.
#[derive(Clone, Copy)]
enum Shape {
    /// Step by step, then one message home.
    Ahead,
    /// The same from the other end.
    Back,
    /// Every second node on the way out, the others on the way home.
    Folded,
}

impl Shape {
    /// Where on a stretch of `length` nodes the element number `e` of the cycle sits.
    fn offset(self, e: usize, length: usize) -> usize {
        match self {
            Shape::Ahead => e,
            Shape::Back => length - 1 - e,
            Shape::Folded if 2 * e < length => 2 * e,
            Shape::Folded => 2 * (length - e) - 1,
        }
    }
}

/// The node of every task and the largest load, for a permutation whose cycles
/// are laid along `path`. Orders of the cycles are tried until no link carries
/// two messages; the best is kept. `None` where partners are no permutation.
/// O(tries * tasks * links of a route).
///
/// # Errors
/// Two nodes have no way between them.
pub(super) fn lay(
    partners: &Partners,
    path: &[VertexId],
    routing: &dyn Routing,
    rng: &mut Rng,
) -> Result<Option<(Vec<VertexId>, f64)>> {
    let Some(cycles) = partners.cycles() else { return Ok(None) };
    let tries = ((1 << 17) / path.len().max(1)).clamp(2, 64);
    let mut best: Option<(Vec<VertexId>, f64)> = None;
    for round in 0..tries {
        let mut line =
            Line { partners, path, link_loads: LinkLoads::new(routing), at: vec![path[0]; path.len()], start: 0 };
        line.fill(&cycles, round, rng)?;
        let peak = line.link_loads.peak();
        if best.as_ref().is_none_or(|b| peak < b.1) {
            best = Some((line.at, peak));
        }
        if peak <= 1.0 {
            break;
        }
    }
    Ok(best)
}

/// The path, filled from its start.
struct Line<'a> {
    partners: &'a Partners,
    path: &'a [VertexId],
    link_loads: LinkLoads<'a>,
    /// Node of every task.
    at: Vec<VertexId>,
    start: usize,
}

impl Line<'_> {
    /// Lays all cycles. Of the lengths that are left the first that fits without
    /// sharing a link is taken, of equals the longest in the first round and a
    /// random one later; where none fits, a task that talks to itself, and else
    /// the one that shares least.
    fn fill(&mut self, cycles: &[Vec<u32>], round: usize, rng: &mut Rng) -> Result<()> {
        let mut left: Vec<Vec<&Vec<u32>>> = Vec::new();
        for cycle in cycles {
            match left.last_mut() {
                Some(same) if same[0].len() == cycle.len() => same.push(cycle),
                _ => left.push(vec![cycle]),
            }
        }
        while !left.is_empty() {
            // Fixed points, the shortest, stay last.
            let long = left.len() - usize::from(left.last().is_some_and(|l| l[0].len() == 1));
            if round > 0 {
                rng.shuffle(&mut left[..long]);
            }
            let (mut chosen, mut least) = (0, f64::INFINITY);
            let mut shape = Shape::Ahead;
            for (i, same) in left.iter().enumerate() {
                for way in [Shape::Ahead, Shape::Back, Shape::Folded] {
                    let most = self.lay(same[0], way)?;
                    if most < least {
                        (chosen, shape, least) = (i, way, most);
                    }
                    self.lift(same[0])?;
                }
                if least <= 1.0 {
                    break;
                }
            }
            if let Some(cycle) = left[chosen].pop() {
                self.lay(cycle, shape)?;
                self.start += cycle.len();
            }
            left.retain(|same| !same.is_empty());
        }
        Ok(())
    }

    /// Puts a cycle at the start of what is free; answers the largest load of
    /// the links that it uses.
    fn lay(&mut self, cycle: &[u32], shape: Shape) -> Result<f64> {
        for (e, &task) in cycle.iter().enumerate() {
            self.at[task as usize] = self.path[self.start + shape.offset(e, cycle.len())];
        }
        self.send(cycle, 1.0)
    }

    /// Takes it away again.
    fn lift(&mut self, cycle: &[u32]) -> Result<f64> {
        self.send(cycle, -1.0)
    }

    fn send(&mut self, cycle: &[u32], amount: f64) -> Result<f64> {
        let mut most = 0.0f64;
        for &task in cycle {
            let (from, to) = self.partners.message(task);
            most = most.max(self.link_loads.add(self.at[from as usize], self.at[to as usize], amount)?);
        }
        Ok(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_nodes_are_neighbours() {
        for extents in [vec![4, 4, 4, 4], vec![2; 5], vec![3, 6, 12], vec![5, 4, 3], vec![1, 7], vec![9], vec![4, 6]] {
            for wraps in [true, false] {
                let code = gray_code(&extents, wraps);
                let mut sorted = code.clone();
                sorted.sort_unstable();
                assert!(sorted.iter().enumerate().all(|(i, &x)| i == x as usize), "{extents:?}");
                let cyclic = wraps && extents.windows(2).all(|w| w[1] % w[0] == 0);
                let next = code.iter().skip(1).chain(cyclic.then_some(&code[0]));
                for (&a, &b) in code.iter().zip(next) {
                    let (mut a, mut b, mut steps) = (a, b, 0);
                    for &k in &extents {
                        let d = (a % k).abs_diff(b % k);
                        steps += if wraps { d.min(k - d) } else { d };
                        (a, b) = (a / k, b / k);
                    }
                    assert_eq!(steps, u32::from(code.len() > 1), "{extents:?}");
                }
            }
        }
    }

    #[test]
    fn shapes_fill_their_stretch() {
        for length in 1..8 {
            for shape in [Shape::Ahead, Shape::Back, Shape::Folded] {
                let mut taken: Vec<usize> = (0..length).map(|e| shape.offset(e, length)).collect();
                taken.sort_unstable();
                assert_eq!(taken, (0..length).collect::<Vec<_>>());
            }
        }
    }
}
