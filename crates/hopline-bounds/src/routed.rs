//! What steps of an algorithm take on the routes of a fabric.

use crate::algorithm::Algorithm;
use crate::network::Network;
use crate::step::Step;
use crate::ways::{Shortest, Ways};
use hopline::error::Result;
use hopline::id::{LinkId, SlotId};
use hopline::routing::{Route, Routing};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

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

/// Ranks on a fabric, and the ways between them.
pub struct Routes<'a> {
    ways: Ways<'a>,
    /// The vertex of each rank.
    ends: Vec<u32>,
    /// By these vertices, as long as there is room.
    known: FxHashMap<(u32, u32), Route>,
    /// Links of all that are known.
    kept: usize,
    /// The last one that was not.
    last: Route,
    /// Of each link its bytes per second and seconds of latency.
    speeds: Arc<[(Option<u64>, f64)]>,
}

/// Links of routes that are kept: 64 MB. Where all pairs of many ranks meet each route is asked for once.
const KEPT: usize = 1 << 22;

impl<'a> Routes<'a> {
    /// Rank r sits in slot `slots[r]`.
    pub fn new(routing: &'a dyn Routing, slots: &[SlotId]) -> Routes<'a> {
        let hosts = routing.fabric().hosts();
        let ends = slots.iter().map(|&slot| hosts.endpoint_of(slot).0).collect();
        Routes::by(Ways::Routed(routing), ends)
    }

    /// By shortest ways along the links' directions, which are shared by ties as ECMP shares them; ranks pass messages on, too.
    pub fn shortest(network: &'a Network) -> Routes<'a> {
        Routes::by(Ways::Shortest(Shortest::new(network)), network.ranks().to_vec())
    }

    fn by(ways: Ways<'a>, ends: Vec<u32>) -> Routes<'a> {
        let speeds = ways.speeds().into();
        Routes { ways, ends, known: FxHashMap::default(), kept: 0, last: Route::new(), speeds }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The ranks in the order of their endpoints in the fabric, which is that of hosts in a model and in most machine rooms.
    pub(crate) fn by_place(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..self.ranks()).collect();
        ranks.sort_by_key(|&rank| (self.ends[rank as usize], rank));
        ranks
    }

    /// The links of a message with their shares; none inside a host.
    ///
    /// # Errors
    /// There is no way between the two ranks.
    pub fn of(&mut self, from: u32, to: u32) -> Result<&Route> {
        let ends = (self.ends[from as usize], self.ends[to as usize]);
        if self.known.contains_key(&ends) {
            return Ok(&self.known[&ends]);
        }
        self.last.clear();
        self.ways.route(ends.0, ends.1, &mut self.last)?;
        if self.kept + self.last.len() <= KEPT {
            self.kept += self.last.len();
            self.known.insert(ends, self.last.clone());
        }
        Ok(&self.last)
    }

    /// Seconds that a GB takes on a link; `None` where it is unlimited.
    pub fn seconds_per_gb(&self, link: LinkId) -> Option<f64> {
        self.bytes_s(link).map(|bytes_s| 1e9 / bytes_s as f64)
    }

    /// Bytes per second of a link; `None` where it is unlimited.
    pub fn bytes_s(&self, link: LinkId) -> Option<u64> {
        self.speeds[link.index()].0
    }

    /// Of each link its bytes per second, `None` where it is unlimited, and its seconds of latency.
    pub(crate) fn speeds(&self) -> Arc<[(Option<u64>, f64)]> {
        Arc::clone(&self.speeds)
    }

    /// How many of the links between these vertices are busy.
    pub(crate) fn used(&self, busy: &[f64], ends: &[(u32, u32)]) -> u64 {
        let ends: FxHashSet<&(u32, u32)> = ends.iter().collect();
        let links = (0..).map(LinkId).zip(busy).filter(|(_, busy)| **busy > 0.0);
        links.filter(|(link, _)| ends.contains(&self.ways.ends_of(*link))).count() as u64
    }

    /// Where a link starts and ends.
    pub(crate) fn ends_of(&self, link: LinkId) -> (u32, u32) {
        self.ways.ends_of(link)
    }

    /// Name of a link.
    pub fn link_name(&self, link: LinkId) -> String {
        self.ways.name(link)
    }

    /// What an algorithm takes. O(messages x links of a route).
    ///
    /// # Errors
    /// There is no way between two ranks.
    pub fn time(&mut self, algorithm: &Algorithm) -> Result<Routed> {
        let speeds = self.speeds();
        let links = speeds.len();
        let (mut all, mut own, mut touched) = (vec![0.0; links], vec![0.0; links], Vec::new());
        let (mut seconds_per_gb, mut latency_s, mut steps) = (0.0, 0.0, 0);
        for Step { times, depth, sends } in &algorithm.steps {
            steps += u64::from(*times);
            let (times, mut busiest, mut latency) = (f64::from(*times), 0.0f64, 0.0f64);
            for &(from, to, amount) in sends {
                let mut delay = 0.0;
                for &(link, share) in self.of(from, to)? {
                    let (bytes_s, latency_s) = speeds[link.index()];
                    delay += share * latency_s;
                    let Some(bytes_s) = bytes_s else { continue };
                    if own[link.index()] == 0.0 {
                        touched.push(link);
                    }
                    own[link.index()] += share * amount * 1e9 / bytes_s as f64;
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
        for (link, &busy) in (0..).map(LinkId).zip(&all) {
            if busy > busiest_seconds_per_gb {
                (busiest_seconds_per_gb, hottest) = (busy, Some(link));
            }
        }
        Ok(Routed { seconds_per_gb, busiest_seconds_per_gb, hottest, latency_s, steps, busy: all })
    }
}
