//! What trees that spread and trees that add up can do on a network whose switches take in what they give out: a linear program
//! over the part of each link that either has, with sets of vertices as its rows, added as they are found to be violated
//! (Edmonds, "Edge-disjoint branchings", 1973: where no set is violated there are the trees). Its dual proves it: weights of
//! sets, and a potential of each switch, by which links have prices.
//!
//! For allgather and reduce-scatter this is the bound of plain switches where these are unbalanced; for allreduce that of all
//! schedules which add up along trees and spread along trees.

use crate::boxes::groups;
use crate::flow::Arcs;
use crate::network::Network;
use crate::operation::{Operation, Switches};
use crate::outcome::{NamedSet, PhaseProof, Potential};
use crate::prices::{as_said, solved};
use hopline::error::{Error, Result};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// Ranks, and links between different places, up to which the linear program is solved.
const MOST_RANKS: usize = 40;
const MOST_LINKS: usize = 600;
/// Rounds of sets at most.
const ROUNDS: usize = 200;
/// All that trees bring, in the whole numbers of a flow.
const ALL: f64 = (1u64 << 40) as f64;
/// Less than this part is not missed.
const MISSED: f64 = 1e-8;

/// Weighted sets of places; those of either phase.
type Sets = Vec<(Vec<bool>, f64)>;

/// A set of places that trees of a phase must leave, or enter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PlaceSet {
    inside: Vec<bool>,
    /// Whether it is of the trees that add up.
    adds: bool,
}

/// Least time of trees, with what proves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Trees {
    /// Sets that data must leave while they spread, and those that they must enter while they are added up.
    pub(crate) sets: [Sets; 2],
    /// Of each place in either phase; 0 of ranks.
    pub(crate) potentials: [Vec<f64>; 2],
    pub(crate) seconds_per_gb: f64,
}

/// The network as the linear program sees it: places, which unlimited links join, and between two of them one link.
struct Places {
    /// Ranks of each.
    ranks: Vec<u32>,
    /// From, to, GB/s.
    links: Vec<(u32, u32, f64)>,
    /// Whether trees spread, and whether they add up.
    phases: [bool; 2],
    /// Every rank has the same part, as of a shard.
    is_shared: bool,
    switches: Switches,
    groups: Vec<Vec<bool>>,
}

impl Places {
    fn new(network: &Network, operation: Operation, switches: Switches) -> Option<Places> {
        let (phases, is_shared) = match operation {
            Operation::Allgather => ([true, false], true),
            Operation::ReduceScatter => ([false, true], true),
            Operation::Allreduce => ([true, true], false),
            _ => return None,
        };
        let (place, places) = network.joined();
        let at = |v: u32| place[v as usize];
        let most: u64 = network.links().iter().filter_map(|link| link.bytes_s).fold(0, u64::saturating_add);
        let mut links: BTreeMap<(u32, u32), f64> = BTreeMap::new();
        for link in network.links().iter().filter(|link| at(link.from) != at(link.to)) {
            *links.entry((at(link.from), at(link.to))).or_default() += link.bytes_s.unwrap_or(most) as f64 / 1e9;
        }
        let mut ranks = vec![0; places as usize];
        network.ranks().iter().for_each(|&rank| ranks[at(rank) as usize] += 1);
        let group = |group: Vec<u32>| {
            let mut inside = vec![false; places as usize];
            group.iter().for_each(|&rank| inside[at(network.ranks()[rank as usize]) as usize] = true);
            inside
        };
        let groups = groups(network).into_iter().map(group).collect();
        let links = links.into_iter().map(|((from, to), gb_s)| (from, to, gb_s)).collect();
        Some(Places { ranks, links, phases, is_shared, switches, groups })
    }

