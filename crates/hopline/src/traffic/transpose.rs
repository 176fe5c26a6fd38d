//! Every task with all of its row and all of its column.

use super::amount::sends;
use super::{Amount, BYTES, Context, Traffic, WEIGHT, checked_grid, grid};
use crate::demand::{Block, Demand, Grid, TaskSet};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "transpose",
    summary: "2-D grid: every task with all of its row and all of its column",
    doc: "On a P x Q grid each task sends 1/(2Q) to every task of its row and 1/(2P) to every task of its column, itself \
          included in both (that part costs no link). P + Q uniform blocks.\n\
          Source: the PERCS mapping paper, section III.",
    example: "transpose:grid=64x64",
    params: &[param("grid", "sizes", "the squarest of one task per slot", "rows x columns"), WEIGHT, BYTES],
};

/// All of a task's row and column: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transpose {
    grid: Grid,
    amount: Amount,
}

sends!(Transpose by bytes and edges);

impl Transpose {
    /// On a grid of so many rows and columns. Each task sends one unit in all.
    ///
    /// # Errors
    /// One of both is 0, or there are more than 16 million tasks.
    pub fn new(rows: u32, columns: u32) -> Result<Transpose> {
        Ok(Transpose { grid: checked_grid(&[rows, columns], false)?, amount: Amount::default() })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Transpose> {
        let sizes = grid(reader, context)?;
        let [rows, columns] = sizes[..] else {
            return Err(reader.wrong("grid", format!("{} sizes, expected rows x columns", sizes.len())));
        };
        Ok(Transpose { amount: Amount::read(reader)?, ..Transpose::new(rows, columns)? })
    }

    pub(super) fn params(&self) -> Params {
        self.amount.write(Params::named(ENTRY.name).with("grid", &self.grid.sizes[..]))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let (p, q) = (self.grid.sizes[0], self.grid.sizes[1]);
        let block = |set: TaskSet| Block {
            amount: self.amount.of(0.5 / f64::from(set.len())),
            sources: set.clone(),
            destinations: set,
            to_self: true,
        };
        let rows = (0..p).map(|i| block(TaskSet::Range { first: i * q, count: q, step: 1 }));
        let columns = (0..q).map(|j| block(TaskSet::Range { first: j, count: p, step: q }));
        let demand = Demand::new(p * q, self.amount.unit(), Vec::new(), rows.chain(columns).collect())?;
        Ok(demand.with_grid(self.grid).into())
    }
}
