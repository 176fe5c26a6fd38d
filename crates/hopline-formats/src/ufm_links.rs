//! Links as NVIDIA's UFM answers `GET /ufmRest/resources/links`: a JSON list with the GUIDs, ports and descriptions at both ends.
//! A description of a switch ends in its port (`leaf01:5`, `leaf01:1/3/1`), one of an adapter names its host and device; where
//! descriptions are missing, what has several ports is a switch.
//! Source: NVIDIA UFM Enterprise REST API Guide 6.20, "Links REST API".

use crate::graph::{Edge, Graph, Node};
use hopline::error::{Error, Place, Result};
use hopline::format::ibnetdiscover::Speed;
use hopline::format::infiniband::host_of;
use hopline::format::quote;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// One link.
#[derive(Deserialize)]
struct Link {
    source_guid: String,
    source_port: Number,
    #[serde(default)]
    source_port_dname: Option<String>,
    #[serde(default)]
    source_port_node_description: Option<String>,
    destination_guid: String,
    destination_port: Number,
    #[serde(default)]
    destination_port_dname: Option<String>,
    #[serde(default)]
    destination_port_node_description: Option<String>,
    #[serde(default)]
    width: Option<String>,
    /// Some answers have one of these, as `NDR` or `100G`.
    #[serde(default)]
    speed: Option<String>,
    #[serde(default)]
    active_speed: Option<String>,
}

/// A port, as a text or a number.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Text(String),
    Plain(u16),
}

/// True where a text is in this form, whatever it then holds.
pub(crate) fn begins(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('[') && text.contains("\"source_guid\"") && text.contains("\"destination_guid\"")
}

/// Reads the links. O(text).
///
/// # Errors
/// It is no JSON list, or a link lacks an end; with the line.
pub(crate) fn read(path: &str, text: &str) -> Result<Graph> {
    let text = text.trim_start_matches('\u{feff}');
    let items: Vec<&RawValue> = serde_json::from_str(text).map_err(|e| {
        let hint = "save the whole answer of GET /ufmRest/resources/links";
        Error::input(format!("this is no JSON list: {e}")).at(&Place::new(path, e.line() as u32)).hint(hint)
    })?;
    let (mut line, mut passed) = (1, 0);
    let mut links: Vec<Joined> = Vec::new();
    for item in items {
        let start = item.get().as_ptr().addr().saturating_sub(text.as_ptr().addr());
        line += text.get(passed..start).map_or(0, |before| before.bytes().filter(|b| *b == b'\n').count() as u32);
        passed = start;
        let (ends, rate) = link(item.get()).map_err(|e| e.at(&Place::new(path, line)))?;
        links.push(Joined { line, ends, gb_s: rate });
    }
    let mut devices: BTreeMap<u64, Device> = BTreeMap::new();
    for end in links.iter().flat_map(|link| &link.ends) {
        let device = devices.entry(end.guid).or_default();
        device.ports.insert(end.port);
        if let Some(name) = end.switch() {
            (device.is_switch, device.name) = (true, name.to_string());
        } else if device.name.is_empty() {
            device.name = end.description.trim().to_string();
        }
    }
    for device in devices.values_mut() {
        // An adapter has two ports at most; where nobody describes it, one.
        device.is_switch |= device.ports.len() > if device.name.is_empty() { 1 } else { 2 };
    }
    Ok(graph(path, &links, &devices))
}

/// An end of a link.
struct End {
    guid: u64,
    port: u16,
    label: String,
    description: String,
}

impl End {
    /// The name of a switch, whose description ends in the port.
    fn switch(&self) -> Option<&str> {
        let (name, port) = self.description.trim().rsplit_once(':')?;
        (port == self.label || port.parse() == Ok(self.port)).then_some(name.trim())
    }
}

/// A link between two ports.
struct Joined {
    line: u32,
    ends: [End; 2],
    /// Where it tells that.
    gb_s: Option<f64>,
}

/// What has a GUID.
#[derive(Default)]
struct Device {
    name: String,
    is_switch: bool,
    ports: BTreeSet<u16>,
}

