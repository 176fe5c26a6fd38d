//! Annealing towards a limit on busy times: Kirkpatrick, Gelatt and Vecchi,
//! "Optimization by simulated annealing" (1983), on the cost of the links that
//! are over the limit, with moves of the tasks that load them.

use super::moves::Moves;
use super::state::State;
use super::task_graph::TaskGraph;
use crate::rng::Rng;

/// Moves between two looks at the clock, the list of hot tasks, the temperature.
pub(in crate::mapping) const BATCH: u64 = 2048;
/// First and last temperature, over the geometric mean of what a move costs.
/// Most moves are absurd; those that matter cost a thousandth of them.
const HEAT: (f64, f64) = (1e-3, 2e-5);
/// First and last temperature for distance, over what moves lengthen on average.
const WARMTH: (f64, f64) = (0.2, 0.005);
/// Of 16 moves so many move a task that loads a link over its limit.
const HOT: u64 = 11;

/// How moves are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One at random, taken by its cost and a temperature that falls.
    Annealing,
    /// The best of some, but none of a task that was just moved.
    Tabu,
}

/// What annealing needs beside the state; kept to save its memory.
pub(in crate::mapping) struct Annealer<'a> {
    graph: &'a TaskGraph,
    pub(super) rng: Rng,
    method: Method,
    /// The tasks that may move, and those of them that load a link over its limit.
    pub(super) tasks: Vec<u32>,
    pub(super) hot: Vec<u32>,
    pub(super) pairs: Vec<(u32, u32)>,
}

impl<'a> Annealer<'a> {
    /// Moves none but `tasks`, of which there is at least one.
    pub(in crate::mapping) fn new(graph: &'a TaskGraph, tasks: Vec<u32>, rng: Rng) -> Self {
        Annealer { graph, rng, method: Method::Annealing, tasks, hot: Vec::new(), pairs: Vec::new() }
    }

    /// The same by another method.
    pub(in crate::mapping) fn by(self, method: Method) -> Self {
        Annealer { method, ..self }
    }

    /// Makes up to `moves` moves of `tasks`, until no link is over its limit or
    /// `stop` says so; it is asked after every batch, with the moves of that.
    /// Deterministic but for what `stop` answers.
    pub(in crate::mapping) fn run(
        &mut self,
        state: &mut State<'_>,
        kind: &Moves,
        moves: u64,
        stop: &mut dyn FnMut(&State<'_>, u64) -> bool,
    ) {
        if self.method == Method::Tabu {
            return self.run_tabu(state, kind, moves, stop);
        }
        let mut typical = 0.0;
        let batches = moves.div_ceil(BATCH).max(1);
        for batch in 0..batches {
            state.hot_tasks(&self.tasks, &mut self.hot);
            if batch == 0 {
                typical = self.typical_cost(state, kind);
            }
            let cooled = batch as f64 / batches as f64;
            let temperature = typical * HEAT.0 * (HEAT.1 / HEAT.0).powf(cooled);
            let done = self.batch(state, kind, temperature, BATCH.min(moves - batch * BATCH));
            if stop(state, done) || state.over() == 0 {
                return;
            }
        }
    }

    /// Makes up to `moves` moves of `tasks` that take no link over its limit, so
    /// that messages go less far; of none is, at the start. `stop` as in [`Annealer::run`].
    pub(in crate::mapping) fn shorten(
        &mut self,
        state: &mut State<'_>,
        kind: &Moves,
        moves: u64,
        stop: &mut dyn FnMut(&State<'_>, u64) -> bool,
    ) {
        self.hot.clear();
        let typical = self.typical_length(state, kind);
        let batches = moves.div_ceil(BATCH).max(1);
        for batch in 0..batches {
            let cooled = batch as f64 / batches as f64;
            let temperature = typical * WARMTH.0 * (WARMTH.1 / WARMTH.0).powf(cooled);
            let tried = BATCH.min(moves - batch * BATCH);
            for _ in 0..tried {
                self.propose(state, kind);
                let before = state.travel();
                let possible = state.exchange(&self.pairs).is_finite();
                let grown = state.travel() - before;
                let kept = grown <= 0.0 || grown < 40.0 * temperature && self.rng.unit() < (-grown / temperature).exp();
                if !possible || state.over() > 0 || !kept {
                    state.undo();
                }
            }
            if stop(state, tried) {
                return;
            }
        }
    }

    /// Mean of what moves lengthen that lengthen.
    fn typical_length(&mut self, state: &mut State<'_>, kind: &Moves) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..BATCH / 4 {
            self.propose(state, kind);
            let before = state.travel();
            let possible = state.exchange(&self.pairs).is_finite();
            let grown = state.travel() - before;
            state.undo();
            if possible && grown > 0.0 {
                sum += grown;
                count += 1;
            }
        }
        if count > 0 { sum / f64::from(count) } else { 0.0 }
    }

    /// One batch at one temperature; returns the moves tried.
    fn batch(&mut self, state: &mut State<'_>, kind: &Moves, temperature: f64, moves: u64) -> u64 {
        for done in 0..moves {
            if state.over() == 0 {
                return done;
            }
            self.propose(state, kind);
            let grown = state.exchange(&self.pairs);
            // Beyond 40 temperatures no draw accepts.
            if grown > 0.0 && (grown > 40.0 * temperature || self.rng.unit() >= (-grown / temperature).exp()) {
                state.undo();
            }
        }
        moves
    }

    pub(super) fn propose(&mut self, state: &State<'_>, kind: &Moves) {
        let from = if self.hot.is_empty() || self.rng.below(16) >= HOT { &self.tasks } else { &self.hot };
        let task = from[self.rng.below(from.len() as u64) as usize];
        kind.propose((state, self.graph), task, &mut self.rng, &mut self.pairs);
    }

    /// Geometric mean of what moves cost that cost anything; 0 where none does.
    fn typical_cost(&mut self, state: &mut State<'_>, kind: &Moves) -> f64 {
        let (mut logs, mut count) = (0.0, 0);
        for _ in 0..BATCH / 4 {
            self.propose(state, kind);
            let grown = state.exchange(&self.pairs);
            state.undo();
            if grown > 0.0 && grown.is_finite() {
                logs += grown.ln();
                count += 1;
            }
        }
        if count > 0 { (logs / f64::from(count)).exp() } else { 0.0 }
    }
}
