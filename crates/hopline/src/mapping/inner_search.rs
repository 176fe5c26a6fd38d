//! Search inside the parts of a level: what another mapping puts into a part
//! stays there. "A careful mapping of quads to nodes", which Chakaravarthy et al.
//! (section IV-C) leave for later.

use super::search::{self, Annealer, Descent, Inside, MIXED, Moves, Parts, State, TaskGraph, WHOLE_HOSTS};
use super::{Context, Mapping, Obedience, Problem, Strategy, blocks, build};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::event::{Control, Event};
use crate::files::Files;
use crate::parallel;
use crate::params::{Params, Reader};
use crate::rng::Rng;
use std::sync::Mutex;

pub(super) const ENTRY: Entry = Entry {
    name: "inner-search",
    summary: "another mapping, with tasks rearranged inside the parts of a level",
    doc: "Takes the mapping of= and searches as congestion-search does, with exchanges inside the parts of a level only: \
          first of whole hosts, then of single tasks. What goes from part to part stays as it was; the links inside the \
          parts become less busy. Ends when no rearrangement can do better: the links between the parts are busy for \
          as long wherever tasks sit inside them.\n\
          Where the routes tell that exchanges inside different parts never change the same link (direct routing on \
          PERCS), every part is searched by itself, on as many threads as there are.\n\
          Source: the PERCS mapping paper, section IV-C, names the inner mapping as future work.",
    example: "inner-search:of=mod-coloring,evaluations=4000",
    params: &[
        param("of", "a mapping", "", "which tasks go to which part, such as [blocks:level=supernode]"),
        param("level", "a level of the fabric", "the outermost", "inside whose parts tasks are exchanged"),
        param("evaluations", "count", "some seconds' worth", "exchanges that are tried"),
    ],
};

/// A search inside the parts of a level: see the list.
pub struct InnerSearch {
    of: Box<dyn Strategy>,
    level: Option<String>,
    evaluations: Option<u64>,
}

impl InnerSearch {
    /// Inside the parts of the outermost level, from what another strategy chooses.
    pub fn new(of: impl Strategy + 'static) -> InnerSearch {
        InnerSearch { of: Box::new(of), level: None, evaluations: None }
    }

    /// The same of the parts of this level.
    #[must_use]
    pub fn level(mut self, level: &str) -> Self {
        self.level = Some(level.to_string());
        self
    }

    /// The same with so many moves tried.
    #[must_use]
    pub fn evaluations(mut self, evaluations: u64) -> Self {
        self.evaluations = Some(evaluations);
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, files: &dyn Files) -> Result<Box<dyn Strategy>> {
    let of: String = reader.need("of")?;
    let of = build(&Params::from_spec(&of, reader.place_of("of"))?, files)?;
    Ok(Box::new(InnerSearch { of, level: reader.get("level")?, evaluations: reader.get("evaluations")? }))
}

impl Strategy for InnerSearch {
    fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("of", &self.of.to_string()[..]);
        params.maybe("level", self.level.as_deref()).maybe("evaluations", self.evaluations)
    }

    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let graph = search::task_graph(problem, ENTRY.name)?;
        let level = match (&self.level, problem.fabric().levels().last()) {
            (Some(level), _) => level.clone(),
            (None, Some(outermost)) => outermost.name.clone(),
            (None, None) => {
                let text = format!("mapping `inner-search`: {} has no levels", problem.fabric().name());
                return Err(Error::input(text).hint("use congestion-search"));
            }
        };
        let parts = parts(problem, &level)?;
        let start = self.of.map(problem, context)?;
        let moves = self.evaluations.unwrap_or_else(|| search::some_seconds(&graph));
        let found = rearrange(problem, &graph, &start, parts, moves, context)?;
        let better = problem.score(&found)?.is_better(&problem.score(&start)?);
        Ok(if better { found } else { start })
    }
}

/// The least busy time (seconds per GB x amount, as [`super::Score`] counts it) of the
/// busiest link between routers that any rearrangement of `mapping` inside the
/// parts of `level` can reach, or less: O(pairs of parts that talk x pairs of
/// their endpoints). `None` where routes are too many to look at.
///
/// # Errors
/// The level is unknown, or the traffic has no single messages.
pub fn inner_bound(problem: &Problem<'_>, mapping: &Mapping, level: &str) -> Result<Option<f64>> {
    let graph = search::task_graph(problem, ENTRY.name)?;
    let state = State::new(problem, &graph, mapping)?;
    let parts = parts(problem, level)?;
    Ok(search::floor(problem, &graph, state.places(), &parts))
}

/// The parts of a level as parts of the places.
fn parts(problem: &Problem<'_>, level: &str) -> Result<Parts> {
    let mut part = rustc_hash::FxHashMap::default();
    for (number, slots) in (0u32..).zip(blocks::parts_of(problem, level)?) {
        part.extend(slots.into_iter().map(|slot| (slot, number)));
    }
    Ok(Parts::new(problem.slots(), |slot| part[&slot]))
}

/// Tries `moves` exchanges inside the parts.
fn rearrange(
    problem: &Problem<'_>,
    graph: &TaskGraph,
    start: &Mapping,
    parts: Parts,
    moves: u64,
    context: &mut Context<'_>,
) -> Result<Mapping> {
    let mut state = State::new(problem, graph, start)?;
    let inside = search::inside(problem, graph, state.places(), &parts);
    let kinds = [WHOLE_HOSTS, MIXED].map(|whole| Moves::within(problem, parts.clone(), whole));
    context.observer.event(Event::Stage { what: "inner search".into(), steps: moves });
    let seen = Mutex::new((0, &mut *context.observer));
    let stop = |moves: u64| match seen.lock() {
        Ok(mut seen) => {
            seen.0 += moves;
            let done = seen.0;
            seen.1.event(Event::Progress(done)) == Control::Stop
        }
        Err(_) => true,
    };
    match inside {
        Some(Inside { floor, links: Some(links) }) => {
            let seed = context.rng.below(u64::MAX);
            let share = moves / links.len().max(1) as u64;
            let tasks_of = |part: &[u32]| -> Vec<u32> {
                part.iter().map(|&place| state.task(place)).filter(|&t| t < graph.tasks()).collect()
            };
            // A state that has searched other parts serves as well: they share no link.
            let arranged = parallel::map_with(
                links.len(),
                || state.clone(),
                |state, part| -> Vec<(u32, u32)> {
                    let tasks = tasks_of(&parts.places()[part]);
                    if tasks.is_empty() {
                        return Vec::new();
                    }
                    state.watch(problem.fabric(), &links[part]);
                    let annealer = Annealer::new(graph, tasks.clone(), Rng::new(seed, &part.to_string()));
                    Descent::new(state, annealer, floor, &mut |moves| stop(moves)).run(&kinds, share);
                    tasks.into_iter().map(|t| (t, state.place(t))).collect()
                },
            );
            let mut places = state.places().to_vec();
            arranged.into_iter().flatten().for_each(|(task, place)| places[task as usize] = place);
            search::mapping(problem, &places)
        }
        other => {
            let annealer = Annealer::new(graph, (0..graph.tasks()).collect(), context.rng.clone());
            let floor = other.map_or(0.0, |inside| inside.floor);
            Descent::new(&mut state, annealer, floor, &mut |moves| stop(moves)).run(&kinds, moves);
            search::mapping(problem, state.places())
        }
    }
}
