//! How many messages share the busiest link of every dimension: Theorem 1 of
//! Wang, Hou and Ku, made exact.
//!
//! A message turns dimension 0 first, so while it moves along dimension i its
//! lower coordinates are the target's and its higher ones still the source's.
//! The messages on one ring are therefore the solutions of linear equations in
//! x_0..x_i: either none or M*k of them, M = k^(i - rank of the first i rows and
//! i+1 columns of A). Where they enter and leave the ring (at one place or
//! evenly at all k) is decided by three more ranks. Where entry and exit are
//! tied one to one, the message that enters at x leaves at alpha*x + c: the
//! paper bounds that case by k/2*M; it is M times the load of that permutation.
//!
//! Where both ways round a ring are equally long, messages go towards +.

use crate::gf::{Affine, Field, Matrix};

/// The cases of Theorem 1: where messages enter and leave a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Case {
    /// (1) All enter at one place and leave at one place.
    OneToOne,
    /// (2) All enter at one place and leave evenly at all.
    OneToAll,
    /// (3) All enter evenly at all places and leave at one.
    AllToOne,
    /// (4a) As many messages from every place to every place.
    AllToAll,
    /// (4b) The messages that enter at x leave at alpha*x + c.
    Permutation,
}

/// One dimension of a linear-constant communication.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Contention {
    /// Which case of Theorem 1.
    pub case: Case,
    /// T_i: messages that share its busiest link. A whole number, exact up to 2^53.
    pub paths: f64,
    /// The paper's formula, which is a bound in case (4b).
    pub bound: f64,
}

/// T_0, T_1, ... of the messages from x to Ax + b on a k-ary n-cube under
/// dimension-order routing. O(n^4 + n k^2).
pub fn contention(map: &Affine, field: &Field) -> Vec<Contention> {
    (0..map.a.len()).map(|i| dimension(&map.a, &map.b, i, field, true)).collect()
}

/// T_0, T_1, ... of the messages from Ax + b to x: a scatter where A is
/// singular. Dimensions are still turned in ascending order, so this is not the
/// contention of the gather read backwards: the minors are those of A with rows
/// and columns in reverse order. O(n^4 + n k^2).
pub fn scatter_contention(map: &Affine, field: &Field) -> Vec<Contention> {
    let (a, mut b) = (map.a.reversed(), map.b.clone());
    b.reverse();
    (0..a.len()).rev().map(|i| dimension(&a, &b, i, field, false)).collect()
}

/// T, the largest T_i.
pub fn worst(contention: &[Contention]) -> f64 {
    contention.iter().map(|c| c.paths).fold(0.0, f64::max)
}

/// The case of dimension i, and the rank of the first i rows and i+1 columns.
pub(super) fn classify(a: &Matrix, i: usize, field: &Field) -> (Case, usize) {
    let rank = |rows, columns| a.rank_of(rows, columns, field);
    let (inner, wide, tall, whole) = (rank(i, i), rank(i, i + 1), rank(i + 1, i), rank(i + 1, i + 1));
    let case = match (wide > inner, whole > wide) {
        (true, false) => Case::OneToOne,
        (true, true) => Case::OneToAll,
        (false, false) => Case::AllToOne,
        (false, true) if tall == whole => Case::AllToAll,
        (false, true) => Case::Permutation,
    };
    (case, wide)
}

fn dimension(a: &Matrix, b: &[u8], i: usize, field: &Field, forward: bool) -> Contention {
    let k = field.size();
    let size = f64::from(k);
    let (case, wide) = classify(a, i, field);
    let m = size.powi((i - wide) as i32);
    let far = k / 2;
    let alone = (0..a.len()).all(|j| j == i || a.at(i, j) == 0);
    let (paths, bound) = match case {
        Case::OneToOne if alone && a.at(i, i) == 1 && b[i] == 0 => (0.0, 0.0),
        Case::OneToOne => (size * m, size * m),
        Case::OneToAll | Case::AllToOne => (f64::from(far) * m, f64::from(far) * m),
        Case::AllToAll => {
            // Of k^2 pairs of places those at distance d <= k/2 put d messages on each link of one way.
            let pairs = far * (far + 1) / 2;
            let paths = f64::from(pairs) * m / size;
            (paths, paths)
        }
        Case::Permutation => {
            let alpha = pivot(a, i, field);
            let load = |c: u8| permutation_load(alpha, c, field, forward);
            // A row that depends on other digits meets every constant on some ring.
            let most = if alone { load(b[i]) } else { field.elements().map(load).max().unwrap_or(0) };
            (f64::from(most) * m, f64::from(far) * m)
        }
    };
    Contention { case, paths, bound }
}

