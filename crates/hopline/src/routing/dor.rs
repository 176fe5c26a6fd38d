//! Dimension-order routing on tori: dimension 0 first, in each dimension the
//! shorter way round. Wang, Hou and Ku, section 2.2.

mod bundles;
mod ring;

pub use ring::Tie;
pub(crate) use ring::{RingWay, VCS as RING_VCS, is_tie};

use super::{Bundles, LineOrder, Path, Route, Routing, check_whole, load_entries, mismatch};
use crate::demand::{FlowBlock, Flows};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::params::Reader;
use crate::topology::{Topology, Torus};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "dor",
    summary: "torus, mesh, HyperX: dimension order, dimension 0 first; on a torus the shorter way round",
    doc: "Each dimension in turn is brought to the target's coordinate. Where both ways round are equally long (an even \
          extent, distance k/2), tie=plus goes up, tie=minus down, tie=parity up from even and down from odd source \
          coordinates, tie=split half each way (2^t paths for t ties). On a HyperX one hop a dimension, its cables of a trunk with equal \
          shares.\n\
          Flits: on a torus 2 virtual channels, elsewhere 1.\n\
          Source: the k-ary n-cube mapping paper, section 2.2; tie=plus makes its Theorem 1 exact.",
    example: "dor:tie=plus",
    params: &[param("tie", "plus|minus|parity|split", "plus", "which way round where both are equally long")],
};

/// Dimension-order routing: see [the list](super::LIST).
pub struct Dor {
    torus: Torus,
    fabric: Arc<Fabric>,
    tie: Tie,
}

impl Dor {
    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        let tie = Tie::read(reader)?;
        match (topology.torus(), topology.lines()) {
            (Some(torus), _) => Ok(Box::new(Dor::new(torus, fabric)?.tie(tie))),
            (_, Some(lines)) => Ok(Box::new(LineOrder::new(topology.clone(), lines, fabric)?)),
            _ => Err(mismatch(reader, ENTRY.name, "a torus, kncube, mesh or hyperx", topology, fabric)),
        }
    }

    /// Dimension by dimension through a torus's fabric; halfway around goes up.
    ///
    /// # Errors
    /// The fabric is not the whole network of this torus.
    pub fn new(torus: &Torus, fabric: &Arc<Fabric>) -> Result<Dor> {
        check_whole(ENTRY.name, torus.clone(), fabric)?;
        Ok(Dor { torus: torus.clone(), fabric: fabric.clone(), tie: Tie::Plus })
    }

    /// The same with another way for what is halfway around.
    #[must_use]
    pub fn tie(mut self, tie: Tie) -> Dor {
        self.tie = tie;
        self
    }

    /// The ways round a ring of extent k from x to another y, with their shares: the second has
    /// one only where a tie is split.
    #[inline]
    fn ways(&self, k: u32, x: u32, y: u32) -> [(RingWay, f64); 2] {
        let first = self.tie.is_up(x);
        let share = if first.is_none() && is_tie(k, x, y) { 0.5 } else { 1.0 };
        let first = first.unwrap_or(true);
        [(RingWay::new(k, x, y, first), share), (RingWay::new(k, x, y, !first), 1.0 - share)]
    }

    /// Visits the links of a path number with their VCs and returns its share. O(links).
    #[inline]
    fn walk(&self, source: VertexId, target: VertexId, mut choice: u64, mut visit: impl FnMut(LinkId, u8)) -> f64 {
        let (mut at, mut share) = (source.0, 1.0);
        for (d, &k) in self.torus.dims.iter().enumerate() {
            let (mut x, y) = (self.torus.coordinate(source.0, d), self.torus.coordinate(target.0, d));
            if x == y {
                continue;
            }
            let is_up = self.tie.is_up(x).unwrap_or_else(|| {
                let first = choice & 1 == 0 || !is_tie(k, x, y);
                if is_tie(k, x, y) {
                    choice >>= 1;
                    share *= 0.5;
                }
                first
            });
            let way = RingWay::new(k, x, y, is_up);
            let (port, stride) = (self.torus.port(d, way.is_up), self.torus.stride(d));
            for _ in 0..way.hops {
                visit(self.fabric.out_link(VertexId(at), port), way.vc);
                (x, at) = match way.is_up {
                    true if x + 1 == k => (0, at - x * stride),
                    true => (x + 1, at + stride),
                    false if x == 0 => (k - 1, at + (k - 1) * stride),
                    false => (x - 1, at - stride),
                };
            }
        }
        share
    }

    /// A uniform block, dimension by dimension: the ring of dimension d through
    /// given lower target and higher source coordinates carries, from x to y,
    /// the tasks of the sources with (x, higher) times those of the targets
    /// with (lower, y). O(dimensions * endpoints * extent).
    fn load_block(&self, block: &FlowBlock, loads: &mut [f64]) {
        let n = self.torus.endpoints();
        let fill = |side: &[(VertexId, u32)]| {
            let mut tasks = vec![0.0; n as usize];
            side.iter().for_each(|&(v, k)| tasks[v.index()] = f64::from(k));
            tasks
        };
        // Sources summed over coordinates below d; targets over those above d.
        let mut sources = fill(&block.sources);
        let mut targets = vec![fill(&block.targets)];
        for &k in self.torus.dims.iter().skip(1).rev() {
            let all = &targets[targets.len() - 1];
            let inner = all.len() / k as usize;
            targets.push((0..inner).map(|i| (0..k as usize).map(|y| all[i + y * inner]).sum()).collect());
        }
        for (d, &k) in self.torus.dims.iter().enumerate() {
            let Some(targets) = targets.pop() else { return };
            if k == 1 {
                // No links and nothing to sum: one coordinate stands for all.
                continue;
            }
            let (k_, stride) = (k as usize, self.torus.stride(d) as usize);
            let (mut up, mut down) = (vec![0.0; k_ + 1], vec![0.0; k_ + 1]);
            for higher in 0..sources.len() / k_ {
                let from = &sources[higher * k_..][..k_];
                if from.iter().all(|&c| c == 0.0) {
                    continue;
                }
                for lower in 0..stride {
                    for (x, &c) in from.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                        for y in (0..k_).filter(|&y| y != x) {
                            let amount = c * targets[lower + y * stride] * block.amount;
                            if amount == 0.0 {
                                continue;
                            }
                            for (way, share) in self.ways(k, x as u32, y as u32) {
                                let hops = way.hops as usize;
                                match way.is_up {
                                    true => add_arc(&mut up, x, hops, amount * share),
                                    // Going down from x to y uses the links at y+1..=x.
                                    false => add_arc(&mut down, (y + 1) % k_, hops, amount * share),
                                }
                            }
                        }
                    }
                    let base = lower + higher * k_ * stride;
                    for (plus, ring) in [(true, &mut up), (false, &mut down)] {
                        let mut sum = 0.0;
                        for x in 0..k_ {
                            sum += ring[x];
                            loads[self.torus.link(&self.fabric, (base + x * stride) as u32, d, plus).index()] += sum;
                        }
                        ring.fill(0.0);
                    }
                }
            }
            sources = (0..sources.len() / k_).map(|h| sources[h * k_..][..k_].iter().sum()).collect();
        }
    }
}

