//! A fabric in which some cables and vertices stand out: suspects, the set that proves a bound, what failures cost.

use super::fabric::{drawn, outline, strongest};
use super::layout::layout;
use super::{Part, html};
use hopline::fabric::Fabric;
use hopline::id::{LinkId, VertexId};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// The step of colour of what is marked, and what is said of it.
type Said = (usize, String);

/// Cables, by the names of both directions and their own, and vertices of a fabric. O(vertices + links).
pub(super) struct Names<'a> {
    cables: HashMap<String, LinkId>,
    vertices: HashMap<&'a str, VertexId>,
}

impl<'a> Names<'a> {
    pub(super) fn of(fabric: &'a Fabric) -> Names<'a> {
        Names {
            cables: fabric.link_ids().flat_map(|l| [(fabric.cable_name(l), l), (fabric.link_name(l), l)]).collect(),
            vertices: (0..fabric.vertices()).map(VertexId).map(|v| (fabric.vertex_name(v), v)).collect(),
        }
    }
}

/// What stands out; the rest is grey.
pub(super) struct Marks<'a> {
    fabric: &'a Fabric,
    /// By the direction of a cable that has the lower number.
    links: BTreeMap<LinkId, Said>,
    vertices: BTreeMap<VertexId, Said>,
}

impl<'a> Marks<'a> {
    pub(super) fn on(fabric: &'a Fabric) -> Marks<'a> {
        Marks { fabric, links: BTreeMap::new(), vertices: BTreeMap::new() }
    }

    /// Marks the cable of a link; what is said first stays, unless a darker step comes.
    pub(super) fn link(&mut self, link: LinkId, step: usize, words: &str) {
        mark(&mut self.links, cable(self.fabric, link), step, words);
    }

    pub(super) fn vertex(&mut self, vertex: VertexId, step: usize, words: &str) {
        mark(&mut self.vertices, vertex, step, words);
    }

    /// Marks the vertex or cable of a name; false where there is none.
    pub(super) fn named(&mut self, names: &Names<'_>, name: &str, step: usize, words: &str) -> bool {
        match (names.vertices.get(name), names.cables.get(name)) {
            (Some(&v), _) => self.vertex(v, step, words),
            (None, Some(&l)) => self.link(l, step, words),
            (None, None) => return false,
        }
        true
    }

    /// Cables that stand out.
    pub(super) fn cables(&self) -> usize {
        self.links.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.vertices.is_empty()
    }

    fn of_link(&self, link: LinkId) -> usize {
        self.links.get(&cable(self.fabric, link)).map_or(0, |said| said.0)
    }

    /// Its own step, or that of the links of a host.
    fn of_vertex(&self, v: VertexId) -> usize {
        let own = self.vertices.get(&v).map_or(0, |said| said.0);
        let links = self.fabric.out_links(v).filter(|&l| self.fabric.is_adapter(v) && self.fabric.is_host_link(l));
        links.map(|l| self.of_link(l)).fold(own, usize::max)
    }

    /// The picture under its caption, `scale` being what the darkest step stands for; none where there is nothing to
    /// draw. O(links + vertices).
    pub(super) fn part(&self, title: &str, scale: Option<&str>, caption: &str) -> Option<Part> {
        let made = layout(self.fabric);
        if made.marks.is_empty() {
            return None;
        }
        let shown = strongest(self.fabric, &made, |segment| self.of_link(segment.link) as f64);
        let (of_link, of_vertex) = (|l| Some(self.of_link(l)), |v| self.of_vertex(v));
        let picture = drawn(&made, &shown, (&of_link, &of_vertex), title, "");
        let mut s = scale.map_or(String::new(), super::job::scale);
        s.push_str(&format!("<div class=\"side marked\">\n{}</div>\n", html::figure(&picture, caption)));
        let (mut data, cables) = outline(self.fabric, &made, &shown);
        let of = |number: usize, (step, words): &Said| (number.to_string(), json!([step, words]));
        let numbered = cables.iter().enumerate().filter_map(|(n, l)| Some(of(n, self.links.get(l)?)));
        let links: Map<String, Value> = numbered.collect();
        let vertices: Map<String, Value> = self.vertices.iter().map(|(v, said)| of(v.index(), said)).collect();
        data["marked"] = json!({ "links": links, "vertices": vertices });
        Some(Part::new(title, s).with(data))
    }
}

/// The direction of a link's cable that has the lower number.
fn cable(fabric: &Fabric, link: LinkId) -> LinkId {
    link.min(fabric.reverse(link))
}

fn mark<K: Ord>(all: &mut BTreeMap<K, Said>, key: K, step: usize, words: &str) {
    let said = all.entry(key).or_insert_with(|| (step, words.to_string()));
    if step > said.0 {
        *said = (step, words.to_string());
    }
}