    fn with_ranks(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ranks.len()).filter(|&v| self.ranks[v] > 0)
    }

    /// Whether a switch must give out what it takes in, in a phase.
    fn is_plain(&self, v: usize, phase: usize) -> bool {
        self.ranks[v] == 0 && !if phase == 0 { self.switches.copy } else { self.switches.reduce }
    }

    /// Whether a link passes the border of a set as data do: out of it while they spread, into it while they add up.
    fn passes(&self, link: usize, set: &[bool], phase: usize) -> bool {
        let (from, to, _) = self.links[link];
        let (from, to) = if phase == 0 { (from, to) } else { (to, from) };
        set[from as usize] && !set[to as usize]
    }

    fn ranks_in(&self, set: &[bool]) -> f64 {
        self.with_ranks().filter(|&v| set[v]).map(|v| f64::from(self.ranks[v])).sum()
    }

    /// Sets to begin with: each rank, all but one, and what is near each other, with the switches that only they reach.
    fn first_sets(&self) -> BTreeSet<PlaceSet> {
        let n = self.ranks.len();
        let not = |set: &Vec<bool>| set.iter().map(|inside| !inside).collect::<Vec<bool>>();
        let one = |v: usize| (0..n).map(|u| u == v).collect::<Vec<bool>>();
        let sets: Vec<Vec<bool>> =
            self.with_ranks().map(one).chain(self.groups.iter().map(|set| self.closed(set))).collect();
        let sets = sets.iter().map(not).chain(sets.iter().cloned()).collect::<Vec<_>>();
        let of = |phase: usize| sets.iter().map(move |set| PlaceSet { inside: set.clone(), adds: phase == 1 });
        (0..2).filter(|&phase| self.phases[phase]).flat_map(of).collect()
    }

    /// A set of ranks with the switches all of whose links lead into it, one after the other.
    fn closed(&self, set: &[bool]) -> Vec<bool> {
        let mut set = set.to_vec();
        loop {
            let mut outside = vec![false; set.len()];
            for &(from, to, _) in &self.links {
                outside[from as usize] |= !set[to as usize] && self.ranks[to as usize] > 0;
                outside[to as usize] |= !set[from as usize] && self.ranks[from as usize] > 0;
            }
            let near = |v: usize| {
                self.links.iter().any(|l| l.0 as usize == v && set[l.1 as usize] && self.ranks[l.1 as usize] > 0)
            };
            let joins: Vec<usize> =
                (0..set.len()).filter(|&v| self.ranks[v] == 0 && !set[v] && !outside[v] && near(v)).collect();
            if joins.is_empty() {
                return set;
            }
            joins.into_iter().for_each(|v| set[v] = true);
        }
    }
}

impl Trees {
    /// Works the proof out again without the solver: sets and potentials as they are, whatever made them, give links prices, and
    /// no trees take less than what is answered, in seconds per GB.
    ///
    /// # Errors
    /// The proof is of another network, operation or switches, a weight is negative, all is free, or less is proven than was said.
    pub fn check(&self, network: &Network, operation: Operation, switches: Switches) -> Result<f64> {
        let places = Places::new(network, operation, switches).ok_or_else(|| wrong("no such trees are known"))?;
        as_said(self.proven(&places)?, self.seconds_per_gb)
    }

    /// The proof in names, for people to add up: of the phase that spreads, then of that which adds up, where there is one.
    pub(crate) fn told(&self, network: &Network) -> Vec<PhaseProof> {
        let (place, _) = network.joined();
        let names = |is: &dyn Fn(usize) -> bool| -> Vec<String> {
            let vertices = (0..network.vertices()).filter(|&v| is(place[v] as usize));
            vertices.map(|v| network.name(v as u32).to_string()).collect()
        };
        let phase = |phase: usize| {
            let sets = self.sets[phase]
                .iter()
                .map(|(set, weight)| NamedSet { members: names(&|at| set[at]), weight: *weight });
            let potentials = self.potentials[phase].iter().enumerate().filter(|(_, value)| **value != 0.0);
            let potentials =
                potentials.map(|(at, value)| Potential { members: names(&|own| own == at), value: *value });
            PhaseProof { adds: phase == 1, sets: sets.collect(), potentials: potentials.collect() }
        };
        (0..2).map(phase).filter(|phase| !phase.sets.is_empty()).collect()
    }

    fn proven(&self, places: &Places) -> Result<f64> {
        let n = places.ranks.len();
        let fits =
            self.sets.iter().flatten().all(|(set, weight)| set.len() == n && weight.is_finite() && *weight >= 0.0);
        if !fits || self.potentials.iter().any(|of| of.len() != n || of.iter().any(|x| !x.is_finite())) {
            return Err(wrong("a set or a weight does not fit"));
        }
        // Every rank's part must pass the sets that the rank is in, unless all ranks are.
        let mut passes = vec![0.0; n];
        for (set, weight) in self.sets.iter().flatten() {
            if places.with_ranks().all(|v| set[v]) {
                return Err(wrong("a set has all ranks"));
            }
            (0..n).filter(|&v| set[v]).for_each(|v| passes[v] += weight);
        }
        let needed = match places.is_shared {
            true => places.with_ranks().map(|v| passes[v] * f64::from(places.ranks[v])).sum(),
            false => places.with_ranks().map(|v| passes[v]).fold(f64::INFINITY, f64::min),
        };
        let paid: f64 = (0..places.links.len()).map(|link| places.links[link].2 * self.price(places, link)).sum();
        match needed / paid {
            seconds if seconds.is_finite() => Ok(seconds),
            _ => Err(wrong("everything is free")),
        }
    }

