//! Prices of links that prove how long data take: what a schedule sends costs at least what the cheapest ways cost, and in a second
//! links carry no more than all of their bandwidth is worth. The best prices are found by cutting planes (Kelley, "The
//! cutting-plane method for solving convex programs", 1960), at those of the linear program and half way between them and the best
//! ones so far; at first also where busy links become dearer step by step (Arora, Hazan and Kale, "The multiplicative weights
//! update method", 2012), which finds ways that share links evenly.

use hopline::error::{Error, Result};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, SolveOutcome, Variable};
use rayon::prelude::*;

/// Bits for the number of links of a way, below its price: of ways that cost the same the short ones are taken.
pub(crate) const LENGTH: u32 = 16;
pub(crate) const FAR: u64 = u64::MAX;
/// The largest price; whole numbers, so that sums are exact and equal ways are seen to be equal.
const LARGEST: f64 = (1u64 << 36) as f64;
/// Rounds at most; symmetric networks need a few.
const ROUNDS: usize = 600;
/// Of these so many in which busy links become dearer, by this power at most.
const DEARER: (usize, f64) = (120, 0.15);
/// A part of all prices that is a solver's rounding.
const NOTHING: f64 = 1e-6;
/// The part that sums of prices lose by rounding, at most.
const ROUNDED: f64 = 1e-9;
/// Where the proof and the best way known are as near as this, it is over.
const NEAR: f64 = 1e-8;
/// Entries of all programs, once for each way that was added, after which the best so far is taken: some seconds.
const MOST_WORK: usize = 1 << 23;

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

/// What all sources' pieces cost together, by those of one of each kind and how many are like it.
pub(crate) fn of_all(sources: &[(u32, u64)], links: usize, of: impl Fn(u32) -> Result<Cost> + Sync) -> Result<Cost> {
    let mut sum = Cost { cheapest: 0, loads: vec![0.0; links] };
    let all: Vec<Cost> = sources.par_iter().map(|&(source, _)| of(source)).collect::<Result<_>>()?;
    for (one, &(_, count)) in all.into_iter().zip(sources) {
        sum.cheapest += one.cheapest * u128::from(count);
        sum.loads.iter_mut().zip(one.loads).for_each(|(sum, own)| *sum += own * count as f64);
    }
    Ok(sum)
}

/// Of links with their part of all prices those that have one, dearest first.
pub(crate) fn dearest<T: Ord>(mut all: Vec<(T, f64)>) -> Vec<(T, f64)> {
    all.retain(|(_, part)| *part > NOTHING);
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    all
}

/// Seconds per GB of a piece.
pub(crate) fn proven(cheapest: u128, paid: u128) -> f64 {
    cheapest as f64 * 1e9 / paid as f64
}

/// What a proof comes to, unless that is less than what it says.
pub(crate) fn as_said(proven: f64, said: f64) -> Result<f64> {
    match proven >= said * (1.0 - ROUNDED) {
        true => Ok(proven),
        false => Err(Error::failed(format!("this proof says {said:.9} s per GB and proves {proven:.9}"))),
    }
}

/// What all links carry in a second, at these prices.
pub(crate) fn paid(bytes_s: &[u128], prices: &[u64]) -> u128 {
    bytes_s.iter().zip(prices).map(|(bytes, &price)| bytes * u128::from(price)).sum()
}

/// Whole prices from what each link's bandwidth is worth in all.
fn whole(bytes_s: &[u128], worth: &[f64]) -> Vec<u64> {
    let price = |(&bytes, &worth): (&u128, &f64)| worth.max(0.0) / bytes as f64;
    let largest = bytes_s.iter().zip(worth).map(price).fold(0.0, f64::max);
    bytes_s.iter().zip(worth).map(|of| (price(of) / largest * LARGEST).round() as u64).collect()
}

/// What is known before a search: that nothing is faster, and what prices of links are worth that prove it. All links that carry no
/// more than that in any known way need no part in the linear program.
#[derive(Debug, Default)]
pub(crate) struct Floor {
    /// Seconds per GB; 0 where nothing is known.
    pub(crate) seconds_per_gb: f64,
    /// What each link is worth, 1 together; empty where nothing is known.
    pub(crate) worth: Vec<f64>,
}

