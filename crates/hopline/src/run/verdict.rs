//! What a comparison of mappings comes to: whether to use another order of ranks,
//! and what it is worth.

use super::NamedRouting;
use super::limit::beyond_hosts;
use super::tried::Tried;
use crate::entry::Listed;
use crate::error::Result;
use crate::files::Memory;
use crate::id::VertexId;
use crate::loads::{self, Summary};
use crate::mapping::without_budget;
use crate::params::Params;
use crate::plan::Plan;
use crate::routing::{self, Route, Routing};
use crate::topology::Topology;
use crate::unit::{seconds, times};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// One sentence, and the numbers in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// What to do, and what it is worth.
    pub sentence: String,
    /// The same in one word.
    pub kind: VerdictKind,
    /// The mapping to use.
    #[serde(rename = "use")]
    pub mapping: String,
    /// How many times as good as the mapping that it is compared with, by the objective's first term.
    pub gain: f64,
    /// The least of its runs with other random choices.
    pub low: f64,
    /// The best of them.
    pub high: f64,
    /// Runs.
    pub runs: usize,
    /// What no mapping exceeds, proven; null where nothing is.
    pub at_most: Option<f64>,
    /// What limits it, and what would lift that.
    pub reason: String,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// Another order of ranks pays.
    Use,
    /// It does not.
    NotWorthIt,
    /// Nothing with a bandwidth is loaded.
    Unlimited,
}

/// Less is not worth another launch.
const WORTH: f64 = 1.02;
/// Of what no mapping exceeds, from here on little is left.
const NEARLY: f64 = 0.95;

/// The best mapping against `default`, or where that is not among them against the first.
///
/// # Errors
/// Two hosts have no way between them.
pub(super) fn verdict(plan: &Plan, all: &[Tried], best: &Tried, way: NamedRouting<'_>) -> Result<Option<Verdict>> {
    let given = all.iter().find(|t| t.mapping == "default").or(all.first());
    let Some(base) = given.filter(|_| all.len() > 1) else { return Ok(None) };
    let of = |summary: &Summary| plan.objective.first(summary);
    let (now, then) = (of(&base.summary), of(&best.summary));
    if now <= 0.0 {
        return Ok(Some(unlimited(best)));
    }
    let ratio = |value: f64| if value > 0.0 { now / value } else { f64::INFINITY };
    let gain = ratio(then);
    // A search that was added has no runs of its own.
    let runs: Vec<f64> = best.runs.iter().map(|&value| ratio(value)).collect();
    let (low, high) = runs.iter().fold((gain, gain), |(low, high), &g| (low.min(g), high.max(g)));
    let bound = best.bound_of(&plan.objective);
    let at_most = bound.filter(|&bound| bound > 0.0).map(ratio).filter(|g| g.is_finite());
    let relief = relief(plan, base, best);
    let kind = if gain >= WORTH || relief >= WORTH { VerdictKind::Use } else { VerdictKind::NotWorthIt };
    // What limits the mapping that is told to be used, and what would help that one.
    let used = if kind == VerdictKind::Use { best } else { base };
    let reason = reason(plan, used, at_most.is_some_and(|most| gain >= NEARLY * most), way)?;
    let [best, base] = [best, base].map(|tried| Named { name: called(all, tried), tried });
    let mut verdict = Verdict {
        sentence: String::new(),
        kind,
        mapping: if kind == VerdictKind::Use { &best } else { &base }.tried.mapping.clone(),
        gain,
        low,
        high,
        runs: runs.len(),
        at_most,
        reason,
    };
    verdict.sentence = sentence(plan, &verdict, &best, &base);
    Ok(Some(verdict))
}

/// How many times less busy the links between routers are where the adapters of hosts limit both; 1 elsewhere.
fn relief(plan: &Plan, base: &Tried, best: &Tried) -> f64 {
    let ((all, now), then) = (base.summary.busy, best.summary.busy.1);
    let is_hidden = all > now * (1.0 - 1e-9) && plan.objective.first_name() == "congestion";
    if is_hidden && now > 0.0 { now / then } else { 1.0 }
}

fn unlimited(best: &Tried) -> Verdict {
    Verdict {
        sentence: "Any order will do: no link with a bandwidth carries anything.".into(),
        kind: VerdictKind::Unlimited,
        mapping: best.mapping.clone(),
        gain: 1.0,
        low: 1.0,
        high: 1.0,
        runs: 1,
        at_most: Some(1.0),
        reason: "no link with a bandwidth carries anything".into(),
    }
}

