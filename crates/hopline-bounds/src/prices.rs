//! Prices of links that prove how long data take: what a schedule sends costs at least what the cheapest ways cost, and in a second
//! links carry no more than all of their bandwidth is worth. The best prices are found by cutting planes (Kelley, "The
//! cutting-plane method for solving convex programs", 1960), at those of the linear program and half way between them and the best
//! ones so far; at first also where busy links become dearer step by step (Arora, Hazan and Kale, "The multiplicative weights
//! update method", 2012), which finds ways that share links evenly.

use hopline::error::{Error, Result};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, SolveOutcome, Variable};

/// The largest price; whole numbers, so that sums are exact and equal ways are seen to be equal.
const LARGEST: f64 = (1u64 << 36) as f64;
/// Rounds at most; symmetric networks need a few.
const ROUNDS: usize = 600;
/// Of these so many in which busy links become dearer, by this power at most.
const DEARER: (usize, f64) = (120, 0.15);
/// A part of all prices that is a solver's rounding.
const NOTHING: f64 = 1e-6;
/// Where the proof and the best way known are as near as this, it is over.
const NEAR: f64 = 1e-8;

/// What data cost at some prices.
#[derive(Debug, Clone)]
pub(crate) struct Cost {
    /// The sum over all pieces of the price of a cheapest way.
    pub(crate) cheapest: u128,
    /// Pieces on each link if all go by such ways.
    pub(crate) loads: Vec<f64>,
}

/// Prices, what pieces cost, and what a second of all links is worth.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Best {
    pub(crate) prices: Vec<u64>,
    pub(crate) cheapest: u128,
    pub(crate) paid: u128,
    /// Seconds per GB of a way to send that is known; the least time lies between this and what prices prove.
    pub(crate) reached: f64,
}

impl Best {
    /// Seconds per GB that the prices prove.
    pub(crate) fn seconds_per_gb(&self) -> f64 {
        proven(self.cheapest, self.paid)
    }
}

/// Of links with their part of all prices those that limit most, dearest first.
pub(crate) fn dearest<T: Ord>(mut all: Vec<(T, f64)>, count: usize) -> Vec<(T, f64)> {
    all.retain(|(_, part)| *part > NOTHING);
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all.truncate(count);
    all
}

/// Seconds per GB of a piece.
pub(crate) fn proven(cheapest: u128, paid: u128) -> f64 {
    cheapest as f64 * 1e9 / paid as f64
}

/// What all links carry in a second, at these prices.
pub(crate) fn paid(bytes_s: &[u64], prices: &[u64]) -> u128 {
    bytes_s.iter().zip(prices).map(|(&bytes, &price)| u128::from(bytes) * u128::from(price)).sum()
}

/// Whole prices from what each link's bandwidth is worth in all.
fn whole(bytes_s: &[u64], worth: &[f64]) -> Vec<u64> {
    let price = |(&bytes, &worth): (&u64, &f64)| worth.max(0.0) / bytes as f64;
    let largest = bytes_s.iter().zip(worth).map(price).fold(0.0, f64::max);
    bytes_s.iter().zip(worth).map(|of| (price(of) / largest * LARGEST).round() as u64).collect()
}

