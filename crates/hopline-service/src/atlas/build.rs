//! From dumps to an [`Atlas`].

use super::{Atlas, Host, Link, NO_LINK, NO_PORT, NOWHERE, Speed, Vertex};
use hopline::error::{Error, Place, Result};
use hopline::fabric::{Fabric, Guid};
use hopline::format::ibnetdiscover::{self, Cabling, Node, NodeKind, PortRef};
use hopline::format::infiniband::{self, Machine};
use hopline::format::lft::Tables;
use hopline::id::{HostId, VertexId};
use rustc_hash::FxHashMap;

/// Lays out cabling and tables. O(cables log cables + entries).
///
/// # Errors
/// The cabling is no fabric (see [`infiniband::build`]); nobody has a LID.
pub fn build(cabling: &Cabling, tables: &Tables) -> Result<Atlas> {
    let machine = infiniband::build(&cabling.path, cabling)?;
    let (fabric, lids) = (&machine.fabric, &machine.lids);
    if lids.is_empty() {
        return Err(Error::input("no port has a LID")
            .at(&Place::new(&cabling.path, 0))
            .hint("start a subnet manager, then collect again"));
    }
    let index = Index::new(cabling, fabric);
    let Links { first, links, speeds } = index.links(cabling, fabric);
    let lost = infiniband::lost_notes(fabric, lids, tables).into_iter().chain(tables.complaints.note());
    let mut owner = vec![NOWHERE; 1];
    for v in 0..fabric.vertices() {
        for lid in lids.of(VertexId(v)) {
            owner.resize(owner.len().max(usize::from(lid) + 1), NOWHERE);
            owner[usize::from(lid)] = v;
        }
    }
    let hosts = (0..fabric.hosts().len()).map(HostId).map(|h| Host {
        name: fabric.hosts().name(h).to_string(),
        first: fabric.hosts().endpoints(h).first().map_or(0, |v| v.0),
        endpoints: fabric.hosts().endpoints(h).len() as u32,
    });
    let mut atlas = Atlas {
        endpoints: fabric.endpoints(),
        vertices: index.vertices(cabling, &machine),
        hosts: hosts.collect(),
        speeds,
        first,
        links,
        owner,
        tables: Vec::new(),
        tabled: vec![false; fabric.switches() as usize],
        notes: fabric.notes().iter().chain(&tables.notes).cloned().chain(lost).collect(),
    };
    lay_tables(&mut atlas, tables);
    Ok(atlas)
}

/// Links as an [`Atlas`] has them.
struct Links {
    first: Vec<u32>,
    links: Vec<Link>,
    speeds: Vec<Speed>,
}

/// Which node and port of the cabling each vertex is.
struct Index {
    /// Per vertex: node and port; port 0 for a switch.
    at: Vec<PortRef>,
    /// By node and port.
    vertex: FxHashMap<PortRef, u32>,
}

impl Index {
    fn new(cabling: &Cabling, fabric: &Fabric) -> Index {
        // A vertex has the GUID of its port, or of its node where the dump tells no other.
        let mut known: FxHashMap<(Guid, u16), PortRef> = FxHashMap::default();
        for (node, n) in (0..).zip(&cabling.nodes) {
            for port in ports(n) {
                let number = if n.kind == NodeKind::Switch { 0 } else { port };
                let guid = if number == 0 { n.guid } else { n.port(number).and_then(|p| p.guid).unwrap_or(n.guid) };
                known.insert((guid, number), PortRef { node, port: number });
            }
        }
        let mut index = Index { at: Vec::new(), vertex: FxHashMap::default() };
        for v in (0..fabric.vertices()).map(VertexId) {
            let own = fabric.out_links(v).next().map_or(0, |l| fabric.port(l));
            let number = if fabric.is_endpoint(v) { own } else { 0 };
            let at = fabric.guid(v).and_then(|guid| known.get(&(guid, number)).copied());
            let at = at.unwrap_or(PortRef { node: u32::MAX, port: number });
            index.vertex.insert(at, v.0);
            index.at.push(at);
        }
        index
    }

