//! What a network costs: switches by their ports, cables by length and kind.
//!
//! The form is that of Kim, Dally, Scott and Abts, ISCA 2008, section 5, and of Besta and Hoefler, "Slim Fly",
//! SC 2014, section VI: racks on a floor that is about square, cables that follow its rows and columns, prices
//! in proportion to the bandwidth. The prices are parameters ([`ENTRY`]).

mod floor;
mod prices;

pub use prices::{ENTRY, Prices, no_params};

use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use floor::Floor;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What a cable is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CableKind {
    /// Copper, for short ways.
    Copper,
    /// Fibre, with what turns light into bits at both ends.
    Fibre,
}

/// Cables of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CableBill {
    /// The kind.
    pub kind: CableKind,
    /// How many, both directions of each as one.
    pub cables: u64,
    /// Metres in all.
    pub metres: f64,
    /// Their price in all.
    pub cost: f64,
}

/// What a network costs, in the money of its prices.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Bill {
    /// Switches, and routers that are endpoints themselves.
    pub switches: u32,
    /// Most ports of one.
    pub radix: u32,
    /// Their price in all.
    pub switch_cost: f64,
    /// Cables by kind, those of hosts included.
    pub cables: Vec<CableBill>,
    /// Everything together.
    pub cost: f64,
}

/// Prices every switch and cable. A link without a bandwidth, such as that of a host in most models, is priced as the
/// widest link that has one. O(vertices + links).
pub fn bill(fabric: &Fabric, prices: &Prices) -> Bill {
    let widest = fabric.classes().iter().filter_map(|c| c.bandwidth).max().map_or(0.0, |b| b.as_gb_s());
    // In Gb/s.
    let rate = |l: LinkId| 8.0 * fabric.class_of(l).bandwidth.map_or(widest, |b| b.as_gb_s());
    let floor = Floor::new(fabric, prices);
    let (mut switches, mut radix, mut switch_cost) = (0, 0, 0.0);
    for v in (0..fabric.vertices()).map(VertexId).filter(|&v| !fabric.is_adapter(v) && fabric.degree(v) > 0) {
        // A router that is an endpoint has a port for that.
        let own = fabric.is_endpoint(v).then_some(8.0 * widest);
        let ports = fabric.out_links(v).map(rate).chain(own);
        let (count, sum, most) = ports.fold((0, 0.0, 0.0f64), |(n, sum, most), r| (n + 1, sum + r, most.max(r)));
        switches += 1;
        radix = radix.max(count);
        switch_cost += prices.port * sum + prices.switch * most;
    }
    let [mut copper, mut fibre] =
        [CableKind::Copper, CableKind::Fibre].map(|kind| CableBill { kind, cables: 0, metres: 0.0, cost: 0.0 });
    for link in fabric.link_ids().filter(|&l| l < fabric.reverse(l)) {
        let metres = floor.metres(fabric.source(link), fabric.target(link));
        let (bill, price) = match metres <= prices.reach {
            true => (&mut copper, prices.copper + prices.copper_metre * metres),
            false => (&mut fibre, prices.fibre + prices.fibre_metre * metres),
        };
        bill.cables += 1;
        bill.metres += metres;
        bill.cost += rate(link) * price;
    }
    let cost = switch_cost + copper.cost + fibre.cost;
    Bill { switches, radix, switch_cost, cables: vec![copper, fibre], cost }
}
