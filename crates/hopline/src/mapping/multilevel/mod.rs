//! Hop-bytes of any job on any fabric: recursive bisection along the machine,
//! then annealing by swaps.

mod anneal;
mod bisect;
mod coarsen;
mod layout;
mod loose;
mod refine;
mod split;

use super::distance::{Levels, Metric};
use super::fold::fold;
use super::graph::Graph;
use super::greedy::ranks_per_host;
use super::seats::{Seats, Shape};
use super::{Context, Mapping, Obedience, Problem, Strategy};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::event::{Control, Event};
use crate::files::Files;
use crate::params::Reader;
use crate::rng::Rng;
use anneal::{Temperatures, anneal};
use loose::is_loose;
use split::split;

pub(super) const ENTRY: Entry = Entry {
    name: "multilevel",
    summary: "any job, any fabric: least hop-bytes by recursive bisection and annealing",
    doc: "Minimises amount x distance, where the distance is that of the fabric's levels, of the torus, or hops between \
          switches. Slots are cut in two again and again where the machine is cut best (levels, planes of a torus), and \
          the tasks with them, where they talk least across: contraction of heavy edges, greedy growing, single moves \
          with hill climbing. Edges to tasks elsewhere pull toward the half that is nearer. On nested levels, clusters of \
          tasks and then tasks are annealed among the parts of each level; elsewhere, all tasks of a place are swapped \
          with those of another; last, tasks are annealed by swaps that bring them near those they talk to. A slot never takes two tasks.\n\
          The launcher's order and `fold`, where they are better, are annealed gently, and the best of all is kept. The \
          result depends on the seed and on evaluations= alone.\n\
          With unit=host consecutive ranks stay together in blocks of one host each and only hosts are reordered.\n\
          O(evaluations * neighbours) time, O(slots + pairs) memory; up to 4096 switches without levels that tell \
          distances also a table of their distances.\n\
          Sources: Pellegrini, Static mapping by dual recursive bipartitioning (1994); Fiduccia and Mattheyses (1982); \
          Kirkpatrick, Gelatt and Vecchi (1983).",
    example: "multilevel:evaluations=100000",
    params: &[
        param("evaluations", "count", "4000 per task", "moves tried while annealing, in each stage; 0 only cuts"),
        param("unit", "rank|host", "rank", "what is placed: single ranks, or blocks of ranks that fill a host"),
    ],
};

/// Moves for each task where no number is given; fewer where tasks have more
/// than so many neighbours, so that the time stays the same.
const PER_TASK: u64 = 4000;
const NEIGHBOURS: u64 = 16;

struct Multilevel {
    evaluations: Option<u64>,
    whole_hosts: bool,
}

pub(super) fn read(_: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(Multilevel {
        evaluations: reader.get("evaluations")?,
        whole_hosts: reader.choice("unit", &["rank", "host"])? == 1,
    }))
}

impl Strategy for Multilevel {
    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn map(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let unit = if self.whole_hosts { ranks_per_host(problem, ENTRY.name)? } else { 1 };
        let graph = Graph::of_demand(problem, unit, ENTRY.name)?;
        let seats = Seats::new(problem, unit)?;
        let tasks = graph.len() as u64;
        let crowd = (graph.edges() as u64 / tasks.max(1)).max(NEIGHBOURS);
        let sweeps = match self.evaluations {
            Some(evaluations) => evaluations.div_ceil(tasks.max(1)),
            None => PER_TASK * NEIGHBOURS / crowd,
        };
        let mut search = Search { problem, graph: &graph, seats: &seats, sweeps, context };
        let mut best = search.cut_and_annealed()?;
        let mut least = seats.cost(&graph, &best);
        let folded = if unit == 1 { fold(problem, &graph, &seats)? } else { None };
        for mut start in folded.into_iter().chain([seats.in_order(graph.len())]) {
            seats.obey(problem, &mut start)?;
            if seats.cost(&graph, &start) < least {
                best = search.polished(start);
                least = seats.cost(&graph, &best);
            }
        }
        seats.mapping(problem, &best, unit)
    }
}

/// Shortens the ways of a mapping, as [`super::improve`] does.
///
/// # Errors
/// Two hosts have no way between them, or more than 2^22 pairs of tasks talk.
pub(super) fn improve(
    problem: &Problem<'_>,
    start: &Mapping,
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Mapping, u64)> {
    let graph = Graph::of_demand(problem, 1, ENTRY.name)?;
    let seats = Seats::new(problem, 1)?;
    let tasks = graph.len().max(1) as u64;
    let mut best = seats.of_mapping(problem, start)?;
    let (mut least, mut done) = (seats.cost(&graph, &best), 0);
    let mut sweeps = evaluations.map_or(PER_TASK / 16, |moves| moves.div_ceil(2 * tasks));
    let mut stopped = false;
    loop {
        let mut observer = |event: Event| {
            let control = context.observer.event(event);
            stopped |= control == Control::Stop;
            control
        };
        let mut context = Context { rng: Rng::new(context.rng.below(u64::MAX), ENTRY.name), observer: &mut observer };
        let mut search = Search { problem, graph: &graph, seats: &seats, sweeps, context: &mut context };
        for found in [search.polished(best.clone()), search.cut_and_annealed()?] {
            let cost = seats.cost(&graph, &found);
            if cost < least {
                (best, least) = (found, cost);
            }
        }
        done += 2 * sweeps * tasks;
        if evaluations.is_some() || stopped {
            break;
        }
        sweeps *= 2;
    }
    let found = seats.mapping(problem, &best, 1)?;
    let better = problem.score(&found)?.is_better(&problem.score(start)?);
    Ok((if better { found } else { start.clone() }, done))
}

