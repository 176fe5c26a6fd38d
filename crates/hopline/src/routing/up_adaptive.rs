//! Up*/down* by the queues, which has no fixed shares.

use super::adaptive::{Adaptive, Rule};
use super::up_down::read_roots;
use super::{Routing, Shortest, default_roots, up_down};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::params::{Params, Reader};
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

/// Up*/down* by the queues.
#[derive(Debug, Clone)]
pub struct UpAdaptive {
    /// Empty for the [default](default_roots).
    roots: Vec<VertexId>,
}

impl UpAdaptive {
    /// The paths that it chooses among.
    pub(crate) fn paths(&self, fabric: &Arc<Fabric>) -> Shortest {
        match self.roots.is_empty() {
            true => up_down(fabric.clone(), &default_roots(fabric)),
            false => up_down(fabric.clone(), &self.roots),
        }
    }
}

impl Rule for UpAdaptive {
    fn params(&self, fabric: &Fabric) -> Params {
        let names: Vec<String> = self.roots.iter().map(|&root| fabric.vertex_name(root).to_string()).collect();
        Params::named(ENTRY.name).unless("roots", &names.join(",")[..], "")
    }
}

impl Adaptive<UpAdaptive> {
    /// Up*/down* by the queues, from the [default roots](default_roots); it goes round what is missing.
    pub fn up_down(fabric: &Arc<Fabric>) -> Self {
        Adaptive { fabric: fabric.clone(), rule: UpAdaptive { roots: Vec::new() } }
    }

    /// The same from these roots.
    ///
    /// # Errors
    /// One of them is no router of the fabric.
    pub fn roots(mut self, roots: &[VertexId]) -> Result<Self> {
        let fabric = &self.fabric;
        if let Some(wrong) = roots.iter().find(|v| v.0 >= fabric.vertices() || fabric.is_adapter(**v)) {
            let text = format!("vertex {} is no router of {}", wrong.0, fabric.name());
            return Err(Error::argument("roots", text));
        }
        self.rule.roots = roots.to_vec();
        Ok(self)
    }
}

/// The routing that a spec describes.
pub(crate) fn read_up_adaptive(reader: &Reader, fabric: &Arc<Fabric>) -> Result<Adaptive<UpAdaptive>> {
    Adaptive::up_down(fabric).roots(&read_roots(reader, fabric)?)
}

pub(super) fn read(reader: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(read_up_adaptive(reader, fabric)?))
}
