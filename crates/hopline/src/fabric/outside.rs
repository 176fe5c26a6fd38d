//! Hosts with an inside: one fabric of processors, switches inside hosts, adapters, and the network between them.

mod whole;

use super::{Builder, Fabric, Inside, Rails, WaysInside};
use crate::error::{Error, Result};
use crate::id::{HostId, LinkId, VertexId};
use std::sync::Arc;
use whole::Whole;

/// The network between hosts whose insides are part of a fabric, as it stands alone: its endpoints are adapters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    fabric: Arc<Fabric>,
    /// The first of its vertices in the whole.
    first: u32,
    /// Its links in the whole.
    link: Vec<LinkId>,
    /// Which adapters processors use.
    rails: Rails,
    /// What is inside each host.
    inside: Arc<Inside>,
}

impl Outside {
    /// The network alone: hosts own adapters, and routings know it.
    pub fn fabric(&self) -> &Arc<Fabric> {
        &self.fabric
    }

    /// True of a host alone, whose adapters lead nowhere.
    pub(crate) fn is_alone(&self) -> bool {
        self.fabric.links() == 0
    }

    /// One of its vertices in the whole.
    pub fn vertex(&self, own: VertexId) -> VertexId {
        VertexId(self.first + own.0)
    }

    /// True for an adapter, as a vertex of the whole.
    pub fn is_adapter(&self, v: VertexId) -> bool {
        (self.first..self.first + self.fabric.endpoints()).contains(&v.0)
    }

    /// One of its links in the whole.
    pub fn link(&self, own: LinkId) -> LinkId {
        self.link[own.index()]
    }

    /// Its links in the whole, in their order alone.
    pub fn links(&self) -> &[LinkId] {
        &self.link
    }

    /// What is inside each host.
    pub fn inside(&self) -> &Inside {
        &self.inside
    }

    /// Which adapters processors use: those next to them where this is [`Rails::Affine`].
    pub fn rails(&self) -> Rails {
        self.rails
    }

    /// Most adapters of a host.
    pub(super) fn most_adapters(&self) -> usize {
        let hosts = self.fabric.hosts();
        (0..hosts.len()).map(|h| hosts.endpoints(HostId(h)).len()).max().unwrap_or(0)
    }

    pub(super) fn with_rails(&self, rails: Rails) -> Outside {
        Outside { rails, ..self.clone() }
    }

    /// The same where only some links of the whole are left: `place[l]` is where link l went.
    pub(super) fn left(&self, is_left: impl Fn(LinkId) -> bool, place: impl Fn(LinkId) -> LinkId) -> Outside {
        let gone: Vec<LinkId> = self.fabric.link_ids().filter(|&l| !is_left(self.link(l))).collect();
        let link = self.link.iter().copied().filter(|&l| is_left(l)).map(place).collect();
        Outside { fabric: Arc::new(self.fabric.without(&gone)), link, ..self.clone() }
    }
}

impl Inside {
    /// A host alone as a fabric: its processors are the endpoints. O(parts^2).
    ///
    /// # Errors
    /// It has no processor.
    pub fn fabric(&self) -> Result<Fabric> {
        let adapters: Vec<u32> = self.adapters();
        let mut b = Builder::new(self.name.clone(), adapters.len() as u32, 0);
        for (v, &at) in (0..).zip(&adapters) {
            b.name(VertexId(v), self.parts[at as usize].name.clone());
        }
        b.host(self.host(), (0..adapters.len() as u32).map(VertexId).collect(), 0);
        let alone = b.finish()?;
        Whole { outer: alone, inside: self, hosts: &[HostId(0)], alone: true }.fabric()
    }
}

impl Fabric {
    /// The same network where some hosts have an inside: their processors are the endpoints, in the order of the hosts, and what
    /// they exchange uses links inside their hosts, too. Other hosts run no tasks. The k-th adapter of the inside
    /// is the k-th endpoint of the host; of more adapters than the host has endpoints those that are spread evenly are meant.
    /// Processors use the adapter next to them. O(hosts * parts + links).
    ///
    /// # Errors
    /// The inside has no processor, the hosts have insides already, or there are too many classes of links.
    pub fn with_insides(self, inside: &Inside, hosts: &[HostId]) -> Result<Fabric> {
        if self.outside().is_some() {
            return Err(Error::input(format!("the hosts of {} have insides already", self.name())));
        }
        let inside = inside.with_an_adapter();
        Whole { outer: self, inside: &inside, hosts, alone: false }.fabric()
    }

    /// The network between hosts, where the hosts have insides.
    pub fn outside(&self) -> Option<&Outside> {
        self.outside.as_deref()
    }

    /// The network between hosts, whether they have insides or not.
    pub fn between_hosts(&self) -> &Fabric {
        self.outside().map_or(self, |outside| outside.fabric())
    }
}

/// The adapter next to a processor, as a place among those of its host; equally near ones are taken in turn, by the processor's
/// number `k` in its host. None where it reaches none.
pub(crate) fn adapter_of(fabric: &Fabric, outside: &Outside, own: &[VertexId], e: VertexId, k: u32) -> Option<usize> {
    // What lost its cables leads nowhere.
    let cabled: Vec<usize> = (0..own.len()).filter(|&i| outside.fabric().degree(own[i]) > 0).collect();
    let vertices: Vec<VertexId> = cabled.iter().map(|&i| outside.vertex(own[i])).collect();
    let near = WaysInside::new(fabric, outside, e).nearest(&vertices);
    near.get(k as usize % near.len().max(1)).map(|&i| cabled[i])
}
