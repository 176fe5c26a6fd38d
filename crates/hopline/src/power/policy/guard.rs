//! A guard: cables that would cost more asleep than they save stay on.

use super::learn::{self, iterations};
use super::{Job, Planned};
use crate::entry::{Param, param};
use crate::error::{Error, Result};
use crate::event::Observer;
use crate::params::Reader;
use crate::replay::{Dimming, NEVER, Nap, ReplayInput, Replayed};
use crate::routing::Route;
use crate::schedule::Schedule;

/// The key of policies with a guard.
pub(super) const ITERATIONS: Param =
    param("iterations", "count", "as learn", "plays of the schedule's program that it learns from; 0 for no guard");

/// How often the learned iterations are played to hear how long cables rest, and to see what sleep does to them: that
/// also goes on to what was not heard.
const LISTEN: u32 = 3;
const TRY: u32 = 6;

/// Whether there is a guard.
fn on_guard(reader: &Reader, job: &Job<'_>) -> Result<bool> {
    Ok(match reader.get::<u64>("iterations")? {
        Some(given) => given > 0,
        None => job.plays() > 1,
    })
}

/// Why the job is too short for the guard to learn from, if it is.
pub(super) fn too_short(reader: &Reader, job: &Job<'_>) -> Result<Option<Error>> {
    if on_guard(reader, job)? { learn::too_short(reader, job) } else { Ok(None) }
}

/// The plan with those cables left on that do not pay. What a cable does may be tuned to how long it rested in the
/// iterations that were learned: its rests, the shortest first.
pub(super) fn guarded(
    reader: &Reader,
    job: &Job<'_>,
    plan: Dimming,
    tune: &dyn Fn(Nap, &[u64]) -> Nap,
    observer: &mut dyn Observer,
) -> Result<Planned> {
    if !on_guard(reader, job)? {
        return Ok(plan.into());
    }
    let (first, until) = job.first(iterations(reader, job)?, observer)?;
    let mut plan = plan;
    let all = plan.naps.len();
    let heard = rests(job, first.clone().repeat(LISTEN)?, &plan, observer)?;
    for (nap, mut rests) in plan.naps.iter_mut().zip(heard) {
        rests.sort_unstable();
        *nap = Nap { from: until, ..tune(*nap, &rests) };
    }
    let again = first.repeat(TRY)?;
    let base = job.replay(&again, &Dimming::default(), observer)?;
    let trial = Job { input: ReplayInput { schedule: &again, ..job.input }, base: &base, ..*job };
    let sure = without_choices(&trial, &plan)?;
    let plan = choose(&trial, plan, sure, observer)?;
    let on = plan.naps.iter().filter(|nap| nap.unused == NEVER && nap.after == NEVER).count();
    let note = match on {
        0 => None,
        on if on == all => Some("not worth it: no cable sleeps".to_string()),
        on => Some(format!("{on} of {all} cables stay on: their sleep would cost more than it saves")),
    };
    Ok(Planned { dimming: plan, notes: note.into_iter().collect() })
}

/// A cable that stays on.
pub(super) const ON: Nap = Nap { after: NEVER, unused: NEVER, from: 0, ahead: NEVER, rest: 0, wake: 0, sleep: 0 };

/// How long the cables of a plan rest with everything on.
fn rests(job: &Job<'_>, schedule: Schedule, plan: &Dimming, observer: &mut dyn Observer) -> Result<Vec<Vec<u64>>> {
    let awake = plan.naps.iter().map(|nap| Nap { from: NEVER, ..*nap }).collect();
    let listening = Dimming { naps: awake, listen: true, ..plan.clone() };
    Ok(job.replay(&schedule, &listening, observer)?.slept.rests)
}

/// The plan without cables that messages take only now and then: those on one of several paths.
fn without_choices(job: &Job<'_>, plan: &Dimming) -> Result<Dimming> {
    let mut left = plan.clone();
    let (routing, places) = (job.input.routing, job.input.places);
    let mut pairs = Vec::new();
    job.input.schedule.demand()?.each_pair(|from, to, _| pairs.push((from as usize, to as usize)));
    let mut route = Route::new();
    for (from, to) in pairs.into_iter().filter(|&(from, to)| places.host[from] != places.host[to]) {
        routing.route(places.endpoint[from], places.endpoint[to], &mut route)?;
        for cable in route.iter().filter(|step| step.1 < 1.0 - 1e-9).filter_map(|step| plan.cable_of(step.0)) {
            left.naps[cable] = ON;
        }
    }
    Ok(left)
}

/// The best of the plan whole, of `sure`, and of what is left of that when half of the cables that packets wait for
/// stay on, then half of the rest, until no packet waits.
fn choose(trial: &Job<'_>, whole: Dimming, sure: Dimming, observer: &mut dyn Observer) -> Result<Dimming> {
    let schedule = trial.input.schedule;
    let done = trial.replay(schedule, &whole, observer)?;
    let (mut most, mut best) = (trial.saving(&whole, &done), whole);
    let mut next = Some(sure);
    while let Some(plan) = next {
        let done = trial.replay(schedule, &plan, observer)?;
        next = without_worst(&plan, &done);
        let saving = trial.saving(&plan, &done);
        if saving > most {
            (most, best) = (saving, plan);
        }
    }
    Ok(best)
}

/// The plan without the half of the cables that keep packets waiting for the longest part of their sleep; `None` where
/// no packet waits.
fn without_worst(plan: &Dimming, done: &Replayed) -> Option<Dimming> {
    let slept = &done.slept;
    let price = |c: usize| slept.waited[c] as f64 / (slept.off[c] + 1) as f64;
    let mut waiting: Vec<usize> = (0..plan.naps.len()).filter(|&c| slept.waited[c] > 0).collect();
    waiting.sort_by(|&a, &b| price(b).total_cmp(&price(a)).then(a.cmp(&b)));
    waiting.truncate(waiting.len().div_ceil(2));
    let mut left = plan.clone();
    waiting.iter().for_each(|&c| left.naps[c] = ON);
    (!waiting.is_empty()).then_some(left)
}
