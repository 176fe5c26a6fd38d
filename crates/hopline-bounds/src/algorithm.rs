//! The usual algorithms as steps in which all ranks send at once. Thakur, Rabenseifner and Gropp, "Optimization of collective
//! communication operations in MPICH", 2005; Bruck et al., "Efficient algorithms for all-to-all communications in
//! multiport message-passing systems", 1997; PAT as NCCL has it.

use crate::boxed;
use crate::operation::Operation;
use crate::rooted::{binomial, both_ways, chain, double_tree, from_root, from_two_roots, knomial, scattered};
use crate::step::{Step, powers, turned};

/// Ranks up to which algorithms are looked at that have a message for every pair: beyond it these fill the memory.
pub(crate) const MOST_PAIRS: u32 = 2048;

/// An algorithm and its steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Algorithm {
    /// Its name.
    pub name: &'static str,
    /// In order.
    pub steps: Vec<Step>,
}

/// The usual algorithms of an operation among `n` ranks, two or more; those that need a power of two are left out where `n` is
/// none, those with a message for every pair beyond 2,048 ranks, those of boxes where all ranks are in one ([`crate::boxes()`]).
/// O(steps x n).
pub fn algorithms(operation: Operation, n: u32, root: u32, boxes: &[Vec<u32>]) -> Vec<Algorithm> {
    let part = 1.0 / f64::from(n);
    let found = match operation {
        Operation::Allgather => vec![
            ("ring", rings(n, 1.0, &[1])),
            ("two-rings", rings(n, 0.5, &[1, n - 1])),
            ("recursive-doubling", doubling(n, 1.0)),
            ("bruck", bruck(n)),
            ("pat", pat(n)),
            ("direct", direct(n, 1.0)),
        ],
        Operation::ReduceScatter => vec![
            ("ring", rings(n, 1.0, &[1])),
            ("two-rings", rings(n, 0.5, &[1, n - 1])),
            ("recursive-halving", turned(doubling(n, 1.0))),
            ("pat", turned(pat(n))),
            ("direct", direct(n, 1.0)),
        ],
        Operation::Allreduce => vec![
            ("ring", twice(rings(n, part, &[1]))),
            ("two-rings", twice(rings(n, part / 2.0, &[1, n - 1]))),
            ("recursive-doubling", power(n, |k| exchange(n, 1 << k, 1.0))),
            ("halving-doubling", [turned(doubling(n, part)), doubling(n, part)].concat()),
            ("double-tree", vec![both_ways(double_tree(n), 0.5)]),
            ("direct", twice(direct(n, part))),
        ],
        Operation::Broadcast => vec![
            ("binomial", binomial(n, root, |_| 1.0)),
            ("knomial", knomial(n, root)),
            ("scatter-ring", scattered(n, root, rings(n, part, &[1]))),
            ("scatter-doubling", scattered(n, root, doubling(n, part))),
            ("double-tree", vec![from_two_roots(n, root)]),
            ("chain", chain(n, root)),
        ],
        Operation::Reduce => vec![("binomial", turned(binomial(n, root, |_| 1.0))), ("chain", turned(chain(n, root)))],
        Operation::Alltoall => {
            vec![("pairwise", direct(n, 1.0)), ("at-once", at_once(n)), ("bruck", bruck_of_pairs(n))]
        }
        Operation::Gather => {
            vec![("binomial", turned(binomial(n, root, f64::from))), ("direct", turned(from_root(n, root)))]
        }
        Operation::Scatter => vec![("binomial", binomial(n, root, f64::from)), ("direct", from_root(n, root))],
    };
    let found = found.into_iter().chain(boxed::algorithms(operation, n, root, boxes));
    found.filter(|(_, steps)| !steps.is_empty()).map(|(name, steps)| Algorithm { name, steps }).collect()
}

/// The collective of the library that plays an algorithm, and the radix of its tree; none for what it lacks, and for pipelines,
/// which here have as many pieces as one likes.
pub fn played(operation: Operation, algorithm: &str) -> Option<(&'static str, u32)> {
    let name = match (operation, algorithm) {
        (Operation::Allgather, "ring") => "allgather-ring",
        (Operation::Allgather, "recursive-doubling") => "allgather-doubling",
        (Operation::Allgather, "bruck") => "allgather-bruck",
        (Operation::ReduceScatter, "ring") => "reduce-scatter-ring",
        (Operation::ReduceScatter, "recursive-halving") => "reduce-scatter-halving",
        (Operation::Allreduce, "ring") => "allreduce-ring",
        (Operation::Allreduce, "recursive-doubling") => "allreduce-doubling",
        (Operation::Allreduce, "halving-doubling") => "rabenseifner",
        (Operation::Broadcast, "binomial") => "binomial",
        (Operation::Broadcast, "knomial") => "knomial",
        (Operation::Broadcast, "scatter-ring") => "scatter-ring",
        (Operation::Broadcast, "scatter-doubling") => "scatter-doubling",
        (Operation::Reduce, "binomial") => "reduce-knomial",
        (Operation::Alltoall, "pairwise") => "pairwise",
        (Operation::Alltoall, "at-once") => "linear",
        (Operation::Alltoall, "bruck") => "bruck",
        _ => return None,
    };
    Some((name, if name == "reduce-knomial" { 2 } else { 4 }))
}

