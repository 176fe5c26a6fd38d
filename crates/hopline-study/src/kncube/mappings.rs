//! Theorems 3 and 4 and Corollaries 2 to 4 on random matrices.

use super::{ours, percent, random_map};
use crate::{Finding, Key, Options};
use hopline::error::Result;
use hopline::gf::{Affine, Field, Matrix};
use hopline::mapping::linear::{TRIES, contention, one, several, worst};
use hopline::rng::Rng;
use rayon::prelude::*;

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let rounds = if options.quick { 5 } else { 60 };
    let mut found = Vec::new();
    for k in [2, 4, 8, 16] {
        found.extend(theorem_3(k, rounds, options.seed)?);
    }
    for (k, most) in [(2, 1), (4, 3), (8, 7), (16, 15)] {
        for m in [1, 2, 3, 4, 7, 15].into_iter().filter(|&m| m <= most) {
            found.extend(theorem_4(k, m, rounds, options.seed)?);
        }
        found.push(as_many_as_elements(k, rounds, options.seed)?);
    }
    Ok(found)
}

/// Whether the leading parts of QAQ^-1 are regular up to the rank of A.
fn holds(a: &Matrix, q: &Matrix, field: &Field) -> bool {
    let mapped = q.inverse(field).map(|inverse| q.times(a, field).times(&inverse, field));
    mapped.is_some_and(|m| m.regular_minors(field) >= a.rank(field))
}

/// What Theorem 3 comes to for one map.
struct Mapped {
    regular: bool,
    /// The leading parts are regular up to the rank.
    holds: bool,
    /// T, and the bound of Corollary 2 or 3.
    t: f64,
    bound: f64,
}

/// What Corollaries 2 and 3 allow.
fn bound(map: &Affine, field: &Field) -> f64 {
    let (n, k, rank) = (map.a.len(), field.size(), map.a.rank(field));
    f64::from(k / 2) * f64::from(k).powi((n as i32 - 1 - rank as i32).max(0))
}

fn t_under(map: &Affine, q: &Matrix, field: &Field) -> f64 {
    map.mapped(q, field).map_or(f64::INFINITY, |m| worst(&contention(&m, field)))
}

fn mapped(map: &Affine, field: &Field) -> Mapped {
    let q = one(&map.a, field);
    let regular = map.a.rank(field) == map.a.len();
    Mapped { regular, holds: holds(&map.a, &q, field), t: t_under(map, &q, field), bound: bound(map, field) }
}

fn theorem_3(k: u32, rounds: usize, seed: u64) -> Result<Vec<Finding>> {
    let item = "Theorem 3 and its corollaries: percent of random matrices, n = 1 to 16";
    let field = Field::new(k)?;
    let mut rng = Rng::new(seed, &format!("kncube theorem 3 {k}"));
    let maps: Vec<Affine> = (0..rounds * 16).map(|round| random_map(1 + round % 16, &field, &mut rng)).collect();
    let all: Vec<Mapped> = maps.par_iter().map(|map| mapped(map, &field)).collect();
    let (regular, singular): (Vec<&Mapped>, Vec<&Mapped>) = all.iter().partition(|m| m.regular);
    let row = [("k", Key::Number(k))];
    let within = |all: &[&Mapped]| all.iter().filter(|m| m.t <= m.bound).count();
    let at_bound = regular.iter().filter(|m| m.t == m.bound).count();
    Ok(vec![
        super::all(item, &row, "Theorem 3", (all.iter().filter(|m| m.holds).count(), all.len())),
        super::all(item, &row, "Corollary 2", (within(&regular), regular.len())),
        super::all(item, &row, "Corollary 3, gathers", (within(&singular), singular.len())),
        ours(item, &row, "regular with T = k/2", percent(at_bound, regular.len())),
    ])
}

fn sets(field: &Field, m: u32, rounds: usize, seed: u64) -> Vec<Vec<Affine>> {
    let mut rng = Rng::new(seed, &format!("kncube theorem 4 {} {m}", field.size()));
    let set = |round: usize, rng: &mut Rng| (0..m).map(|_| random_map(1 + round % 8, field, rng)).collect();
    (0..rounds * 8).map(|round| set(round, &mut rng)).collect()
}

/// Sets for which one mapping is found, and those where it keeps each within Corollary 2 or 3.
fn solved(sets: &[Vec<Affine>], field: &Field) -> (usize, usize) {
    let one = |set: &Vec<Affine>| {
        let matrices: Vec<Matrix> = set.iter().map(|map| map.a.clone()).collect();
        let Ok(q) = several(&matrices, field) else { return (0, 0) };
        let found = matrices.iter().all(|a| holds(a, &q, field));
        let bounded = set.iter().all(|map| t_under(map, &q, field) <= bound(map, field));
        (usize::from(found), usize::from(bounded))
    };
    sets.par_iter().map(one).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
}

const THEOREM_4: &str =
    "Theorem 4: percent of random sets of m matrices for which a common mapping is found, n = 1 to 8";
const COROLLARY_4: &str =
    "Corollary 4: percent of random sets of m communications within Corollaries 2 and 3 under one mapping";

fn theorem_4(k: u32, m: u32, rounds: usize, seed: u64) -> Result<[Finding; 2]> {
    let field = Field::new(k)?;
    let sets = sets(&field, m, rounds, seed);
    let (found, bounded) = solved(&sets, &field);
    let row = [("k", Key::Number(k)), ("m", Key::Number(m))];
    let share = |item: &str, column: &str, good: usize| super::all(item, &row, column, (good, sets.len()));
    Ok([share(THEOREM_4, "found", found), share(COROLLARY_4, "T within the bounds", bounded)])
}

/// One matrix more than the theorem allows.
fn as_many_as_elements(k: u32, rounds: usize, seed: u64) -> Result<Finding> {
    let field = Field::new(k)?;
    let sets = sets(&field, k, rounds, seed);
    let share = percent(solved(&sets, &field).0, sets.len());
    let row = [("k", Key::Number(k)), ("m", Key::Number(k))];
    let note = format!(
        "m = k is beyond the theorem: two of the 36 pairs of regular matrices for k = 2, n = 2 have no common mapping \
         at all; of other sets some may have one that {TRIES} tries miss"
    );
    Ok(ours(THEOREM_4, &row, "found", share).remark(note))
}
