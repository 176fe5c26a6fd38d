//! Valiant routing of a Dragonfly, by way of a random group or a random router
//! of it. Prisacari et al., section II. Other networks: [`Valiant`].

use super::per_hop::PerHop;
use super::shortest::{Shortest, Valiant};
use super::two_level::{Shape, Tally};
use super::{Detour, DragonflyPaths, REGULAR, Routing, load_host_links, mismatch};
use crate::demand::Flows;
use crate::entry::Entry;
use crate::error::Result;
use crate::fabric::Fabric;
use crate::params::Reader;
use crate::topology::Topology;
use std::sync::Arc;

pub(super) const RESTRICTED: Entry = Entry {
    name: "valiant-restricted",
    summary: "Dragonfly: by way of a random group, straight on from the router where it is reached",
    doc: "On a Dragonfly of a h + 1 groups with one cable between any two. Between groups S and D, share 1/(g-2) over every group I other \
          than S and D: minimally to the router of I that S leads to, from there minimally to the target: at most L R, L R L. \
          Within a group, and where there are two groups, minimal.\n\
          Flits: 3 virtual channels; local links use 0, 1, 2 in S, I and D, global ones 0, then 1.\n\
          Source: the Dragonfly imbalance paper, section II.",
    example: "valiant-restricted",
    params: &[],
};

pub(super) const ANY: Entry = Entry {
    name: "valiant-any",
    summary: "any network: by way of a random router; on a Dragonfly of a random group",
    doc: "On a Dragonfly of a h + 1 groups as valiant-restricted, but by way of every router of I with equal shares: at most L R L, L R L. On other \
          networks by way of every router with endpoints, those of source and target among them, with equal shares, on shortest paths \
          before and after it whose ties spread evenly hop by hop; messages between endpoints of one router stay there.\n\
          Flits: on a Dragonfly 4 virtual channels; local links use 0 in S, 1 and 2 before and after the intermediate router, 3 in D, \
          global ones 0, then 1. Elsewhere one for every hop of a path.\n\
          Source: the Dragonfly imbalance paper, section II; Valiant, \"A scheme for fast parallel communication\", 1982.",
    example: "valiant-any",
    params: &[],
};

impl DragonflyPaths {
    pub(super) fn restricted(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        match topology {
            Topology::Dragonfly(d) if d.is_regular() => Ok(Box::new(Self::new(d, Detour::Group, fabric)?)),
            _ => Err(mismatch(reader, RESTRICTED.name, REGULAR, topology, fabric)),
        }
    }

    pub(super) fn any(_: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        match topology {
            Topology::Dragonfly(d) if d.is(fabric) => Ok(Box::new(Self::new(d, Detour::Router, fabric)?)),
            _ => Ok(Box::new(PerHop::new(Box::new(Valiant::over(Shortest::minimal(topology, fabric.clone()))?)))),
        }
    }

    /// O(entries + (blocks + 1) * (groups^2 + routers * a)).
    pub(super) fn load_detours(&self, flows: &Flows, loads: &mut [f64]) {
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let shape = Shape { groups: d.groups(), size: d.a, exits: d.a };
        let t = Tally::new(flows, shape, |e| e / d.p, |i, j| d.gateway(i, j).0);
        for r in 0..d.groups() * d.a {
            let (i, x) = (r / d.a, r % d.a);
            for y in (0..d.a).filter(|&y| y != x) {
                loads[d.local_link(f, i, x, y).index()] += t.inside[(r * d.a + y) as usize];
            }
        }
        self.load_between(&t, loads);
        load_host_links(f, flows, loads);
    }

    /// Number of intermediate groups between two different groups.
    pub(super) fn others(&self) -> u32 {
        self.dragonfly.groups() - 2
    }

