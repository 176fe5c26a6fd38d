//! Fabrics with something missing: a cable, a switch, a host.

use super::{Fabric, named};
use crate::error::{Error, Result};
use crate::id::{LinkId, VertexId};
use std::sync::Arc;

/// The links that a person means: `leaf01[36]` is the cable in that port,
/// `leaf01 -- spine02` are all cables between two vertices, and the name or GUID
/// of a switch, endpoint or host are all its cables. Both directions. Names may be
/// shortened as long as one vertex has them (`spine02` for `spine02/U1`), and patterns
/// (`spine*`, `leaf0[1-4]`) mean all vertices that they fit. A cable's own name,
/// `leaf01[36] -> spine02[1]`, is taken by its first end.
/// O(vertices + links of those).
///
/// # Errors
/// No such vertex, port or cable, or a name that several vertices share; the hint
/// lists them, or suggests the nearest name.
pub fn find_links(fabric: &Fabric, word: &str) -> Result<Vec<LinkId>> {
    let links = directed(fabric, word)?;
    Ok(links.into_iter().flat_map(|l| [l, fabric.reverse(l)]).collect())
}

/// One direction of each of them.
fn directed(fabric: &Fabric, word: &str) -> Result<Vec<LinkId>> {
    let none = |what: String| {
        Error::input(format!("{} has no {what}", fabric.name())).hint("a list of its switches has the ports")
    };
    // A name may itself hold brackets or dashes, so it is tried as a whole first.
    if fabric.find(word).is_none() {
        if let Some((a, b)) = word.split_once(" -- ") {
            let (a, b) = (named::vertices(fabric, a)?, named::vertices(fabric, b)?);
            let leaving = a.iter().flat_map(|&v| fabric.out_links(v));
            let links: Vec<LinkId> = leaving.filter(|&l| b.contains(&fabric.target(l))).collect();
            return if links.is_empty() { Err(none(format!("cable `{word}`"))) } else { Ok(links) };
        }
        if let Some((a, b)) = word.split_once(" -> ") {
            let links = in_port(fabric, a.trim())?.unwrap_or_default();
            let back = in_port(fabric, b.trim())?.unwrap_or_default();
            let links: Vec<LinkId> = links.into_iter().filter(|&l| back.contains(&fabric.reverse(l))).collect();
            return if links.is_empty() { Err(none(format!("cable `{word}`"))) } else { Ok(links) };
        }
        if let Some(links) = in_port(fabric, word.trim())? {
            return if links.is_empty() { Err(none(format!("cable in port `{word}`"))) } else { Ok(links) };
        }
    }
    // A host stands for all its endpoints.
    let own = match fabric.hosts().find(word) {
        Some(host) => fabric.hosts().endpoints(host).to_vec(),
        None => named::vertices(fabric, word)?,
    };
    let links: Vec<LinkId> = own.iter().flat_map(|&v| fabric.out_links(v)).collect();
    if links.is_empty() { Err(none(format!("cable at `{word}`"))) } else { Ok(links) }
}

/// The links in a port, of several vertices where a pattern fits them; none where the word is no `NAME[PORT]`.
fn in_port(fabric: &Fabric, word: &str) -> Result<Option<Vec<LinkId>>> {
    let Some((name, port)) = word.strip_suffix(']').and_then(|w| w.rsplit_once('[')) else { return Ok(None) };
    // `leaf0[1]` and `leaf0[1-4]` may be patterns of names.
    let whole = named::vertices(fabric, word);
    let at = match named::vertices(fabric, name) {
        Ok(at) if port.parse::<u16>().is_ok() || whole.is_err() => at,
        _ if whole.is_ok() => return Ok(None),
        Ok(at) => at,
        Err(error) => return Err(error),
    };
    let leaving = at.iter().flat_map(|&v| fabric.out_links(v));
    Ok(Some(leaving.filter(|&l| fabric.port(l).to_string() == port).collect()))
}

impl Fabric {
    /// The same fabric without some links. Vertices keep their numbers, names,
    /// hosts and slots, even those that nothing reaches any more. O(links).
    #[must_use]
    pub fn without(&self, links: &[LinkId]) -> Fabric {
        let mut gone = vec![false; self.links()];
        links.iter().for_each(|l| gone[l.index()] = true);
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
            outside: self.outside.as_ref().map(|outside| {
                let is_left = |l: LinkId| kept.binary_search(&l.index()).is_ok();
                Arc::new(outside.left(is_left, |l| LinkId(place[l.index()])))
            }),
            ..self.clone()
        }
    }
}

/// Vertices that are switches in the sense of a person: they route, and are no adapters. In a direct
/// network every vertex is one. O(vertices).
pub fn switches(fabric: &Fabric) -> impl Iterator<Item = VertexId> + '_ {
    (0..fabric.vertices())
        .map(VertexId)
        .filter(|&v| !fabric.is_endpoint(v) || !fabric.is_adapter(v) && fabric.degree(v) > 0)
}
