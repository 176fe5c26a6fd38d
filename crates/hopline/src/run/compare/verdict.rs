//! Which machine carries the most for its price, in a sentence.

use super::{ComparedJob, ComparedMachine};
use crate::unit::times;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Which machine to look at first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CompareVerdict {
    /// In words.
    pub sentence: String,
    /// The same in one word.
    pub kind: CompareKind,
    /// The machine with the greatest mean; null where nothing can be compared.
    #[serde(rename = "use")]
    pub use_: Option<String>,
    /// Its routing.
    pub routing: Option<String>,
    /// Its mean over that of the next best machine; null where there is none.
    pub gain: Option<f64>,
}

/// How clear that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CompareKind {
    /// One carries the most for its price under every job.
    Best,
    /// Under some jobs one, under others another.
    Depends,
    /// The best two are as good, within 1 %.
    Equal,
    /// Fewer than two can be compared.
    Unknown,
}

/// Machines that differ by less are as good.
const EQUAL: f64 = 1.01;

/// What a job's cell is ranked by.
type Measure = fn(&ComparedJob) -> Option<f64>;

/// What flits carry for the price where they were simulated, unless what the busiest links allow is known of more machines.
fn measure(machines: &[ComparedMachine]) -> (Measure, &'static str) {
    let [simulated, loads]: [Measure; 2] = [|job| job.saturation_per_1000, |job| job.gb_s_per_1000];
    let known = |measure: Measure| machines.iter().filter(|m| mean(m, measure).is_some()).count();
    let is_simulated = machines.iter().flat_map(|m| &m.jobs).any(|job| simulated(job).is_some());
    match is_simulated && known(simulated) >= known(loads) {
        true => (simulated, " at saturation"),
        false => (loads, ""),
    }
}

/// The geometric mean over all jobs: none where the machine lacks one.
fn mean(machine: &ComparedMachine, measure: Measure) -> Option<f64> {
    let logs: Option<Vec<f64>> = machine.jobs.iter().map(|job| measure(job).map(f64::ln)).collect();
    logs.map(|logs| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

pub(super) fn verdict(machines: &[ComparedMachine]) -> CompareVerdict {
    let (measure, at) = measure(machines);
    let mut ranked: Vec<(f64, &ComparedMachine)> =
        machines.iter().filter_map(|m| Some((mean(m, measure)?, m))).collect();
    // Of equals the first that was named.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some(&(best, first)) = ranked.first() else {
        let sentence = "No machine has a throughput under all jobs, so none can be called the best.".into();
        return CompareVerdict { sentence, kind: CompareKind::Unknown, use_: None, routing: None, gain: None };
    };
    let name = |m: &ComparedMachine| format!("{} ({})", m.fabric, m.routing);
    let jobs = first.jobs.len();
    let mean = if jobs == 1 { String::new() } else { format!(", as the geometric mean of {jobs} jobs") };
    // The same machine under another routing stands beside it where no other machine does.
    let other = ranked.iter().find(|(_, m)| m.fabric != first.fabric);
    let next = other.or_else(|| ranked.iter().find(|(_, m)| m.routing != first.routing));
    let gain = next.map(|next| best / next.0);
    let lacking = machines.len() - ranked.len();
    let value = |m: &ComparedMachine, job: usize| measure(&m.jobs[job]).unwrap_or(0.0);
    // The machine that carries more under a job, if one does.
    let better = |job: usize| {
        let most = ranked.iter().map(|m| m.1).max_by(|a, b| value(a, job).total_cmp(&value(b, job)))?;
        (value(first, job) * EQUAL < value(most, job)).then_some((job, most))
    };
    // Whether some other carries as much under a job.
    let ties = || {
        let others =
            || ranked.iter().map(|m| m.1).filter(|m| (&m.fabric, &m.routing) != (&first.fabric, &first.routing));
        let as_much = |job: usize| others().any(|m| value(m, job) * EQUAL >= value(first, job));
        (0..jobs).any(as_much)
    };
    let beaten: Vec<(usize, &ComparedMachine)> = (0..first.jobs.len()).filter_map(better).collect();
    let (kind, mut sentence) = match (gain, next) {
        (None, _) | (_, None) if ranked.len() > 1 => {
            (CompareKind::Unknown, format!("All rows are {}: there is nothing to compare it with.", name(first)))
        }
        (None, _) | (_, None) => (CompareKind::Unknown, format!("{} has no other machine beside it.", name(first))),
        (Some(gain), Some(next)) if gain < EQUAL => {
            let more = |a: &ComparedMachine, b: &ComparedMachine| {
                let jobs = a.jobs.iter().zip(&b.jobs).filter_map(|(a, b)| Some((&a.job, measure(a)?, measure(b)?)));
                let jobs: Vec<&str> = jobs.filter(|(_, a, b)| *a > EQUAL * b).map(|(job, ..)| &job[..]).collect();
                (!jobs.is_empty()).then(|| format!("{} more under {}", name(a), jobs.join(" and ")))
            };
            let apart: Vec<String> = more(first, next.1).into_iter().chain(more(next.1, first)).collect();
            let but = if apart.is_empty() { String::new() } else { format!("; but {}", apart.join(", ")) };
            let sentence =
                format!("{} and {} carry as much for their price{at}{mean}{but}.", name(first), name(next.1));
            (CompareKind::Equal, sentence)
        }
        (Some(gain), Some(next)) if beaten.is_empty() => (
            CompareKind::Best,
            format!(
                "{} carries the most for its price{at}{}: {} what {} does{mean}.",
                name(first),
                if ties() { ", and no other more under any job" } else { " under every job" },
                times(gain),
                name(next.1)
            ),
        ),
        (Some(gain), Some(next)) => {
            let by = |(job, m): &(usize, &ComparedMachine)| format!("{} under {}", name(m), first.jobs[*job].job);
            let others: Vec<String> = beaten.iter().map(by).collect();
            let carry = if others.len() == 1 { "carries" } else { "carry" };
            let sentence = format!(
                "{} carries the most for its price{at}, {} what {} does{mean}; but {} {carry} more for its price.",
                name(first),
                times(gain),
                name(next.1),
                others.join(" and ")
            );
            (CompareKind::Depends, sentence)
        }
    };
    if lacking > 0 {
        sentence += &format!(" {lacking} of {} rows lack a job and are left out.", machines.len());
    }
    let (use_, routing) = (Some(first.fabric.clone()), Some(first.routing.clone()));
    CompareVerdict { sentence, kind, use_, routing, gain }
}
