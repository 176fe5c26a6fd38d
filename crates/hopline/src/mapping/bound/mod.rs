//! A lower bound on the busiest link over all mappings of a problem: how much
//! better than the best known one any mapping could be.
//!
//! Notation: t is the busy time of the busiest link (amount over bandwidth), the
//! *price* of a way is the sum over its links of share x weight / bandwidth, for
//! a weight y per class of links. Every link is busy for at most t, so
//! t x (sum of y over the links that any route between the problem's endpoints
//! uses) >= sum over flows of amount x price. Three arguments bound the right
//! side, or t, from below; the largest bound counts.
//!
//! 1. *Distance.* Take a task t and its peers by falling amount (both ways
//!    together). Tasks sit in different slots, so the peers' prices are at least
//!    the smallest prices from the endpoint of t, each as often as the other
//!    endpoint has slots; the largest amounts meet the smallest prices in the
//!    cheapest case. With P(k) the least sum of k smallest prices over all
//!    endpoints, the flows of t cost at least the sum over k of
//!    (a(k) - a(k+1)) x P(k). The sum over all tasks counts every flow twice.
//! 2. *Cuts.* A part of a level holds at most c tasks, so at least some amount
//!    X must go between parts: see [`boundary`]. It costs at least the least
//!    price m of two endpoints in different parts; levels add up by their growth
//!    of m, as what goes between outer parts goes between inner ones too.
//! 3. *Star.* A task keeps at most its h - 1 heaviest peers on its host of h
//!    slots. The rest crosses the links out of (into) its endpoint.
//!
//! Where all amounts are multiples of one and all shares of a class are, so are
//! the loads of its links: a bound for a class alone is rounded up to the next
//! multiple.

mod assignment;
mod boundary;
mod hops;
mod prices;

pub use self::hops::hop_bound;

use self::boundary::Boundary;
use self::prices::Prices;
use super::Problem;
use super::search::TaskGraph;
use crate::fabric::{Fabric, Rails};
use crate::id::{HostId, LinkId, SlotId};
use rustc_hash::FxHashMap;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Which argument gave a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Argument {
    /// Tasks have more peers than there are slots nearby.
    Distance,
    /// The parts of a level hold so few tasks that much must leave them.
    Cuts,
    /// A task sends or gets more than its endpoint's links can carry in less.
    Star,
}

/// A proven lower bound.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Bound {
    /// No mapping makes the busiest link less busy (amount over bandwidth in GB/s).
    pub busy: f64,
    /// Why.
    pub argument: Argument,
}

/// Demands that name more pairs of tasks are not looked at.
const MOST_PAIRS: u64 = 1 << 20;
/// Hops are rounded to 24 bits: what a bound loses to stay one.
const ROUNDING: f64 = 1e-6;

/// The best of all bounds that are tried:
///
/// ```
/// use hopline::mapping::{Order, Problem, bound};
/// use hopline::{routing::Dor, topology::Torus, traffic::Halo};
/// use std::sync::Arc;
///
/// let torus = Torus::new(&[4, 4])?;
/// let fabric = Arc::new(torus.build()?);
/// let routing = Dor::new(&torus, &fabric)?;
/// let (job, slots) = (Halo::new(&[4, 4])?.demand()?, fabric.slots());
/// let problem = Problem::new(&job, &routing, &slots)?;
/// // A torus on itself: task order is proven best.
/// let busiest = problem.summary(&problem.map(&Order::Default, 1)?)?.max_load;
/// assert!(bound(&problem).is_some_and(|bound| (busiest - bound.busy).abs() < 1e-6));
/// # Ok::<(), hopline::error::Error>(())
/// ```
///
/// `None` where none is known:
/// more than 2^20 pairs of tasks, or no limited link that must be used.
/// O(endpoints^2 * links of a route + pairs of tasks) up to 2048 endpoints,
/// beyond them O(pairs of tasks).
pub fn bound(problem: &Problem<'_>) -> Option<Bound> {
    let graph = TaskGraph::new(problem.demand(), MOST_PAIRS)?;
    let mut best = Bound { busy: star(problem, &graph), argument: Argument::Star };
    if let Some(prices) = Prices::new(problem, graph.most_peers()) {
        let cuts = cuts(problem, &graph);
        let quantum = amount_quantum(&graph);
        for lens in &prices.lenses {
            let distance = distance(&graph, &lens.cheapest);
            let cut = lens.growth(&cuts);
            for (amount, argument) in [(distance, Argument::Distance), (cut, Argument::Cuts)] {
                let busy = lens.round_up(amount / lens.links, quantum);
                if busy > best.busy {
                    best = Bound { busy, argument };
                }
            }
        }
    }
    best.busy *= 1.0 - ROUNDING;
    (best.busy > 0.0).then_some(best)
}