    /// What a link must cost: the weights of the sets that it passes, less the drop of potential along it, in the dearer phase.
    fn price(&self, places: &Places, link: usize) -> f64 {
        let (from, to, _) = places.links[link];
        let of = |phase: usize| {
            let sets = self.sets[phase].iter().filter(|set| places.passes(link, &set.0, phase));
            let potential =
                |v: u32| if places.is_plain(v as usize, phase) { self.potentials[phase][v as usize] } else { 0.0 };
            sets.map(|set| set.1).sum::<f64>() - potential(from) + potential(to)
        };
        (0..2).filter(|&phase| places.phases[phase]).map(of).fold(0.0, f64::max)
    }
}

fn wrong(text: &str) -> Error {
    Error::failed(format!("these sets prove nothing: {text}"))
}

/// The least time of trees for allgather, reduce-scatter or allreduce; `None` for other operations, and for networks that are
/// larger than is solved here. A linear program in twice the links, with two maximum flows a rank and round.
///
/// # Errors
/// Some rank cannot be reached, or the linear program cannot be solved.
pub fn trees(network: &Network, operation: Operation, switches: Switches) -> Result<Option<Trees>> {
    let Some(places) = Places::new(network, operation, switches) else { return Ok(None) };
    let size = places.with_ranks().count();
    if !(2..=MOST_RANKS).contains(&size) || places.links.len() > MOST_LINKS {
        return Ok(None);
    }
    dual(&places, &violated(&places)?).map(Some)
}

/// The variables of the linear program: what the ranks have, and what each phase has of each link.
struct Variables {
    parts: Vec<Option<Variable>>,
    links: [Vec<Variable>; 2],
}

/// The sets of the linear program, added until none is violated or their number is enough.
fn violated(places: &Places) -> Result<Vec<PlaceSet>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let shared = places.is_shared.then(|| problem.add_var(1.0, (0.0, f64::INFINITY)));
    let part =
        |v: usize| (places.ranks[v] > 0).then(|| shared.unwrap_or_else(|| problem.add_var(1.0, (0.0, f64::INFINITY))));
    let parts: Vec<Option<Variable>> = (0..places.ranks.len()).map(part).collect();
    let mut links = |phase: usize| -> Vec<Variable> {
        let of = places.links.iter().filter(|_| places.phases[phase]);
        of.map(|link| problem.add_var(0.0, (0.0, link.2))).collect()
    };
    let variables = Variables { parts, links: [links(0), links(1)] };
    if places.phases == [true, true] {
        for ((spread, adds), link) in variables.links[0].iter().zip(&variables.links[1]).zip(&places.links) {
            problem.add_constraint([(*spread, 1.0), (*adds, 1.0)].as_slice(), ComparisonOp::Le, link.2);
        }
    }
    for phase in (0..2).filter(|&phase| places.phases[phase]) {
        for v in (0..places.ranks.len()).filter(|&v| places.is_plain(v, phase)) {
            let of = places.links.iter().zip(&variables.links[phase]);
            let sign = |&(from, to, _): &(u32, u32, f64)| f64::from(from as usize == v) - f64::from(to as usize == v);
            let terms: Vec<(Variable, f64)> =
                of.map(|(link, &variable)| (variable, sign(link))).filter(|term| term.1 != 0.0).collect();
            problem.add_constraint(terms.as_slice(), ComparisonOp::Eq, 0.0);
        }
    }
    let mut known = places.first_sets();
    for found in &known {
        problem.add_constraint(row(places, &variables, found).as_slice(), ComparisonOp::Le, 0.0);
    }
    let mut solution = solved(problem.solve())?;
    for _ in 0..ROUNDS {
        let value = |variable: Variable| solution.var_value(variable).max(0.0);
        let parts: Vec<f64> = variables
            .parts
            .iter()
            .zip(&places.ranks)
            .map(|(part, &ranks)| part.map_or(0.0, value) * if places.is_shared { f64::from(ranks) } else { 1.0 })
            .collect();
        let all: f64 = parts.iter().sum();
        if all <= 0.0 {
            return Err(Error::input("some rank cannot be reached from all others"));
        }
        let mut found = Vec::new();
        for phase in (0..2).filter(|&phase| places.phases[phase]) {
            let amounts: Vec<f64> = variables.links[phase].iter().map(|&variable| value(variable)).collect();
            found.extend(short(places, &parts, &amounts, all, phase));
        }
        found.retain(|found| known.insert(found.clone()));
        if found.is_empty() {
            break;
        }
        for found in found {
            let terms = row(places, &variables, &found);
            solution = solved(solution.add_constraint(terms.as_slice(), ComparisonOp::Le, 0.0))?;
        }
    }
    Ok(known.into_iter().collect())
}

