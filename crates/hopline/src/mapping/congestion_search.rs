//! Search for a mapping whose busiest link is less busy: any job, any fabric,
//! any routing with fixed shares.

use super::search::{self, Annealer, Descent, MIXED, Method, Moves, Parts, State, TaskGraph, WHOLE_HOSTS, Ways};
use super::{Context, Mapping, Obedience, Problem, Score, Strategy, bound, build, multilevel};
use crate::entry::{Entry, param};
use crate::error::{Place, Result};
use crate::event::{Control, Event, Shared};
use crate::fabric::Level;
use crate::files::{Files, Memory};
use crate::parallel;
use crate::params::{Params, Reader};
use crate::rng::Rng;
use std::sync::OnceLock;

pub(super) const ENTRY: Entry = Entry {
    name: "congestion-search",
    summary: "any job, any fabric: moves tasks until the busiest link is as little busy as can be",
    doc: "Starts from a mapping and exchanges tasks, whole hosts inside the parts of the outermost level, and tasks with \
          free slots. The load of every link follows each exchange. A goal is set below the load of the busiest link; \
          exchanges are accepted as in simulated annealing, at the price of the sum over links of the square of what \
          exceeds the goal. Where goals are not reached, nearer ones are set. Where a job of up to 16 tasks has no more \
          placements than there are exchanges to try, and at most 10,000, all of them are looked at. Jobs of up to 256 \
          tasks are begun anew from other mappings with short ways. With method=tabu the best of 32 exchanges is made, \
          good or bad, and the tasks that it moved then rest for some steps (Glover 1986).\n\
          The result depends on the seed and on evaluations= alone, unless a time limit ends the search: then the best \
          mapping so far is taken.\n\
          Memory: at most 0.5 GB of routes. Demands of more than 2^22 pairs of tasks are refused.",
    example: "congestion-search:from=default,evaluations=2000",
    params: &[
        param(
            "from",
            "a mapping",
            "the best that needs no search",
            "where the search starts, such as [blocks:level=drawer]",
        ),
        param("evaluations", "count", "some seconds' worth", "exchanges that are tried"),
        param("method", "annealing|tabu", "annealing", "how exchanges are chosen"),
    ],
};

const METHODS: [Method; 2] = [Method::Annealing, Method::Tabu];

/// A search for less busy links: see the list.
pub struct CongestionSearch {
    from: Option<Box<dyn Strategy>>,
    evaluations: Option<u64>,
    method: Method,
}

impl Default for CongestionSearch {
    fn default() -> CongestionSearch {
        CongestionSearch { from: None, evaluations: None, method: Method::Annealing }
    }
}

impl CongestionSearch {
    /// From the best of several constructions, some seconds long, by annealing.
    pub fn new() -> CongestionSearch {
        CongestionSearch::default()
    }

    /// The same from what another strategy chooses.
    #[must_use]
    pub fn from(mut self, strategy: impl Strategy + 'static) -> CongestionSearch {
        self.from = Some(Box::new(strategy));
        self
    }

    /// The same with so many moves tried.
    #[must_use]
    pub fn evaluations(mut self, evaluations: u64) -> Self {
        self.evaluations = Some(evaluations);
        self
    }

    /// The same with moves chosen by another method.
    #[must_use]
    pub fn method(mut self, method: Method) -> CongestionSearch {
        self.method = method;
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, files: &dyn Files) -> Result<Box<dyn Strategy>> {
    let from = reader.get::<String>("from")?;
    let from = from.map(|spec| build(&Params::from_spec(&spec, reader.place_of("from"))?, files)).transpose()?;
    let method = METHODS[reader.choice("method", &["annealing", "tabu"])?];
    Ok(Box::new(CongestionSearch { from, evaluations: reader.get("evaluations")?, method }))
}

impl Strategy for CongestionSearch {
    fn params(&self) -> Params {
        let from = self.from.as_ref().map(|from| from.to_string());
        let params = Params::named(ENTRY.name).maybe("from", from.as_deref()).maybe("evaluations", self.evaluations);
        params.unless("method", if self.method == Method::Tabu { "tabu" } else { "annealing" }, "annealing")
    }

    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let graph = search::task_graph(problem, ENTRY.name)?;
        let moves = self.evaluations.unwrap_or_else(|| search::some_seconds(&graph));
        if let Some((mapping, _)) = search::every(problem, None, moves, context)? {
            return Ok(mapping);
        }
        let mut search = Searching::new(problem, &graph, inside(problem), self.method);
        let start = match &self.from {
            Some(from) => from.map(problem, context)?,
            None => {
                // How good a start is shows when the hosts inside its parts were exchanged.
                let starts = without_search(problem, context)?.into_iter();
                let starts = starts.map(|start| search.improve(start, moves / 16, context));
                best(problem, starts.collect::<Result<_>>()?)?.swap_remove(0)
            }
        };
        search.kinds.push(Moves::everywhere(problem, MIXED));
        search.improve(start, moves, context)
    }
}

