//! Loads of links under single messages that come and go.

use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use crate::routing::{Route, Routing};

/// Whether messages can be too many for a link: its bandwidth is limited.
pub(super) fn is_limited(fabric: &Fabric, link: LinkId) -> bool {
    fabric.class_of(link).bandwidth.is_some()
}

/// The load of every link of limited bandwidth, and the sum of its fourth powers.
pub(super) struct LinkLoads<'a> {
    routing: &'a dyn Routing,
    load: Vec<f64>,
    /// Sum over links of load^4: it falls as the busiest links do.
    pub(super) energy: f64,
    route: Route,
}

impl<'a> LinkLoads<'a> {
    pub(super) fn new(routing: &'a dyn Routing) -> Self {
        LinkLoads { routing, load: vec![0.0; routing.fabric().links()], energy: 0.0, route: Route::new() }
    }

    /// Adds `amount` messages, or takes them away; answers the largest load of
    /// the links that they use. O(links of a route).
    pub(super) fn add(&mut self, from: VertexId, to: VertexId, amount: f64) -> Result<f64> {
        if from == to {
            return Ok(0.0);
        }
        self.routing.route(from, to, &mut self.route)?;
        let mut most = 0.0f64;
        let fabric = self.routing.fabric();
        for &(link, share) in self.route.iter().filter(|(link, _)| is_limited(fabric, *link)) {
            let load = &mut self.load[link.index()];
            self.energy -= load.powi(4);
            *load += share * amount;
            self.energy += load.powi(4);
            most = most.max(*load);
        }
        Ok(most)
    }

    /// The largest load. O(links).
    pub(super) fn peak(&self) -> f64 {
        self.load.iter().copied().fold(0.0, f64::max)
    }
}
