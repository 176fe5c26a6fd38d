//! Plans of machines whose parts fail during a run.

use super::{Network, Plan};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::scenario::Scenario;
use crate::topology::Topology;

impl Plan {
    /// The same where the parts that the scenario is without are there at first, and fail while flits are simulated. A machine whose
    /// routing nobody names has its usual one before, and after that the one that is assumed after a fault.
    ///
    /// # Errors
    /// As those of [`Plan::new`]; no part is named.
    pub fn failing(scenario: &Scenario, files: &dyn Files) -> Result<Plan> {
        if scenario.without.is_empty() {
            return Err(Error::input("nothing is named that fails during the run")
                .hint("name cables that do with `without`, such as \"A -- B\""));
        }
        let mut broken = Network::new(scenario, files)?;
        let is_model = !matches!(broken.topology, Topology::File(_) | Topology::CrayXc(_));
        if scenario.routings.is_empty() && broken.routing_params.kind() == "shortest" && is_model {
            // With one virtual channel packets could wait in a circle.
            broken = Network::new(&scenario.clone().routing("shortest:vcs=hops")?, files)?;
        }
        let whole = Scenario { without: Vec::new(), ..scenario.clone() };
        let mut plan = Plan::new(&whole, files)?;
        let new: Vec<String> = broken.notes.iter().filter(|note| !plan.notes.contains(note)).cloned().collect();
        plan.notes.extend(new);
        plan.broken = Some(broken);
        Ok(plan)
    }
}
