//! The traffic of a job by formula.

use super::sends::{Moved, Sends};
use super::{AllReduce, joined};
use crate::demand::{self, Demand, Grid, Unit};
use crate::error::{Error, Result};
use crate::format::workload::Operation;
use crate::traffic::Traffic;
use crate::training::{Axis, Group, Part, Step, What};

/// What all ranks send in one step, or one part of it.
pub(super) fn traffic(step: &Step, part: Option<Part>, all_reduce: AllReduce) -> Result<Traffic> {
    let parts: Vec<Part> = Part::ALL.into_iter().filter(|&own| part.is_none_or(|part| part == own)).collect();
    let demands: Vec<Demand> = parts.iter().map(|&part| demand(step, part, all_reduce)).collect::<Result<_>>()?;
    if let (Some(part), [only]) = (part, &demands[..])
        && only.total() == 0.0
    {
        let text = format!("this job has no traffic of {}", part.name());
        return Err(Error::argument("parts", text).hint("parts=all has what there is"));
    }
    let ranks = step.layout.ranks();
    let grid = Grid { sizes: step.layout.grid(), wrap: true };
    let demand = joined(ranks, &demands.iter().collect::<Vec<_>>())?.with_grid(grid);
    let axis = |(part, demand): (Part, Demand)| {
        Some(demand::Axis { name: part.name().into(), ranks: step.layout.members(group_of(part)?), demand })
    };
    let demand = demand.with_axes(parts.into_iter().zip(demands).filter_map(axis).collect());
    Ok(Traffic { demand, notes: [step.table(), step.notes.clone()].concat() })
}

/// The group of an axis; what is counted beside the axes has none.
fn group_of(part: Part) -> Option<Group> {
    Some(match part {
        Part::Tensor => Group::Tensor,
        Part::Context => Group::Context,
        Part::Expert => Group::Expert,
        Part::Data => Group::Replicas,
        Part::Pipeline => Group::Pipeline,
        Part::Embedding | Part::Norm => return None,
    })
}

/// One part: collectives stage by stage, in every group of theirs.
fn demand(step: &Step, part: Part, all_reduce: AllReduce) -> Result<Demand> {
    let mut sends = Sends::default();
    let stages = step.layout.size(Axis::Pipeline) as usize;
    let mut kinds: Vec<(Group, Vec<Moved>)> = Vec::new();
    for block in &step.blocks {
        let times = f64::from(block.times) * f64::from(step.rounds(block.when));
        for (_, call) in block.calls.iter().filter(|(own, _)| *own == part) {
            let at = kinds.iter().position(|(group, _)| *group == call.group).unwrap_or_else(|| {
                kinds.push((call.group, vec![Moved::default(); stages]));
                kinds.len() - 1
            });
            let (moved, bytes) = (&mut kinds[at].1[block.stage as usize], call.bytes as f64 * times);
            *match call.what {
                What::Collective(Operation::AllGather | Operation::ReduceScatter) => &mut moved.halves,
                What::Collective(Operation::AllReduce) => &mut moved.reduced,
                What::Collective(Operation::AllToAll) => &mut moved.exchanged,
                What::ToNext => &mut moved.next,
                What::ToPrevious => &mut moved.previous,
            } += bytes;
        }
    }
    for (group, by_stage) in &kinds {
        for members in step.layout.groups(*group) {
            sends.add(&members, &by_stage[step.layout.stage(members[0]) as usize], all_reduce);
        }
    }
    if part == Part::Pipeline {
        hand_on(step, &mut sends);
    }
    Demand::new(step.layout.ranks(), Unit::Bytes, sends.entries, sends.blocks)
}

/// What stages hand to each other: chunks go around, but from the last stage to the first only between chunks.
fn hand_on(step: &Step, sends: &mut Sends) {
    let bytes = step.handed as f64 * f64::from(step.micro_batches);
    for members in step.layout.groups(Group::Pipeline).iter().filter(|members| members.len() > 1) {
        for (k, &rank) in members.iter().enumerate() {
            let (next, times) = match members.get(k + 1) {
                Some(&next) => (next, step.chunks),
                None => (members[0], step.chunks - 1),
            };
            let bytes = bytes * f64::from(times);
            sends.entries.extend([(rank, next, bytes), (next, rank, bytes)]);
        }
    }
}
