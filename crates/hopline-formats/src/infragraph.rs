//! InfraGraph's YAML: devices with components and the edges between them, instances of devices, and the edges between instances.
//! Instances with an `xpu` (where none has one: with a `cpu` and a `nic`) are hosts, and what is in them becomes their
//! inside; other instances are switches, whatever is in them. Slices are Python's.
//! Source: Keysight/infragraph, schema/ and src/infragraph/infragraph_service.py.

mod devices;
mod inside;
mod links;

use crate::graph::{self, Edge, Graph, Node};
use crate::yaml::{self, Yaml};
use devices::{Component, Device, devices, numbers, paths};
use hopline::error::{Error, Place, Result};
use hopline::format::ReadFabric;
use hopline::format::infiniband::Machine;
use hopline::format::quote;
use hopline::id::HostId;
use links::{Link, links};
use std::collections::{BTreeMap, BTreeSet};

/// The most instances, and ends of edges.
const MOST: usize = 1 << 17;

/// True where a text is in this form, whatever it then holds.
pub(crate) fn begins(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.trim_start_matches(['-', ' ']).trim_end() == key);
    // Older files have connections in place of edges, and devices in files of their own.
    has("devices:") && has("components:") && (has("instances:") || has("edges:"))
        || has("infrastructure:") && has("instances:") && has("connections:")
}

/// Instances of a device.
struct Instances<'a> {
    device: &'a Device,
    count: u32,
    is_host: bool,
}

