//! Figure 2: the sends of one phase of the supernode algorithm.

use super::ours;
use crate::{Drawing, Finding, Key, Published, Verdict};
use hopline::error::Result;
use hopline::schedule::What;
use hopline::schedule::collective::{named, sized};

const ITEM: &str = "Figure 2: first phase, 4 nodes of 4 cores";

/// Where each core sends first, from the schedule itself.
pub(super) fn phase() -> Result<(Vec<Finding>, Vec<Drawing>)> {
    let (nodes, cores) = (4, 4);
    let schedule = named("supernode")?.schedule(&sized(1024, cores), nodes * cores)?;
    let mut dots = Vec::new();
    let mut findings = Vec::new();
    for rank in 0..nodes * cores {
        let own = schedule.of(0, rank);
        let sends = schedule.ops()[own.start as usize..own.end as usize].iter().filter(|op| op.what == What::Send);
        // A core sends to the cores of one node in a phase; its own node's are one less.
        let first = if rank % cores == rank / cores { cores - 1 } else { cores };
        dots.extend(sends.take(first as usize).map(|op| (rank, op.peer)));
    }
    for core in 0..cores {
        let to: Vec<u32> = dots.iter().filter(|d| d.0 == core).map(|d| d.1 / cores).collect();
        let one = to.iter().all(|t| *t == core);
        findings.push(Finding {
            published: Some(Published::Number(f64::from(core))),
            verdict: if one { Verdict::Match } else { Verdict::Differs },
            ..ours(ITEM, &[("core", Key::from(core))], "node it sends to", to.first().map_or(-1.0, |&t| f64::from(t)))
        });
    }
    let drawing = Drawing::Dots {
        name: "figure-2".into(),
        title: "Figure 2: who sends to whom in the first phase, 4 nodes of 4 cores".into(),
        size: nodes * cores,
        dots,
    };
    Ok((findings, vec![drawing]))
}
