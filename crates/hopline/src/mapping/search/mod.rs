//! Search over mappings with loads that follow every move.
//!
//! A [`State`] holds a mapping and the busy time of every link; a move (two
//! tasks, a task and a free place, or all of two hosts exchanged) costs as much
//! as the routes that it changes. [`Descent`] lowers the busiest link goal by
//! goal; each goal is annealed towards with the [`Moves`] that it is given.

mod anneal;
mod busy;
mod descent;
mod every;
mod inside;
mod moves;
mod state;
mod tabu;
mod task_graph;
mod ways;

pub(super) use anneal::Annealer;
pub use anneal::Method;
pub(super) use descent::Descent;
pub(super) use every::every;
pub(super) use inside::{Inside, floor, inside};
pub(super) use moves::{MIXED, Moves, Parts, WHOLE_HOSTS};
pub(super) use state::State;
pub(super) use task_graph::{Pair, TaskGraph};
pub(super) use ways::Ways;

use super::{Mapping, Problem};
use crate::error::{Error, Result};

/// Demands that name more pairs of tasks are not searched.
const MOST_PAIRS: u64 = 1 << 22;

/// Who sends to whom in a problem.
///
/// # Errors
/// Too many pairs to look at each.
pub(super) fn task_graph(problem: &Problem<'_>, mapping: &str) -> Result<TaskGraph> {
    TaskGraph::new(problem.demand(), MOST_PAIRS).ok_or_else(|| {
        let pairs = problem.demand().pairs();
        Error::input(format!("mapping `{mapping}` looks at every pair of tasks, and this traffic has {pairs}"))
            .hint("use a mapping made for the pattern, such as hybrid or blocks")
    })
}

/// The mapping that puts each task at a place, which is an index of the
/// problem's slots.
///
/// # Errors
/// Two tasks at one place.
pub(super) fn mapping(problem: &Problem<'_>, places: &[u32]) -> Result<Mapping> {
    Mapping::new(places.iter().map(|&p| problem.slots()[p as usize]).collect(), problem.fabric())
}

/// Moves that take some seconds on one core, by what a task talks to.
pub(super) fn some_seconds(graph: &TaskGraph) -> u64 {
    let pairs = (0..graph.tasks()).map(|t| graph.of(t).len() as u64).sum::<u64>();
    let peers = pairs / u64::from(graph.tasks().max(1));
    (4_000_000 / peers.max(1)).clamp(20_000, 1_000_000)
}
