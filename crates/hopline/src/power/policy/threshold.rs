//! A cable that has rested for a while goes off, as hardware alone can do it.

use super::{Job, after};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::event::Observer;
use crate::params::Reader;
use crate::replay::{Dimming, NEVER};

pub(super) const IDLE: Param = param("idle", "ns", "where it pays", "rest after which a cable goes off");

pub(super) const ENTRY: Entry = Entry {
    name: "threshold",
    summary: "a cable that has rested for a while goes off until a packet wakes it",
    doc: "Every cable that has carried nothing for `idle` goes off, the first time and between uses; the next packet waits until \
          it is on. Without a number each class takes the rest from which on it saves energy to be switched off and on \
          again (`pays after`).\n\
          Source: Soteriou and Peh, \"Exploring the design space of self-regulating power-aware on/off interconnection \
          networks\", IEEE TPDS 18 (2007).",
    example: "threshold:idle=200000",
    params: &[IDLE],
};

pub(super) fn plan(reader: &Reader, job: &Job<'_>, _: &mut dyn Observer) -> Result<Dimming> {
    let idle = rest(reader)?;
    Ok(job.dim(&job.kept(), |watts| after(watts, idle, NEVER)))
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
