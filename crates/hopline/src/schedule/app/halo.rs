//! Steps of a halo exchange on a grid of any dimension.

use super::super::{Builder, Bytes, Limit, Made, Schedule};
use super::ranks_of;
use crate::demand::Grid;
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{Reader, Sizes};
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "halo-steps",
    summary: "compute, then swap borders with the neighbours of a grid, step after step",
    doc: "In every step a rank computes for `compute` nanoseconds and then sends `bytes` to each of its neighbours and \
          receives as much from each: 4 on a 2-D grid, 6 on a 3-D, 8 on a 4-D grid (row-major, the last size fastest; \
          wrap=true joins the ends). The next step begins when all are there. Receives are posted while it computes.",
    example: "halo-steps:grid=4x4x4,bytes=8K,steps=10",
    params: &[
        param("grid", "sizes", "", "ranks along each dimension"),
        param("bytes", "bytes", "8K", "to each neighbour"),
        param("steps", "count", "10", "steps"),
        param("compute", "ns", "0", "computation of a step"),
        param("wrap", "true|false", "true", "whether the ends are neighbours"),
    ],
};

/// Steps of a halo exchange: see [the list](super::super::LIST).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HaloSteps {
    /// Ranks along each dimension.
    pub grid: Vec<u32>,
    /// Whether the ends are neighbours.
    pub wrap: bool,
    /// To each neighbour.
    pub bytes: u64,
    /// Steps.
    pub steps: u32,
    /// Nanoseconds of computation in a step.
    pub compute: u64,
}

impl HaloSteps {
    /// Ten steps on a closed grid, with 8 KiB to each neighbour and no computation; fields say otherwise.
    pub fn new(grid: &[u32]) -> HaloSteps {
        HaloSteps { grid: grid.to_vec(), wrap: true, bytes: 8192, steps: 10, compute: 0 }
    }

    /// Draws it.
    ///
    /// # Errors
    /// It is larger than the limit.
    pub fn schedule(&self, limit: Limit) -> Result<Schedule> {
        let grid = Grid { sizes: self.grid.clone(), wrap: self.wrap };
        let ranks = ranks_of(&grid, limit)?;
        let mut b = Builder::within(ranks, limit);
        for rank in 0..ranks {
            step(&mut b, &grid, rank, self.bytes, self.compute);
        }
        b.finish()?.repeat(self.steps)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, _: &Context<'_>, limit: Limit) -> Result<Made> {
    let Sizes(grid) = reader.need("grid")?;
    let mut app = HaloSteps::new(&grid);
    app.wrap = reader.or("wrap", app.wrap)?;
    app.bytes = reader.or("bytes", Bytes(app.bytes))?.0;
    app.compute = reader.or("compute", app.compute)?;
    app.steps = reader.or("steps", app.steps)?;
    Ok(reader.made(app.schedule(limit))?.into())
}

/// One step of one rank.
pub(super) fn step(b: &mut Builder, grid: &Grid, rank: u32, bytes: u64, compute: u64) {
    let work = (compute > 0).then(|| b.compute(rank, compute));
    // Where a dimension has two ranks both directions lead to the same one: its messages meet in order.
    grid.neighbours(rank, |other| {
        b.recv(rank, other, bytes, 0);
        let sent = b.send(rank, other, bytes, 0);
        if let Some(work) = work {
            b.requires(sent, work);
        }
    });
}
