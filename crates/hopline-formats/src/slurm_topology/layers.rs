//! Which leaves of a network belong together, from below to the top.

use super::leaves::Leaf;
use hopline::fabric::{Fabric, Level};
use hopline::id::VertexId;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// One layer of the tree.
pub(super) struct Layer {
    /// What its switches are called.
    pub(super) label: String,
    /// Per leaf: leaves with the same number belong together.
    pub(super) part: Vec<u32>,
    /// Per number: the switches that join its leaves, where the layer is made of some.
    pub(super) members: FxHashMap<u32, Vec<VertexId>>,
}

/// The switches above the leaves by their height; else the levels of the fabric;
/// on top what cables join at all.
pub(super) fn layers(fabric: &Fabric, leaves: &[Leaf]) -> Vec<Layer> {
    let mut layers = heights(fabric, leaves);
    if layers.is_empty() {
        layers.extend(fabric.levels().iter().filter_map(|level| of_level(fabric, leaves, level)));
    }
    let mut joined = Joined::new(fabric);
    fabric.link_ids().for_each(|l| joined.join(fabric.source(l), fabric.target(l)));
    let part = leaves.iter().map(|leaf| joined.find(leaf.vertex)).collect();
    layers.push(Layer { label: "root".to_string(), part, members: FxHashMap::default() });
    layers
}

/// At height h those leaves belong together that switches up to height h join.
/// A switch with hosts has height 1, every other one more than its lowest neighbour.
fn heights(fabric: &Fabric, leaves: &[Leaf]) -> Vec<Layer> {
    let mut height = vec![u32::MAX; fabric.vertices() as usize];
    let mut queue: VecDeque<VertexId> = leaves.iter().map(|l| l.vertex).filter(|&v| !fabric.is_endpoint(v)).collect();
    queue.iter().for_each(|v| set(&mut height, *v, 1));
    let mut by_height: Vec<Vec<VertexId>> = Vec::new();
    while let Some(v) = queue.pop_front() {
        let own = height.get(v.index()).copied().unwrap_or(u32::MAX);
        by_height.resize(by_height.len().max(own as usize), Vec::new());
        by_height.last_mut().into_iter().for_each(|all| all.push(v));
        for next in fabric.out_links(v).map(|l| fabric.target(l)).filter(|&n| !fabric.is_endpoint(n)) {
            if height.get(next.index()) == Some(&u32::MAX) {
                set(&mut height, next, own + 1);
                queue.push_back(next);
            }
        }
    }
    let mut joined = Joined::new(fabric);
    let mut layers = Vec::new();
    for (switches, h) in by_height.iter().zip(1u32..) {
        for &v in switches {
            for next in fabric.out_links(v).map(|l| fabric.target(l)) {
                if height.get(next.index()).is_some_and(|other| *other <= h) {
                    joined.join(v, next);
                }
            }
        }
        if h > 1 {
            let part = leaves.iter().map(|leaf| joined.find(leaf.vertex)).collect();
            let mut members: FxHashMap<u32, Vec<VertexId>> = FxHashMap::default();
            switches.iter().for_each(|&v| members.entry(joined.find(v)).or_default().push(v));
            layers.push(Layer { label: format!("height{h}"), part, members });
        }
    }
    layers
}

fn set(height: &mut [u32], v: VertexId, to: u32) {
    height.get_mut(v.index()).into_iter().for_each(|h| *h = to);
}

/// A level as a layer, unless it cuts through a leaf.
fn of_level(fabric: &Fabric, leaves: &[Leaf], level: &Level) -> Option<Layer> {
    let of_host = |h| level.part.get(fabric.hosts().endpoints(h).first()?.index()).copied();
    let of_leaf = |leaf: &Leaf| {
        let part = of_host(*leaf.hosts.first()?)?;
        leaf.hosts.iter().all(|&h| of_host(h) == Some(part)).then_some(part)
    };
    let part = leaves.iter().map(of_leaf).collect::<Option<_>>()?;
    Some(Layer { label: level.name.clone(), part, members: FxHashMap::default() })
}

/// Vertices that are joined, by a forest of parents.
struct Joined(Vec<u32>);

impl Joined {
    fn new(fabric: &Fabric) -> Self {
        Joined((0..fabric.vertices()).collect())
    }

    fn find(&mut self, v: VertexId) -> u32 {
        let mut at = v.0;
        while let Some(&up) = self.0.get(at as usize)
            && up != at
        {
            // Halving the way keeps later ways short.
            let further = self.0.get(up as usize).copied().unwrap_or(up);
            self.0.get_mut(at as usize).into_iter().for_each(|own| *own = further);
            at = further;
        }
        at
    }

    fn join(&mut self, a: VertexId, b: VertexId) {
        let (a, b) = (self.find(a), self.find(b));
        self.0.get_mut(a.max(b) as usize).into_iter().for_each(|own| *own = a.min(b));
    }
}
