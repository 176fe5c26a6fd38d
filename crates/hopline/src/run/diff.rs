//! What changed between two looks at a machine, or between a plan of its cables and the machine, and what that costs.

mod cabling;
mod compare;
mod cost;
mod mend;
mod renamed;
mod routes;

pub use routes::RouteChanges;

use crate::error::{Error, Result};
use crate::event::Observer;
use crate::fabric::Fabric;
use crate::format::ndt::PlannedCable;
use crate::loads::Summary;
use crate::plan::{Network, Plan};
use crate::unit::percent;
use cabling::Cabling;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// A host is not there any more.
    HostGone,
    /// A switch is not there any more.
    SwitchGone,
    /// An adapter of a host that is still there is gone.
    AdapterGone,
    /// A cable leads elsewhere.
    CableMoved,
    /// A cable is gone.
    CableGone,
    /// A link is slower.
    Slower,
    /// A link is faster.
    Faster,
    /// The first bit takes longer to cross a link.
    LatencyHigher,
    /// The first bit takes less long to cross a link.
    LatencyLower,
    /// A host has another number of slots.
    SlotsChanged,
    /// A cable is new.
    CableNew,
    /// A host is new.
    HostNew,
    /// A switch is new.
    SwitchNew,
    /// An adapter of a host that was there is new.
    AdapterNew,
    /// An adapter is in another host.
    AdapterMoved,
    /// Another name for the same GUID.
    Renamed,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Change {
    /// What kind of change it is.
    pub kind: ChangeKind,
    /// The host, switch or cable, with the ports of its ends.
    pub name: String,
    /// How it was: the cable, its speed or its name; null where it was not there.
    pub before: Option<String>,
    /// How it is now; null where it is gone.
    pub after: Option<String>,
    /// What is left of the job's throughput, over all links, by this change alone, a part of 1; null where that is not
    /// known. A cable that has moved counts as missing where it was.
    pub left: Option<f64>,
    /// What would undo it.
    pub mend: Option<String>,
}

/// What the differences come to, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DiffKind {
    /// There are none.
    Same,
    /// There are some, and the job is as fast as before, or nothing is known of it.
    Changed,
    /// The job is slower.
    Slower,
    /// The job is faster.
    Faster,
    /// Hosts are gone or apart, so that the job cannot run as it did.
    Lost,
}

/// What the differences come to, in a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct DiffVerdict {
    /// In one word.
    pub kind: DiffKind,
    /// For people.
    pub sentence: String,
}

/// What `hopline fabric diff` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct DiffOutcome {
    /// What was, or what was planned.
    pub before: String,
    /// What is.
    pub after: String,
    /// The job by which costs are counted; null against a plan.
    pub traffic: Option<String>,
    /// Cables that are the same in both.
    pub cables_alike: u64,
    /// Every change, the gravest kinds first.
    pub changes: Vec<Change>,
    /// Ways between hosts that are in both; null against a plan.
    pub routes: Option<RouteChanges>,
    /// The job's loads before; null against a plan.
    pub load_before: Option<Summary>,
    /// The job's loads now; null against a plan, or where some pair of it is apart.
    pub load_after: Option<Summary>,
    /// What is left of the job's throughput with all changes, a part of 1, more where it is faster; null where that is not known.
    pub left: Option<f64>,
    /// What it comes to.
    pub verdict: DiffVerdict,
    /// What people should know.
    pub notes: Vec<String>,
}

impl DiffOutcome {
    /// Whether anything is different.
    pub fn differs(&self) -> bool {
        !self.changes.is_empty() || self.routes.as_ref().is_some_and(|routes| routes.changed > 0)
    }
}

