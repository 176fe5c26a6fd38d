//! Patterns in which every task has one partner.

use super::amount::sends;
use super::{Amount, BYTES, Context, TASKS, Traffic, checked_tasks, group_size, tasks};
use crate::demand::Demand;
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{Params, Reader};

pub(super) const COMPLEMENT: Entry = Entry {
    name: "bit-complement",
    summary: "task k to task n-1-k",
    doc: "Task k of n sends its unit to task n-1-k; n need not be a power of two.\n\
          Source: the Dragonfly imbalance paper, section IV-A.",
    example: "bit-complement",
    params: &[TASKS, BYTES],
};

pub(super) const SHIFT: Entry = Entry {
    name: "shift",
    summary: "task k to task k + m groups, or k + by",
    doc: "Task k of n sends its unit to task (k + m*G) mod n, where G is the number of slots in a part of the outermost \
          level (a group, a supernode); by=B shifts by B tasks instead.\n\
          Source: the Dragonfly imbalance paper, section IV-A.",
    example: "shift:groups=3",
    params: &[
        param("groups", "count", "1", "how many groups further"),
        param("by", "count", "groups x size of a group", "how many tasks further"),
        TASKS,
        BYTES,
    ],
};

/// Task k to task n-1-k: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitComplement {
    tasks: u32,
    amount: Amount,
}

sends!(BitComplement by bytes);

impl BitComplement {
    /// Of so many tasks, each of which sends one unit.
    ///
    /// # Errors
    /// There are none, or more than 16 million.
    pub fn new(tasks: u32) -> Result<BitComplement> {
        Ok(BitComplement { tasks: checked_tasks(tasks)?, amount: Amount::default() })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<BitComplement> {
        Ok(BitComplement { amount: Amount::of_edges(reader)?, ..BitComplement::new(tasks(reader, context)?)? })
    }

    pub(super) fn params(&self) -> Params {
        self.amount.write(Params::named(COMPLEMENT.name).with("tasks", self.tasks))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        permute(self.tasks, &self.amount, |k| self.tasks - 1 - k)
    }
}

/// Task k to task k + by: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shift {
    tasks: u32,
    by: u32,
    amount: Amount,
}

sends!(Shift by bytes);

impl Shift {
    /// Of so many tasks, each of which sends one unit to the task `by` further on, around the end.
    ///
    /// # Errors
    /// There are no tasks, or more than 16 million.
    pub fn new(tasks: u32, by: u32) -> Result<Shift> {
        let tasks = checked_tasks(tasks)?;
        Ok(Shift { tasks, by: by % tasks, amount: Amount::default() })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Shift> {
        let tasks = checked_tasks(tasks(reader, context)?)?;
        let by = match reader.get::<u32>("by")? {
            Some(by) => u64::from(by),
            None => u64::from(reader.or::<u32>("groups", 1)?) * u64::from(group_size(context)?),
        };
        let shift = Shift::new(tasks, (by % u64::from(tasks)) as u32)?;
        Ok(Shift { amount: Amount::of_edges(reader)?, ..shift })
    }

    pub(super) fn params(&self) -> Params {
        self.amount.write(Params::named(SHIFT.name).with("by", self.by).with("tasks", self.tasks))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let (by, n) = (u64::from(self.by), u64::from(self.tasks));
        permute(self.tasks, &self.amount, |k| ((u64::from(k) + by) % n) as u32)
    }
}

fn permute(n: u32, amount: &Amount, partner: impl Fn(u32) -> u32) -> Result<Traffic> {
    let entries = (0..n).map(|k| (k, partner(k), amount.of(1.0))).collect();
    Ok(Demand::new(n, amount.unit(), entries, Vec::new())?.into())
}
