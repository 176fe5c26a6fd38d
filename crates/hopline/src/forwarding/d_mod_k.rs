//! D-mod-k on fat trees, flit by flit: the rule of the routing, without a table.

use super::{At, Channel, Context, Forwarding, Header, Hop, Queues, Wiring, terminals};
use crate::error::Result;
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{DModKRule, read_d_mod_k};

/// Up by the target's number, then down: one virtual channel, and nothing to draw.
pub struct DModKHops {
    rule: DModKRule,
}

impl DModKHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<DModKHops> {
        Ok(DModKHops { rule: read_d_mod_k(reader, context.topology, context.fabric)?.rule() })
    }
}

impl Forwarding for DModKHops {
    fn vcs(&self) -> u8 {
        1
    }

    fn inject(&self, _: u32, _: u32, _: &dyn Queues, _: &mut Rng) -> Header {
        Header(0)
    }

    #[inline]
    fn hop(&self, at: At, target: u32, _: &mut Header) -> Hop {
        Hop { port: self.rule.port(at.router, target), vc: 0 }
    }

    fn longest(&self) -> u32 {
        2 * self.rule.levels()
    }

    fn headers(&self, _: u32, _: u32) -> Vec<Header> {
        vec![Header(0)]
    }

    /// From one leaf to all endpoints, and from all leaves to one endpoint: the subtrees of a level are alike, and so are the
    /// switches at the top of one.
    fn walks(&self, wiring: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        let leaves = terminals(wiring);
        let targets = wiring.home.len() as u32;
        leaves.iter().for_each(|&leaf| visit(leaf, 0, Header(0)));
        leaves.iter().take(1).for_each(|&leaf| (1..targets).for_each(|target| visit(leaf, target, Header(0))));
    }

    /// Up or down, and the level: a path uses them in a fixed order.
    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        let port = wiring.offset(channel.port);
        let (level, is_up) = self.rule.step(wiring.ports[channel.port as usize].router, port.into());
        u64::from(level) << 1 | u64::from(is_up)
    }
}
