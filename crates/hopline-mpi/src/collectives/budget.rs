//! What finding a better way may cost: a share of the time that the job has run, so that however
//! early it ends it is hardly slower. A short job learns nothing and loses nothing.

/// Of the budget at most so much goes into delays; the rest is for trials.
const LEARNING: f64 = 0.5;
/// Nor do delays take more than this share of the time that large collectives have taken: there is no more to gain.
const WORTHWHILE: f64 = 0.25;
/// To look at a communicator takes as long as so many small collectives; as measured, 6 to 15.
const ROUNDS: f64 = 16.0;

/// What a look at a communicator is expected to take, and what is left for it, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Allowance {
    pub(super) left: f64,
    pub(super) expects: f64,
}

/// What this process has spent; in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Budget {
    /// Of the time that the job has run; 1 and more is no limit.
    share: f64,
    spent: f64,
    /// Without what was gained.
    gross: f64,
    learned: f64,
    collectives: f64,
    /// Communicators that were looked at, and what that took.
    met: (u32, f64),
    /// The quickest small collective.
    round: f64,
}

impl Budget {
    pub(super) fn new(percent: f64) -> Budget {
        Budget {
            share: percent / 100.0,
            spent: 0.0,
            gross: 0.0,
            learned: 0.0,
            collectives: 0.0,
            met: (0, 0.0),
            round: f64::INFINITY,
        }
    }

    /// A large collective took so long.
    pub(super) fn called(&mut self, seconds: f64) {
        self.collectives += seconds;
    }

    /// So much was lost; what is negative was gained.
    pub(super) fn spend(&mut self, seconds: f64) {
        self.spent += seconds;
        self.gross += seconds.max(0.0);
    }

    /// So much went into delays.
    pub(super) fn learn(&mut self, seconds: f64) {
        self.learned += seconds;
        self.spend(seconds);
    }

    /// A communicator was looked at.
    pub(super) fn met(&mut self, seconds: f64) {
        self.met = (self.met.0 + 1, self.met.1 + seconds);
        self.spend(seconds);
    }

    /// Ranks asked each other, by a small collective, whether a communicator can be looked at.
    pub(super) fn asked(&mut self, seconds: f64) {
        self.round = self.round.min(seconds);
        self.spend(seconds);
    }

    /// What to look at another communicator will take, after the job has run for so long. Nobody knows before the
    /// first question was asked, so the first call of a job is the library's unless there is no limit.
    pub(super) fn meets(&self, ran: f64) -> Allowance {
        let (count, seconds) = self.met;
        let expects = match count {
            _ if self.share >= 1.0 => 0.0,
            0 => ROUNDS * self.round,
            _ => seconds / f64::from(count),
        };
        Allowance { left: self.left(ran), expects }
    }

    /// What was lost in all, whatever was gained.
    pub(super) fn gross(&self) -> f64 {
        self.gross
    }

    /// What is left after the job has run for so long.
    pub(super) fn left(&self, ran: f64) -> f64 {
        if self.share >= 1.0 { f64::MAX } else { self.share * ran - self.spent }
    }

    /// How many of `open` pairs of nodes may be measured now, at `each` seconds; one where `each` is a guess.
    pub(super) fn pairs(&self, ran: f64, open: usize, each: f64, guess: bool) -> usize {
        if self.share >= 1.0 {
            return open;
        }
        let share = self.left(ran).min(LEARNING * self.share * ran - self.learned);
        let seconds = share.min(WORTHWHILE * self.collectives - self.learned);
        let most = if guess { 1 } else { open };
        // Not a number, and what is below nought, becomes nought.
        ((seconds / each) as usize).min(most).min(open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A job of calls of `call` seconds, asked after each: what share of its time went into delays, at worst.
    fn worst(call: f64, pair: f64) -> (f64, usize) {
        let mut budget = Budget::new(2.0);
        let (mut ran, mut open, mut worst) = (0.5, 28, 0.0f64);
        for number in 0..20_000 {
            ran += call;
            budget.called(call);
            let pairs = budget.pairs(ran, open, pair, number < 2);
            budget.learn(pairs as f64 * pair);
            ran += pairs as f64 * pair;
            open -= pairs;
            worst = worst.max(budget.learned / ran);
        }
        (worst, open)
    }

    #[test]
    fn learning_takes_a_hundredth_of_the_time_at_most_whenever_the_job_ends() {
        for (call, pair) in [(0.3, 0.03), (1e-4, 1e-4), (0.1, 2.0), (1e-3, 0.05)] {
            let (worst, open) = worst(call, pair);
            assert!(worst <= 0.01, "{call} {pair}: {worst}");
            assert!(open == 0 || 20_000.0 * call * 0.01 < 28.0 * pair, "{call} {pair}: {open} left");
        }
    }

    /// True where a communicator can be looked at.
    fn affords(budget: &Budget, ran: f64) -> bool {
        let Allowance { left, expects } = budget.meets(ran);
        expects <= left
    }

    #[test]
    fn communicators_are_looked_at_while_that_is_below_the_share() {
        for (percent, met) in [(0.0, 0), (2.0, 19), (100.0, 1000)] {
            // One every millisecond, each of which takes a millisecond to look at, and next to nothing to ask about.
            let mut budget = Budget::new(percent);
            budget.asked(1e-9);
            let found = (0..1000).filter(|&at| {
                let meets = affords(&budget, f64::from(at) / 1e3);
                if meets {
                    budget.met(1e-3);
                }
                meets
            });
            assert_eq!(found.count(), met, "{percent} %");
        }
    }

    #[test]
    fn the_first_look_waits_until_it_can_be_paid() {
        let mut budget = Budget::new(2.0);
        assert!(!affords(&budget, 1e9), "what it takes is not known");
        budget.asked(1e-3);
        // 16 ms for the look, one for the question: 2 % of 850 ms.
        assert!(!affords(&budget, 0.84));
        assert!(affords(&budget, 0.86));
        assert!(affords(&Budget::new(100.0), 0.0));
    }

    #[test]
    fn a_hundred_percent_is_no_limit_and_odd_numbers_are_none() {
        assert_eq!(Budget::new(100.0).pairs(0.0, 28, f64::INFINITY, true), 28);
        let budget = Budget::new(2.0);
        for each in [f64::INFINITY, f64::NAN, 0.0, -1.0] {
            assert!(budget.pairs(0.0, 28, each, false) == 0, "{each}");
        }
        assert_eq!(Budget::new(0.0).left(100.0), 0.0);
    }
}
