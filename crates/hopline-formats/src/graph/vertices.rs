//! Which nodes are endpoints, whose they are, and in which parts of levels.

use super::words::{one_line, sizes};
use super::{Graph, value};
use hopline::error::Error;
use hopline::fabric::{Builder, Guid};
use hopline::format::quote;
use hopline::id::VertexId;
use rustc_hash::{FxHashMap, FxHashSet};

/// An error with its line.
pub(super) type Faulty<T> = Result<T, (u32, Error)>;

const ENDPOINTS: [&str; 11] =
    ["endpoint", "host", "node", "server", "compute", "hca", "ca", "gpu", "nic", "adapter", "terminal"];
const SWITCHES: [&str; 11] =
    ["switch", "router", "leaf", "spine", "core", "tor", "edge", "aggregation", "sw", "root", "super-spine"];

/// Vertices in the order of a fabric: endpoints, then switches.
pub(super) struct Seats {
    /// Of each node.
    pub(super) vertex: Vec<VertexId>,
    pub(super) endpoints: u32,
    /// What was assumed.
    pub(super) note: Option<String>,
}

/// Tells endpoints from switches.
pub(super) fn seats(graph: &Graph) -> Faulty<Seats> {
    let kinds = graph.nodes.iter().map(|node| {
        let Some(kind) = value(&node.data, &["kind", "type", "role"]) else { return Ok(None) };
        let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(kind));
        match (is(&ENDPOINTS), is(&SWITCHES)) {
            (true, _) => Ok(Some(true)),
            (_, true) => Ok(Some(false)),
            _ => {
                let error = Error::input(format!("the kind of {} is {}", quote(&node.id), quote(kind)));
                Err((node.line, error.hint("expected endpoint or switch")))
            }
        }
    });
    let kinds: Vec<Option<bool>> = kinds.collect::<Faulty<_>>()?;
    let (is_endpoint, note) = match kinds.iter().find(|kind| kind.is_some()) {
        // Where one has a kind, those without are switches: they cannot run anything by mistake.
        Some(_) => (kinds.iter().map(|kind| kind.unwrap_or(false)).collect(), None),
        None => assumed(graph),
    };
    let endpoints = is_endpoint.iter().filter(|is| **is).count() as u32;
    if endpoints == 0 {
        let error = Error::input("every node is a switch").hint("nodes with kind=endpoint run tasks");
        return Err((graph.nodes.first().map_or(0, |node| node.line), error));
    }
    let (mut endpoint, mut switch) = (0, endpoints);
    let seat = |&is: &bool| {
        let next = if is { &mut endpoint } else { &mut switch };
        *next += 1;
        VertexId(*next - 1)
    };
    Ok(Seats { vertex: is_endpoint.iter().map(seat).collect(), endpoints, note })
}

/// Nodes with one neighbour are endpoints; without any, all are.
fn assumed(graph: &Graph) -> (Vec<bool>, Option<String>) {
    let mut neighbours: Vec<FxHashSet<u32>> = vec![FxHashSet::default(); graph.nodes.len()];
    for [a, b] in graph.edges.iter().map(|edge| edge.ends) {
        for (from, to) in [(a, b), (b, a)] {
            // Two tell as much as more.
            if let Some(set) = neighbours.get_mut(from as usize).filter(|set| set.len() < 2) {
                set.insert(to);
            }
        }
    }
    let alone = |v: &FxHashSet<u32>| v.len() == 1;
    // Two nodes that have only each other hang on no switch.
    let hangs =
        |v: &FxHashSet<u32>| alone(v) && v.iter().all(|&w| neighbours.get(w as usize).is_some_and(|w| !alone(w)));
    let is_endpoint: Vec<bool> = neighbours.iter().map(hangs).collect();
    if is_endpoint.contains(&true) {
        return (is_endpoint, Some("no node has a kind: those with one neighbour are taken as endpoints".into()));
    }
    (vec![true; graph.nodes.len()], Some("no node has a kind: each is taken as a router with a host".into()))
}

