//! CG: conjugate gradient with a sparse matrix on a grid of ranks.

use super::super::super::{Builder, Limit, Made, Schedule};
use super::super::{COMPUTE, RANKS, compute, swap};
use super::{CLASS, Class, ITERATIONS, Nas, made};
use crate::entry::Entry;
use crate::error::Result;
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "cg",
    summary: "NAS CG: sums within rows and a transpose, with dot products between",
    doc: "A power of two of ranks as R rows and C columns, C = R or 2R. Each of 25 inner steps sums a vector of n/R numbers within \
          rows (log2(C) swaps), hands it to the transposed rank, and sums two dot products within rows (8 bytes each swap); \
          an outer iteration ends with a residual and two norms. n is 1400, 7000, 14000, 75000, 150000, 1500000 for S to D.\n\
          Source: NPB3.3-MPI, CG/cg.f.",
    example: "cg:class=S,ranks=16",
    params: &[CLASS, RANKS, ITERATIONS, COMPUTE],
};

impl Nas {
    /// CG: a conjugate gradient with a sparse matrix, on a power of two of ranks.
    pub fn cg(class: Class, ranks: u32) -> Nas {
        Nas::new(draw, class, ranks)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    made(Nas::cg, reader, context, limit)
}

fn draw(nas: &Nas, limit: Limit) -> Result<Schedule> {
    let ranks = nas.ranks;
    let log = nas.power("cg")?;
    let n = nas.of_class([1400u64, 7000, 14_000, 75_000, 150_000, 1_500_000]);
    let times = nas.times([15, 15, 15, 75, 75, 100]);
    let layout = Layout { ranks, columns: 1 << log.div_ceil(2), rows: 1 << (log / 2), n, limit };
    let inner = layout.body(nas.compute, |b| {
        layout.product(b);
        layout.dots(b, 2);
    })?;
    // The first residual norm, then after the steps a product, its norm, and the two norms of the outer loop in one.
    let first = layout.body(0, |b| layout.dots(b, 1))?;
    let last = layout.body(0, |b| {
        layout.product(b);
        layout.dots(b, 1);
        layout.sums(b, 16);
    })?;
    first.then(inner.repeat(25)?)?.then(last)?.repeat(times)
}

struct Layout {
    ranks: u32,
    columns: u32,
    rows: u32,
    n: u64,
    limit: Limit,
}

impl Layout {
    fn body(&self, nanos: u64, draw: impl FnOnce(&mut Builder)) -> Result<Schedule> {
        let mut b = Builder::within(self.ranks, self.limit);
        compute(&mut b, nanos);
        draw(&mut b);
        b.finish()
    }

    /// Sums of `bytes` within rows by recursive doubling.
    fn sums(&self, b: &mut Builder, bytes: u64) {
        for hop in (0..31).map(|i| 1u32 << i).take_while(|&hop| hop < self.columns) {
            (0..self.ranks).for_each(|r| swap(b, r, r ^ hop, r ^ hop, bytes));
        }
    }

    fn dots(&self, b: &mut Builder, count: u32) {
        (0..count).for_each(|_| self.sums(b, 8));
    }

    /// A product: sums within rows, then the transpose.
    fn product(&self, b: &mut Builder) {
        if self.columns == 1 {
            return;
        }
        let bytes = 8 * self.n / u64::from(self.rows);
        self.sums(b, bytes);
        for r in 0..self.ranks {
            // With twice as many columns two neighbours share a transposed pair.
            let part = self.columns / self.rows;
            let transposed = |r: u32| {
                let pair = r / part;
                ((pair % self.rows) * self.rows + pair / self.rows) * part + r % part
            };
            swap(b, r, transposed(r), transposed(r), 8 * self.n / u64::from(self.columns));
        }
    }
}
