//! Routings as they are written.

use super::{LIST, Routing, build};
use crate::entry::Listed as _;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::params::{Params, find};
use crate::topology::Topology;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A routing by kind and keys, before it is known for which network: what they hold is read when it is built.
///
/// ```
/// use hopline::routing::Spec;
///
/// let spec: Spec = "direct:inside=single-hop".parse()?;
/// assert_eq!(spec.to_string(), "direct:inside=single-hop");
/// assert!("direct:outside=striped".parse::<Spec>().is_err());
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Spec(Params);

impl Spec {
    /// Builds the routing for a fabric and the topology it came from.
    ///
    /// # Errors
    /// The routing does not fit the topology, a key holds what it cannot, or a file cannot be read.
    pub fn build(&self, topology: &Topology, fabric: &Arc<Fabric>, files: &dyn Files) -> Result<Box<dyn Routing>> {
        build(&self.0, topology, fabric, files)
    }
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Spec> {
        let params: Params = spec.parse()?;
        params.check(find("routing", LIST, &params)?.entry())?;
        Ok(Spec(params))
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
