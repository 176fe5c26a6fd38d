//! Corollaries 1 and 4 by enumeration: T of Theorems 3 and 4 beside the least of all
//! linear mappings.

use crate::{Finding, Key, Options, Published, Verdict};
use hopline::error::Result;
use hopline::gf::{Affine, Field, Matrix, digits};
use hopline::mapping::linear::{Case, contention, one, several, worst};
use hopline::rng::Rng;
use rayon::prelude::*;

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let cases: &[(u32, usize)] = if options.quick { &[(2, 2), (4, 1)] } else { &[(2, 2), (2, 3), (4, 1), (4, 2)] };
    let all = cases.iter().map(|&(k, n)| enumerate(k, n)).collect::<Result<Vec<_>>>()?;
    let proof = [(2, 3), (4, 2), (8, 2)].map(|(k, n)| least_factor(k, n));
    let proof = proof.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(all.into_iter().flatten().chain(proof).chain(pairs(options)?).collect())
}

/// All matrices of n rows and columns.
fn every(k: u32, n: usize) -> Vec<Matrix> {
    let cells = (0..k.pow((n * n) as u32)).map(|number| digits(number, k, n * n));
    cells.map(|cells| Matrix::from_fn(n, |i, j| cells[i * n + j])).collect()
}

/// The proof writes T_i as alpha_i * k^(i - rank), and leaves alpha_i out because
/// it lies between 1 and k. The least that occurs in case (4a), which needs M = 4.
fn least_factor(k: u32, n: usize) -> Result<Finding> {
    let field = Field::new(k)?;
    let mut least = f64::INFINITY;
    for a in every(k, n) {
        for (i, c) in contention(&Affine::linear(a.clone()), &field).into_iter().enumerate() {
            if c.case == Case::AllToAll {
                let m = f64::from(k).powi((i - a.rank_of(i, i + 1, &field)) as i32);
                least = least.min(c.paths / m);
            }
        }
    }
    let finding = Finding {
        published: Some(Published::Text("1 to k".into())),
        computed: Some(least),
        verdict: if least >= 1.0 { Verdict::Match } else { Verdict::Differs },
        ..Finding::new("Proof of Corollary 1: alpha_i", &[("k", Key::Number(k))], "least, case (4a)")
    };
    let value = f64::from(2 + k) / 8.0;
    Ok(finding.deviates(
        value,
        1e-9,
        "alpha is (2+k)/8 in case (4a) of Theorem 1, below 1 for k < 6, as for k = 8 it is not",
    ))
}

/// What Theorem 3 comes to for one A: whether A is regular, for how many constants b its T is the
/// least of all linear mappings, of how many, and whether the exponent of k is.
struct Attained {
    regular: bool,
    good: usize,
    of: usize,
    exponent: bool,
}

const EXPONENT_ONLY: &str = "the proof minimises the exponent of k only, which is the least (see that column); other multipliers \
                             give lighter rings";

/// A and b over GF(4), of which T is the least: of 12 and of 2880.
const LEAST: [(u32, usize, f64); 2] = [(4, 1, 1100.0 / 12.0), (4, 2, 150_500.0 / 2880.0)];

/// All regular matrices with their inverses.
fn operators(every: &[Matrix], field: &Field) -> Vec<(Matrix, Matrix)> {
    every.iter().filter_map(|q| Some((q.clone(), q.inverse(field)?))).collect()
}

/// The greatest i - rank of the first i rows and i+1 columns.
fn exponent(a: &Matrix, field: &Field) -> usize {
    (0..a.len()).map(|i| i - a.rank_of(i, i + 1, field)).max().unwrap_or(0)
}

