//! Edges as cables in classes.

use super::vertices::Faulty;
use super::words::one_line;
use super::{Edge, Graph, value};
use hopline::error::Error;
use hopline::fabric::{Builder, LinkClass};
use hopline::format::quote;
use hopline::id::{ClassId, VertexId};
use hopline::unit::{Bandwidth, Nanos};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};

/// A cable: the edge, and the one that goes back where the graph is directed.
pub(super) struct Cable<'a> {
    edge: &'a Edge,
    back: Option<&'a Edge>,
}

/// The cables of a graph. In a directed one edges go both ways, or none goes back.
pub(super) fn cables(graph: &Graph) -> Faulty<Vec<Cable<'_>>> {
    let one = |edge| Cable { edge, back: None };
    let goes: FxHashSet<[u32; 2]> = graph.edges.iter().map(|edge| edge.ends).filter(|[a, b]| a != b).collect();
    if !graph.directed || !goes.iter().any(|&[a, b]| goes.contains(&[b, a])) {
        return Ok(graph.edges.iter().map(one).collect());
    }
    let mut waiting: FxHashMap<[u32; 2], VecDeque<usize>> = FxHashMap::default();
    let mut cables: Vec<Cable<'_>> = Vec::new();
    for edge in &graph.edges {
        let [a, b] = edge.ends;
        if let Some(at) = waiting.get_mut(&[b, a]).and_then(VecDeque::pop_front) {
            cables.get_mut(at).into_iter().for_each(|cable| cable.back = Some(edge));
            continue;
        }
        if a != b {
            waiting.entry([a, b]).or_default().push_back(cables.len());
        }
        cables.push(one(edge));
    }
    let name = |v: u32| graph.nodes.get(v as usize).map_or("", |node| node.id.as_str());
    match waiting.values().filter_map(VecDeque::front).min().and_then(|&at| cables.get(at)) {
        Some(Cable { edge, .. }) => {
            let [a, b] = edge.ends.map(name);
            let message = format!("an edge {} -> {} without one back", quote(a), quote(b));
            Err((
                edge.line,
                Error::input(message)
                    .hint("cables carry data both ways: write an undirected graph, or both directions"),
            ))
        }
        None => Ok(cables),
    }
}

