//! [`Atlas`]: all routes of a subnet in flat arrays, made for millions of walks a second.
//!
//! Vertices are numbered as in the [`Fabric`](hopline::fabric::Fabric) of the
//! same cabling: endpoints (ports of adapters and routers) in the order of their
//! hosts, then switches.

mod build;
mod cache;
mod distance;
mod verify;
mod walk;

pub use build::build;
pub use distance::{Column, Reach};
pub use verify::Verdict;
pub use walk::{Step, Stop};

/// An endpoint or a switch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vertex {
    /// What it calls itself; often not unique.
    pub description: String,
    /// GUID of the node.
    pub node_guid: u64,
    /// GUID of the port; that of port 0 for a switch. The node's where the dump tells none.
    pub port_guid: u64,
    /// Port number of an endpoint; 0 for a switch.
    pub port: u8,
    /// First LID; 0 where it has none.
    pub lid: u16,
    /// Number of LIDs, 2^LMC.
    pub lids: u16,
}

/// A host with its endpoints, which follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Its first endpoint.
    pub first: u32,
    /// Number of its endpoints, at least 1.
    pub endpoints: u32,
}

/// Width and rate of links.
#[derive(Debug, Clone, PartialEq)]
pub struct Speed {
    /// Such as `4xQDR`.
    pub name: String,
    /// GB/s of one direction; infinite where width or rate are unknown.
    pub gb_s: f64,
}

/// Where a port leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The vertex at the other end, or [`NOWHERE`].
    pub to: u32,
    /// Port number at this end.
    pub out: u8,
    /// Port number at the other end.
    pub arrives: u8,
    /// Index into the speeds, slowest first.
    pub speed: u8,
}

/// No vertex.
pub const NOWHERE: u32 = u32::MAX;

const NO_LINK: Link = Link { to: NOWHERE, out: 0, arrives: 0, speed: 0 };

/// No way out, in a forwarding table.
const NO_PORT: u8 = 255;

/// All routes of a subnet: see the [module](self).
#[derive(Debug, Clone, PartialEq)]
pub struct Atlas {
    endpoints: u32,
    vertices: Vec<Vertex>,
    hosts: Vec<Host>,
    /// Slowest first.
    speeds: Vec<Speed>,
    /// Links of vertex v start at `first[v]`: one for an endpoint; for a switch that of port p is the p-th.
    first: Vec<u32>,
    links: Vec<Link>,
    /// Owner of each LID up to the top one.
    owner: Vec<u32>,
    /// `tables[lid * switches + switch]` is the port of the way out: all that one
    /// packet asks for lies close together.
    tables: Vec<u8>,
    /// Switches whose table was read.
    tabled: Vec<bool>,
    notes: Vec<String>,
}

impl Atlas {
    /// Number of endpoints: the vertices `0..endpoints()`.
    pub fn endpoints(&self) -> u32 {
        self.endpoints
    }

    /// Endpoints, then switches.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Number of switches.
    pub fn switches(&self) -> u32 {
        self.vertices.len() as u32 - self.endpoints
    }

    /// Hosts in natural order of their names.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host that owns an endpoint. O(log hosts).
    pub fn host_of(&self, endpoint: u32) -> Option<&Host> {
        let at = self.hosts.partition_point(|h| h.first <= endpoint).checked_sub(1)?;
        self.hosts.get(at).filter(|h| endpoint < h.first + h.endpoints)
    }

    /// Widths and rates, slowest first.
    pub fn speeds(&self) -> &[Speed] {
        &self.speeds
    }

    /// The vertex that owns a LID.
    pub fn owner(&self, lid: u16) -> Option<u32> {
        self.owner.get(usize::from(lid)).copied().filter(|v| *v != NOWHERE)
    }

    /// What the reader of the dumps noticed, for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// True for ports of adapters and routers.
    #[inline]
    pub fn is_endpoint(&self, v: u32) -> bool {
        v < self.endpoints
    }

    /// The only link of an endpoint.
    #[inline]
    pub fn uplink(&self, endpoint: u32) -> Option<Link> {
        let link = *self.links.get(*self.first.get(endpoint as usize)? as usize)?;
        (link.to != NOWHERE && self.is_endpoint(endpoint)).then_some(link)
    }

    /// The switch on which a vertex hangs; a switch itself; nothing for an
    /// endpoint that is cabled to another endpoint.
    pub fn leaf(&self, v: u32) -> Option<u32> {
        if !self.is_endpoint(v) {
            return Some(v);
        }
        self.uplink(v).map(|link| link.to).filter(|&s| !self.is_endpoint(s))
    }

    /// The links that leave a vertex.
    pub fn links(&self, v: u32) -> impl Iterator<Item = Link> + '_ {
        let range = self.first[v as usize] as usize..self.first[v as usize + 1] as usize;
        self.links[range].iter().copied().filter(|l| l.to != NOWHERE)
    }

    /// Number of cables.
    pub fn cables(&self) -> usize {
        self.links.iter().filter(|l| l.to != NOWHERE).count() / 2
    }

    /// Switches whose forwarding table was read.
    pub fn tabled(&self) -> usize {
        self.tabled.iter().filter(|t| **t).count()
    }
}
