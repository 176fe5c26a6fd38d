//! Tasks and slots along space-filling curves.
//!
//! A curve is the order of the points of a grid by a key; extents that are no powers
//! keep the order of the smallest cube of powers that holds them. Keys: Hilbert as in
//! Skilling, "Programming the Hilbert curve" (AIP Conference Proceedings 707, 2004);
//! Morton, "A computer oriented geodetic data base" (1966); Peano, "Sur une courbe,
//! qui remplit toute une aire plane" (1890).

use super::{Context, Mapping, Problem, Strategy};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::id::SlotId;
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "curve",
    summary: "tasks along a space-filling curve through their grid, slots along one through the torus",
    doc: "Tasks in the order of a curve through the task grid (in the order of their ranks where they have no grid, or with \
          tasks=ranks) go to slots in the order of the same curve through the torus (in the allocation's order on other \
          machines). of=snake goes back and forth row by row, of=hilbert and of=peano stay close to themselves and never \
          jump in cubes of powers of 2 and 3, of=morton interleaves binary digits. What the grid orders of Cray's tools do \
          for cells of a grid.\nO(n log n).",
    example: "curve:of=hilbert",
    params: &[
        param("of", "hilbert|snake|morton|peano", "hilbert", "which curve"),
        param(
            "tasks",
            "grid|ranks",
            "grid",
            "tasks along the curve through their grid, or in the order of their ranks",
        ),
    ],
};

/// A curve through a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// Hilbert's, in cubes of 2.
    Hilbert,
    /// Row by row, back and forth.
    Snake,
    /// By the bits of the coordinates in turn.
    Morton,
    /// Peano's, in cubes of 3.
    Peano,
}

const CURVES: [Curve; 4] = [Curve::Hilbert, Curve::Snake, Curve::Morton, Curve::Peano];
const NAMES: [&str; 4] = ["hilbert", "snake", "morton", "peano"];

/// Tasks and slots along curves through their grids: see the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlongCurve {
    curve: Curve,
    ranks: bool,
}

impl AlongCurve {
    /// Tasks along the curve through their grid, slots along that through the machine.
    pub fn new(curve: Curve) -> AlongCurve {
        AlongCurve { curve, ranks: false }
    }

    /// The same with tasks in the order of their ranks.
    #[must_use]
    pub fn ranks(mut self) -> AlongCurve {
        self.ranks = true;
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    let curve = CURVES[reader.choice("of", &NAMES)?];
    Ok(Box::new(AlongCurve { curve, ranks: reader.choice("tasks", &["grid", "ranks"])? == 1 }))
}

impl Strategy for AlongCurve {
    fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).unless("of", NAMES[self.curve as usize], NAMES[0]);
        params.unless("tasks", if self.ranks { "ranks" } else { "grid" }, "grid")
    }

    fn choose(&self, problem: &Problem<'_>, _: &mut Context<'_>) -> Result<Mapping> {
        let n = problem.tasks() as usize;
        let grid = problem.demand().grid().filter(|_| !self.ranks);
        let machine = problem.fabric().coordinates();
        if grid.is_none() && machine.is_none() {
            let text = "mapping `curve`: the job has no task grid, and the machine no coordinates";
            return Err(Error::input(text).hint("use multilevel, which needs neither"));
        }
        let tasks: Vec<usize> = match grid {
            // Ranks of a grid run along its last dimension.
            Some(grid) => {
                let sizes: Vec<u32> = grid.sizes.iter().rev().copied().collect();
                self.curve.order(&sizes, (0..n).map(|task| point(task as u32, &sizes)))
            }
            None => (0..n).collect(),
        };
        let hosts = problem.fabric().hosts();
        let slots: Vec<usize> = match machine {
            Some(extents) => {
                let at = problem.slots().iter().map(|&slot| point(hosts.endpoint_of(slot).0, extents));
                self.curve.order(extents, at)
            }
            None => (0..problem.slots().len()).collect(),
        };
        let mut slot: Vec<SlotId> = problem.slots()[..n].to_vec();
        tasks.iter().zip(slots).for_each(|(&task, at)| slot[task] = problem.slots()[at]);
        Mapping::new(slot, problem.fabric())
    }
}

/// Coordinates of number `i` of a grid whose first dimension is fastest.
fn point(mut i: u32, sizes: &[u32]) -> Vec<u32> {
    let mut at = Vec::with_capacity(sizes.len());
    for &size in sizes {
        at.push(i % size);
        i /= size;
    }
    at
}

