//! The runtime system watches the first iterations and switches off what they do not use.

use super::{Job, once};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Result};
use crate::event::Observer;
use crate::params::Reader;
use crate::replay::{Dimming, Record, Setting, replay};

const ITERATIONS: Param = param("iterations", "count", "1", "plays of the schedule's program that it watches");

pub(super) const ENTRY: Entry = Entry {
    name: "learn",
    summary: "what the first iterations do not use goes off; a cable that is missed wakes and stays on",
    doc: "Everything is on while the first `iterations` last; then cables that have carried nothing go off. A packet that \
          comes to one of them waits until it is on, and the cable stays on. An iteration is one play of the schedule's \
          program: a step of a halo, one of the 27 parts of an outer iteration of CG. A trace is one play: \
          repeat it with --iterations.\n\
          Source: Totoni and Kale, section IV: near future iterations are predictable from past data.",
    example: "learn:iterations=1",
    params: &[ITERATIONS],
};

pub(super) fn plan(reader: &Reader, job: &Job<'_>, observer: &mut dyn Observer) -> Result<Dimming> {
    let iterations: u64 = reader.or("iterations", 1)?;
    let plays: u64 = job.setting.schedule.program().iter().map(|p| u64::from(p.times)).sum();
    if iterations >= plays {
        return Err(Error::input(format!("the job has {plays} iterations, and {iterations} are to be learned from"))
            .at(reader.place())
            .hint("repeat the schedule with --iterations"));
    }
    let first = job.setting.schedule.clone().first_plays(iterations);
    let learned = replay(Setting { schedule: &first, ..job.setting }, &Record::default(), observer)?;
    let at = learned.makespan().max(1);
    Ok(job.dim(&job.lit(&learned.busy), |watts| Some(once(watts, at))))
}
