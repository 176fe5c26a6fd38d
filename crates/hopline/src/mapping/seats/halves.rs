//! Cutting a set of seats in two, where the machine itself is cut best.

use super::{Seats, Shape};

impl Seats {
    /// Reorders seats so that the first `n` of them are one half, and returns n;
    /// `None` where all are at one place. Halves are as equal as whole parts,
    /// or planes of a torus, allow. O(n log n).
    pub(in crate::mapping) fn halve(&self, seats: &mut [u32]) -> Option<usize> {
        let (&first, &last) = (seats.first()?, seats.last()?);
        if self.place(first) == self.place(last) && seats.iter().all(|&s| self.place(s) == self.place(first)) {
            return None;
        }
        match self.shape() {
            Shape::Torus { extents, coordinates } => {
                let axes = extents.len();
                let at = |seat: u32, axis: usize| coordinates[self.place(seat) as usize * axes + axis];
                let extent = |axis: usize| {
                    let ends = seats.iter().map(|&s| at(s, axis));
                    ends.clone().max().unwrap_or(0) - ends.min().unwrap_or(0)
                };
                // The longest axis; of equal ones the last.
                let axis = (0..axes).max_by_key(|&axis| extent(axis))?;
                seats.sort_by_key(|&s| (at(s, axis), s));
                Some(middle(seats, |s| u64::from(at(s, axis))))
            }
            Shape::Nested { path, shifts } => {
                seats.sort_unstable();
                let (low, high) =
                    (path[self.place(seats[0]) as usize], path[self.place(seats[seats.len() - 1]) as usize]);
                let bits = 64 - (low ^ high).leading_zeros();
                let shift = shifts.iter().copied().find(|&s| s < bits)?;
                Some(middle(seats, |s| path[self.place(s) as usize] >> shift))
            }
        }
    }
}

/// The boundary between different keys that is nearest to the middle.
fn middle(seats: &[u32], key: impl Fn(u32) -> u64) -> usize {
    let half = seats.len() / 2;
    let boundary = |&i: &usize| key(seats[i - 1]) != key(seats[i]);
    let below = (1..=half).rev().find(boundary);
    let above = (half + 1..seats.len()).find(boundary);
    match (below, above) {
        (Some(below), Some(above)) if above - half < half - below => above,
        (Some(below), _) => below,
        (None, above) => above.unwrap_or(half),
    }
}