/// Improves the first of some mappings, the best first, by congestion-search, as [`super::improve`] does. Where the
/// observer knows the time allowed, every thread searches from a start of its own; after each round those of the better
/// half go on, twice each.
///
/// # Errors
/// Two hosts have no way between them, or more than 2^22 pairs of tasks talk.
pub(super) fn improve(
    problem: &Problem<'_>,
    starts: &[Mapping],
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Mapping, u64)> {
    let graph = search::task_graph(problem, ENTRY.name)?;
    let mut kinds = inside(problem);
    kinds.push(Moves::everywhere(problem, MIXED));
    let mut moves = evaluations.unwrap_or_else(|| search::some_seconds(&graph) / 8);
    if let Some(found) = search::every(problem, starts.first(), moves, context)? {
        return Ok(found);
    }
    // Short ways are a good start where links are alike.
    let short = multilevel::improve(problem, &starts[..1], Some(moves / 8), context)?.0;
    let mut places = best(problem, starts.iter().cloned().chain([short]).collect())?;
    let before = problem.score(&places[0])?;
    let threads = if evaluations.is_none() && context.observer.passed().is_some() { parallel::threads() } else { 1 };
    let floor = OnceLock::new();
    let mut done = 0;
    loop {
        let seeds: Vec<u64> = (0..threads).map(|_| context.rng.below(u64::MAX)).collect();
        let shared = Shared::new(context.observer);
        if moves >= WORTH_A_BOUND {
            floor.get_or_init(|| floor_of(problem));
        }
        let one = |thread: usize| {
            let mut observer = &shared;
            let mut context = Context::new(seeds[thread], ENTRY.name, &mut observer);
            let mut search = Searching::new(problem, &graph, kinds.clone(), Method::Annealing);
            search.floor = floor.clone();
            let found = search.improve(places[thread % places.len()].clone(), moves, &mut context)?;
            Ok((found, search.done, search.stopped))
        };
        let found: Vec<(Mapping, u64, bool)> = parallel::try_map(threads, one)?;
        let tried: u64 = found.iter().map(|f| f.1).sum();
        done += tried;
        let stopped = found.iter().any(|f| f.2);
        let leader = places.swap_remove(0);
        places = best(problem, [leader].into_iter().chain(found.into_iter().map(|f| f.0)).collect())?;
        // A search that makes no moves has nothing left to lower.
        if evaluations.is_some() || stopped || tried == 0 {
            return Ok((places.swap_remove(0), done));
        }
        context.observer.event(Event::Best(problem.score(&places[0])?.over(&before)));
        places.truncate(threads.div_ceil(2));
        moves = moves.saturating_mul(2);
    }
}

/// Exchanges of whole hosts inside the parts of the outermost level.
fn inside(problem: &Problem<'_>) -> Vec<Moves> {
    let fabric = problem.fabric();
    let parts = |level: &Level| Parts::new(problem.slots(), |s| level.part[fabric.hosts().endpoint_of(s).index()]);
    fabric.levels().last().map(|level| Moves::within(problem, parts(level), WHOLE_HOSTS)).into_iter().collect()
}

/// Jobs of so few tasks are searched from so many starts, where each has so many moves.
const SMALL: u32 = 256;
const STARTS: u64 = 4;
const WORTH_A_START: u64 = 1000;
/// The starts are the best of so many mappings with short ways. One move of so many is left for them, and counts for so
/// many of theirs, which follow no loads and take so much less time.
const LOOKS: u64 = 32;
const LOOKING: u64 = 8;
const CHEAPER: u64 = 64;
/// Shorter searches end before a bound would be known.
const WORTH_A_BOUND: u64 = 10_000;

/// A search under way.
struct Searching<'a, 'b> {
    problem: &'b Problem<'a>,
    graph: &'a TaskGraph,
    kinds: Vec<Moves>,
    method: Method,
    /// Those that descents before have found.
    ways: Option<Ways<'a>>,
    /// What no link needs to go below; the same for all descents.
    floor: OnceLock<f64>,
    /// Exchanges tried so far, and whether the observer said stop.
    done: u64,
    stopped: bool,
}

impl<'a, 'b> Searching<'a, 'b> {
    fn new(problem: &'b Problem<'a>, graph: &'a TaskGraph, kinds: Vec<Moves>, method: Method) -> Self {
        Searching { problem, graph, kinds, method, ways: None, floor: OnceLock::new(), done: 0, stopped: false }
    }

    /// Tries `moves` exchanges; never worse than the start. A descent does not leave the valley in which it begins, so
    /// small jobs, whose moves all matter, are begun anew from other places with short ways.
    fn improve(&mut self, start: Mapping, moves: u64, context: &mut Context<'_>) -> Result<Mapping> {
        let (mut starts, mut left) = (vec![start.clone()], moves);
        if self.graph.tasks() <= SMALL && moves >= STARTS * WORTH_A_START {
            starts.extend(self.short_ways(moves / LOOKING, context)?);
            left -= moves / LOOKING;
        }
        let each = left / starts.len() as u64;
        let mut found = vec![start];
        for from in &starts {
            found.push(self.descend(from, each, context)?);
        }
        Ok(best(self.problem, found)?.swap_remove(0))
    }

