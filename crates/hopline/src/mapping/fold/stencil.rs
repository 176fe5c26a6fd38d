//! Recognising 9-, 18- and 26-point stencils on grids and tori, whose vertices may be numbered in any way: between
//! vertices that have all their neighbours, those along one axis share the most.

use super::super::graph::{Edge, Graph};
use super::detect::{self, DetectedGrid};
use std::collections::VecDeque;

/// A stencil joins cells at most one apart on every axis, and apart on at most so many axes.
struct Stencil {
    /// Neighbours of a cell in the middle.
    degree: usize,
    axes: usize,
    /// Neighbours that two cells in the middle share, which are one apart on one axis.
    shared: usize,
}

const STENCILS: [Stencil; 3] = [
    Stencil { degree: 8, axes: 2, shared: 4 },
    Stencil { degree: 18, axes: 2, shared: 8 },
    Stencil { degree: 26, axes: 3, shared: 16 },
];

/// The grid whose stencil a graph is; weights do not matter. `None` where it is none, or a grid is less than four
/// long on a dimension. O(edges x neighbours).
pub(super) fn detect(graph: &Graph) -> Option<DetectedGrid> {
    let most = (0..graph.len() as u32).map(|v| graph.of(v).len()).max()?;
    let stencil = STENCILS.iter().find(|s| s.degree == most)?;
    let middle: Vec<u32> = (0..graph.len() as u32).filter(|&v| graph.of(v).len() == most).collect();
    let inner = detect::detect(&along_axes(graph, stencil, &middle))?;
    let found = if middle.len() == graph.len() {
        inner
    } else if inner.wrap {
        return None;
    } else {
        place_border(graph, stencil, &middle, &inner)?
    };
    detect::is_exact(graph, &found, stencil.axes).then_some(found)
}

/// The middle alone, with the edges along one axis.
fn along_axes(graph: &Graph, stencil: &Stencil, middle: &[u32]) -> Graph {
    let mut number = vec![u32::MAX; graph.len()];
    (0u32..).zip(middle).for_each(|(i, &v)| number[v as usize] = i);
    let mut near = vec![u32::MAX; graph.len()];
    let (mut first, mut edges) = (vec![0], Vec::new());
    for &v in middle {
        graph.of(v).iter().for_each(|e| near[e.to as usize] = v);
        let along = graph.of(v).iter().filter(|e| {
            number[e.to as usize] != u32::MAX
                && graph.of(e.to).iter().filter(|f| near[f.to as usize] == v).count() == stencil.shared
        });
        edges.extend(along.map(|e| Edge { to: number[e.to as usize], weight: e.weight }));
        first.push(edges.len() as u32);
    }
    Graph::from_rows(first, edges)
}

/// The whole grid, from its middle: a vertex goes where exactly those cells around it are taken that its neighbours
/// have, once there is only one such cell.
fn place_border(graph: &Graph, stencil: &Stencil, middle: &[u32], inner: &DetectedGrid) -> Option<DetectedGrid> {
    let DetectedGrid { sizes, rank, .. } = inner;
    let wide: Vec<u32> = sizes.iter().map(|s| s + 2).collect();
    if wide.iter().map(|&s| u64::from(s)).product::<u64>() != graph.len() as u64 {
        return None;
    }
    let around = Around::new(&wide, stencil.axes);
    let (mut cell, mut taken) = (vec![usize::MAX; graph.len()], vec![u32::MAX; graph.len()]);
    for (&v, &r) in middle.iter().zip(rank) {
        let (mut rest, mut stride, mut at) = (r, 1, 0);
        for &size in sizes.iter().rev() {
            at += (rest % size + 1) as usize * stride;
            rest /= size;
            stride *= size as usize + 2;
        }
        (cell[v as usize], taken[at]) = (at, v);
    }
    let mut open: VecDeque<u32> = (0..graph.len() as u32).filter(|&v| cell[v as usize] == usize::MAX).collect();
    let mut asked = vec![true; graph.len()];
    while let Some(v) = open.pop_front() {
        asked[v as usize] = false;
        let placed: Vec<usize> =
            graph.of(v).iter().map(|e| cell[e.to as usize]).filter(|&at| at != usize::MAX).collect();
        let Some(&one) = placed.first() else { continue };
        let fits = |&at: &usize| {
            taken[at] == u32::MAX
                && around.of(at).filter(|&near| taken[near] != u32::MAX).count() == placed.len()
                && placed.iter().all(|&near| around.are_near(at, near))
        };
        let mut fitting = around.of(one).filter(fits);
        if let (Some(at), None) = (fitting.next(), fitting.next()) {
            (cell[v as usize], taken[at]) = (at, v);
            for e in graph.of(v) {
                if cell[e.to as usize] == usize::MAX && !asked[e.to as usize] {
                    asked[e.to as usize] = true;
                    open.push_back(e.to);
                }
            }
        }
    }
    cell.iter().all(|&at| at != usize::MAX).then(|| DetectedGrid {
        sizes: wide,
        wrap: false,
        rank: cell.into_iter().map(|at| at as u32).collect(),
    })
}

/// Cells of a grid that a stencil joins.
struct Around<'a> {
    sizes: &'a [u32],
    offsets: Vec<Vec<i64>>,
    axes: usize,
}

