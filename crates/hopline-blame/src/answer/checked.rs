//! What the numbers have covered: on which links a fault would have been seen.

use super::suspects::round;
use crate::evidence::{Evidence, State};
use crate::model::combined;
use crate::outcome::{Carried, Checked};
use hopline::fabric::Fabric;
use hopline::id::LinkId;
use rustc_hash::FxHashSet;

/// The rate left at which a fault should be seen where one says that there is none.
pub(super) const SEEN: f64 = 0.7;
/// Most links whose loads are listed.
const MOST_CARRIED: usize = 1000;

/// For every link that a number depends on: how much evidence (natural logarithm) a fault of it would have left.
pub(super) fn exposed(evidence: &Evidence<'_>, state: &State) -> Vec<(u32, f64)> {
    let mut found = Vec::new();
    for link in 0..evidence.flows.links() as u32 {
        let mut nats = 0.0;
        for group in evidence.together(link) {
            let load: f64 = group.iter().map(|(f, share)| evidence.nominal_rate(*f) * f64::from(*share)).sum();
            if !evidence.latency && load < 0.95 * evidence.flows.capacity(link) {
                continue;
            }
            for (f, share) in group {
                if let Some(row) = evidence.flows.flows[*f as usize].row {
                    let part = f64::from(*share) / evidence.flows.rows[row as usize].flows.len().max(1) as f64;
                    let z = SEEN.ln() * part.max(0.02) / state.model.sigma[row as usize];
                    nats += 0.5 * z * z;
                }
            }
        }
        if nats > 0.0 {
            found.push((link, nats));
        }
    }
    found
}

/// Whether a fault would be seen on most links that numbers depend on.
pub(super) fn shows(exposed: &[(u32, f64)]) -> bool {
    let mut nats: Vec<f64> = exposed.iter().map(|(_, n)| *n).collect();
    nats.sort_by(f64::total_cmp);
    nats.get(nats.len() / 2).is_some_and(|middle| *middle > 9.2)
}

/// What is covered: links that are `crossed`, and of those all but the suspects' that a good number fills.
pub(super) fn check(
    evidence: &Evidence<'_>,
    fabric: &Fabric,
    state: &State,
    (crossed, exposed): (&[bool], &[(u32, f64)]),
    suspected: &FxHashSet<u32>,
) -> Checked {
    let good = |row: u32| evidence.slowness(state, row as usize) < 2.0;
    let shown: FxHashSet<u32> = exposed
        .iter()
        .map(|(link, _)| *link)
        .filter(|link| !suspected.contains(link) && evidence.rows_on(*link).any(good))
        .collect();
    let not_shown: Vec<u32> =
        (0..crossed.len() as u32).filter(|l| crossed[*l as usize] && !shown.contains(l)).collect();
    let mut carried = Vec::new();
    if !evidence.latency {
        let rated = not_shown.iter().filter(|link| evidence.flows.capacity(**link).is_finite());
        carried.extend(
            rated.map(|&link| Carried { link: fabric.link_name(LinkId(link)), part: round(most(evidence, link)) }),
        );
        carried.sort_by(|a, b| a.part.total_cmp(&b.part));
        carried.truncate(MOST_CARRIED);
    }
    Checked {
        measurements: evidence.flows.rows.len() as u32,
        flows: evidence.flows.flows.len() as u32,
        links_crossed: (shown.len() + not_shown.len()) as u32,
        links_at_usual_rate: shown.len() as u32,
        links_not_shown: not_shown.len() as u32,
        carried,
        usual: round(state.model.efficiency),
        noise: round(state.model.noise),
    }
}

/// The largest part of its rate that a link was seen to carry at once.
fn most(evidence: &Evidence<'_>, link: u32) -> f64 {
    let rate = |flow: u32| {
        let row = &evidence.flows.rows[evidence.flows.flows[flow as usize].row? as usize];
        Some(evidence.nominal_rate(flow) * row.value / combined(row, |f| evidence.nominal_rate(f)))
    };
    let load =
        |group: &[(u32, f32)]| group.iter().filter_map(|(f, share)| Some(rate(*f)? * f64::from(*share))).sum::<f64>();
    evidence.together(link).map(load).fold(0.0, f64::max) / evidence.flows.capacity(link)
}