    /// Mappings whose messages go short ways, the best by the objective of as many as are looked at for so many moves.
    fn short_ways(&self, moves: u64, context: &mut Context<'_>) -> Result<Vec<Mapping>> {
        let spec = format!("multilevel:evaluations={}", moves * CHEAPER / LOOKS);
        let near = build(&Params::from_spec(&spec, &Place::new(ENTRY.name, 0))?, &Memory::default())?;
        let looks = (0..LOOKS).map(|_| near.map(self.problem, context));
        let mut found = best(self.problem, looks.collect::<Result<_>>()?)?;
        found.dedup();
        found.truncate(STARTS as usize - 1);
        Ok(found)
    }

    /// One descent from a start.
    fn descend(&mut self, start: &Mapping, moves: u64, context: &mut Context<'_>) -> Result<Mapping> {
        let ways = self.ways.take().unwrap_or_else(|| Ways::new(self.problem.routing()));
        let mut state = State::with_ways(ways, self.problem, self.graph, start)?;
        context.observer.event(Event::Stage { what: ENTRY.name.into(), steps: moves });
        let (mut done, mut stopped) = (0, false);
        let mut stop = |moves| {
            done += moves;
            stopped = context.observer.event(Event::Progress(done)) == Control::Stop;
            stopped
        };
        // Each search of a row draws anew.
        let rng = Rng::new(context.rng.below(u64::MAX), ENTRY.name);
        let annealer = Annealer::new(self.graph, (0..self.graph.tasks()).collect(), rng).by(self.method);
        let floor = if moves < WORTH_A_BOUND { 0.0 } else { self.floor() };
        Descent::new(&mut state, annealer, floor, &mut stop).run(&self.kinds, moves);
        self.done += done;
        self.stopped |= stopped;
        let found = search::mapping(self.problem, state.places());
        self.ways = Some(state.into_ways());
        found
    }

    /// Below the bound no link needs to go, where none of a host hides others.
    fn floor(&self) -> f64 {
        *self.floor.get_or_init(|| floor_of(self.problem))
    }
}

fn floor_of(problem: &Problem<'_>) -> f64 {
    let hosts = problem.fabric().classes().iter().any(|c| c.host && c.bandwidth.is_some());
    if hosts { 0.0 } else { bound(problem).map_or(0.0, |b| b.busy) }
}

/// So many mappings that need no search are looked at closely.
const CLOSELY: usize = 3;

/// Moves per task of a start with short ways.
const SHORT: u64 = 64;

/// Orders along curves keep neighbours together at every scale, as a job of powers of two often wants it.
const CURVES: [&str; 4] = ["curve:of=snake", "curve:of=hilbert", "curve:of=morton", "curve:of=peano"];

/// From so many pairs of tasks on greedy takes longer than the search that it would begin.
const GREEDY_PAIRS: u64 = 1 << 17;

/// The best of the mappings that fit the job and the machine without a search for
/// congestion.
fn without_search(problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Vec<Mapping>> {
    let levels = problem.fabric().levels().iter().map(|level| format!("blocks:level={}", level.name));
    let short = format!("multilevel:evaluations={}", u64::from(problem.tasks()) * SHORT);
    let greedy = ["greedy"].into_iter().filter(|_| problem.demand().pairs() < GREEDY_PAIRS);
    let named = ["blocks:level=node", "mod-coloring", "hybrid"].into_iter().chain(greedy).chain([&short[..]]);
    let named = named.map(String::from);
    let place = Place::new(ENTRY.name, 0);
    let mut found = vec![build(&Params::new("default", place.clone()), &Memory::default())?.map(problem, context)?];
    for spec in levels.chain(named).chain(CURVES.map(String::from)) {
        // What does not fit says so with an error.
        if let Ok(mapping) = build(&Params::from_spec(&spec, &place)?, &Memory::default())?.map(problem, context)
            && !found.contains(&mapping)
        {
            found.push(mapping);
        }
    }
    let mut found = best(problem, found)?;
    found.truncate(CLOSELY);
    Ok(found)
}

/// Mappings by their score, the best first; of equals the first.
fn best(problem: &Problem<'_>, mappings: Vec<Mapping>) -> Result<Vec<Mapping>> {
    let mut sorted: Vec<(Score, Mapping)> = Vec::with_capacity(mappings.len());
    for mapping in mappings {
        let score = problem.score(&mapping)?;
        let at = sorted.iter().position(|(other, _)| score.is_better(other)).unwrap_or(sorted.len());
        sorted.insert(at, (score, mapping));
    }
    Ok(sorted.into_iter().map(|s| s.1).collect())
}
