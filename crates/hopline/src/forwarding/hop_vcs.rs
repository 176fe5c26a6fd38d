//! The VC of a hop where the routing says only the port: one for all, or the next one
//! with every hop.

use super::{At, Channel, NOWHERE, Wiring};

/// The class of a channel where VCs grow with every hop: the VC; terminals come last.
pub(super) fn class_by_hop(wiring: &Wiring, channel: Channel) -> u64 {
    match wiring.ports[channel.port as usize].peer {
        NOWHERE => u64::MAX,
        _ => u64::from(channel.vc),
    }
}

/// So many VCs.
pub(super) struct HopVcs {
    count: u8,
    /// The terminals of every router, a bit per port in so many words; none where there is one VC.
    terminals: Vec<u64>,
    words: usize,
}

impl HopVcs {
    /// O(ports).
    pub(super) fn new(wiring: &Wiring, count: u8) -> HopVcs {
        let words = wiring.mask_words();
        let mut terminals = if count > 1 { vec![0; words * wiring.len()] } else { Vec::new() };
        if count > 1 {
            for (p, port) in (0u32..).zip(&wiring.ports).filter(|(_, port)| port.peer == NOWHERE) {
                let offset = wiring.offset(p);
                terminals[port.router as usize * words + usize::from(offset / 64)] |= 1 << (offset % 64);
            }
        }
        HopVcs { count, terminals, words }
    }

    pub(super) fn count(&self) -> u8 {
        self.count
    }

    /// The VC of a packet that leaves by a port.
    #[inline]
    pub(super) fn of(&self, at: At, port: u16) -> u8 {
        if self.terminals.is_empty() { 0 } else { self.next(at, port) }
    }

    /// Not inlined: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn next(&self, at: At, port: u16) -> u8 {
        let first = at.router as usize * self.words;
        // Where no port leads on it is one past all, which may be past all routers, too.
        let set = |port: u16| self.terminals.get(first + usize::from(port / 64)).copied().unwrap_or(0);
        let is_terminal = |port: u16| set(port) >> (port % 64) & 1 == 1;
        let starts = at.port == At::START || is_terminal(at.port);
        let ends = is_terminal(port);
        if starts || ends { 0 } else { at.vc + 1 }
    }
}
