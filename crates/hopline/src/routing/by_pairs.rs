//! What a routing does without structure: it looks at pair after pair.

use super::{Path, Route, Routing, host_link};
use crate::demand::{Flow, Flows};
use crate::error::Result;
use crate::id::VertexId;

/// The load of flows, pair by pair: what [`Routing::load`] does without structure, and what tests hold its overrides against.
///
/// # Errors
/// A flow has no way; the error names both vertices.
pub fn load_by_routes<R: Routing + ?Sized>(routing: &R, flows: &Flows, loads: &mut [f64]) -> Result<()> {
    load_entries(routing, &flows.entries, loads)?;
    let (mut route, mut failed) = (Route::new(), None);
    for block in &flows.blocks {
        block.each_pair(|flow| {
            if failed.is_none() {
                failed = add_route(routing, flow, &mut route, loads).err();
            }
        });
    }
    failed.map_or(Ok(()), Err)
}

/// The load of single flows, for routings that have a better way for blocks only.
pub(super) fn load_entries<R: Routing + ?Sized>(routing: &R, entries: &[Flow], loads: &mut [f64]) -> Result<()> {
    let mut route = Route::new();
    entries.iter().try_for_each(|&flow| add_route(routing, flow, &mut route, loads))
}

fn add_route<R: Routing + ?Sized>(routing: &R, flow: Flow, route: &mut Route, loads: &mut [f64]) -> Result<()> {
    routing.route(flow.source, flow.target, route)?;
    route.iter().for_each(|&(link, share)| loads[link.index()] += share * flow.amount);
    Ok(())
}

/// What [`Routing::most_hops`] does without structure.
pub(super) fn most_hops_of_paths<R: Routing + ?Sized>(routing: &R) -> u32 {
    let fabric = routing.fabric();
    let router = |v: VertexId| host_link(fabric, v).map_or(v, |link| fabric.target(link));
    let ends: Vec<VertexId> = (0..fabric.endpoints()).map(VertexId).collect();
    // Endpoints of one router follow each other: two of them stand for all, since one may be the target.
    let sources = ends.chunk_by(|&a, &b| router(a) == router(b)).flat_map(|own| own.iter().take(2));
    let (mut most, mut path) = (0, Path::default());
    for (&source, &target) in sources.flat_map(|source| ends.iter().map(move |target| (source, target))) {
        for choice in 0..routing.choices(source, target).unwrap_or(0) {
            if routing.path(source, target, choice, &mut path).is_ok() {
                most = most.max(path.links.iter().filter(|l| !fabric.is_host_link(**l)).count());
            }
        }
    }
    most as u32
}