/// Names the vertices and gives endpoints to hosts; answers what was assumed.
pub(super) fn add_hosts(b: &mut Builder, graph: &Graph, vertex: &[VertexId]) -> Faulty<Vec<String>> {
    let (mut names, mut order): (FxHashMap<String, u32>, Vec<String>) = Default::default();
    let mut hosts: FxHashMap<String, (Vec<VertexId>, u32)> = FxHashMap::default();
    let owned = graph.nodes.iter().any(|node| value(&node.data, &["host"]).is_some());
    let (mut said, mut hostless) = (false, Vec::new());
    let endpoints = vertex.iter().zip(&graph.nodes);
    let kind_of = b.switch(0);
    for (&v, node) in endpoints {
        let name = one_line(value(&node.data, &["name", "label"]).filter(|label| *label != "\\N").unwrap_or(&node.id));
        if let Some(first) = names.insert(name.clone(), node.line) {
            let message = format!("two nodes are called {}, first in line {first}", quote(&name));
            return Err((node.line, Error::input(message)));
        }
        if let Some(text) = value(&node.data, &["guid"]) {
            let guid = text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            let wrong = || Error::input(format!("the GUID is {}, expected 0x and up to 16 digits", quote(text)));
            b.guid(v, Guid(guid.ok_or_else(|| (node.line, wrong()))?));
        }
        b.name(v, name.as_str());
        let host = value(&node.data, &["host"]).map(one_line).or_else(|| (!owned).then(|| name.clone()));
        if host.is_none() && v < kind_of {
            hostless.push(name);
        }
        let Some(host) = host.filter(|_| v < kind_of) else { continue };
        let slots = value(&node.data, &["slots"]).map(|text| {
            let wrong = || Error::input(format!("{} slots, expected a whole number up to {}", quote(text), 1 << 24));
            text.parse().ok().filter(|&n: &u32| n <= 1 << 24).ok_or_else(|| (node.line, wrong()))
        });
        said |= slots.is_some();
        let slots = slots.transpose()?;
        match hosts.get_mut(&host) {
            Some((own, _)) => own.push(v),
            None => {
                order.push(host.clone());
                hosts.insert(host, (vec![v], slots.unwrap_or(1)));
            }
        }
    }
    let mut total = 0u64;
    for name in order {
        if let Some((endpoints, slots)) = hosts.remove(&name) {
            total += u64::from(slots);
            b.host(name, endpoints, slots);
        }
    }
    if total > 1 << 24 {
        return Err((0, Error::input(format!("{total} slots, expected at most {}", 1 << 24))));
    }
    let mut notes = Vec::new();
    if !said {
        notes.push("no node has slots: every host takes one task, slots= changes that".into());
        if let Some(first) = hostless.first() {
            let more = if hostless.len() > 1 { ", ..." } else { "" };
            notes.push(format!(
                "endpoints that name no host and so run no tasks: {} ({}{more})",
                hostless.len(),
                quote(first)
            ));
        }
    }
    Ok(notes)
}

/// Levels from attributes `level_NAME`, in the order in which they first come.
pub(super) fn add_levels(b: &mut Builder, graph: &Graph, vertex: &[VertexId], endpoints: u32) -> Faulty<()> {
    let (mut order, mut parts): (Vec<&str>, FxHashMap<&str, Vec<Option<&str>>>) = Default::default();
    let mut lines = vec![0; endpoints as usize];
    for (v, node) in vertex.iter().zip(&graph.nodes).filter(|(v, _)| v.0 < endpoints) {
        lines.get_mut(v.index()).into_iter().for_each(|line| *line = node.line);
        for (key, part) in &node.data {
            let Some(name) = key.strip_prefix("level_") else { continue };
            let all = parts.entry(name).or_insert_with(|| {
                order.push(name);
                vec![None; endpoints as usize]
            });
            all.get_mut(v.index()).into_iter().for_each(|own| *own = Some(part.trim()));
        }
    }
    let distances = match value(&graph.data, &["distances"]) {
        None => None,
        Some(text) => {
            let wrong = || Error::input(format!("distances are {}, expected one of each level", quote(text)));
            Some(sizes::<u64>(text).filter(|all| all.len() == order.len()).ok_or_else(|| (0, wrong()))?)
        }
    };
    for (i, name) in order.iter().enumerate() {
        let given = parts.get(name).map_or(&[][..], Vec::as_slice);
        if let Some(at) = given.iter().position(Option::is_none) {
            let line = lines.get(at).copied().unwrap_or_default();
            return Err((line, Error::input(format!("an endpoint has no level_{}, others have", quote(name)))));
        }
        let given: Vec<&str> = given.iter().copied().flatten().collect();
        let number = |part: &&str| part.parse::<u32>().ok().filter(|&n| n < endpoints);
        let numbers: Option<Vec<u32>> = given.iter().map(number).collect();
        let mut used: Vec<u32> = numbers.clone().unwrap_or_default();
        used.sort_unstable();
        used.dedup();
        let whole = !used.is_empty() && used.iter().copied().eq(0..used.len() as u32);
        let part = numbers.filter(|_| whole).unwrap_or_else(|| in_order(&given));
        let distance = distances.as_ref().and_then(|all| all.get(i).copied());
        b.level(one_line(name), distance, |e| part.get(e as usize).copied().unwrap_or_default());
    }
    Ok(())
}

/// Parts that have names, numbered as they first come.
fn in_order(parts: &[&str]) -> Vec<u32> {
    let mut index: FxHashMap<&str, u32> = FxHashMap::default();
    parts
        .iter()
        .map(|part| {
            let next = index.len() as u32;
            *index.entry(part).or_insert(next)
        })
        .collect()
}
