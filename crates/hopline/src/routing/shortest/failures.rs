//! How distances change when links fail, from what changes only.

use super::{FAR, LEAF, Shortest};
use crate::id::LinkId;

/// Links that fail together, both directions of each.
pub(in crate::routing) struct FailedLinks {
    set: Vec<bool>,
    /// Routers at both ends of those between routers, by place.
    ends: Vec<(u32, u32)>,
}

impl FailedLinks {
    /// Looks them up: O(links / 64 + gone).
    pub(in crate::routing) fn new(routing: &Shortest, gone: &[LinkId]) -> FailedLinks {
        let f = &*routing.fabric;
        let mut set = vec![false; f.links()];
        gone.iter().for_each(|l| set[l.index()] = true);
        let place = |v: crate::id::VertexId| routing.place[v.index()];
        let ends = gone.iter().map(|&l| (place(f.source(l)), place(f.target(l))));
        FailedLinks { ends: ends.filter(|e| e.0 != LEAF && e.1 != LEAF).collect(), set }
    }

    pub(in crate::routing) fn has(&self, link: LinkId) -> bool {
        self.set[link.index()]
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

    /// Whether some routers lie farther away than before; else only links went that others stand in for.
    pub(super) fn are_distances(&self) -> bool {
        self.routers.iter().any(|&v| self.is_farther(v))
    }

    /// The routers whose links to nearer ones changed.
    pub(in crate::routing) fn routers(&self) -> &[u32] {
        &self.routers
    }

    pub(super) fn has(&self, router: u32) -> bool {
        self.changed[router as usize] == self.epoch
    }

    fn is_farther(&self, router: u32) -> bool {
        self.farther[router as usize] == self.epoch
    }

    /// The hops of a router now.
    pub(super) fn hops(&self, before: &[u16], router: u32) -> u16 {
        if self.is_farther(router) { self.hops[router as usize] } else { before[router as usize] }
    }
}

/// Puts a router into the layer of those that are `at` hops away.
pub(super) fn push(layers: &mut Vec<Vec<u32>>, at: u16, router: u32) {
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
    pub(in crate::routing) fn change(&self, before: &[u16], gone: &FailedLinks, changes: &mut Changes) {
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
                    if !gone.has(link) && is_nearer(before[behind as usize], before[v as usize]) && !changes.has(behind)
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
        gone: &'a FailedLinks,
        changes: &'a Changes,
        router: u32,
    ) -> impl Iterator<Item = (LinkId, u32)> + 'a {
        let own = changes.hops(before, router);
        self.cables(router).filter(move |&(link, next)| !gone.has(link) && is_nearer(own, changes.hops(before, next)))
    }
}