/// Compares a machine before and `after` by a job that runs on each, and asks `faulty`, the machine before as it routes after
/// faults, what every single change costs. `job` is the job on the machine after, or why it does not fit there. O(cables log cables + pairs * hops), and for each cable, host or switch that is
/// gone a look at all links.
///
/// # Errors
/// The job cannot be evaluated before.
pub fn diff(
    before: &Plan,
    faulty: Option<&Plan>,
    after: &Network,
    job: std::result::Result<&Plan, &Error>,
    observer: &mut dyn Observer,
) -> Result<DiffOutcome> {
    let (old, new) = (&*before.network.fabric, &*after.fabric);
    let mut found = compare::fabrics(old, new);
    let routes = routes::changes(&before.network, after, &found.same);
    let load_before = super::load(before, 1, observer)?;
    let load_after = job.ok().map(|job| super::load(job, 1, observer));
    cost::costs(before, faulty, &load_before, &mut found, observer);
    mend::mend(&mut found.changes);
    let error = match (job, &load_after) {
        (Err(e), _) => Some(format!("{UNFIT}: {e}")),
        (_, Some(Err(e))) => Some(format!("the job has no loads now: {e}")),
        _ => None,
    };
    let load_after = load_after.and_then(Result::ok);
    let fall = |summary: &Summary| summary.throughput_gb_s.filter(|gb_s| *gb_s > 0.0);
    let left = load_after.as_ref().and_then(|now| Some(fall(&now.summary)? / fall(&load_before.summary)?));
    let mut notes = found.notes;
    let [was, is] = [&before.network.notes, &after.notes];
    notes.extend(was.iter().filter(|note| is.contains(note)).cloned());
    notes.extend(was.iter().filter(|note| !is.contains(note)).map(|note| format!("before: {note}")));
    notes.extend(is.iter().filter(|note| !was.contains(note)).map(|note| format!("now: {note}")));
    notes.extend(error);
    let mut outcome = DiffOutcome {
        before: old.name().to_string(),
        after: new.name().to_string(),
        traffic: Some(load_before.setting.traffic.clone()),
        cables_alike: found.alike,
        changes: sorted(found.changes),
        routes: Some(routes),
        load_before: Some(load_before.summary),
        load_after: load_after.map(|now| now.summary),
        left,
        verdict: DiffVerdict { kind: DiffKind::Same, sentence: String::new() },
        notes,
    };
    outcome.verdict = verdict(&outcome, job.is_ok());
    Ok(outcome)
}

const UNFIT: &str = "the job does not fit on the machine as it is now";

/// Compares a machine with a plan of its cables. Ends of the plan that the machine does not have are missing hosts and
/// switches; kinds of cables that the plan has none of are not compared, and a note says so. O(cables log cables).
pub fn diff_plan(path: &str, plan: &[PlannedCable], network: &Network) -> DiffOutcome {
    let fabric: &Fabric = &network.fabric;
    let (mut planned, mut now) = (Cabling::of_plan(plan, fabric), Cabling::of_fabric(fabric));
    now.renamed = renamed::renamed(&mut planned, &now);
    let (now, mut notes) = now.told_by(&planned);
    let (planned, now, note) = Cabling::numbered_alike(planned, now, fabric.states_ports());
    notes.extend(note);
    let mut found = compare::cablings(&planned, &now);
    mend::mend(&mut found.changes);
    notes.extend(network.notes.iter().cloned());
    let mut outcome = DiffOutcome {
        before: path.to_string(),
        after: fabric.name().to_string(),
        traffic: None,
        cables_alike: found.alike,
        changes: sorted(found.changes),
        routes: None,
        load_before: None,
        load_after: None,
        left: None,
        verdict: DiffVerdict { kind: DiffKind::Same, sentence: String::new() },
        notes,
    };
    outcome.verdict = verdict(&outcome, true);
    outcome
}

/// By kind, the costliest first, then by name.
fn sorted(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by(|a, b| {
        let left = |change: &Change| change.left.unwrap_or(1.0);
        a.kind.cmp(&b.kind).then(left(a).total_cmp(&left(b))).then(a.name.cmp(&b.name))
    });
    changes
}

