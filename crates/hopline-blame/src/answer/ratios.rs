//! Measured over expected, pair by pair.

use super::suspects::round;
use crate::evidence::Evidence;
use crate::measured::Quantity;
use crate::model::combined;
use crate::outcome::Ratios;
use hopline::fabric::Fabric;
use std::collections::{BTreeMap, BTreeSet};

/// More pairs make no picture that a page can hold.
const MOST_PAIRS: usize = 20_000;

/// The matrix of pairs whose numbers are of them alone, in one direction or both; none for latencies and where there are
/// too many.
pub(super) fn ratios(evidence: &Evidence<'_>, fabric: &Fabric) -> Option<Ratios> {
    let flows = evidence.flows;
    if flows.rows.first().is_none_or(|row| row.kind == Quantity::Latency) {
        return None;
    }
    let mut sums: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    for row in flows.rows.iter().filter(|row| matches!(row.kind, Quantity::OneWay | Quantity::Both)) {
        let part = row.value / combined(row, |f| evidence.nominal_rate(f));
        for flow in &flows.flows[row.flows.start as usize..row.flows.end as usize] {
            let sum = sums.entry((flow.source.0, flow.target.0)).or_default();
            *sum = (sum.0 + part, sum.1 + 1.0);
            if sums.len() > MOST_PAIRS {
                return None;
            }
        }
    }
    let ends: BTreeSet<u32> = sums.keys().flat_map(|(a, b)| [*a, *b]).collect();
    let place: BTreeMap<u32, u32> = ends.iter().copied().zip(0..).collect();
    let cells = sums.iter().map(|((a, b), (sum, n))| (place[a], place[b], round(sum / n))).collect();
    let hosts = ends.into_iter().map(|v| fabric.vertex_name(hopline::id::VertexId(v)).to_string()).collect();
    Some(Ratios { hosts, cells })
}
