//! Links off the critical path run slower.

use super::super::slack::of_links;
use super::{Job, Planned, fixed};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::event::Observer;
use crate::params::{Reader, Specs};
use crate::replay::{Dimming, FULL};

const SPEEDS: Param =
    param("speeds", "list of shares", "[0.5;0.25]", "of the bandwidth at which links can run beside all of it");
const PENALTY: Param = param("penalty", "share", "0.01", "by which the job may end later");

pub(super) const ENTRY: Entry = Entry {
    name: "scale",
    summary: "links run as slow as their slack allows; what the job never uses is off",
    doc: "A replay says by how much each message could arrive later without the job ending later: its slack, found from the \
          last operation backwards. To that comes the message's part of `penalty`, in equal parts for all messages of the \
          critical path. Divided by the links of its way and the time for which it keeps one, that is the room that a message \
          leaves a link; the least room of its messages says how slow the link may be. Messages that follow each other share \
          their slack, and packets hide some of the delay, so the whole job is replayed with 8, 4, 2, 1, 1/2, ... 1/64 \
          of the room, each link at the least of `speeds` that keeps to it; of those that end in time the one stands that saves \
          most of the machine's energy. A link at a share s of its bandwidth takes s^scaling of its watts (see `hopline explain \
          power`).\n\
          Source: Totoni and Kale, section V, dynamic voltage scaling of links off the critical path.",
    example: "scale:speeds=[0.5;0.25],penalty=0.01",
    params: &[SPEEDS, PENALTY],
};

/// How much of the room is tried, from all eight times over to a 64th.
const PARTS: [f64; 10] = [8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625];

pub(super) fn plan(reader: &Reader, job: &Job<'_>, observer: &mut dyn Observer) -> Result<Planned> {
    let penalty: f64 = reader.or("penalty", 0.01)?;
    if !(0.0..=1e6).contains(&penalty) {
        return Err(reader.wrong("penalty", format!("a penalty of {penalty}, expected a share from 0")));
    }
    let speeds = speeds(reader)?;
    let later = job.base.makespan() as f64 * penalty;
    let messages = job.base.critical.iter().filter(|step| step.sent.is_some()).count().max(1);
    let room = of_links(job.input, job.base, (later / messages as f64) as u64)?;
    let mut best = fixed::plan(reader, job, observer)?.dimming;
    let mut most = job.saving(&best, &job.replay(job.input.schedule, &best, observer)?);
    for part in PARTS {
        let slow = room.iter().map(|room| room.map_or(FULL, |room| slowest(part * room, &speeds))).collect();
        let plan = Dimming { slow, ..best.clone() };
        let done = job.replay(job.input.schedule, &plan, observer)?;
        let saving = job.saving(&plan, &done);
        if done.makespan() as f64 <= job.base.makespan() as f64 + later && saving > most {
            (best, most) = (plan, saving);
        }
    }
    let slower = best.slow.iter().filter(|&&slow| slow > FULL).count();
    let note = (slower == 0).then(|| "not worth it: no link runs slower".to_string());
    Ok(Planned { dimming: best, notes: note.into_iter().collect() })
}

/// The speeds from the least up, each as the time of a byte.
fn speeds(reader: &Reader) -> Result<Vec<u32>> {
    let words = reader.get::<Specs>("speeds")?.map_or(vec!["0.5".to_string(), "0.25".to_string()], |s| s.0);
    let read = |word: &String| match word.parse::<f64>() {
        Ok(speed) if (1e-3..=1.0).contains(&speed) => Ok((f64::from(FULL) / speed).round() as u32),
        _ => Err(reader.wrong("speeds", format!("`{word}` is no share from 0.001 to 1"))),
    };
    let mut speeds: Vec<u32> = words.iter().map(read).collect::<Result<_>>()?;
    speeds.sort_unstable_by(|a, b| b.cmp(a));
    Ok(speeds)
}

/// The slowest speed at which a byte takes at most 1 + `more` of its time.
fn slowest(more: f64, speeds: &[u32]) -> u32 {
    let fits = |slow: &&u32| f64::from(**slow) <= f64::from(FULL) * (1.0 + more);
    speeds.iter().find(fits).copied().unwrap_or(FULL)
}
