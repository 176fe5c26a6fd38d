//! Reading: serde makes a [`Document`], then everything is checked that the
//! builder does not check.

use super::super::ibnetdiscover::Port;
use super::super::infiniband::{Lids, Machine};
use super::super::lft::{Table, Tables};
use super::super::words::quote;
use super::check::{Fault, unreadable};
use super::insides;
use super::{Document, VERSION, Vertex};
use crate::error::{Place, Result, suggest, suggest_near};
use crate::fabric::{Builder, Guid, LinkClass};
use crate::id::{ClassId, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

/// True where a text is a JSON object; no other form of a fabric is. O(1).
pub fn is_fabric(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Reads a fabric with its LIDs (none where the file has none) and forwarding
/// tables. O(text).
///
/// # Errors
/// It is no JSON, lacks a key or has an unknown one, or is of another version; a
/// name stands there twice or is not there at all; ports, LIDs, levels, extents
/// or tables make no network. Errors name the line and, as `cables[17]`, the item.
pub fn read(path: &str, text: &str) -> Result<(Machine, Option<Tables>)> {
    #[derive(Deserialize)]
    struct Version {
        hopline_fabric: u32,
    }
    let version: Version = serde_json::from_str(text).map_err(|e| unreadable(path, e))?;
    if version.hopline_fabric != VERSION {
        let message = format!("this is version {}, expected {VERSION}", version.hopline_fabric);
        let fault = Fault::of("hopline_fabric", message).hint("use the Hopline that wrote it, or a newer one");
        return Err(fault.locate(path, text));
    }
    let document: Document<'_> = serde_json::from_str(text).map_err(|e| unreadable(path, e))?;
    let machine = machine(&document).map_err(|fault| fault.locate(path, text))?;
    let tables = tables(&document, path).map_err(|fault| fault.locate(path, text))?;
    Ok((machine, tables))
}

/// As many vertices and slots as any family may have.
const MOST: usize = 1 << 24;

fn machine(document: &Document<'_>) -> Result<Machine, Fault> {
    let (endpoints, switches) = (document.endpoints.len(), document.switches.len());
    if endpoints.saturating_add(switches) > MOST {
        return Err(Fault::of("switches", format!("more than {MOST} vertices")));
    }
    one_line("name", None, &document.name)?;
    let mut b = Builder::new(document.name.clone(), endpoints as u32, switches as u32);
    let classes = classes(&mut b, document)?;
    let mut names = Names::default();
    let mut lids = Lids::default();
    for (list, vertices) in [("endpoints", &document.endpoints), ("switches", &document.switches)] {
        for (item, vertex) in vertices.iter().enumerate() {
            let v = names.add(list, item, &vertex.name)?;
            b.name(v, vertex.name.clone());
            if let Some(guid) = &vertex.guid {
                b.guid(v, read_guid(guid).ok_or_else(|| Fault::at(list, item, wrong_guid(guid)))?);
            }
            add_lids(&mut lids, vertex).map_err(|message| Fault::at(list, item, message))?;
        }
    }
    if lids.is_empty() {
        lids = Lids::default();
    }
    cables(&mut b, document, &classes, &names)?;
    hosts(&mut b, document, &names)?;
    levels(&mut b, document)?;
    document.notes.iter().for_each(|note| b.note(note));
    let fabric = b.finish().map_err(|e| Fault::of("hopline_fabric", e.message()))?;
    let fabric = fabric.with_rails(document.rails.unwrap_or_default()).map_err(|e| Fault::of("rails", e.message()))?;
    let fabric = match &document.inside {
        Some(inside) => insides::put(fabric, inside)?,
        None => fabric,
    };
    Ok(Machine { fabric, lids })
}

/// A line break would tear reports and exported files apart.
fn one_line(list: &'static str, item: Option<usize>, name: &str) -> Result<(), Fault> {
    if !name.contains('\n') {
        return Ok(());
    }
    let message = format!("the name {} holds a line break", quote(name));
    Err(item.map_or_else(|| Fault::of(list, &message), |item| Fault::at(list, item, &message)))
}

fn classes<'a>(b: &mut Builder, document: &'a Document<'_>) -> Result<FxHashMap<&'a str, ClassId>, Fault> {
    let mut classes = FxHashMap::default();
    for (item, class) in document.classes.iter().enumerate() {
        one_line("classes", Some(item), &class.name)?;
        if class.bandwidth_bytes_s == Some(0) {
            let text = format!("class {} has 0 bytes per second", quote(&class.name));
            return Err(Fault::at("classes", item, text).hint("null is unlimited; leave out cables that are dark"));
        }
        if classes.insert(&*class.name, b.class(LinkClass::from(class))).is_some() {
            return Err(Fault::at("classes", item, format!("two classes are called {}", quote(&class.name))));
        }
    }
    Ok(classes)
}

/// Vertices by name.
#[derive(Default)]
struct Names<'a>(FxHashMap<&'a str, VertexId>);

impl<'a> Names<'a> {
    fn add(&mut self, list: &'static str, item: usize, name: &'a str) -> Result<VertexId, Fault> {
        one_line(list, Some(item), name)?;
        let v = VertexId(self.0.len() as u32);
        match self.0.insert(name, v) {
            None => Ok(v),
            Some(_) => Err(Fault::at(list, item, format!("two vertices are called {}", quote(name)))),
        }
    }

    fn find(&self, list: &'static str, item: usize, name: &str) -> Result<VertexId, Fault> {
        self.0.get(name).copied().ok_or_else(|| {
            let near = suggest_near(name, self.0.keys().copied(), "see `endpoints` and `switches`");
            Fault::at(list, item, format!("no vertex is called {}", quote(name))).hint(near)
        })
    }
}

fn read_guid(text: &str) -> Option<Guid> {
    text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(Guid)
}

fn wrong_guid(text: &str) -> String {
    format!("the GUID is {}, expected 0x and up to 16 digits", quote(text))
}

fn add_lids(lids: &mut Lids, vertex: &Vertex<'_>) -> Result<(), String> {
    let (lid, lmc) = (vertex.lid, vertex.lmc);
    if lid > 0xbfff || lmc > 7 {
        return Err(format!("LID {lid} with LMC {lmc}, expected at most 49151 and 7"));
    }
    let port = Port { number: 0, guid: None, lid, lmc };
    lids.add(Some(&port)).map_err(|(lid, first)| format!("vertex {first} has LID {lid} already"))
}

fn cables(
    b: &mut Builder,
    document: &Document<'_>,
    classes: &FxHashMap<&str, ClassId>,
    names: &Names<'_>,
) -> Result<(), Fault> {
    let numbered = document.cables.iter().any(|c| c.port_a.is_some() || c.port_b.is_some());
    let mut taken: FxHashMap<(VertexId, u16), usize> = FxHashMap::default();
    for (item, cable) in document.cables.iter().enumerate() {
        let fault = |message: String| Fault::at("cables", item, message);
        let class = *classes.get(&*cable.class).ok_or_else(|| {
            fault(format!("no class is called {}", quote(&cable.class)))
                .hint(suggest(&cable.class, classes.keys().copied()))
        })?;
        let (from, to) = (names.find("cables", item, &cable.a)?, names.find("cables", item, &cable.b)?);
        let ports = [(from, cable.port_a), (to, cable.port_b)];
        for (v, port) in ports.iter().filter_map(|(v, port)| Some((*v, (*port)?))) {
            if let Some(first) = taken.insert((v, port), item) {
                return Err(fault(format!("port {port} is that of cables[{first}] already")));
            }
        }
        match (cable.port_a, cable.port_b) {
            (Some(port), None) if from == to => b.self_loop(from, port, class),
            _ if from == to => {
                return Err(fault("a link from a vertex to itself has `port_a` and no `port_b`".into()));
            }
            (a, b) if numbered && (a.is_none() || b.is_none()) => {
                return Err(fault("a port is left out".into()).hint("give ports of all cables or of none"));
            }
            (port_a, port_b) => b.cable_at(from, port_a, to, port_b, class),
        }
    }
    Ok(())
}

fn hosts(b: &mut Builder, document: &Document<'_>, names: &Names<'_>) -> Result<(), Fault> {
    let (mut seen, mut owned, mut slots) = (FxHashSet::default(), FxHashSet::default(), 0u64);
    for (item, host) in document.hosts.iter().enumerate() {
        let fault = |message: String| Fault::at("hosts", item, message);
        one_line("hosts", Some(item), &host.name)?;
        if !seen.insert(&*host.name) {
            return Err(fault(format!("two hosts are called {}", quote(&host.name))));
        }
        let mut own = Vec::with_capacity(host.endpoints.len());
        for name in &host.endpoints {
            let v = names.find("hosts", item, name)?;
            if v.index() >= document.endpoints.len() {
                return Err(fault(format!("{} is a switch, expected endpoints", quote(name))));
            }
            if !owned.insert(v) {
                return Err(fault(format!("{} belongs to two hosts", quote(name))));
            }
            own.push(v);
        }
        slots += u64::from(host.slots);
        if own.is_empty() && host.slots > 0 || slots > MOST as u64 {
            return Err(fault(format!("{} slots, expected none without an endpoint, {MOST} in all", host.slots)));
        }
        b.host(host.name.clone(), own, host.slots);
    }
    Ok(())
}

fn levels(b: &mut Builder, document: &Document<'_>) -> Result<(), Fault> {
    let endpoints = document.endpoints.len();
    for (item, level) in document.levels.iter().enumerate() {
        let fault = |message: String| Fault::at("levels", item, message);
        one_line("levels", Some(item), &level.name)?;
        if level.parts.len() != endpoints {
            return Err(fault(format!("{} parts for {endpoints} endpoints", level.parts.len())));
        }
        let mut seen = vec![false; endpoints];
        for &part in &level.parts {
            *seen.get_mut(part as usize).ok_or_else(|| fault(format!("part {part} of {endpoints} endpoints")))? = true;
        }
        let used = seen.iter().filter(|s| **s).count();
        if seen.iter().skip(used).any(|s| *s) {
            return Err(fault("a part has no endpoint, expected numbers from 0 without gaps".into()));
        }
        b.level(level.name.clone(), level.distance, |e| level.parts.get(e as usize).copied().unwrap_or(0));
    }
    let extents = &document.coordinates;
    if !extents.is_empty() {
        let product = extents.iter().try_fold(1u64, |n, &k| n.checked_mul(u64::from(k)));
        if product != Some(endpoints as u64) {
            return Err(Fault::of(
                "coordinates",
                format!("the product of the extents is not {endpoints}, the endpoints"),
            ));
        }
        b.coordinates(extents.clone());
    }
    Ok(())
}

fn tables(document: &Document<'_>, path: &str) -> Result<Option<Tables>, Fault> {
    let mut tables = Tables { notes: document.table_notes.clone(), ..Tables::default() };
    for (item, table) in document.tables.iter().enumerate() {
        let fault = |message: String| Fault::at("tables", item, message);
        let guid = read_guid(&table.guid).ok_or_else(|| fault(wrong_guid(&table.guid)))?;
        if table.out.len() > 0xc000 {
            return Err(fault(format!("{} LIDs, expected at most 49152", table.out.len())));
        }
        let read = Table { place: Place::new(path, 0), out: table.out.clone(), lost: None };
        if tables.tables.insert(guid, read).is_some() {
            return Err(fault(format!("switch {guid} has two tables")));
        }
    }
    Ok((!document.tables.is_empty()).then_some(tables))
}