/// The mapping, and the routing where several are compared.
fn called(all: &[Tried], t: &Tried) -> String {
    let several = all.iter().any(|other| other.routing != t.routing);
    let name = without_budget(&t.mapping);
    if several { format!("{name} under {}", t.routing) } else { name }
}

/// A mapping as a sentence calls it.
struct Named<'a> {
    name: String,
    tried: &'a Tried,
}

fn sentence(plan: &Plan, v: &Verdict, best: &Named<'_>, base: &Named<'_>) -> String {
    let (now, then) = (base.tried, best.tried);
    let (best, base) = (&best.name, &base.name);
    let number = |value: f64| times(value).trim_end_matches('x').to_string();
    let spread = match v.runs > 1 && v.high.is_finite() {
        true => format!(" ({} to {} over {} seeds)", number(v.low), number(v.high), v.runs),
        false => String::new(),
    };
    let most = v.at_most.map_or(String::new(), |most| format!("; no order can exceed {}", times(most)));
    if v.kind == VerdictKind::NotWorthIt {
        let percent = 100.0 * (v.gain - 1.0);
        let shorter = 1.0 - then.summary.hop_bytes / now.summary.hop_bytes;
        return match best == base || percent < 0.05 {
            true if best != base && shorter >= 0.005 => {
                let less = 100.0 * shorter;
                format!(
                    "Not worth it: {base} is as good as any that was tried; {best} only has {less:.0} % fewer hop-bytes{most}."
                )
            }
            true => format!("Not worth it: {base} is as good as any that was tried{most}."),
            false if v.low <= 1.0 => {
                format!("Not worth it: {best} gives {percent:+.1} %, within the spread{spread}{most}.")
            }
            false => format!("Not worth it: {best} gives {percent:+.1} %{most}."),
        };
    }
    let relief = relief(plan, now, then);
    if v.gain < WORTH {
        let less = if relief.is_finite() { format!("{} less busy", times(relief)) } else { "not needed".into() };
        let but = match v.gain < 1.0005 {
            true => format!("as fast as {base}, which the adapters of hosts limit, but"),
            false => format!(
                "{:+.1} % over {base}, more than which the adapters of hosts do not allow, and",
                100.0 * (v.gain - 1.0)
            ),
        };
        return format!("Use {best}: {but} the links between routers are {less}.");
    }
    let worth = match plan.objective.first_name() {
        _ if !v.gain.is_finite() => format!("no link limits it any more, as one does under {base}"),
        "congestion" | "network" | "class" => format!("{} the throughput of {base}", times(v.gain)),
        "links-off" => format!("1/{:.2} of the links that {base} uses", v.gain),
        _ => format!("1/{:.2} of the hop-bytes of {base}", v.gain),
    };
    let saved = now.summary.seconds.zip(then.summary.seconds).filter(|(a, b)| a > b);
    let saved = saved.map_or(String::new(), |(a, b)| format!(", at least {} less for each exchange", seconds(a - b)));
    format!("Use {best}: {worth}{spread}{saved}{most}.")
}

/// What limits the best now, and what would lift that.
fn reason(plan: &Plan, best: &Tried, is_least: bool, way: NamedRouting<'_>) -> Result<String> {
    let s = &best.summary;
    let Some(class) = &s.bottleneck else { return Ok("no link with a bandwidth carries anything".into()) };
    let link = best.hottest.as_ref().map_or(String::new(), |link| format!(", the busiest {}", link.name));
    let fabric = &plan.network.fabric;
    if s.busy.0 > s.busy.1 * (1.0 + 1e-9) {
        let more = beyond_hosts(s);
        let hosts = fabric.hosts();
        let shared = plan.slots.windows(2).any(|two| hosts.host_of(two[0]) == hosts.host_of(two[1]));
        let fewer = if shared { "fewer tasks a host or more adapters" } else { "more or faster adapters" };
        let order = match shared && !is_least {
            true => ", or an order of ranks that keeps more inside hosts",
            false => ", no order of ranks does",
        };
        return Ok(format!("adapters of hosts limit it ({class}){more}: {fewer} would help{order}"));
    }
    let proven = if is_least { " and no order of these hosts does better" } else { "" };
    let other = other_routing(plan, best, way)?;
    let lift = match other {
        Some((routing, gain)) => format!("; --routing {routing} would give {}", times(gain)),
        None if is_least => {
            let hosts = fabric.hosts().len() as usize;
            let free = plan.slots.len() < fabric.hosts().slots() as usize && hosts > 1;
            if free { "; other hosts may (--hosts)".to_string() } else { String::new() }
        }
        None => String::new(),
    };
    Ok(format!("limited by {class} links{link}{proven}{lift}"))
}

