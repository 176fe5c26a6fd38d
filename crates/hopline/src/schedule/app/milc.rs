//! A conjugate gradient on a 4-D lattice, as in MILC.

use super::super::{Builder, Bytes, Limit, Made};
use super::collective_of_all;
use super::halo::step;
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

pub(in crate::schedule) fn make(reader: &Reader, _: &Context<'_>, limit: Limit) -> Result<Made> {
    let Sizes(sizes) = reader.need("grid")?;
    let grid = Grid { sizes, wrap: true };
    let ranks = super::super::ranks_of(reader, &grid, limit)?;
    let (Bytes(bytes), compute) = (reader.or("bytes", Bytes(24 << 10))?, reader.or("compute", 0u64)?);
    let mut b = Builder::within(ranks, limit);
    (0..ranks).for_each(|rank| step(&mut b, &grid, rank, bytes, compute));
    for _ in 0..2 {
        collective_of_all(&mut b, "allreduce-doubling", 8)?;
    }
    Ok(b.finish()?.repeat(reader.or("steps", 10)?)?.into())
}
