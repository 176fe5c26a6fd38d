//! Samples of a random cell of a table.

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

    /// Standard deviation, with n - 1.
    pub(super) fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|x| (x - mean) * (x - mean)).sum();
        (squares / (self.0.len().max(2) - 1) as f64).sqrt()
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
    fn percentiles_count_equals_by_half() {
        let s = Sample::new(vec![3.0, 1.0, 2.0, 2.0]);
        assert_eq!((s.len(), s.mean(), s.range()), (4, 2.0, (1.0, 3.0)));
        assert_eq!([0.0, 1.0, 2.0, 3.0, 9.0].map(|x| s.percentile(x)), [0.0, 12.5, 50.0, 87.5, 100.0]);
        assert!((s.spread() - (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
    }
}
