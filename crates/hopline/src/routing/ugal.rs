//! UGAL: minimal or Valiant, by the queues where a packet enters. Kim,
//! Dally, Scott and Abts, 2008, section 4.

use super::adaptive::{Adaptive, Rule};
use super::{Routing, check_whole};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::params::{Params, Reader};
use crate::topology::{Dragonfly, Topology};
use std::sync::Arc;

pub(super) const UGAL_L: Entry = Entry {
    name: "ugal-l",
    summary: "any network, flits only: minimal or valiant-any, by the queues of the source's router",
    doc: "When a packet is first at the head of its queue, the flits waiting for the first port of its minimal path times \
          the hops of that path are compared with the same for one random path of valiant-any; the minimal path is taken \
          unless its product is larger by more than threshold (with a negative one, unless it is not smaller by as much). Shares depend on the queues, so `hopline load` cannot \
          tell them.\n\
          With like=booksim, on a Dragonfly, packets decide as BookSim2's do: flits alone are compared, those of the longer path \
          twice, whatever its hops; the intermediate router is that of any endpoint outside the source's group, the target's group \
          included; and minimal packets have virtual channels of their own until the last group, so that others need not wait behind them.\n\
          Flits: as many virtual channels as valiant-any.\n\
          Source: Kim, Dally, Scott and Abts, \"Technology-driven, highly-scalable dragonfly topology\", 2008, section 4.",
    example: "ugal-l:threshold=0",
    params: &[
        THRESHOLD,
        param(
            "like",
            "none|booksim",
            "none",
            "whose rule; booksim's compares flits, and its threshold is 30 unless it is given",
        ),
    ],
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
    /// Whether BookSim2's rule of Dragonflies is followed.
    pub(crate) booksim: bool,
}

/// The threshold of BookSim2's rule, in flits.
const BOOKSIM_THRESHOLD: i64 = 30;

impl Ugal {
    /// Whether a packet stays on the minimal path, by what waits for it and for the longer one.
    pub(crate) fn keeps(self, minimal: u32, longer: u32) -> bool {
        i64::from(minimal) <= i64::from(longer).saturating_add(self.threshold)
    }
}

impl Rule for Ugal {
    fn params(&self, _: &Fabric) -> Params {
        let entry = if self.everywhere { UGAL_G } else { UGAL_L };
        let (threshold, like) = if self.booksim { (BOOKSIM_THRESHOLD, "booksim") } else { (0, "none") };
        Params::named(entry.name).unless(THRESHOLD.name, self.threshold, threshold).unless("like", like, "none")
    }
}

impl Adaptive<Ugal> {
    /// Minimal or Valiant by the queues of the source's router.
    pub fn ugal_local(fabric: &Arc<Fabric>) -> Self {
        Adaptive { fabric: fabric.clone(), rule: Ugal { everywhere: false, threshold: 0, booksim: false } }
    }

    /// The same by the rule that BookSim2 has for Dragonflies, with its threshold of 30 flits.
    ///
    /// # Errors
    /// The fabric is not that Dragonfly, whole.
    pub fn ugal_booksim(dragonfly: &Dragonfly, fabric: &Arc<Fabric>) -> Result<Self> {
        check_whole(UGAL_L.name, dragonfly.clone(), fabric)?;
        let rule = Ugal { everywhere: false, threshold: BOOKSIM_THRESHOLD, booksim: true };
        Ok(Adaptive { fabric: fabric.clone(), rule })
    }

    /// Minimal or Valiant by queues wherever they are.
    pub fn ugal_global(fabric: &Arc<Fabric>) -> Self {
        Adaptive { fabric: fabric.clone(), rule: Ugal { everywhere: true, threshold: 0, booksim: false } }
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

pub(super) fn local(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(read_local(reader, topology, fabric)?))
}

fn read_local(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Adaptive<Ugal>> {
    let routing = match (reader.choice("like", &["none", "booksim"])?, topology) {
        (0, _) => Adaptive::ugal_local(fabric),
        (_, Topology::Dragonfly(d)) if d.is(fabric) => Adaptive::ugal_booksim(d, fabric)?,
        _ => {
            let text = "BookSim2's rule is that of Dragonflies with one link between any two groups";
            return Err(reader.wrong("like", text).hint("leave `like` out"));
        }
    };
    routing.read(reader)
}

pub(super) fn global(reader: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(Adaptive::ugal_global(fabric).read(reader)?))
}

/// What the packets of a spec go by, if its routing is one of these.
pub(crate) fn read_ugal(
    reader: &Reader,
    name: &str,
    topology: &Topology,
    fabric: &Arc<Fabric>,
) -> Result<Option<Ugal>> {
    let routing = match name {
        name if name == UGAL_L.name => read_local(reader, topology, fabric)?,
        name if name == UGAL_G.name => Adaptive::ugal_global(fabric).read(reader)?,
        _ => return Ok(None),
    };
    Ok(Some(routing.rule))
}
