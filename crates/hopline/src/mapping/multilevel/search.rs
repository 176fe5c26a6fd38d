//! One search for good seats: a cut, then annealing, for so many moves or for a time.

use super::super::distance::{Levels, Metric};
use super::super::graph::Graph;
use super::super::seats::{Seats, Shape};
use super::super::{Context, Problem};
use super::anneal::{Length, Temperatures, anneal};
use super::loose::is_loose;
use super::split::{CutEffort, FINE, ROUGH, is_crowded, split};
use crate::error::Result;
use crate::event::{Control, Event, Shared};
use crate::parallel;

/// Part of the time in which a start is improved gently, before everything melts.
const GENTLE: f64 = 0.15;
/// Sweeps of a first cut; parts of some machines are annealed while they are cut.
const FIRST_CUT: u64 = super::PER_TASK / 16;
/// Part of the time that is left after it for a longer one of that kind.
const LONG_CUT: f64 = 0.5;

/// Sweeps at the cold end of annealing that go over a cut by itself: tasks at the border of two parts change places.
const OVER_A_CUT: u64 = 100;

/// A move changes all edges of a task, so what melts a start is a part of the weight of all of them: 0.77 to 1.4 was good
/// on random geometric graphs and partitioned meshes of 6 to 26 neighbours; four times as much was worse on all of them.
const MELTS: f64 = 1.2;
/// Where nothing moves any more, in mean edge weights and roots of the mean number of neighbours.
const FREEZES: f64 = 0.15;

/// Annealing keeps how a cut lies in the machine as a whole, well or badly, and after this part of the way the costs show which:
/// of some cuts the best goes on.
const SCOUTED: f64 = 0.1;
/// The fewest and the most cuts, as a part of all moves has room for, with so many sweeps of each.
const SCOUTS: (u64, u64) = (3, 8);
const SCOUTING: f64 = 0.25;
const SCOUT_SWEEPS: u64 = 160;
/// Where time is given, those sweeps and a rough cut take such parts of what a fine cut took.
const SCOUT_TIME: f64 = 0.4;
const ROUGH_TIME: f64 = 0.2;
/// Fewer tasks find their way in the machine, and fewer sweeps are better spent on one cut.
const SCOUTED_TASKS: usize = 1024;
const SCOUTED_SWEEPS: u64 = 1000;
/// A fine cut took no more than this part of the time that is left: rough ones take a fifth of that each.
const SCOUTED_CUT: f64 = 0.6;

/// One search for good seats.
pub(super) struct Search<'a, 'b> {
    problem: &'a Problem<'a>,
    graph: &'a Graph,
    seats: &'a Seats,
    context: &'a mut Context<'b>,
    /// Moves tried so far.
    moves: u64,
}

/// Searches until the time allowed is over, on every thread, and returns the best seats and the number of moves tried:
/// each improves the start of its number gently, then cuts anew, melts that and cools it down.
pub(super) fn by_time(
    problem: &Problem<'_>,
    graph: &Graph,
    seats: &Seats,
    starts: Vec<Vec<u32>>,
    context: &mut Context<'_>,
) -> Result<(Vec<u32>, u64)> {
    let seed = context.rng.below(u64::MAX);
    let before = seats.cost(graph, &starts[0]);
    let shared = Shared::new(context.observer);
    let one = |thread: usize| {
        let mut observer = &shared;
        let mut context = Context::new(seed, &thread.to_string(), &mut observer);
        let mut search = Search::new(problem, graph, seats, &mut context);
        let found = search.by_time(starts.get(thread), before)?;
        Ok((seats.cost(graph, &found), found, search.moves))
    };
    let found = parallel::try_map(parallel::threads(), one)?;
    let moves = found.iter().map(|f| f.2).sum();
    let best = found.into_iter().min_by_key(|f| f.0).filter(|f| f.0 < before);
    Ok((best.map_or_else(|| starts[0].clone(), |f| f.1), moves))
}

/// One round of so many moves, or ever longer ones until the observer says stop: the best seats and the number of moves
/// tried. A round improves the best gently and cuts anew.
pub(super) fn by_rounds(
    problem: &Problem<'_>,
    graph: &Graph,
    seats: &Seats,
    starts: Vec<Vec<u32>>,
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Vec<u32>, u64)> {
    let tasks = graph.len().max(1) as u64;
    let mut best = starts[0].clone();
    let mut least = seats.cost(graph, &best);
    let mut sweeps = evaluations.map_or(FIRST_CUT, |moves| moves.div_ceil(2 * tasks));
    let (mut moves, mut stopped) = (0, false);
    loop {
        let mut observer = |event: Event| {
            let control = context.observer.event(event);
            stopped |= control == Control::Stop;
            control
        };
        let mut context = Context::new(context.rng.below(u64::MAX), super::ENTRY.name, &mut observer);
        let mut search = Search::new(problem, graph, seats, &mut context);
        for found in [search.polished(best.clone(), Length::Sweeps(sweeps / 4)), search.cut_and_annealed(sweeps)?] {
            let cost = seats.cost(graph, &found);
            if cost < least {
                (best, least) = (found, cost);
            }
        }
        moves += search.moves;
        if evaluations.is_some() || stopped {
            return Ok((best, moves));
        }
        sweeps *= 2;
    }
}

