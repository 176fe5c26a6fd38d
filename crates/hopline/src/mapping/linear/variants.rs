//! The algebra of Theorem 1 on networks akin to the k-ary n-cube: meshes, and
//! Omega networks, which Wang, Hou and Ku name in section 1.
//!
//! In a mesh, dimension-order routing fills the same lines by the same ranks as on
//! a cube, and only the load of one line is another: there is one way along it.
//!
//! In an Omega network with destination-tag routing the message from x to y
//! stands, after stage s of n, on the link whose number has the digits
//! (y_(n-s), ..., y_(n-1), x_0, ..., x_(n-s-1)), lowest first (Lawrie, "Access and
//! alignment of data in an array processor", 1975). The messages of y = Ax + b on
//! one link solve s equations for x_(n-s), ..., x_(n-1): none do or k^(s - rank) of
//! them, with the rank of the last s rows and columns of A. Nothing else counts,
//! so the construction of Theorem 3, its dimensions in reverse order, attains the
//! least T: 1 for permutations, k^(n - rank A) for gathers.

use super::contention::{Case, classify, pivot};
use super::one;
use crate::gf::{Affine, Field, Matrix};

/// Messages that share a link after each of the n stages of an Omega network. Exact. O(n^4).
pub fn omega_contention(a: &Matrix, field: &Field) -> Vec<f64> {
    let (last_first, k) = (a.reversed(), f64::from(field.size()));
    (1..=a.len()).map(|s| k.powi((s - last_first.rank_of(s, s, field)) as i32)).collect()
}

/// A regular Q such that the messages from Qx to Q(Ax + b) share links of an Omega network as
/// little as any mapping lets them: not at all where A is regular. O(n^3).
pub fn omega_mapping(a: &Matrix, field: &Field) -> Matrix {
    one(&a.reversed(), field).reversed()
}

/// T_0, T_1, ... of the messages from x to Ax + b on an n-dimensional mesh of k nodes a side,
/// dimension 0 first. Exact. O(n^4 + n k^2).
pub fn mesh_contention(map: &Affine, field: &Field) -> Vec<f64> {
    (0..map.a.len()).map(|i| line(&map.a, &map.b, i, field)).collect()
}

fn line(a: &Matrix, b: &[u8], i: usize, field: &Field) -> f64 {
    let k = field.size();
    let (case, wide) = classify(a, i, field);
    let m = f64::from(k).powi((i - wide) as i32);
    let alone = (0..a.len()).all(|j| j == i || a.at(i, j) == 0);
    let load = match case {
        Case::OneToOne if alone && a.at(i, i) == 1 && b[i] == 0 => 0.0,
        Case::OneToOne => f64::from(k),
        // All of a line enter or leave at one place: on some line at its end, behind a single link, unless y_i is
        // the same for all messages.
        Case::AllToOne if (0..a.len()).all(|j| a.at(i, j) == 0) => {
            f64::from(u32::from(b[i]).max(k - 1 - u32::from(b[i])))
        }
        Case::OneToAll | Case::AllToOne => f64::from(k - 1),
        // Of k^2 pairs of places those on both sides of the middle.
        Case::AllToAll => f64::from((k / 2) * k.div_ceil(2)) / f64::from(k),
        Case::Permutation => {
            let alpha = pivot(a, i, field);
            let cut = |c: u8| f64::from(line_load(alpha, c, field));
            if alone { cut(b[i]) } else { field.elements().map(cut).fold(0.0, f64::max) }
        }
    };
    load * m
}

/// Largest load of a link of a line of k places when the message at x goes to alpha*x + c.
fn line_load(alpha: u8, c: u8, field: &Field) -> u32 {
    let ends = |x: u8| (x, field.add(field.mul(alpha, x), c));
    let over = |cut: u8| field.elements().map(ends).filter(|&(x, y)| x <= cut && y > cut).count() as u32;
    // As many cross a cut upwards as downwards.
    field.elements().map(over).max().unwrap_or(0)
}