/// Adds `amount` to `len` cells of a ring from `start`, as differences; the
/// ring's last cell takes what ends at its end.
fn add_arc(ring: &mut [f64], start: usize, len: usize, amount: f64) {
    if amount == 0.0 || len == 0 {
        return;
    }
    let extent = ring.len() - 1;
    let end = start + len;
    ring[start] += amount;
    if end <= extent {
        ring[end] -= amount;
    } else {
        ring[0] += amount;
        ring[end - extent] -= amount;
    }
}

impl Routing for Dor {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        let ties = self
            .torus
            .dims
            .iter()
            .enumerate()
            .filter(|&(d, &k)| is_tie(k, self.torus.coordinate(source.0, d), self.torus.coordinate(target.0, d)));
        Ok(if self.tie == Tie::Split { 1 << ties.count() } else { 1 })
    }

    /// Only ties are split, and rings of odd extents have none; with extent 2 both
    /// ways are one link.
    fn one_path(&self) -> bool {
        self.tie != Tie::Split || self.torus.dims.iter().all(|&k| k <= 2 || !k.is_multiple_of(2))
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        path.share = self.walk(source, target, choice, |link, _| path.links.push(link));
        Ok(())
    }

    /// O(links), one path at a time.
    fn route(&self, source: VertexId, target: VertexId, route: &mut Route) -> Result<()> {
        route.clear();
        for choice in 0..self.choices(source, target)? {
            let first = route.len();
            let share = self.walk(source, target, choice, |link, _| route.push((link, 1.0)));
            route[first..].iter_mut().for_each(|hop| hop.1 = share);
        }
        Ok(())
    }

    /// O(dimensions).
    fn hops(&self, source: VertexId, target: VertexId, _: &mut Route) -> Result<f64> {
        let along = |(d, &k): (usize, &u32)| {
            let (x, y) = (self.torus.coordinate(source.0, d), self.torus.coordinate(target.0, d));
            f64::from(RingWay::new(k, x, y, true).hops)
        };
        Ok(self.torus.dims.iter().enumerate().map(along).sum())
    }

    fn vcs(&self) -> u8 {
        RING_VCS
    }

    fn channels(&self, path: &Path, choice: u64, channels: &mut Vec<u8>) {
        channels.clear();
        if let (Some(&first), Some(&last)) = (path.links.first(), path.links.last()) {
            let (source, target) = (self.fabric.source(first), self.fabric.target(last));
            self.walk(source, target, choice, |_, vc| channels.push(vc));
        }
    }

    /// O(entries * hops), and O(dimensions * endpoints * extent) per block.
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        load_entries(self, &flows.entries, loads)?;
        flows.blocks.iter().for_each(|block| self.load_block(block, loads));
        Ok(())
    }

    fn bundles(&self) -> Option<&dyn Bundles> {
        if self.has_bundles() { Some(self) } else { None }
    }
}
