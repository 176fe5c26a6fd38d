//! What allgather and reduce-scatter need on routes as they are: ranks store and pass on, switches and routes stay.
//!
//! Of c(u, v) shards that rank u sends to rank v directly, any schedule has at least |S| from the inside to the outside of
//! every set S of ranks that some rank is not in, and that is enough (Edmonds, "Edge-disjoint branchings", 1973). So the bound is
//! a linear program; sets are added as they are found to be violated. Its dual proves it: prices of links and weights of
//! sets, so that no pair's sets weigh more than its route costs.

use crate::flow::Arcs;
use crate::prices::{self, as_said, solved};
use crate::routed::Routes;
use hopline::error::{Error, Result};
use hopline::id::LinkId;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::collections::BTreeSet;

/// Ranks up to which the linear program is solved.
pub const MOST_RANKS: u32 = 64;
/// Rounds of sets at most; they ended after a tenth of that wherever they were tried.
const ROUNDS: usize = 400;
/// A shard, in the whole numbers of a flow.
const SHARD: u64 = 1 << 40;
/// Less than this part of a shard is not missed.
const MISSED: f64 = 1e-7;

/// Least time on given routes, with what proves it.
#[derive(Debug, Clone, PartialEq)]
pub struct OnTables {
    /// Links that routes use, with what a GB takes on each, in seconds.
    pub(crate) links: Vec<(LinkId, f64)>,
    /// Price of each.
    pub(crate) prices: Vec<f64>,
    /// Sets of ranks that data must leave, with their weights.
    pub(crate) sets: Vec<(Vec<bool>, f64)>,
    pub(crate) seconds_per_gb: f64,
    reached: f64,
}

/// Of every pair the links with a bandwidth by number, and the shares of a message that pass them.
pub(crate) struct Pairs {
    pub(crate) n: u32,
    pub(crate) links: Vec<(LinkId, f64)>,
    pub(crate) of: Vec<Vec<(u32, f64)>>,
}

impl Pairs {
    pub(crate) fn new(routes: &mut Routes<'_>, n: u32, is_turned: bool) -> Result<Pairs> {
        let (mut links, mut of, mut number) = (Vec::new(), Vec::new(), rustc_hash::FxHashMap::default());
        for (u, v) in pairs(n) {
            let (from, to) = if is_turned { (v, u) } else { (u, v) };
            let route = routes.of(from, to)?.clone();
            let mut own: Vec<(u32, f64)> = Vec::with_capacity(route.len());
            for (link, share) in route {
                let Some(per_gb) = routes.seconds_per_gb(link) else { continue };
                let at = *number.entry(link).or_insert_with(|| {
                    links.push((link, per_gb));
                    links.len() as u32 - 1
                });
                match own.iter_mut().find(|(k, _)| *k == at) {
                    Some((_, sum)) => *sum += share,
                    None => own.push((at, share)),
                }
            }
            of.push(own);
        }
        Ok(Pairs { n, links, of })
    }

    /// All ordered pairs, as `of` has them.
    pub(crate) fn ends(&self) -> impl Iterator<Item = (u32, u32)> + use<> {
        pairs(self.n)
    }

    /// The links of a pair of different ranks.
    pub(crate) fn route(&self, from: u32, to: u32) -> &[(u32, f64)] {
        &self.of[(from * (self.n - 1) + to - u32::from(to > from)) as usize]
    }

    /// Whether a message out of a set passes no link with a bandwidth.
    fn leave_for_nothing(&self, set: &[bool]) -> bool {
        let mut leaving = pairs(self.n).zip(&self.of).filter(|((u, v), _)| set[*u as usize] && !set[*v as usize]);
        leaving.any(|(_, route)| route.is_empty())
    }
}

/// All ordered pairs of different ranks.
fn pairs(n: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..n).flat_map(move |u| (0..n).filter(move |&v| v != u).map(move |v| (u, v)))
}

impl OnTables {
    /// Seconds per GB (10^9 bytes) of a shard.
    pub fn seconds_per_gb(&self) -> f64 {
        self.seconds_per_gb
    }

