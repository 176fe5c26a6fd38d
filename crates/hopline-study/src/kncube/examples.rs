//! Examples 1 to 5.

use super::brute::Cube;
use super::{digit_reverse, elements, equal, transpose};
use crate::{Finding, Key};
use hopline::error::Result;
use hopline::gf::{Affine, Field, Matrix, digits, number};
use hopline::mapping::linear::{contention, one, several, worst};

/// Q of Example 4.
const Q4: [[u8; 4]; 4] = [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]];
/// QAQ^-1 of Example 4.
const NEW4: [[u8; 4]; 4] = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1]];
/// Q of Example 5.
pub(super) const Q5: [[u8; 4]; 4] = [[1, 0, 1, 1], [0, 1, 2, 1], [0, 0, 1, 0], [0, 0, 0, 1]];
/// (1') and (2') of Example 5.
const NEW5: [[[u8; 4]; 4]; 2] = [
    [[1, 1, 2, 0], [2, 1, 0, 2], [1, 0, 1, 1], [0, 1, 2, 1]],
    [[1, 1, 3, 1], [1, 2, 3, 3], [0, 1, 2, 1], [1, 0, 1, 1]],
];

pub(super) fn findings() -> Result<Vec<Finding>> {
    let field = Field::new(4)?;
    let cube = Cube::new(4, 4)?;
    let (swap, reverse) = (transpose(4), digit_reverse(4));
    let mut found = vec![example_1(&swap, &field)];
    found.extend(paths("Example 3: T_i, matrix transpose, 4-ary 4-cube", &swap, [2.0, 8.0, 8.0, 2.0], &cube, &field)?);
    let q = elements(Q4);
    let item = "Example 4: matrix transpose, mapped";
    found.push(cells(item, "cells of Q Q that are those of the identity", &q.times(&q, &field), &Matrix::identity(4)));
    found.push(cells(item, "cells of Q A Q^-1 as printed", &q.times(&swap, &field).times(&q, &field), &elements(NEW4)));
    found.push(cells(item, "cells of the Q that Theorem 3 makes here as printed", &one(&swap, &field), &q));
    found.extend(paths(
        "Example 4: T_i after the mapping",
        &q.times(&swap, &field).times(&q, &field),
        [0.0, 0.0, 2.0, 2.0],
        &cube,
        &field,
    )?);
    found.extend(example_5(&[swap, reverse], &cube, &field)?);
    Ok(found)
}

fn example_1(swap: &Matrix, field: &Field) -> Finding {
    let map = Affine::linear(swap.clone());
    let as_worded = |x: &u32| {
        let d = digits(*x, 4, 4);
        map.image(*x, field) == number(&[d[2], d[3], d[0], d[1]], 4)
    };
    let count = (0..256).filter(as_worded).count();
    equal(
        "Example 1",
        &[],
        "nodes that A_m sends where section 4 words it, (d0,d1,d2,d3) to (d2,d3,d0,d1)",
        256.0,
        count as f64,
    )
}

/// Printed T_i beside Theorem 1 and brute force.
fn paths(item: &str, a: &Matrix, printed: [f64; 4], cube: &Cube, field: &Field) -> Result<Vec<Finding>> {
    let map = Affine::linear(a.clone());
    let theorem = contention(&map, field);
    let counted = cube.contention(&map.table(field), false)?;
    let row = |i: usize, column: &str, t| equal(item, &[("dimension", Key::Number(i as u32))], column, printed[i], t);
    Ok((0..4).flat_map(|i| [row(i, "Theorem 1", theorem[i].paths), row(i, "brute force", counted[i])]).collect())
}

fn cells(item: &str, says: &str, ours: &Matrix, printed: &Matrix) -> Finding {
    let all = printed.len() * printed.len();
    let same = (0..all).filter(|at| ours.at(at / 4, at % 4) == printed.at(at / 4, at % 4)).count();
    equal(item, &[], says, all as f64, same as f64)
}

fn example_5(pair: &[Matrix; 2], cube: &Cube, field: &Field) -> Result<Vec<Finding>> {
    let item = "Example 5: one mapping for matrix transpose and digit reversal";
    let q = elements(Q5);
    let mut found =
        vec![cells(item, "cells of Q Q that are those of the identity", &q.times(&q, field), &Matrix::identity(4))];
    let built = several(pair, field)?;
    for (name, a, new) in [("(1')", &pair[0], NEW5[0]), ("(2')", &pair[1], NEW5[1])] {
        let mapped = Affine::linear(q.times(a, field).times(&q, field));
        found.push(cells(item, &format!("cells of {name} as printed"), &mapped.a, &elements(new)));
        let counted = cube.contention(&mapped.table(field), false)?;
        let t = counted.iter().copied().fold(0.0, f64::max);
        found.push(equal(item, &[], &format!("T of {name}, brute force"), 2.0, t));
        let ours = Affine::linear(a.clone()).mapped(&built, field).map_or(f64::NAN, |m| worst(&contention(&m, field)));
        let finding = equal(item, &[], &format!("T of {name} under the Q that Theorem 4 makes here"), 2.0, ours);
        found.push(finding.remark("another Q than the printed one: at each step several rows and multipliers will do"));
    }
    Ok(found)
}
