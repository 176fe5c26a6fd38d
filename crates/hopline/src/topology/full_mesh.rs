//! Full meshes: every two routers share a cable. Direct networks: one vertex is
//! router and endpoint.

use super::{Counts, ONE, check_count};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::VertexId;
use crate::params::{Params, Reader};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "full-mesh",
    summary: "full mesh of n routers: one cable between every two",
    doc: "Endpoint i is router i; port j of it leads to router j, or j+1 from its own number on. All links form the \
          class mesh.\n\
          Directed links: n*(n-1).\n\
          Source: Dally and Towles, \"Principles and Practices of Interconnection Networks\", 2004.",
    example: "full-mesh:n=8",
    params: &[
        param("n", "count", "", "routers, at most 4096"),
        param("bandwidth", "bandwidth", "1", "of a link, GB/s"),
    ],
};

/// Parameters of a full mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FullMesh {
    n: u32,
    bandwidth: Bandwidth,
}

impl FullMesh {
    /// `n` routers, 1 to 4096, each an endpoint; links of 1 GB/s.
    ///
    /// # Errors
    /// `n` is out of its range.
    pub fn new(n: u32) -> Result<FullMesh> {
        check_count("n", n)?;
        Ok(FullMesh { n, bandwidth: ONE })
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<FullMesh> {
        reader.set(FullMesh::new(reader.need("n")?)?, "bandwidth", FullMesh::bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        Params::named(ENTRY.name).with("n", self.n).unless("bandwidth", self.bandwidth, ONE)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let n = self.n;
        let mut b = Builder::new(self.params().spec(), n, 0);
        let mesh = b.class(LinkClass::network("mesh", self.bandwidth));
        for i in 0..n {
            b.name(VertexId(i), format!("r{i}"));
            for j in i + 1..n {
                b.cable_at(VertexId(i), Some(j as u16 - 1), VertexId(j), Some(i as u16), mesh);
            }
        }
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let n = u64::from(self.n);
        Some(Counts::new(n, 0, [("mesh", n * (n - 1))]))
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "shortest"
    }
}

bandwidths! { FullMesh:
    bandwidth sets "bandwidth" in bandwidth, "links of another bandwidth";
}