impl Around<'_> {
    fn new(sizes: &[u32], axes: usize) -> Around<'_> {
        let mut offsets = vec![Vec::new()];
        for _ in sizes {
            offsets = offsets.into_iter().flat_map(|o| [-1, 0, 1].map(|d| [&o[..], &[d]].concat())).collect();
        }
        offsets.retain(|o| (1..=axes).contains(&o.iter().filter(|d| **d != 0).count()));
        Around { sizes, offsets, axes }
    }

    fn of(&self, at: usize) -> impl Iterator<Item = usize> {
        self.offsets.iter().filter_map(move |offset| {
            let (mut rest, mut stride, mut to) = (at, 1, 0);
            for (&size, step) in self.sizes.iter().zip(offset).rev() {
                let x = (rest % size as usize) as i64 + step;
                if !(0..i64::from(size)).contains(&x) {
                    return None;
                }
                to += x as usize * stride;
                rest /= size as usize;
                stride *= size as usize;
            }
            Some(to)
        })
    }

    fn are_near(&self, mut a: usize, mut b: usize) -> bool {
        let mut apart = 0;
        for &size in self.sizes.iter().rev() {
            match (a % size as usize).abs_diff(b % size as usize) {
                0 => {}
                1 => apart += 1,
                _ => return false,
            }
            (a, b) = (a / size as usize, b / size as usize);
        }
        apart <= self.axes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use std::collections::HashSet;

    /// The edges of a stencil as (smaller rank, larger rank).
    fn edges(sizes: &[u32], wrap: bool, axes: usize) -> HashSet<(u32, u32)> {
        let at = |r: u32| -> Vec<u32> {
            let mut rest = r;
            let mut x: Vec<u32> = sizes
                .iter()
                .rev()
                .map(|s| {
                    let x = rest % s;
                    rest /= s;
                    x
                })
                .collect();
            x.reverse();
            x
        };
        let n: u32 = sizes.iter().product();
        let near = |a: u32, b: u32| {
            let apart: Vec<u32> = at(a)
                .iter()
                .zip(at(b))
                .zip(sizes)
                .map(|((x, y), s)| {
                    let far = x.abs_diff(y);
                    if wrap { far.min(s - far) } else { far }
                })
                .collect();
            apart.iter().all(|d| *d <= 1) && apart.iter().filter(|d| **d == 1).count() <= axes
        };
        (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).filter(|&(a, b)| near(a, b)).collect()
    }

    fn graph(n: u32, edges: &HashSet<(u32, u32)>, number: &[u32]) -> Graph {
        let mut rows = vec![Vec::new(); n as usize];
        for &(a, b) in edges {
            rows[number[a as usize] as usize].push(number[b as usize]);
            rows[number[b as usize] as usize].push(number[a as usize]);
        }
        let (mut first, mut all) = (vec![0], Vec::new());
        for row in &mut rows {
            row.sort_unstable();
            all.extend(row.iter().map(|&to| Edge { to, weight: 1 + to % 7 }));
            first.push(all.len() as u32);
        }
        Graph::from_rows(first, all)
    }

    #[test]
    fn stencils_are_recognised_however_they_are_numbered() {
        for (sizes, wrap, axes) in [
            (&[7, 4][..], false, 2),
            (&[5, 5], false, 2),
            (&[6, 9], true, 2),
            (&[5, 6, 4], false, 3),
            (&[4, 4, 4], false, 3),
            (&[4, 4, 4], false, 2),
            (&[4, 7, 5], false, 2),
            (&[5, 6, 7], true, 3),
            (&[5, 5, 5], true, 2),
        ] {
            let n: u32 = sizes.iter().product();
            let stencil = edges(sizes, wrap, axes);
            for seed in 0..3 {
                let mut number: Vec<u32> = (0..n).collect();
                Rng::new(seed, "stencil").shuffle(&mut number);
                let DetectedGrid { sizes: found, wrap: wrapped, rank } =
                    detect(&graph(n, &stencil, &number)).unwrap_or_else(|| panic!("{sizes:?} {wrap} {axes}"));
                // Renumbered by the ranks found, it is the stencil of the sizes found.
                let back: Vec<u32> = (0..n).map(|v| rank[number[v as usize] as usize]).collect();
                let renumbered: HashSet<(u32, u32)> = stencil
                    .iter()
                    .map(|&(a, b)| (back[a as usize], back[b as usize]))
                    .map(|(a, b)| (a.min(b), a.max(b)))
                    .collect();
                assert_eq!((renumbered, wrapped), (edges(&found, wrap, axes), wrap), "{sizes:?} {axes}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_one_is_not() {
        let sizes = [5, 5, 5];
        let whole = edges(&sizes, false, 3);
        let number: Vec<u32> = (0..125).collect();
        for edge in [(0, 1), (0, 31), (62, 63), (61, 67)] {
            let mut cut = whole.clone();
            assert!(cut.remove(&edge), "{edge:?}");
            assert!(detect(&graph(125, &cut, &number)).is_none(), "{edge:?}");
        }
        let mut more = whole;
        more.insert((0, 124));
        assert!(detect(&graph(125, &more, &number)).is_none());
    }
}
