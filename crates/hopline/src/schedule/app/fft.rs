//! A 3-D FFT on a grid of pencils: transposes within rows, then within columns.

use super::super::{Builder, Bytes, Limit, Made, Schedule};
use super::{COMPUTE, collective, compute, ranks_of};
use crate::demand::Grid;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::params::{Reader, Sizes};
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "fft",
    summary: "transposes of an FFT in pencils: alltoall in every row, then in every column",
    doc: "Ranks form a grid of P rows and Q columns (rank = i*Q + j). In every step the ranks of a row swap `bytes` pairwise, then \
          those of a column: the two transposes of a 3-D FFT in pencils, or the Transpose pattern of the PERCS paper.",
    example: "fft:grid=8x8,bytes=16K,steps=4",
    params: &[
        param("grid", "sizes", "", "rows and columns"),
        param("bytes", "bytes", "16K", "from each rank to each other of its row or column"),
        param("steps", "count", "1", "steps"),
        COMPUTE,
    ],
};

/// Transposes of an FFT in pencils: see [the list](super::super::LIST).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fft {
    /// Rows and columns.
    pub grid: Vec<u32>,
    /// From each rank to each other of its row or column.
    pub bytes: u64,
    /// Steps.
    pub steps: u32,
    /// Nanoseconds of computation in a step.
    pub compute: u64,
}

impl Fft {
    /// One step with 16 KiB for each other rank and no computation; fields say otherwise.
    pub fn new(rows: u32, columns: u32) -> Fft {
        Fft { grid: vec![rows, columns], bytes: 16384, steps: 1, compute: 0 }
    }

    /// Draws it.
    ///
    /// # Errors
    /// The grid has other than two dimensions, or it is larger than the limit.
    pub fn schedule(&self, limit: Limit) -> Result<Schedule> {
        let ranks = ranks_of(&Grid { sizes: self.grid.clone(), wrap: false }, limit)?;
        let [rows, columns] = self.grid[..] else {
            return Err(Error::argument("grid", "expected a grid of rows and columns"));
        };
        let mut b = Builder::within(ranks, limit);
        compute(&mut b, self.compute);
        for i in 0..rows {
            let row: Vec<u32> = (0..columns).map(|j| i * columns + j).collect();
            collective(&mut b, "pairwise", &row, self.bytes)?;
        }
        for j in 0..columns {
            let column: Vec<u32> = (0..rows).map(|i| i * columns + j).collect();
            collective(&mut b, "pairwise", &column, self.bytes)?;
        }
        b.finish()?.repeat(self.steps)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, _: &Context<'_>, limit: Limit) -> Result<Made> {
    let Sizes(grid) = reader.need("grid")?;
    let mut app = Fft { grid, ..Fft::new(1, 1) };
    app.bytes = reader.or("bytes", Bytes(app.bytes))?.0;
    app.compute = reader.or("compute", app.compute)?;
    app.steps = reader.or("steps", app.steps)?;
    Ok(reader.made(app.schedule(limit))?.into())
}
