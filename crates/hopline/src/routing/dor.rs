//! Dimension-order routing on tori: dimension 0 first, in each dimension the
//! shorter way round. Wang, Hou and Ku, section 2.2.

mod bundles;

use super::{Bundles, Path, Route, Routing, check_whole, load_entries, mismatch};
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
    summary: "torus: dimension order, dimension 0 first, the shorter way round",
    doc: "Each dimension in turn is brought to the target's coordinate. Where both ways round are equally long (an even \
          extent, distance k/2), tie=plus goes up, tie=minus down, tie=parity up from even and down from odd source \
          coordinates, tie=split half each way (2^t paths for t ties).\n\
          Source: the k-ary n-cube mapping paper, section 2.2; tie=plus makes its Theorem 1 exact.",
    example: "dor:tie=plus",
    params: &[param("tie", "plus|minus|parity|split", "plus", "which way round where both are equally long")],
};

/// What to do where both ways round are equally long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// Towards higher coordinates.
    Plus,
    /// Towards lower coordinates.
    Minus,
    /// Up from even source coordinates, down from odd ones.
    Parity,
    /// Half each way.
    Split,
}

impl Tie {
    /// The value of the key `tie`.
    pub(crate) fn read(reader: &Reader) -> Result<Tie> {
        let ties = [Tie::Plus, Tie::Minus, Tie::Parity, Tie::Split];
        Ok(ties[reader.choice("tie", &["plus", "minus", "parity", "split"])?])
    }
}

/// Dimension-order routing: see [the list](super::LIST).
pub struct Dor {
    torus: Torus,
    fabric: Arc<Fabric>,
    tie: Tie,
}

/// The way along one dimension: distance going up, going down, and the share
/// that goes up.
struct Way {
    up: u32,
    down: u32,
    share_up: f64,
}

impl Dor {
    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        let torus = match topology {
            Topology::Torus(t) => t,
            Topology::KnCube(k) => &k.torus,
            _ => return Err(mismatch(reader, "dor", "a torus or kncube", topology, fabric)),
        };
        Ok(Box::new(Dor::new(torus, fabric)?.tie(Tie::read(reader)?)))
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

    fn way(&self, from: u32, to: u32, extent: u32) -> Way {
        let up = (to + extent - from) % extent;
        let down = (extent - up) % extent;
        let share_up = match up.cmp(&down) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Greater => 0.0,
            std::cmp::Ordering::Equal if up == 0 => 1.0,
            std::cmp::Ordering::Equal => match self.tie {
                Tie::Plus => 1.0,
                Tie::Minus => 0.0,
                Tie::Parity => f64::from(u8::from(from.is_multiple_of(2))),
                // With extent 2 both ways are one link.
                Tie::Split if extent > 2 => 0.5,
                Tie::Split => 1.0,
            },
        };
        Way { up, down, share_up }
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
                            let way = self.way(x as u32, y as u32, k);
                            add_arc(&mut up, x, way.up as usize, amount * way.share_up);
                            // Going down from x to y uses the links at y+1..=x.
                            add_arc(&mut down, (y + 1) % k_, way.down as usize, amount * (1.0 - way.share_up));
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
        let ties = self.torus.dims.iter().enumerate().filter(|&(d, &k)| {
            let (x, y) = (self.torus.coordinate(source.0, d), self.torus.coordinate(target.0, d));
            self.tie == Tie::Split && self.way(x, y, k).share_up == 0.5
        });
        Ok(1 << ties.count())
    }

    /// Only ties are split, and rings of odd extents have none; with extent 2 both
    /// ways are one link.
    fn one_path(&self) -> bool {
        self.tie != Tie::Split || self.torus.dims.iter().all(|&k| k <= 2 || !k.is_multiple_of(2))
    }

    fn path(&self, source: VertexId, target: VertexId, mut choice: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        let mut at = source.0;
        for (d, &k) in self.torus.dims.iter().enumerate() {
            let (mut x, y) = (self.torus.coordinate(source.0, d), self.torus.coordinate(target.0, d));
            if x == y {
                continue;
            }
            let way = self.way(x, y, k);
            let mut up = way.share_up == 1.0;
            if way.share_up == 0.5 {
                up = choice & 1 == 0;
                choice >>= 1;
                path.share *= 0.5;
            }
            let stride = self.torus.stride(d);
            while x != y {
                path.links.push(self.torus.link(&self.fabric, at, d, up));
                let next = if up { (x + 1) % k } else { (x + k - 1) % k };
                at = at - x * stride + next * stride;
                x = next;
            }
        }
        Ok(())
    }

    /// O(dimensions).
    fn hops(&self, source: VertexId, target: VertexId, _: &mut Route) -> Result<f64> {
        let along = |(d, &k): (usize, &u32)| {
            let way = self.way(self.torus.coordinate(source.0, d), self.torus.coordinate(target.0, d), k);
            f64::from(way.up.min(way.down))
        };
        Ok(self.torus.dims.iter().enumerate().map(along).sum())
    }

    fn vcs(&self) -> u8 {
        2
    }

    /// On each ring 0 where the path crosses its end, 1 where it does not.
    fn channels(&self, path: &Path, _: u64, channels: &mut Vec<u8>) {
        let (t, f) = (&self.torus, &*self.fabric);
        let ends = |l: LinkId, d: usize| (t.coordinate(f.source(l).0, d), t.coordinate(f.target(l).0, d));
        let dimension = |l: LinkId| (0..t.dims.len()).find(|&d| ends(l, d).0 != ends(l, d).1);
        channels.clear();
        for ring in path.links.chunk_by(|&a, &b| dimension(a) == dimension(b)) {
            let Some(d) = dimension(ring[0]) else { continue };
            let k = t.dims[d];
            let ((from, next), to) = (ends(ring[0], d), ends(ring[ring.len() - 1], d).1);
            let crosses = k > 2 && if next == (from + 1) % k { to < from } else { to > from };
            channels.resize(channels.len() + ring.len(), u8::from(!crosses));
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
