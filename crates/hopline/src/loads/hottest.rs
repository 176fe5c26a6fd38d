//! The hottest links and who loads them.

use super::LinkLoads;
use crate::demand::{Demand, Flow, spread};
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::routing::{Route, Routing};
use rustc_hash::FxHashMap;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// A pair of tasks that loads a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Contributor {
    /// The sending task.
    pub from: u32,
    /// The receiving task.
    pub to: u32,
    /// What the pair puts on the link.
    pub amount: f64,
}

/// One of the hottest links.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct HotLink {
    /// The link's number in the fabric.
    pub link: u32,
    /// Both ends with their ports: `leaf01[5] -> spine02[3]`.
    pub name: String,
    /// Its class.
    pub class: String,
    /// Its load, in the demand's unit.
    pub load: f64,
    /// Its busy time relative to the busiest link's, 0 to 1.
    pub relative: f64,
    /// Pairs of tasks that load it.
    pub pairs: u64,
    /// The heaviest of them, heaviest first; empty where the demand names too
    /// many pairs to look at each.
    pub heaviest: Vec<Contributor>,
}

/// Demands with more pairs are not searched for contributors.
const MOST_PAIRS: u64 = 1 << 21;
/// Contributors listed per link.
const LISTED: usize = 4;

/// The `count` busiest links, busiest first (ties by outer class, then number),
/// unlimited ones left out, with the heaviest pairs of tasks on each.
/// O(links log links + pairs * links of a route); with bundles, O(links log links + pairs * bundles of a route).
///
/// # Errors
/// Two places have no way between them.
pub fn hottest(
    demand: &Demand,
    place: &[VertexId],
    routing: &dyn Routing,
    loads: &LinkLoads,
    count: usize,
) -> Result<Vec<HotLink>> {
    let fabric = routing.fabric();
    let mut links = busiest(loads, fabric, count);
    if demand.pairs() <= MOST_PAIRS {
        add_contributors(demand, place, routing, fabric, &mut links)?;
    }
    Ok(links)
}

/// The same without the pairs of tasks on each. O(links log links).
pub(crate) fn busiest(loads: &LinkLoads, fabric: &Fabric, count: usize) -> Vec<HotLink> {
    let mut order: Vec<(f64, LinkId)> = (0..fabric.links() as u32)
        .map(|l| (loads.busy(fabric, LinkId(l)), LinkId(l)))
        .filter(|(busy, _)| *busy > 0.0)
        .collect();
    // Rounding must not decide which of equal links comes first.
    let top = order.iter().map(|o| o.0).fold(f64::MIN_POSITIVE, f64::max);
    let key = |busy: f64| (busy / top * 1e9).round();
    let class = |link: LinkId| fabric.class_id(link);
    order.sort_by(|a, b| key(b.0).total_cmp(&key(a.0)).then(class(b.1).cmp(&class(a.1))).then(a.1.cmp(&b.1)));
    order.truncate(count);
    order
        .iter()
        .map(|&(busy, link)| HotLink {
            link: link.0,
            name: fabric.link_name(link),
            class: fabric.class_of(link).name.clone(),
            load: loads.load[link.index()],
            relative: busy / top,
            pairs: 0,
            heaviest: Vec::new(),
        })
        .collect()
}

fn add_contributors(
    demand: &Demand,
    place: &[VertexId],
    routing: &dyn Routing,
    fabric: &Fabric,
    links: &mut [HotLink],
) -> Result<()> {
    let hosts = fabric.hosts();
    let mut ways = Ways::new(routing, links);
    let (mut flows, mut parts) = (Vec::new(), Vec::new());
    let mut failed = None;
    demand.each_pair(|from, to, amount| {
        let (source, target) = (place[from as usize], place[to as usize]);
        if failed.is_some() || hosts.is_free(source, target) {
            return;
        }
        flows.clear();
        parts.clear();
        spread(fabric, Flow { source, target, amount }, &mut flows);
        for flow in &flows {
            if let Err(e) = ways.add(flow, &mut parts) {
                failed = Some(e);
                return;
            }
        }
        for &(i, amount) in &parts {
            let link = &mut links[i as usize];
            link.pairs += 1;
            let place = link.heaviest.partition_point(|c| c.amount >= amount);
            if place < LISTED {
                link.heaviest.insert(place, Contributor { from, to, amount });
                link.heaviest.truncate(LISTED);
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

/// A link that is not among the hottest.
const COLD: u32 = u32::MAX;

/// What flows put on the hottest links.
struct Ways<'a> {
    routing: &'a dyn Routing,
    /// Per link: the number of a hot one in their list, or [`COLD`].
    index: Vec<u32>,
    /// Of each bundle met, what it puts on hot links: far fewer than there are routes.
    known: FxHashMap<u32, Vec<(u32, f64)>>,
    bundles: Vec<u32>,
    route: Route,
}

impl<'a> Ways<'a> {
    fn new(routing: &'a dyn Routing, links: &[HotLink]) -> Self {
        let mut index = vec![COLD; routing.fabric().links()];
        links.iter().zip(0..).for_each(|(link, i)| index[link.link as usize] = i);
        Ways { routing, index, known: FxHashMap::default(), bundles: Vec::new(), route: Route::new() }
    }

    /// Adds what a flow puts on hot links to `parts`: (number in the list, amount), no number twice.
    fn add(&mut self, flow: &Flow, parts: &mut Vec<(u32, f64)>) -> Result<()> {
        let mut put = |i: u32, share: f64| match parts.iter_mut().find(|p| p.0 == i) {
            Some(p) => p.1 += share * flow.amount,
            None => parts.push((i, share * flow.amount)),
        };
        let Some(bundles) = self.routing.bundles() else {
            self.routing.route(flow.source, flow.target, &mut self.route)?;
            hot(&self.route, &self.index).for_each(|(i, share)| put(i, share));
            return Ok(());
        };
        bundles.of(flow.source, flow.target, &mut self.bundles);
        for &bundle in &self.bundles {
            let known = self.known.entry(bundle).or_insert_with(|| {
                bundles.links(bundle, &mut self.route);
                hot(&self.route, &self.index).collect()
            });
            known.iter().for_each(|&(i, share)| put(i, share));
        }
        // What one bundle takes off of another leaves nothing.
        parts.retain(|p| p.1 > 0.0);
        Ok(())
    }
}

/// The hot links of a route, by their number in the list.
fn hot<'a>(route: &'a Route, index: &'a [u32]) -> impl Iterator<Item = (u32, f64)> + 'a {
    route.iter().map(|(link, share)| (index[link.index()], *share)).filter(|hot| hot.0 != COLD)
}
