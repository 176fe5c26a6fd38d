//! What a strategy is given: the job, the machine, and where tasks may go.

use super::{Kinds, Mapping, Objective};
use crate::demand::{Demand, Grid};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::SlotId;
use crate::loads::{LinkLoads, evaluate};
use crate::routing::Routing;

/// A job to be placed on the slots of an allocation.
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

    /// Loads of a mapping.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn loads(&self, mapping: &Mapping) -> Result<LinkLoads> {
        evaluate(self.demand, &mapping.places(self.fabric().hosts()), self.routing)
    }
}
