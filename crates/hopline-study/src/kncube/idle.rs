//! Dimensions without communication, which section 3 sets aside before Theorem 3.

use super::brute::Cube;
use super::{all, ours, percent, random_map};
use crate::{Finding, Key, Options};
use hopline::error::Result;
use hopline::gf::{Affine, Field, Matrix};
use hopline::mapping::linear::{contention, idle, idle_last, one, set_aside};
use hopline::rng::Rng;
use rayon::prelude::*;
use std::convert::Infallible;

/// What one map shows.
struct Seen {
    /// The reordering leaves the others' part of A, and T_i = 0 of the idle ones.
    reordered: bool,
    /// After Theorem 3 for the others, the idle ones have T_i = 0 by brute force.
    idle: bool,
    /// T is within Corollary 2 or 3.
    bounded: bool,
    /// Theorem 3 for all dimensions keeps as many idle.
    without: bool,
}

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let item = "Section 3: dimensions with T_i = 0 set aside, percent of random maps that have some";
    let rounds = if options.quick { 40 } else { 500 };
    let mut found = Vec::new();
    for (k, n) in [(2, 5), (4, 3), (8, 3)] {
        let (field, cube) = (Field::new(k)?, Cube::new(k, n)?);
        let mut rng = Rng::new(options.seed, &format!("kncube idle dimensions {k}"));
        let maps: Vec<Affine> = (0..rounds).map(|_| with_idle(n, &field, &mut rng)).collect();
        let seen: Vec<Seen> = maps.par_iter().map(|map| see(map, &field, &cube)).collect::<Result<_>>()?;
        let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
        let count = |of: fn(&Seen) -> bool| (seen.iter().filter(|s| of(s)).count(), seen.len());
        found.push(all(
            item,
            &row,
            "reordered, the others keep their part of A and these T_i = 0",
            count(|s| s.reordered),
        ));
        found.push(all(item, &row, "T_i = 0 after Theorem 3 for the others", count(|s| s.idle)));
        found.push(all(item, &row, "T within Corollaries 2 and 3", count(|s| s.bounded)));
        let (good, of) = count(|s| s.without);
        found.push(ours(item, &row, "as many T_i = 0 after Theorem 3 for all dimensions", percent(good, of)));
    }
    Ok(found)
}

/// A random map with at least one idle dimension and one that is not.
fn with_idle(n: usize, field: &Field, rng: &mut Rng) -> Affine {
    loop {
        let mut map = random_map(n, field, rng);
        for i in (0..n).filter(|_| rng.below(2) == 0).collect::<Vec<_>>() {
            (0..n).for_each(|j| map.a.set(i, j, u8::from(i == j)));
            map.b[i] = 0;
        }
        if (1..n).contains(&idle(std::slice::from_ref(&map)).len()) {
            return map;
        }
    }
}

fn see(map: &Affine, field: &Field, cube: &Cube) -> Result<Seen> {
    let (n, k, rank) = (map.a.len(), field.size(), map.a.rank(field));
    let still = idle(std::slice::from_ref(map));
    let (order, busy) = (idle_last(n, &still), n - still.len());
    let after = |q: &Matrix| -> Result<(Affine, Vec<f64>)> {
        let mapped = map.mapped(q, field).unwrap_or_else(|| map.clone());
        let counted = cube.contention(&mapped.table(field), false)?;
        Ok((mapped, counted))
    };
    let (moved, counted) = after(&Matrix::permutation(&order))?;
    let part = |i: usize, j: usize| moved.a.at(i, j) == map.a.at(order[i], order[j]);
    let reordered = (0..busy).all(|i| (0..busy).all(|j| part(i, j))) && counted[busy..].iter().all(|t| *t == 0.0);
    let construct = |parts: &[Matrix]| Ok::<_, Infallible>(one(&parts[0], field));
    let q = set_aside(std::slice::from_ref(map), construct).unwrap_or_else(|never| match never {});
    let (mapped, counted) = after(&q)?;
    let bound = f64::from(k / 2) * f64::from(k).powi((n as i32 - 1 - rank as i32).max(0));
    let formula: Vec<f64> = contention(&mapped, field).iter().map(|c| c.paths).collect();
    let (plain, _) = after(&one(&map.a, field))?;
    Ok(Seen {
        reordered,
        idle: counted[busy..].iter().all(|t| *t == 0.0),
        bounded: formula == counted && counted.iter().all(|t| *t <= bound),
        without: idle(&[plain]).len() >= still.len(),
    })
}
