//! A schedule that somebody brings: whether it is right, and how near it comes to the bound on a fabric.

use crate::outcome::BoundOutcome;
use hopline::schedule::msccl::MscclOutcome;
use hopline::unit::{short, times};
use schemars::JsonSchema;
use serde::Serialize;

/// A schedule, checked, and what it takes on a fabric.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckedOutcome {
    /// What it is, and what is wrong with it.
    #[serde(flatten)]
    pub schedule: MscclOutcome,
    /// What it takes; null without a fabric, and where the schedule is wrong.
    pub on_fabric: Option<OnFabric>,
}

/// A schedule on a fabric.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OnFabric {
    /// The fabric.
    pub fabric: String,
    /// Its routing.
    pub routing: Option<String>,
    /// What can be said.
    pub sentence: String,
    /// What no schedule can beat, in seconds per GB of the collective's size.
    pub bound_seconds_per_gb: f64,
    /// One for each size that was asked for.
    pub sizes: Vec<CheckedSize>,
    /// What was assumed or left out.
    pub notes: Vec<String>,
}

/// A schedule at a size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CheckedSize {
    /// Bytes, as the collective counts them.
    pub bytes: u64,
    /// Seconds by replay of its messages as packets; where links have one direction, of messages that queue for links.
    pub time_s: f64,
    /// Least seconds of any schedule.
    pub bound_s: f64,
    /// As in a bound: `cut`, `separation`, `trees`, `latency`, ...
    pub bound_kind: String,
    /// The time over the bound.
    pub of_bound: f64,
    /// The fastest of the usual algorithms on the same routes; null where none was looked at.
    pub usual: Option<String>,
    /// Its predicted seconds.
    pub usual_s: Option<f64>,
}

impl CheckedOutcome {
    /// A schedule alone.
    pub fn new(schedule: MscclOutcome) -> CheckedOutcome {
        CheckedOutcome { schedule, on_fabric: None }
    }

    /// The same with its time at each size of a bound, in their order.
    #[must_use]
    pub fn timed(mut self, bound: BoundOutcome, times_s: &[f64]) -> CheckedOutcome {
        let sized = |(size, &time_s): (&crate::outcome::Sized, &f64)| CheckedSize {
            bytes: size.bytes,
            time_s,
            bound_s: size.bound_s,
            bound_kind: size.bound_kind.clone(),
            of_bound: time_s / size.bound_s,
            usual: size.tried.first().map(|best| best.algorithm.clone()),
            usual_s: size.tried.first().map(|best| best.time_s),
        };
        let sizes: Vec<CheckedSize> = bound.sizes.iter().zip(times_s).map(sized).collect();
        let sentence = sizes.iter().max_by_key(|size| size.bytes).map_or(String::new(), sentence);
        if !sentence.is_empty() {
            self.schedule.verdict.sentence += &format!("; {sentence}");
        }
        let bound_seconds_per_gb = bound
            .program
            .map_or(bound.bound.seconds_per_gb, |program| program.seconds_per_gb.max(bound.bound.seconds_per_gb));
        let (fabric, routing, notes) = (bound.fabric, bound.routing, bound.notes);
        self.on_fabric = Some(OnFabric { fabric, routing, sentence, bound_seconds_per_gb, sizes, notes });
        self
    }
}

fn sentence(size: &CheckedSize) -> String {
    let mb = short(size.bytes as f64 / 1e6);
    let own = format!("this schedule is {} the bound on this fabric at {mb} MB", times(size.of_bound));
    match (&size.usual, size.usual_s) {
        (Some(name), Some(seconds)) => {
            format!("{own}, the best usual algorithm ({name}) {}", times(seconds / size.bound_s))
        }
        _ => own,
    }
}
