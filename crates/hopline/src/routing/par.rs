//! Progressive adaptive routing on Dragonflies, which has no fixed shares. Jiang, Kim and
//! Dally, "Indirect adaptive routing on large scale interconnection networks", ISCA 2009.

use super::adaptive::{Adaptive, Rule};
use super::{REGULAR, Routing, check_whole, mismatch};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::params::{Params, Reader};
use crate::topology::{Dragonfly, Topology};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "par",
    summary: "Dragonfly, flits only: minimal until the queues say otherwise, at any router of the source's group",
    doc: "As ugal-l a packet draws one path of valiant-any where it enters, and compares the flits that wait for its minimal path's next port \
          with twice those for the other's, plus threshold: the minimal path has about half the hops. Unlike there it decides again in every \
          cycle in which it waits, and once more at the second router of its group, where it sees the global link itself. It turns \
          away once, and not after a global link. Shares depend on the queues, so `hopline load` cannot tell them.\n\
          Flits: 5 virtual channels: of local links the number of those crossed since the last global link, and two more for each of \
          these; of global links before and after the intermediate group.\n\
          Source: Jiang, Kim and Dally, \"Indirect adaptive routing on large scale interconnection networks\", ISCA 2009.",
    example: "par:threshold=8",
    params: &[param(
        "threshold",
        "count",
        "0",
        "flits by which the minimal path's queue may be longer than twice the other's",
    )],
};

/// Minimal or by way of a random router, decided in the source's group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progressive {
    /// Flits by which the minimal path's queue may be longer.
    pub(crate) threshold: u32,
}

impl Rule for Progressive {
    fn params(&self, _: &Fabric) -> Params {
        Params::named(ENTRY.name).unless("threshold", self.threshold, 0)
    }
}

impl Adaptive<Progressive> {
    /// Minimal, or by way of a random router of another group, on a Dragonfly's fabric.
    ///
    /// # Errors
    /// The fabric is not the whole network of this Dragonfly.
    pub fn progressive(dragonfly: &Dragonfly, fabric: &Arc<Fabric>) -> Result<Self> {
        check_whole(ENTRY.name, dragonfly.clone(), fabric)?;
        Ok(Adaptive { fabric: fabric.clone(), rule: Progressive { threshold: 0 } })
    }

    /// The same where the minimal path's queue may be so many flits longer than twice the other's.
    #[must_use]
    pub fn threshold(mut self, threshold: u32) -> Self {
        self.rule.threshold = threshold;
        self
    }
}

/// The routing that a spec describes.
pub(crate) fn read_progressive(
    reader: &Reader,
    topology: &Topology,
    fabric: &Arc<Fabric>,
) -> Result<Adaptive<Progressive>> {
    match topology {
        Topology::Dragonfly(d) if d.is(fabric) => {
            reader.set(Adaptive::progressive(d, fabric)?, "threshold", |routing: Adaptive<Progressive>, threshold| {
                Ok(routing.threshold(threshold))
            })
        }
        _ => Err(mismatch(reader, ENTRY.name, REGULAR, topology, fabric)),
    }
}

pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(read_progressive(reader, topology, fabric)?))
}
