//! Valiant routing of a Dragonfly as sums of bundles. From router r of group S to router q of group D a message goes as if by
//! way of every other group: over `leave` of r, `out` of S, `into` of D and `arrive` of q. What D and S have in these as
//! intermediate groups is taken off: `skip_leave`, `skip_arrive` and `pair` have negative shares.

use super::DragonflyPaths;
use crate::id::VertexId;
use crate::routing::bundles::{Bundles, Numbers};
use crate::routing::{Detour, Route};
use crate::topology::Dragonfly;

/// Larger networks have too many bundles to keep.
const MOST_HOPS: u64 = 1 << 24;

/// The first number of each table of bundles; `inject`, by endpoint, begins at 0.
pub(super) struct Tables {
    eject: u32,
    /// By router.
    leave: u32,
    arrive: u32,
    /// By router and place of an exit in its group.
    skip_leave: u32,
    skip_arrive: u32,
    inside: u32,
    /// By group.
    out: u32,
    into: u32,
    /// By two groups.
    pair: u32,
    count: u32,
}

impl Tables {
    pub(super) fn new(d: &Dragonfly) -> Tables {
        let mut numbers = Numbers::default();
        let (groups, routers) = (d.groups(), d.groups() * d.a);
        // `inject` begins at 0.
        numbers.table(routers * d.p);
        Tables {
            eject: numbers.table(routers * d.p),
            leave: numbers.table(routers),
            arrive: numbers.table(routers),
            skip_leave: numbers.table(routers * d.a),
            skip_arrive: numbers.table(routers * d.a),
            inside: numbers.table(routers * d.a),
            out: numbers.table(groups),
            into: numbers.table(groups),
            pair: numbers.table(groups * groups),
            count: numbers.count(),
        }
    }
}

impl DragonflyPaths {
    /// Whether routes have detours, and all bundles with their links fit into memory.
    pub(super) fn has_bundles(&self) -> bool {
        let (g, a) = (u64::from(self.dragonfly.groups()), u64::from(self.dragonfly.a));
        let of_pair = if self.rule.detour == Detour::Group { g } else { 2 * a };
        self.rule.detour != Detour::None && self.others() > 0 && g * g * of_pair + g * a * a * 5 <= MOST_HOPS
    }

    /// A local link of group `i` unless both are one router.
    fn local(&self, i: u32, from: u32, to: u32, share: f64, route: &mut Route) {
        if from != to {
            route.push((self.dragonfly.local_link(&self.fabric, i, from, to), share));
        }
    }

    /// From group `s` over its link to group `i` and, where intermediate routers are drawn, on to those of `i`.
    fn first_half(&self, s: u32, i: u32, share: f64, route: &mut Route) {
        route.push((self.dragonfly.global_link(&self.fabric, s, i), share));
        if self.rule.detour == Detour::Router {
            let (a, came) = (self.dragonfly.a, self.dragonfly.gateway(i, s).0);
            (0..a).for_each(|z| self.local(i, came, z, share / f64::from(a), route));
        }
    }

    /// From such routers of group `i` over its link to group `d`.
    fn second_half(&self, i: u32, d: u32, share: f64, route: &mut Route) {
        if self.rule.detour == Detour::Router {
            let (a, exit) = (self.dragonfly.a, self.dragonfly.gateway(i, d).0);
            (0..a).for_each(|z| self.local(i, z, exit, share / f64::from(a), route));
        }
        route.push((self.dragonfly.global_link(&self.fabric, i, d), share));
    }
}

impl Bundles for DragonflyPaths {
    fn count(&self) -> u32 {
        self.tables.count
    }

    fn of(&self, source: VertexId, target: VertexId, bundles: &mut Vec<u32>) {
        bundles.clear();
        if source == target {
            return;
        }
        let (t, dragonfly) = (&self.tables, &self.dragonfly);
        let (a, g) = (dragonfly.a, dragonfly.groups());
        bundles.extend([source.0, t.eject + target.0]);
        let (r, q) = (self.rule.home(source.0), self.rule.home(target.0));
        let ((s, x), (d, y)) = (self.rule.place(r), self.rule.place(q));
        if s == d {
            bundles.extend((x != y).then_some(t.inside + r * a + y));
            return;
        }
        let (exit, entry) = (dragonfly.gateway(s, d).0, dragonfly.gateway(d, s).0);
        bundles.extend([t.leave + r, t.out + s, t.pair + s * g + d, t.into + d, t.arrive + q]);
        bundles.extend((x != exit).then_some(t.skip_leave + r * a + exit));
        bundles.extend((y != entry).then_some(t.skip_arrive + q * a + entry));
    }

    fn links(&self, bundle: u32, route: &mut Route) {
        route.clear();
        let (t, dragonfly, fabric) = (&self.tables, &self.dragonfly, &*self.fabric);
        let (a, g) = (dragonfly.a, dragonfly.groups());
        let each = 1.0 / f64::from(self.others());
        let through = each * f64::from(dragonfly.h);
        if bundle < t.leave {
            let eject = bundle >= t.eject;
            let link = fabric.out_link(VertexId(bundle - if eject { t.eject } else { 0 }), 0);
            route.push((if eject { fabric.reverse(link) } else { link }, 1.0));
        } else if bundle < t.arrive {
            let (s, x) = self.rule.place(bundle - t.leave);
            (0..a).for_each(|y| self.local(s, x, y, through, route));
        } else if bundle < t.skip_leave {
            let (d, y) = self.rule.place(bundle - t.arrive);
            (0..a).for_each(|x| self.local(d, x, y, through, route));
        } else if bundle < t.skip_arrive {
            let (s, x) = self.rule.place((bundle - t.skip_leave) / a);
            self.local(s, x, (bundle - t.skip_leave) % a, -each, route);
        } else if bundle < t.inside {
            let (d, y) = self.rule.place((bundle - t.skip_arrive) / a);
            self.local(d, (bundle - t.skip_arrive) % a, y, -each, route);
        } else if bundle < t.out {
            let (i, x) = self.rule.place((bundle - t.inside) / a);
            self.local(i, x, (bundle - t.inside) % a, 1.0, route);
        } else if bundle < t.into {
            let s = bundle - t.out;
            (0..g).filter(|&i| i != s).for_each(|i| self.first_half(s, i, each, route));
        } else if bundle < t.pair {
            let d = bundle - t.into;
            (0..g).filter(|&i| i != d).for_each(|i| self.second_half(i, d, each, route));
        } else {
            let (s, d) = ((bundle - t.pair) / g, (bundle - t.pair) % g);
            if s == d {
                return;
            }
            self.first_half(s, d, -each, route);
            self.second_half(s, d, -each, route);
            if self.rule.detour == Detour::Group {
                let middle = (0..g).filter(|&i| i != s && i != d);
                middle.for_each(|i| {
                    self.local(i, dragonfly.gateway(i, s).0, dragonfly.gateway(i, d).0, each, route);
                });
            }
        }
    }
}
