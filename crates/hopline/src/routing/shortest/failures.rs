//! What shortest paths become when links fail: distances and loads, from what changes only.

use super::{FAR, LEAF, Shortest};
use crate::demand::Flows;
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::routing::{Failures, is_adapter};
use fixedbitset::FixedBitSet;

/// Links that fail together, both directions of each.
pub(in crate::routing) struct Gone {
    set: FixedBitSet,
    /// Routers at both ends of those between routers, by place.
    ends: Vec<(u32, u32)>,
}

impl Gone {
    /// Looks them up: O(links / 64 + gone).
    pub(in crate::routing) fn new(routing: &Shortest, gone: &[LinkId]) -> Gone {
        let f = &*routing.fabric;
        let mut set = FixedBitSet::with_capacity(f.links());
        gone.iter().for_each(|l| set.insert(l.index()));
        let place = |v: crate::id::VertexId| routing.place[v.index()];
        let ends = gone.iter().map(|&l| (place(f.source(l)), place(f.target(l))));
        Gone { ends: ends.filter(|e| e.0 != LEAF && e.1 != LEAF).collect(), set }
    }

    pub(in crate::routing) fn has(&self, link: LinkId) -> bool {
        self.set.contains(link.index())
    }

    /// Whether one of them leads nearer to the target of `hops` from a router that `counts`.
    pub(in crate::routing) fn matters(&self, hops: &[u16], counts: impl Fn(u32) -> bool) -> bool {
        self.ends.iter().any(|&(a, b)| is_nearer(hops[a as usize], hops[b as usize]) && counts(a))
    }
}

/// Whether a neighbour that is `next` hops away is on a shortest way of a router that is `own` hops away.
fn is_nearer(own: u16, next: u16) -> bool {
    own != FAR && own == next.saturating_add(1)
}

/// How distances to one target change; used for one target after the other.
pub(in crate::routing) struct Changes {
    epoch: u32,
    /// Per router: the epoch in which its links to nearer ones changed, and that in which it came to lie farther away.
    changed: Vec<u32>,
    farther: Vec<u32>,
    hops: Vec<u16>,
    /// The routers whose links to nearer ones changed.
    routers: Vec<u32>,
    layers: Vec<Vec<u32>>,
}

impl Changes {
    pub(in crate::routing) fn new(routing: &Shortest) -> Changes {
        let n = routing.routers.len();
        Changes {
            epoch: 0,
            changed: vec![0; n],
            farther: vec![0; n],
            hops: vec![0; n],
            routers: Vec::new(),
            layers: Vec::new(),
        }
    }

    /// The routers whose links to nearer ones changed.
    pub(in crate::routing) fn routers(&self) -> &[u32] {
        &self.routers
    }

    fn has(&self, router: u32) -> bool {
        self.changed[router as usize] == self.epoch
    }

    fn is_farther(&self, router: u32) -> bool {
        self.farther[router as usize] == self.epoch
    }

    /// The hops of a router now.
    fn hops(&self, before: &[u16], router: u32) -> u16 {
        if self.is_farther(router) { self.hops[router as usize] } else { before[router as usize] }
    }
}

fn push(layers: &mut Vec<Vec<u32>>, at: u16, router: u32) {
    let at = usize::from(at);
    layers.resize(layers.len().max(at + 1), Vec::new());
    layers[at].push(router);
}

impl Shortest {
    /// The hops from every router to one at place `target`, without failures.
    pub(in crate::routing) fn hops_to_place(&self, target: u32) -> &[u16] {
        self.hops_to(target)
    }

    /// Number of routers.
    pub(in crate::routing) fn places(&self) -> usize {
        self.routers.len()
    }

    /// The router at a place.
    pub(in crate::routing) fn router_at(&self, place: u32) -> crate::id::VertexId {
        self.routers[place as usize]
    }

    /// The place of a router; none of what hangs at one.
    pub(in crate::routing) fn place_of(&self, v: crate::id::VertexId) -> Option<u32> {
        Some(self.place[v.index()]).filter(|place| *place != LEAF)
    }

