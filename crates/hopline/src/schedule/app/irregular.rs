//! Molecular dynamics with a cutoff and a distributed FFT, as in NAMD.

use super::super::{Builder, Bytes, Limit, Made, Schedule};
use super::{COMPUTE, collective, compute, ranks_of};
use crate::demand::Grid;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::params::{Reader, Sizes};
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "namd",
    summary: "cutoff neighbours in 3-D and the FFT of particle-mesh Ewald",
    doc: "Ranks own the patches of a periodic 3-D grid. In every step a rank sends `bytes` to all of the up to 26 patches that touch \
          its own and gets as much. Every `pme`-th rank owns a slab of charges: the ranks after it up to the next owner send it \
          `pme_bytes`, the owners swap as much pairwise (the transpose of the FFT), and the forces go back.\n\
          Source of the pattern: Bhatele et al., IPDPS 2009; Phillips et al., SC 2002.",
    example: "namd:grid=4x4x4,bytes=8K,steps=2",
    params: &[
        param("grid", "sizes", "", "patches along each of three dimensions"),
        param("bytes", "bytes", "8K", "to each neighbour"),
        param("pme", "count", "4", "ranks per slab"),
        param("pme_bytes", "bytes", "4K", "charges, forces and blocks of the transpose"),
        param("steps", "count", "10", "steps"),
        COMPUTE,
    ],
};

/// Molecular dynamics: see [the list](super::super::LIST).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Namd {
    /// Patches along each of three dimensions.
    pub grid: Vec<u32>,
    /// To each neighbour.
    pub bytes: u64,
    /// Ranks per slab.
    pub pme: u32,
    /// Charges, forces and blocks of the transpose.
    pub pme_bytes: u64,
    /// Steps.
    pub steps: u32,
    /// Nanoseconds of computation in a step.
    pub compute: u64,
}

impl Namd {
    /// Ten steps with 8 KiB to each neighbour, four ranks per slab, 4 KiB of charges and no computation; fields say otherwise.
    pub fn new(grid: [u32; 3]) -> Namd {
        Namd { grid: grid.to_vec(), bytes: 8192, pme: 4, pme_bytes: 4096, steps: 10, compute: 0 }
    }

    /// Draws it.
    ///
    /// # Errors
    /// The grid has other than three dimensions, a slab no rank or more than there are, or it is larger than the limit.
    pub fn schedule(&self, limit: Limit) -> Result<Schedule> {
        let ranks = ranks_of(&Grid { sizes: self.grid.clone(), wrap: true }, limit)?;
        let [x, y, z] = self.grid[..] else { return Err(Error::argument("grid", "expected three dimensions")) };
        let (pme, charges) = (self.pme, self.pme_bytes);
        if pme == 0 || pme > ranks {
            return Err(Error::argument("pme", format!("{pme} ranks per slab, expected 1 to {ranks}")));
        }
        let mut b = Builder::within(ranks, limit);
        compute(&mut b, self.compute);
        for rank in 0..ranks {
            let at = [rank / (y * z), rank / z % y, rank % z];
            let near = |x: u32, n: u32| if n == 1 { vec![x] } else { vec![(x + n - 1) % n, x, (x + 1) % n] };
            let mut others: Vec<u32> = Vec::new();
            for i in near(at[0], x) {
                for j in near(at[1], y) {
                    others.extend(near(at[2], z).into_iter().map(|k| (i * y + j) * z + k));
                }
            }
            others.sort_unstable();
            others.dedup();
            for other in others.into_iter().filter(|&o| o != rank) {
                b.recv(rank, other, self.bytes, 0);
                b.send(rank, other, self.bytes, 0);
            }
        }
        (0..ranks).for_each(|rank| b.wait(rank));
        let owners: Vec<u32> = (0..ranks).step_by(pme as usize).collect();
        let members = |owner: u32| owner + 1..(owner + pme).min(ranks);
        for &owner in &owners {
            for rank in members(owner) {
                b.send(rank, owner, charges, 1);
                b.recv(owner, rank, charges, 1);
            }
        }
        collective(&mut b, "pairwise", &owners, charges)?;
        for &owner in &owners {
            for rank in members(owner) {
                b.send(owner, rank, charges, 2);
                b.recv(rank, owner, charges, 2);
            }
        }
        b.finish()?.repeat(self.steps)
    }
}

pub(in crate::schedule) fn make(reader: &Reader, _: &Context<'_>, limit: Limit) -> Result<Made> {
    let Sizes(grid) = reader.need("grid")?;
    let mut app = Namd { grid, ..Namd::new([1; 3]) };
    app.pme = reader.or("pme", app.pme)?;
    app.bytes = reader.or("bytes", Bytes(app.bytes))?.0;
    app.pme_bytes = reader.or("pme_bytes", Bytes(app.pme_bytes))?.0;
    app.compute = reader.or("compute", app.compute)?;
    app.steps = reader.or("steps", app.steps)?;
    Ok(reader.made(app.schedule(limit))?.into())
}
