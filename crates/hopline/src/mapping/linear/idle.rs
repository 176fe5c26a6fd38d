//! Dimensions without communication, set aside before a mapping is constructed.
//! Wang, Hou and Ku, section 3, before Theorem 3.
//!
//! T_i = 0 where row i of A is that of the identity and b_i = 0. Such dimensions are
//! moved behind the others, which a mapping is then constructed for; they stay idle.

use crate::gf::{Affine, Matrix};

/// The dimensions i in which no message of any of `maps` moves.
pub fn idle(maps: &[Affine]) -> Vec<usize> {
    let still = |map: &Affine, i: usize| map.b[i] == 0 && (0..map.a.len()).all(|j| map.a.at(i, j) == u8::from(i == j));
    (0..maps.first().map_or(0, |m| m.a.len())).filter(|&i| maps.iter().all(|map| still(map, i))).collect()
}

/// The dimensions of maps of n digits in the order that moves the `idle` ones, ascending, to the end.
pub fn idle_last(n: usize, idle: &[usize]) -> Vec<usize> {
    (0..n).filter(|i| !idle.contains(i)).chain(idle.iter().copied()).collect()
}

/// A regular Q from what `construct` makes for the matrices of `maps` without their idle
/// dimensions, which come last and stay idle. O(n^2) and what `construct` takes.
///
/// # Errors
/// Those of `construct`.
pub fn set_aside<E>(maps: &[Affine], construct: impl FnOnce(&[Matrix]) -> Result<Matrix, E>) -> Result<Matrix, E> {
    let n = maps.first().map_or(0, |m| m.a.len());
    let idle = idle(maps);
    let (order, busy) = (idle_last(n, &idle), n - idle.len());
    let parts: Vec<Matrix> =
        maps.iter().map(|map| Matrix::from_fn(busy, |i, j| map.a.at(order[i], order[j]))).collect();
    let part = if busy == 0 { Matrix::identity(0) } else { construct(&parts)? };
    let mut q = Matrix::from_fn(n, |_, _| 0);
    (0..busy).for_each(|i| (0..busy).for_each(|j| q.set(i, order[j], part.at(i, j))));
    (busy..n).for_each(|i| q.set(i, order[i], 1));
    Ok(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gf::Field;
    use crate::mapping::linear::{contention, one};
    use std::convert::Infallible;

    #[test]
    fn idle_dimensions_stay_idle() {
        let field = Field::new(4).expect("field");
        // y = (x2 + x1, x1, x0), dimension 1 idle.
        let a = Matrix::from_fn(3, |i, j| [[0, 1, 1], [0, 1, 0], [1, 0, 0]][i][j]);
        let map = Affine::linear(a);
        assert_eq!(idle(std::slice::from_ref(&map)), [1]);
        let build = |m: &[Matrix]| Ok::<_, Infallible>(one(&m[0], &field));
        let q = set_aside(std::slice::from_ref(&map), build).unwrap_or_else(|e| match e {});
        let mapped = map.mapped(&q, &field).expect("regular");
        assert_eq!(idle(std::slice::from_ref(&mapped)), [2]);
        assert!(contention(&mapped, &field).iter().all(|c| c.paths <= 2.0));
        let nothing = [Affine::linear(Matrix::identity(2))];
        assert_eq!(set_aside(&nothing, build).unwrap_or_else(|e| match e {}), Matrix::identity(2));
        let shifted = Affine { a: Matrix::identity(2), b: vec![0, 3] };
        assert_eq!(idle(&[shifted]), [0], "a constant moves every message");
    }
}
