//! Tori of any extents, direct networks: one vertex is router and endpoint.

use super::{Counts, ONE, check_size, named_at};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::{LinkId, VertexId};
use crate::params::{Bandwidths, Params, Reader, Sizes};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "torus",
    summary: "torus of any extents; dimension 0 runs fastest in the numbering",
    doc: "Endpoint x0 + k0*(x1 + k1*(x2 + ...)). In each dimension of extent k > 2 every endpoint has a link to its + \
          and to its - neighbour, for k = 2 one link each way between the two, for k = 1 none. The links of \
          dimension i form the class dim<i>.\n\
          Directed links of a dimension: N*2 for k > 2, N for k = 2, 0 for k = 1, with N endpoints.",
    example: "torus:dims=4x4x4",
    params: &[
        param("dims", "sizes", "", "extents, dimension 0 first"),
        param("bandwidth", "bandwidths", "1", "of a link, GB/s: one for all dimensions, or one each such as 10x10x5"),
    ],
};

/// Parameters of a torus.
///
/// ```
/// use hopline::topology::Torus;
///
/// let torus = Torus::new(&[4, 4, 2])?;
/// assert_eq!(torus.build()?.links(), 32 * 5);
/// assert_eq!(torus.to_string(), "torus:dims=4x4x2");
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torus {
    pub(crate) dims: Vec<u32>,
    /// Distance in the numbering between neighbours of each dimension.
    strides: Vec<u32>,
    /// First port of each dimension; + comes before -.
    ports: Vec<u32>,
    /// By dimension.
    bandwidth: Vec<Bandwidth>,
}

impl Torus {
    /// A torus of these extents, dimension 0 first and fastest in the numbering, with links of 1 GB/s.
    ///
    /// # Errors
    /// There is no extent or one is 0, there are more than 24, or the torus is larger than memory holds.
    pub fn new(extents: &[u32]) -> Result<Torus> {
        let dims = super::extents(extents)?;
        let nodes = dims.iter().try_fold(1u64, |n, &k| n.checked_mul(u64::from(k)));
        let degree = dims.iter().map(|&k| u64::from(k.clamp(1, 3) - 1)).sum();
        check_size(nodes, nodes.and_then(|n| n.checked_mul(degree)))?;
        let mut strides = Vec::with_capacity(dims.len());
        let mut ports = Vec::with_capacity(dims.len());
        let (mut stride, mut port) = (1, 0);
        for &k in &dims {
            strides.push(stride);
            ports.push(port);
            stride *= k;
            port += k.min(3) - 1;
        }
        let bandwidth = vec![ONE; dims.len()];
        Ok(Torus { dims, strides, ports, bandwidth })
    }

    /// The same with links of another bandwidth.
    ///
    /// # Errors
    /// It is 0.
    pub fn bandwidth(self, bandwidth: Bandwidth) -> Result<Torus> {
        self.bandwidths(&[bandwidth])
    }

    /// The same with links of other bandwidths: one for all dimensions, or one for each.
    ///
    /// # Errors
    /// One is 0, or there are neither one nor as many as dimensions.
    pub fn bandwidths(mut self, each: &[Bandwidth]) -> Result<Torus> {
        self.bandwidth = Bandwidths::of_dimensions("bandwidth", each, self.dims.len())?;
        Ok(self)
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<Torus> {
        let Sizes(dims) = reader.need("dims")?;
        reader.set(Torus::new(&dims)?, "bandwidth", |torus: Torus, Bandwidths(each)| torus.bandwidths(&each))
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("dims", &self.dims[..]);
        params.unless("bandwidth", Bandwidths(self.bandwidth.clone()), Bandwidths(vec![ONE; self.dims.len()]))
    }

    /// Extents, dimension 0 first and fastest in the numbering.
    pub fn dims(&self) -> &[u32] {
        &self.dims
    }

    /// Number of endpoints.
    pub fn endpoints(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The bandwidth of a link of dimension 0.
    pub(super) fn link_bandwidth(&self) -> Bandwidth {
        self.bandwidth[0]
    }

    /// Coordinate of an endpoint in dimension `d`.
    #[inline]
    pub(crate) fn coordinate(&self, endpoint: u32, d: usize) -> u32 {
        endpoint / self.strides[d] % self.dims[d]
    }

    /// Distance in the numbering between neighbours of dimension `d`.
    #[inline]
    pub(crate) fn stride(&self, d: usize) -> u32 {
        self.strides[d]
    }

    /// The port towards + or - of dimension `d`. Where the extent is 2, both are the same.
    #[inline]
    pub(crate) fn port(&self, d: usize, plus: bool) -> u32 {
        self.ports[d] + u32::from(!plus && self.dims[d] > 2)
    }

    /// The link that leaves `endpoint` along dimension `d`, towards + or -.
    #[inline]
    pub(crate) fn link(&self, fabric: &Fabric, endpoint: u32, d: usize, plus: bool) -> LinkId {
        fabric.out_link(VertexId(endpoint), self.port(d, plus))
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        self.build_as(self.params().spec())
    }

    /// The fabric under the name of a family that is a torus.
    pub(super) fn build_as(&self, name: String) -> Result<Fabric> {
        let n = self.endpoints();
        let mut b = Builder::new(name, n, 0);
        for (d, &k) in self.dims.iter().enumerate() {
            let class = b.class(LinkClass::network(&format!("dim{d}"), self.bandwidth[d]));
            for v in (0..n).filter(|_| k > 1) {
                let x = self.coordinate(v, d);
                // With extent 2 the cable from 1 back to 0 is the one from 0 to 1.
                if k == 2 && x == 1 {
                    continue;
                }
                let next = if x + 1 == k { v - x * self.strides[d] } else { v + self.strides[d] };
                let plus = self.ports[d] as u16;
                let minus = plus + u16::from(k > 2);
                b.cable_at(VertexId(v), Some(plus), VertexId(next), Some(minus), class);
            }
        }
        for v in 0..n {
            b.name(VertexId(v), named_at("t", v, &self.dims));
        }
        b.coordinates(self.dims.clone());
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let n = u64::from(self.endpoints());
        let of = |(d, &k): (usize, &u32)| (format!("dim{d}"), n * u64::from(k.min(3) - 1));
        Some(Counts::new(n, 0, self.dims.iter().enumerate().map(of)))
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "dor"
    }
}
