//! Valiant routing of a Dragonfly, by way of a random group or a random router
//! of it; and UGAL, which has no fixed shares. Prisacari et al., section II.

use super::dragonfly;
use super::two_level::Tally;
use super::{Detour, Groups, Minimal, Path, Routing, load_host_links, mismatch};
use crate::demand::Flows;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::params::Reader;
use crate::topology::{Dragonfly, Topology};
use std::sync::Arc;

pub(super) const RESTRICTED: Entry = Entry {
    name: "valiant-restricted",
    summary: "Dragonfly: by way of a random group, straight on from the router where it is reached",
    doc: "Between groups S and D, share 1/(g-2) over every group I other than S and D: minimally to the router of I that S \
          leads to, from there minimally to the target: at most L R, L R L. Within a group, and where there are two \
          groups, minimal.\n\
          Flits: 3 virtual channels; local links use 0, 1, 2 in S, I and D, global ones 0, then 1.\n\
          Source: the Dragonfly imbalance paper, section II.",
    example: "valiant-restricted",
    params: &[],
};

pub(super) const ANY: Entry = Entry {
    name: "valiant-any",
    summary: "Dragonfly: by way of a random router of a random group",
    doc: "As valiant-restricted, but by way of every router of I with equal shares: at most L R L, L R L.\n\
          Flits: 4 virtual channels; local links use 0 in S, 1 and 2 before and after the intermediate router, 3 in D, \
          global ones 0, then 1.\n\
          Source: the Dragonfly imbalance paper, section II.",
    example: "valiant-any",
    params: &[],
};

pub(super) const UGAL_L: Entry = Entry {
    name: "ugal-l",
    summary: "Dragonfly, flits only: minimal or valiant-any, by the queues of the source's router",
    doc: "When a packet is first at the head of its queue, the flits waiting for the first port of its minimal path times \
          the hops of that path are compared with the same for one random path of valiant-any; the minimal path is taken \
          unless its product is larger by more than threshold. Shares depend on the queues, so `hopline load` cannot \
          tell them.\n\
          Flits: 4 virtual channels, as valiant-any.\n\
          Source: Kim, Dally, Scott and Abts, \"Technology-driven, highly-scalable dragonfly topology\", 2008, section 4.",
    example: "ugal-l:threshold=0",
    params: &[THRESHOLD],
};

pub(super) const UGAL_G: Entry = Entry {
    name: "ugal-g",
    summary: "Dragonfly, flits only: as ugal-l, by the queues of the global links wherever they are",
    doc: "As ugal-l, but compares what waits for the first global link of either path, at the router that has it: the \
          ideal that no router can know. Simulated by one thread.\n\
          Source: Kim, Dally, Scott and Abts, \"Technology-driven, highly-scalable dragonfly topology\", 2008, section 4.",
    example: "ugal-g:threshold=0",
    params: &[THRESHOLD],
};

const THRESHOLD: crate::entry::Param =
    param("threshold", "count", "0", "flits x hops by which the minimal path may be worse");

/// Valiant routing: see [the list](super::LIST).
pub struct Valiant {
    minimal: Minimal,
    dragonfly: Dragonfly,
    fabric: Arc<Fabric>,
    /// Intermediate routers per group: 1 stands for the one that is reached.
    routers: u32,
}

/// Which routers of the intermediate group a packet may visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intermediates {
    /// The one that it reaches.
    Restricted,
    /// Any.
    Any,
}

impl Valiant {
    /// The paths of a Dragonfly's fabric over all intermediate groups.
    ///
    /// # Errors
    /// The fabric is not the whole network of this Dragonfly.
    pub fn new(dragonfly: &Dragonfly, intermediates: Intermediates, fabric: &Arc<Fabric>) -> Result<Valiant> {
        Ok(Valiant {
            minimal: Minimal::new(dragonfly, fabric)?,
            dragonfly: dragonfly.clone(),
            fabric: fabric.clone(),
            routers: if intermediates == Intermediates::Any { dragonfly.a } else { 1 },
        })
    }

    pub(super) fn restricted(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        Self::build("valiant-restricted", Intermediates::Restricted, reader, topology, fabric)
    }

    pub(super) fn any(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        Self::build("valiant-any", Intermediates::Any, reader, topology, fabric)
    }

    fn build(
        name: &str,
        intermediates: Intermediates,
        reader: &Reader,
        topology: &Topology,
        fabric: &Arc<Fabric>,
    ) -> Result<Box<dyn Routing>> {
        let Topology::Dragonfly(d) = topology else {
            return Err(mismatch(reader, name, "a dragonfly", topology, fabric));
        };
        Ok(Box::new(Valiant::new(d, intermediates, fabric)?))
    }

