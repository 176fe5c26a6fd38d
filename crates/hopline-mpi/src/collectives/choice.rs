//! Which way calls of a kind go: the library's until a trial can be paid, both in turn, and what was
//! faster from then on. Our way is measured again now and then, and left where it no longer is faster. One slow call
//! decides nothing, as it may have met with other traffic: a second one has to say the same.

/// Faster by less than this is taken for chance.
const MARGIN: f64 = 0.95;
/// Slower than this in two trials, and there is no third; after the first, the second waits until it can be paid.
const HOPELESS: f64 = 1.5;
/// Trials of our way that show that it is hopeless.
const LOOKS: u32 = 2;

/// Rates are in seconds a byte.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Choice {
    Own,
    /// The library's for now.
    Waiting,
    /// The number of the call, and the best rates of the library's way and of ours.
    Trial(u32, [f64; 2]),
    /// Calls so far, the library's rate where it is known, and ours of the last call where that was slower.
    Ours(u64, Option<f64>, Option<f64>),
}

/// How one call goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) ours: bool,
    pub(super) timed: bool,
}

/// What a timed call has shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// The rates of both ways, and whether ours is used.
    Judged([f64; 2], bool),
    /// Ours became slower than the library's was.
    Dropped([f64; 2]),
}

impl Choice {
    /// Ours from the first call, beside the library's rate where it is known.
    pub(super) fn ours(own: Option<f64>) -> Choice {
        Choice::Ours(0, own, None)
    }

    /// How the next call, of so many `bytes`, goes; a trial of a call of `given` seconds begins where it could be twice
    /// as slow for the `credit`. What was hopeless is looked at again where the same loss can be paid.
    pub(super) fn turn(&mut self, given: f64, bytes: u64, credit: &mut f64) -> Turn {
        if *self == Choice::Waiting && 2.0 * given <= *credit {
            *credit -= 2.0 * given;
            *self = Choice::Trial(0, [f64::INFINITY; 2]);
        }
        let turn = |ours, timed| Turn { ours, timed };
        let waits = self.waits();
        match self {
            Choice::Own | Choice::Waiting => turn(false, false),
            Choice::Trial(_, best) if waits => {
                let loss = (best[1] - best[0]) * bytes as f64;
                let pays = loss <= *credit;
                *credit -= if pays { loss } else { 0.0 };
                turn(pays, pays)
            }
            Choice::Trial(number, _) => turn(*number % 2 == 1, true),
            Choice::Ours(calls, own, slower) => {
                *calls += 1;
                turn(true, slower.is_some() || own.is_some() && calls.is_power_of_two())
            }
        }
    }

    /// True where it depends on what can be paid how the next call goes.
    pub(super) fn waits(&self) -> bool {
        match self {
            Choice::Waiting => true,
            Choice::Trial(number, best) => number % 2 == 1 && is_hopeless(best),
            Choice::Own | Choice::Ours(..) => false,
        }
    }

    /// The library's rate, where it is known.
    pub(super) fn own(&self) -> Option<f64> {
        match self {
            Choice::Own | Choice::Waiting => None,
            Choice::Trial(_, [own, _]) => own.is_finite().then_some(*own),
            Choice::Ours(_, own, _) => *own,
        }
    }

    /// After a timed call.
    pub(super) fn after(&mut self, ours: bool, rate: f64, trials: u32) -> Option<Verdict> {
        match self {
            Choice::Own | Choice::Waiting | Choice::Ours(_, None, _) => None,
            Choice::Trial(number, best) => {
                let this = &mut best[usize::from(ours)];
                *this = this.min(rate);
                *number += 1;
                let best = *best;
                let hopeless = *number >= 2 * LOOKS && is_hopeless(&best);
                if *number < 2 * trials && !hopeless {
                    return None;
                }
                let wins = best[1] < MARGIN * best[0];
                *self = if wins { Choice::ours(Some(best[0])) } else { Choice::Own };
                Some(Verdict::Judged(best, wins))
            }
            Choice::Ours(_, Some(own), slower) => {
                let before = slower.take();
                if rate <= *own {
                    return None;
                }
                let Some(before) = before else {
                    *slower = Some(rate);
                    return None;
                };
                let rates = [*own, rate.min(before)];
                *self = Choice::Waiting;
                Some(Verdict::Dropped(rates))
            }
        }
    }
}

