//! What stands in the JSON, as serde and the schema know it.

use super::super::lft;
use super::insides::InsideItem;
use crate::fabric::{Guid, Level, LinkClass, Rails};
use crate::unit::{Bandwidth, Nanos};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A fabric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Document<'a> {
    /// Version of this form: 1.
    pub hopline_fabric: u32,
    /// What it is, for people.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Classes of links; names are unique.
    #[serde(borrow)]
    pub classes: Vec<Class<'a>>,
    /// Endpoints, in their order; names are unique among all vertices.
    #[serde(borrow)]
    pub endpoints: Vec<Vertex<'a>>,
    /// Switches, in their order.
    #[serde(borrow)]
    pub switches: Vec<Vertex<'a>>,
    /// Cables, each once; parallel ones are separate.
    #[serde(borrow)]
    pub cables: Vec<Cable<'a>>,
    /// Hosts, in the order in which a launcher counts them.
    #[serde(borrow)]
    pub hosts: Vec<HostItem<'a>>,
    /// How the slots of a host with several endpoints use them; round-robin where left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rails: Option<Rails>,
    /// Named partitions of the endpoints, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty", borrow)]
    pub levels: Vec<LevelItem<'a>>,
    /// Extents of a grid of endpoints, dimension 0 fastest; empty where they are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coordinates: Vec<u32>,
    /// What a person should know of the fabric.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Forwarding tables of the switches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableItem>,
    /// What a person should know of the forwarding tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table_notes: Vec<String>,
    /// What is inside hosts: then all else is the network between them, whose endpoints are adapters.
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    pub inside: Option<InsideItem<'a>>,
}

/// A class of links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Class<'a> {
    /// Its name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Bytes per second of one direction; null where unlimited.
    pub bandwidth_bytes_s: Option<u64>,
    /// Time for the first bit to cross, in nanoseconds.
    #[serde(default)]
    pub latency_ns: u64,
    /// True for links between an endpoint and its switch, which are no hops.
    #[serde(default)]
    pub host: bool,
}

/// An endpoint or a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vertex<'a> {
    /// Its name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// `0x` and 16 digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guid: Option<String>,
    /// Its first LID, 1 to 49151; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lid: u16,
    /// It has 2^lmc LIDs, lmc is at most 7.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lmc: u8,
}

fn is_zero<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A cable: a link each way. From a vertex to itself it is one link, without `port_b`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Cable<'a> {
    /// Name of the vertex at one end.
    #[serde(borrow)]
    pub a: Cow<'a, str>,
    /// Its port there; numbered in the order of the file where all cables leave ports out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port_a: Option<u16>,
    /// Name of the vertex at the other end.
    #[serde(borrow)]
    pub b: Cow<'a, str>,
    /// Its port there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port_b: Option<u16>,
    /// Name of its class.
    #[serde(borrow)]
    pub class: Cow<'a, str>,
}

/// A host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HostItem<'a> {
    /// The name that launchers know.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Names of its endpoints.
    pub endpoints: Vec<Cow<'a, str>>,
    /// Places for tasks; 0 where it runs none.
    pub slots: u32,
}

/// A level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LevelItem<'a> {
    /// Its name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The literature's distance of two endpoints that it joins first; all levels have one or none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u64>,
    /// Part of every endpoint, numbered from 0 without gaps.
    pub parts: Vec<u32>,
}

/// The forwarding table of a switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TableItem {
    /// GUID of the switch, `0x` and 16 digits.
    pub guid: String,
    /// Port of the way out for each LID from 0: 0 is the switch itself, 255 no way.
    pub out: Vec<u8>,
}

impl<'a> From<&'a LinkClass> for Class<'a> {
    fn from(class: &'a LinkClass) -> Self {
        Class {
            name: class.name.as_str().into(),
            bandwidth_bytes_s: class.bandwidth.map(Bandwidth::as_bytes_s),
            latency_ns: class.latency.0,
            host: class.host,
        }
    }
}

impl From<&Class<'_>> for LinkClass {
    fn from(class: &Class<'_>) -> Self {
        LinkClass {
            name: class.name.to_string(),
            bandwidth: class.bandwidth_bytes_s.map(Bandwidth::bytes_s),
            latency: Nanos(class.latency_ns),
            host: class.host,
        }
    }
}

impl<'a> From<&'a Level> for LevelItem<'a> {
    fn from(level: &'a Level) -> Self {
        LevelItem { name: level.name.as_str().into(), distance: level.distance, parts: level.part.clone() }
    }
}

impl From<(&Guid, &lft::Table)> for TableItem {
    fn from((guid, table): (&Guid, &lft::Table)) -> Self {
        TableItem { guid: guid.to_string(), out: table.out.clone() }
    }
}