impl<'a, 'b> Search<'a, 'b> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        graph: &'a Graph,
        seats: &'a Seats,
        context: &'a mut Context<'b>,
    ) -> Self {
        Search { problem, graph, seats, context, moves: 0 }
    }

    /// Bisection with annealing of parts, then annealing by swaps, with so many moves for each task in each stage; without
    /// any, no more than a hundred sweeps settle what the cut left.
    pub(super) fn cut_and_annealed(&mut self, sweeps: u64) -> Result<Vec<u32>> {
        let scouts = sweeps >= SCOUTED_SWEEPS && self.scouts();
        let count = ((SCOUTING * sweeps as f64) as u64 / SCOUT_SWEEPS).clamp(SCOUTS.0, SCOUTS.1);
        let of_a_cut = if scouts { sweeps / count } else { sweeps };
        let (seat, stopped) = self.cut(of_a_cut, FINE)?;
        if stopped {
            return Ok(seat);
        }
        let melting = self.temperatures();
        if sweeps == 0 {
            let cold = Temperatures::new(2.0 * melting.cold, melting.cold);
            return Ok(self.swap(seat, Length::Sweeps(OVER_A_CUT), &cold));
        }
        if !scouts {
            return Ok(self.swap(seat, Length::Sweeps(sweeps), &melting));
        }
        let each = SCOUT_SWEEPS.min((SCOUTING * sweeps as f64) as u64 / count);
        let seat = self.scout(seat, count, of_a_cut, &melting, |_| Length::Sweeps(each))?;
        let rest = Length::Sweeps(sweeps - count * each);
        Ok(self.swap(seat, rest, &melting.part(SCOUTED, 1.0)))
    }

    /// Whether several cuts are compared: on nested levels and crowded places a cut is annealed itself, and is good.
    fn scouts(&self) -> bool {
        let is_annealed =
            matches!(self.seats.metric(), Metric::Levels(_)) || is_crowded(self.graph, self.seats.places());
        !is_annealed && self.graph.len() >= SCOUTED_TASKS
    }

    /// Cools a cut down for the first part of the way, then rough ones, `count` in all, for as long as `length` says where a part of
    /// the time has passed; the best goes on.
    fn scout(
        &mut self,
        first: Vec<u32>,
        count: u64,
        sweeps: u64,
        temperatures: &Temperatures,
        length: impl Fn(f64) -> Length,
    ) -> Result<Vec<u32>> {
        let way = temperatures.part(0.0, SCOUTED);
        let own = length(self.passed());
        let mut best = self.swap(first, own, &way);
        let mut least = self.seats.cost(self.graph, &best);
        for _ in 1..count {
            let (other, _) = self.cut(sweeps, ROUGH)?;
            let own = length(self.passed());
            let found = self.swap(other, own, &way);
            let cost = self.seats.cost(self.graph, &found);
            if cost < least {
                (best, least) = (found, cost);
            }
        }
        Ok(best)
    }

    /// The better of a start, improved gently, and what cutting anew and annealing until the time is over comes to. A
    /// start that is worse than a first cut is left as it is.
    fn by_time(&mut self, start: Option<&Vec<u32>>, before: i64) -> Result<Vec<u32>> {
        let began = self.passed();
        let (mut seat, mut stopped) = self.cut(FIRST_CUT, FINE)?;
        let (tried, took) = (self.moves, self.passed() - began);
        let cut = self.seats.cost(self.graph, &seat);
        let polished = start.filter(|start| !stopped && self.seats.cost(self.graph, start) < cut).map(|start| {
            let now = self.passed();
            self.polished(start.clone(), Length::Time(now, now + GENTLE * (1.0 - now)))
        });
        let least = polished.as_ref().map_or(before, |seat| self.seats.cost(self.graph, seat));
        self.context.observer.event(Event::Best(least.min(cut) as f64 / before.max(1) as f64));
        if tried > 0 && !stopped && took > 0.0 {
            let sweeps = FIRST_CUT as f64 * LONG_CUT * (1.0 - self.passed()) / took;
            if sweeps > FIRST_CUT as f64 {
                (seat, stopped) = self.cut(sweeps as u64, FINE)?;
            }
        }
        if !stopped {
            let mut temperatures = self.temperatures();
            if self.scouts() && took <= SCOUTED_CUT * (1.0 - self.passed()) {
                let all = SCOUTING * (1.0 - self.passed());
                let each = (SCOUT_TIME * took).min(all / SCOUTS.0 as f64);
                let count = ((all / (each + ROUGH_TIME * took)) as u64).clamp(SCOUTS.0, SCOUTS.1);
                let scouted = |now: f64| Length::Time(now, now + each);
                seat = self.scout(seat, count, FIRST_CUT, &temperatures, scouted)?;
                temperatures = temperatures.part(SCOUTED, 1.0);
            }
            let now = self.passed();
            seat = self.swap(seat, Length::Time(now, 1.0), &temperatures);
        }
        let cost = self.seats.cost(self.graph, &seat);
        Ok(polished.filter(|_| least <= cost).unwrap_or(seat))
    }

    /// The part of the time allowed that has passed; 1 where none is known.
    fn passed(&mut self) -> f64 {
        self.context.observer.passed().unwrap_or(1.0).min(1.0)
    }

    /// Bisection with annealing of parts, and whether the observer said stop.
    fn cut(&mut self, sweeps: u64, care: CutEffort) -> Result<(Vec<u32>, bool)> {
        let chosen = self.seats.compact(self.graph.len());
        let found =
            split(self.graph, self.seats, chosen, (sweeps / 2, care), &mut self.context.rng, self.context.observer);
        let stopped = found.is_none();
        let (mut seat, moves) = found.unwrap_or_else(|| (self.seats.in_order(self.graph.len()), 0));
        self.moves += moves;
        let levels = matches!(self.seats.metric(), Metric::Levels(_));
        if let Some((heads, each)) = self.seats.one_per_place()
            && !levels
            && !stopped
            && self.graph.len() == self.seats.len()
        {
            seat = self.move_places(&heads, each, seat, sweeps);
        }
        self.seats.obey(self.problem, &mut seat)?;
        Ok((seat, stopped))
    }

    /// Anneals by swaps of all tasks of a place with all of another.
    fn move_places(&mut self, heads: &Seats, each: u32, mut seat: Vec<u32>, sweeps: u64) -> Vec<u32> {
        let place: Vec<u32> = seat.iter().map(|s| s / each).collect();
        let graph = self.graph.grouped(&place, heads.len());
        let weight = graph.mean_weight();
        let temperatures = Temperatures::new(1.4 * weight, 0.5 * weight);
        let mut places =
            Search { problem: self.problem, graph: &graph, seats: heads, context: self.context, moves: self.moves };
        // Sweeps over places cost little beside those over tasks.
        let found = places.swap((0..heads.len() as u32).collect(), Length::Sweeps(4 * sweeps), &temperatures);
        self.moves = places.moves;
        seat.iter_mut().for_each(|s| *s = found[(*s / each) as usize] * each + *s % each);
        seat
    }

    /// Anneals by swaps from the given seats.
    fn swap(&mut self, seat: Vec<u32>, length: Length, temperatures: &Temperatures) -> Vec<u32> {
        // Numbered by seat, what is near in the machine is near in memory.
        let mut order: Vec<u32> = (0..seat.len() as u32).collect();
        order.sort_by_key(|&t| seat[t as usize]);
        let start = order.iter().map(|&t| seat[t as usize]).collect();
        let graph = self.graph.renumbered(&order);
        let Context { rng, observer, .. } = &mut *self.context;
        let (found, moves) = anneal(&graph, self.seats, start, length, *temperatures, rng, *observer);
        self.moves += moves;
        let mut seat = seat;
        order.iter().zip(found).for_each(|(&t, s)| seat[t as usize] = s);
        seat
    }

    /// The better of a good start and what gentle annealing makes of it.
    pub(super) fn polished(&mut self, start: Vec<u32>, length: Length) -> Vec<u32> {
        let weight = self.graph.mean_weight();
        let gentle = Temperatures::new(0.5 * weight, 0.2 * weight);
        self.swap(start, length, &gentle)
    }

    /// Temperatures that melt what bisection leaves open.
    fn temperatures(&self) -> Temperatures {
        let weight = self.graph.mean_weight();
        match self.seats.metric() {
            Metric::Levels(levels) => {
                let (near, far) = unsettled(self.graph.len(), self.seats, levels);
                Temperatures::new(1.2 * weight * far, 0.5 * weight * near)
            }
            _ => {
                // The more tasks share a place, the more edges are already short.
                let crowd = (self.seats.len() as f64 / self.seats.places() as f64).sqrt();
                let strength = self.graph.mean_strength();
                let hot = MELTS * strength / crowd;
                // The sum of many edges differs from its mean by what the root of their number does.
                let neighbours = strength / weight.max(f64::MIN_POSITIVE);
                Temperatures::new(hot, (FREEZES * weight * neighbours.sqrt()).min(hot / 3.0))
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