/// The prices that prove most, for links of so many bytes per second; `cost` tells what pieces cost at given prices.
///
/// # Errors
/// Those of `cost`; the linear program cannot be solved.
pub(crate) fn search(bytes_s: &[u128], floor: Floor, mut cost: impl FnMut(&[u64]) -> Result<Cost>) -> Result<Best> {
    let even = vec![1.0 / bytes_s.len() as f64; bytes_s.len()];
    let mut best = (even.clone(), Best { prices: Vec::new(), cheapest: 0, paid: 1, reached: f64::INFINITY });
    let (mut rising, mut points) = (even, Vec::new());
    points.extend(Some(floor.worth.clone()).filter(|worth| !worth.is_empty()));
    let mut master = Master::new(floor, bytes_s.len());
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
            master.add(&last);
        }
        if rises {
            raise(&mut rising, &last);
        }
        // While busy links become dearer, the program that grows with these ways is solved less and less often.
        if rises && round > 0 && !round.is_power_of_two() {
            continue;
        }
        let (worth, reached) = master.solved()?;
        best.1.reached = best.1.reached.min(reached);
        if best.1.seconds_per_gb() >= best.1.reached * (1.0 - NEAR) || master.work > MOST_WORK {
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

/// The linear program: what each link is worth, at most as much in all as any of the known ways to send costs. What is known
/// before stands for all links that carry less.
struct Master {
    floor: Floor,
    /// Seconds of every link by each known way.
    ways: Vec<Vec<f64>>,
    /// Links that take longer in some known way than is known before.
    busy: Vec<usize>,
    is_busy: Vec<bool>,
    solver: Option<Solver>,
    /// Entries of all programs so far, once for each way that was added.
    work: usize,
}

/// A program that is solved, for the first of the ways and the first of the busy links.
struct Solver {
    solution: Solution,
    time: Variable,
    /// Of what is known before, then of each busy link.
    worth: Vec<Variable>,
    ways: usize,
}

impl Master {
    fn new(floor: Floor, links: usize) -> Master {
        // Where nothing is known before, all links have their part from the start.
        let busy: Vec<usize> = (0..links).filter(|_| floor.worth.is_empty()).collect();
        let is_busy = vec![floor.worth.is_empty(); links];
        Master { floor, ways: Vec::new(), busy, is_busy, solver: None, work: 0 }
    }

    fn add(&mut self, seconds: &[f64]) {
        let most = self.floor.seconds_per_gb * (1.0 + NEAR / 2.0);
        for (link, _) in seconds.iter().enumerate().filter(|(_, seconds)| **seconds > most) {
            if !std::mem::replace(&mut self.is_busy[link], true) {
                self.busy.push(link);
                // Its worth has a part in ways that the program knows already.
                self.solver = None;
            }
        }
        self.ways.push(seconds.to_vec());
    }

    /// What each link is worth, and the seconds per GB of the best mixture of known ways.
    fn solved(&mut self) -> Result<(Vec<f64>, f64)> {
        if self.busy.is_empty() {
            return Ok((self.floor.worth.clone(), self.floor.seconds_per_gb));
        }
        // All seconds are divided by these, so that numbers are near 1.
        let scale = self.busy.iter().map(|&link| self.ways[0][link]).fold(self.floor.seconds_per_gb, f64::max);
        if scale <= 0.0 {
            return Err(Error::input("no link limits these ranks"));
        }
        let is_new = self.solver.is_none();
        let mut solver = match self.solver.take() {
            Some(solver) => solver,
            None => Solver::new(self.busy.len(), (0..self.ways.len()).map(|way| self.row(way, scale)))?,
        };
        let added = if is_new { self.ways.len() } else { self.ways.len() - solver.ways };
        for way in solver.ways..self.ways.len() {
            solver = solver.with(&self.row(way, scale))?;
        }
        self.work += added * self.ways.len() * self.busy.len();
        let value = |variable: &Variable| solver.solution.var_value(*variable).max(0.0);
        let before = value(&solver.worth[0]);
        let mut worth: Vec<f64> = self.floor.worth.iter().map(|worth| worth * before).collect();
        worth.resize(self.is_busy.len(), 0.0);
        self.busy.iter().zip(&solver.worth[1..]).for_each(|(&link, own)| worth[link] += value(own));
        let reached = solver.solution.var_value(solver.time) * scale;
        self.solver = Some(solver);
        Ok((worth, reached))
    }

    /// Seconds of what is known before and of the busy links by a way.
    fn row(&self, way: usize, scale: f64) -> Vec<f64> {
        let own = self.busy.iter().map(|&link| self.ways[way][link]);
        std::iter::once(self.floor.seconds_per_gb).chain(own).map(|seconds| seconds / scale).collect()
    }
}

impl Solver {
    fn new(busy: usize, ways: impl ExactSizeIterator<Item = Vec<f64>>) -> Result<Solver> {
        let mut problem = Problem::new(OptimizationDirection::Maximize);
        let time = problem.add_var(1.0, (0.0, f64::INFINITY));
        let worth: Vec<Variable> = (0..=busy).map(|_| problem.add_var(0.0, (0.0, 1.0))).collect();
        let all: Vec<(Variable, f64)> = worth.iter().map(|&worth| (worth, 1.0)).collect();
        problem.add_constraint(all.as_slice(), ComparisonOp::Eq, 1.0);
        let known = ways.len();
        ways.for_each(|way| problem.add_constraint(terms(time, &worth, &way).as_slice(), ComparisonOp::Le, 0.0));
        Ok(Solver { solution: solved(problem.solve())?, time, worth, ways: known })
    }

    fn with(self, way: &[f64]) -> Result<Solver> {
        let Solver { solution, time, worth, ways } = self;
        let terms = terms(time, &worth, way);
        let solution = solved(solution.add_constraint(terms.as_slice(), ComparisonOp::Le, 0.0))?;
        Ok(Solver { solution, time, worth, ways: ways + 1 })
    }
}

fn terms(time: Variable, worth: &[Variable], way: &[f64]) -> Vec<(Variable, f64)> {
    let costs = worth.iter().zip(way).filter(|(_, seconds)| **seconds > 0.0);
    costs.map(|(&worth, seconds)| (worth, -seconds)).chain([(time, 1.0)]).collect()
}

/// A finished solution: no limit of time is set.
pub(crate) fn solved(outcome: std::result::Result<SolveOutcome, microlp::Error>) -> Result<Solution> {
    match outcome {
        Ok(SolveOutcome::Solution(solution)) => Ok(solution),
        Ok(SolveOutcome::Interrupted(_)) => Err(Error::failed("the linear program of this bound was interrupted")),
        Err(e) => Err(Error::failed(format!("the linear program of this bound was not solved: {e}"))),
    }
}
