//! A fabric as a graph with attributes, in the words that GraphML and DOT share:
//!
//! | of | attribute | meaning |
//! |---|---|---|
//! | graph | `coordinates` | extents of a grid of endpoints, `4x4x2`, dimension 0 first |
//! | graph | `distances` | the literature's distance of each level, `1x10x100` |
//! | graph | `rails` | how slots use several adapters: `affine`, `stripe` or a number |
//! | node | `name` (`label`) | its name; else its id |
//! | node | `kind` | `endpoint` or `switch` (also words such as `host`, `server`, `leaf`, `spine`, `router`) |
//! | node | `guid`, `host`, `slots` | of an endpoint: the host that owns it, and the tasks that this host takes |
//! | node | `level_NAME` | part of an endpoint in a level: rack, group |
//! | edge | `class` (`link_class`) | the class of a cable |
//! | edge | `bandwidth_gb_s` | of one direction; left out where unlimited; `bandwidth`, `capacity` and `speed` take units such as `100Gb/s` |
//! | edge | `latency_ns`, `host_link` | of its class: host links are no hops |
//! | edge | `port_source`, `port_target` | ports at its ends |
//!
//! [`assemble`](assemble::machine) says what is assumed where they are left out.

mod assemble;
mod links;
mod vertices;
mod words;

pub(crate) use assemble::machine;

use hopline::fabric::{Fabric, Rails};
use hopline::id::{HostId, LinkId, VertexId};

/// Attributes with their values.
pub(crate) type Data = Vec<(String, String)>;

/// A graph as a file has it.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) name: Option<String>,
    pub(crate) directed: bool,
    pub(crate) data: Data,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
}

/// A node with its line.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) data: Data,
    pub(crate) line: u32,
}

/// An edge between two nodes, by their number, with its line.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    pub(crate) data: Data,
    pub(crate) line: u32,
}

/// The value of the first of these attributes that is there and not empty.
pub(crate) fn value<'a>(data: &'a Data, names: &[&str]) -> Option<&'a str> {
    let find =
        |name: &&str| data.iter().find(|(key, value)| key.eq_ignore_ascii_case(name) && !value.trim().is_empty());
    names.iter().find_map(find).map(|(_, value)| value.trim())
}

fn data<const N: usize>(pairs: [(&str, Option<String>); N]) -> Data {
    pairs.into_iter().filter_map(|(key, value)| Some((key.to_string(), value?))).collect()
}

fn joined<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join("x")
}

/// Attributes of a fabric as a whole.
pub(crate) fn of_fabric(fabric: &Fabric) -> Data {
    let distances: Option<Vec<u64>> = fabric.levels().iter().map(|level| level.distance).collect();
    let rails = match fabric.hosts().rails() {
        Rails::RoundRobin => None,
        Rails::Affine => Some("affine".to_string()),
        Rails::Stripe => Some("stripe".to_string()),
        Rails::One(n) => Some(n.to_string()),
    };
    data([
        ("coordinates", fabric.coordinates().map(joined)),
        ("distances", distances.filter(|all| !all.is_empty()).map(|all| joined(&all))),
        ("rails", rails),
    ])
}

/// Attributes of a vertex. O(levels).
pub(crate) fn of_vertex(fabric: &Fabric, v: VertexId) -> Data {
    let hosts = fabric.hosts();
    let host = hosts.owner(v);
    let first = |h: &HostId| hosts.endpoints(*h).first() == Some(&v);
    let kind = if fabric.is_endpoint(v) { "endpoint" } else { "switch" };
    let mut all = data([
        ("name", Some(fabric.vertex_name(v).to_string())),
        ("kind", Some(kind.to_string())),
        ("guid", fabric.guid(v).map(|guid| guid.to_string())),
        ("host", host.map(|h| hosts.name(h).to_string())),
        ("slots", host.filter(first).map(|h| hosts.slot_count(h).to_string())),
    ]);
    let part = |level: &hopline::fabric::Level| {
        Some((format!("level_{}", level.name), level.part.get(v.index())?.to_string()))
    };
    all.extend(fabric.levels().iter().filter_map(part));
    all
}

/// Attributes of a cable.
pub(crate) fn of_cable(fabric: &Fabric, l: LinkId) -> Data {
    let class = fabric.class_of(l);
    data([
        ("class", Some(class.name.clone())),
        ("bandwidth_gb_s", class.bandwidth.map(|b| b.as_gb_s().to_string())),
        ("latency_ns", Some(class.latency.0).filter(|&ns| ns > 0).map(|ns| ns.to_string())),
        ("host_link", class.host.then(|| "true".to_string())),
        ("port_source", Some(fabric.port(l).to_string())),
        ("port_target", Some(fabric.port(fabric.reverse(l)).to_string())),
    ])
}

/// The cables of a fabric, each once.
pub(crate) fn cables(fabric: &Fabric) -> impl Iterator<Item = LinkId> {
    fabric.link_ids().filter(|&l| l <= fabric.reverse(l))
}
