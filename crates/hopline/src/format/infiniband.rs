//! The fabric that the cabling of an InfiniBand subnet makes.

mod lids;
mod vertices;

pub use lids::Lids;

use super::ibnetdiscover::{Cabling, NodeKind, PortRef, Speed};
use super::lft::Tables;
use crate::error::{Error, Place, Result};
use crate::fabric::{Builder, Fabric, Guid, LinkClass};
use crate::id::VertexId;
use crate::unit::Nanos;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use vertices::{Vertex, unique_names, vertices};

/// The fabric of a subnet and the LIDs of its vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// One endpoint for each cabled port of an adapter or a router, then the switches by GUID.
    pub fabric: Fabric,
    /// Who owns which LID.
    pub lids: Lids,
}

/// Makes the fabric: endpoints in the order of their hosts, then those without a
/// host, then switches. A host is the first word of the descriptions of its
/// adapters, with one slot and an endpoint for each cabled port; hosts stand in
/// natural order (n2 before n10). O(cables log cables).
///
/// # Errors
/// There is no cable, or two vertices have one LID.
pub fn build(name: &str, cabling: &Cabling) -> Result<Machine> {
    let fail = |line, message: String| Error::input(message).at(&Place::new(&cabling.path, line));
    if cabling.cables.is_empty() {
        let message = format!("{} nodes, but no cable between any two ports", cabling.nodes.len());
        return Err(fail(0, message).hint("run `ibnetdiscover` on a host whose port is up"));
    }
    let vertices = vertices(cabling);
    let names = unique_names(&vertices);
    let endpoints = vertices.iter().filter(|v| v.is_endpoint()).count() as u32;
    let mut builder = Builder::new(name, endpoints, vertices.len() as u32 - endpoints);
    let mut lids = Lids::default();
    for ((vertex, name), v) in vertices.iter().zip(&names).zip(0..) {
        lids.add(vertex.port()).map_err(|(lid, first)| {
            let other = names.get(first.index()).map_or("", String::as_str);
            let message = format!("LID {lid} belongs to both `{other}` and `{name}`");
            fail(vertex.node.line, message).hint("the dump was taken while the subnet changed: collect it again")
        })?;
        builder.name(VertexId(v), name);
        builder.guid(VertexId(v), vertex.guid());
    }
    add_hosts(&mut builder, &vertices);
    let cables = cables(cabling, &vertices);
    add_cables(&mut builder, &cables);
    add_leaves(&mut builder, endpoints, &cables);
    cabling.notes.iter().chain(&cabling.doubts()).for_each(|note| builder.note(note));
    note_left_out(&mut builder, cabling, &cables);
    note_hostless(&mut builder, &vertices);
    note_twins(&mut builder, &vertices);
    note_slow(&mut builder, &cables);
    Ok(Machine { fabric: builder.finish()?, lids })
}

fn add_hosts(builder: &mut Builder, vertices: &[Vertex<'_>]) {
    let mut first = 0;
    for rails in vertices.chunk_by(|a, b| a.host_name() == b.host_name()) {
        let next = first + rails.len() as u32;
        if let Some(host) = rails.first().and_then(Vertex::host_name) {
            builder.host(&host, (first..next).map(VertexId).collect(), 1);
        }
        first = next;
    }
}

/// One end of a cable; derives the order of cables: switches first, by GUID and port.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    endpoint: bool,
    guid: Guid,
    port: u16,
    vertex: VertexId,
}

/// A cable between two vertices; `b` is the endpoint if one is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Wire {
    a: End,
    b: End,
    speed: Speed,
}

impl Wire {
    fn is_host(&self) -> bool {
        self.b.endpoint
    }
}

