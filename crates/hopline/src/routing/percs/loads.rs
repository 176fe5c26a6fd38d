//! Loads of links that both routings of PERCS add up in the same way.

use super::{DRAWER, Inside, Machine, SUPERNODE};
use crate::demand::Flows;
use crate::routing::two_level::{Shape, Tally};

impl Machine {
    pub(super) fn tally(&self, flows: &Flows) -> Tally {
        let w = self.percs.bucket();
        // W is a power of two: the mask saves a division per pair of groups.
        let shape = Shape { groups: self.percs.ns, size: SUPERNODE, exits: w };
        Tally::new(flows, shape, |node| node, |_, b| b & (w - 1))
    }

    /// Loads of what stays within supernodes. First hops depend on what a node
    /// sends in all, second hops on what a whole drawer sends to a node.
    pub(super) fn load_inside(&self, t: &Tally, loads: &mut [f64]) {
        let link = |a, u, v| self.percs.l_link(&self.fabric, a, u, v).index();
        for a in 0..self.percs.ns {
            let amount = |u: u32, v: u32| t.inside[((a * SUPERNODE + u) * SUPERNODE + v) as usize];
            match self.inside {
                Inside::SingleHop => each_pair(|u, v| loads[link(a, u, v)] += amount(u, v)),
                Inside::Striped => {
                    for u in 0..SUPERNODE {
                        let sent: f64 = (0..SUPERNODE).map(|v| amount(u, v)).sum();
                        let drawer = u / DRAWER * DRAWER;
                        for x in (drawer..drawer + DRAWER).filter(|&x| x != u) {
                            loads[link(a, u, x)] += sent / f64::from(DRAWER);
                        }
                    }
                    for drawer in (0..SUPERNODE).step_by(DRAWER as usize) {
                        for v in 0..SUPERNODE {
                            let sent: f64 = (drawer..drawer + DRAWER).map(|u| amount(u, v)).sum();
                            for x in (drawer..drawer + DRAWER).filter(|&x| x != v) {
                                loads[link(a, x, v)] += sent / f64::from(DRAWER);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds `load(supernode, from, to)` to every L link.
    pub(super) fn load_l(&self, loads: &mut [f64], load: impl Fn(u32, u32, u32) -> f64) {
        for a in 0..self.percs.ns {
            each_pair(|u, v| loads[self.percs.l_link(&self.fabric, a, u, v).index()] += load(a, u, v));
        }
    }

    /// Adds `load(a, b)` to every D link from supernode a to b.
    pub(super) fn load_d(&self, loads: &mut [f64], load: impl Fn(u32, u32) -> f64) {
        for a in 0..self.percs.ns {
            for b in 0..self.percs.ns {
                let amount = load(a, b);
                for j in 0..self.percs.nd {
                    loads[self.percs.d_link(&self.fabric, a, b, j).index()] += amount;
                }
            }
        }
    }
}

fn each_pair(mut visit: impl FnMut(u32, u32)) {
    for u in 0..SUPERNODE {
        for v in (0..SUPERNODE).filter(|&v| v != u) {
            visit(u, v);
        }
    }
}
