//! Which link, port, switch or host of a fabric is slow: measured pairs beside what each of them should get.
//!
//! `readers` take the outputs of benchmarks, `flows` finds every pair's way through the fabric, `share` what the flows of a round
//! should get, `model` how much of that is usual and how much it varies, `evidence` the parts whose slowness explains the rest best,
//! and `blame` says so. `plan` proposes rounds of pairs to measure, `expect` tells expected values alone.

mod answer;
mod evidence;
mod expect;
mod flows;
mod history;
mod listed;
mod measured;
mod model;
mod names;
mod outcome;
mod plan;
mod readers;
mod routes;
mod samples;
mod share;
mod siblings;
mod snapshots;
mod thin;

pub use answer::blame;
pub use expect::{Asked, ExpectOutcome, Expected, Normal, expect, expected, judge};
pub use history::{HistoryOutcome, Kept, Suspected};
pub use measured::{Batch, End, PortErrors, Quantity, RoundPair, Sample};
pub use outcome::{BlameOutcome, Carried, Checked, GoodPair, LinkEnds, Ratios, SlowPair, Suspect, Verdict};
pub use plan::{PlanOptions, PlanOutcome, follow_up, plan};
pub use readers::{Source, format_of, formats, measurements_of, read, read_as};
pub use samples::{Samples, View};
