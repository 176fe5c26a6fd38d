//! Minimal routing of a Dragonfly, flit by flit, on the virtual channels of other simulators.

use super::dragonfly::{class_of, walk_all};
use super::{At, Channel, Context, Forwarding, Header, Hop, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{Detour, DragonflyRule, Peer};
use crate::topology::Topology;

/// The hops of the minimal rule, on VCs that follow from the port and VC on which a packet came.
pub struct DragonflyPeerHops {
    rule: DragonflyRule,
    peer: Peer,
}

impl DragonflyPeerHops {
    /// Whether another simulator is named.
    pub(super) fn fit(reader: &Reader, _: &Context<'_>) -> bool {
        matches!(Peer::read(reader), Ok(Some(_)))
    }

    pub(super) fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<DragonflyPeerHops> {
        match (Peer::read(reader)?, context.topology) {
            (Some(peer), Topology::Dragonfly(d)) => {
                Ok(DragonflyPeerHops { rule: DragonflyRule::new(d, Detour::None), peer })
            }
            _ => Err(Error::input(format!("`{name}` on others' channels needs a dragonfly")).at(reader.place())),
        }
    }
}

impl Forwarding for DragonflyPeerHops {
    fn vcs(&self) -> u8 {
        self.rule.vcs()
    }

    fn inject(&self, _: u32, _: u32, _: &dyn Queues, _: &mut Rng) -> Header {
        Header(0)
    }

    // Not inlined: beside others' hops it would cost those of every Dragonfly.
    #[inline(never)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        let hop = self.rule.hop(at, target, header);
        let vc = self.peer.vc((self.rule.is_global(at.port), at.vc), self.rule.is_global(hop.port));
        Hop { vc, ..hop }
    }

    fn longest(&self) -> u32 {
        self.rule.longest()
    }

    fn is_header(&self, header: Header) -> bool {
        header == Header(0)
    }

    fn headers(&self, _: u32, _: u32) -> Vec<Header> {
        vec![Header(0)]
    }

    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        walk_all(&self.rule, visit);
    }

    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        class_of(&self.rule, wiring, channel)
    }
}
