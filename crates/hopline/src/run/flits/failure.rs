//! Flits while cables fail: what happened before, until new routes are in use, and with them.

use super::{Bench, FlitsPoint, refuse_apart, refuse_deadlock};
use crate::error::{Error, Result};
use crate::flits::{Failed, Failure, Measured, Options, Process, Simulation, Totals};
use crate::forwarding::{self, Any, Wiring};
use crate::plan::{Network, Plan};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Cables that fail during a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsFailure {
    /// The cycle in which they do.
    pub cycle: u32,
    /// Cycles from then until new routes are known.
    pub repair_after: u32,
    /// Their names.
    pub cables: Vec<String>,
    /// The routing from then on.
    pub routing: String,
}

/// What the failure did to a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsLosses {
    /// Packets that were dropped because their route led over a cable that had failed.
    pub dropped: u64,
    /// The cycle in which the network was empty and endpoints went on by new routes; null where the run ended before.
    pub resumed_cycle: Option<u32>,
    /// Of the cycles measured those before the failure; null where there are none.
    pub before: Option<FlitsSpan>,
    /// Those from the failure until new routes were in use.
    pub during: Option<FlitsSpan>,
    /// Those after that.
    pub after: Option<FlitsSpan>,
}

/// Consecutive cycles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsSpan {
    /// How many.
    pub cycles: u32,
    /// Flits per cycle and sender that arrived.
    pub accepted: f64,
    /// Mean latency of the packets that arrived, in cycles; null where none did.
    pub latency_cycles: Option<f64>,
}

/// A machine once its cables have failed.
pub(super) struct Broken {
    /// Ports that lose their cables.
    ports: Vec<u32>,
    forwarding: Any,
}

impl Broken {
    /// Where cables fail during the run, with the new routes by the port numbers of the old ones.
    pub(super) fn of(plan: &Plan, options: &Options, wiring: &Wiring, looks: bool) -> Result<Option<Broken>> {
        let network = match (&plan.broken, options.fail_at) {
            (None, None) => return Ok(None),
            (Some(network), Some(_)) => network,
            (None, Some(_)) => {
                return Err(Error::input("the plan names nothing that fails").hint("make it with Plan::failing"));
            }
            (Some(_), None) => {
                return Err(Error::input("when cables fail is not said").hint("give the cycle with fail-at"));
            }
        };
        let (wiring, ports) = wiring.without(&plan.network.fabric, &network.fabric)?;
        refuse_apart(&network.fabric, &wiring)?;
        let Network { topology, fabric, routing, routing_params, .. } = network;
        let context = forwarding::Context { topology, fabric, wiring: &wiring, routing: &**routing };
        let forwarding = forwarding::build(routing_params, &context)?;
        if looks {
            refuse_deadlock(network, &wiring, &forwarding)?;
        }
        Ok(Some(Broken { ports, forwarding }))
    }

    /// The failure as the engine knows it.
    pub(super) fn failure(&self, options: &Options) -> Option<Failure<&Any>> {
        let (repair, ports, after) = (options.repair_after, self.ports.clone(), &self.forwarding);
        options.fail_at.map(|at| Failure { at, repair, ports, after })
    }
}

/// What fails, for people.
pub(super) fn told(plan: &Plan, options: &Options) -> Option<FlitsFailure> {
    let (broken, cycle) = (plan.broken.as_ref()?, options.fail_at?);
    let (cables, routing) = (broken.removed.clone(), broken.routing_spec());
    Some(FlitsFailure { cycle, repair_after: options.repair_after, cables, routing })
}

impl Bench<'_> {
    /// In how many of these cycles the cable of a port is there.
    pub(super) fn there(&self, port: u32, cycles: &Range<u32>) -> u32 {
        let dead = self.broken.as_ref().is_some_and(|broken| broken.ports.binary_search(&port).is_ok());
        let end = self.options.fail_at.filter(|_| dead).map_or(cycles.end, |at| at.min(cycles.end));
        end.saturating_sub(cycles.start)
    }

    /// What the failure did in the cycles measured; nothing where there is none.
    pub(super) fn losses(&self, simulation: &Simulation<&Any>, measured: &Measured) -> Option<FlitsLosses> {
        let at = self.options.fail_at?;
        let senders = f64::from(simulation.setting().senders());
        // An exchange is over with its last packet, wherever its last batch ends.
        let end = (measured.from + measured.cycles, simulation.totals());
        let start = (measured.from, measured.first);
        let later = |a: (u32, Totals), b: (u32, Totals)| if a.0 < b.0 { b } else { a };
        let span = |from: (u32, Totals), to: (u32, Totals)| {
            let from = later(from, start);
            let cycles = to.0.min(end.0).checked_sub(from.0).filter(|&cycles| cycles > 0)?;
            let [flits, packets, latency] =
                [to.1.delivered - from.1.delivered, to.1.packets - from.1.packets, to.1.latency - from.1.latency];
            let accepted = flits as f64 / f64::from(cycles) / senders;
            Some(FlitsSpan { cycles, accepted, latency_cycles: (packets > 0).then(|| latency as f64 / packets as f64) })
        };
        let Some(Failed { before, resumed, .. }) = simulation.failed() else {
            let before = span(start, end);
            return Some(FlitsLosses { dropped: 0, resumed_cycle: None, before, during: None, after: None });
        };
        let failed = (at, before);
        Some(FlitsLosses {
            dropped: end.1.dropped,
            resumed_cycle: resumed.map(|r| r.0),
            before: span(start, failed),
            during: span(failed, resumed.unwrap_or(end)),
            after: resumed.and_then(|resumed| span(resumed, end)),
        })
    }
}

/// What people need to know who read the points: packets that nobody sends again, a failure that the run did not come to, or whose end
/// it did not see.
pub(super) fn notes(points: &[FlitsPoint], options: &Options) -> Vec<String> {
    let Some(at) = options.fail_at else { return Vec::new() };
    let exchange = matches!(options.process, Process::Exchange { .. });
    let losses = || points.iter().filter_map(|p| Some((p, p.failure.as_ref()?)));
    let mut notes = Vec::new();
    for (_, losses) in losses().filter(|(_, l)| exchange && l.dropped > 0) {
        let dropped = losses.dropped;
        notes.push(format!("{dropped} packets were dropped and nobody sends them again: the exchange is not complete"));
    }
    if losses().any(|(_, l)| l.during.is_none() && l.after.is_none()) {
        notes.push(match exchange {
            true => format!("the exchange was over before cycle {at}, in which cables would have failed"),
            false => format!("a run ended before cycle {at}, in which cables would have failed: measure more cycles"),
        });
        return notes;
    }
    let open = losses().filter(|(_, l)| l.resumed_cycle.is_none());
    let open: Vec<String> = open.filter_map(|(p, _)| Some(p.load?.to_string())).collect();
    if !open.is_empty() {
        let loads = open.join(", ");
        notes.push(format!(
            "at loads of {loads} the run ended before the network was empty and new routes in use: measure more cycles"
        ));
    }
    notes
}
