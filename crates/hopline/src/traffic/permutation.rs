//! Patterns in which every task has one partner.

use super::{BYTES, Context, Size, TASKS, Traffic, group_size, tasks};
use crate::demand::Demand;
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::Reader;

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

pub(super) fn complement(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let n = tasks(reader, context)?;
    permute(n, &Size::of_edges(reader)?, |k| n - 1 - k)
}

pub(super) fn shift(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let n = tasks(reader, context)?;
    let by = match reader.get::<u32>("by")? {
        Some(by) => u64::from(by),
        None => u64::from(reader.or::<u32>("groups", 1)?) * u64::from(group_size(reader, context)?),
    };
    permute(n, &Size::of_edges(reader)?, |k| ((u64::from(k) + by) % u64::from(n)) as u32)
}

fn permute(n: u32, size: &Size, partner: impl Fn(u32) -> u32) -> Result<Traffic> {
    let entries = (0..n).map(|k| (k, partner(k), size.amount(1.0))).collect();
    Ok(Demand::new(n, size.unit, entries, Vec::new())?.into())
}
