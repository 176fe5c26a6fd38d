//! Replay of a schedule on a machine: when ranks finish, what they waited for,
//! how busy links were.

use super::{Setting, chosen, setting};
use crate::error::Result;
use crate::event::{Event, Observer, Work};
use crate::fabric::{Fabric, find_links};
use crate::id::LinkId;
use crate::plan::Plan;
use crate::replay::{self, Critical, Model, Network, Places, Record, ReplayInput, Replayed, Watch, ranks_in_row};
use crate::routing::Route;
use crate::schedule::{Schedule, What};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What is asked for beside the times.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplayOptions {
    /// Length of a bin of the timeline in nanoseconds; none without.
    pub bin: Option<f64>,
    /// Links, cables or switches whose links get rows of their own in the timeline.
    pub watch: Vec<String>,
    /// Most steps of the critical path; none is recorded for 0.
    pub critical: usize,
}

/// When ranks finish, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ReplayOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: Setting,
    /// The mapping.
    pub mapping: String,
    /// Keys of the model that were given; the others have their defaults.
    pub model: String,
    /// When the last rank is done, in seconds.
    pub makespan_s: f64,
    /// Mean over the ranks of when they are done.
    pub mean_finish_s: f64,
    /// When each rank is done.
    pub finish_s: Vec<f64>,
    /// Messages, those within hosts included.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Messages within hosts, over the links inside where those are known.
    pub copies: u64,
    /// Packets times links that take time.
    pub packet_hops: u64,
    /// By class of links.
    pub classes: Vec<ReplayClass>,
    /// What the last rank waited for, the end first.
    pub critical: Vec<CriticalStep>,
    /// Limited links under the messages of the whole critical path, those with most of its bytes first.
    pub critical_links: Vec<UsedLink>,
    /// Length of a bin of the timeline in seconds; null without a timeline.
    pub bin_s: Option<f64>,
    /// Utilisation over time.
    pub timeline: Vec<TimelineRow>,
    /// The same of processors, which compute or handle messages: in rows of one or several ranks, in their order.
    pub rank_timeline: Vec<TimelineRow>,
}

/// Links of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ReplayClass {
    /// The class.
    pub name: String,
    /// Its links.
    pub links: u64,
    /// Those that carried anything.
    pub used: u64,
    /// Mean share of the makespan in which a link was sending.
    pub mean_utilization: f64,
    /// The same of the busiest link.
    pub max_utilization: f64,
    /// That link; null where none carried anything.
    pub busiest: Option<String>,
}

/// A step of the critical path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CriticalStep {
    /// The rank.
    pub rank: u32,
    /// `send`, `recv` or `compute`.
    pub what: String,
    /// The other rank; null for a computation.
    pub peer: Option<u32>,
    /// Bytes; null for a computation.
    pub bytes: Option<u64>,
    /// When it was done, in seconds.
    pub done_s: f64,
    /// How long after the step before it.
    pub took_s: f64,
    /// Whether it waited for the message (else for its own rank).
    pub waited: bool,
}

/// A link and what the critical path sent over it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct UsedLink {
    /// The link.
    pub link: String,
    /// Its class.
    pub class: String,
    /// Bytes of messages on the critical path.
    pub bytes: f64,
}

/// Utilisation of a class or a link over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct TimelineRow {
    /// The class or link, or the ranks.
    pub name: String,
    /// Share of each bin in which it was sending, or computing; of several the mean.
    pub utilization: Vec<f64>,
}

/// Links that are named in the list of the critical path.
const CRITICAL_LINKS: usize = 10;

/// Replays the schedule under the plan's first mapping. The same plan and model give the same outcome.
///
/// # Errors
/// The mapping does not fit, two hosts have no way between them, ranks wait for
/// each other for ever, a watched link is not there, or the observer says stop.
pub fn replay(
    plan: &Plan,
    schedule: &Schedule,
    (model, model_spec): (&Model, &str),
    options: &ReplayOptions,
    observer: &mut dyn Observer,
) -> Result<ReplayOutcome> {
    let fabric = &*plan.network.fabric;
    let candidate = &plan.candidates[0];
    let chosen = chosen(plan, observer)?;
    let places = Places::new(&chosen, fabric.hosts())?;
    let mut watched = Vec::new();
    for word in &options.watch {
        watched.extend(find_links(fabric, word)?);
    }
    watched.sort_unstable();
    watched.dedup();
    let bin = options.bin.map(|ns| ((ns * 1000.0).round() as u64).max(1));
    let watch = bin.map(|bin| Watch { bin, links: watched.clone() });
    let record = Record { watch, critical: options.critical > 0 };
    let input = ReplayInput { schedule, routing: &*plan.network.routing, places: &places, model };
    if model.network == Network::Packets {
        let amount = replay::packets(input).packets as f64 * replay::links_of_a_packet(input);
        observer.event(Event::Work { amount, of: Work::PacketHops });
    }
    let done = replay::replay(input, &record, observer)?;
    let seconds = |ps: u64| ps as f64 * 1e-12;
    Ok(ReplayOutcome {
        setting: setting(plan),
        mapping: candidate.spec.clone(),
        model: model_spec.to_string(),
        makespan_s: seconds(done.makespan()),
        mean_finish_s: done.finish.iter().map(|&t| seconds(t)).sum::<f64>() / done.finish.len().max(1) as f64,
        finish_s: done.finish.iter().map(|&t| seconds(t)).collect(),
        messages: done.messages,
        bytes: schedule.volume().bytes,
        copies: done.copies,
        packet_hops: done.packet_hops,
        classes: classes(fabric, &done),
        critical: steps(schedule, &done.critical, options.critical),
        critical_links: links(schedule, &done.critical, input)?,
        bin_s: bin.map(seconds),
        timeline: bin.map(|bin| timeline(fabric, &watched, bin, &done)).unwrap_or_default(),
        rank_timeline: bin.map(|bin| processors(bin, &done)).unwrap_or_default(),
    })
}

