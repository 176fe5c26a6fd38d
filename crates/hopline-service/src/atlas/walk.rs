//! Walking the tables from one end to the other, as a packet does.

use super::{Atlas, Link, NO_PORT, NOWHERE};

/// One link of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The vertex that the packet leaves.
    pub from: u32,
    /// The link, with the ports of both ends.
    pub link: Link,
}

/// Why a packet does not arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The target has no LID.
    NoLid,
    /// The adapter has no cable.
    NoUplink(u32),
    /// No table of this switch was read.
    NoTable(u32),
    /// The switch has no entry for the LID.
    NoEntry(u32, u16),
    /// The switch forwards to a port without a cable.
    NoCable(u32, u8),
    /// The tables lead to another vertex.
    Strayed(u32),
    /// The tables lead in a circle through this switch.
    Circle(u32),
}

impl Atlas {
    /// The link on which a switch forwards a LID.
    #[inline]
    pub(super) fn forward(&self, switch: u32, lid: u16) -> Result<Link, Stop> {
        let s = (switch - self.endpoints) as usize;
        let row = usize::from(lid) * self.tabled.len();
        let port = if usize::from(lid) < self.owner.len() { self.tables[row + s] } else { NO_PORT };
        match port {
            NO_PORT if !self.tabled[s] => Err(Stop::NoTable(switch)),
            NO_PORT => Err(Stop::NoEntry(switch, lid)),
            0 => Err(Stop::Strayed(switch)),
            _ => {
                let at = self.first[switch as usize] + u32::from(port);
                let link = if at < self.first[switch as usize + 1] { Some(self.links[at as usize]) } else { None };
                link.filter(|l| l.to != NOWHERE).ok_or(Stop::NoCable(switch, port))
            }
        }
    }

    /// Walks from `source` to the `target` that owns `lid` and calls `visit` on
    /// every link. A vertex reaches itself without a step. O(steps), no allocation.
    ///
    /// # Errors
    /// Where and why the packet stops; the links before were visited.
    #[inline]
    pub fn walk(&self, source: u32, target: u32, lid: u16, mut visit: impl FnMut(Step)) -> Result<(), Stop> {
        let mut at = source;
        if source == target {
            return Ok(());
        }
        if lid == 0 {
            return Err(Stop::NoLid);
        }
        if self.is_endpoint(at) {
            let link = self.uplink(at).ok_or(Stop::NoUplink(at))?;
            visit(Step { from: at, link });
            at = link.to;
        }
        for _ in 0..=self.switches() {
            if at == target {
                return Ok(());
            }
            if self.is_endpoint(at) {
                return Err(Stop::Strayed(at));
            }
            let link = self.forward(at, lid)?;
            visit(Step { from: at, link });
            at = link.to;
        }
        Err(Stop::Circle(at))
    }
}