/// Vertices are switches, and ports of adapters. Names that several have get their GUID, of adapters with several ports the port.
fn graph(path: &str, links: &[Joined], devices: &BTreeMap<u64, Device>) -> Graph {
    let mut graph = Graph { name: Some(path.into()), ..Graph::default() };
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    devices.values().for_each(|device| *times.entry(&device.name).or_default() += 1);
    let (mut nodes, mut cables) = (BTreeMap::new(), BTreeSet::new());
    let mut node = |graph: &mut Graph, end: &End, line: u32| -> Option<u32> {
        let device = devices.get(&end.guid)?;
        let port = if device.is_switch { 0 } else { end.port };
        let at = nodes.entry((end.guid, port)).or_insert_with(|| {
            let guid = format!("{:#018x}", end.guid);
            let alone = !device.name.is_empty() && times.get(device.name.as_str()) == Some(&1);
            let mut name =
                if alone { device.name.clone() } else { format!("{} {guid}", device.name).trim().to_string() };
            if !device.is_switch && device.ports.len() > 1 {
                name = format!("{name} port {port}");
            }
            let kind = if device.is_switch { "switch" } else { "endpoint" };
            let host = match device.name.is_empty() {
                true => Some(guid.as_str()),
                false => host_of(&device.name).map(|(host, _)| host),
            };
            let host = host.filter(|_| !device.is_switch).map(|host| ("host".to_string(), host.to_string()));
            let first = device.is_switch || device.ports.first() == Some(&port);
            let mut data = vec![("name".to_string(), name), ("kind".to_string(), kind.to_string())];
            data.extend(host.into_iter().chain(first.then(|| ("guid".to_string(), guid.clone()))));
            graph.nodes.push(Node { id: format!("{guid} {port}"), data, line });
            graph.nodes.len() as u32 - 1
        });
        Some(*at)
    };
    for Joined { line, ends: [from, to], gb_s } in links {
        let (Some(a), Some(b)) = (node(&mut graph, from, *line), node(&mut graph, to, *line)) else { continue };
        let mut ends = [(from.guid, from.port), (to.guid, to.port)];
        ends.sort_unstable();
        // The links of one system after the other tell some twice.
        if !cables.insert(ends) {
            continue;
        }
        let mut data =
            vec![("port_source".to_string(), from.port.to_string()), ("port_target".to_string(), to.port.to_string())];
        data.extend(gb_s.map(|rate| ("bandwidth_gb_s".to_string(), rate.to_string())));
        graph.edges.push(Edge { ends: [a, b], data, line: *line });
    }
    graph
}

/// The ends of a link, and its GB/s where it tells them.
fn link(text: &str) -> Result<([End; 2], Option<f64>)> {
    let link: Link = serde_json::from_str(text).map_err(|e| {
        let message = e.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        let hint = "a link has source_guid, source_port, destination_guid and destination_port";
        Error::input(format!("a link cannot be read: {message}")).hint(hint)
    })?;
    let rate = link
        .speed
        .as_deref()
        .or(link.active_speed.as_deref())
        .and_then(|speed| rate(link.width.as_deref().unwrap_or_default(), speed));
    let from = end(&link.source_guid, &link.source_port, link.source_port_dname, link.source_port_node_description)?;
    let to = (link.destination_port_dname, link.destination_port_node_description);
    Ok(([from, end(&link.destination_guid, &link.destination_port, to.0, to.1)?], rate))
}

fn end(guid: &str, port: &Number, label: Option<String>, description: Option<String>) -> Result<End> {
    let own = u64::from_str_radix(guid.trim().trim_start_matches("0x"), 16);
    let own = own.map_err(|_| Error::input(format!("the GUID is {}, expected up to 16 digits", quote(guid))))?;
    let wrong = |text: &str| Error::input(format!("the port is {}, expected a number", quote(text)));
    let port = match port {
        Number::Plain(port) => *port,
        Number::Text(text) => text.trim().parse().map_err(|_| wrong(text))?,
    };
    Ok(End { guid: own, port, label: label.unwrap_or_default(), description: description.unwrap_or_default() })
}

/// `4x` and `NDR` as GB/s of one direction; `100G` as it stands.
fn rate(width: &str, speed: &str) -> Option<f64> {
    let speed = speed.trim();
    let whole = speed.trim_end_matches(['G', 'g', 'b', '/', 's', 'p']).parse::<f64>().ok().map(|gb| gb / 8.0);
    let named = || format!("{}{}", width.to_lowercase(), speed.to_uppercase()).parse::<Speed>().ok()?.bandwidth();
    whole.filter(|rate| (1e-3..1e5).contains(rate)).or_else(|| named().map(|bandwidth| bandwidth.as_gb_s()))
}
