//! k-ary n-cube: the torus of n dimensions of extent k, by its usual name.

use super::{Counts, Torus};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::files::Files;
use crate::params::Reader;
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
    /// The same network as a torus.
    pub torus: Torus,
}

impl KnCube {
    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<KnCube> {
        let (k, n): (u32, u32) = (reader.need("k")?, reader.need("n")?);
        if k == 0 || n == 0 || n > 24 {
            return Err(reader.wrong("n", format!("`k` is {k} and `n` is {n}, expected k >= 1 and 1 <= n <= 24")));
        }
        let torus = Torus::new(reader, vec![k; n as usize], reader.or("bandwidth", Bandwidth::gb_s(1.0))?)?;
        Ok(KnCube { torus })
    }

    pub(super) fn build(&self) -> Result<Fabric> {
        let (k, n) = (self.torus.dims[0], self.torus.dims.len());
        self.torus.build_as(format!("kncube:k={k},n={n}"))
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        self.torus.counts()
    }

    pub(super) fn default_routing(&self) -> &'static str {
        self.torus.default_routing()
    }
}
