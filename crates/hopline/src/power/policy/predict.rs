//! As the threshold, but cables that have learned how long they rest wake in time.

use super::guard::{ITERATIONS, ON, guarded};
use super::threshold::{IDLE, rest};
use super::{Job, Planned, after};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::event::Observer;
use crate::params::Reader;
use crate::replay::{FULL, Nap};

const MARGIN: Param = param("margin", "share", "0.1", "of the rest, by which a cable wakes early");

pub(super) const ENTRY: Entry = Entry {
    name: "predict",
    summary: "as threshold, and a cable wakes before its next packet, from how long it rested last time",
    doc: "Every cable that has carried nothing for `idle` goes off. It wakes by itself so that it is on when it will have rested \
          1 - `margin` of the shortest of its long rests so far; where that leaves no time to sleep it stays on. A packet that \
          comes earlier waits, one that comes later finds it on. Guarded as `threshold` is. The guard also tells each cable \
          for how long it has to rest (times 1 + `margin`) to know that this is one of its longer rests, and the shortest of \
          those, so that as much as can be is slept without a packet that waits. Without a guard the first rest of a cable ends \
          with a packet that waits.\n\
          Source: Totoni and Kale, section V, less conservative approaches; predictability as in section IV; the guard is our own.",
    example: "predict:margin=0.1",
    params: &[IDLE, MARGIN, ITERATIONS],
};

pub(super) fn plan(reader: &Reader, job: &Job<'_>, observer: &mut dyn Observer) -> Result<Planned> {
    let idle = rest(reader)?;
    let margin = reader.or("margin", 0.1)?;
    if !(0.0..=1.0).contains(&margin) {
        return Err(reader.wrong("margin", format!("a margin of {margin}, expected a share from 0 to 1")));
    }
    let ahead = ((1.0 - margin) * f64::from(FULL)).round() as u64;
    let plan = job.dim(&job.kept(), |watts| after(watts, idle, ahead));
    guarded(reader, job, plan, &|nap, rests| tuned(nap, rests, margin), observer)
}

/// The nap of a cable with these rests, the shortest first, that is off for longest without a packet that waits: it goes off when
/// it has rested for longer than the first k, and wakes before the next longer one ends.
fn tuned(nap: Nap, rests: &[u64], margin: f64) -> Nap {
    let longer = |rest: u64| (rest as f64 * (1.0 + margin)).ceil() as u64;
    let choice = |k: usize| {
        let after = k.checked_sub(1).map_or(0, |last| longer(rests[last])).max(nap.after);
        let slept = ((1.0 - margin) * rests[k] as f64) as u64;
        let off = slept.saturating_sub(after.saturating_add(nap.sleep).saturating_add(nap.wake));
        (off.saturating_mul((rests.len() - k) as u64), Nap { after, unused: after, rest: rests[k], ..nap })
    };
    let best = (0..rests.len()).map(choice).max_by_key(|(off, _)| *off);
    best.map_or(nap, |(off, nap)| if off == 0 { ON } else { nap })
}