    /// Finds the routers whose shortest paths to the target of `before` change: from the failed links away from the
    /// target, as long as no other link leads on from a router. O(links of routers that change).
    pub(in crate::routing) fn change(&self, before: &[u16], gone: &Gone, changes: &mut Changes) {
        changes.epoch += 1;
        changes.routers.clear();
        let mut layers = std::mem::take(&mut changes.layers);
        for &(a, b) in &gone.ends {
            if is_nearer(before[a as usize], before[b as usize]) && !changes.has(a) {
                changes.changed[a as usize] = changes.epoch;
                push(&mut layers, before[a as usize], a);
            }
        }
        let mut lost = Vec::new();
        let mut at = 0;
        while at < layers.len() {
            for v in std::mem::take(&mut layers[at]) {
                changes.routers.push(v);
                let stays = |(link, next): (LinkId, u32)| {
                    !gone.has(link) && !changes.is_farther(next) && is_nearer(before[v as usize], before[next as usize])
                };
                if self.cables(v).any(stays) {
                    continue;
                }
                changes.farther[v as usize] = changes.epoch;
                changes.hops[v as usize] = FAR;
                lost.push(v);
                for (link, behind) in self.cables(v) {
                    if !gone.has(link)
                        && is_nearer(before[behind as usize], before[v as usize])
                        && !changes.has(behind)
                    {
                        changes.changed[behind as usize] = changes.epoch;
                        push(&mut layers, before[behind as usize], behind);
                    }
                }
            }
            at += 1;
        }
        // From those that kept their distance to those that lost theirs.
        for &v in &lost {
            let next = self.cables(v).filter(|&(link, next)| !gone.has(link) && !changes.is_farther(next));
            let hops = next.map(|n| before[n.1 as usize].saturating_add(1)).min().unwrap_or(FAR);
            if hops != FAR {
                push(&mut layers, hops, v);
            }
        }
        let mut at = 0;
        while at < layers.len() {
            for v in std::mem::take(&mut layers[at]) {
                if changes.hops[v as usize] != FAR {
                    continue;
                }
                changes.hops[v as usize] = at as u16;
                for (link, behind) in self.cables(v) {
                    if !gone.has(link) && changes.is_farther(behind) && changes.hops[behind as usize] == FAR {
                        push(&mut layers, at as u16 + 1, behind);
                    }
                }
            }
            at += 1;
        }
        changes.layers = layers;
    }

    /// The links that lead nearer to the target now.
    pub(in crate::routing) fn nearer_now<'a>(
        &'a self,
        before: &'a [u16],
        gone: &'a Gone,
        changes: &'a Changes,
        router: u32,
    ) -> impl Iterator<Item = (LinkId, u32)> + 'a {
        let own = changes.hops(before, router);
        self.cables(router)
            .filter(move |&(link, next)| !gone.has(link) && is_nearer(own, changes.hops(before, next)))
    }
}

/// Flows on shortest paths with ties spread evenly: what passes every router on its way to every target.
pub(super) struct Spread<'a> {
    routing: &'a Shortest,
    targets: Vec<u32>,
    /// By target, then router.
    through: Vec<f64>,
}

