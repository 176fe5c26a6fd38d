//! One phase of a 3-D nearest-neighbour exchange.

use super::{BYTES, Context, Size, Traffic};
use crate::demand::{Demand, Grid};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::params::{Reader, Sizes};

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

pub(super) fn make(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let sizes = match reader.get::<Sizes>("grid")? {
        Some(Sizes(sizes)) if sizes.len() == 3 => sizes,
        Some(Sizes(sizes)) => {
            return Err(reader.wrong("grid", format!("`grid` has {} sizes, expected 3", sizes.len())));
        }
        None => most_even(context.slots.max(1)).to_vec(),
    };
    let phase = reader.choice("phase", &["x", "y", "z"])?;
    let grid = Grid { sizes: sizes.clone(), wrap: true };
    let tasks = grid.tasks().filter(|&n| n <= super::MOST_TASKS).ok_or_else(|| {
        Error::input(format!("a grid of more than {} tasks", super::MOST_TASKS)).at(reader.place_of("grid"))
    })?;
    let each = Size::of_edges(reader)?;
    let stride: u32 = sizes[phase + 1..].iter().product();
    let size = sizes[phase];
    let mut entries = Vec::with_capacity(2 * tasks as usize);
    for task in 0..tasks {
        let x = task / stride % size;
        let at = |x: u32| task - task / stride % size * stride + x * stride;
        entries.push((task, at((x + 1) % size), each.amount(0.5)));
        entries.push((task, at((x + size - 1) % size), each.amount(0.5)));
    }
    Ok(Demand::new(tasks, each.unit, entries, Vec::new())?.with_grid(grid).into())
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
