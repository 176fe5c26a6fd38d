//! Linear-constant maps y = Ax + b of digit vectors. Wang, Hou and Ku, section 2.3.

use super::{Field, Matrix};

/// y = Ax + b on vectors of n digits, which are elements of a field of k
/// elements. A vector is the number sum of x_i * k^i: digit 0 runs fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affine {
    /// The matrix.
    pub a: Matrix,
    /// The constant, one element per digit.
    pub b: Vec<u8>,
}

impl Affine {
    /// y = Ax.
    pub fn linear(a: Matrix) -> Affine {
        let b = vec![0; a.len()];
        Affine { a, b }
    }

    /// The number of y for the number of x. O(n^2).
    pub fn image(&self, x: u32, field: &Field) -> u32 {
        let k = field.size();
        let y = self.a.apply(&digits(x, k, self.a.len()), field);
        number(&y.iter().zip(&self.b).map(|(&y, &b)| field.add(y, b)).collect::<Vec<_>>(), k)
    }

    /// The same map of vectors whose digits stand in reverse order.
    #[must_use]
    pub fn reversed(&self) -> Affine {
        Affine { a: self.a.reversed(), b: self.b.iter().rev().copied().collect() }
    }

    /// The images of all k^n numbers. O(k^n * n).
    pub fn table(&self, field: &Field) -> Vec<u32> {
        let (k, n) = (field.size(), self.a.len());
        let mut table = vec![number(&self.b, k)];
        for j in 0..n {
            let column: Vec<u8> = (0..n).map(|i| self.a.at(i, j)).collect();
            let low = table.clone();
            for x in field.elements().skip(1) {
                let step: Vec<u8> = column.iter().map(|&a| field.mul(a, x)).collect();
                table.extend(low.iter().map(|&y| {
                    let mut y = digits(y, k, n);
                    y.iter_mut().zip(&step).for_each(|(y, &s)| *y = field.add(*y, s));
                    number(&y, k)
                }));
            }
        }
        table
    }

    /// The map with this table, if it is linear-constant over the field.
    /// O(k^n * n).
    pub fn of_table(table: &[u32], field: &Field) -> Option<Affine> {
        let k = field.size();
        let n = table.len().checked_ilog(k as usize)? as usize;
        if (k as usize).checked_pow(n as u32) != Some(table.len()) || table.iter().any(|&y| y as usize >= table.len()) {
            return None;
        }
        let b = digits(table[0], k, n);
        let columns: Vec<Vec<u8>> = (0..n).map(|j| digits(table[(k as usize).pow(j as u32)], k, n)).collect();
        let a = Matrix::from_fn(n, |i, j| field.sub(columns[j][i], b[i]));
        let map = Affine { a, b };
        (map.table(field) == table).then_some(map)
    }

    /// The same communication after processor mapping x' = Qx: y' = QAQ^-1 x' +
    /// Qb (Theorem 2), or `None` where Q is singular. O(n^3).
    pub fn mapped(&self, q: &Matrix, field: &Field) -> Option<Affine> {
        let a = q.times(&self.a, field).times(&q.inverse(field)?, field);
        Some(Affine { a, b: q.apply(&self.b, field) })
    }
}

/// The n base-k digits of a number, lowest first.
pub fn digits(mut x: u32, k: u32, n: usize) -> Vec<u8> {
    let next = |_| {
        let digit = (x % k) as u8;
        x /= k;
        digit
    };
    (0..n).map(next).collect()
}

/// The number with these base-k digits, lowest first.
pub fn number(digits: &[u8], k: u32) -> u32 {
    digits.iter().rev().fold(0, |x, &d| x * k + u32::from(d))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn tables_and_maps_are_two_forms_of_one_thing() {
        let mut rng = Rng::new(2, "affine");
        for (k, n) in [(2, 4), (3, 3), (4, 3), (16, 2), (5, 1)] {
            let f = Field::new(k).expect("field");
            let mut any = || rng.below(u64::from(k)) as u8;
            let map = Affine { a: Matrix::from_fn(n, |_, _| any()), b: (0..n).map(|_| any()).collect() };
            let table = map.table(&f);
            assert!((0..k.pow(n as u32)).all(|x| map.image(x, &f) == table[x as usize]));
            assert_eq!(Affine::of_table(&table, &f), Some(map));
            let mut other = table;
            other.swap(0, 1);
            other[2 % k as usize] = (other[2 % k as usize] + 1) % k;
            assert!(k < 4 || Affine::of_table(&other, &f).is_none());
        }
        assert_eq!(Affine::of_table(&[0, 1, 2], &Field::new(2).expect("field")), None, "no power of 2");
    }
}
