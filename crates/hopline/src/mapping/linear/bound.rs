//! A lower bound of T over all mappings of tasks to nodes.

use super::link_loads::is_limited;
use super::partners::Partners;
use crate::error::Result;
use crate::id::VertexId;
use crate::routing::{Path, Routing};

/// Above this many pairs of nodes only the number of links of a node is counted.
const MOST_PAIRS: usize = 1 << 24;

/// No mapping has a busiest link with fewer messages.
///
/// A task that is the partner of m others sits on some node; the messages from
/// m different nodes come in by that node's links, and each link is the last of limited bandwidth on
/// the ways from so many nodes only. The least load under which m messages fit
/// through is a bound; the node where it is least counts, because any may be
/// chosen. Scatters use the first links of the ways to others. Where messages are
/// split, or nodes are too many to look at all pairs, the m messages are shared out
/// among the links of a node, where all are limited: in parts, but whole where the routing itself says that
/// every message has one way. O(nodes^2 * links of a route).
///
/// # Errors
/// Two nodes have no way between them.
pub(super) fn bound(partners: &Partners, nodes: &[VertexId], routing: &dyn Routing) -> Result<f64> {
    let m = partners.most();
    if m == 0 {
        return Ok(0.0);
    }
    let fabric = routing.fabric();
    let limited = nodes.iter().all(|&v| fabric.out_links(v).all(|l| is_limited(fabric, l)));
    let links = nodes.iter().map(|&v| fabric.degree(v)).max().unwrap_or(0).max(1);
    let coarse = if limited { f64::from(m) / links as f64 } else { 0.0 };
    // Where messages are split, a link need not carry whole ones.
    let few = nodes.len() * nodes.len() <= MOST_PAIRS;
    if !routing.one_path() && (!few || splits(routing)?) {
        return Ok(coarse);
    }
    if m == 1 && limited || !few {
        return Ok(coarse.ceil());
    }
    let mut least = u32::MAX;
    let (mut path, mut ways) = (Path::default(), vec![0u32; fabric.links()]);
    for &node in nodes {
        ways.fill(0);
        let mut free = 0;
        for &other in nodes.iter().filter(|&&other| other != node) {
            let (from, to) = if partners.scatter { (node, other) } else { (other, node) };
            routing.path(from, to, 0, &mut path)?;
            let mut narrow = path.links.iter().filter(|l| is_limited(fabric, **l));
            match if partners.scatter { narrow.next() } else { narrow.next_back() } {
                Some(link) => ways[link.index()] += 1,
                None => free += 1,
            }
        }
        let mut own: Vec<u32> = ways.iter().copied().filter(|&w| w > 0).collect();
        own.sort_unstable();
        least = least.min(fits(&own, m.saturating_sub(free)));
    }
    Ok(f64::from(least))
}

/// Whether a message between two nodes may take several ways. O(nodes^2), less where one does.
pub(super) fn splits(routing: &dyn Routing) -> Result<bool> {
    let nodes = routing.fabric().endpoints();
    for from in (0..nodes).map(VertexId) {
        for to in (0..nodes).map(VertexId) {
            if from != to && routing.choices(from, to)? != 1 {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The least load under which m messages fit through links that take at most
/// `ways` each, ascending.
fn fits(ways: &[u32], m: u32) -> u32 {
    (1..=m).find(|&t| ways.iter().map(|&w| w.min(t)).sum::<u32>() >= m).unwrap_or(m)
}
