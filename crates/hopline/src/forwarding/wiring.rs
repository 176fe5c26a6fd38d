//! A fabric as flits see it: routers with numbered ports.
//!
//! Routers are the vertices that are not mere adapters, in the fabric's order.
//! Port k of a router is its k-th link, both directions of the cable; a router
//! that is itself an endpoint has one more port, the last, for its own traffic.
//! Ports of all routers are numbered one router after the other.

use super::At;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};

/// Nothing is there.
pub const NOWHERE: u32 = u32::MAX;

/// What a port is cabled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port {
    /// The router that has it.
    pub router: u32,
    /// The port at the other end of the cable, or [`NOWHERE`] at a terminal.
    pub peer: u32,
    /// The endpoint at a terminal, or [`NOWHERE`].
    pub endpoint: u32,
    /// The link that leaves here, or [`NOWHERE`] where a router serves itself.
    pub link: u32,
    /// Cycles that a flit needs to cross, at least 1.
    pub latency: u16,
}

/// Routers, ports and cables: where packets can go.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wiring {
    /// The vertex of each router.
    pub routers: Vec<VertexId>,
    /// Ports of router r are `first[r]..first[r + 1]`.
    pub first: Vec<u32>,
    /// All ports.
    pub ports: Vec<Port>,
    /// The terminal port of each endpoint.
    pub home: Vec<u32>,
    /// The port of each link, counted at its router, where that is not its place among those that leave there.
    moved: Vec<u8>,
}

/// Most ports of a router: their numbers are bytes.
pub const MOST_PORTS: usize = 256;

/// Longest latency of a link, in cycles.
const MOST_LATENCY: u64 = 10_000;

impl Wiring {
    /// The routers of a fabric. A cycle is 1 ns; links of classes without a
    /// latency take `latency` cycles. O(links).
    ///
    /// # Errors
    /// A router with more than [`MOST_PORTS`] ports, an endpoint with several
    /// links, a latency above 10,000 cycles, or endpoints cabled to each other.
    pub fn new(fabric: &Fabric, latency: u16) -> Result<Wiring> {
        if fabric.outside().is_some() {
            let text = format!("{} has the insides of its hosts, whose parts are no routers", fabric.name());
            return Err(Error::input(text).hint("flits cross the network between hosts: leave the insides out"));
        }
        let routers: Vec<VertexId> = (0..fabric.vertices()).map(VertexId).filter(|&v| !fabric.is_adapter(v)).collect();
        let mut wiring = Wiring {
            first: vec![0],
            ports: Vec::new(),
            home: vec![NOWHERE; fabric.endpoints() as usize],
            moved: Vec::new(),
            routers: routers.clone(),
        };
        let mut port_of = vec![NOWHERE; fabric.links()];
        for (r, &v) in (0u32..).zip(&routers) {
            for link in fabric.out_links(v) {
                port_of[link.index()] = wiring.ports.len() as u32;
                let latency = cycles(fabric, link, latency)?;
                let port = Port { router: r, peer: NOWHERE, endpoint: NOWHERE, link: link.0, latency };
                wiring.ports.push(port);
            }
            if fabric.is_endpoint(v) {
                wiring.home[v.index()] = wiring.ports.len() as u32;
                wiring.ports.push(Port { router: r, peer: NOWHERE, endpoint: v.0, link: NOWHERE, latency });
            }
            let count = wiring.ports.len() - wiring.first[r as usize] as usize;
            if count > MOST_PORTS {
                let name = fabric.vertex_name(v);
                return Err(Error::input(format!("{name} has {count} ports, and flits know at most {MOST_PORTS}"))
                    .hint("`hopline load` has no such limit"));
            }
            wiring.first.push(wiring.ports.len() as u32);
        }
        wiring.join(fabric, &port_of)?;
        Ok(wiring)
    }

    /// Fills in what every port is cabled to.
    fn join(&mut self, fabric: &Fabric, port_of: &[u32]) -> Result<()> {
        for p in 0..self.ports.len() {
            let link = self.ports[p].link;
            if link == NOWHERE {
                continue;
            }
            self.ports[p].peer = port_of[fabric.reverse(LinkId(link)).index()];
            if self.ports[p].peer == NOWHERE {
                let endpoint = fabric.target(LinkId(link));
                if self.home[endpoint.index()] != NOWHERE {
                    let name = fabric.vertex_name(endpoint);
                    let what = format!("endpoint {name} has several links, and flits know one");
                    return Err(Error::input(what).hint("`hopline load` and `hopline replay` take any number"));
                }
                self.home[endpoint.index()] = p as u32;
                self.ports[p].endpoint = endpoint.0;
            }
        }
        Ok(())
    }

