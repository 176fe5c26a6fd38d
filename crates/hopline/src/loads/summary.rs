//! The few numbers that people compare: throughput, bottleneck, hop-bytes.

use super::LinkLoads;
use super::levels::{LevelLoad, levels};
use crate::demand::{Demand, Unit};
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::unit::Bandwidth;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Loads of one class of links.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ClassLoad {
    /// The class's name.
    pub name: String,
    /// Bandwidth of one direction in GB/s; null where unlimited.
    #[serde(rename = "bandwidth_gb_s")]
    pub bandwidth: Option<Bandwidth>,
    /// Directed links.
    pub links: usize,
    /// Links that carry anything.
    pub used: usize,
    /// Largest load, in the demand's unit.
    pub max_load: f64,
    /// Mean load over all links of the class.
    pub mean_load: f64,
    /// Sum of all loads.
    pub total_load: f64,
    /// Throughput that this class alone would allow, GB/s per host; null where
    /// nothing limits it.
    pub throughput_gb_s: Option<f64>,
    /// True for injection and ejection links.
    pub host: bool,
}

/// What a mapping comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Summary {
    /// (mean amount that a task sends, to itself included) x slots per host /
    /// max over links of (load / bandwidth), in GB/s; null where no link limits
    /// it. The PERCS paper, section III.
    pub throughput_gb_s: Option<f64>,
    /// What the links between routers alone would allow, in GB/s; null where
    /// they carry nothing. Mappings change this one even where host links limit.
    pub network_gb_s: Option<f64>,
    /// The class of the link that limits it; of equals the one that comes last
    /// in the fabric, which is the outer level.
    pub bottleneck: Option<String>,
    /// For bytes: the time in seconds for which that link is busy, a lower
    /// bound of the time the communication takes; null for units.
    pub seconds: Option<f64>,
    /// Load of the busiest link between routers, in the demand's unit.
    pub max_load: f64,
    /// Amount x hops between routers, or x the distance of the fabric's levels.
    pub hop_bytes: f64,
    /// Hop-bytes over what tasks send to other tasks and themselves.
    pub dilation: f64,
    /// What leaves its host.
    pub remote: f64,
    /// What stays within hosts.
    pub local: f64,
    /// By class, in the fabric's order.
    pub classes: Vec<ClassLoad>,
    /// Within hosts and between them; left out where hosts send nothing within themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelLoad>,
    /// Busy time (s/GB x amount) of the busiest link of all, and of the busiest
    /// between routers: what mappings are compared by.
    #[serde(skip)]
    pub busy: (f64, f64),
}

impl Summary {
    /// Sums up loads: O(links).
    pub fn new(demand: &Demand, loads: &LinkLoads, fabric: &Fabric) -> Summary {
        let mut classes: Vec<ClassLoad> = fabric
            .classes()
            .iter()
            .map(|c| ClassLoad {
                name: c.name.clone(),
                bandwidth: c.bandwidth,
                links: 0,
                used: 0,
                max_load: 0.0,
                mean_load: 0.0,
                total_load: 0.0,
                throughput_gb_s: None,
                host: c.host,
            })
            .collect();
        for link in 0..fabric.links() as u32 {
            let load = loads.load[link as usize];
            let class = &mut classes[fabric.class_id(LinkId(link)).index()];
            class.links += 1;
            class.used += usize::from(load > 0.0);
            class.max_load = class.max_load.max(load);
            class.total_load += load;
        }
        classes.retain(|c| c.links > 0);
        let sent_per_host = demand.mean_sent() * fabric.hosts().mean_slots();
        let (mut busiest, mut network, mut bottleneck, mut max_load) = (0.0f64, 0.0, None, 0.0);
        for class in &mut classes {
            class.mean_load = class.total_load / class.links as f64;
            let Some(bandwidth) = class.bandwidth else { continue };
            let busy = class.max_load / bandwidth.as_gb_s();
            if busy > 0.0 {
                class.throughput_gb_s = Some(sent_per_host / busy);
            }
            // Of equals the outer class, which comes later, is named; rounding must not decide.
            if busy > 0.0 && busy >= busiest * (1.0 - 1e-9) {
                busiest = busy.max(busiest);
                bottleneck = Some(class.name.clone());
            }
            if busy > network && !class.host {
                network = busy;
                max_load = class.max_load;
            }
        }
        let hop_bytes = loads.hop_bytes(fabric);
        let total = loads.remote + loads.local;
        Summary {
            throughput_gb_s: (busiest > 0.0).then(|| sent_per_host / busiest),
            network_gb_s: (network > 0.0).then(|| sent_per_host / network),
            bottleneck,
            seconds: (demand.unit() == Unit::Bytes && busiest > 0.0).then_some(busiest / 1e9),
            max_load,
            hop_bytes,
            dilation: if total > 0.0 { hop_bytes / total } else { 0.0 },
            remote: loads.remote,
            local: loads.local,
            levels: levels(sent_per_host, loads, fabric),
            classes,
            busy: (busiest, network),
        }
    }
}
