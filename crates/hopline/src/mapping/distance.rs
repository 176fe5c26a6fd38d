//! Distances between places from two machine words: what searches of hop-bytes
//! ask millions of times a second.
//!
//! A place packs what its metric needs into a [`Code`]: its coordinates on a torus,
//! the path from the root in a hierarchy, a row number elsewhere.

/// Where a seat is, for the metric that made it.
pub(super) type Code = u64;

/// Distance between two places.
pub(super) trait Distance: Sync {
    /// Symmetric; 0 from a place to itself. O(1), or O(axes) on tori.
    fn between(&self, a: Code, b: Code) -> u32;
}

/// Torus of few axes. A place is its number where every axis is counted twice
/// as long, so that the difference of two numbers tells those of all coordinates.
#[derive(Debug, Clone)]
pub(super) struct Torus {
    /// Distance by difference + `middle`.
    by_difference: Vec<u16>,
    middle: u64,
}

/// Larger tables of differences are not worth their memory.
const MOST_DIFFERENCES: u64 = 1 << 22;

impl Torus {
    /// `None` where the table would be too large. O(2^axes * places).
    pub(super) fn new(extents: &[u32]) -> Option<Torus> {
        let size = extents.iter().try_fold(1u64, |n, &k| n.checked_mul(2 * u64::from(k)))?;
        let longest: u64 = extents.iter().map(|&k| u64::from(k / 2)).sum();
        if size > MOST_DIFFERENCES || longest > u64::from(u16::MAX) {
            return None;
        }
        let middle = Torus::pack(extents, extents);
        let distance = |mut difference: u64| {
            let mut sum = 0;
            for &k in extents {
                // Coordinate differences count from -k.
                let apart = (difference % (2 * u64::from(k))).abs_diff(u64::from(k)) as u32;
                sum += apart.min(k - apart);
                difference /= 2 * u64::from(k);
            }
            sum as u16
        };
        Some(Torus { by_difference: (0..size).map(distance).collect(), middle })
    }

    /// The number of a place.
    pub(super) fn pack(extents: &[u32], coordinates: &[u32]) -> Code {
        let digit = |code: u64, (&k, &x): (&u32, &u32)| code * 2 * u64::from(k) + u64::from(x);
        extents.iter().zip(coordinates).rev().fold(0, digit)
    }
}

impl Distance for Torus {
    #[inline(always)]
    fn between(&self, a: Code, b: Code) -> u32 {
        u32::from(self.by_difference[(a + self.middle - b) as usize])
    }
}

/// Torus of any number of axes: a place is the number of a row of coordinates.
#[derive(Debug, Clone)]
pub(super) struct ManyAxes {
    pub(super) extents: Vec<u32>,
    /// Row by row, one coordinate per axis.
    pub(super) coordinates: Vec<u32>,
}

impl Distance for ManyAxes {
    fn between(&self, a: Code, b: Code) -> u32 {
        let axes = self.extents.len();
        let row = |code: Code| &self.coordinates[code as usize * axes..][..axes];
        let ring = |((&x, &y), &extent): ((&u32, &u32), &u32)| x.abs_diff(y).min(extent - x.abs_diff(y));
        row(a).iter().zip(row(b)).zip(&self.extents).map(ring).sum()
    }
}

/// Hierarchy in which the innermost common part decides. A place is its path
/// from the root, outermost part in the highest bits, so the highest bit in
/// which two differ tells the level that joins them.
#[derive(Debug, Clone)]
pub(super) struct Levels {
    /// Distance by the number of low bits that differ; 0 bits is the same place.
    pub(super) by_bits: Box<[u32; 65]>,
}

impl Distance for Levels {
    #[inline(always)]
    fn between(&self, a: Code, b: Code) -> u32 {
        self.by_bits[(64 - (a ^ b).leading_zeros()) as usize]
    }
}

/// Hops between switches, row by row: a place is the number of its row.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) rows: usize,
    pub(super) hops: Vec<u8>,
}

impl Distance for Table {
    #[inline(always)]
    fn between(&self, a: Code, b: Code) -> u32 {
        u32::from(self.hops[a as usize * self.rows + b as usize])
    }
}

/// The metric of a fabric.
#[derive(Debug, Clone)]
pub(super) enum Metric {
    /// Tori of a usual size.
    Torus(Torus),
    /// More axes, or long ones.
    ManyAxes(ManyAxes),
    /// Trees, and whatever else has nested levels that tell all distances.
    Levels(Levels),
    /// Anything else.
    Table(Table),
}

/// Evaluates an expression with the metric itself in hand, so that the loops in
/// it are compiled for each metric.
macro_rules! with_metric {
    ($metric:expr, $name:ident => $work:expr) => {
        match $metric {
            $crate::mapping::distance::Metric::Torus($name) => $work,
            $crate::mapping::distance::Metric::ManyAxes($name) => $work,
            $crate::mapping::distance::Metric::Levels($name) => $work,
            $crate::mapping::distance::Metric::Table($name) => $work,
        }
    };
}
pub(super) use with_metric;

impl Distance for Metric {
    fn between(&self, a: Code, b: Code) -> u32 {
        with_metric!(self, metric => metric.between(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tori_agree() {
        let extents = [5, 1, 4];
        let all: Vec<[u32; 3]> = (0..20).map(|i| [i % 5, 0, i / 5]).collect();
        let many = ManyAxes { extents: extents.to_vec(), coordinates: all.concat() };
        let packed = Torus::new(&extents).expect("a small table");
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                let ring = |axis: usize| a[axis].abs_diff(b[axis]).min(extents[axis] - a[axis].abs_diff(b[axis]));
                let expected: u32 = (0..3).map(ring).sum();
                assert_eq!(packed.between(Torus::pack(&extents, a), Torus::pack(&extents, b)), expected);
                assert_eq!(many.between(i as Code, j as Code), expected);
            }
        }
        assert!(Torus::new(&[2; 24]).is_none());
    }

    #[test]
    fn levels_are_told_by_the_highest_bit() {
        // Two bits for the place in its part, one for the part.
        let mut by_bits = [100; 65];
        by_bits[..3].copy_from_slice(&[0, 1, 1]);
        let levels = Levels { by_bits: Box::new(by_bits) };
        assert_eq!([(0, 0), (0, 3), (1, 2), (3, 4), (4, 6)].map(|(a, b)| levels.between(a, b)), [0, 1, 1, 100, 1]);
    }
}
