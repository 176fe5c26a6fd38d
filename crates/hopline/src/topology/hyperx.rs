//! HyperX: routers at the points of a grid, all routers of a line joined to each
//! other. Ahn et al., "HyperX: topology, routing, and packaging of efficient
//! large-scale networks", SC 2009, section 2.

use super::{Counts, Lines, ONE, attach, check_count, check_size, extents, named_at};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::VertexId;
use crate::params::{Params, Reader, Sizes};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "hyperx",
    summary: "HyperX: routers in a grid, every two routers of a line joined; also flattened butterflies",
    doc: "Router x0 + S0*(x1 + S1*(x2 + ...)) has p endpoints, endpoint n of router r is r*p + n, and in each dimension i a \
          trunk of K_i cables to every router that differs in x_i alone: class dim<i>. Ports: endpoints first, then by dimension \
          and by the offset o = 1..S_i-1 to the other coordinate, modulo S_i, cables of a trunk side by side.\n\
          With R = the product of all S_i, directed links: host 2*R*p, dim<i> R*K_i*(S_i-1). Diameter: the dimensions wider than 1. \
          Cables across the middle of an even dimension i: R*K_i*S_i/4. With trunk=1 and p=S it is the flattened butterfly.\n\
          Source: Ahn, Binkert, Davis, McLaren and Schreiber, \"HyperX: topology, routing, and packaging of efficient \
          large-scale networks\", 2009, section 2.",
    example: "hyperx:dims=4x4,p=4",
    params: &[
        param("dims", "sizes", "", "routers in each dimension, dimension 0 first"),
        param("p", "count", "", "endpoints per router"),
        param("trunk", "sizes", "1", "cables between two routers of a line, for all dimensions or each"),
        param("bandwidth", "bandwidth", "1", "of a link between routers, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
    ],
};

/// Parameters of a HyperX.
///
/// ```
/// use hopline::topology::HyperX;
///
/// let hyperx = HyperX::new(&[4, 3], 2)?.trunk(&[1, 2])?;
/// assert_eq!(hyperx.build()?.endpoints(), 24);
/// assert_eq!(hyperx.to_string(), "hyperx:dims=4x3,p=2,trunk=1x2");
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HyperX {
    dims: Vec<u32>,
    p: u32,
    /// Cables of a trunk, by dimension.
    trunk: Vec<u32>,
    bandwidth: Bandwidth,
    host: Option<Bandwidth>,
}

impl HyperX {
    /// A grid of routers of these extents, dimension 0 first and fastest in the numbering, with `p` endpoints each, single cables of
    /// 1 GB/s between routers and no limit of injection and ejection.
    ///
    /// # Errors
    /// There is no extent or one is 0, there are more than 24, `p` is not from 1 to 4096, or the network is larger than
    /// memory holds.
    pub fn new(dims: &[u32], p: u32) -> Result<HyperX> {
        let dims = extents(dims)?;
        check_count("p", p)?;
        let trunk = vec![1; dims.len()];
        HyperX { dims, p, trunk, bandwidth: ONE, host: None }.checked()
    }

    /// The same with so many cables between two routers of a line: one number for all dimensions, or one each.
    ///
    /// # Errors
    /// There are neither one nor as many numbers as dimensions, one is 0, a router would have more than 65,535 ports, or
    /// the network is larger than memory holds.
    pub fn trunk(self, cables: &[u32]) -> Result<HyperX> {
        let Sizes(cables) = Sizes::new("trunk", cables)?;
        let trunk = match cables[..] {
            [one] => vec![one; self.dims.len()],
            _ if cables.len() == self.dims.len() => cables,
            _ => {
                let text = format!("`trunk` has {} numbers, expected 1 or {}", cables.len(), self.dims.len());
                return Err(Error::argument("trunk", text));
            }
        };
        HyperX { trunk, ..self }.checked()
    }

