//! Cabling as `iblinkinfo` prints it, in blocks or one line a port (`--line`): who is at both ends of every link, and its rate.
//! Vertices are LIDs: all ports of a switch have one, every port of an adapter has its own.
//! Source: infiniband-diags, src/iblinkinfo.c.

use crate::graph::{Edge, Graph, Node};
use hopline::error::{Error, Place, Result};
use hopline::format::ibnetdiscover::Speed;
use hopline::format::infiniband::host_of;
use hopline::format::quote;
use hopline::unit::Bandwidth;
use rustc_hash::FxHashMap;

const ARROW: &str = ")==>";

/// True where a text is in this form, whatever it then holds.
pub(crate) fn begins(text: &str) -> bool {
    text.lines().take(4096).any(|line| line.contains("==(") && line.contains(ARROW) && line.contains('['))
}

/// One end of a link.
struct End<'a> {
    guid: Option<&'a str>,
    lid: u16,
    port: u16,
    name: &'a str,
}

/// What is known of a LID.
struct Vertex {
    node: u32,
    is_switch: bool,
    rows: u32,
}

/// Reads the links that are up. O(text).
///
/// # Errors
/// A row cannot be read, or two ports of a LID that both ends tell differently; with the line.
pub(crate) fn read(path: &str, text: &str) -> Result<Graph> {
    let mut graph = Graph { name: Some(path.into()), ..Graph::default() };
    let mut vertices: FxHashMap<u16, Vertex> = FxHashMap::default();
    let mut cables: FxHashMap<[(u16, u16); 2], ()> = FxHashMap::default();
    let (mut block, mut in_switch) = ("", false);
    for (line, at) in text.lines().zip(1u32..) {
        let Some((left, right)) = line.split_once("==(") else {
            let header = |word: &str| line.trim_end().trim_end_matches(':').strip_prefix(word).map(str::trim);
            if let Some(name) = header("Switch:") {
                (block, in_switch) = (name.split_once(' ').map_or(name, |(_, name)| name.trim()), true);
            } else if let Some(name) = header("CA:").or_else(|| header("Router:")) {
                (block, in_switch) = (name, false);
            }
            continue;
        };
        let fail = |what: &str| {
            Error::input(format!("found {}, expected {what}", quote(line.trim())))
                .at(&Place::new(path, at))
                .hint("a row looks like 5 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 7 3[  ] \"leaf01\" ( )")
        };
        let Some((state, right)) = right.split_once(ARROW) else {
            return Err(fail("`)==>` behind the state of the link"));
        };
        let from = end(left).ok_or_else(|| fail("a LID and a port before the link"))?;
        // Rows of a switch that lead nowhere still tell that it is one.
        let own = vertices.entry(from.lid).or_insert_with(|| {
            graph.nodes.push(Node { id: from.lid.to_string(), data: Vec::new(), line: at });
            Vertex { node: graph.nodes.len() as u32 - 1, is_switch: false, rows: 0 }
        });
        own.rows += 1;
        own.is_switch |= in_switch || own.rows > 1;
        let name = if from.name.is_empty() { block } else { from.name };
        let source = own.node;
        describe(&mut graph, source, name, from.guid);
        if !state.contains("LinkUp") {
            continue;
        }
        let to = end(right).ok_or_else(|| fail("a LID and a port behind the link"))?;
        let other = vertices.entry(to.lid).or_insert_with(|| {
            graph.nodes.push(Node { id: to.lid.to_string(), data: Vec::new(), line: at });
            Vertex { node: graph.nodes.len() as u32 - 1, is_switch: false, rows: 0 }
        });
        let target = other.node;
        describe(&mut graph, target, to.name, to.guid);
        let mut ends = [(from.lid, from.port), (to.lid, to.port)];
        ends.sort_unstable();
        // Both ends tell of a link.
        if cables.insert(ends, ()).is_some() {
            continue;
        }
        let mut data =
            vec![("port_source".to_string(), from.port.to_string()), ("port_target".to_string(), to.port.to_string())];
        if let Some(bandwidth) = rate(state) {
            data.push(("bandwidth_gb_s".to_string(), bandwidth.as_gb_s().to_string()));
        }
        graph.edges.push(Edge { ends: [source, target], data, line: at });
    }
    name_all(&mut graph, &vertices);
    Ok(graph)
}

