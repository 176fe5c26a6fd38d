//! IS: an integer sort.

use super::super::super::{Builder, Limit, Made, Schedule};
use super::super::{COMPUTE, RANKS, collective_of_all, compute};
use super::{CLASS, Class, ITERATIONS, Nas, made};
use crate::entry::Entry;
use crate::error::Result;
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "is",
    summary: "NAS IS: counts are summed, then keys go to their buckets",
    doc: "In every iteration an allreduce of the 1024 bucket counts and 5 test values (4116 bytes), an alltoall of 4 bytes, and an \
          alltoall of the keys, as if evenly spread: 4*keys/ranks^2 bytes for each pair. Keys are 2^16, 2^20, 2^23, 2^25, 2^27, \
          2^31 for S to D.\n\
          Source: NPB3.3-MPI, IS/is.c.",
    example: "is:class=S,ranks=16",
    params: &[CLASS, RANKS, ITERATIONS, COMPUTE],
};

impl Nas {
    /// IS: an integer sort, on a power of two of ranks.
    pub fn is(class: Class, ranks: u32) -> Nas {
        Nas::new(draw, class, ranks)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    made(Nas::is, reader, context, limit)
}

fn draw(nas: &Nas, limit: Limit) -> Result<Schedule> {
    let ranks = nas.ranks;
    nas.power("is")?;
    let log = nas.of_class([16u32, 20, 23, 25, 27, 31]);
    let times = nas.times([10; 6]);
    let mut b = Builder::within(ranks, limit);
    compute(&mut b, nas.compute);
    collective_of_all(&mut b, "allreduce-doubling", 4116)?;
    collective_of_all(&mut b, "bruck", 4)?;
    collective_of_all(&mut b, "pairwise", (4u64 << log) / u64::from(ranks).pow(2))?;
    b.finish()?.repeat(times)
}
