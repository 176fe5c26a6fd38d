//! Minimal routing of a Dragonfly on the virtual channels of other simulators.

use super::DragonflyRule;
use crate::error::Result;
use crate::params::Reader;
use crate::routing::At;

/// A simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    BookSim,
    Caminos,
}

impl Peer {
    /// Reads `like` of the routing `minimal`.
    ///
    /// # Errors
    /// The word is none of those that are known.
    pub(crate) fn read(reader: &Reader) -> Result<Option<Peer>> {
        Ok([None, Some(Peer::BookSim), Some(Peer::Caminos)][reader.choice("like", &["none", "booksim", "caminos"])?])
    }

    /// The VC on which a packet leaves that came to a router on a global link or not, and on which VC. BookSim2's are on 0 up to the
    /// global link, from there on, and to the endpoint, on 1; CAMINOS' are on 1 behind the global link alone. Both keep
    /// packets within a group on 0. Every path uses L0, then a global link, then L1, so none can close a circle.
    pub(crate) fn vc(self, came: (bool, u8), leaves_group: bool) -> u8 {
        match self {
            Peer::BookSim => {
                if leaves_group {
                    1
                } else {
                    came.1
                }
            }
            Peer::Caminos => u8::from(came.0 && !leaves_group),
        }
    }
}

impl DragonflyRule {
    /// Whether a port of a router leads to another group.
    pub(crate) fn is_global(&self, port: u16) -> bool {
        port != At::START && u32::from(port) >= self.p + self.a - 1
    }
}
