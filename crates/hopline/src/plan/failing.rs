//! Plans of machines whose parts fail during a run.

use super::{Network, Plan};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::flits::MOST_VCS;
use crate::routing;
use crate::scenario::Scenario;
use crate::topology::Topology;

impl Plan {
    /// The plan of a machine whose parts that the scenario is without are there at first, and fail while flits are simulated. A
    /// routing that does not find its way around them is that of the whole machine, as its usual one is where nobody names any;
    /// another one follows then: see [`Plan::broken`].
    ///
    /// # Errors
    /// As those of [`Plan::new`]; no part is named.
    pub fn failing(scenario: &Scenario, files: &dyn Files) -> Result<Plan> {
        if scenario.without.is_empty() {
            return Err(Error::input("nothing is named that fails during the run")
                .hint("name cables that do with `without`, such as \"A -- B\""));
        }
        let mut plan = Plan::new(&scenario.clone().whole(), files)?;
        let stays = scenario.routings.first().is_some_and(|own| routing::check_after_faults(own).is_ok());
        let broken = if stays { Network::new(scenario, files)? } else { assumed(scenario, files)? };
        if let (Some(own), false) = (scenario.routings.first(), stays) {
            let (own, then) = (own.kind(), broken.routing_spec());
            plan.notes.push(format!("routing {own} does not find its way around what fails: {then} comes after it"));
        }
        let new: Vec<String> = broken.notes.iter().filter(|note| !plan.notes.contains(note)).cloned().collect();
        plan.notes.extend(new);
        plan.broken = Some(broken);
        Ok(plan)
    }

    /// The plan of a machine on which flits are simulated. Without parts, and where nobody names a routing, its packets have as many
    /// virtual channels as they need, as after a failure during a run.
    ///
    /// # Errors
    /// As those of [`Plan::new`].
    pub fn simulated(scenario: &Scenario, files: &dyn Files) -> Result<Plan> {
        if scenario.without.is_empty() || !scenario.routings.is_empty() {
            return Plan::new(scenario, files);
        }
        let routing = assumed(scenario, files)?.routing_spec();
        Plan::new(&scenario.clone().routing(&routing)?, files)
    }
}

/// The broken machine under the routing that it is assumed to take. On shortest paths packets could wait in a circle with one
/// virtual channel; so they have one for every hop, and where that is too many they go up and then down.
fn assumed(scenario: &Scenario, files: &dyn Files) -> Result<Network> {
    let scenario = Scenario { routings: Vec::new(), ..scenario.clone() };
    let usual = Network::new(&scenario, files)?;
    let is_model = !matches!(usual.topology, Topology::File(_) | Topology::CrayXc(_));
    if usual.routing_params.kind() != "shortest" || !is_model {
        return Ok(usual);
    }
    let by_hop = Network::new(&scenario.clone().routing("shortest:vcs=hops")?, files)?;
    if u32::from(by_hop.routing.vcs()) <= MOST_VCS {
        return Ok(by_hop);
    }
    Network::new(&scenario.routing("up-down")?, files)
}
