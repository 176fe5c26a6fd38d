//! The vertices of the fabric to be: their order, hosts and names.

use super::super::ibnetdiscover::{Cabling, Node, NodeKind, Port, PortRef};
use crate::fabric::Guid;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A vertex to be: a port of an adapter or a router, or a switch (port 0).
pub(super) struct Vertex<'a> {
    pub(super) at: PortRef,
    pub(super) node: &'a Node,
    /// Name of the host and of the device in it.
    pub(super) host: Option<(&'a str, &'a str)>,
    /// Which of several machines of that name it is in: see [`twins`].
    pub(super) twin: Option<Guid>,
}

impl Vertex<'_> {
    pub(super) fn is_endpoint(&self) -> bool {
        self.at.port > 0
    }

    /// What its host is called; of several machines of one name each with the GUID of an adapter.
    pub(super) fn host_name(&self) -> Option<String> {
        let (name, _) = self.host?;
        Some(self.twin.map_or(name.to_string(), |guid| format!("{name}@{guid}")))
    }

    /// A device of a host as the cabling tells them apart: the `-p` form has ports for nodes.
    fn device(&self) -> Option<(&str, &str, u16)> {
        let (host, device) = self.host.filter(|(_, device)| !device.is_empty())?;
        let port = if self.guid() == self.node.guid { self.at.port } else { 0 };
        Some((host, device, port))
    }

    pub(super) fn port(&self) -> Option<&Port> {
        self.node.port(self.at.port)
    }

    pub(super) fn guid(&self) -> Guid {
        let port = if self.is_endpoint() { self.port() } else { None };
        port.and_then(|p| p.guid).unwrap_or(self.node.guid)
    }

    /// Names from the nicest to the surest.
    fn names(&self) -> Vec<String> {
        let description = self.node.description.trim();
        let mut names = vec![self.guid().to_string()];
        if !description.is_empty() {
            if self.is_endpoint() {
                names.insert(0, format!("{description} port {}", self.at.port));
            }
            names.insert(0, description.to_string());
        }
        names
    }
}

/// Endpoints in the order of their hosts, those without a host, switches by GUID.
pub(super) fn vertices(cabling: &Cabling) -> Vec<Vertex<'_>> {
    let vertex = |at: PortRef| {
        let node = cabling.nodes.get(at.node as usize)?;
        Some(Vertex { at, node, host: host(node), twin: None })
    };
    let ends: BTreeSet<PortRef> = cabling.cables.iter().filter(|c| c.a != c.b).flat_map(|c| [c.a, c.b]).collect();
    let mut ends: Vec<_> = ends.into_iter().filter_map(vertex).filter(|v| v.node.kind != NodeKind::Switch).collect();
    let twins = twins(&ends);
    ends.iter_mut().for_each(|v| v.twin = twins.get(&v.at.node).copied());
    ends.sort_by_cached_key(|v| {
        let (host, device) = v.host.unwrap_or_default();
        (v.host.is_none(), natural(host), v.twin, natural(device), v.at.port, v.guid())
    });
    let mut switches: Vec<_> =
        (0..cabling.nodes.len() as u32).filter_map(|node| vertex(PortRef { node, port: 0 })).collect();
    switches.retain(|v| v.node.kind == NodeKind::Switch);
    switches.sort_by_key(|v| v.node.guid);
    ends.extend(switches);
    ends
}

/// Nodes of the cabling by GUID.
type Nodes = BTreeSet<(Guid, u32)>;

/// Machines that have one name, as two images of one disk do: no machine has two
/// devices of one name, so the k-th of each device, by their GUIDs, are taken for
/// the k-th machine. By node of the cabling, the least GUID of its machine; nothing
/// for machines whose name is their own.
fn twins(ends: &[Vertex<'_>]) -> FxHashMap<u32, Guid> {
    let mut devices: BTreeMap<(&str, &str, u16), Nodes> = BTreeMap::new();
    for v in ends {
        if let Some(device) = v.device() {
            devices.entry(device).or_default().insert((v.node.guid, v.at.node));
        }
    }
    let mut machines: BTreeMap<(&str, usize), Nodes> = BTreeMap::new();
    for ((host, ..), nodes) in devices {
        for (k, node) in nodes.into_iter().enumerate() {
            machines.entry((host, k)).or_default().insert(node);
        }
    }
    let several: BTreeSet<&str> = machines.keys().filter(|(_, k)| *k > 0).map(|(host, _)| *host).collect();
    let twin = machines.iter().filter(|((host, _), _)| several.contains(host));
    let named = twin.flat_map(|(_, nodes)| {
        let least = nodes.first().map(|(guid, _)| *guid);
        nodes.iter().filter_map(move |(_, node)| Some((*node, least?)))
    });
    named.collect()
}

/// Host and device of a description such as `node01 mlx5_0`, unless it is one
/// that adapters have before their host names them.
fn host(node: &Node) -> Option<(&str, &str)> {
    let text = node.description.trim();
    let (host, device) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let chip = host.strip_prefix("MT").is_some_and(|n| n.len() > 3 && n.bytes().all(|b| b.is_ascii_digit()));
    let nameless = chip || text.contains("Mellanox Technologies") || ["", "(none)", "localhost"].contains(&host);
    (node.kind == NodeKind::Adapter && !nameless).then_some((host, device.trim()))
}

/// A key that orders numbers in names as numbers: n2 before n10, n01 before n1.
fn natural(name: &str) -> Vec<(&str, u64, &str)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let (word, tail) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
        let (digits, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len()));
        let number = if digits.is_empty() { 0 } else { digits.parse().unwrap_or(u64::MAX) };
        key.push((word, number, digits));
        rest = tail;
    }
    key
}

/// For each vertex the first of its names that no other vertex could have.
pub(super) fn unique_names(vertices: &[Vertex<'_>]) -> Vec<String> {
    let all: Vec<Vec<String>> = vertices.iter().map(Vertex::names).collect();
    let mut uses: FxHashMap<&str, u32> = FxHashMap::default();
    all.iter().flatten().for_each(|name| *uses.entry(name).or_default() += 1);
    let best = |names: &Vec<String>| names.iter().find(|n| uses.get(n.as_str()) == Some(&1)).or(names.last()).cloned();
    all.iter().map(|names| best(names).unwrap_or_default()).collect()
}
