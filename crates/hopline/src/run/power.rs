//! Links that a job never uses, and what switching them off saves, mapping by mapping.

use super::policy::{Policies, PoliciesTried, PolicyTried};
use super::{NamedRouting, Setting, place, setting};
use crate::error::{Error, Result};
use crate::event::Observer;
use crate::id::LinkId;
use crate::loads::{self, Summary};
use crate::plan::{Candidate, Plan};
use crate::power::{Keep, Model, Power, cables, dark_on_routes, light};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What `hopline power` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct PowerOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: Setting,
    /// Keys of the model that were given; the others have their defaults.
    pub model: String,
    /// What stays on beside the cables that are used.
    pub keep: Keep,
    /// In the order in which mappings were asked for, routing by routing.
    pub candidates: Vec<PowerTried>,
}

/// One mapping.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct PowerTried {
    /// Its spec.
    pub mapping: String,
    /// The routing.
    pub routing: String,
    /// Throughput in GB/s per host; null where no link limits it.
    pub throughput_gb_s: Option<f64>,
    /// Links, those used, those off, watts.
    #[serde(flatten)]
    pub power: Power,
    /// False where another mapping has at least this throughput with fewer links on, or more with as many.
    pub on_the_curve: bool,
    /// Cables that are off.
    pub dark_cables: usize,
    /// The first of them, those between switches before those of hosts.
    pub dark: Vec<String>,
    /// All cables that are off, those between switches before those of hosts.
    #[serde(skip)]
    pub dark_links: Vec<LinkId>,
    /// Cables that are on and carry nothing.
    #[serde(skip)]
    pub idle_links: Vec<LinkId>,
    /// Policies of a runtime system, in the order in which they were asked for.
    pub policies: Vec<PolicyTried>,
    /// Whether every route of the job was walked and keeps to links that are on; false where it has too many pairs.
    pub verified: bool,
    /// What people should know of how it was found.
    pub notes: Vec<String>,
}

/// What is looked at beside throughput and watts.
#[derive(Debug, Clone, Copy, Default)]
pub struct PowerOptions<'a> {
    /// What stays on beside the cables that are used.
    pub keep: Keep,
    /// So many dark cables are named.
    pub list: usize,
    /// Policies are tried in replays.
    pub policies: Option<&'a Policies<'a>>,
}

/// Routes of jobs with more pairs of tasks are not walked.
const MOST_PAIRS: u64 = 1 << 22;

/// Looks at all mappings of the plan under all its routings.
///
/// # Errors
/// A mapping does not fit, two hosts have no way between them, the model names a class that is not there, or a policy
/// cannot be tried.
pub fn power(
    plan: &Plan,
    (model, model_spec): (&Model, &str),
    options: &PowerOptions<'_>,
    observer: &mut dyn Observer,
) -> Result<PowerOutcome> {
    model.check(&plan.network.fabric)?;
    let mut candidates = Vec::new();
    for way in plan.routings() {
        for candidate in &plan.candidates {
            candidates.push(try_power(plan, candidate, way, (model, options), observer)?);
        }
    }
    mark_curve(&mut candidates);
    Ok(PowerOutcome { setting: setting(plan), model: model_spec.to_string(), keep: options.keep, candidates })
}

fn try_power(
    plan: &Plan,
    candidate: &Candidate,
    (routing_params, routing): NamedRouting<'_>,
    (model, options): (&Model, &PowerOptions<'_>),
    observer: &mut dyn Observer,
) -> Result<PowerTried> {
    let fabric = &*plan.network.fabric;
    let (chosen, mut notes) = place(plan, candidate, routing, 0, observer)?;
    let places = chosen.places(fabric.hosts());
    let loads = loads::evaluate(&plan.demand, &places, routing)?;
    let lit = light(fabric, &loads.load, options.keep);
    let verified = plan.demand.pairs() <= MOST_PAIRS;
    if verified && let Some((flow, link)) = dark_on_routes(&plan.demand, &places, routing, &lit)? {
        let name = |v| fabric.vertex_name(v);
        return Err(Error::failed(format!(
            "the route from {} to {} crosses {}, which would be off",
            name(flow.source),
            name(flow.target),
            fabric.link_name(link)
        )));
    }
    let policies = match options.policies {
        Some(policies) => policies.try_all((fabric, routing), &chosen, (model, options.keep), observer)?,
        None => PoliciesTried::default(),
    };
    notes.extend(policies.notes);
    // Cables between switches before those of hosts.
    let mut dark: Vec<LinkId> = lit.dark(fabric).collect();
    dark.sort_by_key(|&l| fabric.class_of(l).host);
    let carries = |l: LinkId| loads.load[l.index()] > 0.0 || loads.load[fabric.reverse(l).index()] > 0.0;
    let idle_links = cables(fabric).filter(|&l| lit.is_on(l) && !carries(l)).collect();
    Ok(PowerTried {
        mapping: candidate.spec.clone(),
        routing: routing_params.spec(),
        throughput_gb_s: Summary::new(&plan.demand, &loads, fabric).throughput_gb_s,
        power: Power::new(fabric, model, &loads.load, &lit),
        on_the_curve: true,
        dark_cables: dark.len(),
        dark: dark.iter().take(options.list).map(|&l| fabric.cable_name(l)).collect(),
        dark_links: dark,
        idle_links,
        policies: policies.tried,
        verified,
        notes,
    })
}

/// Which mappings no other beats in throughput and links on together.
fn mark_curve(candidates: &mut [PowerTried]) {
    let key = |t: &PowerTried| (t.throughput_gb_s.unwrap_or(f64::INFINITY), t.power.links - t.power.off);
    let keys: Vec<(f64, usize)> = candidates.iter().map(key).collect();
    // Rounding must not decide which throughput is higher.
    let higher = |a: f64, b: f64| a > b * (1.0 + 1e-9);
    let beats =
        |a: &(f64, usize), b: &(f64, usize)| (!higher(b.0, a.0) && a.1 < b.1) || (higher(a.0, b.0) && a.1 <= b.1);
    for (tried, own) in candidates.iter_mut().zip(&keys) {
        tried.on_the_curve = !keys.iter().any(|other| beats(other, own));
    }
}
