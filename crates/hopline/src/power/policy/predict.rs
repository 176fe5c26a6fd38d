//! As the threshold, but cables that have learned how long they rest wake in time.

use super::threshold::{IDLE, rest};
use super::{Job, after};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::event::Observer;
use crate::params::Reader;
use crate::replay::{Dimming, FULL};

const MARGIN: Param = param("margin", "share", "0.1", "of the rest, by which a cable wakes early");

pub(super) const ENTRY: Entry = Entry {
    name: "predict",
    summary: "as threshold, and a cable wakes before its next packet, from how long it rested last time",
    doc: "Every cable that has carried nothing for `idle` goes off. It wakes by itself so that it is on when it will have rested \
          1 - `margin` of its last long rest; one that says there is no time to sleep stays on. A packet that comes earlier waits, \
          one that comes later finds it on. The first rest of a cable ends with a packet that waits: that is the iteration \
          it learns from.\n\
          Source: Totoni and Kale, section V, less conservative approaches; predictability as in section IV.",
    example: "predict:margin=0.1",
    params: &[IDLE, MARGIN],
};

pub(super) fn plan(reader: &Reader, job: &Job<'_>, _: &mut dyn Observer) -> Result<Dimming> {
    let idle = rest(reader)?;
    let margin = reader.or("margin", 0.1)?;
    if !(0.0..=1.0).contains(&margin) {
        return Err(reader.wrong("margin", format!("a margin of {margin}, expected a share from 0 to 1")));
    }
    let ahead = ((1.0 - margin) * f64::from(FULL)).round() as u64;
    Ok(job.dim(&job.kept(), |watts| after(watts, idle, ahead)))
}
