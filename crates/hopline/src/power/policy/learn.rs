//! The runtime system watches the first iterations and switches off what they do not use.

use super::super::light;
use super::{Job, Planned, once};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Result};
use crate::event::Observer;
use crate::loads;
use crate::params::Reader;
use crate::schedule::Schedule;

pub(super) const ITERATIONS: Param =
    param("iterations", "count", "enough", "plays of the schedule's program that it learns from");

pub(super) const ENTRY: Entry = Entry {
    name: "learn",
    summary: "what the first iterations do not use goes off; a cable that is missed wakes and stays on",
    doc: "Everything is on while the first `iterations` last; then the cables go off that are on no path of the messages so \
          far. A packet that comes to one of them waits until it is on, and the cable stays on. An iteration is one play of the schedule's \
          program: a step of a halo, one of the 27 parts of an outer iteration of CG. `enough` are so many that every different \
          part was played once, but no more than half of the job. A trace is one play: repeat it with --iterations.\n\
          Source: Totoni and Kale, section IV: near future iterations are predictable from past data.",
    example: "learn:iterations=1",
    params: &[ITERATIONS],
};

pub(super) fn plan(reader: &Reader, job: &Job<'_>, observer: &mut dyn Observer) -> Result<Planned> {
    let (first, until) = job.first(iterations(reader, job)?, observer)?;
    let loads = loads::evaluate(&first.demand()?, &job.input.places.endpoint, job.input.routing)?;
    Ok(job.dim(&light(job.fabric(), &loads.load, job.keep), |watts| Some(once(watts, until))).into())
}

/// How many plays are learned from.
pub(super) fn iterations(reader: &Reader, job: &Job<'_>) -> Result<u64> {
    let wanted = wanted(reader, job)?;
    shorter(job, wanted).map_or(Ok(wanted), |e| Err(e.at(reader.place())))
}

/// Why the job is too short to learn from, if it is.
pub(super) fn too_short(reader: &Reader, job: &Job<'_>) -> Result<Option<Error>> {
    Ok(shorter(job, wanted(reader, job)?))
}

fn wanted(reader: &Reader, job: &Job<'_>) -> Result<u64> {
    let enough = || until_all_are_known(job.input.schedule).min(job.plays() / 2).max(1);
    Ok(reader.get("iterations")?.unwrap_or_else(enough))
}

fn shorter(job: &Job<'_>, wanted: u64) -> Option<Error> {
    let plays = job.plays();
    let text = format!("the job has {plays} iterations, and {wanted} are to be learned from");
    (wanted >= plays).then(|| Error::input(text).hint("repeat the schedule"))
}

/// Plays until every body that is ever played has been.
fn until_all_are_known(schedule: &Schedule) -> u64 {
    let mut known = vec![false; schedule.bodies() as usize];
    let (mut plays, mut until) = (0, 0);
    for play in schedule.program().iter().filter(|play| play.times > 0) {
        if !std::mem::replace(&mut known[play.body as usize], true) {
            until = plays + 1;
        }
        plays += u64::from(play.times);
    }
    until
}
