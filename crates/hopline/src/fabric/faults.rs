//! Fabrics with something missing: a cable, a switch, a host.

use super::Fabric;
use crate::error::{Error, Result, suggest_near};
use crate::id::{LinkId, VertexId};
use fixedbitset::FixedBitSet;

/// The links that a person means: `leaf01[36]` is the cable in that port,
/// `leaf01 -- spine02` are all cables between two vertices, and the name or GUID
/// of a switch, endpoint or host are all its cables. Both directions.
/// O(vertices + links of those).
///
/// # Errors
/// No such vertex, port or cable; the hint suggests the nearest name.
pub fn find_links(fabric: &Fabric, word: &str) -> Result<Vec<LinkId>> {
    let vertex = |name: &str| {
        let name = name.trim();
        fabric.find(name).ok_or_else(|| {
            let names = (0..fabric.vertices()).map(|v| fabric.vertex_name(VertexId(v)));
            Error::input(format!("{} has no switch, host or GUID `{name}`", fabric.name())).hint(suggest_near(
                name,
                names,
                "write SWITCH[PORT], `A -- B`, or the name of a switch or host",
            ))
        })
    };
    let both_ways = |links: Vec<LinkId>| links.iter().flat_map(|&l| [l, fabric.reverse(l)]).collect();
    let none = |what: String| Error::input(format!("{} has no {what}", fabric.name()));
    // A name may itself hold brackets or dashes, so it is tried as a whole first.
    if fabric.find(word).is_none() {
        if let Some((a, b)) = word.split_once(" -- ") {
            let (a, b) = (vertex(a)?, vertex(b)?);
            let links: Vec<LinkId> = fabric.out_links(a).map(LinkId).filter(|&l| fabric.target(l) == b).collect();
            return if links.is_empty() { Err(none(format!("cable `{word}`"))) } else { Ok(both_ways(links)) };
        }
        if let Some((name, port)) = word.trim_end().strip_suffix(']').and_then(|w| w.rsplit_once('[')) {
            let v = vertex(name)?;
            let link = fabric.out_links(v).map(LinkId).find(|&l| fabric.port(l).to_string() == port);
            return link.map(|l| both_ways(vec![l])).ok_or_else(|| none(format!("cable in port `{word}`")));
        }
    }
    // A host stands for all its endpoints.
    let own = match fabric.hosts().find(word) {
        Some(host) => fabric.hosts().endpoints(host).to_vec(),
        None => vec![vertex(word)?],
    };
    let links: Vec<LinkId> = own.iter().flat_map(|&v| fabric.out_links(v).map(LinkId)).collect();
    if links.is_empty() { Err(none(format!("cable at `{word}`"))) } else { Ok(both_ways(links)) }
}

impl Fabric {
    /// The same fabric without some links. Vertices keep their numbers, names,
    /// hosts and slots, even those that nothing reaches any more. O(links).
    #[must_use]
    pub fn without(&self, links: &[LinkId]) -> Fabric {
        let mut gone = FixedBitSet::with_capacity(self.links());
        links.iter().for_each(|l| gone.insert(l.index()));
        let kept: Vec<usize> = (0..self.links()).filter(|&l| !gone[l] && !gone[self.reverse[l] as usize]).collect();
        let mut place = vec![0u32; self.links()];
        kept.iter().enumerate().for_each(|(at, &l)| place[l] = at as u32);
        let mut first = vec![0u32; self.first.len()];
        kept.iter().for_each(|&l| first[self.source[l] as usize + 1] += 1);
        (1..first.len()).for_each(|v| first[v] += first[v - 1]);
        Fabric {
            first,
            source: kept.iter().map(|&l| self.source[l]).collect(),
            target: kept.iter().map(|&l| self.target[l]).collect(),
            class: kept.iter().map(|&l| self.class[l]).collect(),
            reverse: kept.iter().map(|&l| place[self.reverse[l] as usize]).collect(),
            port: kept.iter().map(|&l| self.port[l]).collect(),
            ..self.clone()
        }
    }
}
