//! Up*/down* by the queues, which has no fixed shares.

use super::adaptive::Adaptive;
use super::{Routing, read_up_down};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::params::Reader;
use crate::topology::Topology;
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "up-adaptive",
    summary: "any fabric, flits only: the paths of up-down, at every hop the port with the shortest queue",
    doc: "The paths are those of up-down. At every router a packet asks for that of the ports on its way for which the \
          fewest flits wait, of those that have room, random ones of equal length first, and decides again in every cycle in which \
          none has any. On a tree these are all ports up until the way leads down, and then one. Like up-down it needs one virtual \
          channel: no path goes up again once it went down. Shares depend on the queues, so `hopline load` cannot tell them; what \
          up-down spreads evenly is what they come to where queues are even.\n\
          All inputs of a router see the same queue, and may choose it in the same cycle: more is not always better than \
          the even spreading of up-down. With switching=wormhole, packets of one flit.\n\
          Source: Schroeder et al., \"Autonet\", 1991, of the paths; Kim, Dally and Abts, \"Adaptive routing in high-radix Clos \
          networks\", SC 2006.",
    example: "up-adaptive",
    params: &[param("roots", "names", "farthest switches", "switches or routers; several as [a,b]")],
};

impl Adaptive {
    /// Up*/down* by the queues, which goes round what is missing.
    pub fn up_down(fabric: &Arc<Fabric>) -> Adaptive {
        Adaptive::new(ENTRY.name, fabric)
    }
}

pub(super) fn read(reader: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    read_up_down(reader, fabric)?;
    Ok(Box::new(Adaptive::up_down(fabric)))
}