/// The cables in order, without those that lead from a switch to itself.
fn cables(cabling: &Cabling, vertices: &[Vertex<'_>]) -> Vec<Wire> {
    let index: FxHashMap<PortRef, (u32, &Vertex<'_>)> =
        (0..).zip(vertices).map(|(v, vertex)| (vertex.at, (v, vertex))).collect();
    let end = |at: PortRef| {
        // A switch stands at its port 0, whatever port a cable ends at.
        let (v, vertex) = index.get(&at).or_else(|| index.get(&PortRef { port: 0, ..at }))?;
        Some(End { endpoint: vertex.is_endpoint(), guid: vertex.guid(), port: at.port, vertex: VertexId(*v) })
    };
    let wire = |a: End, b: End, speed| Wire { a: a.min(b), b: a.max(b), speed };
    let mut wires: Vec<Wire> =
        cabling.cables.iter().filter_map(|c| Some(wire(end(c.a)?, end(c.b)?, c.speed))).collect();
    wires.retain(|w| w.a.vertex != w.b.vertex);
    wires.sort_unstable();
    wires
}

fn add_cables(builder: &mut Builder, wires: &[Wire]) {
    let mut classes: BTreeMap<(bool, Speed), _> = wires.iter().map(|w| ((w.is_host(), w.speed), None)).collect();
    let one_speed = classes.keys().filter(|(host, _)| *host).count() == 1;
    for (&(host, speed), class) in &mut classes {
        let name = match host {
            true if one_speed => "host".to_string(),
            true => format!("host {speed}"),
            false => speed.to_string(),
        };
        *class = Some(builder.class(LinkClass { name, bandwidth: speed.bandwidth(), latency: Nanos(0), host }));
    }
    for Wire { a, b, speed } in wires {
        if let Some(Some(class)) = classes.get(&(b.endpoint, *speed)) {
            builder.cable_at(a.vertex, Some(a.port), b.vertex, Some(b.port), *class);
        }
    }
}

/// The level of leaf switches; an endpoint that hangs on no switch is a part of its own.
fn add_leaves(builder: &mut Builder, endpoints: u32, wires: &[Wire]) {
    let leaf: FxHashMap<u32, u32> =
        wires.iter().filter(|w| !w.a.endpoint).map(|w| (w.b.vertex.0, w.a.vertex.0)).collect();
    let mut parts = FxHashMap::default();
    let mut part = |e: u32| {
        let next = parts.len() as u32;
        *parts.entry(leaf.get(&e).copied().unwrap_or(e)).or_insert(next)
    };
    let part: Vec<u32> = (0..endpoints).map(&mut part).collect();
    builder.level("leaf", None, |e| part.get(e as usize).copied().unwrap_or(0));
}

fn note_left_out(builder: &mut Builder, cabling: &Cabling, wires: &[Wire]) {
    let mut cabled = vec![false; cabling.nodes.len()];
    for end in cabling.cables.iter().flat_map(|c| [c.a, c.b]) {
        cabled.get_mut(end.node as usize).into_iter().for_each(|c| *c = true);
    }
    let bare = cabling.nodes.iter().zip(&cabled).filter(|(n, cabled)| n.kind != NodeKind::Switch && !**cabled).count();
    if bare > 0 {
        builder.note(format!("adapters without a cable, left out: {bare}"));
    }
    let loops = cabling.cables.len() - wires.len();
    if loops > 0 {
        builder.note(format!("cables from a node to itself, left out: {loops}"));
    }
    let unknown = wires.iter().filter(|w| w.speed.bandwidth().is_none()).count();
    if unknown > 0 {
        builder.note(format!("cables of unknown speed, taken as unlimited: {unknown}"));
    }
}

fn note_hostless(builder: &mut Builder, vertices: &[Vertex<'_>]) {
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    let mut count = 0;
    for vertex in vertices.iter().filter(|v| v.is_endpoint() && v.host.is_none()) {
        let name = match (vertex.node.kind, vertex.node.description.trim()) {
            (NodeKind::Router, _) => "router".to_string(),
            (_, "") => "without a description".to_string(),
            (_, description) => format!("`{description}`"),
        };
        *kinds.entry(name).or_default() += 1;
        count += 1;
    }
    if count > 0 {
        let kinds: Vec<String> = kinds.iter().map(|(name, n)| format!("{n} {name}")).collect();
        builder.note(format!("endpoints that name no host and so run no tasks: {count} ({})", kinds.join(", ")));
    }
}

fn note_twins(builder: &mut Builder, vertices: &[Vertex<'_>]) {
    let twins: BTreeSet<_> = vertices.iter().filter_map(|v| Some((v.host?.0, v.twin?, v.host_name()?))).collect();
    for machines in twins.into_iter().collect::<Vec<_>>().chunk_by(|a, b| a.0 == b.0) {
        let names: Vec<&str> = machines.iter().map(|(.., name)| name.as_str()).collect();
        let name = machines[0].0;
        builder.note(format!("machines that are all called {name}: {} ({})", names.len(), names.join(", ")));
    }
}

/// What people should know of LIDs that `dump_fts` and `ibroute` have lost, and of whose they are.
pub fn lost_notes(fabric: &Fabric, lids: &Lids, tables: &Tables) -> Vec<String> {
    let mut lost: BTreeMap<u16, u32> = BTreeMap::new();
    tables.tables.values().filter_map(|t| t.lost).for_each(|lid| *lost.entry(lid).or_default() += 1);
    let note = |(lid, n): (u16, u32)| {
        let owner = lids.owner(lid).map_or("of nobody here".to_string(), |v| fabric.vertex_name(v).to_string());
        format!("LID {lid} ({owner}) is missing from {n} of {} tables: {}", tables.tables.len(), lost_hint(lid))
    };
    lost.into_iter().map(note).collect()
}

/// Why the top LID is missing, and which commands have it.
pub(crate) fn lost_hint(lid: u16) -> String {
    format!(
        "`dump_fts` and `ibroute` lose the top LID where it is a multiple of 64; `smpdump LID-OF-SWITCH 0x19 {}` \
         shows it, and opensm-lfts.dump has it (`opensm -D 0x43` writes that)",
        lid / 64
    )
}

fn note_slow(builder: &mut Builder, wires: &[Wire]) {
    let mut counts: BTreeMap<Speed, u32> = BTreeMap::new();
    wires.iter().filter(|w| !w.is_host()).for_each(|w| *counts.entry(w.speed).or_default() += 1);
    let Some((common, _)) = counts.iter().max_by_key(|(_, n)| **n) else { return };
    for (speed, n) in &counts {
        if speed.bandwidth().is_some_and(|b| Some(b) < common.bandwidth()) {
            builder.note(format!("cables between switches at {speed}, while most have {common}: {n}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ibnetdiscover::parse;
    use super::*;
    use crate::id::HostId;

    /// Hosts n10 and n2 (two rails) on leaf a1, a nameless chip on leaf b1, a cable between the leaves.
    const DUMP: &str = r#"
Switch 36 "S-00000000000000b1" # "leaf" base port 0 lid 2 lmc 0
[1] "H-0000000000000040"[1](41) # "MT4129 ConnectX7   Mellanox Technologies" lid 40 4xQDR
[9] "S-00000000000000a1"[9] # "leaf" lid 1 4xDDR
Switch 36 "S-00000000000000a1" # "leaf" base port 0 lid 1 lmc 0
[1] "H-0000000000000010"[1](11) # "n10 HCA-1" lid 10 4xSDR
[2] "H-0000000000000020"[2](22) # "n2 mlx5_0" lid 20 4xQDR
[3] "H-0000000000000020"[1](21) # "n2 mlx5_0" lid 16 4xQDR
[9] "S-00000000000000b1"[9] # "leaf" lid 2 4xDDR
Ca 1 "H-0000000000000010" # "n10 HCA-1"
[1](11) "S-00000000000000a1"[1] # lid 10 lmc 0 "leaf" lid 1 4xSDR
Ca 2 "H-0000000000000020" # "n2 mlx5_0"
[1](21) "S-00000000000000a1"[3] # lid 16 lmc 1 "leaf" lid 1 4xQDR
[2](22) "S-00000000000000a1"[2] # lid 20 lmc 0 "leaf" lid 1 4xQDR
Ca 2 "H-0000000000000030" # "n3 mlx5_0"
Ca 1 "H-0000000000000040" # "MT4129 ConnectX7   Mellanox Technologies"
[1](41) "S-00000000000000b1"[1] # lid 40 lmc 0 "leaf" lid 2 4xQDR
"#;

    fn machine(text: &str) -> Result<Machine> {
        build("net", &parse("net", text)?)
    }

    #[test]
    fn hosts_rails_names_and_leaves() {
        let Machine { fabric, .. } = machine(DUMP).expect("a fabric");
        let names: Vec<_> = (0..fabric.vertices()).map(|v| fabric.vertex_name(VertexId(v))).collect();
        let chip = "MT4129 ConnectX7   Mellanox Technologies";
        let (a, b) = ("0x00000000000000a1", "0x00000000000000b1");
        assert_eq!(names, ["n2 mlx5_0 port 1", "n2 mlx5_0 port 2", "n10 HCA-1", chip, a, b]);
        let hosts: Vec<_> = (0..fabric.hosts().len())
            .map(HostId)
            .map(|h| (fabric.hosts().name(h), fabric.hosts().endpoints(h)))
            .collect();
        assert_eq!(hosts, [("n2", &[VertexId(0), VertexId(1)][..]), ("n10", &[VertexId(2)])]);
        assert_eq!(fabric.hosts().slots(), 2);
        assert_eq!(fabric.level("leaf").expect("leaves").part, [0, 0, 0, 1]);
        assert_eq!((fabric.guid(VertexId(1)), fabric.guid(VertexId(5))), (Some(Guid(0x22)), Some(Guid(0xb1))));
        assert_eq!(
            fabric.notes(),
            [
                "adapters without a cable, left out: 1".to_string(),
                format!("endpoints that name no host and so run no tasks: 1 (1 `{chip}`)")
            ]
        );
    }

    #[test]
    fn machines_of_one_name_are_several_hosts() {
        let hosts = |text: &str| {
            let fabric = machine(text).expect("a fabric").fabric;
            let hosts = fabric.hosts();
            let of = |h| (hosts.name(h).to_string(), hosts.endpoints(h).len());
            let notes: Vec<String> = fabric.notes().iter().filter(|n| n.contains("all called")).cloned().collect();
            ((0..hosts.len()).map(HostId).map(of).collect::<Vec<_>>(), notes)
        };
        // The chip of port 40 becomes another mlx5_0 of n2, whose own has both ports cabled.
        let chip = "MT4129 ConnectX7   Mellanox Technologies";
        let (found, notes) = hosts(&DUMP.replace(chip, "n2 mlx5_0"));
        let (a, b) = ("n2@0x0000000000000020", "n2@0x0000000000000040");
        assert_eq!(found, [(a.into(), 2), (b.into(), 1), ("n10".to_string(), 1)]);
        assert_eq!(notes, [format!("machines that are all called n2: 2 ({a}, {b})")]);
        // Rails of one host, told by device or by nothing at all, stay one.
        for rail in ["n2 mlx5_1", "n2 HCA-2", "n2"] {
            assert_eq!(hosts(&DUMP.replace(chip, rail)), (vec![("n2".into(), 3), ("n10".into(), 1)], vec![]), "{rail}");
        }
    }

    #[test]
    fn cables_keep_ports_and_speeds() {
        let Machine { fabric, .. } = machine(DUMP).expect("a fabric");
        let links: Vec<_> = fabric.out_links(VertexId(4)).collect();
        assert_eq!(links.iter().map(|l| fabric.port(*l)).collect::<Vec<_>>(), [1, 2, 3, 9]);
        assert_eq!(fabric.target(links[1]), VertexId(1));
        assert_eq!(fabric.link_name(links[3]), "0x00000000000000a1[9] -> 0x00000000000000b1[9]");
        let class = |l: usize| fabric.class_of(links[l]);
        assert_eq!((class(0).name.as_str(), class(0).host), ("host 4xSDR", true));
        assert_eq!((class(3).name.as_str(), class(3).host), ("4xDDR", false));
        assert_eq!(class(3).bandwidth.map(|b| b.as_gb_s()), Some(2.0));
    }

    #[test]
    fn lids_have_one_owner() {
        let Machine { lids, .. } = machine(DUMP).expect("a fabric");
        assert_eq!((lids.of(VertexId(0)), lids.of(VertexId(4))), (16..18, 1..2));
        assert_eq!([17, 20, 2, 18].map(|lid| lids.owner(lid).map(|v| v.0)), [Some(0), Some(1), Some(5), None]);
        let twice = machine(&DUMP.replace("lid 10 lmc", "lid 17 lmc")).expect_err("a LID twice").to_string();
        assert!(twice.starts_with("net:10: LID 17 belongs to both `n2 mlx5_0 port 1` and `n10 HCA-1`"), "{twice}");
    }

    #[test]
    fn odd_cablings() {
        let bare = machine("Ca 1 \"H-0000000000000010\" # \"n1\"").expect_err("no cable").to_string();
        assert!(bare.starts_with("net: 1 nodes, but no cable"), "{bare}");
        let pair = "Ca 1 \"H-01\" # \"a\"\n[1](1) \"H-02\"[1] (2) # lid 1 lmc 0 \"b\" lid 2 4xQDR\n\
                    Ca 1 \"H-02\" # \"b\"\n[1](2) \"H-01\"[1] (1) # lid 2 lmc 0 \"a\" lid 1 4xQDR\n";
        let Machine { fabric, .. } = machine(pair).expect("two hosts back to back");
        assert_eq!((fabric.switches(), fabric.links(), fabric.classes()[0].name.as_str()), (0, 2, "host"));
        let plug = format!("{DUMP}Ca 1 \"H-50\" # \"n5\"\n[1](51) \"H-50\"[1] (51) # lid 5 lmc 0 \"n5\" lid 5 4xQDR\n");
        let Machine { fabric, .. } = machine(&plug).expect("a loopback plug");
        assert!(fabric.notes().iter().any(|n| n.starts_with("cables from a node to itself")));
    }
}
