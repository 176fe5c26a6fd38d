//! Every task with all of its row and all of its column.

use super::{BYTES, Context, Size, Traffic, WEIGHT, grid};
use crate::demand::{Block, Demand, TaskSet};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::Reader;

pub(super) const ENTRY: Entry = Entry {
    name: "transpose",
    summary: "2-D grid: every task with all of its row and all of its column",
    doc: "On a P x Q grid each task sends 1/(2Q) to every task of its row and 1/(2P) to every task of its column, itself \
          included in both (that part costs no link). P + Q uniform blocks.\n\
          Source: the PERCS mapping paper, section III.",
    example: "transpose:grid=64x64",
    params: &[param("grid", "sizes", "the squarest of one task per slot", "rows x columns"), WEIGHT, BYTES],
};

pub(super) fn make(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let grid = grid(reader, context, false)?;
    let [p, q] = grid.sizes[..] else {
        return Err(reader.wrong("grid", format!("{} sizes, expected rows x columns", grid.sizes.len())));
    };
    let size = Size::read(reader)?;
    let block = |set: TaskSet| Block {
        amount: size.amount(0.5 / f64::from(set.len())),
        sources: set.clone(),
        destinations: set,
        to_self: true,
    };
    let rows = (0..p).map(|i| block(TaskSet::Range { first: i * q, count: q, step: 1 }));
    let columns = (0..q).map(|j| block(TaskSet::Range { first: j, count: p, step: q }));
    let demand = Demand::new(p * q, size.unit, Vec::new(), rows.chain(columns).collect())?;
    Ok(demand.with_grid(grid).into())
}
