//! Algorithms that spread from a root.

use crate::step::{Step, powers};

/// A tree whose subtrees halve; `amount` of a message by the ranks below it.
pub(crate) fn binomial(n: u32, root: u32, amount: impl Fn(u32) -> f64) -> Vec<Step> {
    let digits = n.next_power_of_two().ilog2();
    let at = |r: u32| (r + root) % n;
    let round = |k: u32| {
        let d = 1 << k;
        let sends = (0..n).step_by(2 << k).filter(|r| r + d < n);
        Step::of(sends.map(|r| (at(r), at(r + d), amount(d.min(n - r - d)))).collect())
    };
    (0..digits).rev().map(round).collect()
}

/// The same with three children a round.
pub(crate) fn knomial(n: u32, root: u32) -> Vec<Step> {
    let at = |r: u32| (r + root) % n;
    let round = |d: u32| {
        let parents = (0..n).step_by(4 * d as usize);
        let sends = parents.flat_map(|r| (1..4).map(move |child| (r, r + child * d))).filter(|(_, to)| *to < n);
        Step::of(sends.map(|(from, to)| (at(from), at(to), 1.0)).collect())
    };
    powers(4, n).rev().map(round).collect()
}

/// A part to every rank, which all then gather; none where they cannot.
pub(crate) fn scattered(n: u32, root: u32, gathered: Vec<Step>) -> Vec<Step> {
    let part = 1.0 / f64::from(n);
    match gathered.is_empty() {
        true => Vec::new(),
        false => [binomial(n, root, |below| f64::from(below) * part), gathered].concat(),
    }
}

/// Half of a message down each of two binary trees in a pipeline. The root is that of the first; it sends to that of the second.
pub(crate) fn from_two_roots(n: u32, root: u32) -> Step {
    let at = |r: u32| (r + root) % n;
    let (edges, deep) = double_tree(n);
    let down = edges.into_iter().filter(|(_, to)| *to != 0).chain([(0, n - 1)]);
    Step { depth: deep + 1, ..Step::of(down.map(|(from, to)| (at(from), at(to), 0.5)).collect()) }
}

/// A pipeline of many segments: all links are busy at once.
pub(crate) fn chain(n: u32, root: u32) -> Vec<Step> {
    let at = |r: u32| (r + root) % n;
    vec![Step { depth: n - 1, ..Step::of((0..n - 1).map(|r| (at(r), at(r + 1), 1.0)).collect()) }]
}

/// Two binary trees in which no rank has children twice (but one): edges from parent to child, and how deep they are. Sanders,
/// Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009; the second is the first
/// mirrored, or shifted by one where `n` is odd, as NCCL has it.
pub(crate) fn double_tree(n: u32) -> (Vec<(u32, u32)>, u32) {
    let parent = |r: u32| {
        let bit = 1 << r.trailing_zeros();
        let above = (r ^ bit) | (bit << 1);
        if above < n { above } else { r ^ bit }
    };
    let first = (1..n).map(|r| (parent(r), r));
    let other = |r: u32| if n.is_multiple_of(2) { n - 1 - r } else { (r + n - 1) % n };
    let edges = first.clone().chain(first.map(|(up, down)| (other(up), other(down)))).collect();
    (edges, n.next_power_of_two().ilog2() + 1)
}

/// Up and down all edges of trees at once, in a pipeline.
pub(crate) fn both_ways((edges, deep): (Vec<(u32, u32)>, u32), amount: f64) -> Step {
    let sends = edges.into_iter().flat_map(|(up, down)| [(down, up, amount), (up, down, amount)]);
    Step { depth: 2 * deep, ..Step::of(sends.collect()) }
}

pub(crate) fn from_root(n: u32, root: u32) -> Vec<Step> {
    vec![Step::of((0..n).filter(|&r| r != root).map(|r| (root, r, 1.0)).collect())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Broadcasts: who sends has it, and everybody has all of it in the end.
    #[test]
    fn broadcasts_reach_everybody() {
        for n in 2..40 {
            for (root, steps) in [(0, knomial(n, 0)), (n / 2, knomial(n, n / 2)), (n - 1, binomial(n, n - 1, |_| 1.0))]
            {
                let mut has = BTreeSet::from([root]);
                for step in steps {
                    assert!(step.sends.iter().all(|(from, to, _)| has.contains(from) && !has.contains(to)), "{n}");
                    has.extend(step.sends.iter().map(|send| send.1));
                }
                assert_eq!(has.len(), n as usize);
            }
            let root = n / 3;
            let mut into = vec![0.0; n as usize];
            from_two_roots(n, root).sends.iter().for_each(|(_, to, half)| into[*to as usize] += half);
            assert!((0..n).all(|r| into[r as usize] == f64::from(u8::from(r != root))), "{n}: {into:?}");
        }
    }
}
