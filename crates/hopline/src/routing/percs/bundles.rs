//! The routings of PERCS as sums of bundles: the sums of their
//! [`load`](super::Routing::load), one by one.
//!
//! Between supernodes a and b, direct routing goes over `first` of the source
//! and b mod W, `pair` of a and b, `last` of the target and a mod W. Indirect
//! routing goes over `out` of the source, `sent` of a, `middle` of a mod W and
//! b mod W, `got` of b, `into` of the target. Within a supernode both go over
//! `leave` of the source and `arrive` of its drawer and the target.

use super::{DRAWER, Direct, Indirect, Inside, Machine, SUPERNODE, split};
use crate::id::VertexId;
use crate::routing::Route;
use crate::routing::bundles::{Bundles, Numbers};

/// What both routings share: bundles within a supernode, and host links.
struct LocalBundles {
    leave: u32,
    arrive: u32,
    inject: u32,
    eject: u32,
}

impl LocalBundles {
    fn new(machine: &Machine, numbers: &mut Numbers) -> LocalBundles {
        let nodes = machine.percs.nodes();
        let (leave, arrive) = match machine.inside {
            Inside::Striped => (nodes, nodes * (SUPERNODE / DRAWER)),
            Inside::SingleHop => (0, nodes * SUPERNODE),
        };
        let hosts = machine.percs.host_ports() * nodes;
        LocalBundles {
            leave: numbers.table(leave),
            arrive: numbers.table(arrive),
            inject: numbers.table(hosts),
            eject: numbers.table(hosts),
        }
    }

    /// Bundles between two nodes of one supernode.
    fn inside(&self, machine: &Machine, source: u32, target: u32, bundles: &mut Vec<u32>) {
        let within = source % SUPERNODE;
        match machine.inside {
            Inside::Striped => {
                bundles.push(self.leave + source);
                bundles.push(self.arrive + target * (SUPERNODE / DRAWER) + within / DRAWER);
            }
            Inside::SingleHop => bundles.push(self.arrive + target * SUPERNODE + within),
        }
    }

    /// Writes the bundles of host links and of a way within a supernode; the supernodes where they differ.
    fn between(&self, m: &Machine, source: VertexId, target: VertexId, bundles: &mut Vec<u32>) -> Option<(u32, u32)> {
        let ((from, _), (to, _)) = (split(source), split(target));
        bundles.clear();
        if source == target {
            return None;
        }
        if m.percs.host_ports() > 0 {
            bundles.extend([self.inject + source.0, self.eject + target.0]);
        }
        if from == to {
            self.inside(m, source.0, target.0, bundles);
            return None;
        }
        Some((from, to))
    }

    /// Links of the bundle `number`, which is one of these tables.
    fn links(&self, machine: &Machine, number: u32, route: &mut Route) {
        let fabric = &*machine.fabric;
        if number >= self.inject {
            let eject = number >= self.eject;
            let link = fabric.out_link(VertexId(number - if eject { self.eject } else { self.inject }), 0);
            return route.push((if eject { fabric.reverse(link) } else { link }, 1.0));
        }
        let mut hops = Hops { machine, route };
        if number < self.arrive {
            let node = number - self.leave;
            let drawer = node % SUPERNODE / DRAWER * DRAWER;
            (drawer..drawer + DRAWER).for_each(|x| hops.from(node, x, 1.0 / f64::from(DRAWER)));
        } else if machine.inside == Inside::Striped {
            let (node, drawer) = ((number - self.arrive) / 4, (number - self.arrive) % 4 * DRAWER);
            (drawer..drawer + DRAWER).for_each(|x| hops.to(x, node, 1.0 / f64::from(DRAWER)));
        } else {
            hops.to((number - self.arrive) % SUPERNODE, (number - self.arrive) / SUPERNODE, 1.0);
        }
    }
}

/// Writes L hops, leaving out those that stay at their node.
struct Hops<'a> {
    machine: &'a Machine,
    route: &'a mut Route,
}

impl Hops<'_> {
    fn hop(&mut self, supernode: u32, from: u32, to: u32, share: f64) {
        if from != to {
            self.route.push((self.machine.percs.l_link(&self.machine.fabric, supernode, from, to), share));
        }
    }

    /// From a node to node `to` of its supernode.
    fn from(&mut self, node: u32, to: u32, share: f64) {
        self.hop(node / SUPERNODE, node % SUPERNODE, to, share);
    }

    /// From node `from` of its supernode to a node.
    fn to(&mut self, from: u32, node: u32, share: f64) {
        self.hop(node / SUPERNODE, from, node % SUPERNODE, share);
    }
}

/// Tables of direct routing.
pub(super) struct DirectBundles {
    last: u32,
    pair: u32,
    own: LocalBundles,
    count: u32,
}

