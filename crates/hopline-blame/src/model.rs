//! How much of the expected rate is usual, and how much it varies: robust against what is slow.

use crate::flows::{Flows, Row};
use crate::measured::Quantity;
use std::collections::BTreeMap;

/// Share of numbers that follow no model.
pub(crate) const STRAY: f64 = 0.02;
/// Density of those, per unit of a logarithm.
const STRAY_DENSITY: f64 = 0.25;
/// Fewer numbers than these tell nothing of a class of their own.
const CLASS: usize = 12;
/// Flows of a round trip between two hosts.
const PAIR: usize = 2;
/// Most means over several pairs that are compared with each other.
const MOST_MEANS: usize = 500;
/// However little numbers vary, a per cent more or less of a flow is no fault.
const LEAST_SIGMA: f64 = 0.01;
/// What is slow does not hold its rate as well: it varies by this part of what it lacks, too.
const UNSTEADY: f64 = 0.02;
/// Exponents below which nothing of a density is left beside that of strays.
const NEVER: f64 = -100.0;
/// Numbers so many deviations off are strays.
const STRAYS: f64 = 4.0;

/// What a number would be where every flow had its rate (or, for latencies, its delay).
pub(crate) fn combined(row: &Row, of: impl Fn(u32) -> f64) -> f64 {
    let values = row.flows.clone().map(of);
    match row.kind {
        Quantity::OneWay | Quantity::Both | Quantity::Sum => values.sum(),
        Quantity::Slowest => values.fold(f64::INFINITY, f64::min),
        Quantity::Latency => values.sum::<f64>() / row.flows.len().max(1) as f64,
    }
}

/// The same of a number: what flows vary by is less in their sum.
fn least_sigma(row: &Row) -> f64 {
    match row.kind {
        Quantity::Both | Quantity::Sum => LEAST_SIGMA / (row.flows.len().max(1) as f64).sqrt(),
        Quantity::OneWay | Quantity::Slowest | Quantity::Latency => LEAST_SIGMA,
    }
}

/// What is left of every number once the usual is taken off, and how much it varies.
pub(crate) struct Model {
    /// By row: ln(value / usual); for latencies (value - usual), in units of the usual one.
    pub(crate) rest: Vec<f64>,
    /// By row: standard deviation of the good ones.
    pub(crate) sigma: Vec<f64>,
    /// By row: what is usual, where the rest is in units of it (latencies, microseconds); else 1.
    pub(crate) unit: Vec<f64>,
    /// The usual part of the expected rate, of most rows.
    pub(crate) efficiency: f64,
    /// How much the good ones of those vary.
    pub(crate) noise: f64,
    /// What is usual of pairs that share links, as a part of what is usual of pairs with links to themselves; 1 where either is unknown.
    pub(crate) sharing: f64,
}

/// Numbers of this very measurement that are strays: a busy machine makes more of them, and nearer ones, than a quiet one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Strays {
    /// Of so many numbers.
    pub(crate) of: f64,
    /// So many are strays.
    pub(crate) count: f64,
    /// How far off these are, added up.
    pub(crate) off: f64,
    /// Whether they are delays, in units of what is usual: those of strays are of any order of magnitude.
    pub(crate) delays: bool,
}

impl Strays {
    /// How far off a number is, where it is a stray.
    pub(crate) fn is(rest: f64, sigma: f64, shift: f64) -> Option<f64> {
        let off = (rest - shift).abs();
        (off > STRAYS * sigma).then_some(off)
    }

    /// Density of strays that are so far off: at least what is assumed of all measurements, and else exponential.
    fn density(&self, off: f64) -> f64 {
        let assumed = STRAY * STRAY_DENSITY / if self.delays { off.max(1.0) } else { 1.0 };
        if self.count <= 0.0 {
            return assumed;
        }
        let scale = self.off / self.count;
        let most = 0.5 * self.count / self.of / scale;
        if most <= assumed { assumed } else { assumed.max(most * (-off / scale).exp()) }
    }
}

