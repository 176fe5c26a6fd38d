//! "Optimal processor mapping for linear-constant communication on k-ary n-cubes"
//! (Wang, Hou and Ku, ICPADS 1998): Examples 1 to 5, Theorems 1 to 4 and Lemma 1
//! with their corollaries, the contention stated in section 4, and what lies beyond.
//!
//! Figures 2 to 6 are flit simulations.

mod beyond;
mod brute;
mod cases;
mod claims;
mod examples;
mod figures;
mod idle;
mod lemma_1;
mod mappings;
mod optimality;
mod stated;
mod sweep;
mod theorem_1;
mod theorem_2;
mod variants;

use super::{Finding, Key, Options, Published, Reproduction, Verdict};
use crate::tell;
use hopline::entry::Entry;
use hopline::error::Result;
use hopline::event::{Event, Observer};
use hopline::gf::{Affine, Field, Matrix};
use hopline::rng::Rng;

pub(super) const ENTRY: Entry = Entry {
    name: "kncube",
    summary: "Optimal Processor Mapping for Linear-Constant Communication on k-ary n-cubes (Wang, Hou, Ku)",
    doc: "Examples 1 to 5 cell by cell. Theorem 1 case by case against brute force through the routing dor. Theorems 2 to 4, \
          Lemma 1 and Corollaries 1 to 4 on random matrices, and dimensions without communication set aside. The contention \
          that section 4 states. Past the paper: the least T of all linear mappings by enumeration, chosen pivots, cycles \
          along a Gray code, gathers by search, scatters, the same algebra on meshes and Omega networks. Figures 2 to 6 by \
          flits: latency against throughput, and the throughput that is sustained. (--quick: fewer random matrices, Figure 2 \
          alone and with shorter runs.)\n\
          Source: the k-ary n-cube mapping paper.",
    example: "kncube",
    params: &[],
};

const NOTES: [&str; 12] = [
    "T is the number of messages that share the busiest link; T_i that of dimension i. Dimension 0 is turned first; where \
     both ways round a ring are equally long, messages go towards +, which makes Theorem 1 exact. Other rules never exceed \
     it",
    "elements of the field are bit patterns, sums XOR; polynomials x^2+x+1, x^3+x+1 (11) or x^3+x^2+1 (13), x^4+x+1 (19)",
    "case (1) of Theorem 1: T_i = 0 where row i of A is that of the identity and b_i = 0, else k*M with M = \
     k^(i - rank); case (4b) is a bound in the paper and made exact here by the Schur pivot",
    "proof of Theorem 3: the base case must exchange column j and column 0 and add row l to row 0; the minor must be tested \
     again after an exchange, and then l > h: a row that is added to itself vanishes",
    "Lemma 1 has no proof in the paper; here: add c times column j, from h on, to a column before h that depends on the others \
     there. Each other matrix forbids at most one of the k-1 multipliers c that are not 0; the same for rows",
    "Example 3 writes R_i for T_i",
    "Corollary 3 names scatters, but a scatter turns its dimensions in ascending order too, so its paths are not those of \
     the gather read backwards; with rows and columns of A in reverse order theorem and corollary hold",
    "Figures 2 to 6 have no numbers that can be read in the text; what section 4 says of them in words is compared, and drawn \
     as upright lines",
    "Figures 2 to 6: worms of 20 flits, exponential distances between them, two VCs (high where the way in a dimension does not \
     use the wraparound link, else low), first come first served by the header's arrival, one port for injection and one \
     for ejection, one cycle from a buffer to the next. The paper's buffer of one flit per VC is two at the link's end (the \
     credit needs a cycle to come back) after one flit at the switch's output: less, and a VC would carry a flit every other \
     cycle",
    "sustained: at every processor fewer than 10 messages wait, on average over each half of a run of 400 messages per \
     processor after 100; a queue that grows by 2.5 % of the load or more fails. Loads in steps of 2.8 %; the throughput at the \
     highest that is sustained is shown. (--quick: 100 messages after 25, 10 % and 9 %)",
    "\"less than 1/T\" and \"approximately inversely proportional\": between a half of 1/T and 1/T. \"About 0.4\" is 35 to 45 %, \
     \"more than 0.4\" 40 to 50 %, \"about the same\" at most one step of the load apart, \"contributed mainly by the message \
     length\" less than twice its 20 cycles",
    "the paper does not say which way messages go for which both ways round a ring are equally long: always up (as Theorem 1 \
     needs it), at random for every message (as its throughput of mapped traffic needs it), or up from \
     even coordinates (parity)",
];

/// The study whole.
pub(super) fn run(options: &Options, observer: &mut dyn Observer) -> Result<Reproduction> {
    let mut findings = Vec::new();
    let mut step = |what: &str| tell(observer, Event::Stage { what: what.into(), steps: 0 });
    step("examples")?;
    findings.extend(examples::findings()?);
    step("Theorem 1")?;
    findings.extend(theorem_1::findings(options)?);
    step("Theorems 2 to 4")?;
    findings.extend(theorem_2::findings(options)?);
    findings.extend(idle::findings(options)?);
    findings.extend(mappings::findings(options)?);
    findings.extend(lemma_1::findings(options)?);
    step("section 4")?;
    let stated = stated::findings(options)?;
    let mut figures = vec![stated::figure(&stated)];
    findings.extend(stated);
    step("least of all linear mappings")?;
    findings.extend(optimality::findings(options)?);
    step("gathers and scatters")?;
    findings.extend(beyond::findings(options)?);
    step("meshes and Omega networks")?;
    findings.extend(variants::findings(options)?);
    let mut simulated = Vec::new();
    for case in cases::cases(options) {
        step(case.name)?;
        let curves = figures::curves(case, options)?;
        findings.extend(figures::findings(case, &curves, options));
        figures.push(figures::figure(case, &curves));
        simulated.push((case, curves));
    }
    findings.extend(claims::proportional(&simulated));
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

/// A share of random samples that the paper says is 100 %: percent of `good` among `of`.
fn all(item: &str, row: &[(&'static str, Key)], column: &str, (good, of): (usize, usize)) -> Finding {
    Finding { samples: Some(of as u32), ..equal(item, row, column, 100.0, percent(good, of)) }
}

/// Four standard errors of a share of so many samples, in percent.
fn noise(percent: f64, samples: usize) -> f64 {
    4.0 * (percent * (100.0 - percent) / samples as f64).sqrt()
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

/// A random regular matrix.
fn regular(n: usize, field: &Field, rng: &mut Rng) -> Matrix {
    loop {
        let a = Matrix::from_fn(n, |_, _| rng.below(u64::from(field.size())) as u8);
        if a.rank(field) == n {
            return a;
        }
    }
}