    fn vertices(&self, cabling: &Cabling, machine: &Machine) -> Vec<Vertex> {
        let vertex = |(v, at): (u32, &PortRef)| {
            let lids = machine.lids.of(VertexId(v));
            let (lid, lids) = (lids.start, lids.len() as u16);
            let Some(node) = cabling.nodes.get(at.node as usize) else {
                return Vertex { lid, lids, ..Vertex::default() };
            };
            let port_guid = node.port(at.port).and_then(|p| p.guid).unwrap_or(node.guid).0;
            let description = node.description.clone();
            Vertex { description, node_guid: node.guid.0, port_guid, port: at.port as u8, lid, lids }
        };
        (0..).zip(&self.at).map(vertex).collect()
    }

    fn of(&self, cabling: &Cabling, end: PortRef) -> Option<u32> {
        let node = cabling.nodes.get(end.node as usize)?;
        let port = if node.kind == NodeKind::Switch { 0 } else { end.port };
        self.vertex.get(&PortRef { port, ..end }).copied()
    }

    fn links(&self, cabling: &Cabling, fabric: &Fabric) -> Links {
        let mut known: Vec<ibnetdiscover::Speed> = cabling.cables.iter().map(|c| c.speed).collect();
        let gb_s = |s: &ibnetdiscover::Speed| s.bandwidth().map_or(f64::INFINITY, |b| b.as_gb_s());
        known.sort_by(|a, b| gb_s(a).total_cmp(&gb_s(b)).then(a.cmp(b)));
        known.dedup();
        let mut top = vec![0u16; fabric.vertices() as usize];
        let ends: Vec<_> = cabling
            .cables
            .iter()
            .filter_map(|c| Some((c, self.of(cabling, c.a)?, self.of(cabling, c.b)?)))
            .filter(|(_, a, b)| a != b)
            .collect();
        for (cable, a, b) in &ends {
            for (v, port) in [(*a, cable.a.port), (*b, cable.b.port)] {
                let slot = if v < fabric.endpoints() { 0 } else { port };
                top[v as usize] = top[v as usize].max(slot);
            }
        }
        let mut first = vec![0u32];
        top.iter().for_each(|&t| first.push(first.last().copied().unwrap_or(0) + u32::from(t) + 1));
        let mut links = vec![NO_LINK; first.last().copied().unwrap_or(0) as usize];
        for (cable, a, b) in ends {
            let speed = known.iter().position(|s| *s == cable.speed).unwrap_or(0) as u8;
            for (v, out, to, arrives) in [(a, cable.a.port, b, cable.b.port), (b, cable.b.port, a, cable.a.port)] {
                let slot = if v < fabric.endpoints() { 0 } else { out };
                links[first[v as usize] as usize + usize::from(slot)] =
                    Link { to, out: out as u8, arrives: arrives as u8, speed };
            }
        }
        let speeds = known.iter().map(|s| Speed { name: s.to_string(), gb_s: gb_s(s) }).collect();
        Links { first, links, speeds }
    }
}

/// The ports of a node that can be vertices: 0 for a switch, all listed ones else.
fn ports(node: &Node) -> Vec<u16> {
    if node.kind == NodeKind::Switch { vec![0] } else { node.ports.iter().map(|p| p.number).collect() }
}

/// A table belongs to the switch of its GUID or, as some dumps of cables know
/// other GUIDs, of its LID.
fn lay_tables(atlas: &mut Atlas, tables: &Tables) {
    let by_guid: FxHashMap<u64, u32> =
        (0..).zip(&atlas.vertices).skip(atlas.endpoints as usize).map(|(v, x)| (x.node_guid, v)).collect();
    let switches = atlas.switches() as usize;
    atlas.tables = vec![NO_PORT; atlas.owner.len() * switches];
    for (guid, table) in &tables.tables {
        let owner = by_guid.get(&guid.0).copied().or_else(|| atlas.owner(table.lid()?));
        if let Some(s) = owner.and_then(|v| v.checked_sub(atlas.endpoints)) {
            atlas
                .tables
                .iter_mut()
                .skip(s as usize)
                .step_by(switches)
                .zip(&table.out)
                .for_each(|(at, port)| *at = *port);
            atlas.tabled[s as usize] = true;
        }
    }
}
