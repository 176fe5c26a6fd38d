//! Which port a tool means: by LID, then adapter, then host.

use crate::measured::End;
use hopline::fabric::Fabric;
use hopline::format::infiniband::Lids;
use hopline::id::{HostId, VertexId};
use hopline::plan::Network;
use hopline::topology::Topology;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Names of a fabric's endpoints.
pub(crate) struct Names {
    vertices: FxHashMap<String, VertexId>,
    adapters: FxHashMap<String, Vec<(String, VertexId)>>,
    lids: Option<Arc<Lids>>,
}

impl Names {
    pub(crate) fn new(network: &Network) -> Names {
        let fabric = &network.fabric;
        let mut vertices: FxHashMap<String, VertexId> =
            (0..fabric.endpoints()).map(|v| (fabric.vertex_name(VertexId(v)).to_string(), VertexId(v))).collect();
        let mut adapters: FxHashMap<String, Vec<(String, VertexId)>> = FxHashMap::default();
        for host in (0..fabric.hosts().len()).map(HostId) {
            let own = fabric.hosts().endpoints(host);
            if let Some(&first) = own.first() {
                vertices.insert(fabric.hosts().name(host).to_string(), first);
            }
            let names = own.iter().map(|&v| (fabric.vertex_name(v).to_string(), v)).collect();
            adapters.insert(fabric.hosts().name(host).to_string(), names);
        }
        let lids = match &network.topology {
            Topology::File(file) => file.tables().map(|(lids, _)| lids),
            _ => None,
        };
        Names { vertices, adapters, lids }
    }

    /// The endpoint of a name, with or without a domain or `:rank`.
    pub(crate) fn host(&self, word: &str) -> Option<VertexId> {
        let short = || self.vertices.get(word.split([':', '.']).next()?);
        self.vertices.get(word).or_else(short).copied()
    }

    pub(crate) fn end(&self, end: &End) -> Option<VertexId> {
        match end {
            End::Name(name) => self.host(name),
            End::Lid(lid) => self.lids.as_ref()?.owner(*lid),
            End::Rank(_) => None,
            End::Adapter(host, adapter) => {
                let own = self.adapters.get(host.as_str()).into_iter().flatten();
                let mut fits = own.filter(|(name, _)| is_adapter(name, adapter));
                fits.next().map(|(_, v)| *v).or_else(|| self.host(host))
            }
        }
    }

    /// The host of an endpoint, if the end that means it names none of the host's several adapters.
    pub(crate) fn without_adapter<'f>(&self, end: &End, v: VertexId, fabric: &'f Fabric) -> Option<&'f str> {
        let hosts = fabric.hosts();
        let host = hosts.owner(v).filter(|&host| hosts.endpoints(host).len() > 1)?;
        let host = hosts.name(host);
        let own = self.adapters.get(host)?;
        let is_told = match end {
            End::Name(word) => own.iter().any(|(name, _)| name == word),
            End::Adapter(_, adapter) => own.iter().any(|(name, _)| is_adapter(name, adapter)),
            End::Lid(_) | End::Rank(_) => true,
        };
        (!is_told).then_some(host)
    }

    /// Whether a port has several LIDs, each with ways of its own.
    pub(crate) fn has_several_lids(&self, v: VertexId) -> bool {
        self.lids.as_ref().is_some_and(|lids| lids.of(v).len() > 1)
    }

    /// The place of a LID among those of its port.
    pub(crate) fn place_of_lid(&self, v: VertexId, lid: u16) -> Option<u16> {
        let own = self.lids.as_ref()?.of(v);
        own.contains(&lid).then(|| lid - own.start)
    }

    /// The owner of a LID.
    pub(crate) fn lid(&self, lid: u16) -> Option<VertexId> {
        self.lids.as_ref()?.owner(lid)
    }
}

/// Whether a port's name, such as `n1 mlx5_0/1`, has an adapter's.
fn is_adapter(name: &str, adapter: &str) -> bool {
    name.split([' ', '/', ':']).any(|word| word == adapter)
}
