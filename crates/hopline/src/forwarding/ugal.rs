//! UGAL: at the source, the shorter of two queues decides between the minimal
//! and a random longer path. Kim, Dally, Scott and Abts, "Technology-driven,
//! highly-scalable dragonfly topology", 2008, section 4.

use super::dragonfly::DragonflyHops;
use super::{Header, Hop, Queues};
use crate::routing::Ugal;

impl DragonflyHops {
    /// The header 0 of the minimal path, unless waiting flits x hops are more than
    /// by way of `detour`, plus the threshold. Waiting are those for the first
    /// port (UGAL-L), or for the path's first global link wherever it starts (UGAL-G).
    pub(super) fn choose(&self, router: u32, target: u32, detour: Header, ugal: Ugal, queues: &dyn Queues) -> Header {
        if detour == Header(0) {
            return detour;
        }
        let rule = &self.rule;
        let (at, home) = (rule.place(router), rule.home(target));
        let (to, via) = (rule.place(home), rule.place(detour.0 - 1));
        let waiting = |group: u32| match ugal.everywhere {
            true => {
                let (exit, port) = rule.gateway(at.0, group);
                queues.waiting(at.0 * rule.a + exit, port)
            }
            false => {
                let Hop { port, .. } = rule.leave(at, group, 0, 0);
                queues.waiting(router, port)
            }
        };
        let minimal = waiting(to.0) * self.hops(at, to);
        let longer = waiting(via.0) * (self.hops(at, via) + self.hops(via, to));
        if ugal.keeps(minimal, longer) { Header(0) } else { detour }
    }

    /// Hops of the minimal path between two routers.
    fn hops(&self, (i, x): (u32, u32), (j, y): (u32, u32)) -> u32 {
        if i == j {
            return u32::from(x != y);
        }
        1 + u32::from(self.rule.gateway(i, j).0 != x) + u32::from(self.rule.gateway(j, i).0 != y)
    }
}
