//! The switches and the hosts of a machine, one by one.

use crate::fabric::{Fabric, switches};
use crate::id::{HostId, LinkId, VertexId};
use crate::plan::Network;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// A switch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct SwitchInfo {
    /// Its name.
    pub name: String,
    /// `0x` and 16 digits; null where it has none.
    pub guid: Option<String>,
    /// Cables at it.
    pub cables: usize,
    /// Those that lead to adapters.
    pub adapters: usize,
    /// Hosts at it.
    pub hosts: usize,
    /// Those that lead to other switches.
    pub up_links: usize,
    /// Other switches that it is cabled to.
    pub neighbours: usize,
    /// Classes of its cables, in the fabric's order.
    pub classes: Vec<String>,
}

/// What `hopline fabric show --switches` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct SwitchesOutcome {
    /// The machine.
    pub fabric: String,
    /// In the fabric's order.
    pub switches: Vec<SwitchInfo>,
}

/// An adapter's cable, or a router's in a direct network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Uplink {
    /// The adapter.
    pub endpoint: String,
    /// The switch that it hangs at; null without a cable, or where the endpoint is a router itself.
    pub switch: Option<String>,
    /// The port there.
    pub port: Option<u16>,
    /// The class of the cable.
    pub class: Option<String>,
    /// GB/s of one direction; null where unlimited.
    pub bandwidth_gb_s: Option<f64>,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct HostInfo {
    /// Its name.
    pub name: String,
    /// Places for tasks.
    pub slots: u32,
    /// Its adapters.
    pub adapters: Vec<Uplink>,
}

/// What `hopline fabric show --hosts` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct HostsOutcome {
    /// The machine.
    pub fabric: String,
    /// In the fabric's order.
    pub hosts: Vec<HostInfo>,
}

/// The switches of a machine; in a direct network its routers. O(links log links).
pub fn show_switches(network: &Network) -> SwitchesOutcome {
    let f = &*network.fabric;
    SwitchesOutcome { fabric: f.name().to_string(), switches: switches(f).map(|v| switch(f, v)).collect() }
}

fn switch(f: &Fabric, v: VertexId) -> SwitchInfo {
    let links = || f.out_links(v);
    let (ends, others): (Vec<LinkId>, Vec<LinkId>) = links().partition(|&l| f.is_host_link(l));
    let count = |mut all: Vec<u32>| {
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    let own = f.hosts().owner(v).into_iter().filter(|_| f.is_endpoint(v)).map(|h| h.0);
    let below = ends.iter().filter_map(|&l| f.hosts().owner(f.target(l))).map(|h| h.0);
    let mut classes: Vec<_> = links().map(|l| f.class_id(l)).collect();
    classes.sort_unstable();
    classes.dedup();
    SwitchInfo {
        name: f.vertex_name(v).to_string(),
        guid: f.guid(v).map(|g| g.to_string()),
        cables: ends.len() + others.len(),
        adapters: ends.len(),
        hosts: count(below.chain(own).collect()),
        up_links: others.len(),
        neighbours: count(others.iter().map(|&l| f.target(l).0).collect()),
        classes: classes.into_iter().map(|c| f.class(c).name.clone()).collect(),
    }
}

/// The hosts of a machine with their adapters. O(hosts + adapters).
pub fn show_hosts(network: &Network) -> HostsOutcome {
    let f = &*network.fabric;
    let hosts = f.hosts();
    let of = |h: HostId| HostInfo {
        name: hosts.name(h).to_string(),
        slots: hosts.slot_count(h),
        adapters: hosts.endpoints(h).iter().map(|&v| uplink(f, v)).collect(),
    };
    HostsOutcome { fabric: f.name().to_string(), hosts: (0..hosts.len()).map(HostId).map(of).collect() }
}

fn uplink(f: &Fabric, v: VertexId) -> Uplink {
    let link = f.adapter_link(v);
    let class = link.map(|l| f.class_of(l));
    Uplink {
        endpoint: f.vertex_name(v).to_string(),
        switch: link.map(|l| f.vertex_name(f.target(l)).to_string()),
        port: link.map(|l| f.port(f.reverse(l))),
        class: class.map(|c| c.name.clone()),
        bandwidth_gb_s: class.and_then(|c| c.bandwidth).map(|b| b.as_gb_s()),
    }
}
