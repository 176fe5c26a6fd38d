//! Samples of a random cell of a table.

use crate::{Finding, Key};
use hopline::rng::Rng;
use hopline::stats::student_t;

/// Seeds for the samples of one cell, independent of those of every other cell.
pub(super) fn seeds(seed: u64, cell: &str, samples: usize) -> Vec<u64> {
    let mut rng = Rng::new(seed, cell);
    std::iter::repeat_with(|| rng.word()).take(samples).collect()
}

/// Values of one cell under different seeds, as the table prints them.
pub(super) struct Sample(Vec<f64>);

impl Sample {
    /// `values` in any order, at least one.
    pub(super) fn new(mut values: Vec<f64>) -> Sample {
        values.sort_by(f64::total_cmp);
        Sample(values)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// The mean with its spread, and nothing published.
    pub(super) fn finding(&self, item: &str, row: &[(&'static str, Key)], column: impl Into<String>) -> Finding {
        Finding {
            computed: Some(self.mean()),
            spread: Some(self.spread()),
            range: Some(self.range()),
            samples: Some(self.len() as u32),
            ..Finding::new(item, row, column)
        }
    }

    /// Standard deviation, with n - 1.
    pub(super) fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|x| (x - mean) * (x - mean)).sum();
        (squares / (self.0.len().max(2) - 1) as f64).sqrt()
    }

    /// Whether `value`, give or take `rounding`, can be the mean of `draws` more samples: Student's
    /// test of two means of equal variance, both sides together at `level`.
    pub(super) fn allows(&self, value: f64, rounding: f64, draws: u32, level: f64) -> bool {
        let n = self.len() as f64;
        let t = student_t(1.0 - level / 2.0, self.len().max(2) as u32 - 1);
        let apart = (value - self.mean()).abs() - rounding;
        apart <= t * self.spread() * (1.0 / f64::from(draws) + 1.0 / n).sqrt() + 1e-9
    }

    pub(super) fn range(&self) -> (f64, f64) {
        (self.0[0], self.0[self.0.len() - 1])
    }

    /// Percent of the values below `x`, plus half of those equal to it.
    pub(super) fn percentile(&self, x: f64) -> f64 {
        let below = self.0.partition_point(|v| *v < x);
        let upto = self.0.partition_point(|v| *v <= x);
        50.0 * (below + upto) as f64 / self.0.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_from_the_samples_is_not_allowed() {
        let s = Sample::new((0..50).map(|k| f64::from(k % 5)).collect());
        // Mean 2, spread 1.43: at 5 % a single draw lies within 2.9, a mean of ten within 1.
        assert_eq!([4.8, 5.0].map(|x| s.allows(x, 0.0, 1, 0.05)), [true, false]);
        assert_eq!([2.9, 3.2].map(|x| s.allows(x, 0.0, 10, 0.05)), [true, false]);
        assert!(s.allows(5.3, 0.5, 1, 0.05), "rounding counts for the paper");
    }

    #[test]
    fn cells_draw_apart() {
        let (a, b) = (seeds(1, "a", 50), seeds(2, "a", 50));
        assert!(a.iter().all(|x| !b.contains(x)) && a == seeds(1, "a", 50));
    }

    #[test]
    fn percentiles_count_equals_by_half() {
        let s = Sample::new(vec![3.0, 1.0, 2.0, 2.0]);
        assert_eq!((s.len(), s.mean(), s.range()), (4, 2.0, (1.0, 3.0)));
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|x| s.percentile(x)), [0.0, 12.5, 50.0, 87.5, 100.0]);
        assert!((s.spread() - (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }
}
