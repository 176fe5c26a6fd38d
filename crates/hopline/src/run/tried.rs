//! A mapping that was tried.

use crate::loads::{HotLink, Summary};
use crate::mapping::{Mapping, Objective};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// One mapping that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Tried {
    /// Its spec.
    pub mapping: String,
    /// The routing under which it was tried.
    pub routing: String,
    /// Throughput, bottleneck, classes.
    #[serde(flatten)]
    pub summary: Summary,
    /// A proven lower bound, over all mappings, on the load / bandwidth (GB/s)
    /// of the busiest link; null where none is known.
    pub bound: Option<f64>,
    /// A proven lower bound, over all mappings, on `hop_bytes`; null where none
    /// is known.
    pub hop_bound: Option<f64>,
    /// The busiest link; null where nothing loads a limited link. Who loads it is looked for in the best mapping only, where
    /// that takes long.
    pub hottest: Option<HotLink>,
    /// What the objective counts first (s/GB x amount of the busiest link, or hop-bytes), run by run; runs differ by their
    /// random choices, and this is the best of them.
    pub runs: Vec<f64>,
    /// What people should know of how it was found.
    pub notes: Vec<String>,
    /// Where each task sits.
    #[serde(skip)]
    pub chosen: Mapping,
}

impl Tried {
    /// A proven lower bound, over all mappings, on what an objective counts first; `None` where none is known.
    pub fn bound_of(&self, objective: &Objective) -> Option<f64> {
        match objective.first_name() {
            "congestion" => self.bound,
            "hop-bytes" => self.hop_bound,
            _ => None,
        }
    }
}
