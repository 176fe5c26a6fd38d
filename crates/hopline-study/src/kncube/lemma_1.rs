//! Lemma 1: one more independent column for one matrix, none less for the others.

use super::{all, ours, percent, random_map};
use crate::{Finding, Key, Options};
use hopline::error::Result;
use hopline::gf::{Field, Matrix};
use hopline::rng::Rng;
use rayon::prelude::*;

const ITEM: &str = "Lemma 1: percent of random sets of m matrices whose first h columns depend on each other";

/// A set and h; the first matrix has rank h at least, its first h columns less.
type Set = (Vec<Matrix>, usize);

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let rounds = if options.quick { 20 } else { 300 };
    let mut found = Vec::new();
    for (k, sizes) in [(2, &[1][..]), (4, &[2, 3]), (8, &[3, 7]), (16, &[15])] {
        let field = Field::new(k)?;
        let share = |m: u32| {
            let mut rng = Rng::new(options.seed, &format!("kncube lemma 1 {k} {m}"));
            let sets: Vec<Set> = (0..rounds).map(|round| set(2 + round % 5, m, &field, &mut rng)).collect();
            (sets.par_iter().filter(|(set, h)| raises(set, *h, &field)).count(), sets.len())
        };
        for &m in sizes {
            found.push(all(ITEM, &[("k", Key::Number(k)), ("m", Key::Number(m))], "an operator is found", share(m)));
        }
        let (good, of) = share(k);
        // One matrix more than the lemma allows.
        let row = [("k", Key::Number(k)), ("m", Key::Number(k))];
        found.push(ours(ITEM, &row, "an operator is found", percent(good, of)));
    }
    Ok(found)
}

/// Rank of the first h columns.
fn columns(a: &Matrix, h: usize, field: &Field) -> usize {
    a.rank_of(a.len(), h, field)
}

fn set(n: usize, m: u32, field: &Field, rng: &mut Rng) -> Set {
    loop {
        let set: Vec<Matrix> = (0..m).map(|_| random_map(n, field, rng).a).collect();
        let least = (1..=set[0].rank(field)).find(|&h| columns(&set[0], h, field) < h);
        if let Some(h) = least {
            return (set, h);
        }
    }
}

/// Whether some I + c E does it, as in the proof that the notes give: row j + c row l
/// with column l - c column j, l < h <= j.
fn raises(set: &[Matrix], h: usize, field: &Field) -> bool {
    let n = set[0].len();
    let before: Vec<usize> = set.iter().map(|a| columns(a, h, field)).collect();
    let after = |a: &Matrix, (l, j, c): (usize, usize, u8)| {
        let mut a = a.clone();
        a.add_row(j, c, l, field);
        a.add_column(l, field.neg(c), j, field);
        columns(&a, h, field)
    };
    let does = |step: (usize, usize, u8)| {
        after(&set[0], step) == before[0] + 1 && set.iter().zip(&before).all(|(a, rank)| after(a, step) >= *rank)
    };
    let pairs = (0..h).flat_map(|l| (h..n).map(move |j| (l, j)));
    pairs.flat_map(|(l, j)| field.elements().skip(1).map(move |c| (l, j, c))).any(does)
}
