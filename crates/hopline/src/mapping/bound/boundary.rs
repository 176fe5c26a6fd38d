//! How much must go between parts that hold few tasks each.
//!
//! The *boundary* of a set of k tasks is what they exchange with the other n - k
//! tasks, both ways together. What goes between parts is half the sum of their
//! boundaries, so with b(k) a lower bound on the boundary it is at least
//! n / 2 x the least b(k) / k over all k that a part can hold. Known b:
//!
//! - *Any job.* A task keeps at most its k - 1 heaviest peers in its part.
//! - *Halo on a P x Q grid*, all edges alike: s min(ceil(2 sqrt k),
//!   ceil(2 sqrt (n - k)), P, Q) edges, with s = 2 where the grid wraps and 1
//!   else. A row that is neither empty nor full has at least s boundary edges,
//!   so has such a column. With r such rows and c such columns and no full row
//!   or column, k <= r c, so r + c >= 2 sqrt k. With a full row and an empty one
//!   all Q columns are such, and with a full and an empty column all P rows. Else
//!   there is a full row or column, and none is empty: the rest of the grid is a
//!   set without full rows or columns.
//! - *Halo on a grid of d >= 3 dimensions*, all edges alike: with s as above,
//!   s (d k^((d-1)/d) - k sum of 1/size) edges. Along each dimension the set has a
//!   projection, whose sizes multiply to k^(d-1) at least (Loomis and Whitney,
//!   1949), so that they sum to d k^((d-1)/d) at least; a line of the projection
//!   that is not full has s boundary edges, and at most k/size lines are full.
//! - *All in a row and all in a column of a P x Q grid* (transpose; all-to-all is
//!   one row), x for each pair in a row and y for each in a column. With f the
//!   indicator of the set, the boundary is f'Lf, where L = x(Q - J_rows) +
//!   y(P - J_columns) is the Laplacian of the job. Its eigenvalues are 0 for the
//!   constant, and at least min(xQ, yP) else, so f'Lf >= min(xQ, yP) k (1 - k/n),
//!   the last being the squared length of f less its mean.

use crate::demand::Grid;
use crate::mapping::search::{Pair, TaskGraph};

/// What is known of boundaries.
pub(super) enum Boundary<'a> {
    Any(&'a TaskGraph),
    Halo { sizes: [u64; 2], wrap: bool, edge: f64 },
    Box { sizes: Vec<u32>, wrap: bool, edge: f64 },
    Cliques { tasks: u64, least: f64 },
}

impl<'a> Boundary<'a> {
    /// Finds out which job it is by looking at every pair of tasks that talk.
    pub(super) fn new(grid: Option<&Grid>, graph: &'a TaskGraph) -> Self {
        let sizes = match grid.map(|g| &g.sizes[..]) {
            Some(&[rows, columns]) => [rows, columns],
            _ => [1, graph.tasks()],
        };
        let wrap = grid.is_some_and(|g| g.wrap);
        let whole = grid.map_or(&sizes[..], |g| &g.sizes[..]);
        let boundary = halo(whole, wrap, graph).or_else(|| cliques(sizes, graph));
        boundary.unwrap_or(Boundary::Any(graph))
    }

    /// What must go between parts of at most `most` tasks each.
    pub(super) fn crossing(&self, most: u64) -> f64 {
        let all = |tasks: u64, boundary: &dyn Fn(u64) -> f64| {
            if most >= tasks {
                return 0.0;
            }
            let per_task = (1..=most).map(|k| boundary(k) / k as f64).fold(f64::INFINITY, f64::min);
            tasks as f64 * per_task / 2.0
        };
        match self {
            Boundary::Any(graph) => heaviest_stay(graph, most as usize),
            Boundary::Halo { sizes: [p, q], wrap, edge } => all(p * q, &|k| {
                let edges = half_perimeter(k).min(half_perimeter(p * q - k)).min(*p).min(*q);
                f64::from(1 + u8::from(*wrap)) * edges as f64 * edge
            }),
            Boundary::Box { sizes, wrap, edge } => all(sizes.iter().map(|&k| u64::from(k)).product(), &|k| {
                let (k, d) = (k as f64, sizes.len() as f64);
                let full: f64 = sizes.iter().map(|&size| k / f64::from(size)).sum();
                f64::from(1 + u8::from(*wrap)) * (d * k.powf((d - 1.0) / d) - full).max(0.0) * (1.0 - 1e-9) * edge
            }),
            Boundary::Cliques { tasks, least } => all(*tasks, &|k| least * k as f64 * (1.0 - k as f64 / *tasks as f64)),
        }
    }
}

