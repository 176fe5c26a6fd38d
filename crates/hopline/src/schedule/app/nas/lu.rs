//! LU: a wavefront over planes, there and back.

use super::super::super::{Builder, Limit, Made, Schedule};
use super::super::{COMPUTE, RANKS, compute};
use super::{CLASS, Class, ITERATIONS, Nas, made};
use crate::entry::Entry;
use crate::error::Result;
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "lu",
    summary: "NAS LU: pipelined sweeps over the planes of a 2-D grid of ranks, and halos",
    doc: "A power of two of ranks as R rows and C columns, C = R or 2R. For each of the n-2 planes a rank waits for north and west \
          and then sends 40*n/R and 40*n/C bytes to south and east; then back the same way; then it swaps two layers of its \
          faces (80*n*n/R and 80*n*n/C bytes) with its neighbours. n is 12, 33, 64, 102, 162, 408 for S to D.\n\
          Source: NPB3.3-MPI, LU/exchange_1.f, exchange_3.f.",
    example: "lu:class=S,ranks=16,iterations=2",
    params: &[CLASS, RANKS, ITERATIONS, COMPUTE],
};

impl Nas {
    /// LU: a wavefront over planes, there and back, on a power of two of ranks.
    pub fn lu(class: Class, ranks: u32) -> Nas {
        Nas::new(draw, class, ranks)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    made(Nas::lu, reader, context, limit)
}

fn draw(nas: &Nas, limit: Limit) -> Result<Schedule> {
    let ranks = nas.ranks;
    let log = nas.power("lu")?;
    let n = nas.of_class([12u64, 33, 64, 102, 162, 408]);
    let times = nas.times([50, 300, 250, 250, 250, 300]);
    let (rows, columns) = (1u32 << (log / 2), 1u32 << log.div_ceil(2));
    let grid = Grid { rows, columns, n };
    let mut b = Builder::within(ranks, limit);
    compute(&mut b, nas.compute);
    for back in [false, true] {
        for _ in 0..n - 2 {
            (0..ranks).for_each(|rank| grid.sweep(&mut b, rank, back));
        }
    }
    (0..ranks).for_each(|rank| grid.faces(&mut b, rank));
    b.finish()?.repeat(times)
}

struct Grid {
    rows: u32,
    columns: u32,
    n: u64,
}

impl Grid {
    /// North, south, west and east of a rank, with the length of the border between.
    fn around(&self, rank: u32) -> [Option<(u32, u64)>; 4] {
        let (i, j) = (rank / self.columns, rank % self.columns);
        let (across, along) = (self.n / u64::from(self.columns), self.n / u64::from(self.rows));
        [
            (i > 0).then(|| (rank - self.columns, across)),
            (i + 1 < self.rows).then(|| (rank + self.columns, across)),
            (j > 0).then(|| (rank - 1, along)),
            (j + 1 < self.columns).then(|| (rank + 1, along)),
        ]
    }

    /// One plane: from north and west to south and east, or back.
    fn sweep(&self, b: &mut Builder, rank: u32, back: bool) {
        let [north, south, west, east] = self.around(rank);
        let (from, to) = if back { ([south, east], [north, west]) } else { ([north, west], [south, east]) };
        for (other, length) in from.into_iter().flatten() {
            b.recv(rank, other, 40 * length, 0);
        }
        b.wait(rank);
        for (other, length) in to.into_iter().flatten() {
            b.send(rank, other, 40 * length, 0);
        }
        b.wait(rank);
    }

    fn faces(&self, b: &mut Builder, rank: u32) {
        for (other, length) in self.around(rank).into_iter().flatten() {
            b.recv(rank, other, 80 * length * self.n, 0);
            b.send(rank, other, 80 * length * self.n, 0);
        }
        b.wait(rank);
    }
}
