//! MG: V-cycles of a multigrid solver.

use super::super::super::{Builder, Limit, Made, Schedule};
use super::super::{COMPUTE, RANKS, compute};
use super::{CLASS, Class, ITERATIONS, Nas, made};
use crate::demand::Grid;
use crate::entry::Entry;
use crate::error::Result;
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "mg",
    summary: "NAS MG: halos of a 3-D grid on every level of a V-cycle",
    doc: "A power of two of ranks as a periodic 3-D grid, as cubic as possible. On the way down a halo on each coarser level, on the \
          way up two on each level, and one for the residual: 3*levels-1 in an iteration. Each swaps faces with 6 neighbours, \
          dimension after dimension, numbers of 8 bytes with local sizes that halve from level to level; on coarse levels only every \
          so many ranks have points. Four halos on the finest level set up. The grids have 32, 128, 256, 256, 512, 1024 points along a side for S to D.\n\
          Source: NPB3.3-MPI, MG/mg.f (comm3).",
    example: "mg:class=S,ranks=16",
    params: &[CLASS, RANKS, ITERATIONS, COMPUTE],
};

impl Nas {
    /// MG: V-cycles of a multigrid solver, on a power of two of ranks.
    pub fn mg(class: Class, ranks: u32) -> Nas {
        Nas::new(draw, class, ranks)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    made(Nas::mg, reader, context, limit)
}

fn draw(nas: &Nas, limit: Limit) -> Result<Schedule> {
    let ranks = nas.ranks;
    let log = nas.power("mg")?;
    let levels = nas.of_class([5u32, 7, 8, 8, 9, 10]);
    let times = nas.times([4, 4, 4, 20, 20, 50]);
    // The last dimension, which runs fastest, is cut first.
    let grid = Grid { sizes: (0..3).map(|d| 1u32 << ((log + d) / 3)).collect(), wrap: true };
    let mut b = Builder::within(ranks, limit);
    compute(&mut b, nas.compute);
    let down = (1..levels).rev();
    let up = (1..=levels).flat_map(|level| if level == 1 { vec![1] } else { vec![level; 2] });
    for level in down.chain(up).chain([levels]) {
        halo(&mut b, &grid, level);
    }
    let mut begin = Builder::within(ranks, limit);
    (0..4).for_each(|_| halo(&mut begin, &grid, levels));
    begin.finish()?.then(b.finish()?.repeat(times)?)
}

/// Faces of one level, dimension after dimension. Where a level has fewer points than
/// ranks along a dimension, only every so many ranks have any.
fn halo(b: &mut Builder, grid: &Grid, level: u32) {
    let skip: Vec<u32> = grid.sizes.iter().map(|&s| (u64::from(s) >> level).max(1) as u32).collect();
    let local: Vec<u64> = grid.sizes.iter().map(|&s| ((1u64 << level) / u64::from(s)).max(1)).collect();
    let stride = [grid.sizes[1] * grid.sizes[2], grid.sizes[2], 1];
    let x = |rank: u32, d: usize| rank / stride[d] % grid.sizes[d];
    for d in (0..3).rev() {
        // Borders that were swapped before are sent on.
        let side = |e: usize| if e > d { local[e] + 2 } else { local[e] };
        let face = 8 * (0..3).filter(|&e| e != d).map(side).product::<u64>();
        let size = grid.sizes[d];
        for rank in (0..b.ranks()).filter(|&r| (0..3).all(|e| x(r, e).is_multiple_of(skip[e]))) {
            let at = |y: u32| rank - x(rank, d) * stride[d] + y * stride[d];
            for other in [at((x(rank, d) + skip[d]) % size), at((x(rank, d) + size - skip[d]) % size)] {
                if other != rank {
                    b.recv(rank, other, face, 0);
                    b.send(rank, other, face, 0);
                }
            }
            b.wait(rank);
        }
    }
}
