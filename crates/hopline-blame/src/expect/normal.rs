//! Whether a measured bandwidth is what a fabric lets one expect.

use super::{ExpectOutcome, Expected};
use hopline::error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Below this part of the expected rate something is wrong: programs usually see 90 to 97 %.
const LEAST: f64 = 0.85;
/// Above it the fabric that was read is not the one that was measured, or not all data crossed it.
const MOST: f64 = 1.03;

/// What is to be said of a measured bandwidth.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Normal {
    /// `normal`, `low` or `high`.
    pub kind: String,
    /// The same in a sentence.
    pub sentence: String,
    /// GB/s that were measured.
    pub measured_gb_s: f64,
    /// Part of the expected bandwidth.
    pub part: f64,
}

/// An answer that says whether a measured bandwidth (GB/s, as `bus_gb_s` counts it) is normal.
///
/// # Errors
/// The links have no rate, so that nothing can be expected of them.
pub fn judge(mut outcome: ExpectOutcome, measured: f64) -> Result<ExpectOutcome> {
    if !outcome.bus_gb_s.is_finite() || outcome.bus_gb_s <= 0.0 {
        let text =
            format!("the links of {} between these hosts have no rate to compare {measured} GB/s with", outcome.fabric);
        return Err(Error::input(text).hint("use a fabric that says how fast its links are"));
    }
    let part = measured / outcome.bus_gb_s;
    let kind = match part {
        _ if part < LEAST => "low",
        _ if part <= MOST => "normal",
        _ => "high",
    };
    let slowest = outcome.pairs.iter().min_by(|a, b| a.expected_gb_s.total_cmp(&b.expected_gb_s));
    let told = format!("{measured:.2} GB/s is {:.0} % of the {:.2} GB/s", part * 100.0, outcome.bus_gb_s);
    let limit = slowest.map_or(String::new(), limit);
    let sentence = match kind {
        "normal" => format!("normal: {told} that these links can carry, limited by {limit}"),
        "low" => format!("too low: {told} that these links can carry even at {limit}; measure its pairs one by one"),
        _ => format!(
            "higher than it can be: {told} that {limit} can carry; is it the fabric that was measured, or did data stay inside \
             hosts or switches?"
        ),
    };
    outcome.verdict = Some(Normal { kind: kind.to_string(), sentence, measured_gb_s: measured, part });
    Ok(outcome)
}

fn limit(pair: &Expected) -> String {
    let flows = if pair.flows_on_it == 1 { "one flow".to_string() } else { format!("{} flows", pair.flows_on_it) };
    format!("{} ({flows}, {} -> {})", pair.limited_by, pair.from, pair.to)
}
