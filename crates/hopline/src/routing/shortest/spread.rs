//! What flows on shortest paths with ties spread evenly become when links fail, from what changes only.

use super::failures::{Changes, FailedLinks, push};
use super::{FAR, Shortest};
use crate::demand::Flows;
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::routing::Failures;

/// Flows on shortest paths with ties spread evenly: what passes every router on its way to every target.
pub(super) struct Spread<'a> {
    routing: &'a Shortest,
    targets: Vec<u32>,
    /// By target, then router.
    through: Vec<f64>,
    /// By target, then router: a bit for each link out that leads nearer.
    nearer: Vec<u64>,
    /// Where a router's words begin in a row of `nearer`.
    word: Vec<usize>,
    /// Per link: the place where it leads.
    next: Vec<u32>,
}

impl<'a> Spread<'a> {
    /// One look at every target; 16 bytes for each pair of a target's router and a router of up to 64 links. None where paths have
    /// directions, or adapters with several links stand between routers.
    pub(super) fn new(routing: &'a Shortest, flows: &Flows) -> Result<Option<Spread<'a>>> {
        let f: &Fabric = &routing.fabric;
        if routing.up_down || routing.global.is_some() || routing.routers.iter().any(|&v| f.is_adapter(v)) {
            return Ok(None);
        }
        let next = f.link_ids().map(|l| routing.place[f.target(l).index()]).collect();
        let mut word = vec![0];
        for &v in &routing.routers {
            word.push(word.last().copied().unwrap_or(0) + f.degree(v).div_ceil(64));
        }
        let mut spread = Spread { routing, targets: Vec::new(), through: Vec::new(), nearer: Vec::new(), word, next };
        let mut loads = vec![0.0; f.links()];
        let words = spread.words();
        routing.each_target(flows, |to, hops, inflow| {
            let (start, row) = (spread.through.len(), spread.nearer.len());
            spread.through.resize(start + inflow.len(), 0.0);
            spread.nearer.resize(row + words, 0);
            let through = &mut spread.through[start..];
            routing.drain(hops, inflow, &mut loads, |v, amount| through[v as usize] = amount);
            for v in 0..routing.routers.len() as u32 {
                let first = f.out_link(routing.routers[v as usize], 0).0;
                for (link, _) in routing.nearer(hops, v).filter(|_| ![0, FAR].contains(&hops[v as usize])) {
                    let at = (link.0 - first) as usize;
                    spread.nearer[row + spread.word[v as usize] + at / 64] |= 1 << (at % 64);
                }
            }
            spread.targets.push(to);
        })?;
        Ok(Some(spread))
    }

    /// Words of a target.
    fn words(&self) -> usize {
        self.word.last().copied().unwrap_or(0)
    }

    fn row(&self, target: usize, router: u32) -> &[u64] {
        let start = target * self.words();
        &self.nearer[start + self.word[router as usize]..start + self.word[router as usize + 1]]
    }

    /// Number of links that lead nearer to a target.
    fn ways(&self, target: usize, router: u32) -> f64 {
        f64::from(self.row(target, router).iter().map(|w| w.count_ones()).sum::<u32>())
    }

    /// The links that lead nearer to a target, with where they lead.
    fn nearer(&self, target: usize, router: u32) -> impl Iterator<Item = (LinkId, u32)> + '_ {
        let first = self.routing.fabric.out_link(self.routing.routers[router as usize], 0).0;
        self.row(target, router).iter().zip(0u32..).flat_map(move |(&word, at)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                let link = first + 64 * at + bit;
                Some((LinkId(link), self.next[link as usize]))
            })
        })
    }

    /// Where distances stay: the routers whose links went share what passes them among the others, and the differences
    /// go on towards the target.
    fn share_anew(&self, target: usize, through: &[f64], gone: &FailedLinks, work: &mut Work, loads: &mut [f64]) {
        let before = self.routing.hops_to(self.targets[target]);
        let mut layers = std::mem::take(&mut work.layers);
        let mut all = 0.0;
        for &v in work.changes.routers().iter().filter(|&&v| through[v as usize] > 0.0) {
            work.queued[v as usize] = true;
            all += through[v as usize];
            push(&mut layers, before[v as usize], v);
        }
        for at in (1..layers.len()).rev() {
            for v in std::mem::take(&mut layers[at]) {
                work.queued[v as usize] = false;
                let more = std::mem::take(&mut work.more[v as usize]);
                let changed = work.changes.has(v);
                // What comes to nothing where ways meet again.
                if !changed && more.abs() <= 1e-14 * all {
                    continue;
                }
                let ways = self.ways(target, v);
                let (part, lost) = if changed {
                    let left = self.nearer(target, v).filter(|n| !gone.has(n.0)).count() as f64;
                    let was = through[v as usize] / ways;
                    ((through[v as usize] + more) / left - was, was)
                } else {
                    (more / ways, 0.0)
                };
                for (link, next) in self.nearer(target, v) {
                    let part = if changed && gone.has(link) { -lost } else { part };
                    loads[link.index()] += part;
                    if before[next as usize] > 0 {
                        work.more[next as usize] += part;
                        if !std::mem::replace(&mut work.queued[next as usize], true) {
                            push(&mut layers, before[next as usize], next);
                        }
                    }
                }
            }
        }
        work.layers = layers;
    }

    /// Takes what changes off the old paths and puts it on the new ones, router by router towards the target.
    fn shift_one(&self, target: usize, through: &[f64], gone: &FailedLinks, work: &mut Work, loads: &mut [f64]) {
        let (routing, changes) = (self.routing, &work.changes);
        let before = routing.hops_to(self.targets[target]);
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
                let part = amount / self.ways(target, v);
                for (link, next) in self.nearer(target, v) {
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
        let gone = FailedLinks::new(self.routing, gone);
        let changes = Changes::new(self.routing);
        let mut work =
            Work { changes, less: vec![0.0; n], more: vec![0.0; n], queued: vec![false; n], layers: Vec::new() };
        for (target, through) in self.through.chunks_exact(n).enumerate() {
            let before = self.routing.hops_to(self.targets[target]);
            // Where a failed link carries nothing, no flow sees a change: ties are spread over all links that lead on.
            if gone.matters(before, |v| through[v as usize] > 0.0) {
                self.routing.change(before, &gone, &mut work.changes);
                match work.changes.are_distances() {
                    true => self.shift_one(target, through, &gone, &mut work, loads),
                    false => self.share_anew(target, through, &gone, &mut work, loads),
                }
            }
        }
        links.iter().filter(|&&l| !self.routing.fabric.is_host_link(l)).for_each(|l| loads[l.index()] = 0.0);
    }
}
