//! What minhop's tables become when links fail, from what changes only: entries that no longer lead nearer are made
//! anew, and the flows that pass them are moved.

use super::{MinHop, least};
use crate::demand::Flows;
use crate::id::{LinkId, VertexId};
use crate::routing::shortest::{Changes, FailedLinks};
use crate::routing::{Failures, host_link};
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// Tables as links, and what passes every switch on its way to every LID in use.
pub(super) struct Repair<'a> {
    routing: &'a MinHop,
    /// By router, then LID in minhop's order: the link out, or `NONE`.
    link: Vec<u32>,
    /// LIDs by the place of their switch.
    groups: Vec<(u32, Vec<u32>)>,
    /// Where the flows to a LID begin in `through`, or `NONE`.
    start: Vec<usize>,
    /// By LID in use, then router.
    through: Vec<f64>,
}

/// An entry that a failure takes away, and what takes its place.
struct Fix {
    router: u32,
    aim: u32,
    /// Where its options begin and end.
    options: (u32, u32),
    link: u32,
}

impl<'a> Repair<'a> {
    /// O(switches * LIDs), 12 bytes each; none where adapters have several LIDs, whose ways depend on each other.
    pub(super) fn new(routing: &'a MinHop, flows: &Flows) -> Option<Repair<'a>> {
        let f = &*routing.table.fabric;
        let flow_ends = flows.entries.iter().flat_map(|e| [e.source, e.target]);
        let block_ends = flows.blocks.iter().flat_map(|b| b.sources.iter().chain(&b.targets).map(|s| s.0));
        let plain = |v: VertexId| host_link(f, v).is_some();
        if !routing.has_one_lid_each() || !flow_ends.chain(block_ends).all(plain) {
            return None;
        }
        let (places, aims) = (routing.shortest.places(), routing.order.len());
        let mut link = vec![NONE; places * aims];
        for place in 0..places {
            let v = routing.shortest.router_at(place as u32);
            if f.is_endpoint(v) {
                continue;
            }
            for (i, aim) in routing.order.iter().enumerate() {
                if let Ok(Some(out)) = routing.table.forward(v, aim.lid) {
                    link[place * aims + i] = out.0;
                }
            }
        }
        let mut groups: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut by_place: Vec<u32> = (0..aims as u32).collect();
        by_place.sort_by_key(|&i| (routing.order[i as usize].at, i));
        for aims in by_place.chunk_by(|a, b| routing.order[*a as usize].at == routing.order[*b as usize].at) {
            groups.push((routing.order[aims[0] as usize].at, aims.to_vec()));
        }
        let mut repair = Repair { routing, link, groups, start: vec![usize::MAX; aims], through: Vec::new() };
        repair.count(flows);
        Some(repair)
    }

    fn place(&self, v: VertexId) -> Option<usize> {
        let link = host_link(&self.routing.table.fabric, v)?;
        self.routing.shortest.place_of(self.routing.table.fabric.target(link)).map(|p| p as usize)
    }

    /// Sums up what passes every switch.
    fn count(&mut self, flows: &Flows) {
        let f = self.routing.table.fabric.clone();
        let (shortest, places) = (&self.routing.shortest, self.routing.shortest.places());
        let mut to: FxHashMap<VertexId, Vec<usize>> = FxHashMap::default();
        flows.entries.iter().enumerate().for_each(|(i, e)| to.entry(e.target).or_default().push(i));
        // What the sources of a block send each of its targets' tasks, by switch.
        let sides: Vec<(Vec<f64>, FxHashMap<VertexId, u32>)> = flows
            .blocks
            .iter()
            .map(|block| {
                let mut sent = vec![0.0; places];
                for &(v, k) in &block.sources {
                    if let Some(place) = self.place(v) {
                        sent[place] += f64::from(k) * block.amount;
                    }
                }
                (sent, block.targets.iter().copied().collect())
            })
            .collect();
        let mut through = Vec::new();
        for (at, aims) in &self.groups {
            let hops = shortest.hops_to_place(*at);
            let mut far: Vec<u32> =
                (0..places as u32).filter(|&v| ![0, u16::MAX].contains(&hops[v as usize])).collect();
            far.sort_by_key(|&v| (std::cmp::Reverse(hops[v as usize]), v));
            for &i in aims {
                let owner = self.routing.order[i as usize].owner;
                let mut inflow = vec![0.0; places];
                for &e in to.get(&owner).into_iter().flatten() {
                    if let Some(place) = self.place(flows.entries[e].source) {
                        inflow[place] += flows.entries[e].amount;
                    }
                }
                for (sent, targets) in &sides {
                    if let Some(&k) = targets.get(&owner) {
                        inflow.iter_mut().zip(sent).for_each(|(cell, sent)| *cell += sent * f64::from(k));
                    }
                }
                if far.iter().all(|&v| inflow[v as usize] == 0.0) {
                    continue;
                }
                for &v in &far {
                    let amount = inflow[v as usize];
                    let link = self.link[v as usize * self.routing.order.len() + i as usize];
                    if amount > 0.0
                        && link != NONE
                        && let Some(next) = shortest.place_of(f.target(LinkId(link)))
                    {
                        inflow[next as usize] += amount;
                    }
                }
                self.start[i as usize] = through.len();
                through.append(&mut inflow);
            }
        }
        self.through = through;
    }

    fn out(&self, router: u32, aim: u32) -> u32 {
        self.link[router as usize * self.routing.order.len() + aim as usize]
    }

    /// The entries that the failure takes away, with what may take their places.
    fn broken(&self, gone: &FailedLinks, options: &mut Vec<(LinkId, u32)>) -> Vec<Fix> {
        let shortest = &self.routing.shortest;
        let (mut changes, mut fixes) = (Changes::new(shortest), Vec::new());
        for (at, aims) in &self.groups {
            let before = shortest.hops_to_place(*at);
            if !gone.matters(before, |_| true) {
                continue;
            }
            shortest.change(before, gone, &mut changes);
            for &router in changes.routers() {
                let start = options.len() as u32;
                options.extend(shortest.nearer_now(before, gone, &changes, router));
                let range = (start, options.len() as u32);
                for &aim in aims {
                    let old = self.out(router, aim);
                    let stays = options[start as usize..].iter().any(|o| o.0.0 == old);
                    if !stays && old != NONE {
                        fixes.push(Fix { router, aim, options: range, link: NONE });
                    }
                }
            }
        }
        fixes
    }

    /// Chooses as minhop does: LID by LID in its order, the least used port of the switch.
    fn choose(&self, gone: &FailedLinks, options: &[(LinkId, u32)], fixes: &mut [Fix]) {
        let f = &*self.routing.table.fabric;
        let dead: Vec<bool> =
            self.routing.order.iter().map(|aim| f.out_links(aim.owner).any(|l| gone.has(l))).collect();
        fixes.sort_unstable_by_key(|fix| (fix.router, fix.aim));
        let mut counts = Vec::new();
        for own in fixes.chunk_by_mut(|a, b| a.router == b.router) {
            let router = own[0].router;
            let switch = self.routing.shortest.router_at(router);
            let first = f.out_link(switch, 0).0;
            counts.clear();
            counts.resize(f.degree(switch), 0u32);
            let row = &self.link[router as usize * dead.len()..][..dead.len()];
            let mut from = 0;
            for fix in own {
                for at in from..fix.aim as usize {
                    if row[at] != NONE && !dead[at] {
                        counts[(row[at] - first) as usize] += 1;
                    }
                }
                from = fix.aim as usize + 1;
                let options = &options[fix.options.0 as usize..fix.options.1 as usize];
                if let Some(link) = least(options, |l| counts[(l.0 - first) as usize], |_| 0) {
                    counts[(link.0 - first) as usize] += 1;
                    fix.link = link.0;
                }
            }
        }
    }

    /// Moves what passed the entries of one LID that were taken away.
    fn reroute(&self, own: &[Fix], new: &mut [u32], left: &mut [f64], loads: &mut [f64]) {
        const KEPT: u32 = NONE - 1;
        let f = &*self.routing.table.fabric;
        let aim = own[0].aim;
        let Some(through) = self.through.get(self.start[aim as usize]..).filter(|t| !t.is_empty()) else { return };
        for fix in own {
            new[fix.router as usize] = fix.link;
            left[fix.router as usize] = through[fix.router as usize];
        }
        // The place behind a link; none where it leads to the adapter.
        let behind = |link: u32| match f.is_host_link(LinkId(link)) {
            true => None,
            false => self.routing.shortest.place_of(f.target(LinkId(link))),
        };
        for fix in own.iter().filter(|fix| through[fix.router as usize] > 0.0) {
            let amount = through[fix.router as usize];
            let (mut router, mut steps) = (fix.router, 0);
            loop {
                let link = self.out(router, aim);
                let Some(next) = (link != NONE).then(|| behind(link)).flatten() else { break };
                loads[link as usize] -= amount;
                steps += 1;
                if new[next as usize] != KEPT {
                    left[next as usize] -= amount;
                    break;
                }
                if steps > left.len() {
                    break;
                }
                router = next;
            }
        }
        for fix in own {
            let amount = left[fix.router as usize];
            // Differences of sums are never quite nothing.
            if amount <= 1e-12 * through[fix.router as usize] {
                continue;
            }
            let (mut router, mut steps) = (fix.router, 0);
            loop {
                let link = if new[router as usize] == KEPT { self.out(router, aim) } else { new[router as usize] };
                let Some(next) = (link != NONE).then(|| behind(link)).flatten() else { break };
                loads[link as usize] += amount;
                steps += 1;
                if steps > left.len() {
                    break;
                }
                router = next;
            }
        }
        own.iter().for_each(|fix| new[fix.router as usize] = KEPT);
    }
}

impl Failures for Repair<'_> {
    /// O(switches with LIDs * gone + entries of switches that change + hops of flows that move).
    fn shift(&self, gone: &[LinkId], loads: &mut [f64]) {
        let links = gone;
        let gone = FailedLinks::new(&self.routing.shortest, gone);
        let mut options = Vec::new();
        let mut fixes = self.broken(&gone, &mut options);
        self.choose(&gone, &options, &mut fixes);
        fixes.sort_unstable_by_key(|fix| (fix.aim, fix.router));
        let places = self.routing.shortest.places();
        let (mut new, mut left) = (vec![NONE - 1; places], vec![0.0; places]);
        for own in fixes.chunk_by(|a, b| a.aim == b.aim) {
            self.reroute(own, &mut new, &mut left, loads);
        }
        let f = &*self.routing.table.fabric;
        links.iter().filter(|&&l| !f.is_host_link(l)).for_each(|l| loads[l.index()] = 0.0);
    }
}
