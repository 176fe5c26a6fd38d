//! The paper's analytic model of ValiantRestricted, section III: what the local
//! links of an intermediate group leave of the bandwidth of its global links.

use super::System;
use hopline::demand::Demand;
use hopline::stats::Estimate;
use hopline::topology::Dragonfly;
use hopline::traffic::most_even;

/// What the model says of one job on one Dragonfly, as throughput relative to
/// injection at link rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Model {
    /// Equation (1): its lower and its upper bound.
    pub(super) bounds: (f64, f64),
    /// Equation (4): 3/(4p).
    pub(super) estimate: f64,
    /// Equation (1) with the effective bandwidth of every global link from the
    /// wiring and the job, averaged over all of them.
    pub(super) averaged: f64,
}

/// Everything about one pattern on one system.
pub(super) struct Point {
    pub(super) system: System,
    /// Throughput by scheme, in flits per cycle and endpoint.
    pub(super) simulated: [Estimate; 4],
    pub(super) model: Model,
    /// Throughput at which the busiest link is full under ValiantRestricted, on average.
    pub(super) worst_link: f64,
    /// The same of local links of groups that send nothing to themselves, where some do.
    pub(super) elsewhere: Option<f64>,
    /// The same as `worst_link` with all that an endpoint sends to both sides sent to one.
    pub(super) one_side: Option<f64>,
}

/// How many endpoints apart neighbours along x are.
pub(super) fn distance(system: System) -> u32 {
    let [_, y, z] = most_even(system.endpoints());
    y * z
}

/// Whether neighbours are no more groups apart than one router leads to.
pub(super) fn near(system: System) -> bool {
    distance(system) <= system.h * system.a * system.p
}

/// What groups send to groups, row-major, from a job whose task t sits on endpoint t.
pub(super) fn between_groups(demand: &Demand, d: &Dragonfly) -> Vec<f64> {
    let (groups, size) = ((d.a() * d.h() + 1) as usize, d.a() * d.p());
    let mut amount = vec![0.0; groups * groups];
    demand.each_pair(|from, to, units| amount[(from / size) as usize * groups + (to / size) as usize] += units);
    amount
}

/// The model for a job that sends `amount[i * groups + j]` from group i to group j. O(groups^2 * h).
pub(super) fn model(d: &Dragonfly, amount: &[f64]) -> Model {
    let groups = d.a() * d.h() + 1;
    // Half of N_r / N, which is h/p.
    let half = 0.5 * f64::from(d.h()) / f64::from(d.p());
    let h = f64::from(d.h());
    let mut sum = 0.0;
    for q in 0..groups {
        for s in 0..d.a() {
            sum += arrivals(d, amount, q, s);
        }
    }
    let links = f64::from(groups * d.a() * d.h());
    Model {
        bounds: (half / h, (half * 2.0 / h).min(0.5)),
        estimate: 0.75 / f64::from(d.p()),
        averaged: half * sum / links,
    }
}

/// Sum of the effective bandwidths, at most 1 each, of the h global links that
/// arrive at switch s of group q: those whose packets go on over one local
/// link share it.
fn arrivals(d: &Dragonfly, amount: &[f64], q: u32, s: u32) -> f64 {
    let groups = d.a() * d.h() + 1;
    // Per switch s' of the group: what the h links bring that leaves there, in links.
    let mut local = vec![0.0; d.a() as usize];
    let mut shares: Vec<Vec<(usize, f64)>> = Vec::new();
    for m in 0..d.h() {
        let from = (q + s * d.h() + m + 1) % groups;
        let row = &amount[(from * groups) as usize..((from + 1) * groups) as usize];
        // Packets for the intermediate group itself or their own one do not pass through here.
        let passes = |to: u32| to != from && to != q;
        let total: f64 = (0..groups).filter(|&to| passes(to)).map(|to| row[to as usize]).sum();
        let mut own = Vec::new();
        for to in (0..groups).filter(|&to| passes(to) && row[to as usize] > 0.0) {
            let exit = ((to + groups - q - 1) % groups / d.h()) as usize;
            let share = row[to as usize] / total;
            if exit != s as usize {
                local[exit] += share;
            }
            own.push((exit, share));
        }
        shares.push(own);
    }
    // A link is as fast as the slowest local link that it must feed lets it be.
    let effective = |own: &Vec<(usize, f64)>| {
        own.iter()
            .filter(|(exit, _)| *exit != s as usize)
            .map(|(exit, _)| 1.0 / local[*exit].max(1.0))
            .fold(1.0, f64::min)
    };
    shares.iter().map(effective).sum()
}
