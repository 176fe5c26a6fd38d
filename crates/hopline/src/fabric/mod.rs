//! [`Fabric`]: an immutable graph of directed links in classes, and plain data
//! beside it (names, hosts, levels).
//!
//! Endpoints are numbered first, then switches. Links are sorted by their
//! source and port, so a port is an offset; the port numbers of a real machine's
//! dump, which may have gaps, are kept beside. Parallel cables are
//! separate links. A switch that is itself a source of messages (a direct
//! network such as a torus) is one vertex, numbered among the endpoints.
//!
//! A fabric is built only by [`Builder`], which validates, and never changes.

mod builder;
mod changed;
mod faults;
mod hosts;
mod inside;
pub mod metrics;
mod named;
mod outside;
mod roles;
mod ways;

pub use builder::Builder;
use builder::CableEnd;
pub use faults::{find_links, switches};
pub use hosts::{Host, Hosts, Rails};
pub use inside::{Core, Inside, LinkRates, Medium, Part, PartKind, Wire};
pub use outside::Outside;
pub(crate) use outside::adapter_of;
pub use roles::{ROLES, Role, ServingHost};
pub use ways::WaysInside;

use crate::id::{ClassId, LinkId, SlotId, VertexId};
use crate::unit::{Bandwidth, Nanos};
use std::sync::Arc;

/// A class of links, such as LL, LR and D on PERCS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkClass {
    /// Its name.
    pub name: String,
    /// Bandwidth of one direction; `None` is unlimited.
    pub bandwidth: Option<Bandwidth>,
    /// Time for the first bit to cross.
    pub latency: Nanos,
    /// True for injection and ejection links between an endpoint and a switch:
    /// they do not count as hops.
    pub host: bool,
}

impl LinkClass {
    /// A class of router-to-router links with the given bandwidth.
    pub fn network(name: &str, bandwidth: Bandwidth) -> Self {
        LinkClass { name: name.to_string(), bandwidth: Some(bandwidth), latency: Nanos(0), host: false }
    }

    /// The class of injection and ejection links.
    pub fn host(bandwidth: Option<Bandwidth>) -> Self {
        LinkClass { name: "host".to_string(), bandwidth, latency: Nanos(0), host: true }
    }
}

/// A named partition of the endpoints: drawer, supernode, group, leaf, ...
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// Part of every endpoint, numbered from 0 without gaps.
    pub part: Vec<u32>,
    /// Number of parts.
    pub parts: u32,
    /// The mapping literature's distance between two endpoints of one part that
    /// no inner level joins; all levels have one or none has.
    pub distance: Option<u64>,
}

/// What a dump of a real machine calls a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guid(pub u64);

impl std::fmt::Display for Guid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "0x{:016x}", self.0)
    }
}

/// How ports came by their numbers is no part of what a fabric is: a model comes back from its file, which states them, as the same.
#[derive(Debug, Clone, Copy)]
struct StatesPorts(bool);

impl PartialEq for StatesPorts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for StatesPorts {}

/// An immutable network: see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fabric {
    name: String,
    endpoints: u32,
    /// `first[v]..first[v + 1]` are the links that leave vertex v.
    first: Vec<u32>,
    source: Vec<u32>,
    target: Vec<u32>,
    class: Vec<u8>,
    /// The other direction of the same cable; a self-loop is its own.
    reverse: Vec<u32>,
    /// Port number at the source of each link, as the machine counts it.
    port: Vec<u16>,
    /// Whether whoever built it gave ports their numbers.
    states_ports: StatesPorts,
    classes: Vec<LinkClass>,
    names: Vec<String>,
    guids: Vec<Option<Guid>>,
    hosts: Hosts,
    levels: Vec<Level>,
    coordinates: Option<Vec<u32>>,
    notes: Vec<String>,
    /// The network between hosts, where their insides are part of this one.
    outside: Option<Arc<Outside>>,
}

impl Fabric {
    /// What it is, for people: `percs:ns=32,nd=4` or the path of a dump.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of endpoints; they are the vertices `0..endpoints()`.
    pub fn endpoints(&self) -> u32 {
        self.endpoints
    }

    /// Number of endpoints and switches.
    pub fn vertices(&self) -> u32 {
        self.names.len() as u32
    }

    /// Number of switches that are no endpoints.
    pub fn switches(&self) -> u32 {
        self.vertices() - self.endpoints
    }

    /// Number of directed links.
    pub fn links(&self) -> usize {
        self.target.len()
    }

    /// True where the vertex is an endpoint.
    pub fn is_endpoint(&self, v: VertexId) -> bool {
        v.0 < self.endpoints
    }

    /// All directed links.
    pub fn link_ids(&self) -> impl ExactSizeIterator<Item = LinkId> + Clone + use<> {
        (0..self.target.len()).map(|l| LinkId(l as u32))
    }

    /// True for an endpoint that injection and ejection links join to the network: an adapter of a host, which routes
    /// nothing.
    pub fn is_adapter(&self, v: VertexId) -> bool {
        self.is_endpoint(v) && self.out_links(v).any(|link| self.is_host_link(link))
    }

    /// The links that leave `v`, in port order.
    #[inline]
    pub fn out_links(
        &self,
        v: VertexId,
    ) -> impl ExactSizeIterator<Item = LinkId> + DoubleEndedIterator + Clone + use<> {
        let [first, end] = [v.index(), v.index() + 1].map(|at| self.first[at] as usize);
        (first..end).map(|l| LinkId(l as u32))
    }

    /// Number of links that leave `v`.
    #[inline]
    pub fn degree(&self, v: VertexId) -> usize {
        (self.first[v.index() + 1] - self.first[v.index()]) as usize
    }

