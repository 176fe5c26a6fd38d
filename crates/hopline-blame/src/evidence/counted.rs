//! Errors that ports count, port by port beside their siblings: what all ports of a switch count speaks against none of them.

use crate::measured::PortErrors;
use crate::names::Names;
use hopline::fabric::Fabric;
use hopline::id::{LinkId, VertexId};
use rustc_hash::FxHashMap;

/// A count is a port's own where it is so many times that of the middle one of its siblings.
const OWN: u64 = 4;
/// Fewer siblings than these at the same node tell nothing: then all ports of the kind are compared.
const SIBLINGS: usize = 3;

/// What the port counts at which a link arrives.
pub(super) struct Counted {
    /// The port and its counters.
    pub(super) text: String,
    /// Whether it counts more than its siblings do.
    pub(super) odd: bool,
}

/// By link: errors are counted where data comes in. O(ports with errors * ports of a switch), of
/// hosts' adapters with errors each O(links).
pub(super) fn counted(fabric: &Fabric, names: &Names, errors: &[PortErrors]) -> FxHashMap<LinkId, Counted> {
    let mut own: FxHashMap<LinkId, Vec<(&str, u64)>> = FxHashMap::default();
    for port in errors {
        let vertex = port.guid.and_then(|g| fabric.find(&format!("0x{g:x}"))).or_else(|| names.lid(port.lid?));
        let link = vertex.and_then(|v| fabric.out_links(v).find(|l| fabric.port(*l) == port.port));
        if let Some(link) = link {
            own.insert(fabric.reverse(link), port.own.iter().map(|(name, n)| (name.as_str(), *n)).collect());
        }
    }
    let count = |l: LinkId, name: &str| {
        let counts = own.get(&l).into_iter().flatten();
        counts.filter(|(n, _)| *n == name).map(|(_, n)| *n).max().unwrap_or(0)
    };
    let is_own = |siblings: &[LinkId], name: &str, n: u64| {
        let mut others: Vec<u64> = siblings.iter().map(|&o| count(o, name)).collect();
        others.sort_unstable();
        n > OWN.saturating_mul(others.get(others.len() / 2).copied().unwrap_or(0))
    };
    let told = own.iter().map(|(&l, counts)| {
        let (v, port) = (fabric.target(l), fabric.port(fabric.reverse(l)));
        let siblings = siblings(fabric, l);
        let odd = counts.iter().any(|(name, n)| is_own(&siblings, name, *n));
        let all: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
        let like = if odd { "" } else { ", as its siblings do" };
        (l, Counted { text: format!("{}[{port}]: {}{like}", fabric.vertex_name(v), all.join(", ")), odd })
    });
    told.collect()
}

/// Links that arrive at the same node from the same kind of neighbour, or where these are few, from all of the kind at such nodes.
fn siblings(fabric: &Fabric, link: LinkId) -> Vec<LinkId> {
    let v = fabric.target(link);
    let alike = |l: &LinkId| fabric.is_host_link(*l) == fabric.is_host_link(link) && *l != link;
    let near: Vec<LinkId> = fabric.out_links(v).map(|l| fabric.reverse(l)).filter(alike).collect();
    if near.len() >= SIBLINGS {
        return near;
    }
    let kind = |v: VertexId| v.0 < fabric.endpoints();
    fabric.link_ids().filter(|l| alike(l) && kind(fabric.target(*l)) == kind(v)).collect()
}
