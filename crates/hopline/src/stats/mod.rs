//! Statistics of simulations: Student's t, means with confidence from batches,
//! histograms of whole numbers.

mod series;

pub use series::{Series, series};

/// Counts of whole numbers: exact below 128, within 1/64 of the value above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
}

/// Values below 2^7 have a cell each; every doubling above has 64.
const EXACT: u32 = 128;
const CELLS: usize = EXACT as usize + 25 * 64;

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// Without a value.
    pub fn new() -> Histogram {
        Histogram { counts: vec![0; CELLS] }
    }

    /// From counts per cell, as [`Histogram::counts`] gives them; missing ones are 0.
    pub fn from_counts(mut counts: Vec<u64>) -> Histogram {
        counts.resize(CELLS, 0);
        Histogram { counts }
    }

    /// Counts per cell.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    #[inline]
    fn cell(value: u32) -> usize {
        if value < EXACT {
            return value as usize;
        }
        let doubling = 31 - value.leading_zeros() - 6;
        EXACT as usize + (doubling as usize - 1) * 64 + ((value >> doubling) as usize - 64)
    }

    /// The smallest value of a cell.
    fn value(cell: usize) -> u32 {
        match cell.checked_sub(EXACT as usize) {
            None => cell as u32,
            Some(above) => (64 + (above % 64) as u32) << (above / 64 + 1),
        }
    }

    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u32) {
        self.counts[Self::cell(value)] += 1;
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Histogram) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| *a += b);
    }

    /// The smallest value (of its cell) that at least a part `p` of all values do
    /// not exceed; `None` without values.
    pub fn quantile(&self, p: f64) -> Option<u32> {
        let total: u64 = self.counts.iter().sum();
        let rank = ((total as f64 * p).ceil() as u64).clamp(1, total.max(1));
        let mut below = 0;
        let cell = self.counts.iter().position(|&n| {
            below += n;
            below >= rank
        });
        cell.map(Self::value)
    }
}

/// A mean with the half width of its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half of the interval's width; infinite with fewer than two values.
    pub half: f64,
}

/// The mean of independent values, with the interval that holds the true mean
/// with probability `confidence` where they are normally distributed.
pub fn estimate(values: &[f64], confidence: f64) -> Estimate {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n.max(1.0);
    if values.len() < 2 {
        return Estimate { mean, half: f64::INFINITY };
    }
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let t = student_t(0.5 + confidence / 2.0, values.len() as u32 - 1);
    Estimate { mean, half: t * (variance / n).sqrt() }
}

/// The quantile of Student's t distribution: the t that a variable of `degrees`
/// degrees of freedom does not exceed with probability `p`, in (0, 1). By
/// bisection of the distribution function, to 1e-10.
pub fn student_t(p: f64, degrees: u32) -> f64 {
    if p < 0.5 {
        return -student_t(1.0 - p, degrees);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while below(high, degrees) < p && high < 1e12 {
        high *= 2.0;
    }
    while high - low > 1e-10 * high {
        let middle = 0.5 * (low + high);
        *(if below(middle, degrees) < p { &mut low } else { &mut high }) = middle;
    }
    0.5 * (low + high)
}

/// Student's distribution function for whole degrees of freedom and t >= 0, by
/// its finite sums. Abramowitz and Stegun, "Handbook of mathematical functions",
/// 26.7.3 and 26.7.4.
fn below(t: f64, degrees: u32) -> f64 {
    let n = f64::from(degrees);
    let theta = (t / n.sqrt()).atan();
    let (sin, cos) = theta.sin_cos();
    let odd = degrees % 2 == 1;
    // 1 + (1/2) cos^2 + (1*3)/(2*4) cos^4 + ..., or cos + (2/3) cos^3 + ...
    let (mut term, mut k) = if odd { (cos, 1.0) } else { (1.0, 0.0) };
    let mut sum = 0.0;
    let terms = if odd { (degrees - 1) / 2 } else { degrees / 2 };
    for _ in 0..terms {
        sum += term;
        term *= (k + 1.0) / (k + 2.0) * cos * cos;
        k += 2.0;
    }
    let inside = if odd { 2.0 / std::f64::consts::PI * (theta + sin * sum) } else { sin * sum };
    0.5 + 0.5 * inside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed tables of the t distribution.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, degrees, t) in [
            (0.975, 1, 12.706),
            (0.975, 2, 4.303),
            (0.995, 5, 4.032),
            (0.975, 10, 2.228),
            (0.995, 31, 2.744),
            (0.95, 30, 1.697),
            (0.975, 120, 1.980),
        ] {
            assert!((student_t(p, degrees) - t).abs() < 6e-4, "{p} {degrees}: {}", student_t(p, degrees));
            assert!((student_t(1.0 - p, degrees) + t).abs() < 6e-4);
        }
    }

    #[test]
    fn histograms_keep_values_to_a_64th() {
        for value in [0, 1, 127, 128, 129, 255, 256, 1000, 123_456, u32::MAX] {
            let mut one = Histogram::new();
            one.add(value);
            let found = one.quantile(0.5).expect("a value");
            assert!(found <= value && u64::from(value - found) * 64 <= u64::from(value), "{value}: {found}");
        }
        let mut many = Histogram::new();
        (1..=100).for_each(|v| many.add(v));
        assert_eq!((many.quantile(0.5), many.quantile(0.99), many.quantile(1.0)), (Some(50), Some(99), Some(100)));
        assert_eq!(Histogram::new().quantile(0.5), None);
    }

    #[test]
    fn intervals_hold_the_mean() {
        let e = estimate(&[9.0, 10.0, 11.0, 10.0, 10.0], 0.95);
        assert_eq!(e.mean, 10.0);
        assert!((e.half - 2.776 * (0.5f64 / 5.0).sqrt()).abs() < 1e-3, "{}", e.half);
    }
}
