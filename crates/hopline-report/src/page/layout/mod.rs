//! Where the vertices of a fabric stand in its picture: by what the fabric says of itself, never by its family.

mod grid;
mod groups;
mod insides;
mod levels;

pub(crate) use groups::part;

use hopline::fabric::Fabric;
use hopline::id::{LinkId, VertexId};

/// A picture is so many units wide.
pub(super) const WIDTH: f64 = 10_000.0;

/// A point of the picture.
pub(super) type Point = (f64, f64);

/// A vertex, as a square of this side around its middle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) vertex: VertexId,
    pub(super) at: Point,
    pub(super) side: f64,
}

/// A line that stands for a cable, or for its half.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) from: Point,
    pub(super) to: Point,
    /// One direction of the cable.
    pub(super) link: LinkId,
}

/// Words in the picture.
#[derive(Debug, Clone)]
pub(super) struct Label {
    pub(super) at: Point,
    pub(super) words: String,
}

/// The picture of a fabric.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// What the reader sees.
    pub(super) caption: String,
    pub(super) height: f64,
    pub(super) marks: Vec<Mark>,
    pub(super) segments: Vec<Segment>,
    pub(super) labels: Vec<Label>,
    /// Lines around groups: middle and radius.
    pub(super) circles: Vec<(Point, f64)>,
}

/// Levels for trees and whatever has switches above its leaves; an unrolled grid where there are coordinates; rings of
/// groups where a level has several routers in a part; one ring for the rest.
pub(super) fn layout(fabric: &Fabric) -> Layout {
    of_part(fabric, &|_| true)
}

/// The same without the switches and hosts of levels, and the parts of hosts with an inside, that are not `shown`; other shapes are
/// drawn whole.
pub(super) fn of_part(fabric: &Fabric, shown: &dyn Fn(VertexId) -> bool) -> Layout {
    match fabric.outside() {
        Some(outside) => insides::layout(fabric, outside, shown),
        None => of_shape(fabric, shown),
    }
}

fn of_shape(fabric: &Fabric, shown: &dyn Fn(VertexId) -> bool) -> Layout {
    if let Some(dims) = fabric.coordinates() {
        return grid::layout(fabric, dims);
    }
    match levels::layers(fabric) {
        Some(layers) => levels::layout(fabric, &layers, shown),
        None => groups::layout(fabric),
    }
}

/// One direction of every cable between routers, the one with the lower number.
pub(super) fn cables(fabric: &Fabric) -> impl Iterator<Item = LinkId> + '_ {
    fabric.link_ids().filter(|&l| l <= fabric.reverse(l) && !fabric.is_host_link(l))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline::entry::Listed as _;
    use hopline::files::Disk;
    use hopline::plan::Network;
    use hopline::scenario::Scenario;
    use hopline::topology::LIST;
    use std::collections::BTreeSet;

    fn drawn(spec: &str) -> (Network, Layout) {
        let network = Network::new(&Scenario::default().topology(spec).expect(spec), &Disk).expect(spec);
        let layout = layout(&network.fabric);
        (network, layout)
    }

    #[test]
    fn every_vertex_and_every_cable_is_in_the_picture() {
        let words = [
            ("fat-tree:k=4,n=3", "level"),
            ("tree:arity=4x8", "level"),
            ("omega:k=2,n=4", "level"),
            ("dragonfly:p=2,a=4,h=2", "group"),
            ("dragonfly-plus:p=2", "level"),
            ("percs:ns=4,nd=2", "supernode"),
            ("torus:dims=4x4x4", "grid"),
            ("mesh:dims=4x3", "grid"),
            ("kncube:k=4,n=2", "grid"),
            ("full-mesh:n=9", "ring"),
            ("jellyfish:n=12,r=3,p=2", "ring"),
            ("fat-tree:k=4,n=2,host=dgx-h100", "levels of switches; every host as a block"),
            ("dragonfly:p=2,a=4,h=2,host=frontier", "group"),
            ("torus:dims=4x4,host=dgx-h100", "grid"),
        ];
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/");
        let all = LIST.iter().map(|family| (family.entry().example.replace("testdata/", root), ""));
        for (spec, word) in words.map(|(spec, word)| (spec.to_string(), word)).into_iter().chain(all) {
            let spec = &spec[..];
            let (network, layout) = drawn(spec);
            let fabric = &network.fabric;
            assert!(layout.caption.contains(word), "{spec}: {}", layout.caption);
            let marked: BTreeSet<u32> = layout.marks.iter().map(|m| m.vertex.0).collect();
            assert_eq!(marked.len(), layout.marks.len(), "{spec}: no vertex twice");
            assert_eq!(marked.len() as u32, fabric.vertices(), "{spec}: all of them");
            let lines: BTreeSet<LinkId> = layout.segments.iter().map(|s| s.link).collect();
            assert_eq!(lines, cables(fabric).collect(), "{spec}");
            let inside = |(x, y): Point| (0.0..=WIDTH).contains(&x) && (0.0..=layout.height).contains(&y);
            let ends = layout.segments.iter().flat_map(|s| [s.from, s.to]);
            for at in layout.marks.iter().map(|m| m.at).chain(ends).chain(layout.labels.iter().map(|l| l.at)) {
                assert!(inside(at), "{spec}: {at:?} of {}", layout.height);
            }
        }
    }
}