/// What the ranks of a set have must pass its border.
fn row(places: &Places, variables: &Variables, PlaceSet { inside: set, adds }: &PlaceSet) -> Vec<(Variable, f64)> {
    let phase = usize::from(*adds);
    let links = variables.links[phase].iter().enumerate().filter(|(link, _)| places.passes(*link, set, phase));
    let mut terms: Vec<(Variable, f64)> = links.map(|(_, &variable)| (variable, -1.0)).collect();
    match places.is_shared {
        true => terms.extend(variables.parts.iter().flatten().next().map(|&part| (part, places.ranks_in(set)))),
        false => terms.extend(
            variables.parts.iter().zip(set).filter_map(|(part, inside)| Some(((*part)?, 1.0)).filter(|_| *inside)),
        ),
    }
    terms
}

/// Sets that too little passes: one for each place that not all reaches.
fn short(places: &Places, parts: &[f64], amounts: &[f64], all: f64, phase: usize) -> Vec<PlaceSet> {
    let n = places.ranks.len() as u32;
    let units = |amount: f64| (amount / all * ALL) as u64;
    let arcs = places.links.iter().zip(amounts).map(|(&(from, to, _), &amount)| {
        let (from, to) = if phase == 0 { (from, to) } else { (to, from) };
        (from, to, units(amount))
    });
    let given = (0..n).zip(parts).filter(|(_, part)| **part > 0.0).map(|(v, &part)| (n, v, units(part)));
    let given: Vec<(u32, u32, u64)> = given.collect();
    let need: u64 = given.iter().map(|arc| arc.2).sum();
    let arcs = Arcs::new(n as usize + 1, &arcs.chain(given).collect::<Vec<_>>());
    let (mut work, least) = (arcs.work(), need - (MISSED * need as f64) as u64);
    let lacks = |v: usize| {
        (arcs.flow(n, v as u32, need, &mut work) < least).then(|| {
            let mut set = arcs.apart(v as u32, &work);
            set.truncate(n as usize);
            PlaceSet { inside: set, adds: phase == 1 }
        })
    };
    places.with_ranks().filter_map(lacks).collect()
}

/// Weights of sets and potentials of switches that prove the most.
fn dual(places: &Places, sets: &[PlaceSet]) -> Result<Trees> {
    let free = (f64::NEG_INFINITY, f64::INFINITY);
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let weights: Vec<Variable> = sets.iter().map(|_| problem.add_var(0.0, (0.0, f64::INFINITY))).collect();
    let prices: Vec<Variable> = places.links.iter().map(|link| problem.add_var(link.2, (0.0, f64::INFINITY))).collect();
    let mut potential = |phase: usize| -> Vec<Option<Variable>> {
        let is_used = |v: usize| places.phases[phase] && places.is_plain(v, phase);
        (0..places.ranks.len()).map(|v| is_used(v).then(|| problem.add_var(0.0, free))).collect()
    };
    let potentials = [potential(0), potential(1)];
    for phase in (0..2).filter(|&phase| places.phases[phase]) {
        for (link, &price) in prices.iter().enumerate() {
            let (from, to, _) = places.links[link];
            let passed = sets
                .iter()
                .zip(&weights)
                .filter(|(set, _)| usize::from(set.adds) == phase && places.passes(link, &set.inside, phase));
            let mut terms: Vec<(Variable, f64)> = passed.map(|(_, &weight)| (weight, -1.0)).collect();
            terms.push((price, 1.0));
            terms.extend(potentials[phase][from as usize].map(|from| (from, 1.0)));
            terms.extend(potentials[phase][to as usize].map(|to| (to, -1.0)));
            problem.add_constraint(terms.as_slice(), ComparisonOp::Ge, 0.0);
        }
    }
    let inside = |v: usize| sets.iter().zip(&weights).filter(move |(set, _)| set.inside[v]).map(|(_, &weight)| weight);
    if places.is_shared {
        let terms: Vec<(Variable, f64)> =
            sets.iter().zip(&weights).map(|(set, &weight)| (weight, places.ranks_in(&set.inside))).collect();
        problem.add_constraint(terms.as_slice(), ComparisonOp::Ge, 1.0);
    } else {
        for v in places.with_ranks() {
            let terms: Vec<(Variable, f64)> = inside(v).map(|weight| (weight, 1.0)).collect();
            problem.add_constraint(terms.as_slice(), ComparisonOp::Ge, 1.0);
        }
    }
    let solution = solved(problem.solve())?;
    let mut own: [Sets; 2] = Default::default();
    for (set, &weight) in sets.iter().zip(&weights) {
        let weight = solution.var_value(weight).max(0.0);
        if weight > 0.0 {
            own[usize::from(set.adds)].push((set.inside.clone(), weight));
        }
    }
    let value = |variable: &Option<Variable>| variable.map_or(0.0, |variable| solution.var_value(variable));
    let potentials = potentials.map(|of| of.iter().map(value).collect());
    let mut found = Trees { sets: own, potentials, seconds_per_gb: 0.0 };
    found.seconds_per_gb = found.proven(places)?;
    Ok(found)
}
