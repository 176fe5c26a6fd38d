//! The VC of a hop where the routing says only the port: one for all, or the next one
//! with every hop.

use super::{At, NOWHERE, Wiring};

/// So many VCs.
pub(super) struct HopVcs {
    count: u8,
    /// The terminals of every router, a bit per port; none where there is one VC.
    terminals: Vec<u64>,
}

impl HopVcs {
    /// O(ports).
    pub(super) fn new(wiring: &Wiring, count: u8) -> HopVcs {
        let mut terminals = if count > 1 { vec![0; wiring.len()] } else { Vec::new() };
        if count > 1 {
            for (p, port) in (0u32..).zip(&wiring.ports).filter(|(_, port)| port.peer == NOWHERE) {
                terminals[port.router as usize] |= 1 << wiring.offset(p);
            }
        }
        HopVcs { count, terminals }
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
        let terminals = self.terminals[at.router as usize];
        let starts = at.port == At::START || terminals >> at.port & 1 == 1;
        let ends = terminals >> port & 1 == 1;
        if starts || ends { 0 } else { at.vc + 1 }
    }
}
