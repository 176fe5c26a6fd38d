//! Everyone to everyone.

use super::amount::sends;
use super::{Amount, BYTES, Context, TASKS, Traffic, WEIGHT, checked_tasks, tasks};
use crate::demand::{Block, Demand, TaskSet};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{Params, Reader};

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

/// Everyone to everyone, itself included: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllToAll {
    tasks: u32,
    amount: Amount,
}

sends!(AllToAll by bytes and edges);

impl AllToAll {
    /// Of so many tasks, each of which sends one unit in all.
    ///
    /// # Errors
    /// There are none, or more than 16 million.
    pub fn new(tasks: u32) -> Result<AllToAll> {
        Ok(AllToAll { tasks: checked_tasks(tasks)?, amount: Amount::default() })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<AllToAll> {
        Ok(AllToAll { amount: Amount::read(reader)?, ..AllToAll::new(tasks(reader, context)?)? })
    }

    pub(super) fn params(&self) -> Params {
        self.amount.write(Params::named(ALLTOALL.name).with("tasks", self.tasks))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        whole(self.tasks, &self.amount, self.tasks, true)
    }
}

/// Uniform random traffic: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uniform {
    tasks: u32,
    to_self: bool,
    amount: Amount,
}

sends!(Uniform by bytes);

impl Uniform {
    /// Of so many tasks, each of which sends one unit in all to the others.
    ///
    /// # Errors
    /// There are none, or more than 16 million.
    pub fn new(tasks: u32) -> Result<Uniform> {
        Ok(Uniform { tasks: checked_tasks(tasks)?, to_self: false, amount: Amount::default() })
    }

    /// The same where a task may draw itself or not.
    #[must_use]
    pub fn to_self(mut self, to_self: bool) -> Uniform {
        self.to_self = to_self;
        self
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Uniform> {
        let uniform = Uniform::new(tasks(reader, context)?)?.to_self(reader.or("self", false)?);
        Ok(Uniform { amount: Amount::of_edges(reader)?, ..uniform })
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(UNIFORM.name).with("tasks", self.tasks);
        self.amount.write(params.unless("self", self.to_self, false))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let n = self.tasks;
        whole(n, &self.amount, if self.to_self { n } else { n.max(2) - 1 }, self.to_self)
    }
}

fn whole(n: u32, amount: &Amount, partners: u32, to_self: bool) -> Result<Traffic> {
    let each = amount.of(1.0 / f64::from(partners));
    let block = Block { sources: TaskSet::all(n), destinations: TaskSet::all(n), amount: each, to_self };
    Ok(Demand::new(n, amount.unit(), Vec::new(), vec![block])?.into())
}
