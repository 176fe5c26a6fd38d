//! Progressive adaptive routing, flit by flit. Jiang, Kim and Dally, "Indirect adaptive
//! routing on large scale interconnection networks", ISCA 2009.

use super::dragonfly::{class_of, walk_all};
use super::left::farthest;
use super::{Adapts, At, Channel, Choice, Context, Forwarding, Header, Hop, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{Detour, DragonflyRule, read_progressive};
use crate::topology::Topology;

/// A header is the intermediate router + 1, 0 where there is none, and stays that: which way a packet went says the VC on which it
/// came. Channels are used in the order of these numbers, local and global by turns, so none can close a circle, and every one is one
/// that a packet may always ask for.
pub struct ParHops {
    rule: DragonflyRule,
    threshold: u32,
}

/// VCs of local links: in the source's group on the way that was first chosen and after the turn; the first and the second behind a
/// global link; behind two.
const BEGUN: u8 = 0;
const TURNED: u8 = 1;
const BEHIND_ONE: u8 = 2;
const AFTER_MIDDLE: u8 = 3;
const BEHIND_TWO: u8 = 4;
/// VCs of global links.
const FIRST_GLOBAL: u8 = 0;
const SECOND_GLOBAL: u8 = 1;

/// Routers of the longest way: three in the source's group, three in that of the intermediate router, two in the target's.
const LONGEST: u32 = 8;

/// What a packet may do.
enum Ways {
    /// On as it is.
    One(Hop),
    /// Minimal, or away.
    Two { minimal: Hop, away: Hop },
}

impl ParHops {
    pub(super) fn read(reader: &Reader, _: &str, context: &Context<'_>) -> Result<ParHops> {
        let rule = read_progressive(reader, context.topology, context.fabric)?.into_rule();
        let Topology::Dragonfly(d) = context.topology else {
            return Err(Error::input("`par` needs a dragonfly").at(reader.place()));
        };
        Ok(ParHops { rule: DragonflyRule::new(d, Detour::Router), threshold: rule.threshold })
    }

    fn ways_on(&self, at: At, target: u32, header: Header) -> Ways {
        let rule = &self.rule;
        let home = rule.home(target);
        if home == at.router {
            return Ways::One(Hop { port: (target - home * rule.p) as u16, vc: 0 });
        }
        let (place, (j, y)) = (rule.place(at.router), rule.place(home));
        let (i, x) = place;
        let terminal = at.port == At::START || u32::from(at.port) < rule.p;
        let global = !terminal && u32::from(at.port) >= rule.p + rule.a - 1;
        if i == j {
            let vc = match at.vc {
                _ if terminal => BEGUN,
                FIRST_GLOBAL => BEHIND_ONE,
                _ => BEHIND_TWO,
            };
            return Ways::One(Hop { port: rule.local(x, y), vc });
        }
        let minimal = rule.leave(place, j, BEGUN, FIRST_GLOBAL);
        let Some(middle) = header.0.checked_sub(1) else { return Ways::One(minimal) };
        let (m, z) = rule.place(middle);
        if i == m {
            // Behind the first global link.
            return Ways::One(match global && x != z {
                true => Hop { port: rule.local(x, z), vc: BEHIND_ONE },
                false => rule.leave(place, j, if global { BEHIND_ONE } else { AFTER_MIDDLE }, SECOND_GLOBAL),
            });
        }
        match (terminal, at.vc) {
            (true, _) => Ways::Two { minimal, away: rule.leave(place, m, BEGUN, FIRST_GLOBAL) },
            (false, BEGUN) if rule.gateway(i, j).0 == x => {
                Ways::Two { minimal, away: rule.leave(place, m, TURNED, FIRST_GLOBAL) }
            }
            _ => Ways::One(rule.leave(place, m, TURNED, FIRST_GLOBAL)),
        }
    }
}

impl Forwarding for ParHops {
    fn vcs(&self) -> u8 {
        BEHIND_TWO + 1
    }

    // Not inlined, as below: others' hops stand in the same function of the engine.
    #[inline(never)]
    fn inject(&self, router: u32, target: u32, _: &dyn Queues, rng: &mut Rng) -> Header {
        let place = |router: u32| self.rule.place(router).0;
        self.rule.draw(place(router), place(self.rule.home(target)), rng)
    }

    #[inline(never)]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        match self.ways_on(at, target, *header) {
            Ways::One(hop) | Ways::Two { minimal: hop, .. } => hop,
        }
    }

    /// The way away comes first where its queue is shorter.
    fn candidates(&self, at: At, target: u32, header: Header, choice: &mut impl Choice) {
        let ways = self.ways_on(at, target, header);
        if let Ways::Two { minimal, away } = ways
            && minimal.port != away.port
        {
            let (straight, beside) = (choice.at_port(minimal.port), choice.at_port(away.port));
            let beside = (2 * beside).saturating_add(self.threshold);
            if straight > beside || straight == beside && choice.drawn() & 1 == 1 {
                choice.offer(away, 0);
            }
        }
        let (Ways::One(hop) | Ways::Two { minimal: hop, .. }) = ways;
        choice.offer(hop, 1);
    }

    fn longest(&self) -> u32 {
        LONGEST
    }

    fn is_header(&self, header: Header) -> bool {
        header.0 <= self.rule.groups * self.rule.a
    }

    fn left(&self, wiring: &Wiring, at: At, target: u32, header: Header) -> Option<u32> {
        farthest(self, wiring, at, target, header, LONGEST)
    }

    fn adapts(&self) -> Adapts {
        Adapts::EveryHop
    }

    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        let ends = (self.rule.place(router).0, self.rule.place(self.rule.home(target)).0);
        self.rule.headers(ends).collect()
    }

    fn ways(&self, at: At, target: u32, header: Header, found: &mut Vec<(Hop, Header)>) {
        match self.ways_on(at, target, header) {
            Ways::One(hop) => found.push((hop, header)),
            Ways::Two { minimal, away } if minimal == away => found.push((minimal, header)),
            Ways::Two { minimal, away } => found.extend([minimal, away].map(|hop| (hop, header))),
        }
    }

    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        walk_all(&self.rule, visit);
    }

    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        class_of(&self.rule, wiring, channel)
    }
}