/// ceil(2 sqrt k): the least n with n^2 >= 4k.
fn half_perimeter(k: u64) -> u64 {
    let n = (4 * k).isqrt();
    n + u64::from(n * n < 4 * k)
}

/// A task keeps its heaviest peers with it.
fn heaviest_stay(graph: &TaskGraph, most: usize) -> f64 {
    let mut amounts = Vec::new();
    let mut sum = 0.0;
    for task in 0..graph.tasks() {
        amounts.clear();
        amounts.extend(graph.of(task).iter().map(both));
        amounts.sort_by(|a, b| f64::total_cmp(b, a));
        sum += amounts.iter().skip(most.saturating_sub(1)).sum::<f64>();
    }
    sum / 2.0
}

fn both(pair: &Pair) -> f64 {
    pair.out + pair.back
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs()
}

/// Every task talks to its neighbours in the grid and to no other, all the same.
fn halo<'a>(sizes: &[u32], wrap: bool, graph: &TaskGraph) -> Option<Boundary<'a>> {
    let tasks = sizes.iter().try_fold(1u64, |n, &k| n.checked_mul(u64::from(k)))?;
    // On a ring of two both neighbours are one.
    if sizes.len() < 2 || sizes.iter().any(|&k| k < 3) || tasks != u64::from(graph.tasks()) {
        return None;
    }
    let edge = both(graph.of(0).first()?);
    let mut expected = Vec::new();
    for task in 0..graph.tasks() {
        expected.clear();
        let mut stride = 1;
        for &size in sizes.iter().rev() {
            let at = task / stride % size;
            expected.extend(ends(at, size, wrap).map(|x| task - at * stride + x * stride));
            stride *= size;
        }
        expected.sort_unstable();
        let pairs = graph.of(task);
        let fits = |(p, &peer): (&Pair, &u32)| p.peer == peer && same(edge, both(p));
        if pairs.len() != expected.len() || !pairs.iter().zip(&expected).all(fits) {
            return None;
        }
    }
    Some(match *sizes {
        [p, q] => Boundary::Halo { sizes: [p, q].map(u64::from), wrap, edge },
        _ => Boundary::Box { sizes: sizes.to_vec(), wrap, edge },
    })
}

/// The neighbours of a coordinate.
fn ends(at: u32, size: u32, wrap: bool) -> impl Iterator<Item = u32> {
    let next = (wrap || at + 1 < size).then_some((at + 1) % size);
    let before = (wrap || at > 0).then_some((at + size - 1) % size);
    next.into_iter().chain(before)
}