/// ln of the density of a rest, where `shift` is what a fault explains of it.
pub(crate) fn likelihood(rest: f64, sigma: f64, shift: f64, strays: Strays) -> f64 {
    let off = rest - shift;
    let variance = sigma * sigma + (UNSTEADY * shift).powi(2);
    let exponent = -0.5 * off * off / variance;
    // So far off only strays are: what is left of the good is not looked for among the denormal numbers.
    let good = if exponent > NEVER { exponent.exp() / (variance * std::f64::consts::TAU).sqrt() } else { 0.0 };
    ((1.0 - STRAY) * good + strays.density(off.abs())).ln()
}

/// What no shift makes a number likelier than.
pub(crate) fn likeliest(sigma: f64, strays: Strays) -> f64 {
    ((1.0 - STRAY) / (sigma * std::f64::consts::TAU.sqrt()) + strays.density(0.0)).ln()
}

/// `explained` is what faults already explain, by row.
pub(crate) fn model(flows: &Flows, rates: &[f64], explained: &[f64]) -> Model {
    let latency = flows.latency();
    let mut classes: BTreeMap<(u8, i64, bool), Vec<usize>> = BTreeMap::new();
    let mut value = Vec::with_capacity(flows.rows.len());
    let mut shares = Vec::with_capacity(flows.rows.len());
    for (at, row) in flows.rows.iter().enumerate() {
        let alone = combined(row, |f| crate::share::alone(flows.way(f), |l| flows.capacity(l)));
        let hops: usize = row.flows.clone().map(|f| flows.way(f).len()).sum();
        let expected = combined(row, |f| rates[f as usize]);
        let (y, class) = match latency {
            true => (row.value, (row.kind as u8, hops as i64, false)),
            false => {
                ((row.value / expected).ln(), (row.kind as u8, (alone.ln() * 20.0) as i64, expected < 0.97 * alone))
            }
        };
        value.push(y);
        shares.push(class.2);
        classes.entry(class).or_default().push(at);
    }
    // Small classes take what is usual of all together.
    let (small, large): (Vec<_>, Vec<_>) = classes.into_values().partition(|rows| rows.len() < CLASS);
    let mut groups = large;
    let n = value.len();
    // What a number is expected to have more than the others of its group.
    let mut ahead = vec![0.0; n];
    if latency {
        let of_several = |rows: &Vec<usize>| flows.rows[rows[0]].flows.len() > PAIR;
        let (several, lone): (Vec<_>, Vec<_>) = small.into_iter().partition(of_several);
        groups.extend(lone);
        if !several.is_empty() {
            let (large, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(of_several);
            groups = others;
            let several = [several, large].concat().concat();
            by_hops(flows, &several, |r| value[r] - explained[r], &mut ahead);
            groups.push(several);
        }
    } else if !small.is_empty() {
        let rest: Vec<usize> = small.concat();
        if rest.len() >= CLASS || groups.is_empty() {
            groups.push(rest);
        } else if let Some(most) = groups.iter_mut().max_by_key(|g| g.len()) {
            most.extend(rest);
        }
    }
    let mut largest = [(0, 0.0); 2];
    let (mut rest, mut sigma, mut units) = (vec![0.0; n], vec![1.0; n], vec![1.0; n]);
    let mut biggest = (0, 1.0, 0.0);
    for rows in groups {
        let mut y: Vec<f64> = rows.iter().map(|&r| value[r] - explained[r] - ahead[r]).collect();
        y.sort_by(f64::total_cmp);
        let Usual { middle, sigma: spread } = usual(&y);
        let unit_of = |r: usize| if latency { (middle + ahead[r]).abs().max(1e-9) } else { 1.0 };
        for r in &rows {
            let unit = unit_of(*r);
            rest[*r] = (value[*r] - middle - ahead[*r]) / unit;
            units[*r] = unit;
            sigma[*r] = (spread / unit).max(least_sigma(&flows.rows[*r]));
        }
        let all_share = rows.iter().filter(|r| shares[**r]).count();
        let of_kind = usize::from(all_share > 0);
        if (all_share == 0 || all_share == rows.len()) && rows.len() >= CLASS.max(largest[of_kind].0) {
            largest[of_kind] = (rows.len(), middle);
        }
        if rows.len() > biggest.0 {
            let unit = if latency { middle.abs().max(1e-9) } else { 1.0 };
            biggest = (rows.len(), if latency { middle } else { middle.exp() }, spread / unit);
        }
    }
    let known = !latency && largest.iter().all(|(rows, _)| *rows > 0);
    let sharing = if known { (largest[1].1 - largest[0].1).exp() } else { 1.0 };
    Model { rest, sigma, unit: units, efficiency: biggest.1, noise: biggest.2, sharing }
}

/// Means over several pairs have as many classes as there are mixtures of ways: too few numbers each to tell what is usual. More hops
/// add as much everywhere, so what a mean is expected to have more than others is found by a line through all of them, with the
/// usual one of the slopes between two. O(rows^2) of at most `MOST_MEANS`.
fn by_hops(flows: &Flows, rows: &[usize], value: impl Fn(usize) -> f64, ahead: &mut [f64]) {
    let hops = |r: usize| {
        let own = flows.rows[r].flows.clone();
        own.clone().map(|f| flows.way(f).len()).sum::<usize>() as f64 / own.len().max(1) as f64
    };
    let every = rows.len().div_ceil(MOST_MEANS).max(1);
    let some: Vec<(f64, f64)> = rows.iter().step_by(every).map(|&r| (hops(r), value(r))).collect();
    let mut slopes: Vec<f64> = some
        .iter()
        .enumerate()
        .flat_map(|(at, a)| some[..at].iter().filter(|b| b.0 != a.0).map(|b| (a.1 - b.1) / (a.0 - b.0)))
        .collect();
    slopes.sort_by(f64::total_cmp);
    if slopes.is_empty() {
        return;
    }
    let slope = usual(&slopes).middle;
    let mean = some.iter().map(|(hops, _)| hops).sum::<f64>() / some.len() as f64;
    rows.iter().for_each(|&r| ahead[r] = slope * (hops(r) - mean));
}

/// What is usual among numbers.
struct Usual {
    /// The middle of the good ones.
    middle: f64,
    /// How much these vary.
    sigma: f64,
}

/// Of sorted numbers: the shortest half, then what lies near it.
fn usual(sorted: &[f64]) -> Usual {
    let n = sorted.len();
    if n < 2 {
        return Usual { middle: sorted.first().copied().unwrap_or(0.0), sigma: 0.05 };
    }
    let half = n / 2 + 1;
    let start = (0..=n - half)
        .min_by(|&a, &b| (sorted[a + half - 1] - sorted[a]).total_cmp(&(sorted[b + half - 1] - sorted[b])));
    let start = start.unwrap_or(0);
    let near = &sorted[start..start + half];
    let mut middle = near.iter().sum::<f64>() / half as f64;
    let mut sigma = (near[half - 1] - near[0]) / (2.0 * 0.6745) + 1e-9;
    for _ in 0..6 {
        let good: Vec<f64> = sorted.iter().copied().filter(|y| (y - middle).abs() <= 2.5 * sigma).collect();
        if good.len() < half.min(3) {
            break;
        }
        middle = good.iter().sum::<f64>() / good.len() as f64;
        let square = good.iter().map(|y| (y - middle).powi(2)).sum::<f64>() / (good.len().max(2) - 1) as f64;
        // What lies beyond 2.5 deviations was cut off.
        sigma = square.sqrt() * 1.05 + 1e-9;
    }
    Usual { middle, sigma }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_that_is_slow_moves_nothing() {
        let mut y: Vec<f64> = (0..60).map(|i| f64::from(i % 11) * 0.01 - 0.05).collect();
        y.extend((0..30).map(|i| -0.4 + f64::from(i % 5) * 0.01));
        y.sort_by(f64::total_cmp);
        let Usual { middle, sigma } = usual(&y);
        assert!(middle.abs() < 0.01 && (0.025..0.045).contains(&sigma), "{middle} {sigma}");
    }
}