    /// Seconds per GB of amounts that ranks can send; the least time lies between this and the proof.
    pub fn reached_seconds_per_gb(&self) -> f64 {
        self.reached
    }

    /// The sets of the proof by their ranks, with weights that together, times ranks, are what it proves.
    pub fn weighted_sets(&self) -> impl Iterator<Item = (Vec<u32>, f64)> + '_ {
        let ranks =
            |set: &[bool]| (0..).zip(set).filter(|(_, inside)| **inside).map(|(rank, _)| rank).collect::<Vec<u32>>();
        let sum: f64 = self.sets.iter().map(|(set, weight)| weight * ranks(set).len() as f64).sum();
        self.sets.iter().map(move |(set, weight)| (ranks(set), weight * self.seconds_per_gb / sum))
    }

    /// The links with a price, dearest first, with their part of all that is paid.
    pub fn dearest(&self) -> Vec<(LinkId, f64)> {
        let paid = || self.links.iter().zip(&self.prices).map(|(link, price)| (link.0, price / link.1));
        let sum: f64 = paid().map(|(_, paid)| paid).sum();
        prices::dearest(paid().map(|(link, paid)| (link, paid / sum)).collect())
    }

    /// Works the proof out again without the solver: with prices and weights as they are, whatever made them, no schedule takes
    /// less than what is answered, in seconds per GB.
    ///
    /// # Errors
    /// A price or weight is negative, all is free, or a set has all ranks or none; then it proves nothing. Or it proves less
    /// than it says.
    pub fn check(&self, routes: &mut Routes<'_>, ranks: u32, is_turned: bool) -> Result<f64> {
        let pairs = Pairs::new(routes, ranks, is_turned)?;
        let price = |link: LinkId| self.links.iter().position(|l| l.0 == link).map_or(0.0, |k| self.prices[k]);
        let prices: Vec<f64> = pairs.links.iter().map(|l| price(l.0)).collect();
        as_said(proven(&pairs, &prices, &self.sets)?, self.seconds_per_gb)
    }
}

/// What prices and weights prove: sets of a pair may weigh as much as its route costs, so all weights are scaled to that.
fn proven(pairs: &Pairs, prices: &[f64], sets: &[(Vec<bool>, f64)]) -> Result<f64> {
    let wrong = |text: &str| Error::failed(format!("these prices prove nothing: {text}"));
    if prices.iter().chain(sets.iter().map(|s| &s.1)).any(|x| !x.is_finite() || *x < 0.0) {
        return Err(wrong("one is negative"));
    }
    let mut most = 0.0f64;
    for ((u, v), route) in self::pairs(pairs.n).zip(&pairs.of) {
        let cost: f64 = route.iter().map(|&(link, share)| share * prices[link as usize]).sum();
        let weight: f64 = sets.iter().filter(|s| s.0[u as usize] && !s.0[v as usize]).map(|s| s.1).sum();
        if weight > 0.0 {
            most = most.max(weight / cost);
        }
    }
    // What all links can carry in a second costs so much.
    let paid: f64 = pairs.links.iter().zip(prices).map(|(link, price)| price / link.1).sum();
    let mut sum = 0.0;
    for (set, weight) in sets {
        let inside = set.iter().filter(|inside| **inside).count();
        if set.len() != pairs.n as usize || inside == set.len() || inside == 0 {
            return Err(wrong("a set has all ranks or none"));
        }
        sum += weight * inside as f64;
    }
    match sum / most / paid {
        bound if bound.is_finite() => Ok(bound),
        _ => Err(wrong("everything is free")),
    }
}

