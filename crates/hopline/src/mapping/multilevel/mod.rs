//! Hop-bytes of any job on any fabric: recursive bisection along the machine,
//! then annealing by swaps.

mod anneal;
mod bisect;
mod coarsen;
mod layout;
mod loose;
mod refine;
mod search;
mod split;

use super::fold::fold;
use super::graph::Graph;
use super::greedy::ranks_per_host;
use super::seats::Seats;
use super::{Context, Mapping, Obedience, Problem, Strategy};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::files::Files;
use crate::params::{Params, Reader};
use anneal::Length;
use search::Search;

pub(super) const ENTRY: Entry = Entry {
    name: "multilevel",
    summary: "any job, any fabric: least hop-bytes by recursive bisection and annealing",
    doc: "Minimises amount x distance, where the distance is that of the fabric's levels, of the torus, or hops between \
          switches. Slots are cut in two again and again where the machine is cut best (levels, planes of a torus), and \
          the tasks with them, where they talk least across: contraction of heavy edges, greedy growing, single moves \
          with hill climbing, twice, of which the better is kept. Edges to tasks elsewhere pull toward the half that is nearer, \
          so cuts of one depth are refined again once all are known. On nested levels, clusters of \
          tasks and then tasks are annealed among the parts of each level; elsewhere, all tasks of a place are swapped \
          with those of another; last, tasks are annealed by swaps that bring them near those they talk to, and off nested levels from three \
          to eight cuts, of which after a tenth of the way the best goes on. A slot never takes two tasks.\n\
          The launcher's order and `fold`, where they are better, are annealed gently, and the best of all is kept. The \
          result depends on the seed and on evaluations= alone.\n\
          With unit=host consecutive ranks stay together in blocks of one host each and only hosts are reordered.\n\
          O(evaluations * neighbours) time, O(slots + pairs) memory; up to 4096 switches without levels that tell \
          distances also a table of their distances.\n\
          Sources: Pellegrini, Static mapping by dual recursive bipartitioning (1994); Fiduccia and Mattheyses (1982); \
          Kirkpatrick, Gelatt and Vecchi (1983).",
    example: "multilevel:evaluations=100000",
    params: &[
        param(
            "evaluations",
            "count",
            "4000 per task",
            "moves tried while annealing, in each stage; with 0 it cuts and settles borders",
        ),
        param("unit", "rank|host", "rank", "what is placed: single ranks, or blocks of ranks that fill a host"),
    ],
};

/// Moves for each task where no number is given; fewer where tasks have more
/// than so many neighbours, so that the time stays the same.
const PER_TASK: u64 = 4000;
const NEIGHBOURS: u64 = 19;

/// Cuts, settles and anneals, level by level: see the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Multilevel {
    evaluations: Option<u64>,
    whole_hosts: bool,
}

impl Multilevel {
    /// Single ranks, thousands of moves for each.
    pub fn new() -> Multilevel {
        Multilevel::default()
    }

    /// The same with so many moves tried.
    #[must_use]
    pub fn evaluations(mut self, evaluations: u64) -> Self {
        self.evaluations = Some(evaluations);
        self
    }

    /// The same with blocks of ranks that fill a host.
    #[must_use]
    pub fn whole_hosts(mut self) -> Multilevel {
        self.whole_hosts = true;
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(Multilevel {
        evaluations: reader.get("evaluations")?,
        whole_hosts: reader.choice("unit", &["rank", "host"])? == 1,
    }))
}

impl Strategy for Multilevel {
    fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).maybe("evaluations", self.evaluations);
        params.unless("unit", if self.whole_hosts { "host" } else { "rank" }, "rank")
    }

    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let unit = if self.whole_hosts { ranks_per_host(problem, ENTRY.name)? } else { 1 };
        let graph = Graph::of_demand(problem, unit, ENTRY.name)?;
        let seats = Seats::new(problem, unit)?;
        let tasks = graph.len() as u64;
        let crowd = (graph.edges() as u64 / tasks.max(1)).max(NEIGHBOURS);
        let sweeps = match self.evaluations {
            Some(evaluations) => evaluations.div_ceil(tasks.max(1)),
            None => PER_TASK * NEIGHBOURS / crowd,
        };
        let mut search = Search::new(problem, &graph, &seats, context);
        let mut best = search.cut_and_annealed(sweeps)?;
        let mut least = seats.cost(&graph, &best);
        let folded = if unit == 1 { fold(problem, &graph, &seats)? } else { None };
        for mut start in folded.into_iter().chain([seats.in_order(graph.len())]) {
            seats.obey(problem, &mut start)?;
            if seats.cost(&graph, &start) < least {
                best = search.polished(start, Length::Sweeps(sweeps / 4));
                least = seats.cost(&graph, &best);
            }
        }
        seats.mapping(problem, &best, unit)
    }
}

/// Shortens the ways of the first of some mappings, the best first, as [`super::improve`] does. Where the observer knows
/// the time allowed, every thread improves one of them gently, then cuts anew and anneals until the time is over.
///
/// # Errors
/// Two hosts have no way between them, or more than 2^22 pairs of tasks talk.
pub(super) fn improve(
    problem: &Problem<'_>,
    starts: &[Mapping],
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Mapping, u64)> {
    let graph = Graph::of_demand(problem, 1, ENTRY.name)?;
    let seats = Seats::new(problem, 1)?;
    let mut all = starts.iter().map(|start| seats.of_mapping(problem, start)).collect::<Result<Vec<_>>>()?;
    // A grid that fits has a start that no search finds.
    if let Some(mut folded) = fold(problem, &graph, &seats)? {
        seats.obey(problem, &mut folded)?;
        if seats.cost(&graph, &folded) < seats.cost(&graph, &all[0]) {
            all.insert(0, folded);
        }
    }
    let (best, moves) = match evaluations.is_none() && context.observer.passed().is_some() {
        true => search::by_time(problem, &graph, &seats, all, context)?,
        false => search::by_rounds(problem, &graph, &seats, all, evaluations, context)?,
    };
    let found = seats.mapping(problem, &best, 1)?;
    let better = problem.score(&found)?.is_better(&problem.score(&starts[0])?);
    Ok((if better { found } else { starts[0].clone() }, moves))
}
