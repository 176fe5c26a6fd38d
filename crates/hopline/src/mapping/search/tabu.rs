//! Tabu search towards a limit on busy times: Glover, "Future paths for integer
//! programming and links to artificial intelligence" (1986). Of some moves the
//! best is made, good or bad; the tasks that it moved then rest for a while, so
//! that it is not taken back, unless that is better than anything before.

use super::anneal::{Annealer, BATCH};
use super::moves::Moves;
use super::state::{NOBODY, State};

/// Moves of which the best is made.
const WIDTH: u64 = 32;
/// Steps for which a task rests, and at random as many more.
const REST: u64 = 8;

/// A move and what it costs.
struct Choice {
    grown: f64,
    pairs: Vec<(u32, u32)>,
}

impl Annealer<'_> {
    /// As [`Annealer::run`]; every move that is looked at counts.
    pub(super) fn run_tabu(
        &mut self,
        state: &mut State<'_>,
        kind: &Moves,
        moves: u64,
        stop: &mut dyn FnMut(&State<'_>, u64) -> bool,
    ) {
        let mut rests_until = vec![0u64; state.places().len()];
        // Cost over what it was at the start, now and at best.
        let (mut cost, mut least) = (0.0, 0.0f64);
        let (mut step, mut done) = (0u64, 0u64);
        while done < moves {
            state.hot_tasks(&self.tasks, &mut self.hot);
            let batch = done;
            while done < moves && done - batch < BATCH && state.over() > 0 {
                let mut best: Option<Choice> = None;
                for _ in 0..WIDTH {
                    self.propose(state, kind);
                    let rests = self.moved(state).any(|t| rests_until[t as usize] > step);
                    let grown = state.exchange(&self.pairs);
                    state.undo();
                    done += 1;
                    let allowed = !rests || cost + grown < least;
                    if allowed && grown.is_finite() && best.as_ref().is_none_or(|b| grown < b.grown) {
                        best = Some(Choice { grown, pairs: self.pairs.clone() });
                    }
                }
                step += 1;
                let Some(choice) = best else { continue };
                self.pairs = choice.pairs;
                let until = step + REST + self.rng.below(REST);
                self.moved(state).for_each(|t| rests_until[t as usize] = until);
                cost += state.exchange(&self.pairs);
                least = least.min(cost);
            }
            if stop(state, done - batch) || state.over() == 0 {
                return;
            }
        }
    }

    /// The tasks that the proposed move moves.
    fn moved<'s>(&'s self, state: &'s State<'_>) -> impl Iterator<Item = u32> + 's {
        let both = self.pairs.iter().flat_map(|&(a, b)| [state.task(a), state.task(b)]);
        both.filter(|&t| t != NOBODY)
    }
}
