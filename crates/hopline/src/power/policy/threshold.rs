//! A cable that has rested for a while goes off, as hardware alone can do it.

use super::guard::{ITERATIONS, guarded};
use super::{Job, Planned, after};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::event::Observer;
use crate::params::Reader;
use crate::replay::NEVER;

pub(super) const IDLE: Param = param("idle", "ns", "where it pays", "rest after which a cable goes off");

pub(super) const ENTRY: Entry = Entry {
    name: "threshold",
    summary: "a cable that has rested for a while goes off until a packet wakes it",
    doc: "Every cable that has carried nothing for `idle` goes off, the first time and between uses; the next packet waits until \
          it is on. Without a number each class takes the rest from which on it saves energy to be switched off and on \
          again (`pays after`). Hardware alone does that with iterations=0.\n\
          A guard works out whether that pays. Everything is on while the first `iterations` last, as many as for `learn`. Then they are replayed six \
          times over, first with all these cables asleep, then without those that are on one of several paths of a message, as nobody \
          knows when it is their turn; and as long as packets wait, without the half of the cables with the longest waiting \
          for the time they are off, then half of the rest, and so on. The choice that saves most of the machine's energy \
          stands, and the other cables stay on. What is tried is worked out beside the job and costs it nothing. A job of one \
          play has nothing to learn from, and no guard.\n\
          Source: Soteriou and Peh, \"Exploring the design space of self-regulating power-aware on/off interconnection \
          networks\", IEEE TPDS 18 (2007); the guard is our own.",
    example: "threshold:idle=200000",
    params: &[IDLE, ITERATIONS],
};

pub(super) fn plan(reader: &Reader, job: &Job<'_>, observer: &mut dyn Observer) -> Result<Planned> {
    let idle = rest(reader)?;
    let plan = job.dim(&job.kept(), |watts| after(watts, idle, NEVER));
    guarded(reader, job, plan, &|nap, _| nap, observer)
}

/// `idle=` where it is given.
pub(super) fn rest(reader: &Reader) -> Result<Option<f64>> {
    match reader.get::<f64>("idle")? {
        Some(ns) if !(0.0..=1e15).contains(&ns) => {
            Err(reader.wrong("idle", format!("a rest of {ns} ns, expected 0 to 10^15")))
        }
        idle => Ok(idle),
    }
}