/// Adds the cables and their classes.
pub(super) fn add_links(
    b: &mut Builder,
    graph: &Graph,
    vertex: &[VertexId],
    endpoints: u32,
    cables: &[Cable<'_>],
) -> Faulty<()> {
    let is_endpoint = |v: VertexId| v.0 < endpoints;
    let direct = endpoints as usize == graph.nodes.len();
    let rates = cables.iter().map(|cable| bandwidth(cable.edge)).collect::<Faulty<Vec<_>>>()?;
    let silent = rates.iter().all(Option::is_none);
    if silent {
        b.note("no edge has a bandwidth: links between switches have 1 GB/s, host links no limit");
    }
    misspelt(graph).into_iter().for_each(|note| b.note(note));
    let ports = cables.iter().map(ports).collect::<Faulty<Vec<_>>>()?;
    let numbered = ports.iter().all(|ports| ports.iter().all(Option::is_some));
    let mut classes = Classes::default();
    let mut taken: FxHashMap<(VertexId, u16), u32> = FxHashMap::default();
    for ((cable, rate), ports) in cables.iter().zip(rates).zip(ports) {
        let line = cable.edge.line;
        let of = |v: u32| vertex.get(v as usize).copied().unwrap_or(VertexId(0));
        let [from, to] = cable.edge.ends.map(of);
        let hangs = !direct && is_endpoint(from) != is_endpoint(to);
        let host = match value(&cable.edge.data, HOST) {
            None => hangs,
            // NetworkX writes it as Python does: True.
            Some(word) => word
                .to_ascii_lowercase()
                .parse()
                .map_err(|_| (line, Error::input(format!("host_link is {}, expected true or false", quote(word)))))?,
        };
        let latency = value(&cable.edge.data, LATENCY).map_or(Ok(0), |text| {
            text.parse()
                .map_err(|_| (line, Error::input(format!("latency_ns is {}, expected whole nanoseconds", quote(text)))))
        })?;
        let bandwidth = if silent && !host { Some(Bandwidth::gb_s(1.0)) } else { rate };
        let name = value(&cable.edge.data, CLASS).map(one_line);
        let class = classes.of(b, name, bandwidth, Nanos(latency), host);
        let [port, back] = ports.map(|port| port.filter(|_| numbered));
        for (v, port) in [(from, port), (to, back)].into_iter().take(if from == to { 1 } else { 2 }) {
            let Some(port) = port else { continue };
            if let Some(first) = taken.insert((v, port), line) {
                let message = format!("port {port} of this end is that of the edge in line {first} already");
                return Err((line, Error::input(message).hint("leave all ports out, and they are numbered in order")));
            }
        }
        match (from == to, port) {
            (false, _) => b.cable_at(from, port, to, back, class),
            (true, Some(port)) => b.self_loop(from, port, class),
            (true, None) => {
                let error = Error::input("an edge from a node to itself").hint("leave it out, or give all edges ports");
                return Err((line, error));
            }
        }
    }
    Ok(())
}

/// Letters in which a word may differ from one that is meant.
const SLIPS: usize = 2;

/// What is read of an edge; of several names for one thing the first that is there.
const BANDWIDTH: &[&str] = &["bandwidth_gb_s", "bandwidth", "capacity", "speed"];
const LATENCY: &[&str] = &["latency_ns"];
const CLASS: &[&str] = &["class", "link_class"];
const HOST: &[&str] = &["host_link"];
const SOURCE: &[&str] = &["port_source"];
const TARGET: &[&str] = &["port_target"];
const ATTRIBUTES: [&[&str]; 6] = [BANDWIDTH, LATENCY, CLASS, HOST, SOURCE, TARGET];

/// Notes on attributes of edges that nobody reads and that are nearly one that is read.
fn misspelt(graph: &Graph) -> Vec<String> {
    let keys: BTreeSet<&str> = graph.edges.iter().flat_map(|edge| &edge.data).map(|(key, _)| key.as_str()).collect();
    let keys: BTreeSet<String> = keys.into_iter().map(str::to_ascii_lowercase).collect();
    let known = || ATTRIBUTES.into_iter().flatten().copied();
    let near = |key: &str| {
        known()
            .find(|name| key.len().abs_diff(name.len()) <= 4 * SLIPS && strsim::damerau_levenshtein(key, name) <= SLIPS)
    };
    let unread = keys.iter().filter(|key| known().all(|name| name != *key) && key.len() > 2 * SLIPS);
    let note = |key: &String| {
        near(key).map(|name| format!("edges have `{}`, which says nothing here: is `{name}` meant?", one_line(key)))
    };
    unread.filter_map(note).collect()
}

/// Classes by what they are.
#[derive(Default)]
struct Classes {
    known: FxHashMap<(Option<String>, Option<Bandwidth>, Nanos, bool), ClassId>,
    names: FxHashSet<String>,
}

impl Classes {
    fn of(
        &mut self,
        b: &mut Builder,
        name: Option<String>,
        bandwidth: Option<Bandwidth>,
        latency: Nanos,
        host: bool,
    ) -> ClassId {
        let key = (name, bandwidth, latency, host);
        if let Some(&class) = self.known.get(&key) {
            return class;
        }
        let speed = bandwidth.map_or("unlimited".to_string(), |b| b.to_string());
        let plain = key.0.clone().unwrap_or_else(|| if host { "host".to_string() } else { "link".to_string() });
        let more = [plain.clone(), format!("{plain} {speed}"), format!("{plain} {speed} {} ns", latency.0)];
        let unique = more.into_iter().find(|name| !self.names.contains(name));
        let name = unique.unwrap_or_else(|| format!("{plain} {}", self.names.len()));
        self.names.insert(name.clone());
        // The builder refuses more classes than its links can name.
        let class = b.class(LinkClass { name, bandwidth, latency, host });
        self.known.insert(key, class);
        class
    }
}

fn ports(cable: &Cable<'_>) -> Faulty<[Option<u16>; 2]> {
    let port = |edge: &Edge, names: &[&str]| {
        let Some(text) = value(&edge.data, names) else { return Ok(None) };
        let wrong =
            || Error::input(format!("{} is {}, expected a port from 0 to 65535", names.join(" or "), quote(text)));
        text.parse().map(Some).map_err(|_| (edge.line, wrong()))
    };
    let mut target = port(cable.edge, TARGET)?;
    if let (None, Some(back)) = (target, cable.back) {
        target = port(back, SOURCE)?;
    }
    Ok([port(cable.edge, SOURCE)?, target])
}

/// What an edge says of its bandwidth.
fn bandwidth(edge: &Edge) -> Faulty<Option<Bandwidth>> {
    let Some(text) = value(&edge.data, BANDWIDTH) else { return Ok(None) };
    let plain = text.replace("Gbps", "Gb/s").replace("Gbit/s", "Gb/s");
    plain.parse().map(Some).map_err(|message| (edge.line, Error::input(message)))
}
