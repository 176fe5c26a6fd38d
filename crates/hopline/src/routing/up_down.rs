//! Up*/down* routing on any fabric: every link goes up or down, and no path goes
//! up again once it went down. Schroeder et al., "Autonet", 1991.

use super::{Routing, Shortest};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::params::Reader;
use crate::topology::Topology;
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "up-down",
    summary: "any fabric: shortest paths that go up to a root, then down; never deadlocks",
    doc: "The rank of a router is its hops from the nearest root. A link goes up where it leads to a smaller rank or, of \
          equal ranks, to the vertex of smaller number; else down. Paths may not go up after they went down, so no \
          circle of waiting packets can close. Of these paths the shortest are taken; ties split evenly hop by hop, \
          parallel cables count each.\n\
          Without roots= the switches farthest from all endpoints are the roots (the top of a fat tree), or the first \
          of them where some are cabled to each other; vertex 0 where there are no switches. Where no root leads down \
          to every endpoint, routers on the way from the best root to the others are ranked below that way, so that \
          no two endpoints are kept apart.\n\
          Source: Schroeder et al., \"Autonet: a high-speed, self-configuring local area network using point-to-point \
          links\", 1991; OpenSM's updn.",
    example: "up-down",
    params: &[param("roots", "names", "farthest switches", "switches or routers; several as [a,b]")],
};

/// Rank of what routes nothing.
const LOWEST: u32 = u32::MAX;

pub(super) fn read(reader: &Reader, _: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
    Ok(Box::new(read_up_down(reader, fabric)?))
}

/// The routing that a spec describes.
pub(crate) fn read_up_down(reader: &Reader, fabric: &Arc<Fabric>) -> Result<Shortest> {
    let mut roots = read_roots(reader, fabric)?;
    if roots.is_empty() {
        roots = default_roots(fabric);
    }
    Ok(up_down(fabric.clone(), &roots))
}

/// The roots that a spec names.
pub(super) fn read_roots(reader: &Reader, fabric: &Fabric) -> Result<Vec<VertexId>> {
    let names = reader.or("roots", String::new())?;
    let words = names.trim_matches(['[', ']']).split(',').map(str::trim).filter(|w| !w.is_empty());
    let find = |word: &str| {
        let root = fabric.find(word).filter(|&v| !fabric.is_adapter(v));
        let text = || format!("`roots` has `{word}`, which is no router of {}", fabric.name());
        root.ok_or_else(|| reader.wrong("roots", text()))
    };
    words.map(find).collect()
}

/// Up*/down* routing from the given roots; a part of the fabric without any
/// takes its first router. O(links) on a fat tree, O(roots * links) at worst.
pub fn up_down(fabric: Arc<Fabric>, roots: &[VertexId]) -> Shortest {
    let mut is_root = unseen(&fabric);
    roots.iter().for_each(|v| is_root[v.index()] = true);
    let mut rank = vec![LOWEST; fabric.vertices() as usize];
    let mut seen = unseen(&fabric);
    let all = roots.iter().copied().chain((0..fabric.vertices()).map(VertexId));
    for v in all.filter(|&v| !fabric.is_adapter(v)) {
        let part = flood(&fabric, &[v], &mut seen, |_, _| true);
        // An adapter with several links may belong to several parts.
        part.iter().filter(|s| fabric.is_adapter(s.vertex)).for_each(|s| seen[s.vertex.index()] = false);
        let own: Vec<VertexId> = part.iter().map(|s| s.vertex).filter(|v| is_root[v.index()]).collect();
        count_hops(&fabric, &part, &mut rank);
        if own.len() > 1 {
            count_hops(&fabric, &flood(&fabric, &own, &mut unseen(&fabric), |_, _| true), &mut rank);
            let ends = part.iter().filter(|s| fabric.is_endpoint(s.vertex)).count();
            join(&fabric, &own, ends, &mut rank);
        }
    }
    Shortest::up_then_down(fabric, &rank)
}

