//! Meshes of any extents, direct networks: one vertex is router and endpoint. Dally
//! and Towles, "Principles and Practices of Interconnection Networks", chapter 5.

use super::{Counts, Lines, ONE, check_size, named_at};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::VertexId;
use crate::params::{Bandwidths, Params, Reader, Sizes};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "mesh",
    summary: "mesh of any extents: a torus without its wraparound links",
    doc: "Endpoint x0 + k0*(x1 + k1*(x2 + ...)), with a link to each neighbour in every dimension: up to 2 a dimension, 1 at its ends. The \
          links of dimension i form the class dim<i>.\n\
          With N endpoints, directed links of dimension i: 2*N*(k_i-1)/k_i. Diameter: the sum of all k_i - 1. Cables across the middle of an \
          even dimension i: N/k_i; uniform traffic fills those at 4*bandwidth/k_i of injection.\n\
          Source: Dally and Towles, \"Principles and Practices of Interconnection Networks\", 2004, chapter 5.",
    example: "mesh:dims=4x4",
    params: &[
        param("dims", "sizes", "", "extents, dimension 0 first"),
        param("bandwidth", "bandwidths", "1", "of a link, GB/s: one for all dimensions, or one each such as 10x10x5"),
    ],
};

/// Parameters of a mesh.
///
/// ```
/// use hopline::topology::Mesh;
///
/// let mesh = Mesh::new(&[4, 3])?;
/// assert_eq!(mesh.build()?.links(), 2 * (3 * 3 + 4 * 2));
/// assert_eq!(mesh.to_string(), "mesh:dims=4x3");
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mesh {
    dims: Vec<u32>,
    /// By dimension.
    bandwidth: Vec<Bandwidth>,
}

impl Mesh {
    /// A mesh of these extents, dimension 0 first and fastest in the numbering, with links of 1 GB/s.
    ///
    /// # Errors
    /// There is no extent or one is 0, there are more than 24, or the mesh is larger than memory holds.
    pub fn new(extents: &[u32]) -> Result<Mesh> {
        let dims = super::extents(extents)?;
        let nodes = dims.iter().try_fold(1u64, |n, &k| n.checked_mul(u64::from(k)));
        check_size(nodes, nodes.and_then(|n| n.checked_mul(2 * dims.len() as u64)))?;
        let bandwidth = vec![ONE; dims.len()];
        Ok(Mesh { dims, bandwidth })
    }

    /// The same with links of other bandwidths: one for all dimensions, or one for each.
    ///
    /// # Errors
    /// One is 0, or there are neither one nor as many as dimensions.
    pub fn bandwidths(mut self, each: &[Bandwidth]) -> Result<Mesh> {
        self.bandwidth = Bandwidths::of_dimensions("bandwidth", each, self.dims.len())?;
        Ok(self)
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<Mesh> {
        let Sizes(dims) = reader.need("dims")?;
        reader.set(Mesh::new(&dims)?, "bandwidth", |mesh: Mesh, Bandwidths(each)| mesh.bandwidths(&each))
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("dims", &self.dims[..]);
        params.unless("bandwidth", Bandwidths(self.bandwidth.clone()), Bandwidths(vec![ONE; self.dims.len()]))
    }

    /// Extents, dimension 0 first and fastest in the numbering.
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// Lines from one neighbour to the next.
    pub(crate) fn lines(&self) -> Lines {
        Lines { dims: self.dims.clone(), cables: vec![1; self.dims.len()], are_joined: false }
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let n: u32 = self.dims.iter().product();
        let mut b = Builder::new(self.params().spec(), n, 0);
        let mut stride = 1;
        for (d, &k) in self.dims.iter().enumerate() {
            let class = b.class(LinkClass::network(&format!("dim{d}"), self.bandwidth[d]));
            for v in (0..n).filter(|v| v / stride % k + 1 < k) {
                let (up, down) = (2 * d as u16, 2 * d as u16 + 1);
                b.cable_at(VertexId(v), Some(up), VertexId(v + stride), Some(down), class);
            }
            stride *= k;
        }
        for v in 0..n {
            b.name(VertexId(v), named_at("m", v, &self.dims));
        }
        b.coordinates(self.dims.clone());
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let n: u64 = self.dims.iter().map(|&k| u64::from(k)).product();
        let of = |&k: &u32| 2 * n / u64::from(k) * u64::from(k - 1);
        Some(Counts::new(n, 0, self.dims.iter().map(of).enumerate().map(|(d, n)| (format!("dim{d}"), n))))
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "dor"
    }
}
