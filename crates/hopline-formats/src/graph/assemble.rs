//! A graph that others wrote, as a fabric. What it does not say is assumed, and a note says what.

use super::links::{add_links, cables};
use super::vertices::{Seats, add_hosts, add_levels, seats};
use super::words::{one_line, sizes};
use super::{Graph, value};
use hopline::error::{Error, Place, Result};
use hopline::fabric::{Builder, Rails};
use hopline::format::infiniband::{Lids, Machine};
use hopline::format::quote;

/// As many vertices as any family may have.
pub(super) const MOST: usize = 1 << 24;

/// The fabric of a graph. O(nodes * levels + edges).
///
/// Where no node has a `kind`, those with one neighbour are endpoints, and where
/// there is none of them every node is one, a router with a host. Where no
/// endpoint has a `host` each is a host of its own, with one slot. Where no edge
/// has a bandwidth, links between switches have 1 GB/s and host links no limit.
///
/// # Errors
/// There is no node or edge, two nodes have one name, an attribute makes no
/// sense, or edges of a directed graph do not go both ways; with the line.
pub(crate) fn machine(path: &str, graph: &Graph) -> Result<Machine> {
    let at = |line: u32| Place::new(path, line);
    if graph.nodes.is_empty() || graph.edges.is_empty() {
        let message = format!("{} nodes and {} edges, expected a network", graph.nodes.len(), graph.edges.len());
        return Err(Error::input(message).at(&at(0)).hint("every cable is an edge between two nodes"));
    }
    if graph.nodes.len() > MOST {
        return Err(Error::input(format!("{} nodes, expected at most {MOST}", graph.nodes.len())).at(&at(0)));
    }
    let Seats { vertex, endpoints, note } = seats(graph).map_err(|(line, e)| e.at(&at(line)))?;
    let name = graph.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(path);
    let name = one_line(name);
    let mut b = Builder::new(name, endpoints, graph.nodes.len() as u32 - endpoints);
    note.into_iter().for_each(|note| b.note(note));
    let hosts = add_hosts(&mut b, graph, &vertex).map_err(|(line, e)| e.at(&at(line)))?;
    add_levels(&mut b, graph, &vertex, endpoints).map_err(|(line, e)| e.at(&at(line)))?;
    let cables = cables(graph).map_err(|(line, e)| e.at(&at(line)))?;
    add_links(&mut b, graph, &vertex, endpoints, &cables).map_err(|(line, e)| e.at(&at(line)))?;
    if let Some(text) = value(&graph.data, &["coordinates"]) {
        let extents = sizes::<u32>(text)
            .filter(|all| all.iter().try_fold(1u64, |n, &k| n.checked_mul(u64::from(k))) == Some(u64::from(endpoints)));
        let wrong =
            || Error::input(format!("coordinates are {}, expected extents of {endpoints} endpoints", quote(text)));
        b.coordinates(extents.ok_or_else(|| wrong().at(&at(0)))?);
    }
    let rails = match value(&graph.data, &["rails"]) {
        None => Rails::default(),
        Some("affine") => Rails::Affine,
        Some("stripe") => Rails::Stripe,
        Some(text) => Rails::One(text.parse().map_err(|_| {
            Error::input(format!("rails are {}, expected affine, stripe or a number", quote(text))).at(&at(0))
        })?),
    };
    hosts.into_iter().for_each(|note| b.note(note));
    let fabric = b.finish().map_err(|e| Error::input(e.message()).at(&at(0)))?;
    let fabric = fabric.with_rails(rails).map_err(|e| e.at(&at(0)))?;
    Ok(Machine { fabric, lids: Lids::default() })
}
