//! Corollary 1 by enumeration: T of Theorem 3 beside the least of all linear
//! mappings.

use super::percent;
use crate::error::Result;
use crate::gf::{Affine, Field, Matrix, digits};
use crate::mapping::linear::{Case, contention, one, worst};
use crate::study::{Finding, Key, Options, Published, Verdict};
use rayon::prelude::*;

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let cases: &[(u32, usize)] = if options.quick { &[(2, 2), (4, 1)] } else { &[(2, 2), (2, 3), (4, 1), (4, 2)] };
    let all = cases.iter().map(|&(k, n)| enumerate(k, n)).collect::<Result<Vec<_>>>()?;
    let proof = [(2, 3), (4, 2)].map(|(k, n)| least_factor(k, n));
    Ok(all.into_iter().flatten().chain(proof.into_iter().collect::<Result<Vec<_>>>()?).collect())
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
    Ok(finding.noted("alpha is (2+k)/8 in case (4a) of Theorem 1, below 1 for k < 6"))
}

fn enumerate(k: u32, n: usize) -> Result<Vec<Finding>> {
    let field = Field::new(k)?;
    let every = every(k, n);
    let regular: Vec<(Matrix, Matrix)> = every.iter().filter_map(|q| Some((q.clone(), q.inverse(&field)?))).collect();
    let attained = |a: &Matrix| -> (bool, usize, usize) {
        let built = one(a, &field);
        let mut good = 0;
        let constants = k.pow(n as u32);
        let mapped: Vec<Matrix> =
            regular.iter().map(|(q, inverse)| q.times(a, &field).times(inverse, &field)).collect();
        for b in (0..constants).map(|b| digits(b, k, n)) {
            let t = |q: &Matrix, a: Matrix| worst(&contention(&Affine { a, b: q.apply(&b, &field) }, &field));
            let inverse = built.inverse(&field).unwrap_or_else(|| Matrix::identity(n));
            let own = t(&built, built.times(a, &field).times(&inverse, &field));
            // Nothing lower is needed once one below ours is found.
            let lower = regular.iter().zip(&mapped).any(|((q, _), a)| t(q, a.clone()) < own);
            good += usize::from(!lower);
        }
        (a.rank(&field) == n, good, constants as usize)
    };
    let counts: Vec<(bool, usize, usize)> = every.par_iter().map(attained).collect();
    let total = |is_regular: bool| {
        let own = counts.iter().filter(|c| c.0 == is_regular);
        own.fold((0, 0), |sum, c| (sum.0 + c.1, sum.1 + c.2))
    };
    let item = "Corollary 1: percent of all A and b whose T after Theorem 3 is the least of all linear mappings";
    let row = [("k", Key::Number(k)), ("n", Key::Number(n as u32))];
    let finding = |column: &str, (good, of): (usize, usize)| {
        let finding = super::equal(item, &row, column, 100.0, percent(good, of));
        let finding = Finding { samples: Some(of as u32), ..finding };
        if good == of {
            return finding;
        }
        finding.noted(format!(
            "{good} of {of}: the proof minimises the exponent of k only; other multipliers give lighter rings"
        ))
    };
    Ok(vec![finding("permutations", total(true)), finding("gathers", total(false))])
}
