//! Cables that the whole job never uses are off.

use super::super::light;
use super::{Job, Planned, once};
use crate::entry::Entry;
use crate::error::Result;
use crate::event::Observer;
use crate::params::Reader;

pub(super) const ENTRY: Entry = Entry {
    name: "static",
    summary: "what the job never uses is off from the beginning",
    doc: "Knows the whole job: cables that carry nothing from beginning to end are off all the time, the others on. No packet ever \
          waits. What the power paper counts.\n\
          Source: Totoni and Kale, section IV.",
    example: "static",
    params: &[],
};

pub(super) fn plan(_: &Reader, job: &Job<'_>, _: &mut dyn Observer) -> Result<Planned> {
    let sent: Vec<f64> = job.base.busy.iter().map(|&b| b as f64).collect();
    Ok(job.dim(&light(job.fabric(), &sent, job.keep), |watts| Some(once(watts, 0))).into())
}