    /// The place of a link among those that leave its source: see [`Fabric::out_link`].
    #[inline]
    pub fn offset(&self, link: LinkId) -> u32 {
        link.0 - self.first[self.source(link).index()]
    }

    /// The link that leaves `v` at offset `port` of its links.
    #[inline]
    pub fn out_link(&self, v: VertexId, port: u32) -> LinkId {
        LinkId(self.first[v.index()] + port)
    }

    /// Where a link starts.
    #[inline]
    pub fn source(&self, link: LinkId) -> VertexId {
        VertexId(self.source[link.index()])
    }

    /// Where a link ends.
    #[inline]
    pub fn target(&self, link: LinkId) -> VertexId {
        VertexId(self.target[link.index()])
    }

    /// The other direction of the same cable.
    #[inline]
    pub fn reverse(&self, link: LinkId) -> LinkId {
        LinkId(self.reverse[link.index()])
    }

    /// The port at the source of a link, as the machine itself counts it.
    pub fn port(&self, link: LinkId) -> u16 {
        self.port[link.index()]
    }

    /// The bandwidth of all links that have one; none where they differ, or all are unlimited. O(links).
    pub fn one_bandwidth(&self) -> Option<Bandwidth> {
        let mut known = self.link_ids().filter_map(|l| self.class_of(l).bandwidth);
        known.next().filter(|first| known.all(|other| other == *first))
    }

    /// Whether links that have a bandwidth differ in it. O(links).
    pub fn has_unequal_bandwidths(&self) -> bool {
        self.one_bandwidth().is_none() && self.link_ids().any(|l| self.class_of(l).bandwidth.is_some())
    }

    /// Whether ports have numbers of the machine's own; otherwise they are counted in the order in which cables were told.
    pub fn states_ports(&self) -> bool {
        self.states_ports.0
    }

    /// The class of a link.
    #[inline]
    pub fn class_of(&self, link: LinkId) -> &LinkClass {
        &self.classes[self.class[link.index()] as usize]
    }

    /// The number of a link's class.
    #[inline]
    pub fn class_id(&self, link: LinkId) -> ClassId {
        ClassId(u32::from(self.class[link.index()]))
    }

    /// All classes; a [`ClassId`] is an index into them.
    pub fn classes(&self) -> &[LinkClass] {
        &self.classes
    }

    /// A class.
    pub fn class(&self, class: ClassId) -> &LinkClass {
        &self.classes[class.index()]
    }

    /// True for injection and ejection links.
    #[inline]
    pub fn is_host_link(&self, link: LinkId) -> bool {
        self.classes[self.class[link.index()] as usize].host
    }

    /// The name of a vertex; unique within the fabric.
    pub fn vertex_name(&self, v: VertexId) -> &str {
        &self.names[v.index()]
    }

    /// The GUID of a vertex, where the fabric comes from a machine that has them.
    pub fn guid(&self, v: VertexId) -> Option<Guid> {
        self.guids[v.index()]
    }

    /// A link for reading: `leaf01[5] -> spine02[3]`, with the ports of both ends.
    pub fn link_name(&self, link: LinkId) -> String {
        self.ends_joined(link, "->")
    }

    /// The cable of a link for reading, as faults are named: `leaf01[5] -- spine02[3]`.
    pub fn cable_name(&self, link: LinkId) -> String {
        self.ends_joined(link, "--")
    }

    fn ends_joined(&self, link: LinkId, by: &str) -> String {
        let end = |v: VertexId, link: LinkId| format!("{}[{}]", self.vertex_name(v), self.port(link));
        let (from, to) = (end(self.source(link), link), end(self.target(link), self.reverse(link)));
        format!("{from} {by} {to}")
    }

    /// Hosts with their endpoints and slots.
    pub fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// The levels, innermost first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The level of that name.
    pub fn level(&self, name: &str) -> Option<&Level> {
        self.levels.iter().find(|l| l.name == name)
    }

    /// Extents of a grid of endpoints, dimension 0 fastest in the numbering,
    /// where the fabric is one.
    pub fn coordinates(&self) -> Option<&[u32]> {
        self.coordinates.as_deref()
    }

    /// What the reader of a dump had to leave out or assume, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The literature's distance between two endpoints, where the levels have
    /// one: 0 on the same endpoint, else that of the innermost common part.
    pub fn level_distance(&self, a: VertexId, b: VertexId) -> Option<u64> {
        if a == b {
            return self.levels.first()?.distance.map(|_| 0);
        }
        self.levels.iter().find(|l| l.part[a.index()] == l.part[b.index()])?.distance
    }

    /// True where the levels have the literature's distances.
    pub fn has_distances(&self) -> bool {
        self.levels.first().is_some_and(|l| l.distance.is_some())
    }

    /// All slots, host by host: the allocation of a job that has the whole machine. O(slots).
    pub fn slots(&self) -> Vec<SlotId> {
        (0..self.hosts.slots()).map(SlotId).collect()
    }

    /// The first link between an endpoint and the switch behind it, away from the endpoint. O(links of the vertex).
    pub fn adapter_link(&self, endpoint: VertexId) -> Option<LinkId> {
        self.out_links(endpoint).find(|&l| self.is_host_link(l))
    }

    /// The vertex that a person means: a unique name, a GUID (`0x...`), or a
    /// host's name, which is its first endpoint.
    pub fn find(&self, word: &str) -> Option<VertexId> {
        if let Some(v) = self.names.iter().position(|n| n == word) {
            return Some(VertexId(v as u32));
        }
        if let Some(host) = self.hosts.find(word) {
            return self.hosts.endpoints(host).first().copied();
        }
        let guid = u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()?;
        self.guids.iter().position(|g| *g == Some(Guid(guid))).map(|v| VertexId(v as u32))
    }
}
