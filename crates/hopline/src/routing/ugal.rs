//! UGAL: minimal or Valiant, by the queues where a packet enters. Kim,
//! Dally, Scott and Abts, 2008, section 4.

use super::Routing;
use super::adaptive::{Adaptive, Rule};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::params::{Params, Reader};
use crate::topology::Topology;
use std::sync::Arc;

pub(super) const UGAL_L: Entry = Entry {
    name: "ugal-l",
    summary: "any network, flits only: minimal or valiant-any, by the queues of the source's router",
    doc: "When a packet is first at the head of its queue, the flits waiting for the first port of its minimal path times \
          the hops of that path are compared with the same for one random path of valiant-any; the minimal path is taken \
          unless its product is larger by more than threshold (with a negative one, unless it is not smaller by as much). Shares depend on the queues, so `hopline load` cannot \
          tell them.\n\
          Flits: as many virtual channels as valiant-any.\n\
          Source: Kim, Dally, Scott and Abts, \"Technology-driven, highly-scalable dragonfly topology\", 2008, section 4.",
    example: "ugal-l:threshold=0",
    params: &[THRESHOLD],
};

pub(super) const UGAL_G: Entry = Entry {
    name: "ugal-g",
    summary: "any network, flits only: as ugal-l, by queues wherever they are",
    doc: "As ugal-l, but on a Dragonfly it compares what waits for the first global link of either path, at the router that has it; \
          on other networks all that waits along either path, without its hops: the ideal that no router can know. Simulated by one \
          thread.\n\
          Source: Kim, Dally, Scott and Abts, \"Technology-driven, highly-scalable dragonfly topology\", 2008, section 4.",
    example: "ugal-g:threshold=0",
    params: &[THRESHOLD],
};

const THRESHOLD: Param = param(
    "threshold",
    "count",
    "0",
    "flits x hops by which the minimal path may be worse; negative: by which it must be better",
);

/// Minimal or Valiant, by the queues where a packet enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ugal {
    /// Whether the queues of all routers are seen, not those of the source's alone.
    pub(crate) everywhere: bool,
    /// Flits x hops by which the minimal path may be worse, or, negative, must be better.
    pub(crate) threshold: i64,
}

impl Ugal {
    /// Whether a packet stays on the minimal path, by what waits for it and for the longer one.
    pub(crate) fn keeps(self, minimal: u32, longer: u32) -> bool {
        i64::from(minimal) <= i64::from(longer).saturating_add(self.threshold)
    }
}

impl Rule for Ugal {
    fn params(&self, _: &Fabric) -> Params {
        let entry = if self.everywhere { UGAL_G } else { UGAL_L };
        Params::named(entry.name).unless(THRESHOLD.name, self.threshold, 0)
    }
}

impl Adaptive<Ugal> {
    /// Minimal or Valiant by the queues of the source's router.
    pub fn ugal_local(fabric: &Arc<Fabric>) -> Self {
        Adaptive { fabric: fabric.clone(), rule: Ugal { everywhere: false, threshold: 0 } }
    }

    /// Minimal or Valiant by queues wherever they are.
    pub fn ugal_global(fabric: &Arc<Fabric>) -> Self {
        Adaptive { fabric: fabric.clone(), rule: Ugal { everywhere: true, threshold: 0 } }
    }

    /// The same where the minimal path may be so many flits x hops worse, or, negative, must be so much better.
    #[must_use]
    pub fn threshold(mut self, threshold: i64) -> Self {
        self.rule.threshold = threshold;
        self
    }

    fn read(self, reader: &Reader) -> Result<Self> {
        reader.set(self, THRESHOLD.name, |routing, threshold| Ok(routing.threshold(threshold)))
    }
}

pub(super) fn local(reader: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(Adaptive::ugal_local(fabric).read(reader)?))
}

pub(super) fn global(reader: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(Adaptive::ugal_global(fabric).read(reader)?))
}

/// What the packets of a spec go by, if its routing is one of these.
pub(crate) fn read_ugal(reader: &Reader, name: &str, fabric: &Arc<Fabric>) -> Result<Option<Ugal>> {
    let routing = match name {
        name if name == UGAL_L.name => Adaptive::ugal_local(fabric),
        name if name == UGAL_G.name => Adaptive::ugal_global(fabric),
        _ => return Ok(None),
    };
    Ok(Some(routing.read(reader)?.rule))
}
