//! Everyone to everyone.

use super::{BYTES, Context, Size, TASKS, Traffic, WEIGHT, tasks};
use crate::demand::{Block, Demand, TaskSet};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::Reader;

pub(super) const ALLTOALL: Entry = Entry {
    name: "alltoall",
    summary: "every task to every task, itself included, as MPI_Alltoall",
    doc: "1/n from each of n tasks to each, itself included (that part costs no link). One uniform block.",
    example: "alltoall",
    params: &[TASKS, WEIGHT, BYTES],
};

pub(super) const UNIFORM: Entry = Entry {
    name: "uniform",
    summary: "every task to every other with equal probability: uniform random traffic",
    doc: "1/(n-1) from each of n tasks to each other, or 1/n with self=true (some simulators draw the sender too). One \
          uniform block.",
    example: "uniform",
    params: &[TASKS, param("self", "true|false", "false", "whether a task may draw itself"), BYTES],
};

pub(super) fn alltoall(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let n = tasks(reader, context)?;
    whole(n, &Size::read(reader)?, n, true)
}

pub(super) fn uniform(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let n = tasks(reader, context)?;
    let to_self = reader.or("self", false)?;
    whole(n, &Size::of_edges(reader)?, if to_self { n } else { n.max(2) - 1 }, to_self)
}

fn whole(n: u32, size: &Size, partners: u32, to_self: bool) -> Result<Traffic> {
    let amount = size.amount(1.0 / f64::from(partners));
    let block = Block { sources: TaskSet::all(n), destinations: TaskSet::all(n), amount, to_self };
    Ok(Demand::new(n, size.unit, Vec::new(), vec![block])?.into())
}
