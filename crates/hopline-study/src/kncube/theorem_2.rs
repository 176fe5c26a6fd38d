//! Theorem 2: what a communication becomes under a linear mapping.

use super::brute::{Cube, demand};
use super::{all, random_map, regular};
use crate::{Finding, Key, Options};
use hopline::error::Result;
use hopline::gf::{Affine, Field, Matrix};
use hopline::rng::Rng;
use rayon::prelude::*;

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let rounds = if options.quick { 30 } else { 400 };
    let mut found = Vec::new();
    for (k, n) in [(2, 5), (4, 3), (8, 2)] {
        found.extend(theorem_2(k, n, rounds, options.seed)?);
    }
    Ok(found)
}

fn theorem_2(k: u32, n: usize, rounds: usize, seed: u64) -> Result<Vec<Finding>> {
    let item = "Theorem 2: percent of random A, b and Q";
    let (field, cube) = (Field::new(k)?, Cube::new(k, n)?);
    let mut rng = Rng::new(seed, &format!("kncube theorem 2 {k}"));
    let cases: Vec<(Affine, Matrix)> =
        (0..rounds).map(|_| (random_map(n, &field, &mut rng), regular(n, &field, &mut rng))).collect();
    let one = |(map, q): &(Affine, Matrix)| -> Result<(bool, bool)> {
        let Some(new) = map.mapped(q, &field) else { return Ok((false, false)) };
        let (old, new, q) = (map.table(&field), new.table(&field), Affine::linear(q.clone()).table(&field));
        // Processor x moves to Qx, so what goes from x to y goes from Qx to Qy.
        let moves = (0..old.len()).all(|x| new[q[x] as usize] == q[old[x] as usize]);
        let seated = cube.contention_at(&demand(&old, false)?, &q)?;
        Ok((moves, seated == cube.contention(&new, false)?))
    };
    let held: Vec<(bool, bool)> = cases.par_iter().map(one).collect::<Result<_>>()?;
    let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
    let count = |of: fn(&(bool, bool)) -> bool| (held.iter().filter(|h| of(h)).count(), held.len());
    Ok(vec![
        all(item, &row, "y' = QAQ^-1 x' + Qb for every processor", count(|h| h.0)),
        all(item, &row, "T_i of processors moved to Qx are those of the new communication", count(|h| h.1)),
    ])
}
