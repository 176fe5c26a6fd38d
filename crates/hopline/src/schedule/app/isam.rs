//! A data-parallel program that is silent between its start and its end.

use super::super::{Builder, Bytes, Limit, Made};
use super::{RANKS, collective_of_all, compute, ranks};
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

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let bytes = reader.or("bytes", Bytes(1 << 20))?.0;
    let mut b = Builder::within(ranks(reader, context, limit)?, limit);
    collective_of_all(&mut b, "knomial", bytes)?;
    compute(&mut b, reader.or("compute", 1_000_000_000)?);
    collective_of_all(&mut b, "reduce-knomial", bytes)?;
    Ok(b.finish()?.into())
}
