//! What the question for slow parts is answered with.

use schemars::JsonSchema;
use serde::Serialize;

/// Which part of a fabric is slow.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BlameOutcome {
    /// The fabric.
    pub fabric: String,
    /// Files that were read.
    pub measured: Vec<String>,
    /// What can be said.
    pub verdict: Verdict,
    /// Who it may be, best first; empty where nothing is suspected.
    pub suspects: Vec<Suspect>,
    /// What the numbers have covered.
    pub checked: Checked,
    /// Measured over expected rates, by pair; null for latencies, and where there are more than 20,000 pairs.
    pub matrix: Option<Ratios>,
    /// Rounds of pairs to measure next, which tell suspects apart.
    pub next: Vec<Vec<(String, String)>>,
    /// What was assumed or left out.
    pub notes: Vec<String>,
}

/// Measured over expected rates.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Ratios {
    /// Hosts, by name: rows and columns.
    pub hosts: Vec<String>,
    /// Row (who sends), column (to whom), mean of measured / expected over the numbers of this pair alone.
    pub cells: Vec<(u32, u32, f64)>,
}

/// What can be said.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Verdict {
    /// `blame`: one part; `ambiguous`: one of several that the numbers cannot tell apart; `suspect`: a slow pair, too few numbers;
    /// `nothing`: all as usual; `undetectable`: the numbers are too few or vary too much to tell.
    pub kind: String,
    /// The same in a sentence.
    pub sentence: String,
}

/// A part that may be slow.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Suspect {
    /// `link` (one direction, or a cable with `--` in its name), `port`, `switch` or `host`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Rate left, as a part of its own; null for a delay.
    pub rate: Option<f64>,
    /// Delay that it adds, in microseconds; null for a rate.
    pub extra_us: Option<f64>,
    /// Probability, given that one of the suspects of this fault is it.
    pub confidence: f64,
    /// What no number tells from it.
    pub same_as: Vec<String>,
    /// Its directed links.
    pub links: Vec<LinkEnds>,
    /// `both`, `one`, or for hosts `send` (towards the network) and `receive`; `either` where no number tells the directions
    /// apart.
    pub direction: String,
    /// Which of several faults it is a suspect of, from 1.
    pub fault: u32,
    /// Whether the numbers leave no doubt of that fault; else it is a suspicion, which the next round may confirm.
    pub certain: bool,
    /// The slowest pairs that cross it.
    pub slow: Vec<SlowPair>,
    /// Good numbers that cross it or one like it, which speak against the others on its slow pairs.
    pub cleared_others_by: u32,
    /// Up to three of them, each across another link of the slow pairs, those first that most slow pairs share.
    pub cleared_by: Vec<GoodPair>,
    /// Errors that its ports count; their age is not known.
    pub errors: Vec<String>,
}

/// A directed link.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LinkEnds {
    /// Where it starts.
    pub from: String,
    /// GUID of that, where it has one.
    pub from_guid: Option<String>,
    /// The port there.
    pub from_port: u16,
    /// Where it ends.
    pub to: String,
    /// GUID of that.
    pub to_guid: Option<String>,
    /// The port there.
    pub to_port: u16,
}

/// A pair that got less than usual.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SlowPair {
    /// Who sent.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What was measured: GB/s or microseconds.
    pub measured: f64,
    /// What is usual here.
    pub usual: f64,
}

/// A pair that got what is usual across a link that a slow pair crosses as well.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct GoodPair {
    /// Who sent.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What was measured: GB/s or microseconds.
    pub measured: f64,
    /// What is usual here.
    pub usual: f64,
    /// The directed link, no part of the suspect, that it shows to be good.
    pub link: String,
}

/// The most that a link was seen to carry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Carried {
    /// The directed link.
    pub link: String,
    /// Part of its rate.
    pub part: f64,
}

/// What the numbers have covered.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Checked {
    /// Numbers that were read.
    pub measurements: u32,
    /// Flows that ran.
    pub flows: u32,
    /// Directed links that some flow crossed.
    pub links_crossed: u32,
    /// Of those: filled, a good number shows that they carry the usual part of their rate. No link of a suspect is among them.
    pub links_at_usual_rate: u32,
    /// Of those: a suspect's, or never filled, or never by a good number.
    pub links_not_shown: u32,
    /// How much of its rate each of the latter was seen to carry, the least first; at most 1,000, and none for latencies.
    pub carried: Vec<Carried>,
    /// The usual part of the expected rate (or the usual latency, microseconds).
    pub usual: f64,
    /// Standard deviation of good numbers, as a part of them.
    pub noise: f64,
}
