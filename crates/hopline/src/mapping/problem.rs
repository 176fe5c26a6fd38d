//! What a strategy is given: the job, the machine, and where tasks may go.

use super::{Context, Kinds, Mapping, Objective, Strategy};
use crate::demand::{Demand, Grid};
use crate::error::{Error, Result};
use crate::event::Silent;
use crate::fabric::Fabric;
use crate::id::SlotId;
use crate::loads::{HotLink, LinkLoads, Summary, evaluate, hottest};
use crate::routing::Routing;

/// A job to be placed on the slots of an allocation.
///
/// ```
/// use hopline::mapping::{Blocks, ModColoring, Problem};
/// use hopline::{routing::{Direct, Inside}, topology::Percs, traffic::Halo};
/// use std::sync::Arc;
///
/// let percs = Percs::new(32, 4)?;
/// let fabric = Arc::new(percs.build()?);
/// let routing = Direct::new(&percs, Inside::Striped, &fabric)?;
/// let (job, slots) = (Halo::new(&[64, 64])?.demand()?, fabric.slots());
/// let problem = Problem::new(&job, &routing, &slots)?;
///
/// let blocks = problem.summary(&problem.map(&Blocks::new("supernode"), 1)?)?;
/// let colours = problem.summary(&problem.map(&ModColoring::new(), 1)?)?;
/// assert_eq!((blocks.throughput_gb_s, colours.throughput_gb_s), (Some(40.0), Some(64.0)));
/// assert_eq!(colours.bottleneck.as_deref(), Some("LR"));
/// # Ok::<(), hopline::error::Error>(())
/// ```
pub struct Problem<'a> {
    demand: &'a Demand,
    routing: &'a dyn Routing,
    slots: &'a [SlotId],
    objective: Objective,
    kinds: Option<&'a Kinds>,
}

impl<'a> Problem<'a> {
    /// `slots` are those of the allocation, in the order in which a launcher
    /// fills them.
    ///
    /// # Errors
    /// There are fewer slots than tasks.
    pub fn new(demand: &'a Demand, routing: &'a dyn Routing, slots: &'a [SlotId]) -> Result<Self> {
        if slots.len() < demand.tasks() as usize {
            return Err(Error::input(format!("{} tasks do not fit into {} slots", demand.tasks(), slots.len()))
                .hint("give more hosts, or more slots per host"));
        }
        Ok(Problem { demand, routing, slots, objective: Objective::default(), kinds: None })
    }

    /// The same with another objective than the default one.
    #[must_use]
    pub fn with_objective(mut self, objective: &Objective) -> Self {
        self.objective = objective.clone();
        self
    }

    /// What makes one mapping better than another.
    pub fn objective(&self) -> &Objective {
        &self.objective
    }

    /// The same problem where tasks may sit in slots of their own kind only.
    #[must_use]
    pub fn with_kinds(mut self, kinds: Option<&'a Kinds>) -> Self {
        self.kinds = kinds;
        self
    }

    /// Which tasks may sit in which slots, where not all may sit in any.
    pub fn kinds(&self) -> Option<&'a Kinds> {
        self.kinds
    }

    /// The job.
    pub fn demand(&self) -> &'a Demand {
        self.demand
    }

    /// The machine.
    pub fn fabric(&self) -> &'a Fabric {
        self.routing.fabric()
    }

    /// Its routing.
    pub fn routing(&self) -> &'a dyn Routing {
        self.routing
    }

    /// Where tasks may go, in launcher order.
    pub fn slots(&self) -> &'a [SlotId] {
        self.slots
    }

    /// Number of tasks.
    pub fn tasks(&self) -> u32 {
        self.demand.tasks()
    }

    /// The job's grid.
    ///
    /// # Errors
    /// It is not known; the error says for which mapping it is needed.
    pub fn grid(&self, mapping: &str) -> Result<&'a Grid> {
        self.demand.grid().ok_or_else(|| {
            Error::input(format!("mapping `{mapping}` needs a task grid, and this traffic has none"))
                .hint("use a pattern with grid=, or a mapping such as greedy")
        })
    }

    /// What a strategy chooses, with nobody watching. Random choices are drawn from the seed and the strategy's spec,
    /// so that runs of the same scenario choose the same.
    ///
    /// # Errors
    /// The strategy does not fit the job or the machine.
    pub fn map(&self, strategy: &dyn Strategy, seed: u64) -> Result<Mapping> {
        strategy.map(self, &mut Context::new(seed, &strategy.to_string(), &mut Silent))
    }

    /// Throughput, bottleneck and hop-bytes of a mapping.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn summary(&self, mapping: &Mapping) -> Result<Summary> {
        Ok(Summary::new(self.demand, &self.loads(mapping)?, self.fabric()))
    }

    /// The busiest links under a mapping, busiest first, with who loads them.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn hottest(&self, mapping: &Mapping, count: usize) -> Result<Vec<HotLink>> {
        let places = mapping.places(self.fabric().hosts());
        hottest(self.demand, &places, self.routing, &self.loads(mapping)?, count)
    }

    /// Loads of a mapping.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn loads(&self, mapping: &Mapping) -> Result<LinkLoads> {
        evaluate(self.demand, &mapping.places(self.fabric().hosts()), self.routing)
    }
}
