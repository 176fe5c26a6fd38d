//! What the batch means of one run say about the mean: they are neither
//! independent nor normally distributed, and the run may not be steady.
//!
//! Batches are joined in pairs until von Neumann's ratio no longer tells them
//! from independent ones. The interval then allows for what correlation is left
//! and for skewness, as in Tafazzoli, Steiger and Wilson, "N-Skart: a
//! nonsequential skewness- and autoregression-adjusted batch-means procedure",
//! IEEE Transactions on Automatic Control 56 (2011).

use super::{Estimate, student_t};

/// Fewest batches to which others are joined.
const FEWEST: usize = 16;

/// How far below 2 the ratio may be, in standard deviations: of independent
/// batches one in five is taken for correlated.
const CORRELATED: f64 = 0.84;

/// Standard errors by which a slope differs from none: one steady run in a
/// hundred is taken for one that drifts.
const DRIFTS: f64 = 3.0;

/// The mean of a run by its batches, in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Series {
    /// The mean and half its interval.
    pub estimate: Estimate,
    /// 1 where they rise, -1 where they fall, 0 where neither is sure.
    pub trend: i8,
}

/// What batch means say of the true mean, which the interval is to hold with
/// probability `confidence`. O(values).
pub fn series(values: &[f64], confidence: f64) -> Series {
    let mut means = values.to_vec();
    while means.len() >= 2 * FEWEST && !are_independent(&means) {
        means = means.chunks_exact(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
    }
    let (n, mean) = (means.len(), mean(&means));
    if n < 3 {
        return Series { estimate: Estimate { mean, half: f64::INFINITY }, trend: 0 };
    }
    let variance = means.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1) as f64;
    let left = correlation(&means, mean).clamp(0.0, 0.9);
    let t = student_t(0.5 + confidence / 2.0, n as u32 - 1);
    let half = skewed(t, skewness(&means, mean), n) * (variance / n as f64 * (1.0 + left) / (1.0 - left)).sqrt();
    Series { estimate: Estimate { mean, half }, trend: trend(&means, mean) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Sum of the products of neighbouring deviations over that of their squares.
fn correlation(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

/// Von Neumann's test: squared differences of neighbours over squared deviations are 2
/// on average if values are independent, and less if neighbours are alike.
fn are_independent(values: &[f64]) -> bool {
    let (n, mean) = (values.len() as f64, mean(values));
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let differences: f64 = values.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
    let deviation = (4.0 * (n - 2.0) / ((n - 1.0) * (n + 1.0))).sqrt();
    squares <= 0.0 || n >= 3.0 && differences / squares > 2.0 - CORRELATED * deviation
}

/// Third moment over the third power of the deviation, of at least 3 values.
fn skewness(values: &[f64], mean: f64) -> f64 {
    let n = values.len() as f64;
    let moment = |k: i32| values.iter().map(|v| (v - mean).powi(k)).sum::<f64>();
    let deviation = (moment(2) / (n - 1.0)).sqrt();
    if deviation > 0.0 { n / ((n - 1.0) * (n - 2.0)) * moment(3) / deviation.powi(3) } else { 0.0 }
}

/// Student's t for the mean of n values of some skewness: the further of both
/// sides. Willink, "A confidence interval and test for the mean of an asymmetric
/// distribution", Communications in Statistics 34 (2005).
fn skewed(t: f64, skewness: f64, n: usize) -> f64 {
    let b = skewness / (6.0 * (n as f64).sqrt());
    if b.abs() < 1e-9 {
        return t;
    }
    let side = |r: f64| (((1.0 + 6.0 * b * (r - b)).cbrt() - 1.0) / (2.0 * b)).abs();
    side(t).max(side(-t)).max(t)
}

/// The sign of the slope of a straight line through the values, if it differs from none.
fn trend(values: &[f64], mean: f64) -> i8 {
    let middle = (values.len() - 1) as f64 / 2.0;
    let points = || (0..).map(|i| f64::from(i) - middle).zip(values.iter().map(|v| v - mean));
    let squares: f64 = points().map(|(x, _)| x * x).sum();
    let slope = points().map(|(x, y)| x * y).sum::<f64>() / squares;
    let left: f64 = points().map(|(x, y)| (y - slope * x).powi(2)).sum();
    let error = (left / (values.len() - 2) as f64 / squares).sqrt();
    if slope.abs() > DRIFTS * error { slope.signum() as i8 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Values of mean 0 each of which keeps a part of the one before.
    fn autoregressive(part: f64, n: usize, stream: &str) -> Vec<f64> {
        let mut rng = Rng::new(1, stream);
        let mut value = 0.0;
        let mut next = || {
            value = part * value + (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
            value
        };
        (0..50).for_each(|_| _ = next());
        (0..n).map(|_| next()).collect()
    }

    /// Where neighbours are alike plain batch means hold the mean in half of all runs.
    #[test]
    fn intervals_of_correlated_batches_hold_the_mean() {
        for (part, least) in [(0.0, 180), (0.5, 175), (0.8, 170)] {
            let runs = || (0..200).map(|run| autoregressive(part, 512, &format!("{part} {run}")));
            let held = runs().filter(|v| series(v, 0.95).estimate.half > mean(v).abs()).count();
            let plain = runs().filter(|v| crate::stats::estimate(v, 0.95).half > mean(v).abs()).count();
            assert!(held >= least, "{part}: {held} of 200 hold the mean");
            assert!(part < 0.7 || plain < 120, "{part}: {plain} of 200 by plain batch means");
        }
    }

    #[test]
    fn trends_are_seen_and_steady_runs_have_none() {
        let of = |slope: f64| {
            let with = |run: u32| {
                let values = autoregressive(0.3, 64, &format!("trend {run}"));
                series(&values.iter().zip(0..).map(|(v, i)| v + slope * f64::from(i)).collect::<Vec<_>>(), 0.95).trend
            };
            (0..100).map(|run| i32::from(with(run))).sum::<i32>()
        };
        assert!(of(0.0).abs() <= 5, "{}", of(0.0));
        assert!(of(0.1) > 95 && of(-0.1) < -95, "{} {}", of(0.1), of(-0.1));
    }

    #[test]
    fn few_or_equal_values_are_no_trouble() {
        assert!(series(&[], 0.95).estimate.half.is_infinite());
        assert!(series(&[1.0, 2.0], 0.95).estimate.half.is_infinite());
        let equal = series(&[3.0; 40], 0.95);
        assert_eq!((equal.estimate, equal.trend), (Estimate { mean: 3.0, half: 0.0 }, 0));
    }
}
