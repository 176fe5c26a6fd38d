//! PERCS (IBM Power 775), a two-level direct network: drawers of 8 nodes joined
//! by LL links, supernodes of 4 drawers joined by LR links, and `nd` D links
//! between every two supernodes. Chakaravarthy et al., "Mapping strategies for
//! the PERCS architecture", section II.

use super::{Counts, check_size, positive};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::{LinkId, VertexId};
use crate::params::{Params, Reader};
use crate::unit::Bandwidth;

/// Nodes of a drawer.
pub(crate) const DRAWER: u32 = 8;
/// Nodes of a supernode.
pub(crate) const SUPERNODE: u32 = 32;

const LL: Bandwidth = Bandwidth::bytes_s(21_000_000_000);
const LR: Bandwidth = Bandwidth::bytes_s(5_000_000_000);
const D: Bandwidth = Bandwidth::bytes_s(10_000_000_000);

pub(super) const ENTRY: Entry = Entry {
    name: "percs",
    summary: "PERCS: drawers of 8, supernodes of 32 nodes, nd D links between every two supernodes",
    doc: "Node u of supernode a is endpoint 32a+u. LL links join the 8 nodes of a drawer, LR links the nodes of \
          different drawers of a supernode. The nodes of a supernode form nd buckets of W = 32/nd; the D link of \
          bucket j to supernode b leaves node jW + (b mod W), the one to the own supernode included.\n\
          Directed links: LL 32*7*ns, LR 32*24*ns, D ns*ns*nd. With hub=B every node is an endpoint behind a hub of B \
          GB/s: 32*ns host links each way.\n\
          Source: the PERCS mapping paper, section II; another study of the machine uses ll=24, slots=32 and hub=192.",
    example: "percs:ns=32,nd=4",
    params: &[
        param("ns", "count", "", "supernodes"),
        param("nd", "1|2|4|8|16|32", "", "D links between two supernodes; divides 32"),
        param("ll", "bandwidth", "21", "of an LL link, GB/s"),
        param("lr", "bandwidth", "5", "of an LR link, GB/s"),
        param("d", "bandwidth", "10", "of a D link, GB/s"),
        param("hub", "bandwidth", "unlimited", "of a node into the network, GB/s"),
    ],
};

/// Parameters of a PERCS machine.
///
/// ```
/// use hopline::{topology::Percs, unit::Bandwidth};
///
/// let percs = Percs::new(32, 4)?.hub_bandwidth(Bandwidth::gb_s(192.0))?;
/// assert_eq!(percs.to_string(), "percs:ns=32,nd=4,hub=192");
/// assert_eq!(percs.build()?.hosts().slots(), 4096);
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Percs {
    pub(crate) ns: u32,
    pub(crate) nd: u32,
    ll: Bandwidth,
    lr: Bandwidth,
    d: Bandwidth,
    hub: Option<Bandwidth>,
}

impl Percs {
    /// `ns` supernodes with `nd` D links between every two, which divides 32. LL links have 21 GB/s, LR links 5, D links
    /// 10, unless they are said to have another bandwidth.
    ///
    /// # Errors
    /// There is no supernode, `nd` does not divide 32, or the machine is larger than memory holds.
    pub fn new(ns: u32, nd: u32) -> Result<Percs> {
        if ns == 0 {
            return Err(Error::argument("ns", "`ns` is 0, expected at least one supernode"));
        }
        if !nd.is_power_of_two() || nd > SUPERNODE {
            return Err(Error::argument("nd", format!("`nd` is {nd}, expected a divisor of 32: 1, 2, 4, 8, 16 or 32")));
        }
        Percs { ns, nd, ll: LL, lr: LR, d: D, hub: None }.checked()
    }

    fn checked(self) -> Result<Percs> {
        let [ns, nd] = [self.ns, self.nd].map(u64::from);
        let nodes = ns * u64::from(SUPERNODE);
        let (vertices, near) = if self.hub.is_some() { (2 * nodes, 33) } else { (nodes, 31) };
        // D links grow with the square of ns.
        let links = (ns * nd).checked_mul(ns).and_then(|d| d.checked_add(near * nodes));
        check_size(Some(vertices), links)?;
        Ok(self)
    }

