//! A data-parallel program that is silent between its start and its end.

use super::super::{Builder, Bytes, Limit, Made, Schedule};
use super::{RANKS, checked, collective_of_all, compute};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "isam",
    summary: "data parallel: inputs are broadcast, all compute, results are reduced",
    doc: "A broadcast of `bytes` (k-nomial, k=4), `compute` nanoseconds without a message, a reduction of as many bytes: the shape of \
          ISAM, the climate model of the power paper, whose network is idle while it runs.",
    example: "isam:bytes=1M,compute=1000000,ranks=64",
    params: &[
        param("bytes", "bytes", "1M", "of the inputs and of the results"),
        param("compute", "ns", "1000000000", "computation between them"),
        RANKS,
    ],
};

/// A data-parallel program: see [the list](super::super::LIST).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Isam {
    /// How many there are.
    pub ranks: u32,
    /// Of the inputs and of the results.
    pub bytes: u64,
    /// Nanoseconds of computation between them.
    pub compute: u64,
}

impl Isam {
    /// A second between 1 MiB of inputs and 1 MiB of results; fields say otherwise.
    pub fn new(ranks: u32) -> Isam {
        Isam { ranks, bytes: 1 << 20, compute: 1_000_000_000 }
    }

    /// Draws it.
    ///
    /// # Errors
    /// It has no ranks, or is larger than the limit.
    pub fn schedule(&self, limit: Limit) -> Result<Schedule> {
        let mut b = Builder::within(checked(self.ranks, limit)?, limit);
        collective_of_all(&mut b, "knomial", self.bytes)?;
        compute(&mut b, self.compute);
        collective_of_all(&mut b, "reduce-knomial", self.bytes)?;
        b.finish()
    }
}

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let mut app = Isam::new(reader.or("ranks", context.slots)?);
    app.bytes = reader.or("bytes", Bytes(app.bytes))?.0;
    app.compute = reader.or("compute", app.compute)?;
    Ok(reader.made(app.schedule(limit))?.into())
}
