//! A conjugate gradient on a 4-D lattice, as in MILC.

use super::super::{Builder, Bytes, Limit, Made, Schedule};
use super::halo::step;
use super::{collective_of_all, ranks_of};
use crate::demand::Grid;
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{Reader, Sizes};
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "milc",
    summary: "conjugate gradient on a 4-D lattice: halos in 8 directions and a small allreduce",
    doc: "In every iteration a rank swaps `bytes` with its 8 neighbours on a periodic 4-D grid and takes part in two allreduces of \
          8 bytes (recursive doubling): the pattern of MILC's su3 solver. Without the allreduces it is halo-steps, which is \
          jacobi4d.",
    example: "milc:grid=4x2x2x4,bytes=24K,steps=10",
    params: &[
        param("grid", "sizes", "", "ranks along each of four dimensions"),
        param("bytes", "bytes", "24K", "to each neighbour"),
        param("steps", "count", "10", "iterations"),
        param("compute", "ns", "0", "computation of an iteration"),
    ],
};

/// A conjugate gradient on a lattice: see [the list](super::super::LIST).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Milc {
    /// Ranks along each dimension.
    pub grid: Vec<u32>,
    /// To each neighbour.
    pub bytes: u64,
    /// Iterations.
    pub steps: u32,
    /// Nanoseconds of computation in an iteration.
    pub compute: u64,
}

impl Milc {
    /// Ten iterations with 24 KiB to each neighbour and no computation; fields say otherwise.
    pub fn new(grid: &[u32]) -> Milc {
        Milc { grid: grid.to_vec(), bytes: 24 << 10, steps: 10, compute: 0 }
    }

    /// Draws it.
    ///
    /// # Errors
    /// It is larger than the limit.
    pub fn schedule(&self, limit: Limit) -> Result<Schedule> {
        let grid = Grid { sizes: self.grid.clone(), wrap: true };
        let ranks = ranks_of(&grid, limit)?;
        let mut b = Builder::within(ranks, limit);
        (0..ranks).for_each(|rank| step(&mut b, &grid, rank, self.bytes, self.compute));
        for _ in 0..2 {
            collective_of_all(&mut b, "allreduce-doubling", 8)?;
        }
        b.finish()?.repeat(self.steps)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, _: &Context<'_>, limit: Limit) -> Result<Made> {
    let Sizes(grid) = reader.need("grid")?;
    let mut app = Milc::new(&grid);
    app.bytes = reader.or("bytes", Bytes(app.bytes))?.0;
    app.compute = reader.or("compute", app.compute)?;
    app.steps = reader.or("steps", app.steps)?;
    Ok(reader.made(app.schedule(limit))?.into())
}