    /// The same with every node an endpoint behind a hub, by a host link of this bandwidth.
    ///
    /// # Errors
    /// It is 0, or the machine is larger than memory holds.
    pub fn hub_bandwidth(mut self, bandwidth: Bandwidth) -> Result<Self> {
        self.hub = Some(positive("hub", bandwidth)?);
        self.checked()
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<Percs> {
        let percs = Percs::new(reader.need("ns")?, reader.need("nd")?)?;
        let percs = reader.set(percs, "ll", Percs::ll_bandwidth)?;
        let percs = reader.set(percs, "lr", Percs::lr_bandwidth)?;
        let percs = reader.set(percs, "d", Percs::d_bandwidth)?;
        reader.set(percs, "hub", Percs::hub_bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("ns", self.ns).with("nd", self.nd);
        params.unless("ll", self.ll, LL).unless("lr", self.lr, LR).unless("d", self.d, D).maybe("hub", self.hub)
    }

    /// Supernodes.
    pub fn ns(&self) -> u32 {
        self.ns
    }

    /// D links between two supernodes.
    pub fn nd(&self) -> u32 {
        self.nd
    }

    /// Nodes of the machine.
    pub fn nodes(&self) -> u32 {
        self.ns * SUPERNODE
    }

    /// Nodes of a bucket: W = 32/nd.
    pub fn bucket(&self) -> u32 {
        SUPERNODE / self.nd
    }

    /// The router of a node: the node itself, or its hub.
    pub(crate) fn router(&self, node: u32) -> VertexId {
        VertexId(if self.hub.is_some() { self.nodes() + node } else { node })
    }

    /// Number of host links at a router: 1 with a hub, else 0.
    pub(crate) fn host_ports(&self) -> u32 {
        u32::from(self.hub.is_some())
    }

    /// The LL or LR link from node `from` to another node of its supernode,
    /// both counted within it (0..32).
    #[inline]
    pub(crate) fn l_link(&self, fabric: &Fabric, supernode: u32, from: u32, to: u32) -> LinkId {
        let port = if to < from { to } else { to - 1 };
        fabric.out_link(self.router(supernode * SUPERNODE + from), self.host_ports() + port)
    }

    /// The D link of bucket `j` from supernode `a` to supernode `b`.
    #[inline]
    pub(crate) fn d_link(&self, fabric: &Fabric, a: u32, b: u32, j: u32) -> LinkId {
        let w = self.bucket();
        let node = j * w + b % w;
        fabric.out_link(self.router(a * SUPERNODE + node), self.host_ports() + SUPERNODE - 1 + b / w)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let nodes = self.nodes();
        let name = format!("percs:ns={},nd={}", self.ns, self.nd);
        let mut b = Builder::new(name, nodes, if self.hub.is_some() { nodes } else { 0 });
        let ll = b.class(LinkClass::network("LL", self.ll));
        let lr = b.class(LinkClass::network("LR", self.lr));
        let d = b.class(LinkClass::network("D", self.d));
        let host = self.hub.map(|hub| b.class(LinkClass::host(Some(hub))));
        for node in 0..nodes {
            let (a, u) = (node / SUPERNODE, node % SUPERNODE);
            b.name(VertexId(node), format!("s{a}n{u}"));
            if let Some(host) = host {
                b.name(self.router(node), format!("hub-s{a}n{u}"));
                b.cable_at(VertexId(node), Some(0), self.router(node), Some(0), host);
            }
        }
        let ports = self.host_ports();
        for a in 0..self.ns {
            for u in 0..SUPERNODE {
                for v in u + 1..SUPERNODE {
                    let class = if u / DRAWER == v / DRAWER { ll } else { lr };
                    let (from, to) = (self.router(a * SUPERNODE + u), self.router(a * SUPERNODE + v));
                    b.cable_at(from, Some((ports + v - 1) as u16), to, Some((ports + u) as u16), class);
                }
            }
        }
        let w = self.bucket();
        let d_port = |to: u32| (ports + SUPERNODE - 1 + to / w) as u16;
        for j in 0..self.nd {
            for x in 0..self.ns {
                let end = |at: u32, to: u32| self.router(at * SUPERNODE + j * w + to % w);
                b.self_loop(end(x, x), d_port(x), d);
                for y in x + 1..self.ns {
                    b.cable_at(end(x, y), Some(d_port(y)), end(y, x), Some(d_port(x)), d);
                }
            }
        }
        b.level("drawer", None, |node| node / DRAWER);
        b.level("supernode", None, |node| node / SUPERNODE);
        b.host_per_endpoint(4);
        let d_ports = self.ns.div_ceil(w);
        if d_ports > 16 {
            b.note(format!("a node has up to {d_ports} D ports; the hardware has 16, so ns*nd is at most 512"));
        }
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let (ns, nodes) = (u64::from(self.ns), u64::from(self.nodes()));
        let mut links =
            vec![("LL".into(), nodes * 7), ("LR".into(), nodes * 24), ("D".into(), ns * ns * u64::from(self.nd))];
        if self.hub.is_some() {
            links.push(("host".into(), 2 * nodes));
        }
        Some(Counts { endpoints: nodes, switches: if self.hub.is_some() { nodes } else { 0 }, links })
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "direct"
    }
}

bandwidths! { Percs:
    ll_bandwidth sets "ll" in ll, "LL links of another bandwidth";
    lr_bandwidth sets "lr" in lr, "LR links of another bandwidth";
    d_bandwidth sets "d" in d, "D links of another bandwidth";
}