/// Every task talks to all in its row, all the same, and to all in its column.
fn cliques<'a>([rows, columns]: [u32; 2], graph: &TaskGraph) -> Option<Boundary<'a>> {
    if u64::from(rows) * u64::from(columns) != u64::from(graph.tasks()) {
        return None;
    }
    let find = |peer: u32| graph.of(0).iter().find(|p| p.peer == peer).map(both);
    // A row or column of one task asks for nothing.
    let in_row = if columns > 1 { find(1)? } else { f64::INFINITY };
    let in_column = if rows > 1 { find(columns)? } else { f64::INFINITY };
    for task in 0..graph.tasks() {
        let fits = |p: &Pair| match (p.peer / columns == task / columns, p.peer % columns == task % columns) {
            (true, _) => same(in_row, both(p)),
            (_, true) => same(in_column, both(p)),
            _ => false,
        };
        if graph.of(task).len() != (rows + columns - 2) as usize || !graph.of(task).iter().all(fits) {
            return None;
        }
    }
    let least = (in_row * f64::from(columns)).min(in_column * f64::from(rows));
    least.is_finite().then_some(Boundary::Cliques { tasks: u64::from(graph.tasks()), least })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::{Demand, Unit};

    /// What every set of k tasks exchanges with the others, at least.
    fn least_boundaries(graph: &TaskGraph) -> Vec<f64> {
        let n = graph.tasks();
        let mut least = vec![f64::INFINITY; n as usize + 1];
        for set in 0u32..1 << n {
            let inside = |t: u32| set >> t & 1 == 1;
            let pairs = (0..n).filter(|&t| inside(t)).flat_map(|t| graph.of(t));
            let boundary: f64 = pairs.filter(|p| !inside(p.peer)).map(both).sum();
            let k = set.count_ones() as usize;
            least[k] = least[k].min(boundary);
        }
        least
    }

    fn check(sizes: &[u32], wrap: bool, amount: impl Fn(u32, u32) -> f64, halo: bool) {
        let n = sizes.iter().product();
        let entries = (0..n * n).map(|e| (e / n, e % n, amount(e / n, e % n))).filter(|e| e.0 != e.1).collect();
        let graph =
            TaskGraph::new(&Demand::new(n, Unit::Units, entries, Vec::new()).expect("demand"), 1000).expect("graph");
        let boundary = Boundary::new(Some(&Grid { sizes: sizes.to_vec(), wrap }), &graph);
        assert_eq!(matches!(boundary, Boundary::Halo { .. } | Boundary::Box { .. }), halo, "{sizes:?}");
        assert_eq!(matches!(boundary, Boundary::Cliques { .. }), !halo, "{sizes:?}");
        let least = least_boundaries(&graph);
        for most in 1..n as usize {
            let per_task = (1..=most).map(|k| least[k] / k as f64).fold(f64::INFINITY, f64::min);
            let (known, exact) = (boundary.crossing(most as u64), f64::from(n) * per_task / 2.0);
            assert!(known <= exact * (1.0 + 1e-12), "{sizes:?} wrap {wrap}, {most}: {known} above {exact}");
        }
    }

    #[test]
    fn no_set_of_tasks_has_less_than_its_boundary() {
        for (sizes, wrap) in [([3, 3], true), ([4, 4], true), ([3, 5], true), ([4, 4], false), ([3, 5], false)] {
            let near = |a: u32, b: u32, size: u32| a.abs_diff(b) == 1 || wrap && a.abs_diff(b) == size - 1;
            let amount = |s: u32, t: u32| {
                let ((i, j), (k, l)) = ((s / sizes[1], s % sizes[1]), (t / sizes[1], t % sizes[1]));
                f64::from(u8::from(i == k && near(j, l, sizes[1]) || j == l && near(i, k, sizes[0])))
            };
            check(&sizes, wrap, amount, true);
        }
        for sizes in [[4, 4], [2, 6], [5, 3], [1, 9]] {
            let amount = |s: u32, t: u32| match (s / sizes[1] == t / sizes[1], s % sizes[1] == t % sizes[1]) {
                (true, _) => 1.0,
                (_, true) => 0.5,
                _ => 0.0,
            };
            check(&sizes, true, amount, false);
        }
    }

    /// Balls around a task and boxes are the sets with little boundary.
    #[test]
    fn sets_in_three_dimensions_have_their_boundary() {
        let sizes = [4u32, 5, 3];
        let at = |t: u32| [t / 15, t / 3 % 5, t % 3];
        for wrap in [false, true] {
            let near = |a: u32, b: u32| {
                let apart = (0..3).map(|d| {
                    let far = at(a)[d].abs_diff(at(b)[d]);
                    if wrap { far.min(sizes[d] - far) } else { far }
                });
                apart.sum::<u32>() == 1
            };
            let entries = (0..60 * 60).map(|e| (e / 60, e % 60, f64::from(u8::from(near(e / 60, e % 60)))));
            let demand = Demand::new(60, Unit::Units, entries.collect(), Vec::new()).expect("demand");
            let graph = TaskGraph::new(&demand, 10_000).expect("graph");
            let boundary = Boundary::new(Some(&Grid { sizes: sizes.to_vec(), wrap }), &graph);
            assert!(matches!(boundary, Boundary::Box { .. }));
            for far in 1..=60u32 {
                let corner = [far % 5, far / 5 % 6, far / 30 + 1];
                let boxed: Vec<u32> = (0..60).filter(|&t| (0..3).all(|d| at(t)[d] < corner[d])).collect();
                let ball: Vec<u32> = (0..60).filter(|&t| at(t).iter().sum::<u32>() < far % 9).collect();
                for set in [boxed, ball].iter().filter(|set| !set.is_empty() && set.len() < 60) {
                    let pairs = set.iter().flat_map(|&t| graph.of(t)).filter(|p| !set.contains(&p.peer));
                    let (real, k) = (pairs.map(both).sum::<f64>(), set.len() as f64);
                    let known = boundary.crossing(set.len() as u64);
                    assert!(known <= 60.0 * real / k / 2.0 + 1e-9, "wrap {wrap}: {set:?}: {known}, {real}");
                }
            }
        }
    }
}
