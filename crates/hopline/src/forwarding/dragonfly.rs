//! Dragonfly, flit by flit: minimal, Valiant and UGAL by the rule of the routings.

use super::{Adapts, At, Channel, Context, Forwarding, Header, Hop, Queues, Wiring};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::rng::Rng;
use crate::routing::{Detour, DragonflyRule, Ugal, read_ugal};
use crate::topology::Topology;

/// Forwarding on a Dragonfly: a packet draws its detour where it enters.
pub struct DragonflyHops {
    pub(super) rule: DragonflyRule,
    pub(super) ugal: Option<Ugal>,
}

impl DragonflyHops {
    /// Whether the network is a whole Dragonfly with one link between any two groups.
    pub(super) fn fit(_: &Reader, context: &Context<'_>) -> bool {
        matches!(context.topology, Topology::Dragonfly(d) if d.is(context.fabric))
    }

    pub(super) fn read(reader: &Reader, name: &str, context: &Context<'_>) -> Result<DragonflyHops> {
        let Topology::Dragonfly(d) = context.topology else {
            return Err(Error::input(format!("`{name}` needs a dragonfly")).at(reader.place()));
        };
        let detour = match name {
            "minimal" => Detour::None,
            "valiant-restricted" => Detour::Group,
            _ => Detour::Router,
        };
        Ok(DragonflyHops {
            rule: DragonflyRule::new(d, detour),
            ugal: read_ugal(reader, name, context.topology, context.fabric)?,
        })
    }
}

impl Forwarding for DragonflyHops {
    fn vcs(&self) -> u8 {
        self.rule.vcs()
    }

    #[inline]
    fn inject(&self, router: u32, target: u32, queues: &dyn Queues, rng: &mut Rng) -> Header {
        if self.rule.detour == Detour::None {
            return Header(0);
        }
        let (i, j) = (self.rule.place(router).0, self.rule.place(self.rule.home(target)).0);
        match self.ugal {
            None => self.rule.draw(i, j, rng),
            Some(ugal) if ugal.booksim => self.choose_as_booksim(router, target, ugal, queues, rng),
            Some(ugal) => self.choose(router, target, self.rule.draw(i, j, rng), ugal, queues),
        }
    }

    #[inline]
    fn hop(&self, at: At, target: u32, header: &mut Header) -> Hop {
        self.rule.hop(at, target, header)
    }

    fn longest(&self) -> u32 {
        self.rule.longest()
    }

    fn is_header(&self, header: Header) -> bool {
        self.rule.is_header(header)
    }

    fn adapts(&self) -> Adapts {
        match self.ugal {
            None => Adapts::Never,
            Some(ugal) => Adapts::AtSource { everywhere: ugal.everywhere },
        }
    }

    fn headers(&self, router: u32, target: u32) -> Vec<Header> {
        let ends = (self.rule.place(router).0, self.rule.place(self.rule.home(target)).0);
        if self.is_booksim() {
            let away = (0..self.rule.groups * self.rule.a).filter(|&via| self.rule.place(via).0 != ends.0);
            let ways = std::iter::once(DragonflyRule::AFTER).chain(away.map(|via| Header(via + 1)));
            return ways.take(if ends.0 == ends.1 { 1 } else { usize::MAX }).collect();
        }
        let minimal = (self.ugal.is_some() && self.rule.detours(ends) > 0).then_some(Header(0));
        minimal.into_iter().chain(self.rule.headers(ends)).collect()
    }

    fn walks(&self, _: &Wiring, visit: &mut dyn FnMut(u32, u32, Header)) {
        walk_all(&self.rule, visit);
        if self.is_booksim() {
            self.walk_as_booksim(visit);
        }
    }

    fn class(&self, wiring: &Wiring, channel: Channel) -> u64 {
        class_of(&self.rule, wiring, channel)
    }
}

/// From the routers of group 0 alone, because turning all groups by one maps
/// the network to itself; through every intermediate router, to one endpoint
/// per group, of a router that changes from one to the next.
pub(super) fn walk_all(rule: &DragonflyRule, visit: &mut dyn FnMut(u32, u32, Header)) {
    let routers = rule.groups * rule.a;
    for source in 0..rule.a {
        (0..routers).for_each(|r| visit(source, r * rule.p, Header(0)));
        if rule.detour == Detour::None || rule.groups < 3 {
            continue;
        }
        for middle in rule.a..routers {
            // Any target in another group: what is before and what is after the intermediate
            // router do not depend on each other.
            let mut group = (middle * 7 + source) % rule.groups;
            while group == 0 || group == middle / rule.a {
                group = (group + 1) % rule.groups;
            }
            let target = group * rule.a + (middle / 3 + source) % rule.a;
            visit(source, target * rule.p, Header(middle + 1));
        }
    }
}

/// Local or global, and the VC: all links of a class are used at the same
/// places of a path.
pub(super) fn class_of(rule: &DragonflyRule, wiring: &Wiring, channel: Channel) -> u64 {
    let global = u32::from(wiring.offset(channel.port)) >= rule.p + rule.a - 1;
    u64::from(global) << 8 | u64::from(channel.vc)
}
