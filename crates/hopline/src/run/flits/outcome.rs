//! What a simulation tells of each load.

use super::{FlitsFailure, FlitsInterval, FlitsLosses, LinkInterval};
use crate::run::Setting;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Latency and throughput against offered load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: Setting,
    /// The mapping.
    pub mapping: String,
    /// Keys of the router that were given; the others have their defaults.
    pub router: String,
    /// The injection process.
    pub inject: String,
    /// Power of links, where it was given for the energy of flits; left out where it was not, and has its defaults.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schemas", schemars(default))]
    pub power: String,
    /// Virtual channels of every port.
    pub virtual_channels: u32,
    /// Probability with which the true means lie within the `_ci` of the measured ones.
    pub confidence: f64,
    /// What fails during the run; left out where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FlitsFailure>,
    /// One per load.
    pub points: Vec<FlitsPoint>,
    /// Every link over time, one list per load that was simulated now; empty where no intervals were recorded.
    #[serde(skip)]
    pub links: Vec<Vec<LinkInterval>>,
}

/// One load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsPoint {
    /// Flits per cycle that the endpoint that sends most generates; null for an exchange.
    pub load: Option<f64>,
    /// Flits per cycle and sender that are generated on average; null for an exchange.
    pub offered: Option<f64>,
    /// Flits per cycle and sender that arrive.
    pub accepted: f64,
    /// Half width of its confidence interval; null with too few batches, and for an exchange, which is counted whole.
    pub accepted_ci: Option<f64>,
    /// Mean cycles from a packet's generation to the arrival of its last flit;
    /// null where none arrived. In saturation it grows with the run.
    pub latency_cycles: Option<f64>,
    /// Half width of its confidence interval; null with too few batches, for an exchange, and in saturation.
    pub latency_ci: Option<f64>,
    /// Median, within 1/64.
    pub latency_p50: Option<u32>,
    /// 99 of 100 packets are not slower, within 1/64.
    pub latency_p99: Option<u32>,
    /// Cycles measured, after the warm-up; of an exchange all until the last packet has arrived.
    pub cycles: u32,
    /// Flits that went through a router, times routers, in the whole run.
    pub flit_hops: u64,
    /// Links between routers per delivered flit, of those delivered while measured; null where none was, or where
    /// paths may be too long to be counted.
    pub link_hops: Option<f64>,
    /// Packets that were lost because the queue of their endpoint was full.
    pub lost: u64,
    /// Accepted is below offered beyond its confidence interval and 1 %, or the latency still rises at the end; where cables fail, of
    /// the cycles after new routes are in use, or before the failure where they never are.
    pub saturated: bool,
    /// By class of links.
    pub classes: Vec<FlitsClass>,
    /// What happened over time, from the first cycle; left out where no intervals were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Vec<FlitsInterval>>,
    /// Channels whose packets wait for each other for ever; null where all is well.
    pub deadlock: Option<Vec<String>>,
    /// What a failure during the run did; left out where nothing fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FlitsLosses>,
}

/// Links of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsClass {
    /// The class.
    pub name: String,
    /// Flits per cycle and link; a cable that fails counts as long as it is there.
    pub mean_load: f64,
    /// Flits per cycle of the busiest link.
    pub max_load: f64,
    /// That link; null where none carries anything.
    pub busiest: Option<String>,
    /// Nanojoules that its links take for a flit across one of them, idle time included: on * bytes * (1 + idle * (1 - load) / load)
    /// for the mean load and the power of links; null where nothing was sent.
    #[serde(default)]
    pub flit_hop_nj: Option<f64>,
}
