//! What is inside hosts, in the JSON of a fabric: the rest of the file is then the network between them.

use super::check::Fault;
use crate::error::Result;
use crate::fabric::{Core, Fabric, Inside, Medium, PartKind, Rails};
use crate::id::HostId;
use crate::unit::Bandwidth;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is inside hosts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct InsideItem<'a> {
    /// What it is, for people.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The hosts that have it; left out where the file is one host alone, whose adapters lead nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<String>>,
    /// What the host that was looked at is called, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// Places for tasks of a host, where they are not those of its processors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Which adapters processors use; those next to them where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rails: Option<Rails>,
    /// Its parts, processors and adapters in the order in which they are counted.
    pub parts: Vec<PartItem>,
    /// What joins them.
    pub wires: Vec<WireItem>,
    /// The core of each slot; empty where nobody told cores.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cores: Vec<CoreItem>,
    /// The number that the operating system gives the NUMA domain of each processor, null where unknown; empty where nobody
    /// told any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub numa: Vec<Option<u32>>,
    /// Where it spans several machines, each a host to launchers: how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<u32>,
    /// What a person should know of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A part of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PartItem {
    /// Its name, unique in the host.
    pub name: String,
    /// What it is.
    pub kind: PartWord,
    /// Tasks that a processor takes; 1 where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<u32>,
    /// Of an adapter's port, in bytes per second; null where nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_s: Option<u64>,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PartWord {
    /// Runs tasks.
    Processor,
    /// Leads out of the host.
    Adapter,
    /// Forwards only.
    Switch,
}

/// A cable inside: a link each way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WireItem {
    /// Name of the part at one end.
    pub a: String,
    /// Name of the part at the other end.
    pub b: String,
    /// `nvlink`, `xgmi`, `c2c`, `pcie` or `socket`.
    pub medium: String,
    /// Of one direction.
    pub bandwidth_bytes_s: u64,
}

/// A core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CoreItem {
    /// Its package, counted as hwloc does; left out where the machine tells none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<u32>,
    /// Its number in the package, or in the machine, counted so.
    pub number: u32,
    /// The numbers that the operating system gives its hardware threads.
    pub pus: Vec<u32>,
}

/// The inside of a fabric's hosts; `None` where it knows of none.
pub(super) fn item(fabric: &Fabric) -> Option<InsideItem<'_>> {
    let outside = fabric.outside()?;
    let inside = outside.inside();
    let hosts = fabric.hosts();
    let own = (0..hosts.len()).map(HostId).filter(|&h| !hosts.endpoints(h).is_empty());
    let slots = own.clone().next().map(|h| hosts.slot_count(h));
    let name = |at: u32| inside.parts.get(at as usize).map_or(String::new(), |part| part.name.clone());
    let part = |part: &crate::fabric::Part| {
        let (kind, slots, bandwidth) = match part.kind {
            PartKind::Processor { slots } => (PartWord::Processor, Some(slots).filter(|&n| n != 1), None),
            PartKind::Adapter { bandwidth } => (PartWord::Adapter, None, bandwidth),
            PartKind::Switch => (PartWord::Switch, None, None),
        };
        PartItem { name: part.name.clone(), kind, slots, bandwidth_bytes_s: bandwidth.map(Bandwidth::as_bytes_s) }
    };
    let wire = |wire: &crate::fabric::Wire| WireItem {
        a: name(wire.ends[0]),
        b: name(wire.ends[1]),
        medium: wire.medium.to_string(),
        bandwidth_bytes_s: wire.bandwidth.as_bytes_s(),
    };
    let core = |core: &Core| CoreItem { package: core.package, number: core.number, pus: core.pus.clone() };
    Some(InsideItem {
        name: inside.name.as_str().into(),
        hosts: (!outside.is_alone()).then(|| own.map(|h| hosts.name(h).to_string()).collect()),
        host_name: inside.host_name.clone(),
        slots: slots.filter(|&n| n != each(inside)),
        rails: Some(outside.rails()).filter(|&rails| rails != Rails::Affine),
        parts: inside.parts.iter().map(part).collect(),
        wires: inside.wires.iter().map(wire).collect(),
        cores: inside.cores.iter().map(core).collect(),
        numa: inside.numa.clone(),
        machines: inside.machines,
        notes: inside.notes.clone(),
    })
}

/// Places for tasks of its processors.
fn each(inside: &Inside) -> u32 {
    let slots = |part: &crate::fabric::Part| match part.kind {
        PartKind::Processor { slots } => slots,
        _ => 0,
    };
    inside.parts.iter().map(slots).fold(0, u32::saturating_add)
}

/// The network of a file with this inside in its hosts.
pub(super) fn put(network: Fabric, item: &InsideItem<'_>) -> Result<Fabric, Fault> {
    let fault = |text: String| Fault::of("inside", text);
    let mut inside = Inside::new(item.name.clone());
    let mut places: BTreeMap<&str, u32> = BTreeMap::new();
    for part in &item.parts {
        let bandwidth = part.bandwidth_bytes_s.map(Bandwidth::bytes_s);
        let kind = match part.kind {
            PartWord::Processor => PartKind::Processor { slots: part.slots.unwrap_or(1).min(1 << 24) },
            PartWord::Adapter => PartKind::Adapter { bandwidth },
            PartWord::Switch => PartKind::Switch,
        };
        if part.bandwidth_bytes_s == Some(0)
            || places.insert(&part.name, inside.part(part.name.clone(), kind)).is_some()
        {
            return Err(fault(format!("part `{}` has 0 bytes per second, or stands there twice", part.name)));
        }
    }
    for wire in &item.wires {
        let find = |name: &str| places.get(name).copied().ok_or_else(|| fault(format!("no part is called `{name}`")));
        let medium = Medium::ALL.into_iter().find(|medium| medium.to_string() == wire.medium);
        let medium = medium.ok_or_else(|| {
            fault(format!("the medium is `{}`, expected nvlink, xgmi, c2c, pcie or socket", wire.medium))
        })?;
        let (a, b) = (find(&wire.a)?, find(&wire.b)?);
        if wire.bandwidth_bytes_s == 0 || a == b {
            return Err(fault(format!(
                "a wire from `{}` to `{}` of {} bytes per second",
                wire.a, wire.b, wire.bandwidth_bytes_s
            )));
        }
        inside.wire(a, b, medium, Bandwidth::bytes_s(wire.bandwidth_bytes_s));
    }
    inside.cores = item
        .cores
        .iter()
        .map(|core| Core { package: core.package, number: core.number, pus: core.pus.clone() })
        .collect();
    inside.numa.clone_from(&item.numa);
    inside.machines = item.machines;
    inside.notes.clone_from(&item.notes);
    inside.host_name.clone_from(&item.host_name);
    let refused = |e: crate::error::Error| fault(e.message().to_string());
    let mut fabric = match &item.hosts {
        None => inside.fabric().map_err(refused)?,
        Some(names) => {
            let find = |name: &String| {
                let host = network.hosts().find(name);
                host.ok_or_else(|| fault(format!("no host is called `{name}`")))
            };
            let mut hosts = names.iter().map(find).collect::<Result<Vec<HostId>, Fault>>()?;
            hosts.sort_unstable_by_key(|host| host.0);
            hosts.dedup();
            network.with_insides(&inside, &hosts).map_err(refused)?
        }
    };
    if let Some(slots) = item.slots {
        fabric = fabric.with_slots(slots).map_err(refused)?;
    }
    match item.rails {
        Some(rails) => fabric.with_rails(rails).map_err(refused),
        None => Ok(fabric),
    }
}
