//! What chance does to the throughput of a job, where the hash of a flow chooses its path.

use crate::error::Result;
use crate::loads::{self, Summary};
use crate::mapping::Mapping;
use crate::parallel;
use crate::plan::Plan;
use crate::routing::Routing;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Throughput over seeds, in GB/s per host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Chance {
    /// How many seeds, the routing's own first.
    pub seeds: u32,
    /// The least throughput of them.
    pub least_gb_s: f64,
    /// Nine of ten have as much.
    pub tenth_gb_s: f64,
    /// Half of them have as much.
    pub median_gb_s: f64,
    /// The most.
    pub most_gb_s: f64,
}

/// Loads under all seeds of a routing: none where it has no seeds, or where nothing limits the job.
pub(super) fn chance(plan: &Plan, routing: &dyn Routing, chosen: &Mapping) -> Result<Option<Chance>> {
    let drawn = routing.reseeded();
    let places = chosen.places(plan.network.fabric.hosts());
    let under = |k: usize| {
        let loads = loads::evaluate(&plan.demand, &places, &*drawn[k])?;
        Ok(Summary::new(&plan.demand, &loads, &plan.network.fabric).throughput_gb_s)
    };
    let all: Option<Vec<f64>> = parallel::try_map(drawn.len(), under)?.into_iter().collect();
    let Some(mut all) = all.filter(|all| !all.is_empty()) else { return Ok(None) };
    all.sort_by(f64::total_cmp);
    // The greatest that so many parts of ten have as much as.
    let with = |tenths: usize| all[(all.len() * (10 - tenths) / 10).min(all.len() - 1)];
    Ok(Some(Chance {
        seeds: all.len() as u32,
        least_gb_s: all[0],
        tenth_gb_s: with(9),
        median_gb_s: with(5),
        most_gb_s: all[all.len() - 1],
    }))
}