fn classes(fabric: &Fabric, done: &Replayed) -> Vec<ReplayClass> {
    let span = done.makespan().max(1) as f64;
    let mut classes = Vec::new();
    for (c, class) in fabric.classes().iter().enumerate().filter(|(_, class)| class.bandwidth.is_some()) {
        let own = fabric.link_ids().filter(|&l| fabric.class_id(l).index() == c);
        let (mut links, mut used, mut sum, mut most) = (0u64, 0u64, 0u128, None);
        for l in own {
            let busy = done.busy[l.index()];
            links += 1;
            used += u64::from(busy > 0);
            sum += u128::from(busy);
            if busy > 0 && most.is_none_or(|(b, _)| busy > b) {
                most = Some((busy, l));
            }
        }
        if links > 0 {
            classes.push(ReplayClass {
                name: class.name.clone(),
                links,
                used,
                mean_utilization: sum as f64 / links as f64 / span,
                max_utilization: most.map_or(0.0, |(busy, _)| busy as f64 / span),
                busiest: most.map(|(_, l)| fabric.link_name(l)),
            });
        }
    }
    classes
}

fn steps(schedule: &Schedule, path: &[Critical], most: usize) -> Vec<CriticalStep> {
    let before = |i: usize| if i == 0 { 0 } else { path[i - 1].done };
    let step = |(i, c): (usize, &Critical)| {
        let op = &schedule.ops()[c.op as usize];
        let message = op.what != What::Compute;
        CriticalStep {
            rank: c.rank,
            what: match op.what {
                What::Send => "send",
                What::Recv => "recv",
                What::Compute => "compute",
            }
            .to_string(),
            peer: message.then_some(op.peer),
            bytes: message.then_some(op.amount),
            done_s: c.done as f64 * 1e-12,
            took_s: (c.done - before(i)) as f64 * 1e-12,
            waited: c.sent.is_some(),
        }
    };
    path.iter().enumerate().rev().take(most).map(step).collect()
}

/// The links under the messages that ranks on the critical path waited for.
fn links(schedule: &Schedule, path: &[Critical], input: ReplayInput<'_>) -> Result<Vec<UsedLink>> {
    let fabric = input.routing.fabric();
    let mut bytes = vec![0.0; if path.is_empty() { 0 } else { fabric.links() }];
    let mut route = Route::new();
    for c in path.iter().filter(|c| c.sent.is_some()) {
        let op = &schedule.ops()[c.op as usize];
        let (from, to) = if op.what == What::Recv { (op.peer, c.rank) } else { (c.rank, op.peer) };
        let at = |rank: u32| input.places.endpoint[rank as usize];
        if input.places.host[from as usize] != input.places.host[to as usize] {
            input.routing.route(at(from), at(to), &mut route)?;
            route.iter().for_each(|&(l, share)| bytes[l.index()] += share * op.amount as f64);
        }
    }
    let limited = |l: u32| fabric.class_of(LinkId(l)).bandwidth.is_some();
    let mut used: Vec<u32> = (0..bytes.len() as u32).filter(|&l| bytes[l as usize] > 0.0 && limited(l)).collect();
    used.sort_by(|&a, &b| bytes[b as usize].total_cmp(&bytes[a as usize]).then(a.cmp(&b)));
    used.truncate(CRITICAL_LINKS);
    let name = |l: u32| UsedLink {
        link: fabric.link_name(LinkId(l)),
        class: fabric.class_of(LinkId(l)).name.clone(),
        bytes: bytes[l as usize],
    };
    Ok(used.into_iter().map(name).collect())
}

fn timeline(fabric: &Fabric, watched: &[LinkId], bin: u64, done: &Replayed) -> Vec<TimelineRow> {
    let mut count = vec![0u64; fabric.classes().len()];
    fabric.link_ids().for_each(|l| count[fabric.class_id(l).index()] += 1);
    let class = |(c, class): (usize, &crate::fabric::LinkClass)| (class.name.clone(), count[c]);
    let classes = fabric.classes().iter().enumerate().map(class);
    let names = classes.chain(watched.iter().map(|&l| (fabric.link_name(l), 1)));
    let share = |busy: u64, links: u64| busy as f64 / (bin * links.max(1)) as f64;
    let row = |((name, links), row): ((String, u64), &Vec<u64>)| TimelineRow {
        name,
        utilization: row.iter().map(|&busy| share(busy, links)).collect(),
    };
    names.zip(&done.timeline).map(row).filter(|r| r.utilization.iter().any(|&u| u > 0.0)).collect()
}

fn processors(bin: u64, done: &Replayed) -> Vec<TimelineRow> {
    let ranks = done.finish.len() as u32;
    let in_row = ranks_in_row(ranks);
    let row = |(first, row): (u32, &Vec<u64>)| {
        let last = (first + in_row).min(ranks) - 1;
        let name = if last > first { format!("ranks {first} to {last}") } else { format!("rank {first}") };
        let share = |&busy: &u64| busy as f64 / (bin * u64::from(last - first + 1)) as f64;
        TimelineRow { name, utilization: row.iter().map(share).collect() }
    };
    let rows: Vec<TimelineRow> = (0..ranks).step_by(in_row as usize).zip(&done.processors).map(row).collect();
    // Where processors take no time there is nothing to see.
    if rows.iter().all(|r| r.utilization.is_empty()) { Vec::new() } else { rows }
}
