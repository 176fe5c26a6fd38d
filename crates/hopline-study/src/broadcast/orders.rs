//! Orders of leaders and their predicted times.

use hopline::error::Result;
use hopline::event::Silent;
use hopline::ordering::{self, Delays, Traversal};
use hopline::replay::{self, Model, Places, Record, ReplayInput};
use hopline::rng::Rng;
use hopline::routing::Routing;
use hopline::schedule::Schedule;

/// Leaders on their places; rank 0 is the root.
pub(super) struct Leaders<'a> {
    pub(super) routing: &'a dyn Routing,
    pub(super) model: &'a Model,
    pub(super) places: Places,
    pub(super) delays: Delays,
}

/// Microseconds of each order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Times {
    pub(super) default: f64,
    pub(super) dft: f64,
    pub(super) bft: f64,
    pub(super) optimised: f64,
}

impl Times {
    /// The same with as much added to each.
    pub(super) fn plus(self, more: f64) -> Times {
        let Times { default, dft, bft, optimised } = self;
        Times { default: default + more, dft: dft + more, bft: bft + more, optimised: optimised + more }
    }

    /// Percent of the default time that an order saves.
    pub(super) fn gain(&self, of: f64) -> f64 {
        100.0 * (self.default - of) / self.default
    }
}

impl Leaders<'_> {
    /// Picoseconds until the last leader is done, rank r at the place `order[r]`.
    pub(super) fn time(&self, schedule: &Schedule, order: &[u32]) -> Result<u64> {
        let places = ordering::reorder(&self.places, order);
        let input = ReplayInput { schedule, routing: self.routing, places: &places, model: self.model };
        Ok(replay::replay(input, &Record::default(), &mut Silent)?.makespan())
    }

    /// The order that a traversal gives.
    pub(super) fn order(&self, schedule: &Schedule, traversal: Traversal) -> Vec<u32> {
        ordering::traverse(&ordering::communication_tree(schedule, 0), 0, &self.delays, traversal)
    }

    /// The given order, both traversals, and the best of them after `evaluations` exchanges.
    pub(super) fn times(&self, schedule: &Schedule, evaluations: u64, seed: u64) -> Result<Times> {
        let given: Vec<u32> = (0..schedule.ranks()).collect();
        let [deep, broad] = [Traversal::Depth, Traversal::Breadth].map(|t| self.order(schedule, t));
        let timed = |order: Vec<u32>| Ok((self.time(schedule, &order)?, order));
        let tried = [timed(given)?, timed(deep)?, timed(broad)?];
        let [default, dft, bft] = [&tried[0], &tried[1], &tried[2]].map(|t| t.0);
        let start = tried.into_iter().min_by_key(|t| t.0).map_or_else(Vec::new, |t| t.1);
        let mut rng = Rng::new(seed, "broadcast orders");
        let optimised = ordering::improve(start, 0, evaluations, &mut rng, |o| self.time(schedule, o))?.1;
        let [default, dft, bft, optimised] = [default, dft, bft, optimised].map(|t| t as f64 * 1e-6);
        Ok(Times { default, dft, bft, optimised })
    }
}