impl Curve {
    /// Numbers of points in the order of the curve through a grid of these extents; of equal ones the first.
    fn order(self, extents: &[u32], points: impl Iterator<Item = Vec<u32>>) -> Vec<usize> {
        // Dimensions of one place would only lengthen keys.
        let long: Vec<usize> = (0..extents.len()).filter(|&d| extents[d] > 1).collect();
        let sizes: Vec<u32> = long.iter().map(|&d| extents[d]).collect();
        let keys: Vec<Vec<u8>> = points.map(|at| self.key(&sizes, long.iter().map(|&d| at[d]).collect())).collect();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&a, &b| keys[a].cmp(&keys[b]));
        order
    }

    /// Digits by which points are sorted. The last dimension is the slowest.
    fn key(self, sizes: &[u32], mut at: Vec<u32>) -> Vec<u8> {
        let most = sizes.iter().copied().max().unwrap_or(1);
        let bits = u32::BITS - (most - 1).leading_zeros();
        match self {
            Curve::Snake => snake(sizes, &at),
            Curve::Morton => interleaved(&at, bits),
            Curve::Hilbert => {
                at.reverse();
                transpose(&mut at, bits);
                (0..bits)
                    .rev()
                    .flat_map(|bit| at.iter().map(move |x| (x >> bit & 1) as u8).collect::<Vec<_>>())
                    .collect()
            }
            Curve::Peano => peano(&at, most),
        }
    }
}

/// Back and forth: a coordinate counts backwards where those above it sum up to an odd number.
fn snake(sizes: &[u32], at: &[u32]) -> Vec<u8> {
    let (mut key, mut odd) = (Vec::with_capacity(4 * at.len()), false);
    for (&size, &x) in sizes.iter().zip(at).rev() {
        key.extend((if odd { size - 1 - x } else { x }).to_be_bytes());
        odd ^= x % 2 == 1;
    }
    key
}

fn interleaved(at: &[u32], bits: u32) -> Vec<u8> {
    (0..bits).rev().flat_map(|bit| at.iter().rev().map(move |x| (x >> bit & 1) as u8)).collect()
}

/// Skilling's transposed Hilbert index of a point, in place.
fn transpose(x: &mut [u32], bits: u32) {
    let n = x.len();
    if n == 0 {
        return;
    }
    for bit in (1..bits).rev() {
        let (q, below) = (1u32 << bit, (1u32 << bit) - 1);
        for i in 0..n {
            if x[i] & q != 0 {
                x[0] ^= below;
            } else {
                let swapped = (x[0] ^ x[i]) & below;
                x[0] ^= swapped;
                x[i] ^= swapped;
            }
        }
    }
    (1..n).for_each(|i| x[i] ^= x[i - 1]);
    let flip = (1..bits).rev().filter(|&bit| x[n - 1] >> bit & 1 == 1).fold(0, |t, bit| t ^ ((1 << bit) - 1));
    x.iter_mut().for_each(|x| *x ^= flip);
}

/// Base 3, most significant digits first; a digit counts backwards where those that stand before it and belong to
/// other coordinates sum up to an odd number.
fn peano(at: &[u32], most: u32) -> Vec<u8> {
    let digits = (1..).find(|&d| 3u64.pow(d) >= u64::from(most)).unwrap_or(1);
    let (mut key, mut sums, mut sum) = (Vec::new(), vec![0u32; at.len()], 0u32);
    for place in (0..digits).rev() {
        for (i, &x) in at.iter().enumerate().rev() {
            let digit = x / 3u32.pow(place) % 3;
            let digit = if (sum - sums[i]) % 2 == 1 { 2 - digit } else { digit };
            (sums[i], sum) = (sums[i] + digit, sum + digit);
            key.push(digit as u8);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(curve: Curve, sizes: &[u32]) -> Vec<Vec<u32>> {
        let n: u32 = sizes.iter().product();
        let points: Vec<Vec<u32>> = (0..n).map(|i| point(i, sizes)).collect();
        curve.order(sizes, points.iter().cloned()).into_iter().map(|i| points[i].clone()).collect()
    }

    fn steps(curve: Curve, sizes: &[u32]) -> u32 {
        let walk = walk(curve, sizes);
        let step = |w: &[Vec<u32>]| w[0].iter().zip(&w[1]).map(|(a, b)| a.abs_diff(*b)).sum::<u32>();
        walk.windows(2).map(step).max().unwrap_or(0)
    }

    #[test]
    fn curves_never_jump_in_their_cubes() {
        for sizes in [&[8][..], &[4, 4], &[8, 8], &[4, 4, 4], &[2, 2, 2, 2, 2]] {
            assert_eq!(steps(Curve::Hilbert, sizes), 1, "{sizes:?}");
        }
        for sizes in [&[9][..], &[9, 9], &[27, 27], &[3, 3, 3], &[9, 9, 9]] {
            assert_eq!(steps(Curve::Peano, sizes), 1, "{sizes:?}");
        }
        for sizes in [&[7][..], &[5, 3], &[4, 1, 6], &[3, 5, 2, 4]] {
            assert_eq!(steps(Curve::Snake, sizes), 1, "{sizes:?}");
        }
        let morton: Vec<Vec<u32>> = walk(Curve::Morton, &[2, 2]);
        assert_eq!(morton, [[0, 0], [1, 0], [0, 1], [1, 1]]);
    }

    #[test]
    fn every_point_comes_once() {
        for curve in CURVES {
            for sizes in [&[1][..], &[1, 1], &[5, 7], &[3, 1, 4], &[6, 10, 2]] {
                let mut all = walk(curve, sizes);
                all.sort();
                all.dedup();
                assert_eq!(all.len() as u32, sizes.iter().product::<u32>(), "{curve:?} {sizes:?}");
            }
        }
    }
}
