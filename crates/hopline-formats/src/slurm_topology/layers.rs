//! Which leaves of a network belong together, from below to the top.

use super::leaves::Leaf;
use hopline::fabric::{Fabric, Level};
use hopline::id::VertexId;
use hopline::sets::DisjointSets;
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
    let mut joined = DisjointSets::new(fabric.vertices());
    for l in fabric.link_ids() {
        joined.join(fabric.source(l).0, fabric.target(l).0);
    }
    let part = leaves.iter().map(|leaf| joined.find(leaf.vertex.0)).collect();
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
    let mut joined = DisjointSets::new(fabric.vertices());
    let mut layers = Vec::new();
    for (switches, h) in by_height.iter().zip(1u32..) {
        for &v in switches {
            for next in fabric.out_links(v).map(|l| fabric.target(l)) {
                if height.get(next.index()).is_some_and(|other| *other <= h) {
                    joined.join(v.0, next.0);
                }
            }
        }
        if h > 1 {
            let part = leaves.iter().map(|leaf| joined.find(leaf.vertex.0)).collect();
            let mut members: FxHashMap<u32, Vec<VertexId>> = FxHashMap::default();
            switches.iter().for_each(|&v| members.entry(joined.find(v.0)).or_default().push(v));
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
