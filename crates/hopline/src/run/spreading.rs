//! What a network of groups does to a job that sends most of its traffic from each
//! group to one other, and what helps.

use super::{NamedRouting, place};
use crate::demand::Flows;
use crate::error::Result;
use crate::event::{Observer, Silent};
use crate::files::Memory;
use crate::loads::{self, Imbalance, Summary, imbalance};
use crate::mapping::{self, Mapping};
use crate::params::Params;
use crate::plan::{Candidate, Plan};
use crate::routing::{self, Detour, Routing};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// A job whose traffic between groups is imbalanced, and what helps: Prisacari et al., sections III and IV.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Spreading {
    /// Which criteria it meets under this routing.
    pub kind: Criterion,
    /// The same in words, with what helps most.
    pub sentence: String,
    /// Of all that leaves a group, the part that goes to the one other group that gets most of it.
    pub to_one_group: f64,
    /// Of that, the part that consecutive groups send to consecutive groups.
    pub consecutive: f64,
    /// What helps, best first, by expected loads; none where neither criterion is met, or nothing that was tried helps.
    pub remedies: Vec<Remedy>,
    /// Part of the throughput of the best remedy that is lost without it.
    pub loss: f64,
}

/// Which links are loaded unevenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// The links between groups: most of a group's traffic goes to one other group, minimally.
    Adversarial,
    /// Local links of intermediate groups: consecutive groups send to consecutive groups, by way of random groups.
    Consecutive,
    /// Neither criterion is met.
    Neither,
}

/// Another routing or order of the groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Remedy {
    /// The routing.
    pub routing: String,
    /// The mapping.
    pub mapping: String,
    /// GB/s per host.
    pub throughput_gb_s: f64,
}

/// A remedy helps where it gives so much more.
const HELPS: f64 = 1.05;
/// Half of what leaves a group, but for rounding: as much goes to one other group as to all the rest.
const HALF: f64 = 0.5 - 1e-9;

const RANDOM: &str = "group-random";

/// What there is to say of a mapping under a routing; `None` where the network has no such groups, or nothing leaves them.
///
/// # Errors
/// Two hosts have no way between them.
pub(super) fn spreading(
    plan: &Plan,
    (params, way): NamedRouting<'_>,
    (mapping, chosen): (&str, &Mapping),
    summary: &Summary,
) -> Result<Option<Spreading>> {
    let (Some(groups), Some(now)) = (way.groups(), summary.throughput_gb_s) else { return Ok(None) };
    let places = chosen.places(plan.network.fabric.hosts());
    let flows = Flows::new(&plan.demand, &places, &plan.network.fabric);
    let Some(found) = imbalance(&groups, &flows) else { return Ok(None) };
    let kind = match groups.detour {
        Detour::None if found.to_one >= HALF => Criterion::Adversarial,
        Detour::Group if found.to_one >= HALF && found.consecutive > 0.5 => Criterion::Consecutive,
        _ => Criterion::Neither,
    };
    let told = |remedies: Vec<Remedy>, loss: f64| {
        let sentence = sentence((kind, groups.detour), &params.spec(), &found, &remedies, loss);
        Some(Spreading { kind, sentence, to_one_group: found.to_one, consecutive: found.consecutive, remedies, loss })
    };
    if kind == Criterion::Neither {
        return Ok(told(Vec::new(), 0.0));
    }
    let network = &plan.network;
    let even = routing::build(&Params::named(groups.even), &network.topology, &network.fabric, &Memory::default())?;
    let spec = &params.spec();
    let mut remedies = vec![Remedy {
        routing: groups.even.into(),
        mapping: mapping.into(),
        throughput_gb_s: throughput(plan, &*even, chosen)?.unwrap_or(f64::INFINITY),
    }];
    // Not every allocation has groups to put in another order.
    if let (Criterion::Consecutive, Ok(other)) = (kind, in_random_order(plan, way)) {
        let throughput_gb_s = throughput(plan, way, &other)?.unwrap_or(f64::INFINITY);
        remedies.push(Remedy { routing: spec.into(), mapping: RANDOM.into(), throughput_gb_s });
    }
    remedies.retain(|r| r.throughput_gb_s.is_finite() && r.throughput_gb_s > HELPS * now);
    remedies.sort_by(|a, b| b.throughput_gb_s.total_cmp(&a.throughput_gb_s));
    let loss = remedies.first().map_or(0.0, |best| 1.0 - now / best.throughput_gb_s);
    Ok(told(remedies, loss))
}

fn throughput(plan: &Plan, way: &dyn Routing, chosen: &Mapping) -> Result<Option<f64>> {
    let places = chosen.places(plan.network.fabric.hosts());
    let loads = loads::evaluate(&plan.demand, &places, way)?;
    Ok(Summary::new(&plan.demand, &loads, &plan.network.fabric).throughput_gb_s)
}

/// The job with its groups in random order.
fn in_random_order(plan: &Plan, way: &dyn Routing) -> Result<Mapping> {
    let params = Params::named(RANDOM);
    let strategy = mapping::build(&params, &Memory::default())?;
    let candidate =
        Candidate { spec: RANDOM.into(), place: params.place().clone(), strategy, runs: 1, is_optional: false };
    let silent: &mut dyn Observer = &mut Silent;
    Ok(place(plan, &candidate, way, 0, silent)?.0)
}

fn sentence(
    (kind, detour): (Criterion, Detour),
    routing: &str,
    found: &Imbalance,
    remedies: &[Remedy],
    loss: f64,
) -> String {
    let percent = |part: f64| format!("{:.0} %", 100.0 * part);
    let one = format!("{} of what leaves a group goes to one other group", percent(found.to_one));
    let consecutive = format!("{} of it from consecutive groups to consecutive groups", percent(found.consecutive));
    let what = match (kind, detour) {
        (Criterion::Adversarial, _) => format!("{one}, over the one link between them"),
        (Criterion::Consecutive, _) => {
            format!("{one}, {consecutive}, which {routing} sends over few of the local links of groups on the way")
        }
        (Criterion::Neither, Detour::None) => return format!("{one} at most, less than half: {routing} spreads it"),
        (Criterion::Neither, Detour::Group) => return format!("{one} at most, {consecutive}: {routing} spreads it"),
        (Criterion::Neither, Detour::Router) => return format!("{one} at most: {routing} spreads any of it"),
    };
    if remedies.is_empty() {
        return format!("{what}; no other routing or order that was tried gives much more");
    }
    let helps: Vec<String> = remedies
        .iter()
        .map(|r| {
            let option = match r.routing == routing {
                true => format!("--mapping {}", r.mapping),
                false => format!("--routing {}", r.routing),
            };
            format!("{option}: {} GB/s per host", crate::unit::short(three(r.throughput_gb_s)))
        })
        .collect();
    format!("{what}; it loses {} of the throughput that it could have ({})", percent(loss), helps.join("; "))
}

/// Three decimal places.
fn three(value: f64) -> f64 {
    (1000.0 * value).round() / 1000.0
}
