//! Lowering the busiest link goal by goal.
//!
//! The first goal is half of what the busiest link has, which is mostly out of
//! reach: on the way there the search learns more than from a goal just below.
//! While that helps, the same share of what was reached is aimed at again;
//! else the next goal is nearer, down to some percent below, and so round.

use super::anneal::{Annealer, BATCH};
use super::moves::Moves;
use super::state::State;

/// A limit is kept where it is exceeded by less: hops are rounded to 24 bits.
const ROUNDING: f64 = 1e-6;
/// One move of so many is left for shorter ways between links that are as busy.
const TIDYING: u64 = 8;
/// Steps from what was reached to the goal, as a share.
const LARGEST_STEP: f64 = 0.5;
const SMALLEST_STEP: f64 = 0.02;

/// A search under way.
pub(in crate::mapping) struct Descent<'a, 'b> {
    state: &'b mut State<'a>,
    annealer: Annealer<'a>,
    /// The best places so far, and their busiest links.
    places: Vec<u32>,
    reached: [f64; 2],
    /// Busy time below which no link needs to go.
    floor: f64,
    left: u64,
    stop: &'b mut dyn FnMut(u64) -> bool,
    stopped: bool,
}

impl<'a, 'b> Descent<'a, 'b> {
    /// Moves the tasks of the annealer so that the links that matter to the
    /// state are less busy, down to `floor`. `stop` is told how many moves were
    /// made since the last time, and ends the search.
    pub(in crate::mapping) fn new(
        state: &'b mut State<'a>,
        annealer: Annealer<'a>,
        floor: f64,
        stop: &'b mut dyn FnMut(u64) -> bool,
    ) -> Self {
        Descent {
            places: state.places().to_vec(),
            reached: state.busiest(),
            annealer,
            state,
            floor,
            left: 0,
            stop,
            stopped: false,
        }
    }

    /// Tries up to `moves` moves of the given kinds, the most general last: the
    /// others each for a while by themselves, then all at each goal; last, messages
    /// go less far between links that are as busy. The state ends in the best places.
    pub(in crate::mapping) fn run(mut self, kinds: &[Moves], moves: u64) {
        let Some((general, special)) = kinds.split_last() else { return };
        for kind in special {
            self.left = moves / 8;
            self.lower(&[], kind, true);
        }
        self.left = moves - moves / 8 * special.len() as u64 - moves / TIDYING;
        if self.reached[1] > self.reached[0] {
            self.lower_hosts(general);
        }
        self.lower(special, general, false);
        self.state.settle(&self.places);
        self.shorten(general, moves / TIDYING);
    }

    /// With the busiest links as they are, messages that go less far. Their last
    /// places are the best: the end is cold.
    fn shorten(&mut self, kind: &Moves, moves: u64) {
        self.state.aim(self.reached.map(|busy| busy * (1.0 + ROUNDING)));
        if self.stopped || moves == 0 || self.state.over() > 0 {
            return;
        }
        let before = self.state.travel();
        let Descent { annealer, state, stop, .. } = self;
        annealer.shorten(state, kind, moves, &mut |_, done| stop(done));
        if self.state.travel() > before {
            self.state.settle(&self.places);
        }
    }

    /// Sets goals until no moves are left, or `once` down to the smallest step:
    /// a short while for special kinds, longer for the general one.
    fn lower(&mut self, special: &[Moves], general: &Moves, once: bool) {
        let short = (self.left / 64).max(BATCH);
        let mut step = LARGEST_STEP;
        while self.left > 0 && !self.stopped {
            let Some(goal) = self.goal(step) else { return };
            let mut better = false;
            for kind in special {
                self.state.settle(&self.places);
                better |= self.attempt(kind, goal, short);
            }
            let long = (self.left / 6).max(short);
            better |= self.attempt(general, goal, long);
            match (better, step > SMALLEST_STEP) {
                (true, _) => {}
                (false, true) => step /= 2.0,
                (false, false) if once => return,
                (false, false) => step = LARGEST_STEP,
            }
        }
    }

    /// Host links often carry the same wherever tasks sit: a few short attempts
    /// tell.
    fn lower_hosts(&mut self, kind: &Moves) {
        let moves = (self.left / 64).max(BATCH);
        for step in [LARGEST_STEP, LARGEST_STEP / 4.0, SMALLEST_STEP] {
            let limit = self.reached[1] * (1.0 - step);
            while self.attempt(kind, [limit; 2], moves) && self.reached[1] > limit {}
        }
    }

    /// The limits of the next goal; `None` where no link between routers needs
    /// to be lowered. Host links may stay as they are, or follow.
    fn goal(&self, step: f64) -> Option<[f64; 2]> {
        let [network, host] = self.reached;
        if network <= self.floor * (1.0 + 4.0 * ROUNDING) || network <= 0.0 {
            return None;
        }
        let limit = (network * (1.0 - step)).max(self.floor);
        let host = if host > network { host } else { limit };
        Some([limit, host].map(|limit| limit * (1.0 + ROUNDING)))
    }

    /// Searches below the limits; true where something better than before was
    /// reached, which is kept.
    fn attempt(&mut self, kind: &Moves, goal: [f64; 2], moves: u64) -> bool {
        // What the last attempt left is often nearer to the goal than the best.
        let cost_left = self.state.aim(goal);
        let places_left = self.state.places().to_vec();
        self.state.settle(&self.places);
        if self.state.aim(goal) > cost_left {
            self.state.settle(&places_left);
        }
        self.state.aim(goal);
        let before = self.reached;
        let Descent { annealer, state, places, reached, left, stopped, stop, .. } = self;
        annealer.run(state, kind, moves.min(*left), &mut |state, done| {
            *left = left.saturating_sub(done);
            *stopped = stop(done);
            let busiest = state.busiest();
            if is_less(busiest, *reached) {
                places.copy_from_slice(state.places());
                *reached = busiest;
            }
            *stopped || *left == 0
        });
        is_less(self.reached, before)
    }
}

/// Whether the busiest link is less busy, or of equal ones that between routers.
fn is_less(a: [f64; 2], b: [f64; 2]) -> bool {
    let most = |x: [f64; 2]| x[0].max(x[1]);
    let less = |a: f64, b: f64| a < b * (1.0 - 2.0 * ROUNDING);
    less(most(a), most(b)) || !less(most(b), most(a)) && less(a[0], b[0])
}