/// Reads hosts with their insides and the network between them. O(text + instances * components).
///
/// # Errors
/// It is no YAML, a name is not defined, a slice or an edge makes no sense, nothing computes, or edges between
/// instances join GPUs; with the line.
pub(crate) fn read(path: &str, text: &str) -> Result<ReadFabric> {
    let root = yaml::parse(path, text)?;
    let root = root.get("infrastructure").unwrap_or(&root);
    let at = |e: (u32, Error)| e.1.at(&Place::new(path, e.0));
    let whole = |e: Error| Error::input(e.message()).at(&Place::new(path, 0));
    if let Some(old) = root.get("connections") {
        let error = Error::input("`connections`, expected `edges`").hint("write it anew with a present InfraGraph");
        return Err(at((old.line, error)));
    }
    let devices = devices(root).map_err(at)?;
    let mut all = instances(root, &devices).map_err(at)?;
    let computes =
        |all: &[(String, Instances<'_>)], kind: &dyn Fn(&Device) -> bool| all.iter().any(|(_, own)| kind(own.device));
    let xpu = |device: &Device| device.has("xpu");
    let cpu = |device: &Device| device.has("cpu") && device.has("nic");
    let is_host: &dyn Fn(&Device) -> bool = if computes(&all, &xpu) { &xpu } else { &cpu };
    if !computes(&all, is_host) {
        let error = Error::input("no instance has an xpu, or a cpu and a nic: nothing in it computes");
        return Err(at((root.line, error)));
    }
    all.iter_mut().for_each(|(_, own)| own.is_host = is_host(own.device));
    let cables = cables(root, &all).map_err(at)?;
    // What leads out of a host of each device.
    let mut out: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for end in cables.iter().flat_map(|cable| &cable.ends).filter(|end| all[end.of].1.is_host) {
        out.entry(&all[end.of].1.device.name).or_default().insert(end.component);
    }
    let hosts: Vec<&(String, Instances<'_>)> = all.iter().filter(|(_, own)| own.is_host).collect();
    let kinds: BTreeSet<&str> = hosts.iter().map(|(_, own)| own.device.name.as_str()).collect();
    let Some((_, first)) = hosts.first() else { return Err(at((root.line, Error::input("no host")))) };
    let leads = |name: &str| out.get(name).cloned().unwrap_or_default();
    let inside =
        inside::of(first.device, &leads(&first.device.name), is_host(first.device) && !first.device.has("xpu"));
    if cables.is_empty() && hosts.iter().map(|(_, own)| own.count).sum::<u32>() == 1 {
        return ReadFabric::host(&inside).map_err(whole);
    }
    let graph = graph(root, path, &all, &out, &cables);
    let Machine { mut fabric, lids } = graph::machine(path, &graph)?;
    if kinds.len() > 1 {
        let names: Vec<&str> = kinds.into_iter().collect();
        let note = format!("hosts are of {} devices ({}): their insides are left out", names.len(), names.join(", "));
        return Ok(Machine { fabric: fabric.with_note(note), lids }.into());
    }
    let own: Vec<HostId> = (0..fabric.hosts().len()).map(HostId).collect();
    fabric = fabric.with_insides(&inside, &own).map_err(whole)?;
    Ok(Machine { fabric, lids }.into())
}

/// Instances in the order of the file.
fn instances<'a>(root: &Yaml, devices: &'a [Device]) -> Result<Vec<(String, Instances<'a>)>, (u32, Error)> {
    let mut all = Vec::new();
    let mut total = 0usize;
    for own in root.get("instances").map_or(&[][..], Yaml::items) {
        let fail = |text: String| (own.line, Error::input(text));
        let name = own.get("name").and_then(Yaml::word).ok_or_else(|| fail("an instance without a name".into()))?;
        let of =
            own.get("device").and_then(Yaml::word).ok_or_else(|| fail(format!("{} is of no device", quote(name))))?;
        let device = devices.iter().find(|device| device.name == of);
        let device = device.ok_or_else(|| fail(format!("no device is called {}", quote(of))))?;
        let count = devices::count(own)?;
        total = total.saturating_add(count as usize).saturating_add(device.components.len());
        if total > MOST {
            return Err(fail(format!("more than {MOST} instances")));
        }
        all.push((name.to_string(), Instances { device, count, is_host: false }));
    }
    Ok(all)
}

/// An end of an edge between instances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    /// Which of the instances, and its number among its likes.
    of: usize,
    number: u32,
    /// The place of the component in its device.
    component: u32,
}

struct Cable {
    /// That of its edge.
    line: u32,
    ends: [End; 2],
    /// What it is made of, where that is said.
    link: Option<Link>,
}

/// The edges between instances, one by one.
fn cables(root: &Yaml, all: &[(String, Instances<'_>)]) -> Result<Vec<Cable>, (u32, Error)> {
    let known = links(root);
    let (mut cables, mut seen) = (Vec::new(), BTreeSet::new());
    for edge in root.get("edges").map_or(&[][..], Yaml::items) {
        let ends = |key: &str| ends(edge, key, all);
        let link = edge.get("link").and_then(Yaml::word).and_then(|name| known.get(name)).copied();
        for pair in devices::pairs(edge, &ends("ep1")?, &ends("ep2")?)? {
            let [a, b] = pair;
            if seen.insert([a.min(b), a.max(b)]) {
                cables.push(Cable { line: edge.line, ends: pair, link });
            }
        }
        if cables.len() > MOST {
            return Err((edge.line, Error::input(format!("more than {MOST} edges"))));
        }
    }
    Ok(cables)
}

/// `instance: host[0:2]` and `component: nic[1]`, one by one.
fn ends(edge: &Yaml, key: &str, all: &[(String, Instances<'_>)]) -> Result<Vec<End>, (u32, Error)> {
    let fail = |text: String| (edge.line, Error::input(text));
    let end = edge.get(key).ok_or_else(|| fail(format!("an edge without {key}")))?;
    let word = |name: &str| end.get(name).and_then(Yaml::word).ok_or_else(|| fail(format!("{key} without {name}")));
    let (instance, component) = (word("instance")?, word("component")?);
    let name = instance.split(['[', '.']).next().unwrap_or_default();
    let of = all.iter().position(|(own, _)| own == name);
    let of = of.ok_or_else(|| fail(format!("no instance is called {}", quote(name))))?;
    let own = &all[of].1;
    let numbers = numbers(instance, own.count).map_err(fail)?;
    let components = paths(component, own.device).map_err(fail)?;
    if own.is_host
        && let Some(wrong) = components.iter().find(|&&at| ["xpu", "cpu"].contains(&own.device.kind(at)))
    {
        let Component { name, .. } = &own.device.components[*wrong as usize];
        let error = Error::input(format!("{} of {} is joined to another instance", quote(name), quote(&all[of].0)));
        return Err((
            edge.line,
            error.hint("networks between the GPUs of several hosts are not read: put them into one device"),
        ));
    }
    if numbers.len().saturating_mul(components.len()) > MOST {
        return Err(fail(format!("more than {MOST} ends of an edge")));
    }
    Ok(numbers
        .iter()
        .flat_map(|&number| components.iter().map(move |&component| End { of, number, component }))
        .collect())
}

/// Endpoints are what leads out of hosts; other instances are switches.
fn graph(
    root: &Yaml,
    path: &str,
    all: &[(String, Instances<'_>)],
    out: &BTreeMap<&str, BTreeSet<u32>>,
    cables: &[Cable],
) -> Graph {
    let name = root.get("name").and_then(Yaml::word).unwrap_or(path);
    let mut graph = Graph { name: Some(name.into()), ..Graph::default() };
    let mut nodes: BTreeMap<(usize, u32, Option<u32>), u32> = BTreeMap::new();
    let pair = |key: &str, value: &str| (key.to_string(), value.to_string());
    for (of, (name, own)) in all.iter().enumerate() {
        for number in 0..own.count {
            let name = if own.count == 1 && !own.is_host { name.clone() } else { format!("{name}.{number}") };
            let parts: Vec<Option<u32>> = match own.is_host {
                true => out.get(own.device.name.as_str()).into_iter().flatten().copied().map(Some).collect(),
                false => vec![None],
            };
            for part in parts {
                nodes.insert((of, number, part), graph.nodes.len() as u32);
                let data = match part.and_then(|at| own.device.components.get(at as usize)) {
                    Some(component) => {
                        let slots = own.device.processors().to_string();
                        let full = format!("{name}.{}", component.name);
                        vec![pair("name", &full), pair("kind", "endpoint"), pair("host", &name), pair("slots", &slots)]
                    }
                    None => vec![pair("name", &name), pair("kind", "switch")],
                };
                graph.nodes.push(Node { id: format!("{name} {part:?}"), data, line: root.line });
            }
        }
    }
    for Cable { line, ends, link } in cables {
        let node = |end: &End| {
            let part = all[end.of].1.is_host.then_some(end.component);
            nodes.get(&(end.of, end.number, part)).copied()
        };
        let (Some(a), Some(b)) = (node(&ends[0]), node(&ends[1])) else { continue };
        let data = link.and_then(|link| link.gb_s).map(|gb_s| pair("bandwidth_gb_s", &gb_s.to_string()));
        graph.edges.push(Edge { ends: [a, b], data: data.into_iter().collect(), line: *line });
    }
    graph
}
