//! A part that lets nothing through: all pairs that cross it have no result, which is no number to weigh.

use super::suspects::{Told, close};
use crate::evidence::{Alternative, Evidence, Fault, Gain};
use crate::listed::unordered;
use hopline::fabric::Fabric;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewer flows without a result tell nothing of a part.
const LEAST: usize = 3;
/// A pair has no result so often, at least, where nothing is dead.
const SELDOM: f64 = 0.005;

/// The part that explains best why pairs have no result, beside faults that are known, and how many pairs these are.
pub(super) fn dead(evidence: &Evidence<'_>, fabric: &Fabric, known: &[Fault]) -> Option<(Told, usize)> {
    let flows = evidence.flows;
    if flows.silent.len() < LEAST || evidence.latency {
        return None;
    }
    let mut silent: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for &flow in &flows.silent {
        flows.way(flow).iter().for_each(|(link, _)| silent.entry(*link).or_default().push(flow));
    }
    // Both directions of a pair are missing together: they are one piece of evidence.
    let pair = |flow: &u32| unordered((flows.flows[*flow as usize].source, flows.flows[*flow as usize].target));
    let silent_pairs: FxHashSet<_> = flows.silent.iter().map(pair).collect();
    let told = flows.flows.iter().filter(|flow| flow.row.is_some());
    let all_pairs: FxHashSet<_> = told.map(|flow| unordered((flow.source, flow.target))).collect();
    let all = all_pairs.union(&silent_pairs).count();
    let explains = |candidate: usize| -> Option<Alternative> {
        let (links, prior) = (&evidence.candidates[candidate].links, evidence.candidates[candidate].prior);
        if !links.iter().any(|l| silent.contains_key(l)) || links.iter().any(|l| evidence.rows_on(*l).next().is_some())
        {
            return None;
        }
        let mut own: Vec<u32> = links.iter().filter_map(|l| silent.get(l)).flatten().copied().collect();
        own.sort_unstable();
        own.dedup();
        let pairs = own.iter().map(pair).collect::<FxHashSet<_>>().len();
        let rate = (silent_pairs.len() - pairs + 1) as f64 / (all - pairs).max(1) as f64;
        let nats = -rate.clamp(SELDOM, 1.0).ln() * pairs as f64;
        let gain = Gain { nats, amount: 0.0, rows: own.len() as u32 };
        (own.len() >= LEAST && nats + prior > 0.0).then_some((nats + prior, candidate, gain))
    };
    let mut found: Vec<Alternative> = (0..evidence.candidates.len()).filter_map(explains).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let &(_, candidate, gain) = found.first()?;
    let close = close(evidence, fabric, &found, Some(candidate), known);
    let fault = Fault { candidate, amount: 0.0 };
    let told = Told { fault, state: evidence.state(known), all: found, close, by_chance: true };
    Some((told, gain.rows as usize))
}
