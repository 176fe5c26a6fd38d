//! FT: a 3-D FFT in slabs.

use super::super::super::{Builder, Limit, Made, Schedule};
use super::super::{COMPUTE, RANKS, collective_of_all, compute};
use super::{CLASS, Class, ITERATIONS, Nas, made};
use crate::entry::Entry;
use crate::error::Result;
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "ft",
    summary: "NAS FT: an alltoall of the whole array in every iteration",
    doc: "Slabs: every FFT swaps all 16*nx*ny*nz bytes in one alltoall (pairwise), 16*nx*ny*nz/ranks^2 for each pair, and an \
          iteration ends with a reduction of 16 bytes. Two more FFTs set up. The arrays have 64^3, 128^2*32, 256^2*128, \
          512*256^2, 512^3, 2048*1024^2 numbers for S to D.\n\
          Source: NPB3.3-MPI, FT/ft.f (1-D layout).",
    example: "ft:class=S,ranks=16",
    params: &[CLASS, RANKS, ITERATIONS, COMPUTE],
};

impl Nas {
    /// FT: a 3-D FFT in slabs, on a power of two of ranks.
    pub fn ft(class: Class, ranks: u32) -> Nas {
        Nas::new(draw, class, ranks)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    made(Nas::ft, reader, context, limit)
}

fn draw(nas: &Nas, limit: Limit) -> Result<Schedule> {
    let ranks = nas.ranks;
    nas.power("ft")?;
    let log = nas.of_class([18u32, 19, 23, 25, 27, 31]);
    let times = nas.times([6, 6, 6, 20, 20, 25]).saturating_add(1);
    let bytes = (16u64 << log) / u64::from(ranks).pow(2);
    let mut b = Builder::within(ranks, limit);
    compute(&mut b, nas.compute);
    collective_of_all(&mut b, "pairwise", bytes)?;
    collective_of_all(&mut b, "reduce-knomial", 16)?;
    b.finish()?.repeat(times)
}