/// Makes routes as dear as the sets weigh that they leave: a solver's rounding may leave a weight on a route that is free.
fn raise(pairs: &Pairs, prices: &mut [f64], sets: &[(Vec<bool>, f64)]) {
    for ((u, v), route) in self::pairs(pairs.n).zip(&pairs.of) {
        let cost: f64 = route.iter().map(|&(link, share)| share * prices[link as usize]).sum();
        let weight: f64 = sets.iter().filter(|s| s.0[u as usize] && !s.0[v as usize]).map(|s| s.1).sum();
        let shares: f64 = route.iter().map(|&(_, share)| share).sum();
        if weight > cost {
            route.iter().for_each(|&(link, _)| prices[link as usize] += (weight - cost) / shares);
        }
    }
}

/// The least time of allgather, or of reduce-scatter where `is_turned`, on these routes; `None` for more than [`MOST_RANKS`]
/// ranks, or where routes have no bandwidths.
///
/// # Errors
/// Two ranks have no way between them, or the linear program cannot be solved.
pub fn on_tables(routes: &mut Routes<'_>, n: u32, is_turned: bool) -> Result<Option<OnTables>> {
    if n > MOST_RANKS {
        return Ok(None);
    }
    let pairs = Pairs::new(routes, n, is_turned)?;
    if pairs.links.is_empty() {
        return Ok(None);
    }
    let (mut sets, reached) = violated_sets(&pairs)?;
    // A set that ranks leave for nothing has no weight in any proof; a solver's rounding may give it some.
    sets.retain(|set| !pairs.leave_for_nothing(set));
    let Dual { mut prices, weights } = dual(&pairs, &sets)?;
    let sets: Vec<(Vec<bool>, f64)> = sets.into_iter().zip(weights).filter(|s| s.1 > 0.0).collect();
    raise(&pairs, &mut prices, &sets);
    let seconds_per_gb = proven(&pairs, &prices, &sets)?;
    Ok(Some(OnTables { links: pairs.links, prices, sets, seconds_per_gb, reached }))
}

/// The sets of the linear program, added until none is violated, and its seconds per GB.
fn violated_sets(pairs: &Pairs) -> Result<(Vec<Vec<bool>>, f64)> {
    let n = pairs.n as usize;
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let time = problem.add_var(1.0, (0.0, f64::INFINITY));
    let sent: Vec<Variable> = pairs.of.iter().map(|_| problem.add_var(0.0, (0.0, n as f64))).collect();
    let mut rows: Vec<Vec<(Variable, f64)>> = pairs.links.iter().map(|_| vec![(time, -1.0)]).collect();
    for (route, &variable) in pairs.of.iter().zip(&sent) {
        for &(link, share) in route {
            rows[link as usize].push((variable, share * pairs.links[link as usize].1));
        }
    }
    rows.iter().for_each(|row| problem.add_constraint(row.as_slice(), ComparisonOp::Le, 0.0));
    let row = |set: &[bool]| -> (Vec<(Variable, f64)>, f64) {
        let leaves = self::pairs(pairs.n).zip(&sent).filter(|((u, v), _)| set[*u as usize] && !set[*v as usize]);
        (leaves.map(|(_, &variable)| (variable, 1.0)).collect(), set.iter().filter(|inside| **inside).count() as f64)
    };
    // At first what every rank takes in, and what ranks with the same last links do.
    let mut sets: Vec<Vec<bool>> = (0..n).map(|v| (0..n).map(|u| u != v).collect()).collect();
    for group in groups(pairs) {
        sets.push(group.iter().map(|inside| !inside).collect());
    }
    let mut known: BTreeSet<Vec<bool>> = BTreeSet::new();
    sets.retain(|set| known.insert(set.clone()));
    for set in &sets {
        let (terms, least) = row(set);
        problem.add_constraint(terms.as_slice(), ComparisonOp::Ge, least);
    }
    let mut solution = solved(problem.solve())?;
    for _ in 0..ROUNDS {
        let amounts: Vec<f64> = sent.iter().map(|&variable| solution.var_value(variable).max(0.0)).collect();
        let found: Vec<Vec<bool>> =
            violations(pairs.n, &amounts).into_iter().filter(|set| known.insert(set.clone())).collect();
        if found.is_empty() {
            return Ok((sets, solution.var_value(time)));
        }
        for set in found {
            let (terms, least) = row(&set);
            solution = solved(solution.add_constraint(terms.as_slice(), ComparisonOp::Ge, least))?;
            sets.push(set);
        }
    }
    Err(Error::failed(format!("the linear program of these routes needs more than {ROUNDS} rounds of sets")))
}

