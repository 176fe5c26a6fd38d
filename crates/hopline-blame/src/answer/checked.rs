//! What the numbers have covered: on which links a fault would have been seen.

use super::suspects::round;
use crate::evidence::{Evidence, State};
use crate::outcome::Checked;

/// The rate left at which a fault should be seen where one says that there is none.
pub(super) const SEEN: f64 = 0.7;

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

pub(super) fn check(evidence: &Evidence<'_>, state: &State, exposed: &[(u32, f64)]) -> Checked {
    let good = |row: u32| evidence.slowness(state, row as usize) < 2.0;
    let full = exposed.iter().filter(|(link, _)| evidence.rows_on(*link).any(good));
    Checked {
        measurements: evidence.flows.rows.len() as u32,
        flows: evidence.flows.flows.len() as u32,
        links_at_full_rate: full.count() as u32,
        usual: round(state.model.efficiency),
        noise: round(state.model.noise),
        ..Checked::default()
    }
}
