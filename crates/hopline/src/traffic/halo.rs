//! Nearest neighbours on a grid of any dimension.

use super::amount::sends;
use super::{Amount, BYTES, Context, Traffic, WEIGHT, checked_grid, grid};
use crate::demand::{Demand, Grid};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "halo",
    summary: "nearest neighbours on a grid: 2-D 5-point, 3-D 7-point, ...",
    doc: "Task (i, j, ...) has row-major rank i*Q + j in a P x Q grid and sends to its two neighbours in every dimension, \
          1/(number of neighbours) each. With wrap=true the grid is a torus (the PERCS paper's tables); else tasks at the \
          border have fewer neighbours. In a wrapped dimension of extent 2 both neighbours are one task, which gets \
          twice as much; extent 1 has none.\nSource: the PERCS mapping paper, sections I and III.",
    example: "halo:grid=64x64",
    params: &[
        param("grid", "sizes", "the squarest of one task per slot", "tasks along each dimension"),
        param("wrap", "true|false", "true", "whether the ends of a dimension are neighbours"),
        WEIGHT,
        BYTES,
    ],
};

/// Nearest neighbours on a grid: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Halo {
    grid: Grid,
    amount: Amount,
}

sends!(Halo by bytes and edges);

impl Halo {
    /// On a grid of these sizes, row-major, whose ends are neighbours. Each task sends one unit in all.
    ///
    /// # Errors
    /// There is no size, one is 0, or there are more than 16 million tasks.
    pub fn new(sizes: &[u32]) -> Result<Halo> {
        Ok(Halo { grid: checked_grid(sizes, true)?, amount: Amount::default() })
    }

    /// The same where the ends of a dimension are neighbours or not.
    #[must_use]
    pub fn wrap(mut self, wrap: bool) -> Halo {
        self.grid.wrap = wrap;
        self
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Halo> {
        let wrap = reader.or("wrap", true)?;
        let halo = Halo::new(&grid(reader, context)?)?.wrap(wrap);
        Ok(Halo { amount: Amount::read(reader)?, ..halo })
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("grid", &self.grid.sizes[..]);
        self.amount.write(params.unless("wrap", self.grid.wrap, true))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let Halo { grid, amount } = self;
        let tasks = grid.tasks().unwrap_or(0);
        let mut entries = Vec::with_capacity(tasks as usize * grid.sizes.len() * 2);
        let mut partners = Vec::new();
        for task in 0..tasks {
            partners.clear();
            grid.neighbours(task, |other| partners.push(other));
            let amount = amount.of(1.0 / partners.len() as f64);
            entries.extend(partners.iter().map(|&p| (task, p, amount)));
        }
        Ok(Demand::new(tasks, amount.unit(), entries, Vec::new())?.with_grid(grid).into())
    }
}
