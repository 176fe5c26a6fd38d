//! A part that lets nothing through: all pairs that cross it have no result, which is no number to weigh.

use super::suspects::{Diagnosis, close};
use crate::evidence::{Alternative, Evidence, Fault, Gain, best_first};
use crate::listed::unordered;
use hopline::fabric::Fabric;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewer flows without a result tell nothing of a part.
const LEAST: usize = 3;
/// A pair has no result so often, at least, where nothing is dead.
const SELDOM: f64 = 0.005;

/// Most parts that are told.
const MOST: usize = 8;

/// The parts that explain best why pairs have no result, beside faults that are known, each with how many flows these are.
pub(super) fn dead(evidence: &Evidence<'_>, fabric: &Fabric, known: &[Fault]) -> Vec<(Diagnosis, usize)> {
    let flows = evidence.flows;
    if flows.silent.len() < LEAST || evidence.latency {
        return Vec::new();
    }
    let mut silent: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &flow in &flows.silent {
        flows.way(flow).iter().for_each(|(link, _)| silent.entry(*link).or_default().push(flow));
    }
    // Both directions of a pair are mostly missing together: they are one piece of evidence.
    let pair = |flow: &u32| unordered((flows.flows[*flow as usize].source, flows.flows[*flow as usize].target));
    let silent_pairs: FxHashSet<_> = flows.silent.iter().map(pair).collect();
    let told = flows.flows.iter().filter(|flow| flow.row.is_some());
    let told_pairs: FxHashSet<_> = told.map(|flow| unordered((flow.source, flow.target))).collect();
    let all = told_pairs.union(&silent_pairs).count();
    let own = |candidate: usize| -> Vec<u32> {
        let links = &evidence.candidates[candidate].links;
        let mut own: Vec<u32> = links.iter().filter_map(|l| silent.get(l)).flatten().copied().collect();
        own.sort_unstable();
        own.dedup();
        own
    };
    let lets_nothing_through = |candidate: &usize| {
        let links = &evidence.candidates[*candidate].links;
        links.iter().any(|l| silent.contains_key(l)) && !links.iter().any(|l| evidence.rows_on(*l).next().is_some())
    };
    let mut open: Vec<(usize, Vec<u32>)> =
        (0..evidence.candidates.len()).filter(lets_nothing_through).map(|c| (c, own(c))).collect();
    open.retain(|(_, own)| own.len() >= LEAST);
    // How often a pair is missing that no dead part explains, as a whole or in one direction: other dead parts make none of it.
    let explained: FxHashSet<_> = open.iter().flat_map(|(_, own)| own.iter().map(pair)).collect();
    let chance = |as_a_whole: bool| {
        let missing = silent_pairs.difference(&explained).filter(|p| !as_a_whole || !told_pairs.contains(*p)).count();
        ((missing as f64 + 0.5) / (all - explained.len()).max(1) as f64).clamp(SELDOM, 1.0)
    };
    let [in_part, as_a_whole] = [chance(false), chance(true)];
    let mut dead = Vec::new();
    while dead.len() < MOST {
        let explains = |(candidate, own): &(usize, Vec<u32>)| -> Option<Alternative> {
            let pairs: FxHashSet<_> = own.iter().map(pair).collect();
            let chance = |pair| if told_pairs.contains(pair) { in_part } else { as_a_whole };
            let nats = -pairs.iter().map(|pair| chance(pair).ln()).sum::<f64>();
            let worth = nats + evidence.candidates[*candidate].prior;
            let gain = Gain { nats, amount: 0.0, rows: own.len() as u32 };
            (worth > 0.0).then_some(Alternative { worth, candidate: *candidate, gain })
        };
        let mut found: Vec<Alternative> = open.iter().filter_map(explains).collect();
        best_first(&mut found);
        let Some(&Alternative { candidate, gain, .. }) = found.first() else { break };
        let gone = own(candidate);
        // What explains other flows is another dead part, and not this one by another name.
        found.retain(|other| {
            let own = own(other.candidate);
            gone.iter().all(|flow| own.binary_search(flow).is_ok())
        });
        let close = close(evidence, fabric, &found, candidate, known);
        let fault = Fault { candidate, amount: 0.0 };
        open.iter_mut().for_each(|(_, own)| own.retain(|flow| gone.binary_search(flow).is_err()));
        open.retain(|(_, own)| own.len() >= LEAST);
        let diagnosis = Diagnosis { fault, state: evidence.state(known), all: found, close, by_chance: true };
        dead.push((diagnosis, gain.rows as usize));
    }
    dead
}
