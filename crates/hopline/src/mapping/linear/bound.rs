//! A lower bound of T over all mappings of tasks to nodes.

use super::partners::Partners;
use crate::error::Result;
use crate::id::VertexId;
use crate::routing::{Path, Routing};

/// Above this many pairs of nodes only the number of links of a node is counted.
const MOST_PAIRS: usize = 1 << 24;

/// No mapping has a busiest link with fewer messages.
///
/// A task that is the partner of m others sits on some node; the messages from
/// m different nodes come in by that node's links, and each link is the last of
/// the ways from so many nodes only. The least load under which m messages fit
/// through is a bound; the node where it is least counts, because any may be
/// chosen. Scatters use the first links of the ways to others. Where messages are
/// split, or nodes are too many to look at all pairs, the m messages are shared out
/// among the links of a node: in parts, but whole where the routing itself says that
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
    let links = nodes.iter().map(|&v| fabric.degree(v)).max().unwrap_or(0).max(1);
    let coarse = f64::from(m) / links as f64;
    // Where messages are split, a link need not carry whole ones.
    let few = nodes.len() * nodes.len() <= MOST_PAIRS;
    if !routing.one_path() && (!few || splits(nodes, routing)?) {
        return Ok(coarse);
    }
    if m == 1 || !few {
        return Ok(coarse.ceil());
    }
    let mut least = u32::MAX;
    let (mut path, mut ways) = (Path::default(), vec![0u32; fabric.links()]);
    for &node in nodes {
        ways.fill(0);
        for &other in nodes.iter().filter(|&&other| other != node) {
            let (from, to) = if partners.scatter { (node, other) } else { (other, node) };
            routing.path(from, to, 0, &mut path)?;
            let end = if partners.scatter { path.links.first() } else { path.links.last() };
            end.iter().for_each(|l| ways[l.index()] += 1);
        }
        let mut own: Vec<u32> = ways.iter().copied().filter(|&w| w > 0).collect();
        own.sort_unstable();
        least = least.min(fits(&own, m));
    }
    Ok(f64::from(least))
}

/// Whether a message between two nodes may take several ways.
fn splits(nodes: &[VertexId], routing: &dyn Routing) -> Result<bool> {
    for &from in nodes {
        for &to in nodes {
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