impl<'a> Spread<'a> {
    /// One look at every target; 8 bytes for each pair of a target's router and a router. None where paths have
    /// directions, or adapters with several links stand between routers.
    pub(super) fn new(routing: &'a Shortest, flows: &Flows) -> Result<Option<Spread<'a>>> {
        let f: &Fabric = &routing.fabric;
        if routing.rank.is_some() || routing.routers.iter().any(|&v| is_adapter(f, v)) {
            return Ok(None);
        }
        let (mut targets, mut through) = (Vec::new(), Vec::new());
        let mut loads = vec![0.0; f.links()];
        routing.each_target(flows, |to, hops, inflow| {
            let start = through.len();
            through.resize(start + inflow.len(), 0.0);
            routing.drain(hops, inflow, &mut loads, |v, amount| through[start + v as usize] = amount);
            targets.push(to);
        })?;
        Ok(Some(Spread { routing, targets, through }))
    }

    /// Takes what changes off the old paths and puts it on the new ones, router by router towards the target.
    fn shift_one(&self, before: &[u16], through: &[f64], gone: &Gone, work: &mut Work, loads: &mut [f64]) {
        let (routing, changes) = (self.routing, &work.changes);
        let (mut layers, mut touched) = (std::mem::take(&mut work.layers), Vec::new());
        let enter = |queued: &mut [bool], touched: &mut Vec<u32>, layers: &mut Vec<Vec<u32>>, hops: u16, v: u32| {
            if !std::mem::replace(&mut queued[v as usize], true) {
                touched.push(v);
                push(layers, hops, v);
            }
        };
        for &v in changes.routers().iter().filter(|&&v| through[v as usize] > 0.0) {
            enter(&mut work.queued, &mut touched, &mut layers, before[v as usize], v);
        }
        for at in (1..layers.len()).rev() {
            for v in std::mem::take(&mut layers[at]) {
                let amount = if changes.has(v) { through[v as usize] } else { work.less[v as usize] };
                let part = amount / routing.nearer(before, v).count() as f64;
                for (link, next) in routing.nearer(before, v) {
                    loads[link.index()] -= part;
                    work.less[next as usize] += part;
                    if before[next as usize] > 0 {
                        enter(&mut work.queued, &mut touched, &mut layers, before[next as usize], next);
                    } else if !work.queued[next as usize] {
                        touched.push(next);
                    }
                }
            }
        }
        // A router that changed sends on what did not come from others that changed, and what comes now.
        for &v in changes.routers().iter().filter(|&&v| through[v as usize] > 0.0) {
            let own = through[v as usize] - work.less[v as usize];
            // Differences of sums are never quite nothing.
            work.more[v as usize] = if own > 1e-12 * through[v as usize] { own } else { 0.0 };
        }
        touched.iter().for_each(|&v| {
            work.queued[v as usize] = false;
            work.less[v as usize] = 0.0;
        });
        touched.clear();
        for &v in changes.routers() {
            if work.more[v as usize] == 0.0 {
                continue;
            }
            let hops = changes.hops(before, v);
            match hops {
                FAR => work.more[v as usize] = 0.0,
                _ => enter(&mut work.queued, &mut touched, &mut layers, hops, v),
            }
        }
        for at in (1..layers.len()).rev() {
            for v in std::mem::take(&mut layers[at]) {
                let ways = routing.nearer_now(before, gone, changes, v).count();
                let part = work.more[v as usize] / ways as f64;
                for (link, next) in routing.nearer_now(before, gone, changes, v) {
                    loads[link.index()] += part;
                    let hops = changes.hops(before, next);
                    if hops > 0 {
                        work.more[next as usize] += part;
                        enter(&mut work.queued, &mut touched, &mut layers, hops, next);
                    }
                }
            }
        }
        touched.iter().for_each(|&v| {
            work.queued[v as usize] = false;
            work.more[v as usize] = 0.0;
        });
        work.layers = layers;
    }
}

/// Cells of a failure, all zeros between targets.
struct Work {
    changes: Changes,
    /// Per router: what no longer comes, what comes now, and whether it stands in a layer.
    less: Vec<f64>,
    more: Vec<f64>,
    queued: Vec<bool>,
    layers: Vec<Vec<u32>>,
}

impl Failures for Spread<'_> {
    /// O(targets * gone + links of routers whose flows change).
    fn shift(&self, gone: &[LinkId], loads: &mut [f64]) {
        let n = self.routing.places();
        let links = gone;
        let gone = Gone::new(self.routing, gone);
        let changes = Changes::new(self.routing);
        let mut work =
            Work { changes, less: vec![0.0; n], more: vec![0.0; n], queued: vec![false; n], layers: Vec::new() };
        for (&target, through) in self.targets.iter().zip(self.through.chunks_exact(n)) {
            let before = self.routing.hops_to(target);
            // Where a failed link carries nothing, no flow sees a change: ties are spread over all links that lead on.
            if gone.matters(before, |v| through[v as usize] > 0.0) {
                self.routing.change(before, &gone, &mut work.changes);
                self.shift_one(before, through, &gone, &mut work, loads);
            }
        }
        links.iter().filter(|&&l| !self.routing.fabric.is_host_link(l)).for_each(|l| loads[l.index()] = 0.0);
    }
}
