//! Simulated annealing by swaps that bring a task near one it talks to, from a
//! temperature that keeps most of a good start, down to plain descent.
//! Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", 1983.

use super::super::distance::{Distance, with_metric};
use super::super::graph::Graph;
use super::super::seats::Seats;
use super::layout::Layout;
use crate::event::{Control, Event, Observer};
use crate::rng::Rng;

/// Random thresholds, evenly over their distribution.
const THRESHOLDS: usize = 1024;

/// The first and the last temperature, in weight x distance, and which part of the way between them is cooled down, 0 to 1 for
/// all of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Temperatures {
    pub(super) hot: f64,
    pub(super) cold: f64,
    from: f64,
    to: f64,
}

impl Temperatures {
    /// From a hot one all the way to a cold one, and to rest.
    pub(super) fn new(hot: f64, cold: f64) -> Temperatures {
        Temperatures { hot, cold, from: 0.0, to: 1.0 }
    }

    /// A part of the way.
    pub(super) fn part(self, from: f64, to: f64) -> Temperatures {
        Temperatures { from, to, ..self }
    }
}

/// How long annealing takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Length {
    /// So many sweeps, in each of which a swap is tried for every task.
    Sweeps(u64),
    /// From one part of the time allowed to another, as the observer tells it.
    Time(f64, f64),
}

/// Between two looks at the clock about so many swaps are tried.
const LOOK: usize = 4096;

/// Improves the seats of all tasks, and returns the best seats met (those of the end, where that is not the end of the way) and the
/// number of swaps tried; tasks should be numbered so that neighbours in the machine are neighbours in number. O(sweeps * edges).
pub(super) fn anneal(
    graph: &Graph,
    seats: &Seats,
    start: Vec<u32>,
    length: Length,
    temperatures: Temperatures,
    rng: &mut Rng,
    observer: &mut dyn Observer,
) -> (Vec<u32>, u64) {
    with_metric!(seats.metric(), metric => {
        let layout = Layout::new(graph, seats, metric, start);
        Annealing { graph, seats, layout, rng, thresholds: Thresholds::new(), temperatures }.run(length, observer)
    })
}

/// How much worse a change may be, at random: temperature x -ln u.
pub(super) struct Thresholds(Vec<f64>);

impl Thresholds {
    /// -ln u at the middles of equal parts of (0, 1).
    pub(super) fn new() -> Thresholds {
        Thresholds((0..THRESHOLDS).map(|i| -((i as f64 + 0.5) / THRESHOLDS as f64).ln()).collect())
    }

    /// The most that is accepted, where `word` has ten random bits.
    #[inline]
    pub(super) fn at(&self, temperature: f64, word: u64) -> i64 {
        (temperature * self.0[word as usize % THRESHOLDS]) as i64
    }
}

struct Annealing<'a, D> {
    graph: &'a Graph,
    seats: &'a Seats,
    layout: Layout<'a, D>,
    rng: &'a mut Rng,
    thresholds: Thresholds,
    temperatures: Temperatures,
}

impl<D: Distance> Annealing<'_, D> {
    fn run(mut self, length: Length, observer: &mut dyn Observer) -> (Vec<u32>, u64) {
        let steps = if let Length::Sweeps(sweeps) = length { sweeps } else { 0 };
        observer.event(Event::Stage { what: "annealing".into(), steps });
        let mut best = (self.layout.total(), self.layout.seats().to_vec());
        let Temperatures { hot, cold, from: begin, to: end } = self.temperatures;
        let (mut sweep, mut done) = (0, 0.0);
        loop {
            match length {
                Length::Sweeps(sweeps) => done = sweep as f64 / sweeps as f64,
                Length::Time(from, to) if sweep % (1 + LOOK / self.graph.len().max(1)) as u64 == 0 => {
                    done = observer.passed().map_or(1.0, |now| (now - from) / (to - from));
                }
                Length::Time(..) => {}
            }
            // Of no sweeps nothing is done.
            if done.is_nan() || done >= 1.0 {
                break;
            }
            let done = begin + (end - begin) * done;
            let temperature = if done > 0.95 { 0.0 } else { hot * (cold / hot).powf(done / 0.95) };
            self.sweep(temperature);
            sweep += 1;
            if observer.event(Event::Progress(sweep)) == Control::Stop {
                break;
            }
            // Copies are kept only of what the cold end finds.
            if temperature <= cold * 1.5 && self.layout.total() < best.0 {
                best = (self.layout.total(), self.layout.seats().to_vec());
            }
        }
        let moves = sweep * self.graph.len() as u64;
        let is_last = end < 1.0 || self.layout.total() < best.0;
        (if is_last { self.layout.seats().to_vec() } else { best.1 }, moves)
    }

    /// Tries one move for every task.
    fn sweep(&mut self, temperature: f64) {
        for task in 0..self.graph.len() as u32 {
            if let Some((target, word)) = self.propose(task) {
                let limit = self.thresholds.at(temperature, word);
                if let Some(change) = self.layout.change(task, target, limit) {
                    self.layout.apply(task, target, &change);
                }
            }
        }
    }

    /// A seat near a random neighbour of the task, and random bits that are left.
    #[inline]
    fn propose(&mut self, task: u32) -> Option<(u32, u64)> {
        let word = self.rng.word();
        let edges = self.graph.of(task);
        let pick = ((((word >> 32) & 0xfffff) * edges.len() as u64) >> 20) as usize;
        let goal = self.layout.seat(edges.get(pick)?.to);
        let target = self.seats.near(goal, self.layout.seat(task), word as u32)?;
        Some((target, word >> 52))
    }
}
