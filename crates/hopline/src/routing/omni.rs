//! Omni-dimensional adaptive routing on HyperX, which has no fixed shares. Ahn, Binkert, Davis,
//! McLaren and Schreiber, "HyperX: topology, routing, and packaging of efficient large-scale
//! networks", SC 2009; McDonald, Isaev, Flores, Davis and Kim, "Practical and efficient
//! incremental adaptive routing for HyperX networks", SC 2019.

use super::adaptive::{Adaptive, Rule};
use super::{Routing, check_whole, mismatch};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::params::{Params, Reader};
use crate::topology::{HyperX, Topology};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "omni-dimensional",
    summary: "HyperX, flits only: at every hop any dimension in which the target is elsewhere, straight or by a deroute",
    doc: "At every router a packet may leave in each dimension in which it is not yet aligned with its target: straight to the \
          target's coordinate, or, as long as hops beyond the shortest path are left, to any other (a deroute). It asks for \
          the port with the fewest flits waiting of those that have room: of the straight ones, and, where more than threshold flits wait for each of \
          them, of deroutes, which count as if threshold flits more waited there. Of equal lengths straight ones come first, then \
          random ones; it decides again in every cycle in which nothing has room. With deroutes=0 it is minimal-adaptive. Shares depend on the queues, so `hopline load` cannot tell them.\n\
          Flits: a virtual channel for every hop, dimensions + deroutes, so that no packets can wait in a circle; with \
          switching=wormhole, packets of one flit.\n\
          Source: Ahn et al., \"HyperX\", SC 2009 (DAL); McDonald et al., \"Practical and efficient incremental adaptive \
          routing for HyperX networks\", SC 2019 (OmniWAR).",
    example: "omni-dimensional:deroutes=1",
    params: &[
        param("deroutes", "count", "dimensions, at most 8 hops in all", "hops beyond the shortest path"),
        param("threshold", "count", "1", "flits by which a straight port's queue may be longer than a deroute's"),
    ],
};

/// Flits by which a straight port's queue may be longer where nobody says.
const THRESHOLD: u32 = 1;

/// Virtual channels that a port can have.
const MOST_HOPS: u32 = 8;

/// Any dimension that is left, straight or by a deroute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OmniDimensional {
    /// Hops of a shortest path at most, and beyond.
    pub(crate) dimensions: u32,
    pub(crate) deroutes: u32,
    /// Flits by which a straight port's queue may be longer.
    pub(crate) threshold: u32,
}

impl Rule for OmniDimensional {
    fn params(&self, _: &Fabric) -> Params {
        let params = Params::named(ENTRY.name).unless("deroutes", self.deroutes, self.dimensions);
        params.unless("threshold", self.threshold, THRESHOLD)
    }
}

impl Adaptive<OmniDimensional> {
    /// As many deroutes as dimensions, or as there are virtual channels for, on a HyperX's fabric.
    ///
    /// # Errors
    /// The fabric is not the whole network of this HyperX, or hops are more than there can be virtual channels.
    pub fn omni_dimensional(hyperx: &HyperX, fabric: &Arc<Fabric>) -> Result<Self> {
        check_whole(ENTRY.name, hyperx.clone(), fabric)?;
        let dimensions = hyperx.lines().dims.iter().filter(|&&k| k > 1).count() as u32;
        if dimensions > MOST_HOPS {
            return Err(Error::input(format!(
                "`{}` takes a virtual channel for each of {dimensions} dimensions, of which ports have at most {MOST_HOPS}",
                ENTRY.name
            )));
        }
        let rule = OmniDimensional { dimensions, deroutes: 0, threshold: THRESHOLD };
        Adaptive { fabric: fabric.clone(), rule }.deroutes(dimensions.min(MOST_HOPS - dimensions))
    }

    /// The same with so many hops beyond the shortest path.
    ///
    /// # Errors
    /// Hops are more than there can be virtual channels.
    pub fn deroutes(mut self, deroutes: u32) -> Result<Self> {
        let hops = self.rule.dimensions.saturating_add(deroutes);
        if hops > MOST_HOPS {
            let most = MOST_HOPS.saturating_sub(self.rule.dimensions);
            let text = format!(
                "`deroutes` {deroutes} makes {hops} hops, each on a virtual channel of its own, of which ports have at most \
                 {MOST_HOPS}: expected 0 to {most}"
            );
            return Err(Error::argument("deroutes", text));
        }
        self.rule.deroutes = deroutes;
        Ok(self)
    }

    /// The same where a straight port's queue may be so many flits longer than a deroute's.
    #[must_use]
    pub fn threshold(mut self, threshold: u32) -> Self {
        self.rule.threshold = threshold;
        self
    }
}

/// The routing that a spec describes.
pub(crate) fn read_omni(
    reader: &Reader,
    topology: &Topology,
    fabric: &Arc<Fabric>,
) -> Result<Adaptive<OmniDimensional>> {
    let Topology::HyperX(hyperx) = topology else {
        return Err(mismatch(reader, ENTRY.name, "a hyperx", topology, fabric));
    };
    let routing = Adaptive::omni_dimensional(hyperx, fabric)?;
    let routing = reader.set(routing, "deroutes", Adaptive::<OmniDimensional>::deroutes)?;
    reader.set(routing, "threshold", |routing: Adaptive<OmniDimensional>, flits| Ok(routing.threshold(flits)))
}

pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(read_omni(reader, topology, fabric)?))
}
