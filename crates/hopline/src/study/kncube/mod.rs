//! "Optimal processor mapping for linear-constant communication on k-ary n-cubes"
//! (Wang, Hou and Ku, ICPADS 1998): Examples 1 to 5, Theorems 1, 3 and 4 with
//! their corollaries, the contention stated in section 4, and what lies beyond.
//!
//! Figures 2 to 6 are flit simulations.

mod beyond;
mod brute;
mod examples;
mod figures;
mod mappings;
mod optimality;
mod stated;
mod sweep;
mod theorem_1;

use super::{Finding, Key, Options, Published, Reproduction, Verdict};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::event::{Control, Event, Observer};
use crate::gf::{Affine, Field, Matrix};
use crate::rng::Rng;

pub(super) const ENTRY: Entry = Entry {
    name: "kncube",
    summary: "Optimal Processor Mapping for Linear-Constant Communication on k-ary n-cubes (Wang, Hou, Ku)",
    doc: "Examples 1 to 5 cell by cell. Theorem 1 case by case against brute force through the routing dor. Theorems 3 and 4 \
          and Corollaries 1 to 3 on random matrices. The contention that section 4 states. Past the paper: the least T of all \
          linear mappings by enumeration, chosen pivots, cycles along a Gray code, gathers by search, scatters. Figures 2 to \
          6 by flits: latency against throughput, and the throughput that is sustained. (--quick: fewer random matrices, \
          Figure 2 alone and with shorter runs.)\n\
          Source: the k-ary n-cube mapping paper.",
    example: "kncube",
    params: &[],
};

const NOTES: [&str; 11] = [
    "T is the number of messages that share the busiest link; T_i that of dimension i. Dimension 0 is turned first; where \
     both ways round a ring are equally long, messages go towards +, which makes Theorem 1 exact. Other rules never exceed \
     it",
    "elements of the field are bit patterns, sums XOR; polynomials x^2+x+1, x^3+x+1 (11) or x^3+x^2+1 (13), x^4+x+1 (19)",
    "case (1) of Theorem 1: T_i = 0 where row i of A is that of the identity and b_i = 0, else k*M with M = \
     k^(i - rank); case (4b) is a bound in the paper and made exact here by the Schur pivot",
    "proof of Theorem 3: the base case must exchange column j and column 0 and add row l to row 0; the minor must be tested \
     again after an exchange, and then l > h: a row that is added to itself vanishes",
    "Lemma 1 has no proof in the paper: columns first, then rows, with a multiplier of the field; each other matrix forbids \
     at most one of the k-1 multipliers that are not 0",
    "dimensions without communication are not set aside first: the bounds hold without",
    "Example 3 writes R_i for T_i",
    "Corollary 3 names scatters, but a scatter turns its dimensions in ascending order too, so its paths are not those of \
     the gather read backwards; with rows and columns of A in reverse order theorem and corollary hold",
    "Figures 2 to 6: worms of 20 flits, exponential distances between them, two VCs (high where the way in a dimension does not \
     use the wraparound link, else low), first come first served by the header's arrival, one port for injection and one \
     for ejection. The paper's buffer of one flit per VC is one at the link's end and one for the round trip of its credit, \
     after one flit at the switch's output: less, and a VC would carry a flit every other cycle",
    "sustained: fewer than 10 messages wait in the source, on average over the run, at every processor (strict), or on \
     average over all processors (lenient). A run is as long as a processor needs for 160 messages, after 40 (--quick: 40 \
     after 10, which finds more sustained); loads in steps of 7 % (--quick: 15 %), the highest that is sustained is shown",
    "`about 40` is 30 to 50; ties: the way of messages for which both ways round a ring are equally long is always up, \
     random for every message, or up from even coordinates (parity)",
];

/// The study whole.
pub(super) fn run(options: &Options, observer: &mut dyn Observer) -> Result<Reproduction> {
    let mut findings = Vec::new();
    let mut step = |what: &str| match observer.event(Event::Stage { what: what.into(), steps: 0 }) {
        Control::Stop => Err(Error::failed("the study was stopped before its end")),
        Control::Continue => Ok(()),
    };
    step("examples")?;
    findings.extend(examples::findings()?);
    step("Theorem 1")?;
    findings.extend(theorem_1::findings(options)?);
    step("Theorems 3 and 4")?;
    findings.extend(mappings::findings(options)?);
    step("section 4")?;
    let stated = stated::findings(options)?;
    let mut figures = vec![stated::figure(&stated)];
    findings.extend(stated);
    step("least of all linear mappings")?;
    findings.extend(optimality::findings(options)?);
    step("gathers and scatters")?;
    findings.extend(beyond::findings(options)?);
    for case in figures::cases(options) {
        step(case.name)?;
        let curves = figures::curves(case, options)?;
        findings.extend(figures::findings(case, &curves));
        figures.push(figures::figure(case, &curves));
    }
    findings.extend(figures::one_ring(options)?);
    let notes = NOTES.iter().map(ToString::to_string).collect();
    Ok(Reproduction::new(&ENTRY, options, notes, findings, figures))
}

/// A printed number beside ours: they must be equal.
fn equal(item: &str, row: &[(&'static str, Key)], column: &str, published: f64, computed: f64) -> Finding {
    Finding {
        published: Some(Published::Number(published)),
        computed: Some(computed),
        verdict: if published == computed { Verdict::Match } else { Verdict::Differs },
        ..Finding::new(item, row, column)
    }
}

/// A number that the paper does not have.
fn ours(item: &str, row: &[(&'static str, Key)], column: &str, computed: f64) -> Finding {
    Finding { computed: Some(computed), ..Finding::new(item, row, column) }
}

/// Percent, and whether it is all of them.
fn percent(count: usize, of: usize) -> f64 {
    if count == of { 100.0 } else { 100.0 * count as f64 / of as f64 }
}

fn elements(cells: [[u8; 4]; 4]) -> Matrix {
    Matrix::from_fn(4, |i, j| cells[i][j])
}

fn transpose(n: usize) -> Matrix {
    Matrix::permutation(&(0..n).map(|i| (i + n / 2) % n).collect::<Vec<_>>())
}

fn digit_reverse(n: usize) -> Matrix {
    Matrix::permutation(&(0..n).rev().collect::<Vec<_>>())
}

/// A random map: dense, sparse, of low rank or nearly the identity, with and
/// without a constant, so that every case of Theorem 1 occurs.
fn random_map(n: usize, field: &Field, rng: &mut Rng) -> Affine {
    let k = u64::from(field.size());
    let kind = rng.below(4);
    let full = |rng: &mut Rng| Matrix::from_fn(n, |_, _| rng.below(k) as u8);
    let a = match kind {
        0 => full(rng),
        1 => Matrix::from_fn(n, |_, _| if rng.below(3) == 0 { rng.below(k) as u8 } else { 0 }),
        2 => {
            let rank = rng.below(n as u64 + 1) as usize;
            let keep = Matrix::from_fn(n, |i, j| u8::from(i == j && i < rank));
            full(rng).times(&keep, field).times(&full(rng), field)
        }
        _ => {
            let mut a = Matrix::identity(n);
            (0..n / 2 + 1).for_each(|_| {
                let (i, j) = (rng.below(n as u64) as usize, rng.below(n as u64) as usize);
                a.set(i, j, rng.below(k) as u8);
            });
            a
        }
    };
    let constant = rng.below(2) == 0;
    let b = (0..n).map(|_| if constant { rng.below(k) as u8 } else { 0 }).collect();
    Affine { a, b }
}
