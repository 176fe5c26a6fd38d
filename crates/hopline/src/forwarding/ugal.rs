//! UGAL: at the source, the shorter of two queues decides between the minimal
//! and a random longer path. Kim, Dally, Scott and Abts, "Technology-driven,
//! highly-scalable dragonfly topology", 2008, section 4.

use super::dragonfly::DragonflyHops;
use super::{Header, Hop, Queues};
use crate::rng::Rng;
use crate::routing::{DragonflyRule, Ugal};

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

    pub(super) fn is_booksim(&self) -> bool {
        self.ugal.is_some_and(|ugal| ugal.booksim)
    }

    /// As BookSim2 does it: flits for the first port alone are compared, those of the longer path twice; any router outside
    /// the source's group is intermediate, and one inside it means the minimal path. Minimal packets are as those that are past
    /// their intermediate router.
    #[inline(never)]
    pub(super) fn choose_as_booksim(
        &self,
        router: u32,
        target: u32,
        ugal: Ugal,
        queues: &dyn Queues,
        rng: &mut Rng,
    ) -> Header {
        let rule = &self.rule;
        let (at, to) = (rule.place(router), rule.place(rule.home(target)));
        if at.0 == to.0 {
            return DragonflyRule::AFTER;
        }
        let via = rng.below(u64::from(rule.groups * rule.a)) as u32;
        let group = rule.place(via).0;
        if group == at.0 {
            return DragonflyRule::AFTER;
        }
        let waiting = |group| queues.waiting(router, rule.leave(at, group, 0, 0).port);
        if ugal.keeps(waiting(to.0), 2 * waiting(group)) { DragonflyRule::AFTER } else { Header(via + 1) }
    }

    /// What [`walk_all`](super::dragonfly::walk_all) lacks: minimal packets on channels of their own, and intermediate routers in the
    /// target's group.
    pub(super) fn walk_as_booksim(&self, visit: &mut dyn FnMut(u32, u32, Header)) {
        let rule = &self.rule;
        for source in 0..rule.a {
            (0..rule.groups * rule.a).for_each(|r| visit(source, r * rule.p, DragonflyRule::AFTER));
            for middle in rule.a..rule.groups * rule.a {
                let target = middle / rule.a * rule.a + (middle / 3 + source) % rule.a;
                visit(source, target * rule.p, Header(middle + 1));
            }
        }
    }

    /// Hops of the minimal path between two routers.
    fn hops(&self, (i, x): (u32, u32), (j, y): (u32, u32)) -> u32 {
        if i == j {
            return u32::from(x != y);
        }
        1 + u32::from(self.rule.gateway(i, j).0 != x) + u32::from(self.rule.gateway(j, i).0 != y)
    }
}
