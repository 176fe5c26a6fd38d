//! Random permutations below Corollary 2, gathers by search below Corollary 3,
//! and scatters.

use super::brute::{Cube, demand};
use super::{all, equal, noise, ours, percent, random_map, regular};
use crate::machine::Machine;
use crate::sample::Sample;
use crate::{Finding, Key, Options};
use hopline::error::Result;
use hopline::gf::{Affine, Field};
use hopline::mapping::linear::{contention, lower_bound, one, scatter_contention, worst};
use hopline::rng::Rng;
use rayon::prelude::*;

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let mut found = permutations(options)?;
    found.extend(gathers(options)?);
    found.extend(scatters(options)?);
    Ok(found)
}

/// Random regular A: the paper's mapping, chosen pivots, and cycles along a Gray code.
fn permutations(options: &Options) -> Result<Vec<Finding>> {
    let item = "Beyond Corollary 2: T of random regular matrices, mean";
    let rounds = if options.quick { 4 } else { 30 };
    let mut found = Vec::new();
    for (k, n) in [(4, 4), (8, 3), (16, 2)] {
        let machine = Machine::new(&format!("kncube:k={k},n={n}"))?;
        let (routing, field) = (machine.routing("dor:tie=plus")?, Field::new(k)?);
        let mut rng = Rng::new(options.seed, &format!("kncube permutations {k}"));
        let tables: Vec<Vec<u32>> = std::iter::repeat_with(|| regular(n, &field, &mut rng))
            .take(rounds)
            .map(|a| Affine::linear(a).table(&field))
            .collect();
        let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
        for (column, mapping) in [
            ("no mapping", "default"),
            ("Theorem 3", "linear:method=theorem3"),
            ("chosen pivots", "linear:method=pivots"),
            ("cycles", "linear:method=cycles"),
        ] {
            let t = |table: &Vec<u32>| {
                Ok(machine.evaluate(&*routing, &demand(table, false)?, mapping, options.seed)?.max_load)
            };
            let sample = Sample::new(tables.par_iter().map(t).collect::<Result<_>>()?);
            found.push(Finding {
                spread: Some(sample.spread()),
                range: Some(sample.range()),
                samples: Some(sample.len() as u32),
                ..ours(item, &row, column, sample.mean())
            });
        }
    }
    Ok(found)
}

/// Gathers to the first of k^(n-rank) nodes: T of Theorem 3, which meets the
/// corollary with equality, beside search and a proven bound.
fn gathers(options: &Options) -> Result<Vec<Finding>> {
    let cubes: &[(u32, u32)] = if options.quick { &[(2, 4), (4, 3)] } else { &[(2, 4), (4, 3), (4, 4), (8, 3)] };
    let mut found = Vec::new();
    for &(k, n) in cubes {
        let item = format!("Corollary 3: T of gathers, {k}-ary {n}-cube");
        for rank in 0..n {
            let machine = Machine::new(&format!("kncube:k={k},n={n}"))?;
            let routing = machine.routing("dor:tie=plus")?;
            let job = machine.job(&format!("linear:gather,rank={rank}"))?;
            let t = |mapping: &str| Ok(machine.evaluate(&*routing, &job, mapping, options.seed)?.max_load);
            let row = [("rank", Key::Number(rank))];
            let formula = f64::from(k / 2 * k.pow(n - 1 - rank));
            found.push(equal(&item, &row, "Theorem 3", formula, t("linear:method=theorem3")?));
            found.push(ours(&item, &row, "search", t("linear")?));
            found.push(ours(&item, &row, "bound", lower_bound(&job, &*routing)?.unwrap_or(0.0)));
        }
    }
    Ok(found)
}

/// What random scatters come to.
#[derive(Default)]
struct Scatters {
    all: usize,
    /// Theorem 1 with minors in reverse order gives what brute force counts.
    exact: usize,
    /// T is another than that of the gather.
    other: usize,
    /// T under the Q of the gather is above Corollary 3.
    above: usize,
    /// T under the Q of the reversed matrix is at most Corollary 3.
    held: usize,
}

fn scatters(options: &Options) -> Result<Vec<Finding>> {
    let rounds = if options.quick { 60 } else { 600 };
    let mut found = Vec::new();
    // Percent for which the Q of the gather serves, of all that were tried under several seeds.
    for (k, n, usual) in [(2, 4, 64.0), (4, 3, 67.0), (8, 2, 67.0)] {
        let count = count_scatters(k, n, rounds, options.seed)?;
        let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
        let item = "Scatters: percent of random singular matrices";
        let share = |column: &str, good: usize| ours(item, &row, column, percent(good, count.all));
        found.push(all(item, &row, "exact", (count.exact, count.all)));
        found.push(share("T not the gather's", count.other));
        let corollary = all(item, &row, "Corollary 3, Q of the gather", (count.all - count.above, count.all));
        let why = "ascending dimension order does not reverse the paths of a gather: with dimensions in reverse order the \
                   corollary holds, see `Corollary 3, reversed order`";
        found.push(corollary.deviates(usual, noise(usual, count.all), why));
        found.push(all(item, &row, "Corollary 3, reversed order", (count.held, count.all)));
    }
    Ok(found)
}

fn count_scatters(k: u32, n: usize, rounds: usize, seed: u64) -> Result<Scatters> {
    let (field, cube) = (Field::new(k)?, Cube::new(k, n)?);
    let mut rng = Rng::new(seed, &format!("kncube scatters {k} {n}"));
    let mut count = Scatters::default();
    let most = |t: &[f64]| t.iter().copied().fold(0.0, f64::max);
    for _ in 0..rounds {
        let map = random_map(n, &field, &mut rng);
        let rank = map.a.rank(&field);
        if rank == n {
            continue;
        }
        let bound = f64::from(k / 2) * f64::from(k).powi((n - 1 - rank) as i32);
        let counted = cube.contention(&map.table(&field), true)?;
        let formula: Vec<f64> = scatter_contention(&map, &field).iter().map(|c| c.paths).collect();
        let under = |q| -> Result<f64> {
            let mapped: Affine = map.mapped(&q, &field).unwrap_or_else(|| map.clone());
            Ok(most(&cube.contention(&mapped.table(&field), true)?))
        };
        count.all += 1;
        count.exact += usize::from(formula == counted);
        count.other += usize::from(worst(&contention(&map, &field)) != most(&counted));
        count.above += usize::from(under(one(&map.a, &field))? > bound);
        count.held += usize::from(under(one(&map.a.reversed(), &field).reversed())? <= bound);
    }
    Ok(count)
}
