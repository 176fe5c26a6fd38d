//! Policies of a runtime system: which cables go off, when, and which links
//! run slower. A policy looks at a job and says what its cables do in a replay.

mod fixed;
mod guard;
mod learn;
mod predict;
mod scale;
mod threshold;

use super::{Effect, Keep, Lit, Model, Watts, cables, light};
use crate::entry::{Entry, Listed};
use crate::error::{Error, Result};
use crate::event::Observer;
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::params::{Params, Reader, find};
use crate::replay::{Dimming, NEVER, Nap, Record, ReplayInput, Replayed, replay_dimmed};
use crate::schedule::Schedule;

/// What a policy looks at.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The schedule on its machine.
    pub input: ReplayInput<'a>,
    /// Watts and times to switch.
    pub model: &'a Model,
    /// What stays on all the time.
    pub keep: Keep,
    /// The job with everything on; with its critical path where a policy [`needs_critical`].
    pub base: &'a Replayed,
}

/// What the cables do, and what people should know of it.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What the cables do in a replay.
    pub dimming: Dimming,
    /// Cables that the policy leaves alone, and why.
    pub notes: Vec<String>,
}

impl From<Dimming> for Planned {
    fn from(dimming: Dimming) -> Planned {
        Planned { dimming, notes: Vec::new() }
    }
}

type Short = fn(&Reader, &Job<'_>) -> Result<Option<Error>>;
type Plan = fn(&Reader, &Job<'_>, &mut dyn Observer) -> Result<Planned>;

/// One policy of the list.
pub struct PolicyEntry {
    entry: &'static Entry,
    plan: Plan,
    /// Why a job is too short for it.
    short: Short,
    /// Whether it looks at the critical path of the job with everything on.
    critical: bool,
}

impl Listed for PolicyEntry {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All policies.
pub const LIST: &[PolicyEntry] = &[
    PolicyEntry { entry: &fixed::ENTRY, plan: fixed::plan, short: never, critical: false },
    PolicyEntry { entry: &learn::ENTRY, plan: learn::plan, short: learn::too_short, critical: false },
    PolicyEntry { entry: &threshold::ENTRY, plan: threshold::plan, short: guard::too_short, critical: false },
    PolicyEntry { entry: &predict::ENTRY, plan: predict::plan, short: guard::too_short, critical: false },
    PolicyEntry { entry: &scale::ENTRY, plan: scale::plan, short: never, critical: true },
];

/// For policies that do not learn.
fn never(_: &Reader, _: &Job<'_>) -> Result<Option<Error>> {
    Ok(None)
}

/// Why a job is too short to learn from for the policy of a spec; `None` where it is not. [`plan`] has this as its error.
///
/// # Errors
/// An unknown policy or key, or a value that cannot be read.
pub fn too_short(params: &Params, job: &Job<'_>) -> Result<Option<Error>> {
    let kind = find("policy", LIST, params)?;
    (kind.short)(&params.check(kind.entry)?, job)
}

/// Whether a policy of these specs looks at the critical path of [`Job::base`].
pub fn needs_critical(specs: &[Params]) -> bool {
    specs.iter().any(|spec| LIST.iter().any(|kind| kind.critical && kind.entry.name == spec.kind()))
}

/// What the cables of a job do under the policy of a spec.
///
/// # Errors
/// An unknown policy or key, a job that is too short to learn from, those of [`crate::replay::replay`], or the observer
/// says stop.
pub fn plan(params: &Params, job: &Job<'_>, observer: &mut dyn Observer) -> Result<Planned> {
    let kind = find("policy", LIST, params)?;
    (kind.plan)(&params.check(kind.entry)?, job, observer)
}

impl<'a> Job<'a> {
    fn fabric(&self) -> &'a Fabric {
        self.input.routing.fabric()
    }

    /// What is on all the time where all other cables may sleep.
    fn kept(&self) -> Lit {
        light(self.fabric(), &vec![0.0; self.fabric().links()], self.keep)
    }

    /// A schedule in the job's place under a plan.
    fn replay(&self, schedule: &Schedule, plan: &Dimming, observer: &mut dyn Observer) -> Result<Replayed> {
        replay_dimmed(ReplayInput { schedule, ..self.input }, &Record::default(), plan, observer)
    }

    /// Share of the machine's energy that the job saves under a plan.
    fn saving(&self, plan: &Dimming, done: &Replayed) -> f64 {
        Effect::new(self.fabric(), self.model, self.base, (plan, done), None).machine_saving
    }

    /// Plays of the schedule's program.
    fn plays(&self) -> u64 {
        self.input.schedule.program().iter().map(|p| u64::from(p.times)).sum()
    }

    /// The first plays alone, and how long they take with everything on.
    fn first(&self, plays: u64, observer: &mut dyn Observer) -> Result<(Schedule, u64)> {
        let schedule = self.input.schedule.clone().first_plays(plays);
        let until = self.replay(&schedule, &Dimming::default(), observer)?.makespan().max(1);
        Ok((schedule, until))
    }

    /// Cables that are not in `lit` sleep as `nap` says for the class; those without an answer stay on.
    fn dim(&self, lit: &Lit, nap: impl Fn(&Watts) -> Option<Nap>) -> Dimming {
        let fabric = self.fabric();
        let of_class: Vec<Option<Nap>> = self.model.table(fabric).iter().map(nap).collect();
        let mut plan = Dimming { cable: vec![u32::MAX; fabric.links()], ..Dimming::default() };
        for l in cables(fabric).filter(|&l| !lit.is_on(l)) {
            if let Some(nap) = of_class[fabric.class_id(l).index()] {
                let cable = plan.naps.len() as u32;
                plan.naps.push(nap);
                [l, fabric.reverse(l)].iter().for_each(|d: &LinkId| plan.cable[d.index()] = cable);
            }
        }
        plan
    }
}

/// Nanoseconds as picoseconds.
fn picos(nanos: f64) -> u64 {
    (nanos * 1000.0).round() as u64
}

/// A cable that goes off at a time, if it has carried nothing until then, and stays on once it was needed.
fn once(watts: &Watts, at: u64) -> Nap {
    Nap { after: NEVER, unused: at, from: 0, ahead: NEVER, rest: 0, wake: picos(watts.wake), sleep: picos(watts.sleep) }
}

/// A cable that goes off after every rest of that length; `None` where off saves nothing.
fn after(watts: &Watts, idle: Option<f64>, ahead: u64) -> Option<Nap> {
    let worth = watts.break_even()?;
    let rest = picos(idle.unwrap_or(worth)).max(1);
    Some(Nap { after: rest, unused: rest, from: 0, ahead, rest: 0, wake: picos(watts.wake), sleep: picos(watts.sleep) })
}