    fn group(&self, v: VertexId) -> u32 {
        v.0 / self.dragonfly.p / self.dragonfly.a
    }

    /// Number of intermediate groups between two different groups.
    fn others(&self) -> u32 {
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
        if self.routers == 1 {
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

impl Routing for Valiant {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn groups(&self) -> Option<Groups> {
        let detour = if self.routers == 1 { Detour::Group } else { Detour::Router };
        Some(dragonfly::groups(&self.dragonfly, detour))
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        let apart = self.group(source) != self.group(target) && self.others() > 0;
        Ok(if apart { u64::from(self.others()) * u64::from(self.routers) } else { 1 })
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        let choices = self.choices(source, target)?;
        if choices == 1 && (self.others() != 1 || self.group(source) == self.group(target)) {
            return self.minimal.path(source, target, 0, path);
        }
        path.restart(1.0 / choices as f64);
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let (s, e) = (self.group(source), self.group(target));
        let (k, z) = (choice as u32 / self.routers, choice as u32 % self.routers);
        let k = k + u32::from(k >= s.min(e));
        let i = k + u32::from(k >= s.max(e));
        let router = |v: VertexId| v.0 / d.p % d.a;
        let mut at = (s, router(source));
        path.links.push(d.injection(f, source.0));
        let middle = if self.routers == 1 { d.gateway(i, s).0 } else { z };
        for to in [(i, middle), (e, router(target))] {
            self.minimal.walk(at, to, &mut path.links);
            at = to;
        }
        path.links.push(d.ejection(f, target.0));
        Ok(())
    }

    fn vcs(&self) -> u8 {
        if self.routers == 1 { 3 } else { 4 }
    }

    fn channels(&self, path: &Path, choice: u64, channels: &mut Vec<u8>) {
        // Before the intermediate router 1, after it 2; restricted, there is one link at most.
        let middle = (choice % u64::from(self.routers)) as u32;
        let between = |place: u32| if self.routers > 1 && place == middle { 2 } else { 1 };
        dragonfly::channels((&self.dragonfly, &self.fabric), path, between, self.vcs() - 1, channels);
    }

    /// O(entries + (blocks + 1) * (groups^2 + routers * a)).
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        if self.others() == 0 {
            return self.minimal.load(flows, loads);
        }
        let (d, f) = (&self.dragonfly, &*self.fabric);
        let t = Tally::new(flows, (d.groups(), d.a, d.a), |e| e / d.p, |i, j| d.gateway(i, j).0);
        for r in 0..d.groups() * d.a {
            let (i, x) = (r / d.a, r % d.a);
            for y in (0..d.a).filter(|&y| y != x) {
                loads[d.local_link(f, i, x, y).index()] += t.inside[(r * d.a + y) as usize];
            }
        }
        self.load_between(&t, loads);
        load_host_links(f, flows, loads);
        Ok(())
    }
}

/// A routing without fixed shares: it says so.
pub struct Adaptive {
    name: &'static str,
    fabric: Arc<Fabric>,
}

impl Adaptive {
    pub(super) fn local(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        Self::build("ugal-l", reader, topology, fabric)
    }

    pub(super) fn global(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        Self::build("ugal-g", reader, topology, fabric)
    }

    fn build(
        name: &'static str,
        reader: &Reader,
        topology: &Topology,
        fabric: &Arc<Fabric>,
    ) -> Result<Box<dyn Routing>> {
        reader.or::<u32>("threshold", 0)?;
        match topology {
            Topology::Dragonfly(_) => Ok(Box::new(Adaptive { name, fabric: fabric.clone() })),
            _ => Err(mismatch(reader, name, "a dragonfly", topology, fabric)),
        }
    }

    fn refuse<T>(&self) -> Result<T> {
        Err(Error::input(format!("routing `{}` has no fixed shares: its paths depend on queues", self.name))
            .hint("simulate it with `hopline flits`"))
    }
}

impl Routing for Adaptive {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, _: VertexId, _: VertexId) -> Result<u64> {
        self.refuse()
    }

    fn path(&self, _: VertexId, _: VertexId, _: u64, _: &mut Path) -> Result<()> {
        self.refuse()
    }

    fn load(&self, _: &Flows, _: &mut [f64]) -> Result<()> {
        self.refuse()
    }
}