/// The prices that prove most, for links of so many bytes per second; `cost` tells what pieces cost at given prices.
///
/// # Errors
/// Those of `cost`; the linear program cannot be solved.
pub(crate) fn search(bytes_s: &[u64], mut cost: impl FnMut(&[u64]) -> Result<Cost>) -> Result<Best> {
    let even = vec![1.0 / bytes_s.len() as f64; bytes_s.len()];
    let mut best = (even.clone(), Best { prices: Vec::new(), cheapest: 0, paid: 1, reached: f64::INFINITY });
    let (mut rising, mut points, mut master) = (even, Vec::new(), None);
    for round in 0..ROUNDS {
        let rises = round < DEARER.0;
        if rises {
            points.push(rising.clone());
        }
        let mut last = Vec::new();
        for point in std::mem::take(&mut points) {
            let prices = whole(bytes_s, &point);
            let Cost { cheapest, loads } = cost(&prices)?;
            let paid = paid(bytes_s, &prices);
            if proven(cheapest, paid) > best.1.seconds_per_gb() {
                best = (point, Best { prices, cheapest, paid, ..best.1 });
            }
            last = loads.iter().zip(bytes_s).map(|(load, &bytes)| load * 1e9 / bytes as f64).collect();
            master = Some(match master {
                None => Master::new(&last)?,
                Some(master) => Master::with(master, &last)?,
            });
        }
        if rises {
            raise(&mut rising, &last);
        }
        let Some(known) = &master else { break };
        let (worth, reached) = known.solved();
        best.1.reached = best.1.reached.min(reached);
        if best.1.seconds_per_gb() >= best.1.reached * (1.0 - NEAR) {
            break;
        }
        let half = worth.iter().zip(&best.0).map(|(a, b)| (a + b) / 2.0).collect();
        points = vec![half, worth];
    }
    Ok(best.1)
}

/// Makes busy links dearer; all are worth 1 together.
fn raise(worth: &mut [f64], seconds: &[f64]) {
    let most = seconds.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    worth.iter_mut().zip(seconds).for_each(|(worth, seconds)| *worth *= (DEARER.1 * seconds / most).exp());
    let all: f64 = worth.iter().sum();
    worth.iter_mut().for_each(|worth| *worth /= all);
}

/// The linear program: what each link is worth, at most as much in all as any of the known ways to send costs.
struct Master {
    solution: Solution,
    time: Variable,
    worth: Vec<Variable>,
    /// Seconds of the first way, by which all are divided.
    scale: f64,
}

impl Master {
    fn new(seconds: &[f64]) -> Result<Master> {
        let scale = seconds.iter().copied().fold(0.0, f64::max);
        if scale <= 0.0 {
            return Err(Error::input("no link limits these ranks"));
        }
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let time = problem.add_var(1.0, (0.0, f64::INFINITY));
        let worth: Vec<Variable> = seconds.iter().map(|_| problem.add_var(0.0, (0.0, 1.0))).collect();
        let all: Vec<(Variable, f64)> = worth.iter().map(|&worth| (worth, 1.0)).collect();
        problem.add_constraint(all.as_slice(), ComparisonOp::Eq, 1.0);
        problem.add_constraint(row(time, &worth, seconds, scale).as_slice(), ComparisonOp::Le, 0.0);
        Ok(Master { solution: solved(problem.solve())?, time, worth, scale })
    }

    fn with(self, seconds: &[f64]) -> Result<Master> {
        let Master { solution, time, worth, scale } = self;
        let row = row(time, &worth, seconds, scale);
        let solution = solved(solution.add_constraint(row.as_slice(), ComparisonOp::Le, 0.0))?;
        Ok(Master { solution, time, worth, scale })
    }

    /// What each link is worth, and the seconds per GB of the best mixture of known ways.
    fn solved(&self) -> (Vec<f64>, f64) {
        let worth = self.worth.iter().map(|&worth| self.solution.var_value(worth).max(0.0)).collect();
        (worth, self.solution.var_value(self.time) * self.scale)
    }
}

fn row(time: Variable, worth: &[Variable], seconds: &[f64], scale: f64) -> Vec<(Variable, f64)> {
    let costs = worth.iter().zip(seconds).filter(|(_, seconds)| **seconds > 0.0);
    costs.map(|(&worth, seconds)| (worth, -seconds / scale)).chain([(time, 1.0)]).collect()
}

/// A finished solution: no limit of time is set.
pub(crate) fn solved(outcome: std::result::Result<SolveOutcome, microlp::Error>) -> Result<Solution> {
    match outcome {
        Ok(SolveOutcome::Solution(solution)) => Ok(solution),
        Ok(SolveOutcome::Interrupted(_)) => Err(Error::failed("the linear program of this bound was interrupted")),
        Err(e) => Err(Error::failed(format!("the linear program of this bound was not solved: {e}"))),
    }
}
