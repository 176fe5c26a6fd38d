//! What a grid is folded onto: the axes of a torus or the levels of a hierarchy,
//! where the allocation fills them evenly.

use super::super::seats::{Seats, Shape};

/// A machine as a box of seats, first the seats of one place.
pub(super) struct Machine {
    /// Seats along each axis; all together are the allocation. The first runs
    /// fastest in the numbering of seats.
    pub(super) sizes: Vec<u32>,
    /// Per axis: the length of its ring on a torus, or the distance of two seats
    /// that differ on a level.
    pub(super) axes: Vec<Axis>,
}

/// One axis of the box.
#[derive(Debug, Clone, Copy)]
pub(super) enum Axis {
    /// Seats k apart are min(k, length - k) hops apart.
    Ring(u32),
    /// All seats that differ here are this far apart.
    Level(u32),
}

impl Machine {
    /// `None` where parts or planes of the machine are not equally full.
    /// O(places * axes).
    pub(super) fn new(seats: &Seats) -> Option<Machine> {
        let each = (seats.len() / seats.places().max(1)) as u32;
        if (0..seats.places() as u32).any(|p| seats.seats_of(p).len() != each as usize) {
            return None;
        }
        let mut sizes = vec![each];
        let mut axes = vec![Axis::Level(0)];
        match seats.shape() {
            Shape::Torus { extents, coordinates } => {
                for (axis, &extent) in extents.iter().enumerate() {
                    let along = coordinates.iter().skip(axis).step_by(extents.len());
                    let (low, high) = (along.clone().min()?, along.max()?);
                    sizes.push(high - low + 1);
                    axes.push(Axis::Ring(extent));
                }
            }
            Shape::Nested { path, shifts } => {
                let mut span = 1;
                for (i, &shift) in shifts.iter().enumerate().rev() {
                    let outer = if i == 0 { 1 } else { seats.parts(Some(shifts[i - 1]))? };
                    // Every part must begin where equal parts would.
                    let begins = |p: usize| path[p] >> shift != path[p - 1] >> shift;
                    if !(1..path.len()).all(|p| begins(p) == p.is_multiple_of(span)) {
                        return None;
                    }
                    axes.push(Axis::Level(seats.distance(0, span as u32 * each)));
                    let size = seats.parts(Some(shift))? / outer;
                    sizes.push(size as u32);
                    span *= size;
                }
            }
        }
        let product: u64 = sizes.iter().map(|&s| u64::from(s)).product();
        (product == seats.len() as u64).then_some(Machine { sizes, axes })
    }
}

impl Axis {
    /// Distance of two seats that differ by so much on the axis alone.
    pub(super) fn distance(self, apart: u32) -> u32 {
        match self {
            Axis::Ring(length) => apart.min(length - apart),
            Axis::Level(far) => {
                if apart == 0 {
                    0
                } else {
                    far
                }
            }
        }
    }
}
