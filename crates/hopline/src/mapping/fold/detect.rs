//! Recognising grids and tori of two or three dimensions in a graph whose
//! vertices may be numbered in any way.

use super::super::graph::Graph;

/// A grid that was recognised.
pub(super) struct DetectedGrid {
    pub(super) sizes: Vec<u32>,
    /// Whether ends are neighbours.
    pub(super) wrap: bool,
    /// The row-major rank of every vertex.
    pub(super) rank: Vec<u32>,
}

/// The grid that a graph is; weights do not matter. `None` where it is none.
/// Tori must be at least five long on each dimension. O(edges).
pub(super) fn detect(graph: &Graph) -> Option<DetectedGrid> {
    let degrees = || (0..graph.len() as u32).map(|v| graph.of(v).len());
    let (least, most) = (degrees().min()?, degrees().max()?);
    if most > 6 || least < 2 {
        return None;
    }
    let round = if least == most { torus(graph, most) } else { None };
    let exact = |found: &DetectedGrid| is_exact(graph, found, 1);
    round.filter(exact).or_else(|| grid(graph, least).into_iter().find(exact))
}

/// Hops from a vertex; `u32::MAX` where there is no way.
fn hops(graph: &Graph, from: u32) -> Vec<u32> {
    let mut hops = vec![u32::MAX; graph.len()];
    let mut queue = vec![from];
    hops[from as usize] = 0;
    let mut at = 0;
    while let Some(&v) = queue.get(at) {
        at += 1;
        for e in graph.of(v) {
            if hops[e.to as usize] == u32::MAX {
                hops[e.to as usize] = hops[v as usize] + 1;
                queue.push(e.to);
            }
        }
    }
    hops
}

/// Without wrap: the hops from two corners at the ends of one side differ by twice the coordinate along it. What may
/// be the grid: of three sides one may be as long as the other two.
fn grid(graph: &Graph, dimensions: usize) -> Vec<DetectedGrid> {
    let corners: Vec<u32> = (0..graph.len() as u32).filter(|&v| graph.of(v).len() == dimensions).collect();
    if corners.len() != 1 << dimensions {
        return Vec::new();
    }
    let from = hops(graph, corners[0]);
    let mut others = corners[1..].to_vec();
    others.sort_by_key(|&c| from[c as usize]);
    // The nearest corners end sides, but in three dimensions the third side may
    // be longer than the first two together.
    match others[..] {
        [a, b, _] => along(graph, &from, &[a, b]).into_iter().collect(),
        [a, b, c, d, ..] => [[a, b, c], [a, b, d]].iter().filter_map(|ends| along(graph, &from, ends)).collect(),
        _ => Vec::new(),
    }
}

/// The grid whose sides end in the given corners, by the hops from the corner where they begin.
fn along(graph: &Graph, from: &[u32], ends: &[u32]) -> Option<DetectedGrid> {
    let sizes: Vec<u32> = ends.iter().map(|&c| from[c as usize].checked_add(1)).collect::<Option<_>>()?;
    let product = sizes.iter().try_fold(1u64, |n, &s| n.checked_mul(u64::from(s)));
    if product != Some(graph.len() as u64) {
        return None;
    }
    let mut rank = vec![0u32; graph.len()];
    for (end, &size) in ends.iter().zip(&sizes) {
        let to = hops(graph, *end);
        for (v, r) in rank.iter_mut().enumerate() {
            let twice = (from[v] + size - 1).checked_sub(to[v])?;
            *r = *r * size + (twice / 2).min(size - 1);
        }
    }
    Some(DetectedGrid { sizes, wrap: false, rank })
}

/// With wrap: rings are followed straight on from one vertex, where straight on
/// is the neighbour that has no other common neighbour with the vertex before.
fn torus(graph: &Graph, degree: usize) -> Option<DetectedGrid> {
    if degree != 4 && degree != 6 {
        return None;
    }
    let is_edge = |a: u32, b: u32| graph.of(a).iter().any(|e| e.to == b);
    let straight = |before: u32, at: u32| {
        let lone = |next: u32| next != before && graph.of(before).iter().all(|e| e.to == at || !is_edge(e.to, next));
        let mut found = graph.of(at).iter().map(|e| e.to).filter(|&next| lone(next));
        found.next().filter(|_| found.next().is_none())
    };
    // The ring through two neighbours, from the first on.
    let ring = |first: u32, second: u32| {
        let mut ring = vec![first, second];
        while let [.., before, at] = ring[..] {
            let next = straight(before, at)?;
            if next == first {
                return Some(ring);
            }
            if ring.len() >= graph.len() {
                return None;
            }
            ring.push(next);
        }
        None
    };
    let mut sides: Vec<Vec<u32>> = Vec::new();
    for e in graph.of(0) {
        if !sides.iter().any(|side| side.last() == Some(&e.to)) {
            sides.push(ring(0, e.to)?);
        }
    }
    let sizes: Vec<u32> = sides.iter().map(|s| s.len() as u32).collect();
    let product = sizes.iter().try_fold(1u64, |n, &s| n.checked_mul(u64::from(s)));
    if product != Some(graph.len() as u64) || sizes.iter().any(|&s| s < 5) {
        return None;
    }
    // The cell of a coordinate vector is the common neighbour of two cells that
    // are placed, other than the one that both have already.
    let mut vertex = vec![u32::MAX; graph.len()];
    let strides: Vec<usize> = (0..sizes.len()).map(|i| sizes[i + 1..].iter().product::<u32>() as usize).collect();
    for (side, stride) in sides.iter().zip(&strides) {
        side.iter().enumerate().for_each(|(x, &v)| vertex[x * stride] = v);
    }
    for rank in 0..graph.len() {
        let moved: Vec<usize> =
            strides.iter().zip(&sizes).filter(|(s, k)| rank / **s % **k as usize > 0).map(|s| *s.0).collect();
        let [.., a, b] = moved[..] else { continue };
        let (left, right, corner) = (vertex[rank - a], vertex[rank - b], vertex[rank - a - b]);
        let mut common = graph.of(left).iter().map(|e| e.to).filter(|&v| v != corner && is_edge(v, right));
        vertex[rank] = common.next()?;
    }
    let mut rank = vec![u32::MAX; graph.len()];
    vertex.iter().enumerate().for_each(|(r, &v)| rank[v as usize] = r as u32);
    Some(DetectedGrid { sizes, wrap: true, rank })
}