/// A move changes all edges of a task, so what melts a start is a part of the weight of all of them: 0.77 to 1.15 was good
/// on random geometric graphs and partitioned meshes of 6 to 26 neighbours; four times as much was worse on all of them.
const MELTS: f64 = 1.1;

/// One search for good seats.
struct Search<'a, 'b> {
    problem: &'a Problem<'a>,
    graph: &'a Graph,
    seats: &'a Seats,
    /// Moves for each task, in each stage.
    sweeps: u64,
    context: &'a mut Context<'b>,
}

impl Search<'_, '_> {
    /// Bisection with annealing of parts, then annealing by swaps.
    fn cut_and_annealed(&mut self) -> Result<Vec<u32>> {
        let chosen = self.seats.compact(self.graph.len());
        let loose = self.sweeps / 2;
        let found = split(self.graph, self.seats, chosen, loose, &mut self.context.rng, self.context.observer);
        let stopped = found.is_none();
        let mut seat = found.unwrap_or_else(|| self.seats.in_order(self.graph.len()));
        let levels = matches!(self.seats.metric(), Metric::Levels(_));
        if let Some((heads, each)) = self.seats.one_per_place()
            && !levels
            && !stopped
            && self.graph.len() == self.seats.len()
        {
            seat = self.move_places(&heads, each, seat);
        }
        self.seats.obey(self.problem, &mut seat)?;
        if stopped {
            return Ok(seat);
        }
        let temperatures = self.temperatures();
        Ok(self.swap(seat, self.sweeps, &temperatures))
    }

    /// Anneals by swaps of all tasks of a place with all of another.
    fn move_places(&mut self, heads: &Seats, each: u32, mut seat: Vec<u32>) -> Vec<u32> {
        let place: Vec<u32> = seat.iter().map(|s| s / each).collect();
        let graph = self.graph.grouped(&place, heads.len());
        // Sweeps over places cost little beside those over tasks.
        let sweeps = 4 * self.sweeps;
        let weight = graph.mean_weight();
        let temperatures = Temperatures { hot: 1.4 * weight, cold: 0.5 * weight };
        let mut places = Search { problem: self.problem, graph: &graph, seats: heads, sweeps, context: self.context };
        let found = places.swap((0..heads.len() as u32).collect(), sweeps, &temperatures);
        seat.iter_mut().for_each(|s| *s = found[(*s / each) as usize] * each + *s % each);
        seat
    }

    /// Anneals by swaps from the given seats.
    fn swap(&mut self, seat: Vec<u32>, sweeps: u64, temperatures: &Temperatures) -> Vec<u32> {
        // Numbered by seat, what is near in the machine is near in memory.
        let mut order: Vec<u32> = (0..seat.len() as u32).collect();
        order.sort_by_key(|&t| seat[t as usize]);
        let start = order.iter().map(|&t| seat[t as usize]).collect();
        let graph = self.graph.renumbered(&order);
        let found =
            anneal(&graph, self.seats, start, sweeps, *temperatures, &mut self.context.rng, self.context.observer);
        let mut seat = seat;
        order.iter().zip(found).for_each(|(&t, s)| seat[t as usize] = s);
        seat
    }

    /// The better of a good start and what gentle annealing makes of it.
    fn polished(&mut self, start: Vec<u32>) -> Vec<u32> {
        let weight = self.graph.mean_weight();
        let gentle = Temperatures { hot: 0.5 * weight, cold: 0.2 * weight };
        self.swap(start, self.sweeps / 4, &gentle)
    }

    /// Temperatures that melt what bisection leaves open.
    fn temperatures(&self) -> Temperatures {
        let weight = self.graph.mean_weight();
        match self.seats.metric() {
            Metric::Levels(levels) => {
                let (near, far) = unsettled(self.graph.len(), self.seats, levels);
                Temperatures { hot: 1.2 * weight * far, cold: 0.5 * weight * near }
            }
            _ => {
                // The more tasks share a place, the more edges are already short.
                let crowd = (self.seats.len() as f64 / self.seats.places() as f64).sqrt();
                let hot = MELTS * self.graph.mean_strength() / crowd;
                Temperatures { hot, cold: (0.4 * weight).min(hot / 3.0) }
            }
        }
    }
}

/// The smallest and the largest distance of a hierarchy between parts too small
/// to be annealed as such: those that swaps have to settle.
fn unsettled(tasks: usize, seats: &Seats, levels: &Levels) -> (f64, f64) {
    let Shape::Nested { shifts, .. } = seats.shape() else { return (1.0, 1.0) };
    let distance = |shift: &u32| f64::from(levels.by_bits[*shift as usize + 1]);
    let small = |shift: &&u32| !seats.parts(Some(**shift)).is_some_and(|parts| is_loose(tasks, parts));
    let near = shifts.last().map_or(1.0, distance);
    (near, shifts.iter().find(small).map_or(near, distance))
}
