//! What steps of an algorithm take on the routes of a fabric.

use crate::algorithm::{Algorithm, Step};
use hopline::error::Result;
use hopline::fabric::Fabric;
use hopline::id::{LinkId, SlotId, VertexId};
use hopline::routing::{Route, Routing};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// Seconds per GB of each link over all steps.
    pub busy: Vec<f64>,
}

impl Routed {
    /// What is less is better: the time, then that without waiting, then what all links carry.
    pub(crate) fn is_better(&self, other: &Routed) -> bool {
        let parts = |of: &Routed| [of.seconds_per_gb, of.busiest_seconds_per_gb, of.busy.iter().sum()];
        let differs = |(a, b): &(f64, f64)| (a - b).abs() > 1e-9 * (a + b);
        parts(self).into_iter().zip(parts(other)).find(differs).is_some_and(|(own, other)| own < other)
    }
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

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.endpoints.len() as u32
    }

    /// The ranks in the order of their endpoints in the fabric, which is that of hosts in a model and in most machine rooms.
    pub(crate) fn by_place(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..self.ranks()).collect();
        ranks.sort_by_key(|&rank| (self.endpoints[rank as usize], rank));
        ranks
    }

    pub(crate) fn fabric(&self) -> &'a Fabric {
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
            if !hosts.is_free(ends.0, ends.1) {
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

    /// Bytes per second of a link; `None` where it is unlimited.
    pub fn bytes_s(&self, link: LinkId) -> Option<u64> {
        self.fabric().class_of(link).bandwidth.map(|bandwidth| bandwidth.as_bytes_s())
    }

    /// How many of the links between these vertices are busy.
    pub(crate) fn used(&self, busy: &[f64], ends: &[(u32, u32)]) -> u64 {
        let ends: FxHashSet<&(u32, u32)> = ends.iter().collect();
        let fabric = self.fabric();
        let is_one = |link: &LinkId| ends.contains(&(fabric.source(*link).0, fabric.target(*link).0));
        fabric.link_ids().filter(|link| busy[link.index()] > 0.0).filter(is_one).count() as u64
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
        let (mut seconds_per_gb, mut latency_s, mut steps) = (0.0, 0.0, 0);
        for Step { times, depth, sends } in &algorithm.steps {
            steps += u64::from(*times);
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
            seconds_per_gb += times * busiest;
            latency_s += times * f64::from(*depth) * latency;
        }
        let (mut busiest_seconds_per_gb, mut hottest) = (0.0, None);
        for link in self.fabric().link_ids().filter(|link| all[link.index()] > 0.0) {
            if all[link.index()] > busiest_seconds_per_gb {
                (busiest_seconds_per_gb, hottest) = (all[link.index()], Some(link));
            }
        }
        Ok(Routed { seconds_per_gb, busiest_seconds_per_gb, hottest, latency_s, steps, busy: all })
    }
}
