//! What adaptive routings have in common as paths: no fixed shares.

use super::{Path, Routing};
use crate::demand::Flows;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::params::Params;
use std::sync::Arc;

/// A routing without fixed shares: it says so. How its packets decide is its [forwarding](crate::forwarding), which is built of
/// [`Adaptive::params`] and goes by the same `R`: [`Ugal`](super::Ugal), [`Progressive`](super::Progressive),
/// [`OmniDimensional`](super::OmniDimensional), [`MinAdaptive`](super::MinAdaptive) or [`UpAdaptive`](super::UpAdaptive).
///
/// ```
/// use hopline::{routing::Adaptive, topology::Torus};
/// use std::sync::Arc;
///
/// let torus = Torus::new(&[4, 4])?;
/// let routing = Adaptive::minimal(&torus, &Arc::new(torus.build()?))?.channels(2)?;
/// assert_eq!(routing.params().to_string(), "min-adaptive:adaptive=2");
/// assert!(routing.channels(7).is_err());
/// # Ok::<(), hopline::error::Error>(())
/// ```
pub struct Adaptive<R> {
    pub(super) fabric: Arc<Fabric>,
    pub(super) rule: R,
}

/// What the packets of an adaptive routing go by.
pub trait Rule: Send + Sync {
    /// Kind and keys of its spec.
    fn params(&self, fabric: &Fabric) -> Params;
}

impl<R: Rule> Adaptive<R> {
    /// Kind and keys: what [`crate::forwarding::build`] takes.
    pub fn params(&self) -> Params {
        self.rule.params(&self.fabric)
    }

    /// What its packets go by.
    pub(crate) fn into_rule(self) -> R {
        self.rule
    }

    fn refuse<T>(&self) -> Result<T> {
        Err(Error::input(format!("routing `{}` has no fixed shares: its paths depend on queues", self.params().kind()))
            .hint("simulate it with `hopline flits`"))
    }
}

impl<R: Rule> Routing for Adaptive<R> {
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