/// True where our way is so much slower than the library's that it hardly is chance.
fn is_hopeless([own, ours]: &[f64; 2]) -> bool {
    ours.is_finite() && *ours > HOPELESS * own
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of `rates` of the library's way and ours, until a verdict: how many there were, and which.
    fn judged(choice: &mut Choice, rates: [f64; 2], trials: u32) -> (u32, Option<Verdict>) {
        for call in 1..40 {
            let turn = choice.turn(1.0, 1, &mut 2.0);
            let verdict = turn.timed.then(|| choice.after(turn.ours, rates[usize::from(turn.ours)], trials)).flatten();
            if verdict.is_some() {
                return (call, verdict);
            }
        }
        (40, None)
    }

    #[test]
    fn nothing_is_tried_on_credit_that_is_not_there() {
        let mut choice = Choice::Waiting;
        assert_eq!(choice.turn(1.0, 1, &mut 1.9), Turn { ours: false, timed: false });
        let mut credit = 5.0;
        assert_eq!(choice.turn(1.0, 1, &mut credit), Turn { ours: false, timed: true });
        assert_eq!(credit, 3.0);
    }

    #[test]
    fn what_is_faster_is_used_and_what_is_hopeless_is_tried_twice() {
        let mut choice = Choice::Waiting;
        assert_eq!(judged(&mut choice, [3.0, 1.0], 2), (4, Some(Verdict::Judged([3.0, 1.0], true))));
        assert_eq!(choice, Choice::ours(Some(3.0)));
        let mut choice = Choice::Waiting;
        assert_eq!(judged(&mut choice, [1.0, 0.99], 2), (4, Some(Verdict::Judged([1.0, 0.99], false))));
        let mut choice = Choice::Waiting;
        assert_eq!(judged(&mut choice, [1.0, 2.0], 9), (4, Some(Verdict::Judged([1.0, 2.0], false))));
        assert_eq!(choice, Choice::Own);
    }

    #[test]
    fn one_slow_trial_is_looked_at_again_once_that_can_be_paid() {
        // The library's way, ours beside other traffic, the library's, ours.
        let mut choice = Choice::Waiting;
        let bytes = 100;
        let mut verdict = None;
        for rate in [1.0, 9.0, 1.0, 0.5] {
            assert_eq!(verdict, None);
            let turn = choice.turn(100.0, bytes, &mut 1000.0);
            assert!(turn.timed);
            verdict = choice.after(turn.ours, rate, 2);
        }
        assert_eq!(verdict, Some(Verdict::Judged([1.0, 0.5], true)));

        let mut choice = Choice::Trial(3, [1.0, 9.0]);
        let mut credit = 799.0;
        for _ in 0..5 {
            assert_eq!(choice.turn(100.0, bytes, &mut credit), Turn { ours: false, timed: false });
        }
        assert_eq!((credit, choice.own()), (799.0, Some(1.0)), "the library's until then");
        credit = 800.0;
        assert_eq!(choice.turn(100.0, bytes, &mut credit), Turn { ours: true, timed: true });
        assert_eq!(credit, 0.0);
    }

    #[test]
    fn ours_is_left_where_it_becomes_slower_than_the_librarys_was() {
        let mut choice = Choice::ours(Some(3.0));
        assert_eq!(judged(&mut choice, [3.0, 1.0], 2), (40, None));
        assert_eq!(choice, Choice::Ours(39, Some(3.0), None));
        let dropped = Some(Verdict::Dropped([3.0, 3.5]));
        assert_eq!(judged(&mut choice, [3.0, 3.5], 2), (26, dropped), "the 64th and 65th calls are measured");
        assert_eq!(choice, Choice::Waiting);
        // Where the library's was never measured there is nothing to compare with.
        assert_eq!(judged(&mut Choice::ours(None), [1.0, 9.0], 2), (40, None));
    }

    #[test]
    fn one_slow_call_among_fast_ones_changes_nothing() {
        let mut choice = Choice::ours(Some(3.0));
        for (call, rate) in (1..).zip([9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0, 2.9, 1.0]) {
            let turn = choice.turn(1.0, 1, &mut 0.0);
            assert!(turn.ours, "call {call}");
            assert_eq!(turn.timed, [1, 2, 4, 8, 9].contains(&call), "call {call}");
            assert_eq!(turn.timed.then(|| choice.after(true, rate, 2)).flatten(), None, "call {call}");
        }
    }
}
