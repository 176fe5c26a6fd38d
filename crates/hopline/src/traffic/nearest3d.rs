//! One phase of a 3-D nearest-neighbour exchange.

use super::amount::sends;
use super::{Amount, BYTES, Context, Traffic, checked_grid, slots};
use crate::demand::{Demand, Grid};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::params::{Params, Reader, Sizes};

pub(super) const ENTRY: Entry = Entry {
    name: "nearest3d",
    summary: "3-D nearest neighbours, one dimension (phase) of the exchange",
    doc: "Task (i, j, k) of an X x Y x Z grid has rank (i*Y + j)*Z + k. In phase z it sends half of its unit each to \
          (i, j, k+1) and (i, j, k-1), in phases y and x to those along j and i, around the ends; x pairs the most distant \
          ranks, Y*Z apart. Two neighbours that are one task get both halves. Without grid= the sizes are the most even \
          ones whose product is the number of slots.\n\
          Source: the Dragonfly imbalance paper, section IV-A.",
    example: "nearest3d:phase=x",
    params: &[
        param("grid", "sizes", "the most even of one task per slot", "tasks along x, y and z"),
        param("phase", "x|y|z", "x", "the dimension that is exchanged"),
        BYTES,
    ],
};

/// A dimension of the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The slowest: it pairs the most distant ranks.
    X,
    /// The middle one.
    Y,
    /// That of consecutive ranks.
    Z,
}

const PHASES: [(Phase, &str); 3] = [(Phase::X, "x"), (Phase::Y, "y"), (Phase::Z, "z")];

/// One phase of a 3-D nearest-neighbour exchange: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearest3d {
    grid: Grid,
    phase: Phase,
    amount: Amount,
}

sends!(Nearest3d by bytes);

impl Nearest3d {
    /// On a grid of these sizes along x, y and z. Each task sends one unit in all.
    ///
    /// # Errors
    /// A size is 0, or there are more than 16 million tasks.
    pub fn new(sizes: [u32; 3], phase: Phase) -> Result<Nearest3d> {
        Ok(Nearest3d { grid: checked_grid(&sizes, true)?, phase, amount: Amount::default() })
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Nearest3d> {
        let sizes = match reader.get::<Sizes>("grid")? {
            Some(Sizes(sizes)) => <[u32; 3]>::try_from(sizes)
                .map_err(|sizes| Error::argument("grid", format!("`grid` has {} sizes, expected 3", sizes.len())))?,
            None => most_even(slots(context, "grid")?.max(1)),
        };
        let phase = PHASES[reader.choice("phase", &PHASES.map(|p| p.1))?].0;
        Ok(Nearest3d { amount: Amount::of_edges(reader)?, ..Nearest3d::new(sizes, phase)? })
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("grid", &self.grid.sizes[..]);
        self.amount.write(params.unless("phase", PHASES[self.phase as usize].1, "x"))
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let Nearest3d { grid, phase, amount } = self;
        let tasks = grid.tasks().unwrap_or(0);
        let stride: u32 = grid.sizes[phase as usize + 1..].iter().product();
        let size = grid.sizes[phase as usize];
        let mut entries = Vec::with_capacity(2 * tasks as usize);
        for task in 0..tasks {
            let x = task / stride % size;
            let at = |x: u32| task - task / stride % size * stride + x * stride;
            entries.push((task, at((x + 1) % size), amount.of(0.5)));
            entries.push((task, at((x + size - 1) % size), amount.of(0.5)));
        }
        Ok(Demand::new(tasks, amount.unit(), entries, Vec::new())?.with_grid(grid).into())
    }
}

/// Three factors of n > 0, ascending, with the smallest sum: the sizes of `nearest3d` without `grid=`. O(divisors^2).
pub fn most_even(n: u32) -> [u32; 3] {
    let divisors: Vec<u32> = (1..=n.isqrt()).filter(|d| n.is_multiple_of(*d)).collect();
    let mut best = [1, 1, n];
    for &a in &divisors {
        for &b in divisors.iter().filter(|&&b| b >= a && (n / a).is_multiple_of(b) && b <= n / a / b) {
            let sizes = [a, b, n / a / b];
            let sum = |s: [u32; 3]| s.iter().map(|&x| u64::from(x)).sum::<u64>();
            if sum(sizes) < sum(best) {
                best = sizes;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_even_as_they_can_be() {
        assert_eq!(most_even(72), [3, 4, 6]);
        assert_eq!(most_even(16_512), [16, 24, 43]);
        assert_eq!(most_even(7), [1, 1, 7]);
        assert_eq!(most_even(1), [1, 1, 1]);
    }
}
