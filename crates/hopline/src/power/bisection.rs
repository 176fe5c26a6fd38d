//! A share of the bandwidth between two halves of the machine.

use super::{Lit, is_cable};
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::unit::Bandwidth;
use std::collections::VecDeque;

/// Bandwidth of a link that has none: more than all others together.
const UNLIMITED: u64 = 1 << 60;

/// Lights cables until the greatest flow from the first half of the endpoints to the second is the given
/// share of that of the whole machine: augmenting paths that wake the fewest cables.
pub(super) fn keep(fabric: &Fabric, lit: &mut Lit, share: f64) {
    let whole = Flow::new(fabric).grow(None, u64::MAX);
    Flow::new(fabric).grow(Some(lit), (whole as f64 * share).ceil() as u64);
}

/// Bandwidth from the first half of the endpoints to the second, the greatest flow in bytes per second; none where nothing
/// limits it. O(flow in paths * links).
pub fn across(fabric: &Fabric) -> Option<Bandwidth> {
    let flow = Flow::new(fabric).grow(None, UNLIMITED);
    (flow < UNLIMITED).then(|| Bandwidth::bytes_s(flow))
}

/// A flow in bytes per second.
struct Flow<'a> {
    fabric: &'a Fabric,
    /// What each link can still take.
    left: Vec<u64>,
    /// Endpoints below this one send, the others receive.
    half: u32,
}

impl Flow<'_> {
    fn new(fabric: &Fabric) -> Flow<'_> {
        let bandwidth = |l: LinkId| fabric.class_of(l).bandwidth.map_or(UNLIMITED, |b| b.as_bytes_s());
        let left = fabric.link_ids().map(bandwidth).collect();
        Flow { fabric, left, half: fabric.endpoints() / 2 }
    }

    /// Adds paths until the flow reaches `target` or no more; dark cables on them are lit.
    fn grow(mut self, mut lit: Option<&mut Lit>, target: u64) -> u64 {
        let mut flow = 0u64;
        while flow < target {
            let Some(path) = self.path(lit.as_deref()) else { break };
            let room = path.iter().map(|l| self.left[l.index()]).min().unwrap_or(0);
            for &l in &path {
                self.left[l.index()] -= room;
                let back = self.fabric.reverse(l).index();
                self.left[back] = self.left[back].saturating_add(room);
                if let Some(lit) = lit.as_deref_mut() {
                    lit.set(self.fabric, l, true);
                }
            }
            flow = flow.saturating_add(room);
        }
        flow
    }

    /// A way from half to half with room on all its links, over the fewest dark cables: 0-1 breadth first.
    fn path(&self, lit: Option<&Lit>) -> Option<Vec<LinkId>> {
        const FAR: u32 = u32::MAX;
        let n = self.fabric.vertices() as usize;
        let (mut cost, mut by) = (vec![FAR; n], vec![FAR; n]);
        let mut queue: VecDeque<(u32, u32)> = (0..self.half).map(|v| (v, 0)).collect();
        cost[..self.half as usize].fill(0);
        while let Some((v, at)) = queue.pop_front() {
            if at > cost[v as usize] {
                continue;
            }
            if (self.half..self.fabric.endpoints()).contains(&v) {
                return Some(self.back(&by, v));
            }
            for l in self.fabric.out_links(VertexId(v)).filter(|&l| self.left[l.index()] > 0) {
                let next = self.fabric.target(l).0;
                let dark = lit.is_some_and(|lit| is_cable(self.fabric, l) && !lit.is_on(l));
                let then = at + u32::from(dark);
                if then < cost[next as usize] {
                    (cost[next as usize], by[next as usize]) = (then, l.0);
                    if dark { queue.push_back((next, then)) } else { queue.push_front((next, then)) }
                }
            }
        }
        None
    }

    /// The links that led to `v`.
    fn back(&self, by: &[u32], mut v: u32) -> Vec<LinkId> {
        let mut path = Vec::new();
        while v >= self.half {
            let l = LinkId(by[v as usize]);
            path.push(l);
            v = self.fabric.source(l).0;
        }
        path
    }
}