/// The roots that are meant where none are named: the switches with the most
/// hops to their nearest endpoint, or the first of them where some are cabled to
/// each other; vertex 0 where there are no switches. O(links).
pub fn default_roots(fabric: &Fabric) -> Vec<VertexId> {
    let endpoints: Vec<VertexId> = (0..fabric.endpoints()).map(VertexId).collect();
    let mut hops = vec![0; fabric.vertices() as usize];
    count_hops(fabric, &flood(fabric, &endpoints, &mut unseen(fabric), |_, _| true), &mut hops);
    let most = hops.iter().copied().max().filter(|&most| most > 0);
    let mut roots: Vec<VertexId> =
        (0..fabric.vertices()).map(VertexId).filter(|v| Some(hops[v.index()]) == most).collect();
    if roots.iter().any(|&v| neighbours(fabric, v).any(|next| Some(hops[next.index()]) == most)) {
        roots.truncate(1);
    }
    if roots.is_empty() { endpoints.into_iter().take(1).collect() } else { roots }
}

/// Changes ranks so that one of several roots leads down to all `ends`
/// endpoints of their part.
fn join(fabric: &Fabric, roots: &[VertexId], ends: usize, rank: &mut [u32]) {
    let mut best = (0, Vec::new());
    for &root in roots {
        let down = |v: VertexId, next: VertexId| (rank[v.index()], v) < (rank[next.index()], next);
        let below = flood(fabric, &[root], &mut unseen(fabric), down);
        let count = below.iter().filter(|s| fabric.is_endpoint(s.vertex)).count();
        if count == ends {
            return;
        }
        if best.1.is_empty() || count > best.0 {
            best = (count, below);
        }
    }
    // Ways from there to the other endpoints; what lies on one is ranked below what is before it.
    let below: Vec<VertexId> = best.1.iter().map(|s| s.vertex).filter(|&v| !fabric.is_adapter(v)).collect();
    let ways = flood(fabric, &below, &mut unseen(fabric), |_, _| true);
    let mut needed = unseen(fabric);
    for step in ways.iter().rev() {
        if needed[step.vertex.index()] || fabric.is_endpoint(step.vertex) {
            needed[step.vertex.index()] = true;
            needed[step.from.index()] = true;
        }
    }
    for step in ways[below.len()..].iter().filter(|s| needed[s.vertex.index()] && !fabric.is_adapter(s.vertex)) {
        rank[step.vertex.index()] = rank[step.vertex.index()].max(rank[step.from.index()] + 1);
    }
}

/// A vertex and the one from which it was reached; itself where it was a start.
struct Step {
    vertex: VertexId,
    from: VertexId,
}

/// Breadth first from all of `start` over the links that `takes` accepts, not
/// through adapters that are no start; what was seen before is left out.
fn flood(
    fabric: &Fabric,
    start: &[VertexId],
    seen: &mut [bool],
    takes: impl Fn(VertexId, VertexId) -> bool,
) -> Vec<Step> {
    let mut steps = Vec::new();
    for &v in start {
        if !std::mem::replace(&mut seen[v.index()], true) {
            steps.push(Step { vertex: v, from: v });
        }
    }
    let (mut at, starts) = (0, steps.len());
    while at < steps.len() {
        let from = steps[at].vertex;
        let goes_on = at < starts || !fabric.is_adapter(from);
        for vertex in neighbours(fabric, from).filter(|_| goes_on) {
            if !seen[vertex.index()] && takes(from, vertex) {
                seen[vertex.index()] = true;
                steps.push(Step { vertex, from });
            }
        }
        at += 1;
    }
    steps
}

fn unseen(fabric: &Fabric) -> Vec<bool> {
    vec![false; fabric.vertices() as usize]
}

fn neighbours(fabric: &Fabric, v: VertexId) -> impl Iterator<Item = VertexId> + '_ {
    fabric.out_links(v).map(|l| fabric.target(l))
}

/// Writes the hops from the nearest start of a flood; adapters keep what they have.
fn count_hops(fabric: &Fabric, steps: &[Step], hops: &mut [u32]) {
    for step in steps.iter().filter(|s| !fabric.is_adapter(s.vertex)) {
        hops[step.vertex.index()] = if step.vertex == step.from { 0 } else { hops[step.from.index()] + 1 };
    }
}
