//! Linear processor mappings x' = Qx with the fewest shared paths that ranks
//! allow: Theorems 3 and 4 of Wang, Hou and Ku.
//!
//! Both choose Q so that the leading 1x1, 2x2, ... parts of QAQ^-1 are regular
//! up to the rank of A; then M = 1 in Theorem 1 for every dimension below the
//! rank. Proof in short: let the leading h x h part be regular and S be its
//! Schur complement, what elimination leaves of the rows and columns from h on.
//! The next part is regular exactly where the corner of S is not 0, and exchanges
//! and sums of rows from h on, with the inverse operations on columns, act on S
//! in the same way. Rank above h means S is not 0: exchange a column that is not
//! 0 into the first place, and if the corner is still 0, add a row that has a
//! cell there to the first row. For m matrices at once, add c times a column or
//! row instead: each other matrix forbids at most one c, and m-1 < k-1 of the
//! k-1 nonzero c are too few to forbid them all.

use crate::error::{Error, Result};
use crate::gf::{Field, Matrix};
use crate::rng::Rng;

/// How often a mapping for k matrices or more is looked for.
pub const TRIES: usize = 1000;

/// A matrix whose first h rows are eliminated from those below; operations on
/// rows from h on go with their inverses on columns.
pub(super) struct Reduction {
    /// Rows and columns from h on hold the Schur complement.
    pub(super) s: Matrix,
}

impl Reduction {
    pub(super) fn swap(&mut self, i: usize, j: usize) {
        self.s.swap_rows(i, j);
        self.s.swap_columns(i, j);
    }

    /// Row `to` += c * row `from`, column `from` -= c * column `to`.
    pub(super) fn add(&mut self, to: usize, c: u8, from: usize, field: &Field) {
        self.s.add_row(to, c, from, field);
        self.s.add_column(from, field.neg(c), to, field);
    }

    /// Clears column h below the corner, which is not 0.
    pub(super) fn eliminate(&mut self, h: usize, field: &Field) {
        let scale = field.neg(field.inv(self.s.at(h, h)));
        for i in h + 1..self.s.len() {
            let c = field.mul(self.s.at(i, h), scale);
            if c != 0 {
                self.s.add_row(i, c, h, field);
            }
        }
    }

    /// The first column from h on that is not 0 in the rows from h on.
    pub(super) fn column(&self, h: usize) -> Option<usize> {
        (h..self.s.len()).find(|&j| self.has_column(h, j))
    }

    fn has_column(&self, h: usize, j: usize) -> bool {
        (h..self.s.len()).any(|i| self.s.at(i, j) != 0)
    }
}

/// A regular Q such that the leading parts of QAQ^-1 are regular up to the rank
/// of A (Theorem 3). Exact in any field. O(n^3).
pub fn one(a: &Matrix, field: &Field) -> Matrix {
    let n = a.len();
    let (mut r, mut q) = (Reduction { s: a.clone() }, Matrix::identity(n));
    for h in 0..n {
        if r.s.at(h, h) == 0 {
            let Some(j) = r.column(h) else { break };
            r.swap(h, j);
            q.swap_rows(h, j);
            if r.s.at(h, h) == 0
                && let Some(l) = (h + 1..n).find(|&l| r.s.at(l, h) != 0)
            {
                r.add(h, 1, l, field);
                q.add_row(h, 1, l, field);
            }
        }
        r.eliminate(h, field);
    }
    q
}

/// A regular Q that does for all of `matrices`, of equal size, what [`one`] does
/// for one (Theorem 4). Always found for up to k-1 matrices. For more it may not
/// exist, or exist and be missed: one way through the construction can end where
/// another does not, so it is walked again from random bases, always the same
/// [`TRIES`]. O(m^2 n^3 k) for each of them.
///
/// # Errors
/// There are k matrices or more, and no try found a Q.
pub fn several(matrices: &[Matrix], field: &Field) -> Result<Matrix> {
    let n = matrices.first().map_or(0, Matrix::len);
    let mut rng = Rng::new(0, "one mapping for several");
    // A basis with which the construction has nothing left to do is among them,
    // wherever Q exists, so enough tries find one.
    let bases = std::iter::repeat_with(|| Matrix::from_fn(n, |_, _| rng.below(u64::from(field.size())) as u8));
    let bases = bases.filter_map(|p| p.inverse(field).map(|inverse| (p, inverse)));
    let turned = |(p, inverse): (Matrix, Matrix)| {
        let turned: Vec<Matrix> = matrices.iter().map(|a| p.times(a, field).times(&inverse, field)).collect();
        Some(attempt(&turned, field)?.times(&p, field))
    };
    attempt(matrices, field).or_else(|| bases.take(TRIES - 1).find_map(turned)).ok_or_else(|| {
        Error::input(format!(
            "no linear mapping for {} communications at once was found in {TRIES} tries",
            matrices.len()
        ))
        .hint(format!(
            "one always exists for up to {} on rings of {} nodes; for more it may not, or is missed",
            field.size() - 1,
            field.size()
        ))
    })
}