/// `[0xGUID] ["NAME"] LID PORT[EXT] ["NAME"]`.
fn end(text: &str) -> Option<End<'_>> {
    let (before, name, after) = match text.split_once('"') {
        Some((before, rest)) => {
            let (name, after) = rest.split_once('"')?;
            (before, name.trim(), after)
        }
        None => (text, "", ""),
    };
    // Numbers stand before the name of the far end, behind that of the near one.
    let numbers = if before.contains('[') { before } else { after };
    let guid = text.split_whitespace().next().filter(|word| word.starts_with("0x"));
    let mut words = numbers.split_whitespace().skip_while(|word| word.starts_with("0x"));
    let lid = words.next()?.parse().ok()?;
    let port = words.next()?.split('[').next()?.parse().ok()?;
    Some(End { guid, lid, port, name })
}

/// Keeps what a row tells of a node, the first time.
fn describe(graph: &mut Graph, node: u32, name: &str, guid: Option<&str>) {
    let Some(node) = graph.nodes.get_mut(node as usize) else { return };
    for (key, value) in [("name", Some(name)), ("guid", guid)] {
        if let Some(value) = value.filter(|value| !value.is_empty())
            && !node.data.iter().any(|(known, _)| known == key)
        {
            node.data.push((key.to_string(), value.to_string()));
        }
    }
}

/// `4X 10.0 Gbps`: lanes, and the rate of one before coding.
fn rate(state: &str) -> Option<Bandwidth> {
    let mut words = state.split_whitespace();
    let width = words.find(|word| word.ends_with(['X', 'x']))?;
    let rate: f64 = words.next()?.parse().ok()?;
    let name = match rate {
        ..=3.0 => "SDR",
        ..=6.0 => "DDR",
        ..=10.1 => "QDR",
        ..=11.0 => "FDR10",
        ..=15.0 => "FDR",
        ..=30.0 => "EDR",
        ..=60.0 => "HDR",
        ..=120.0 => "NDR",
        _ => "XDR",
    };
    format!("{}{name}", width.to_lowercase()).parse::<Speed>().ok()?.bandwidth()
}

/// Switches and endpoints, with hosts; the ports of an adapter that has several get their LID behind their name.
fn name_all(graph: &mut Graph, vertices: &FxHashMap<u16, Vertex>) {
    let mut times: FxHashMap<String, u32> = FxHashMap::default();
    let name_of = |node: &Node| node.data.iter().find(|(key, _)| key == "name").map(|(_, name)| name.clone());
    graph.nodes.iter().filter_map(name_of).for_each(|name| *times.entry(name).or_default() += 1);
    for (lid, vertex) in vertices {
        let Some(node) = graph.nodes.get_mut(vertex.node as usize) else { continue };
        let name = name_of(node).unwrap_or_default();
        let twice = name.is_empty() || times.get(&name).is_some_and(|&n| n > 1);
        let unique = if twice { format!("{name} lid {lid}") } else { name.clone() };
        node.data.retain(|(key, _)| key != "name");
        node.data.push(("name".into(), unique.trim().into()));
        node.data.push(("kind".into(), if vertex.is_switch { "switch" } else { "endpoint" }.into()));
        let host = host_of(&name).filter(|_| !vertex.is_switch);
        node.data.extend(host.map(|(host, _)| ("host".to_string(), host.to_string())));
    }
    // Of a GUID that several ports have the first keeps it.
    let mut seen: FxHashMap<String, ()> = FxHashMap::default();
    graph
        .nodes
        .iter_mut()
        .for_each(|node| node.data.retain(|(key, value)| key != "guid" || seen.insert(value.clone(), ()).is_none()));
}