/// Whether ranks are a permutation under which the edges are those between cells that are one apart, on at most so
/// many axes.
pub(super) fn is_exact(graph: &Graph, grid: &DetectedGrid, axes: usize) -> bool {
    let DetectedGrid { sizes, wrap, rank } = grid;
    let mut seen = vec![false; graph.len()];
    for &r in rank {
        match seen.get_mut(r as usize) {
            Some(cell) if !*cell => *cell = true,
            _ => return false,
        }
    }
    let mut edges = 0u64;
    for v in 0..graph.len() as u32 {
        for e in graph.of(v) {
            let (mut a, mut b) = (rank[v as usize], rank[e.to as usize]);
            let mut apart = 0;
            for &size in sizes.iter().rev() {
                let far = (a % size).abs_diff(b % size);
                match if *wrap { far.min(size - far) } else { far } {
                    0 => {}
                    1 => apart += 1,
                    _ => return false,
                }
                (a, b) = (a / size, b / size);
            }
            if !(1..=axes).contains(&apart) {
                return false;
            }
            edges += 1;
        }
    }
    // Pairs of cells by the number of axes on which they are apart, ordered pairs, axis by axis.
    let mut pairs = vec![1u64];
    for &size in sizes {
        let (same, next) = (u64::from(size), 2 * u64::from(size - u32::from(!wrap)));
        let before = pairs.clone();
        pairs.push(0);
        for (count, pairs) in pairs.iter_mut().enumerate() {
            let one_more = count.checked_sub(1).map_or(0, |i| before[i]);
            *pairs = before.get(count).copied().unwrap_or(0) * same + one_more * next;
        }
    }
    edges == pairs.iter().skip(1).take(axes).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::super::super::graph::Edge;
    use super::*;
    use crate::rng::Rng;

    /// A grid whose vertices are numbered at random.
    fn shuffled(sizes: &[u32], wrap: bool) -> Graph {
        let n: u32 = sizes.iter().product();
        let mut number: Vec<u32> = (0..n).collect();
        Rng::new(u64::from(n), "detect").shuffle(&mut number);
        let (mut first, mut edges) = (vec![0], Vec::new());
        let mut rows = vec![Vec::new(); n as usize];
        for v in 0..n {
            let mut stride = 1;
            for &size in sizes.iter().rev() {
                let x = v / stride % size;
                if x + 1 < size || wrap {
                    let to = if x + 1 < size { v + stride } else { v - x * stride };
                    rows[number[v as usize] as usize].push(number[to as usize]);
                    rows[number[to as usize] as usize].push(number[v as usize]);
                }
                stride *= size;
            }
        }
        for row in &mut rows {
            row.sort_unstable();
            edges.extend(row.iter().map(|&to| Edge { to, weight: 1 }));
            first.push(edges.len() as u32);
        }
        Graph::from_rows(first, edges)
    }

    #[test]
    fn grids_and_tori_are_recognised_however_they_are_numbered() {
        for (sizes, wrap) in [
            (&[7, 3][..], false),
            (&[2, 2], false),
            (&[4, 4], false),
            (&[9, 2, 3], false),
            (&[3, 4, 2], false),
            (&[7, 4, 4], false),
            (&[3, 3, 3], false),
            (&[5, 8], true),
            (&[6, 6], true),
            (&[5, 6, 7], true),
            (&[5, 5, 5], true),
        ] {
            let DetectedGrid { sizes: mut found, wrap: wrapped, .. } =
                detect(&shuffled(sizes, wrap)).unwrap_or_else(|| panic!("{sizes:?} {wrap}"));
            found.sort_unstable();
            let mut expected = sizes.to_vec();
            expected.sort_unstable();
            assert_eq!((found, wrapped), (expected, wrap));
        }
    }

    #[test]
    fn other_graphs_are_not() {
        let ring = shuffled(&[12], true);
        assert!(detect(&ring).is_none());
        // A grid with two vertices of its border joined.
        let mut rows: Vec<Vec<u32>> =
            (0..12).map(|v| shuffled(&[3, 4], false).of(v).iter().map(|e| e.to).collect()).collect();
        let pair: Vec<u32> = (0..12).filter(|&v| rows[v as usize].len() == 3).take(2).collect();
        if !rows[pair[0] as usize].contains(&pair[1]) {
            rows[pair[0] as usize].push(pair[1]);
            rows[pair[1] as usize].push(pair[0]);
        }
        let mut first = vec![0];
        let edges: Vec<Edge> = rows.iter().flatten().map(|&to| Edge { to, weight: 1 }).collect();
        rows.iter().for_each(|r| first.push(first[first.len() - 1] + r.len() as u32));
        let same = edges.len() == shuffled(&[3, 4], false).edges();
        assert_eq!(detect(&Graph::from_rows(first, edges)).is_some(), same);
    }
}