    /// The same network without some cables between routers, `rest` being the fabric that is left of `fabric`: routers and ports keep
    /// their numbers, and ports without a cable lead nowhere. Also the ports that lost theirs, ascending. O(links).
    ///
    /// # Errors
    /// An endpoint has lost its link.
    pub fn without(&self, fabric: &Fabric, rest: &Fabric) -> Result<(Wiring, Vec<u32>)> {
        let mut wiring = Wiring { moved: vec![0; rest.links()], ..self.clone() };
        let mut dead = Vec::new();
        for (&v, ports) in self.routers.iter().zip(self.first.windows(2)) {
            // What is left stands in the order in which it stood.
            let mut left = rest.out_links(v).peekable();
            for p in ports[0]..ports[1] {
                let old = self.ports[p as usize].link;
                if old == NOWHERE {
                    continue;
                }
                let is_same = |&link: &LinkId| {
                    let was = LinkId(old);
                    (rest.target(link), rest.port(link)) == (fabric.target(was), fabric.port(was))
                };
                if let Some(link) = left.next_if(is_same) {
                    wiring.ports[p as usize].link = link.0;
                    wiring.moved[link.index()] = self.offset(p);
                    continue;
                }
                let own = &mut wiring.ports[p as usize];
                if own.endpoint != NOWHERE {
                    let name = fabric.vertex_name(VertexId(own.endpoint));
                    return Err(Error::input(format!(
                        "the link of endpoint {name} fails, and nothing reaches it any more"
                    ))
                    .hint("name cables between switches"));
                }
                (own.link, own.peer) = (NOWHERE, NOWHERE);
                dead.push(p);
            }
        }
        Ok((wiring, dead))
    }

    /// The port by which a link of the fabric leaves, counted at its router.
    #[inline]
    pub(super) fn port_of(&self, fabric: &Fabric, link: LinkId) -> u16 {
        self.moved.get(link.index()).map_or(fabric.offset(link) as u16, |&port| port.into())
    }

    /// Words of a mask with a bit for each port of any router.
    pub(super) fn mask_words(&self) -> usize {
        let most = self.first.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(1);
        most.max(1).div_ceil(u64::BITS) as usize
    }

    /// Number of routers.
    pub fn len(&self) -> usize {
        self.routers.len()
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.routers.is_empty()
    }

    /// Number of a port among those of its router.
    pub fn offset(&self, port: u32) -> u8 {
        (port - self.first[self.ports[port as usize].router as usize]) as u8
    }

    /// Where the head of a packet stands that came by a port on a VC.
    pub fn head(&self, port: u32, vc: u8) -> At {
        At { router: self.ports[port as usize].router, port: self.offset(port).into(), vc }
    }

    /// The router of an endpoint, or [`NOWHERE`] where it has no link.
    pub fn router_of(&self, endpoint: u32) -> u32 {
        match self.home[endpoint as usize] {
            NOWHERE => NOWHERE,
            port => self.ports[port as usize].router,
        }
    }

    /// Name of what leaves by a port, for people.
    pub fn port_name(&self, fabric: &Fabric, port: u32) -> String {
        let p = &self.ports[port as usize];
        match p.link {
            NOWHERE => format!("{} to itself", fabric.vertex_name(VertexId(p.endpoint))),
            link => fabric.link_name(LinkId(link)),
        }
    }
}

/// Latency of a link in cycles of 1 ns.
fn cycles(fabric: &Fabric, link: LinkId, otherwise: u16) -> Result<u16> {
    let class = fabric.class_of(link);
    match class.latency.0 {
        0 => Ok(otherwise),
        n if n <= MOST_LATENCY => Ok(n as u16),
        n => Err(Error::input(format!(
            "links of class {} take {n} cycles, at most {MOST_LATENCY} are possible",
            class.name
        ))),
    }
}
