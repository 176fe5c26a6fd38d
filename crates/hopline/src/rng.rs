//! Seeded random streams that survive dependency upgrades.
//!
//! The generator is PCG-64 (`rand_pcg`); bounded integers and shuffles are our
//! own, because a library may change how it draws them and the same seed must
//! give the same bytes for years.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};

/// 2^64 divided by the golden ratio: multiples of it are spread evenly, and consecutive ones lie far apart.
pub(crate) const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// A seeded random stream. Streams of one seed with different names are independent.
#[derive(Debug, Clone)]
pub struct Rng(Pcg64Mcg);

impl Rng {
    /// The stream `name` of `seed`: each consumer names its own, so that adding
    /// one never shifts the draws of another.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a: stable across platforms and releases, unlike std's hasher.
        let tag =
            name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        Rng(Pcg64Mcg::seed_from_u64(seed.rotate_left(32) ^ tag))
    }

    /// The stream of one of several runs of the same thing; the first is that of [`Rng::new`].
    pub fn of_run(seed: u64, name: &str, run: u32) -> Self {
        match run {
            0 => Rng::new(seed, name),
            _ => Rng::new(seed, &format!("{name} run {run}")),
        }
    }

    /// A uniform integer in `0..bound`; `bound` 0 gives 0. Unbiased (Lemire 2019).
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound <= 1 {
            return 0;
        }
        loop {
            let wide = u128::from(self.0.next_u64()) * u128::from(bound);
            // The division is needed only for the few draws that may be rejected.
            if wide as u64 >= bound || wide as u64 >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Where the stream stands, for [`Rng::from_state`].
    pub fn state(&self) -> u128 {
        self.0.state()
    }

    /// The stream that goes on where another stood.
    pub fn from_state(state: u128) -> Self {
        Rng(Pcg64Mcg::new(state))
    }

    /// 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number in `[0, 1)` with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Fisher and Yates: every order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// `count` distinct indices of `0..of`, ascending.
    pub fn sample(&mut self, count: usize, of: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..of).collect();
        for k in 0..count.min(of) {
            let pick = k + self.below((of - k) as u64) as usize;
            all.swap(k, pick);
        }
        all.truncate(count.min(of));
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_draws_for_ever() {
        let mut rng = Rng::new(1, "test");
        let draws: Vec<u64> = (0..6).map(|_| rng.below(1000)).collect();
        assert_eq!(draws, GOLDEN, "these values must never change: users keep seeds");
        assert_eq!(Rng::from_state(rng.state()).below(1000), rng.below(1000), "a stream goes on");
        assert_ne!(Rng::new(1, "a").below(u64::MAX), Rng::new(1, "b").below(u64::MAX));
    }

    const GOLDEN: [u64; 6] = [53, 13, 904, 264, 249, 890];

    #[test]
    fn draws_stay_in_bounds_and_cover_them() {
        let mut rng = Rng::new(7, "test");
        let mut seen = [0u32; 7];
        for _ in 0..7000 {
            seen[rng.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
        assert!((0..1000).all(|_| (0.0..1.0).contains(&rng.unit())));
    }

    #[test]
    fn samples_are_distinct_and_ascending() {
        let picked = Rng::new(3, "test").sample(64, 4000);
        assert_eq!(picked.len(), 64);
        assert!(picked.windows(2).all(|w| w[0] < w[1]));
    }
}