/// One and several of a kind.
fn words(kind: ChangeKind) -> (&'static str, &'static str) {
    match kind {
        ChangeKind::HostGone => ("host gone", "hosts gone"),
        ChangeKind::SwitchGone => ("switch gone", "switches gone"),
        ChangeKind::AdapterGone => ("adapter gone", "adapters gone"),
        ChangeKind::CableMoved => ("cable moved", "cables moved"),
        ChangeKind::CableGone => ("cable gone", "cables gone"),
        ChangeKind::Slower => ("link slower", "links slower"),
        ChangeKind::Faster => ("link faster", "links faster"),
        ChangeKind::LatencyHigher => ("link of higher latency", "links of higher latency"),
        ChangeKind::LatencyLower => ("link of lower latency", "links of lower latency"),
        ChangeKind::SlotsChanged => ("host with other slots", "hosts with other slots"),
        ChangeKind::CableNew => ("new cable", "new cables"),
        ChangeKind::HostNew => ("new host", "new hosts"),
        ChangeKind::SwitchNew => ("new switch", "new switches"),
        ChangeKind::AdapterNew => ("new adapter", "new adapters"),
        ChangeKind::AdapterMoved => ("adapter in another host", "adapters in other hosts"),
        ChangeKind::Renamed => ("name changed", "names changed"),
    }
}

fn verdict(o: &DiffOutcome, fits: bool) -> DiffVerdict {
    const SAME: f64 = 1e-6;
    let mut parts: Vec<String> = Vec::new();
    for run in o.changes.chunk_by(|a, b| a.kind == b.kind) {
        let (one, several) = words(run[0].kind);
        parts.push(format!("{} {}", run.len(), if run.len() == 1 { one } else { several }));
    }
    if let Some(routes) = o.routes.as_ref().filter(|routes| routes.changed > 0) {
        parts.push(format!("{} of {} routes changed", routes.changed, routes.pairs));
    }
    // A plan is compared without a job, which could lose something.
    let lost = o.traffic.is_some() && o.changes.iter().any(|change| change.kind == ChangeKind::HostGone);
    // The job may have other tasks then.
    let is_other = |kind| matches!(kind, ChangeKind::HostGone | ChangeKind::HostNew | ChangeKind::SlotsChanged);
    let another = o.changes.iter().any(|change| is_other(change.kind));
    let apart = o.load_before.is_some() && o.load_after.is_none();
    let kind = match o.left {
        _ if !o.differs() => DiffKind::Same,
        _ if lost || apart => DiffKind::Lost,
        Some(left) if left < 1.0 - SAME => DiffKind::Slower,
        Some(left) if left > 1.0 + SAME => DiffKind::Faster,
        _ => DiffKind::Changed,
    };
    let cost = match (&o.traffic, o.left) {
        (Some(_), _) if !fits => format!("; {UNFIT}"),
        (Some(_), _) if apart => "; the job cannot run: some of its hosts are apart".to_string(),
        (Some(traffic), Some(left)) if another => {
            format!(
                "; on the hosts and slots that there are now {traffic} has {} of its throughput for each host",
                percent(left)
            )
        }
        (Some(traffic), Some(left)) => format!("; {traffic} has {} of its throughput", percent(left)),
        _ => String::new(),
    };
    let worst = o.changes.iter().filter(|change| change.left.is_some_and(|left| left < 1.0 - SAME));
    let worst = worst.min_by(|a, b| a.left.unwrap_or(1.0).total_cmp(&b.left.unwrap_or(1.0)));
    let worst = worst.map_or(String::new(), |change| {
        let (one, _) = words(change.kind);
        format!("; the costliest alone: {one}, {}, leaves {}", change.name, percent(change.left.unwrap_or(1.0)))
    });
    let sentence = match kind {
        DiffKind::Same => format!("no difference: {} cables are the same", o.cables_alike),
        _ => format!("{}{cost}{worst}", parts.join(", ")),
    };
    DiffVerdict { kind, sentence }
}