fn shift(n: u32, by: u32, amount: f64) -> Vec<(u32, u32, f64)> {
    (0..n).map(|r| (r, (r + by) % n, amount)).collect()
}

/// Blocks that go around: all rings at once.
fn rings(n: u32, amount: f64, by: &[u32]) -> Vec<Step> {
    vec![Step::of(by.iter().flat_map(|&by| shift(n, by, amount)).collect()).repeated(n - 1)]
}

fn exchange(n: u32, distance: u32, amount: f64) -> Step {
    Step::of((0..n).map(|r| (r, r ^ distance, amount)).collect())
}

/// A step for each digit of a power of two; none where `n` is another number.
fn power(n: u32, step: impl Fn(u32) -> Step) -> Vec<Step> {
    if n.is_power_of_two() { (0..n.ilog2()).map(step).collect() } else { Vec::new() }
}

fn doubling(n: u32, amount: f64) -> Vec<Step> {
    power(n, |k| exchange(n, 1 << k, amount * f64::from(1u32 << k)))
}

fn bruck(n: u32) -> Vec<Step> {
    powers(2, n).map(|d| Step::of(shift(n, n - d, f64::from(d.min(n - d))))).collect()
}

/// Blocks of all pairs, each on its way by the binary digits of how far it goes.
fn bruck_of_pairs(n: u32) -> Vec<Step> {
    let blocks = |d: u32| (1..n).filter(|far| far & d != 0).count() as f64;
    powers(2, n).map(|d| Step::of(shift(n, d, blocks(d)))).collect()
}

/// Far first, with little data.
fn pat(n: u32) -> Vec<Step> {
    power(n, |k| Step::of(shift(n, n >> (k + 1), f64::from(1u32 << k))))
}

fn direct(n: u32, amount: f64) -> Vec<Step> {
    if n > MOST_PAIRS {
        return Vec::new();
    }
    (1..n).map(|by| Step::of(shift(n, by, amount))).collect()
}

fn at_once(n: u32) -> Vec<Step> {
    if n > MOST_PAIRS {
        return Vec::new();
    }
    vec![Step::of((1..n).flat_map(|by| shift(n, by, 1.0)).collect())]
}

fn twice(steps: Vec<Step>) -> Vec<Step> {
    [steps.clone(), steps].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Amounts alone: every rank takes in what it must.
    #[test]
    fn every_rank_gets_what_it_needs() {
        for n in [2u32, 3, 5, 8, 13, 16] {
            for root in [0, n - 1] {
                for operation in Operation::ALL {
                    let boxes: Vec<Vec<u32>> = (0..n).step_by(4).map(|r| (r..(r + 4).min(n)).collect()).collect();
                    for Algorithm { name, steps } in algorithms(operation, n, root, &boxes) {
                        let (mut into, mut out) = (vec![0.0; n as usize], vec![0.0; n as usize]);
                        for step in &steps {
                            for &(from, to, amount) in &step.sends {
                                assert!(from != to && from < n && to < n, "{name}");
                                out[from as usize] += amount * f64::from(step.times);
                                into[to as usize] += amount * f64::from(step.times);
                            }
                        }
                        let others = f64::from(n - 1);
                        let least = |r: u32| match operation {
                            Operation::Allgather | Operation::ReduceScatter | Operation::Alltoall => others,
                            // No rank alone has any element of the sum.
                            Operation::Allreduce => 1.0,
                            Operation::Broadcast | Operation::Scatter => f64::from(u32::from(r != root)),
                            Operation::Reduce => f64::from(u32::from(r == root)),
                            Operation::Gather => {
                                if r == root {
                                    others
                                } else {
                                    0.0
                                }
                            }
                        };
                        for r in 0..n {
                            let own = into[r as usize];
                            assert!(own > least(r) - 1e-9, "{} {name} n={n}: rank {r} gets {own}", operation.name());
                        }
                        let all: f64 = into.iter().sum();
                        let enough = operation != Operation::Allreduce || all > 2.0 * others - 1e-9;
                        assert!(enough, "{name} n={n}: every element leaves all ranks but one, and comes back: {all}");
                    }
                }
            }
        }
    }

    /// All-to-all: every block goes as far as it must.
    #[test]
    fn blocks_of_pairs_go_their_digits() {
        for n in 2..40u32 {
            let hops: f64 = bruck_of_pairs(n).iter().map(|step| step.sends[0].2).sum();
            assert_eq!(hops, f64::from((1..n).map(u32::count_ones).sum::<u32>()));
        }
    }

    /// Allgathers played with sets: everybody has everything in the end.
    #[test]
    fn bruck_doubling_and_pat_send_what_they_have() {
        for n in [2u32, 4, 8, 16] {
            for (name, steps) in [("bruck", bruck(n)), ("doubling", doubling(n, 1.0)), ("pat", pat(n))] {
                let mut has: Vec<BTreeSet<u32>> = (0..n).map(|r| BTreeSet::from([r])).collect();
                for step in steps {
                    let before = has.clone();
                    for (from, to, amount) in step.sends {
                        assert!(f64::from(before[from as usize].len() as u32) >= amount - 1e-9, "{name}");
                        has[to as usize].extend(&before[from as usize]);
                    }
                }
                assert!(has.iter().all(|h| h.len() == n as usize), "{name} {n}");
            }
        }
    }
}