/// Ranks that are reached over links which no others are reached over: racks, boxes, groups.
fn groups(pairs: &Pairs) -> BTreeSet<Vec<bool>> {
    let n = pairs.n as usize;
    let mut reached = vec![vec![false; n]; pairs.links.len()];
    for ((_, v), route) in self::pairs(pairs.n).zip(&pairs.of) {
        route.iter().for_each(|&(link, _)| reached[link as usize][v as usize] = true);
    }
    let is_some = |set: &Vec<bool>| (2..n).contains(&set.iter().filter(|inside| **inside).count());
    reached.into_iter().filter(is_some).collect()
}

/// Sets from which fewer shards leave than their ranks own, one for each rank that gets too few.
fn violations(n: u32, amounts: &[f64]) -> Vec<Vec<bool>> {
    let arc = |((u, v), &amount): ((u32, u32), &f64)| (u, v, (amount * SHARD as f64) as u64);
    let given = (0..n).map(|u| (n, u, SHARD));
    let arcs = Arcs::new(n as usize + 1, &pairs(n).zip(amounts).map(arc).chain(given).collect::<Vec<_>>());
    let mut work = arcs.work();
    let need = u64::from(n) * SHARD;
    let least = need - (MISSED * SHARD as f64) as u64;
    let short = |v: u32| {
        (arcs.flow(n, v, need, &mut work) < least).then(|| {
            let mut set = arcs.apart(v, &work);
            set.truncate(n as usize);
            set
        })
    };
    (0..n).filter_map(short).collect()
}

/// What proves a bound.
struct Dual {
    /// Of links.
    prices: Vec<f64>,
    /// Of sets.
    weights: Vec<f64>,
}

/// Prices and weights that prove the most.
fn dual(pairs: &Pairs, sets: &[Vec<bool>]) -> Result<Dual> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let size = |set: &Vec<bool>| set.iter().filter(|inside| **inside).count() as f64;
    let weights: Vec<Variable> = sets.iter().map(|set| problem.add_var(size(set), (0.0, f64::INFINITY))).collect();
    // A link's price is what it can carry in a second, times this.
    let prices: Vec<Variable> = pairs.links.iter().map(|_| problem.add_var(0.0, (0.0, f64::INFINITY))).collect();
    let all: Vec<(Variable, f64)> = prices.iter().map(|&price| (price, 1.0)).collect();
    problem.add_constraint(all.as_slice(), ComparisonOp::Le, 1.0);
    let mut rows: BTreeSet<Vec<(usize, u64)>> = BTreeSet::new();
    for ((u, v), route) in self::pairs(pairs.n).zip(&pairs.of) {
        let own = sets.iter().enumerate().filter(|(_, set)| set[u as usize] && !set[v as usize]);
        let mut key: Vec<(usize, u64)> = own.map(|(k, _)| (k, 1f64.to_bits())).collect();
        let paid = route
            .iter()
            .map(|&(link, share)| (sets.len() + link as usize, (-share * pairs.links[link as usize].1).to_bits()));
        key.extend(paid);
        rows.insert(key);
    }
    let variable = |k: usize| if k < sets.len() { weights[k] } else { prices[k - sets.len()] };
    for row in rows {
        let terms: Vec<(Variable, f64)> = row.iter().map(|&(k, bits)| (variable(k), f64::from_bits(bits))).collect();
        problem.add_constraint(terms.as_slice(), ComparisonOp::Le, 0.0);
    }
    let solution = solved(problem.solve())?;
    let value = |variable: &Variable| solution.var_value(*variable).max(0.0);
    let prices = prices.iter().zip(&pairs.links).map(|(price, link)| value(price) * link.1).collect();
    Ok(Dual { prices, weights: weights.iter().map(value).collect() })
}
