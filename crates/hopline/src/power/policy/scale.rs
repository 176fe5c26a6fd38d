//! Links off the critical path run slower.

use super::super::slack::{LinkSlack, of_links};
use super::{Job, fixed};
use crate::entry::{Entry, Param, param};
use crate::error::Result;
use crate::event::Observer;
use crate::params::{Reader, Specs};
use crate::replay::{Dimming, FULL, Record, replay_dimmed};

const SPEEDS: Param =
    param("speeds", "list of shares", "[0.5;0.25]", "of the bandwidth at which links can run beside all of it");
const PENALTY: Param = param("penalty", "share", "0.01", "by which the job may end later");

pub(super) const ENTRY: Entry = Entry {
    name: "scale",
    summary: "links run as slow as their slack allows; what the job never uses is off",
    doc: "A replay says by how much each message could arrive later without the job ending later: its slack, found from the \
          last operation backwards. A link may take longer for its largest message by a part f of the least slack of \
          its messages, divided by the links of the longest route among them; it runs at the least of `speeds` that keeps \
          to that. Slacks of messages that follow each other are not independent, so the slower network is replayed, with f = 1, \
          1/2, 1/4, ... 1/64, until the job ends no more than `penalty` later; else no link runs slower. A link at a share s of its \
          bandwidth takes s^scaling of its watts (see `hopline explain power`).\n\
          Source: Totoni and Kale, section V, dynamic voltage scaling of links off the critical path.",
    example: "scale:speeds=[0.5;0.25],penalty=0.01",
    params: &[SPEEDS, PENALTY],
};

/// Parts of the slack that are tried: 1, 1/2, ... 1/64.
const ROUNDS: i32 = 7;

pub(super) fn plan(reader: &Reader, job: &Job<'_>, observer: &mut dyn Observer) -> Result<Dimming> {
    let penalty: f64 = reader.or("penalty", 0.01)?;
    if !(0.0..=1e6).contains(&penalty) {
        return Err(reader.wrong("penalty", format!("a penalty of {penalty}, expected a share from 0")));
    }
    let speeds = speeds(reader)?;
    let slack = of_links(job.setting, job.base)?;
    let mut plan = fixed::plan(reader, job, observer)?;
    let latest = job.base.makespan() as f64 * (1.0 + penalty);
    for round in 0..ROUNDS {
        let part = 0.5f64.powi(round);
        plan.slow = slack.iter().map(|s| slowest(s, &speeds, part)).collect();
        let done = replay_dimmed(job.setting, &Record::default(), &plan, observer)?;
        if done.makespan() as f64 <= latest {
            return Ok(plan);
        }
    }
    plan.slow.clear();
    Ok(plan)
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

/// The slowest speed that a part of the slack allows.
fn slowest(slack: &Option<LinkSlack>, speeds: &[u32], part: f64) -> u32 {
    let Some(s) = slack else { return FULL };
    let more = part * s.slack as f64 / (f64::from(s.links) * s.largest.max(1) as f64);
    let fits = |slow: &&u32| f64::from(**slow) <= f64::from(FULL) * (1.0 + more);
    speeds.iter().find(fits).copied().unwrap_or(FULL)
}
