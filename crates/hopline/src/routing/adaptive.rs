//! What adaptive routings have in common as paths: no fixed shares.

use super::{Path, Routing};
use crate::demand::Flows;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use std::sync::Arc;

/// A routing without fixed shares: it says so. How its packets decide is its [forwarding](crate::forwarding), which is built of the
/// same spec.
pub struct Adaptive {
    name: &'static str,
    fabric: Arc<Fabric>,
}

impl Adaptive {
    /// That of a name of [the list](super::LIST).
    pub(super) fn new(name: &'static str, fabric: &Arc<Fabric>) -> Adaptive {
        Adaptive { name, fabric: fabric.clone() }
    }

    fn refuse<T>(&self) -> Result<T> {
        Err(Error::input(format!("routing `{}` has no fixed shares: its paths depend on queues", self.name))
            .hint("simulate it with `hopline flits`"))
    }
}

impl Routing for Adaptive {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, _: VertexId, _: VertexId) -> Result<u64> {
        self.refuse()
    }

    fn path(&self, _: VertexId, _: VertexId, _: u64, _: &mut Path) -> Result<()> {
        self.refuse()
    }

    fn load(&self, _: &Flows, _: &mut [f64]) -> Result<()> {
        self.refuse()
    }
}