impl DirectBundles {
    pub(super) fn new(m: &Machine) -> DirectBundles {
        let mut numbers = Numbers::default();
        // `first` begins at 0.
        numbers.table(m.percs.nodes() * m.percs.bucket());
        DirectBundles {
            last: numbers.table(m.percs.nodes() * m.percs.bucket()),
            pair: numbers.table(m.percs.ns * m.percs.ns),
            own: LocalBundles::new(m, &mut numbers),
            count: numbers.count(),
        }
    }
}

impl Bundles for Direct {
    fn count(&self) -> u32 {
        self.bundles.count
    }

    fn of(&self, source: VertexId, target: VertexId, bundles: &mut Vec<u32>) {
        let (m, b) = (&self.machine, &self.bundles);
        let Some((from, to)) = b.own.between(m, source, target, bundles) else { return };
        // W is a power of two.
        let w = m.percs.bucket();
        bundles.extend([
            source.0 * w + (to & (w - 1)),
            b.last + target.0 * w + (from & (w - 1)),
            b.pair + from * m.percs.ns + to,
        ]);
    }

    fn links(&self, bundle: u32, route: &mut Route) {
        let (m, b) = (&self.machine, &self.bundles);
        let (w, nd) = (m.percs.bucket(), m.percs.nd);
        let share = 1.0 / f64::from(nd);
        route.clear();
        if bundle < b.pair {
            let back = bundle >= b.last;
            let number = bundle - if back { b.last } else { 0 };
            let (node, residue) = (number / w, number % w);
            let mut hops = Hops { machine: m, route };
            for x in (0..nd).map(|j| j * w + residue) {
                if back { hops.to(x, node, share) } else { hops.from(node, x, share) }
            }
        } else if bundle < b.own.leave {
            let (from, to) = ((bundle - b.pair) / m.percs.ns, (bundle - b.pair) % m.percs.ns);
            route.extend((0..nd).map(|j| (m.percs.d_link(&m.fabric, from, to, j), share)));
        } else {
            b.own.links(m, bundle, route);
        }
    }
}

/// Tables of indirect routing where all supernodes serve as intermediates.
pub(super) struct IndirectBundles {
    into: u32,
    sent: u32,
    got: u32,
    middle: u32,
    own: LocalBundles,
    count: u32,
}

impl IndirectBundles {
    pub(super) fn new(m: &Machine) -> IndirectBundles {
        let (mut numbers, w) = (Numbers::default(), m.percs.bucket());
        // `out` begins at 0.
        numbers.table(m.percs.nodes());
        IndirectBundles {
            into: numbers.table(m.percs.nodes()),
            sent: numbers.table(m.percs.ns),
            got: numbers.table(m.percs.ns),
            middle: numbers.table(w * w),
            own: LocalBundles::new(m, &mut numbers),
            count: numbers.count(),
        }
    }
}

impl Bundles for Indirect {
    fn count(&self) -> u32 {
        self.bundles.count
    }

    fn of(&self, source: VertexId, target: VertexId, bundles: &mut Vec<u32>) {
        let (m, b) = (&self.machine, &self.bundles);
        let Some((from, to)) = b.own.between(m, source, target, bundles) else { return };
        let w = m.percs.bucket();
        bundles.extend([
            source.0,
            b.into + target.0,
            b.sent + from,
            b.got + to,
            b.middle + (from & (w - 1)) * w + (to & (w - 1)),
        ]);
    }

    fn links(&self, bundle: u32, route: &mut Route) {
        let (m, b) = (&self.machine, &self.bundles);
        let (ns, nd, w) = (m.percs.ns, m.percs.nd, m.percs.bucket());
        let share = 1.0 / (f64::from(ns) * f64::from(nd));
        route.clear();
        if bundle < b.sent {
            let back = bundle >= b.into;
            let node = bundle - if back { b.into } else { 0 };
            let mut hops = Hops { machine: m, route };
            for x in 0..SUPERNODE {
                // The D links of so many supernodes leave node x.
                let share = f64::from((ns + w - 1 - x % w) / w) * share;
                if back { hops.to(x, node, share) } else { hops.from(node, x, share) }
            }
        } else if bundle < b.got {
            let a = bundle - b.sent;
            each(ns, nd, |c, j| route.push((m.percs.d_link(&m.fabric, a, c, j), share)));
        } else if bundle < b.middle {
            let a = bundle - b.got;
            each(ns, nd, |c, j| route.push((m.percs.d_link(&m.fabric, c, a, j), share)));
        } else if bundle < b.own.leave {
            let (r, s) = ((bundle - b.middle) / w, (bundle - b.middle) % w);
            let mut hops = Hops { machine: m, route };
            if self.middle {
                each(ns, nd, |c, j| hops.hop(c, j * w + r, j * w + s, share));
            }
        } else {
            b.own.links(m, bundle, route);
        }
    }
}

/// Every intermediate supernode and bucket.
fn each(ns: u32, nd: u32, mut visit: impl FnMut(u32, u32)) {
    (0..ns).for_each(|c| (0..nd).for_each(|j| visit(c, j)));
}