    /// Local links of every group on the way to and from the intermediate
    /// groups, global links, and the local links in the last group.
    fn load_between(&self, t: &Tally, loads: &mut [f64]) {
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let (g, a, h) = (d.groups() as usize, d.a as usize, f64::from(d.h));
        let each = 1.0 / f64::from(self.others());
        let sum = |range: std::ops::Range<usize>, of: &dyn Fn(usize) -> f64| range.map(of).sum::<f64>();
        let sent: Vec<f64> = (0..g).map(|i| sum(0..g, &|j| t.pair[i * g + j])).collect();
        let got: Vec<f64> = (0..g).map(|j| sum(0..g, &|i| t.pair[i * g + j])).collect();
        let sums = Sums::new(&t.pair, g);
        // A router's traffic meets every exit h times, once per group there, less what stays out of
        // the group of its own target (or comes from that of its own source).
        for r in 0..g * a {
            let (i, x) = ((r / a) as u32, r % a);
            let (first, last) = (&t.first[r * a..][..a], &t.last[r * a..][..a]);
            let (out, into) = (first.iter().sum::<f64>(), last.iter().sum::<f64>());
            for y in (0..a).filter(|&y| y != x) {
                let (to, from) = (d.local_link(f, i, x as u32, y as u32), d.local_link(f, i, y as u32, x as u32));
                loads[to.index()] += (out * h - first[y]).max(0.0) * each;
                loads[from.index()] += (into * h - last[y]).max(0.0) * each;
            }
        }
        for i in 0..g {
            for j in (0..g).filter(|&j| j != i) {
                let (away, home) = (sent[i] - t.pair[i * g + j], got[j] - t.pair[i * g + j]);
                loads[d.global_link(f, i as u32, j as u32).index()] += (away.max(0.0) + home.max(0.0)) * each;
            }
            self.load_middle(t, i, (&sent, &got, &sums), loads);
        }
    }

    /// Local links of an intermediate group: from the router where a source
    /// group arrives to the one that leads to the target group.
    fn load_middle(&self, t: &Tally, i: usize, (sent, got, sums): (&[f64], &[f64], &Sums), loads: &mut [f64]) {
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let (g, a, h) = (d.groups() as usize, d.a as usize, d.h as usize);
        let each = 1.0 / f64::from(self.others());
        // The groups that router x of group i leads to.
        let block = |x: usize| (0..h).map(move |m| (i + x * h + m + 1) % g);
        let mut add = |x: usize, y: usize, amount: f64| {
            if x != y {
                loads[d.local_link(f, i as u32, x as u32, y as u32).index()] += amount.max(0.0) * each;
            }
        };
        if self.rule.detour == Detour::Group {
            for x in 0..a {
                for y in (0..a).filter(|&y| y != x) {
                    add(x, y, sums.of(i + x * d.h as usize + 1, i + y * d.h as usize + 1, d.h as usize));
                }
            }
            return;
        }
        for x in 0..a {
            let arriving: f64 = block(x).map(|s| sent[s] - t.pair[s * g + i]).sum();
            let leaving: f64 = block(x).map(|e| got[e] - t.pair[i * g + e]).sum();
            for z in 0..a {
                add(x, z, arriving / a as f64);
                add(z, x, leaving / a as f64);
            }
        }
    }
}

/// Sums of the amounts between any consecutive groups and any others.
struct Sums {
    groups: usize,
    /// `until[i * (groups + 1) + j]`: from groups below i to groups below j.
    until: Vec<f64>,
}

impl Sums {
    /// O(groups^2).
    fn new(pair: &[f64], groups: usize) -> Sums {
        let n = groups + 1;
        let mut until = vec![0.0; n * n];
        for i in 0..groups {
            let mut row = 0.0;
            for j in 0..groups {
                row += pair[i * groups + j];
                until[(i + 1) * n + j + 1] = until[i * n + j + 1] + row;
            }
        }
        Sums { groups, until }
    }

    /// From the `count` groups from number `from` on, modulo their number, to
    /// those from `to` on.
    fn of(&self, from: usize, to: usize, count: usize) -> f64 {
        let (n, g) = (self.groups + 1, self.groups);
        let ranges = |first: usize| {
            let first = first % g;
            let end = first + count;
            [(first, end.min(g)), (0, end.saturating_sub(g))]
        };
        let mut sum = 0.0;
        for (a, b) in ranges(from) {
            for (c, d) in ranges(to) {
                let at = |i: usize, j: usize| self.until[i * n + j];
                sum += at(b, d) - at(a, d) - at(b, c) + at(a, c);
            }
        }
        sum
    }
}