/// One way through the construction for several matrices; `None` where all
/// multipliers are forbidden.
fn attempt(matrices: &[Matrix], field: &Field) -> Option<Matrix> {
    let n = matrices.first().map_or(0, Matrix::len);
    let mut all: Vec<Reduction> = matrices.iter().map(|a| Reduction { s: a.clone() }).collect();
    let mut q = Matrix::identity(n);
    for h in 0..n {
        // Matrices whose rank is reached take no part any more.
        let active: Vec<usize> = (0..all.len()).filter(|&r| all[r].column(h).is_some()).collect();
        for &r in &active {
            if !all[r].has_column(h, h) {
                let j = all[r].column(h).unwrap_or(h);
                let c = field.elements().skip(1).find(|&c| {
                    active.iter().all(|&t| !all[t].has_column(h, h) || column_stays(&all[t].s, h, j, c, field))
                });
                add_to_all(&mut all, &mut q, j, c?, h, field);
            }
        }
        for &r in &active {
            let row = (h + 1..n).find(|&l| all[r].s.at(l, h) != 0).filter(|_| all[r].s.at(h, h) == 0);
            if let Some(l) = row {
                let corner = |s: &Matrix, c| field.add(s.at(h, h), field.mul(c, s.at(l, h)));
                let stays = |t: &usize, c| all[*t].s.at(h, h) == 0 || corner(&all[*t].s, c) != 0;
                let c = field.elements().skip(1).find(|&c| active.iter().all(|t| stays(t, c)));
                add_to_all(&mut all, &mut q, h, c?, l, field);
            }
        }
        active.iter().for_each(|&r| all[r].eliminate(h, field));
    }
    Some(q)
}

/// Whether column h minus c times column j is still not 0.
fn column_stays(s: &Matrix, h: usize, j: usize, c: u8, field: &Field) -> bool {
    (h..s.len()).any(|i| s.at(i, h) != field.mul(c, s.at(i, j)))
}

fn add_to_all(all: &mut [Reduction], q: &mut Matrix, to: usize, c: u8, from: usize, field: &Field) {
    all.iter_mut().for_each(|r| r.add(to, c, from, field));
    q.add_row(to, c, from, field);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_of_example_4() {
        let field = Field::new(4).expect("field");
        let q = one(&Matrix::permutation(&[2, 3, 0, 1]), &field);
        assert_eq!(q, Matrix::from_fn(4, |i, j| u8::from(i == j || i + 2 == j)));
    }

    #[test]
    fn leading_parts_are_regular_up_to_the_rank() {
        let mut rng = Rng::new(3, "construct");
        for k in [2, 3, 4, 8, 9, 16] {
            let field = Field::new(k).expect("field");
            for round in 0..60 {
                let n = 1 + round % 6;
                let sparse = u64::from(k) * (1 + rng.below(3));
                let any = |rng: &mut Rng| Matrix::from_fn(n, |_, _| (rng.below(sparse) % u64::from(k)) as u8);
                let set: Vec<Matrix> = (1..k.min(8)).map(|_| any(&mut rng)).collect();
                let q = several(&set, &field).expect("at most k-1");
                for (a, q) in set.iter().map(|a| (a, &q)).chain([(&set[0], &one(&set[0], &field))]) {
                    let mapped = q.times(a, &field).times(&q.inverse(&field).expect("regular"), &field);
                    assert!(mapped.regular_minors(&field) >= a.rank(&field), "{k} {a:?} {q:?}");
                }
            }
        }
    }
}