/// A routing must give so much more to be named.
const HELPS: f64 = 1.05;

/// No advice of their own: `shortest` is what `minimal` is wherever a network has no rule for that, `up-down` is that over
/// fewer links, and `ecmp` that by the luck of a hash.
const NO_ADVICE: [&str; 3] = ["shortest", "up-down", "ecmp"];

/// The routing of a model that does most for a mapping, with how many times as much it gives. Real machines route as
/// their tables say.
fn other_routing(plan: &Plan, best: &Tried, way: NamedRouting<'_>) -> Result<Option<(String, f64)>> {
    let topology = &plan.network.topology;
    if matches!(topology, Topology::File(_) | Topology::CrayXc(_)) || !plan.network.removed.is_empty() {
        return Ok(None);
    }
    let places = best.chosen.places(plan.network.fabric.hosts());
    let mut found: Option<(String, f64)> = None;
    for entry in routing::LIST.iter().map(|kind| kind.entry()).filter(|e| !NO_ADVICE.contains(&e.name)) {
        let params = Params::named(entry.name);
        if plan.routings().any(|own| own.0.spec() == entry.name) || way.0.spec().starts_with(entry.name) {
            continue;
        }
        // What does not fit the machine, has no shares, or is a file, says so with an error.
        let Ok(other) = routing::build(&params, topology, &plan.network.fabric, &Memory::default()) else { continue };
        if other.links_of_any_load() > MOST_LINKS || mean_busy(plan, &places, &*other) > CLEARLY * best.summary.busy.0 {
            continue;
        }
        let Ok(loads) = loads::evaluate(&plan.demand, &places, &*other) else { continue };
        let busy = Summary::new(&plan.demand, &loads, &plan.network.fabric).busy.0;
        let gain = if busy > 0.0 { best.summary.busy.0 / busy } else { 1.0 };
        if gain >= HELPS && found.as_ref().is_none_or(|f| gain > f.1) {
            found = Some((entry.name.to_string(), gain));
        }
    }
    Ok(found)
}

/// A routing that has to look at more links, a second's worth of them, is not tried for a word of advice.
const MOST_LINKS: u64 = 1 << 27;
/// Where links are so much busier on average, by a sample, the busiest need not be looked for.
const CLEARLY: f64 = 1.25;
/// Pairs of tasks in the sample, and those of demands that are long to go through.
const SAMPLES: u64 = 64;
const MOST_PAIRS: u64 = 1 << 24;

/// Mean busy time of the links between routers, by how far the messages of some tasks go; 0 where that does not tell it.
fn mean_busy(plan: &Plan, places: &[VertexId], routing: &dyn Routing) -> f64 {
    let (fabric, pairs) = (&plan.network.fabric, plan.demand.pairs());
    let between = || fabric.link_ids().filter(|&link| !fabric.is_host_link(link)).map(|link| fabric.class_of(link));
    if pairs > MOST_PAIRS || between().any(|class| class.bandwidth.is_none()) {
        return 0.0;
    }
    let bandwidth: f64 = between().filter_map(|class| class.bandwidth).map(|b| b.as_gb_s()).sum();
    // An odd step, so that not all of a grid's pairs in the sample lie along one dimension.
    let (step, mut at) = ((pairs / SAMPLES) | 1, 0);
    let (mut route, mut sent, mut crossed) = (Route::new(), 0.0, 0.0);
    plan.demand.each_pair(|from, to, amount| {
        at += 1;
        if at % step == 0 {
            let hops = routing.hops(places[from as usize], places[to as usize], &mut route).unwrap_or(0.0);
            (sent, crossed) = (sent + amount, crossed + amount * hops);
        }
    });
    if sent > 0.0 && bandwidth > 0.0 { plan.demand.total() * crossed / sent / bandwidth } else { 0.0 }
}
