//! k-ary n-cube: the torus of n dimensions of extent k, by its usual name.

use super::{Counts, ONE, Torus};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::params::{Params, Reader};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "kncube",
    summary: "k-ary n-cube: a torus of n dimensions of extent k",
    doc: "Node (x0, ..., x(n-1)) is endpoint sum of xi*k^i. Directed links of each dimension: 2*k^n for k > 2, k^n for \
          k = 2.\nSource: Wang, Hou and Ku, \"Optimal processor mapping for linear-constant communication on k-ary \
          n-cubes\", section 2.1.",
    example: "kncube:k=4,n=3",
    params: &[
        param("k", "count", "", "extent of each dimension"),
        param("n", "count", "", "dimensions"),
        param("bandwidth", "bandwidth", "1", "of a link, GB/s"),
    ],
};

/// Parameters of a k-ary n-cube.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnCube {
    pub(crate) torus: Torus,
}

impl KnCube {
    /// `n` dimensions of extent `k`, with links of 1 GB/s.
    ///
    /// # Errors
    /// `k` is 0, `n` is 0 or more than 24, or the network is larger than memory holds.
    pub fn new(k: u32, n: u32) -> Result<KnCube> {
        if k == 0 || n == 0 || n > 24 {
            let text = format!("`k` is {k} and `n` is {n}, expected k >= 1 and 1 <= n <= 24");
            return Err(Error::argument("n", text));
        }
        Ok(KnCube { torus: Torus::new(&vec![k; n as usize])? })
    }

    /// The same with links of another bandwidth.
    ///
    /// # Errors
    /// It is 0.
    pub fn bandwidth(self, bandwidth: Bandwidth) -> Result<Self> {
        Ok(KnCube { torus: self.torus.bandwidth(bandwidth)? })
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<KnCube> {
        reader.set(KnCube::new(reader.need("k")?, reader.need("n")?)?, "bandwidth", KnCube::bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("k", self.torus.dims[0]).with("n", self.torus.dims.len() as u32);
        params.unless("bandwidth", self.torus.link_bandwidth(), ONE)
    }

    /// The same network as a torus.
    pub fn torus(&self) -> &Torus {
        &self.torus
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        self.torus.build_as(self.params().spec())
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        self.torus.counts()
    }

    pub(super) fn default_routing(&self) -> &'static str {
        self.torus.default_routing()
    }
}
