//! Linear mappings with lightly loaded rings: below the minimum of the paper.
//!
//! For a regular A, Theorem 3 leaves every dimension in case (4b) with M = 1,
//! where T_i is the load of the permutation alpha*x + c of one ring. The paper
//! stops there and bounds it by k/2. But the multipliers of its row operations
//! choose alpha, the corner of the Schur complement: only the product of all of
//! them, the determinant, is given. So take those that load a ring least.

use super::construct::{Reduction, one};
use super::contention::{contention, permutation_load, worst};
use crate::gf::{Affine, Field, Matrix};
use crate::rng::Rng;

/// Sets of multipliers that are tried; the best is kept.
const TRIES: usize = 16;

/// A regular Q for a map with a regular matrix, and T after it. Never worse than
/// [`one`]. O(tries * n^4 + k^3).
pub fn small_pivots(map: &Affine, field: &Field, rng: &mut Rng) -> (Matrix, f64) {
    let load = |alpha| field.elements().map(|c| permutation_load(alpha, c, field, true)).max().unwrap_or(0);
    let loads: Vec<u32> = field.elements().map(|alpha| if alpha == 0 { u32::MAX } else { load(alpha) }).collect();
    let contention_of = |q: &Matrix| map.mapped(q, field).map_or(f64::INFINITY, |m| worst(&contention(&m, field)));
    let first = one(&map.a, field);
    let mut best = (contention_of(&first), first);
    for _ in 0..TRIES {
        if best.0 <= 1.0 {
            break;
        }
        let q = attempt(&map.a, field, &loads, rng);
        let t = contention_of(&q);
        if t < best.0 {
            best = (t, q);
        }
    }
    (best.1, best.0)
}

/// One choice of multipliers: at every step the corner with the least load, of
/// equals a random one; before the last step the two together.
fn attempt(a: &Matrix, field: &Field, loads: &[u32], rng: &mut Rng) -> Matrix {
    let n = a.len();
    let (mut r, mut q) = (Reduction { s: a.clone() }, Matrix::identity(n));
    let mut rest = determinant(a, field);
    for h in 0..n {
        if let Some(l) = free_row(&mut r, &mut q, h, field) {
            let last = h + 2 == n;
            let cost = |alpha: u8| {
                let left = field.mul(rest, field.inv(alpha));
                loads[alpha as usize].max(if last { loads[left as usize] } else { 0 })
            };
            let least = field.elements().skip(1).map(cost).min().unwrap_or(0);
            let choices: Vec<u8> = field.elements().skip(1).filter(|&alpha| cost(alpha) == least).collect();
            let alpha = choices[rng.below(choices.len() as u64) as usize];
            let c = field.mul(field.sub(alpha, r.s.at(h, h)), field.inv(r.s.at(l, h)));
            r.add(h, c, l, field);
            q.add_row(h, c, l, field);
        }
        if r.s.at(h, h) == 0 {
            break;
        }
        rest = field.mul(rest, field.inv(r.s.at(h, h)));
        r.eliminate(h, field);
    }
    q
}

/// A row below the corner with a cell in its column, made where there is none:
/// any corner can then be had. `None` where the Schur complement is a multiple
/// of the identity, which no mapping changes.
fn free_row(r: &mut Reduction, q: &mut Matrix, h: usize, field: &Field) -> Option<usize> {
    let n = r.s.len();
    let below = |s: &Matrix| (h + 1..n).find(|&l| s.at(l, h) != 0);
    if below(&r.s).is_none() {
        let cell = (h..n).flat_map(|j| (h..n).map(move |i| (i, j))).find(|&(i, j)| i != j && r.s.at(i, j) != 0);
        if let Some((_, j)) = cell {
            r.swap(h, j);
            q.swap_rows(h, j);
        } else {
            let other = (h + 1..n).find(|&j| r.s.at(j, j) != r.s.at(h, h))?;
            r.add(other, 1, h, field);
            q.add_row(other, 1, h, field);
        }
    }
    below(&r.s)
}

fn determinant(a: &Matrix, field: &Field) -> u8 {
    let mut r = Reduction { s: a.clone() };
    let (mut product, n) = (1, a.len());
    for h in 0..n {
        let Some(l) = (h..n).find(|&l| r.s.at(l, h) != 0) else { return 0 };
        if l != h {
            r.s.swap_rows(h, l);
            product = field.neg(product);
        }
        product = field.mul(product, r.s.at(h, h));
        r.eliminate(h, field);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random regular maps keep to these T; the paper's mapping has k/2 on most.
    #[test]
    fn pivots_are_chosen_below_the_minimum_of_the_paper() {
        let mut rng = Rng::new(4, "pivots");
        for (k, polynomial, most) in [(4, 7, 1.0), (8, 13, 2.0), (16, 25, 4.0)] {
            let field = Field::with_polynomial(k, polynomial).expect("field");
            for round in 0..40 {
                let n = 2 + round % 4;
                let a = Matrix::from_fn(n, |_, _| rng.below(u64::from(k)) as u8);
                let scalar = (0..n).all(|i| (0..n).all(|j| i == j && a.at(i, j) == a.at(0, 0) || a.at(i, j) == 0));
                if a.rank(&field) < n || scalar {
                    continue;
                }
                let (q, t) = small_pivots(&Affine::linear(a.clone()), &field, &mut rng);
                assert!(t <= most && q.inverse(&field).is_some(), "{k} {n}: {t} {a:?}");
            }
        }
    }

    #[test]
    fn the_transpose_reaches_one() {
        let field = Field::new(4).expect("field");
        let map = Affine::linear(Matrix::permutation(&[2, 3, 0, 1]));
        assert_eq!(small_pivots(&map, &field, &mut Rng::new(0, "pivots")).1, 1.0);
    }
}
