//! The links between endpoints and their routers, which all routings take alike.

use crate::demand::Flows;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};

/// The only link of an endpoint that routes nothing.
pub(super) fn host_link(fabric: &Fabric, v: VertexId) -> Option<LinkId> {
    let mut links = fabric.out_links(v);
    match (links.next(), links.next()) {
        (Some(link), None)
            if fabric.is_endpoint(v) && fabric.is_host_link(link) && !fabric.is_endpoint(fabric.target(link)) =>
        {
            Some(link)
        }
        _ => None,
    }
}

/// Injection and ejection: what endpoints send and receive, added to their only
/// host links. Every routing of an indirect network shares it. O(entries + sides of blocks).
pub(crate) fn load_host_links(fabric: &Fabric, flows: &Flows, loads: &mut [f64]) {
    let mut add = |v: VertexId, amount: f64, inject: bool| {
        if let Some(link) = host_link(fabric, v) {
            let link = if inject { link } else { fabric.reverse(link) };
            loads[link.index()] += amount;
        }
    };
    for flow in &flows.entries {
        add(flow.source, flow.amount, true);
        add(flow.target, flow.amount, false);
    }
    for block in &flows.blocks {
        let count = |side: &[(VertexId, u32)]| side.iter().map(|s| u64::from(s.1)).sum::<u64>();
        let (sources, targets) = (count(&block.sources), count(&block.targets));
        for ((v, k), own) in beside(&block.sources, &block.targets) {
            add(v, (u64::from(k) * (targets - own)) as f64 * block.amount, true);
        }
        for ((v, k), own) in beside(&block.targets, &block.sources) {
            add(v, (u64::from(k) * (sources - own)) as f64 * block.amount, false);
        }
    }
}

/// Every vertex of one side of a block, with its tasks on the other; both ascend.
fn beside<'a>(
    side: &'a [(VertexId, u32)],
    other: &'a [(VertexId, u32)],
) -> impl Iterator<Item = ((VertexId, u32), u64)> + 'a {
    let mut left = other.iter().peekable();
    side.iter().map(move |&(v, k)| {
        while left.next_if(|o| o.0 < v).is_some() {}
        ((v, k), left.peek().filter(|o| o.0 == v).map_or(0, |o| u64::from(o.1)))
    })
}