/// The last cell of row i after the rows above have cleared the others.
pub(super) fn pivot(a: &Matrix, i: usize, field: &Field) -> u8 {
    let mut rows: Vec<Vec<u8>> = (0..=i).map(|r| a.row(r)[..=i].to_vec()).collect();
    let mut free = 0;
    for j in 0..i {
        let Some(found) = (free..i).find(|&r| rows[r][j] != 0) else { continue };
        rows.swap(free, found);
        let own = rows[free].clone();
        for row in rows[free + 1..].iter_mut().filter(|row| row[j] != 0) {
            let c = field.neg(field.mul(row[j], field.inv(own[j])));
            field.add_multiple(row, c, &own);
        }
        free += 1;
    }
    rows[i][i]
}

/// Largest load of a link of a ring of k places when the message at x goes to
/// alpha*x + c, or the other way where not `forward`. O(k).
pub fn permutation_load(alpha: u8, c: u8, field: &Field, forward: bool) -> u32 {
    let k = field.size() as usize;
    // Differences of the loads of the links that leave each place, towards + and -.
    let mut change = [vec![0i32; 2 * k + 1], vec![0i32; 2 * k + 1]];
    for x in field.elements() {
        let y = usize::from(field.add(field.mul(alpha, x), c));
        let (from, to) = if forward { (usize::from(x), y) } else { (y, usize::from(x)) };
        let up = (to + k - from) % k;
        // Down from `from` to `to` crosses the links that leave to+1..=from.
        let (way, first, steps) = if 2 * up <= k { (0, from, up) } else { (1, to + 1, k - up) };
        change[way][first] += 1;
        change[way][first + steps] -= 1;
    }
    let most = |change: &[i32]| {
        let sums = change.iter().scan(0, |sum, c| {
            *sum += c;
            Some(*sum)
        });
        let line: Vec<i32> = sums.collect();
        (0..k).map(|x| line[x] + line[x + k]).max().unwrap_or(0)
    };
    most(&change[0]).max(most(&change[1])) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads of all pivots 1, 2, ..., the worst constant each.
    fn loads(k: u32, polynomial: u32) -> Vec<u32> {
        let field = Field::with_polynomial(k, polynomial).expect("field");
        let worst = |alpha| field.elements().map(|c| permutation_load(alpha, c, &field, true)).max();
        field.elements().skip(1).filter_map(worst).collect()
    }

    #[test]
    fn pivots_load_rings_by_value_and_polynomial() {
        assert_eq!((loads(2, 2), loads(4, 7)), (vec![1], vec![2, 1, 1]));
        assert_eq!((loads(8, 11), loads(8, 13)), (vec![4, 2, 3, 3, 2, 3, 3], vec![4, 2, 2, 2, 2, 2, 2]));
        assert_eq!(loads(16, 19), [8, 4, 5, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 4]);
        assert_eq!(loads(16, 25)[..8], [8, 4, 4, 3, 4, 3, 4, 4]);
    }

    #[test]
    fn the_examples_of_the_paper() {
        let field = Field::new(4).expect("field");
        let paths = |map: &Affine| contention(map, &field).iter().map(|c| c.paths).collect::<Vec<_>>();
        let transpose = Affine::linear(Matrix::permutation(&[2, 3, 0, 1]));
        assert_eq!(paths(&transpose), [2.0, 8.0, 8.0, 2.0], "Example 3");
        let q = Matrix::from_fn(4, |i, j| u8::from(i == j || i + 2 == j));
        assert_eq!(paths(&transpose.mapped(&q, &field).expect("regular")), [0.0, 0.0, 2.0, 2.0], "Example 4");
    }
}