    fn checked(self) -> Result<HyperX> {
        let routers = self.dims.iter().try_fold(1u64, |n, &s| n.checked_mul(u64::from(s)));
        let degree = self.ports(self.dims.len());
        if degree > u64::from(u16::MAX) {
            return Err(Error::argument("trunk", format!("a router has {degree} ports, expected at most 65535")));
        }
        let times = |count: u64| routers.and_then(|routers| routers.checked_mul(count));
        check_size(times(u64::from(self.p) + 1), times(u64::from(self.p) + degree))?;
        Ok(self)
    }

    /// Ports of a router that stand before those of dimension `d`.
    fn ports(&self, d: usize) -> u64 {
        let of = |(&s, &k): (&u32, &u32)| u64::from(s - 1) * u64::from(k);
        u64::from(self.p) + self.dims.iter().zip(&self.trunk).take(d).map(of).sum::<u64>()
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<HyperX> {
        let Sizes(dims) = reader.need("dims")?;
        let hyperx = HyperX::new(&dims, reader.need("p")?)?;
        let hyperx = reader.set(hyperx, "trunk", |hyperx: HyperX, Sizes(cables)| hyperx.trunk(&cables))?;
        let hyperx = reader.set(hyperx, "bandwidth", HyperX::bandwidth)?;
        reader.set(hyperx, "host", HyperX::host_bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("dims", &self.dims[..]).with("p", self.p);
        let params = match self.trunk.iter().all(|&k| k == 1) {
            true => params,
            false => params.with("trunk", &self.trunk[..]),
        };
        params.unless("bandwidth", self.bandwidth, ONE).maybe("host", self.host)
    }

    /// Endpoints of a router.
    pub(crate) fn p(&self) -> u32 {
        self.p
    }

    /// Lines whose routers are all joined.
    pub(crate) fn lines(&self) -> Lines {
        Lines { dims: self.dims.clone(), cables: self.trunk.clone(), are_joined: true }
    }

    /// Routers.
    fn routers(&self) -> u32 {
        self.dims.iter().product()
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let routers = self.routers();
        let mut b = Builder::new(self.params().spec(), routers * self.p, routers);
        let host = b.class(LinkClass::host(self.host));
        attach(&mut b, routers, self.p, host, |r| named_at("x", r, &self.dims));
        let (mut stride, ends) = (1, routers * self.p);
        for (d, (&s, &trunk)) in self.dims.iter().zip(&self.trunk).enumerate() {
            let (class, first) =
                (b.class(LinkClass::network(&format!("dim{d}"), self.bandwidth)), self.ports(d) as u32);
            for r in 0..routers {
                let x = r / stride % s;
                for y in x + 1..s {
                    for k in 0..trunk {
                        let port = |offset: u32| Some((first + (offset - 1) * trunk + k) as u16);
                        let other = VertexId(ends + r + (y - x) * stride);
                        b.cable_at(VertexId(ends + r), port(y - x), other, port(s - (y - x)), class);
                    }
                }
            }
            stride *= s;
        }
        b.level("router", None, |e| e / self.p);
        let mut size = self.p;
        for (d, &s) in self.dims.iter().enumerate().take(self.dims.len() - 1) {
            size *= s;
            let name = if d == 0 { "line".to_string() } else { format!("dim0-{d}") };
            b.level(name, None, move |e| e / size);
        }
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let (r, p) = (u64::from(self.routers()), u64::from(self.p));
        let of = |(&s, &k): (&u32, &u32)| r * u64::from(k) * u64::from(s - 1);
        let dims = self.dims.iter().zip(&self.trunk).map(of).enumerate().map(|(d, n)| (format!("dim{d}"), n));
        Some(Counts::new(r * p, r, std::iter::once(("host".to_string(), 2 * r * p)).chain(dims)))
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "minimal"
    }
}

bandwidths! { HyperX:
    bandwidth sets "bandwidth" in bandwidth, "links between routers of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}
