//! Minimal-adaptive routing on tori, which has no fixed shares. Duato, 1993.

use super::adaptive::{Adaptive, Rule};
use super::{Routing, check_whole, mismatch};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::params::{Params, Reader};
use crate::topology::{Topology, Torus};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "min-adaptive",
    summary: "torus, flits only: at every hop any port that leads nearer, by the queues; dimension order as the escape",
    doc: "At every router a packet may leave by each port that leads nearer to its target, on the adaptive virtual channels, \
          or by that of dimension order (ties go up) on the two of the escape. It asks for the adaptive channel with the \
          fewest flits waiting that has room, random ones of equal length first, else for the escape if that has room, \
          and decides again in every cycle in which neither has any. From the escape it may go back to adaptive channels, so \
          whole packets must fit: with switching=wormhole, packets of one flit. Shares depend on the queues, so \
          `hopline load` cannot tell them.\n\
          Flits: 2 + adaptive virtual channels: 0 and 1 are the escape's, before and after the wraparound link.\n\
          Source: Duato, \"A new theory of deadlock-free adaptive routing in wormhole networks\", 1993.",
    example: "min-adaptive",
    params: &[param("adaptive", "count", "1", "virtual channels beside the two of the escape, at most 6")],
};

/// Any port that leads nearer on a torus, by the queues; dimension order as the escape.
#[derive(Debug, Clone)]
pub struct MinAdaptive {
    pub(crate) torus: Torus,
    /// Virtual channels beside those of the escape.
    pub(crate) channels: u8,
}

impl Rule for MinAdaptive {
    fn params(&self, _: &Fabric) -> Params {
        Params::named(ENTRY.name).unless("adaptive", u32::from(self.channels), 1)
    }
}

impl Adaptive<MinAdaptive> {
    /// Any port of a torus's fabric that leads nearer, on one virtual channel beside those of the escape.
    ///
    /// # Errors
    /// The fabric is not the whole network of this torus.
    pub fn minimal(torus: &Torus, fabric: &Arc<Fabric>) -> Result<Self> {
        check_whole(ENTRY.name, torus.clone(), fabric)?;
        Ok(Adaptive { fabric: fabric.clone(), rule: MinAdaptive { torus: torus.clone(), channels: 1 } })
    }

    /// The same on so many virtual channels beside those of the escape.
    ///
    /// # Errors
    /// None, or so many that not all find place.
    pub fn channels(mut self, channels: u32) -> Result<Self> {
        if !(1..=6).contains(&channels) {
            return Err(Error::argument("adaptive", format!("`adaptive` is {channels}, expected 1 to 6")));
        }
        self.rule.channels = channels as u8;
        Ok(self)
    }
}

/// The routing that a spec describes.
pub(crate) fn read_min_adaptive(
    reader: &Reader,
    topology: &Topology,
    fabric: &Arc<Fabric>,
) -> Result<Adaptive<MinAdaptive>> {
    match topology.torus() {
        Some(torus) => reader.set(Adaptive::minimal(torus, fabric)?, "adaptive", Adaptive::channels),
        None => Err(mismatch(reader, ENTRY.name, "a torus or kncube", topology, fabric)),
    }
}

pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(read_min_adaptive(reader, topology, fabric)?))
}
