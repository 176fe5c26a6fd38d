//! What steps of an algorithm take on the routes of a fabric.

use crate::algorithm::{Algorithm, Step};
use hopline::error::Result;
use hopline::fabric::Fabric;
use hopline::id::{LinkId, SlotId, VertexId};
use hopline::routing::{Route, Routing};
use rustc_hash::FxHashMap;

/// An algorithm on given routes, in an order of ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    /// Seconds per GB (10^9 bytes) of the operation's size: the sum over its steps of the time of the busiest link.
    pub seconds_per_gb: f64,
    /// The same if steps did not wait for each other: the time of the link that is busiest over all of them.
    pub busiest_seconds_per_gb: f64,
    /// That link.
    pub hottest: Option<LinkId>,
    /// Seconds of latency: of each step the longest path's.
    pub latency_s: f64,
    /// Steps.
    pub steps: u64,
}

/// Ranks in slots of a fabric, and its routes.
pub struct Routes<'a> {
    routing: &'a dyn Routing,
    endpoints: Vec<VertexId>,
    known: FxHashMap<(VertexId, VertexId), Route>,
}

impl<'a> Routes<'a> {
    /// Rank r sits in slot `slots[r]`.
    pub fn new(routing: &'a dyn Routing, slots: &[SlotId]) -> Routes<'a> {
        let hosts = routing.fabric().hosts();
        let endpoints = slots.iter().map(|&slot| hosts.endpoint_of(slot)).collect();
        Routes { routing, endpoints, known: FxHashMap::default() }
    }

    fn fabric(&self) -> &'a Fabric {
        self.routing.fabric()
    }

    /// The links of a message with their shares; none inside a host.
    ///
    /// # Errors
    /// There is no way between the two ranks.
    pub fn of(&mut self, from: u32, to: u32) -> Result<&Route> {
        let ends = (self.endpoints[from as usize], self.endpoints[to as usize]);
        let hosts = self.fabric().hosts();
        if !self.known.contains_key(&ends) {
            let mut route = Route::new();
            if hosts.owner(ends.0) != hosts.owner(ends.1) {
                self.routing.route(ends.0, ends.1, &mut route)?;
            }
            self.known.insert(ends, route);
        }
        Ok(&self.known[&ends])
    }

    /// Seconds that a GB takes on a link; `None` where it is unlimited.
    pub fn seconds_per_gb(&self, link: LinkId) -> Option<f64> {
        self.fabric().class_of(link).bandwidth.map(|bandwidth| 1.0 / bandwidth.as_gb_s())
    }

    /// Name of a link.
    pub fn link_name(&self, link: LinkId) -> String {
        self.fabric().link_name(link)
    }

    /// What an algorithm takes. O(messages x links of a route).
    ///
    /// # Errors
    /// There is no way between two ranks.
    pub fn time(&mut self, algorithm: &Algorithm) -> Result<Routed> {
        let links = self.fabric().links();
        let (mut all, mut own, mut touched) = (vec![0.0; links], vec![0.0; links], Vec::new());
        let mut routed =
            Routed { seconds_per_gb: 0.0, busiest_seconds_per_gb: 0.0, hottest: None, latency_s: 0.0, steps: 0 };
        for Step { times, sends } in &algorithm.steps {
            routed.steps += u64::from(*times);
            let (times, mut busiest, mut latency) = (f64::from(*times), 0.0f64, 0.0f64);
            for &(from, to, amount) in sends {
                let fabric = self.fabric();
                let mut delay = 0.0;
                for &(link, share) in self.of(from, to)? {
                    let class = fabric.class_of(link);
                    delay += share * class.latency.0 as f64 * 1e-9;
                    let Some(bandwidth) = class.bandwidth else { continue };
                    if own[link.index()] == 0.0 {
                        touched.push(link);
                    }
                    own[link.index()] += share * amount / bandwidth.as_gb_s();
                    busiest = busiest.max(own[link.index()]);
                }
                latency = latency.max(delay);
            }
            for link in touched.drain(..) {
                all[link.index()] += times * std::mem::take(&mut own[link.index()]);
            }
            routed.seconds_per_gb += times * busiest;
            routed.latency_s += times * latency;
        }
        for link in self.fabric().link_ids() {
            if all[link.index()] > routed.busiest_seconds_per_gb {
                routed.busiest_seconds_per_gb = all[link.index()];
                routed.hottest = Some(link);
            }
        }
        Ok(routed)
    }
}
