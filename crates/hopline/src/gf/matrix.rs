//! Square matrices over a finite field.

use super::Field;

/// A square matrix, row by row. The field is handed to what needs it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Matrix {
    n: usize,
    cells: Vec<u8>,
}

impl Matrix {
    /// The matrix with `cell(i, j)` in row i and column j.
    pub fn from_fn(n: usize, mut cell: impl FnMut(usize, usize) -> u8) -> Matrix {
        let cells = (0..n * n).map(|at| cell(at / n, at % n)).collect();
        Matrix { n, cells }
    }

    /// The identity.
    pub fn identity(n: usize) -> Matrix {
        Matrix::from_fn(n, |i, j| u8::from(i == j))
    }

    /// The permutation of digits in which digit i of y is digit `order[i]` of x.
    pub fn permutation(order: &[usize]) -> Matrix {
        Matrix::from_fn(order.len(), |i, j| u8::from(order[i] == j))
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// True where it has no row.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The cell in row i and column j.
    #[inline]
    pub fn at(&self, i: usize, j: usize) -> u8 {
        self.cells[i * self.n + j]
    }

    /// Changes the cell in row i and column j.
    #[inline]
    pub fn set(&mut self, i: usize, j: usize, value: u8) {
        self.cells[i * self.n + j] = value;
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[u8] {
        &self.cells[i * self.n..][..self.n]
    }

    /// Exchanges rows i and j.
    pub fn swap_rows(&mut self, i: usize, j: usize) {
        (0..self.n).for_each(|c| self.cells.swap(i * self.n + c, j * self.n + c));
    }

    /// Exchanges columns i and j.
    pub fn swap_columns(&mut self, i: usize, j: usize) {
        (0..self.n).for_each(|r| self.cells.swap(r * self.n + i, r * self.n + j));
    }

    /// Adds c times row `from` to row `to`, another one.
    pub fn add_row(&mut self, to: usize, c: u8, from: usize, field: &Field) {
        let n = self.n;
        let (low, high) = self.cells.split_at_mut(to.max(from) * n);
        let (a, b) = (&mut low[to.min(from) * n..][..n], &mut high[..n]);
        if to < from { field.add_multiple(a, c, b) } else { field.add_multiple(b, c, a) }
    }

    /// Adds c times column `from` to column `to`.
    pub fn add_column(&mut self, to: usize, c: u8, from: usize, field: &Field) {
        for row in self.cells.chunks_mut(self.n) {
            row[to] = field.add(row[to], field.mul(c, row[from]));
        }
    }

    /// The product with another matrix of the same size. O(n^3).
    #[must_use]
    pub fn times(&self, other: &Matrix, field: &Field) -> Matrix {
        let mut product = Matrix::from_fn(self.n, |_, _| 0);
        for (row, to) in self.cells.chunks(self.n).zip(product.cells.chunks_mut(self.n)) {
            row.iter().enumerate().for_each(|(j, &c)| field.add_multiple(to, c, other.row(j)));
        }
        product
    }

    /// The product with a column of n elements.
    pub fn apply(&self, x: &[u8], field: &Field) -> Vec<u8> {
        let dot = |row: &[u8]| row.iter().zip(x).fold(0, |sum, (&a, &b)| field.add(sum, field.mul(a, b)));
        self.cells.chunks(self.n).map(dot).collect()
    }

    /// The inverse, or `None` where the matrix is singular. O(n^3).
    pub fn inverse(&self, field: &Field) -> Option<Matrix> {
        let (mut left, mut right) = (self.clone(), Matrix::identity(self.n));
        for h in 0..self.n {
            let pivot = (h..self.n).find(|&i| left.at(i, h) != 0)?;
            left.swap_rows(h, pivot);
            right.swap_rows(h, pivot);
            let scale = field.inv(left.at(h, h));
            for m in [&mut left, &mut right] {
                m.cells[h * self.n..][..self.n].iter_mut().for_each(|x| *x = field.mul(*x, scale));
            }
            for i in (0..self.n).filter(|&i| i != h) {
                let c = field.neg(left.at(i, h));
                if c != 0 {
                    left.add_row(i, c, h, field);
                    right.add_row(i, c, h, field);
                }
            }
        }
        Some(right)
    }

    /// Rank of the upper left part of so many rows and columns. O(n^3).
    pub fn rank_of(&self, rows: usize, columns: usize, field: &Field) -> usize {
        let mut rest: Vec<Vec<u8>> = (0..rows).map(|i| self.row(i)[..columns].to_vec()).collect();
        let mut rank = 0;
        for j in 0..columns {
            let Some(pivot) = (rank..rows).find(|&i| rest[i][j] != 0) else { continue };
            rest.swap(rank, pivot);
            let (done, below) = rest.split_at_mut(rank + 1);
            let (own, scale) = (&done[rank], field.inv(done[rank][j]));
            for row in below.iter_mut().filter(|row| row[j] != 0) {
                let c = field.neg(field.mul(row[j], scale));
                field.add_multiple(row, c, own);
            }
            rank += 1;
        }
        rank
    }

    /// Rank. O(n^3).
    pub fn rank(&self, field: &Field) -> usize {
        self.rank_of(self.n, self.n, field)
    }

    /// How many of the upper left 1x1, 2x2, ... parts are regular before the
    /// first that is not. O(n^3).
    pub fn regular_minors(&self, field: &Field) -> usize {
        let mut rest = self.clone();
        for h in 0..self.n {
            if rest.at(h, h) == 0 {
                return h;
            }
            let scale = field.inv(rest.at(h, h));
            for i in h + 1..self.n {
                let c = field.neg(field.mul(rest.at(i, h), scale));
                rest.add_row(i, c, h, field);
            }
        }
        self.n
    }

    /// Rows and columns in reverse order.
    #[must_use]
    pub fn reversed(&self) -> Matrix {
        let cells = self.cells.iter().rev().copied().collect();
        Matrix { n: self.n, cells }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn inverses_ranks_and_minors_agree() {
        let mut rng = Rng::new(1, "matrix");
        for size in [2, 3, 4, 9, 16] {
            let f = Field::new(size).expect("field");
            for n in 1..=5 {
                for _ in 0..40 {
                    let m = Matrix::from_fn(n, |_, _| rng.below(u64::from(size)) as u8);
                    let inverse = m.inverse(&f);
                    assert_eq!(inverse.is_some(), m.rank(&f) == n);
                    if let Some(inverse) = inverse {
                        assert_eq!(m.times(&inverse, &f), Matrix::identity(n));
                        assert_eq!(inverse.times(&m, &f), Matrix::identity(n));
                    }
                    let regular = (1..=n).take_while(|&h| m.rank_of(h, h, &f) == h).count();
                    assert_eq!(m.regular_minors(&f), regular);
                    assert_eq!(m.rank(&f), m.reversed().rank(&f));
                }
            }
        }
    }

    #[test]
    fn row_and_column_operations_are_products() {
        let f = Field::new(9).expect("field");
        let m = Matrix::from_fn(3, |i, j| (2 * i + 3 * j) as u8 % 9);
        let (mut e, mut rows, mut columns) = (Matrix::identity(3), m.clone(), m.clone());
        e.add_row(2, 5, 0, &f);
        rows.add_row(2, 5, 0, &f);
        columns.add_column(0, 5, 2, &f);
        assert_eq!((e.times(&m, &f), m.times(&e, &f)), (rows, columns));
        assert_eq!(Matrix::permutation(&[2, 0, 1]).apply(&[7, 8, 3], &f), [3, 7, 8]);
    }
}