/// Sum over flows of amount x price, by the first argument.
fn distance(graph: &TaskGraph, cheapest: &[f64]) -> f64 {
    let mut sum = 0.0;
    let mut amounts = Vec::new();
    for task in 0..graph.tasks() {
        amounts.clear();
        amounts.extend(graph.of(task).iter().map(|p| p.out + p.back));
        amounts.sort_by(|a, b| f64::total_cmp(b, a));
        amounts.push(0.0);
        sum += amounts.windows(2).zip(&cheapest[1..]).map(|(a, price)| (a[0] - a[1]) * price).sum::<f64>();
    }
    sum / 2.0
}

/// By level, hosts first: what must go between parts.
fn cuts(problem: &Problem<'_>, graph: &TaskGraph) -> Vec<f64> {
    let boundary = Boundary::new(problem.demand().grid(), graph);
    let levels = problem.fabric().levels().iter().map(|level| Some(&level.part));
    let hosts = problem.fabric().hosts();
    let part_of = |level: Option<&Vec<u32>>, slot: SlotId| {
        level.map_or(hosts.host_of(slot).0, |part| part[hosts.endpoint_of(slot).index()])
    };
    let of = |level| boundary.crossing(most_slots(problem.slots().iter().map(|&slot| part_of(level, slot))));
    [None].into_iter().chain(levels).map(of).collect()
}

/// Slots of the part that has most, from the part of every slot.
fn most_slots(parts: impl Iterator<Item = u32>) -> u64 {
    let mut slots: FxHashMap<u32, u64> = FxHashMap::default();
    parts.for_each(|part| *slots.entry(part).or_insert(0) += 1);
    slots.into_values().max().unwrap_or(0)
}

/// The third argument.
fn star(problem: &Problem<'_>, graph: &TaskGraph) -> f64 {
    let (fabric, hosts) = (problem.fabric(), problem.fabric().hosts());
    let most = (0..hosts.len()).map(|h| hosts.slot_count(HostId(h)) as usize).max().unwrap_or(0);
    let (mut out, mut into): (f64, f64) = (0.0, 0.0);
    for &slot in problem.slots() {
        let own = [hosts.endpoint_of(slot)];
        let ends = if hosts.rails() == Rails::Stripe { hosts.endpoints(hosts.host_of(slot)) } else { &own };
        let links = || ends.iter().flat_map(|&e| fabric.out_links(e));
        out = out.max(capacity(fabric, links()));
        into = into.max(capacity(fabric, links().map(|l| fabric.reverse(l))));
    }
    let mut busy: f64 = 0.0;
    let mut amounts = Vec::new();
    for task in 0..graph.tasks() {
        for (incoming, most_out) in [(false, out), (true, into)] {
            amounts.clear();
            amounts.extend(graph.of(task).iter().map(|p| if incoming { p.back } else { p.out }));
            amounts.sort_by(|a, b| f64::total_cmp(b, a));
            let leaves = amounts.iter().skip(most.saturating_sub(1)).sum::<f64>();
            if most_out > 0.0 {
                busy = busy.max(leaves / most_out);
            }
        }
    }
    busy
}

/// Bandwidth of links together, in GB/s.
fn capacity(fabric: &Fabric, links: impl Iterator<Item = LinkId>) -> f64 {
    links.map(|l| fabric.class_of(l).bandwidth.map_or(f64::INFINITY, |b| b.as_gb_s())).sum()
}

/// What all amounts between two tasks are multiples of.
fn amount_quantum(graph: &TaskGraph) -> Option<f64> {
    let amounts = || (0..graph.tasks()).flat_map(|t| graph.of(t)).map(|p| p.out).filter(|&a| a > 0.0);
    let least = amounts().fold(f64::INFINITY, f64::min);
    (least.is_finite() && amounts().all(|a| is_multiple(a, least, 1e-9))).then_some(least)
}

/// Whether `value` is a small multiple of `unit`, up to rounding.
fn is_multiple(value: f64, unit: f64, rounding: f64) -> bool {
    let times = value / unit;
    times < 1e3 && (times - times.round()).abs() < rounding
}
