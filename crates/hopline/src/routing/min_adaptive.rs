//! Minimal-adaptive routing on tori, which has no fixed shares. Duato, 1993.

use super::adaptive::Adaptive;
use super::{Routing, check_whole, mismatch};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::params::Reader;
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

/// Virtual channels beside those of the escape.
///
/// # Errors
/// None, or so many that not all find place.
pub(crate) fn adaptive_vcs(reader: &Reader) -> Result<u8> {
    match reader.or("adaptive", 1u32)? {
        n @ 1..=6 => Ok(n as u8),
        n => Err(reader.wrong("adaptive", format!("`adaptive` is {n}, expected 1 to 6"))),
    }
}

impl Adaptive {
    /// Any port of a torus's fabric that leads nearer.
    ///
    /// # Errors
    /// The fabric is not the whole network of this torus.
    pub fn minimal(torus: &Torus, fabric: &Arc<Fabric>) -> Result<Adaptive> {
        check_whole(ENTRY.name, torus.clone(), fabric)?;
        Ok(Adaptive::new(ENTRY.name, fabric))
    }
}

pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    adaptive_vcs(reader)?;
    match topology.torus() {
        Some(torus) => Ok(Box::new(Adaptive::minimal(torus, fabric)?)),
        None => Err(mismatch(reader, ENTRY.name, "a torus or kncube", topology, fabric)),
    }
}