fn enumerate(k: u32, n: usize) -> Result<Vec<Finding>> {
    let field = Field::new(k)?;
    let every = every(k, n);
    let operators = operators(&every, &field);
    let attained = |a: &Matrix| -> Attained {
        let built = one(a, &field);
        let inverse = built.inverse(&field).unwrap_or_else(|| Matrix::identity(n));
        let own = built.times(a, &field).times(&inverse, &field);
        let mapped: Vec<Matrix> =
            operators.iter().map(|(q, inverse)| q.times(a, &field).times(inverse, &field)).collect();
        let t = |q: &Matrix, a: &Matrix, b: &[u8]| {
            worst(&contention(&Affine { a: a.clone(), b: q.apply(b, &field) }, &field))
        };
        let constants = (0..k.pow(n as u32)).map(|b| digits(b, k, n));
        let is_least = |b: &Vec<u8>| {
            let own = t(&built, &own, b);
            // Nothing lower is needed once one below ours is found.
            !operators.iter().zip(&mapped).any(|((q, _), a)| t(q, a, b) < own)
        };
        Attained {
            regular: a.rank(&field) == n,
            good: constants.clone().filter(is_least).count(),
            of: constants.count(),
            exponent: mapped.iter().all(|a| exponent(&own, &field) <= exponent(a, &field)),
        }
    };
    let seen: Vec<Attained> = every.par_iter().map(attained).collect();
    let item = "Corollary 1: percent of all A and b whose T after Theorem 3 is the least of all linear mappings";
    let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
    let total = |regular: bool| {
        let own = seen.iter().filter(|c| c.regular == regular);
        own.fold((0, 0), |sum, c| (sum.0 + c.good, sum.1 + c.of))
    };
    let permutations = super::all(item, &row, "permutations", total(true));
    let known = LEAST.iter().find(|known| (known.0, known.1) == (k, n));
    Ok(vec![
        match known {
            Some(&(.., least)) => permutations.deviates(least, 1e-9, EXPONENT_ONLY),
            None => permutations,
        },
        super::all(item, &row, "gathers", total(false)),
        super::all(
            item,
            &row,
            "the greatest exponent, i - rank, is the least",
            (seen.iter().filter(|c| c.exponent).count(), seen.len()),
        ),
    ])
}

/// Corollary 4 for random pairs over GF(4), n = 2: whether T of each, under the Q of Theorem 4, is
/// the least of all linear mappings of it alone, and whether its exponent is.
fn pairs(options: &Options) -> Result<Vec<Finding>> {
    let (k, n, rounds) = (4, 2, if options.quick { 40 } else { 400 });
    let field = Field::new(k)?;
    let operators = operators(&every(k, n), &field);
    let mut rng = Rng::new(options.seed, "kncube corollary 4");
    let pairs: Vec<[Affine; 2]> =
        (0..rounds).map(|_| [(); 2].map(|()| super::random_map(n, &field, &mut rng))).collect();
    let one = |pair: &[Affine; 2]| -> Result<[(bool, bool); 2]> {
        let q = several(&pair.clone().map(|map| map.a), &field)?;
        let under = |map: &Affine, q: &Matrix| {
            let new = map.mapped(q, &field).unwrap_or_else(|| map.clone());
            (worst(&contention(&new, &field)), exponent(&new.a, &field))
        };
        Ok([0, 1].map(|r| {
            let own = under(&pair[r], &q);
            let all = || operators.iter().map(|(q, _)| under(&pair[r], q));
            (all().all(|other| own.0 <= other.0), all().all(|other| own.1 <= other.1))
        }))
    };
    let seen: Vec<(bool, bool)> =
        pairs.par_iter().map(one).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let item = "Corollary 4: percent of communications of random pairs, k = 4, n = 2, under one mapping for both";
    let count = |of: fn(&(bool, bool)) -> bool| (seen.iter().filter(|s| of(s)).count(), seen.len());
    let least = super::all(item, &[], "T is the least of all linear mappings", count(|s| s.0));
    Ok(vec![
        least.deviates(PAIRS, super::noise(PAIRS, seen.len()), EXPONENT_ONLY),
        super::all(item, &[], "the greatest exponent, i - rank, is the least", count(|s| s.1)),
    ])
}

/// Percent of 640 communications under eight seeds.
const PAIRS: f64 = 77.5;
