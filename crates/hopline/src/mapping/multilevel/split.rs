//! Recursive bisection of the job along the machine: seats are cut in two where
//! the machine is, tasks where they talk least across. Edges to tasks outside
//! pull toward the half that is nearer to them. After Pellegrini, "Static
//! mapping by dual recursive bipartitioning of process and architecture graphs",
//! 1994.

use super::super::distance::Metric;
use super::super::graph::{Edge, Graph};
use super::super::seats::{Seats, Shape};
use super::bisect::bisect;
use super::coarsen::{Clusters, light};
use super::loose::{MachineParts, anneal_parts, is_loose};
use super::refine::{Cut, Refiner};
use crate::event::{Control, Event, Observer};
use crate::rng::Rng;

/// How well the machine is cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct CutEffort {
    /// Cuts of a domain of which the best is taken. What is lost in a cut no later one mends.
    tries: usize,
    /// How often the cuts of a depth are refined again, once it is known where all other tasks went: the first of them were
    /// made while their neighbours outside were still in the larger parts of the depth before.
    again: usize,
    /// So few tasks are not cut any more.
    small: usize,
}

/// For what is annealed gently, or as it is.
pub(super) const FINE: CutEffort = CutEffort { tries: 2, again: 2, small: 1 };
/// For what melts: how it lies in the machine as a whole.
pub(super) const ROUGH: CutEffort = CutEffort { tries: 1, again: 0, small: 32 };

/// So many tasks at each place of a torus are annealed as parts are.
const CROWD: usize = 64;

/// A set of seats and the tasks that go there: the same range of both lists.
#[derive(Clone, Copy)]
struct Domain {
    from: usize,
    to: usize,
}

struct Split<'a> {
    graph: &'a Graph,
    seats: &'a Seats,
    /// Seats and tasks, domain by domain.
    seat: Vec<u32>,
    task: Vec<u32>,
    /// Where each task stands in `task`.
    position: Vec<u32>,
    /// The domain of each task.
    own: Vec<u32>,
    domains: Vec<Domain>,
    /// Per domain: the cut for which `pull` holds, and how much farther the
    /// second half is than the first.
    pulled: Vec<(u32, i64)>,
    refiner: Refiner,
    care: CutEffort,
}

/// Where a hierarchy whose levels tell distances is cut: the lowest bit of every
/// depth in a path. Elsewhere all cuts are of one kind.
fn depths(seats: &Seats) -> Vec<Option<u32>> {
    match seats.shape() {
        Shape::Nested { shifts, .. } if matches!(seats.metric(), Metric::Levels(_)) => {
            shifts.iter().copied().map(Some).collect()
        }
        _ => vec![None],
    }
}

/// Whether so many parts or places are annealed as such.
pub(super) fn is_crowded(graph: &Graph, parts: usize) -> bool {
    graph.len() >= CROWD * parts
}

/// The seat of every task, and the number of moves tried; `seats` are as many as tasks. `None` where the observer says
/// stop.
pub(super) fn split(
    graph: &Graph,
    seats: &Seats,
    chosen: Vec<u32>,
    (sweeps, care): (u64, CutEffort),
    rng: &mut Rng,
    observer: &mut dyn Observer,
) -> Option<(Vec<u32>, u64)> {
    let n = graph.len();
    let mut all = Split {
        graph,
        seats,
        seat: chosen,
        task: (0..n as u32).collect(),
        position: (0..n as u32).collect(),
        own: vec![0; n],
        domains: vec![Domain { from: 0, to: n }],
        pulled: vec![(u32::MAX, 0)],
        refiner: Refiner::default(),
        care,
    };
    let depths = depths(seats);
    let loose = depths.iter().filter(|d| seats.parts(**d).is_some_and(|parts| is_loose(n, parts))).count().max(1);
    observer.event(Event::Stage { what: "recursive bisection".into(), steps: depths.len() as u64 });
    let (mut parts, mut outer, mut moves) = (vec![0u32], u32::MAX, 0);
    for (i, &shift) in depths.iter().enumerate() {
        parts = all.cut_all(parts, shift, rng);
        if observer.event(Event::Progress(i as u64 + 1)) == Control::Stop {
            return None;
        }
        let crowded = is_crowded(graph, parts.len());
        if parts.len() > 1 && (crowded || shift.is_some() && is_loose(n, parts.len())) {
            moves += all.loosen(&parts, outer, sweeps / loose as u64, rng, observer);
        }
        outer = shift.unwrap_or(outer);
    }
    let mut seat = vec![0; n];
    all.task.iter().zip(&all.seat).for_each(|(&task, &s)| seat[task as usize] = s);
    Some((seat, moves))
}

impl Split<'_> {
    /// Cuts domains until each lies in one part of a hierarchy, or at one place.
    fn cut_all(&mut self, mut level: Vec<u32>, shift: Option<u32>, rng: &mut Rng) -> Vec<u32> {
        let mut parts = Vec::new();
        while !level.is_empty() {
            let mut cuts = Vec::new();
            for &domain in &level {
                match self.cut(domain, shift, rng) {
                    Some(halves) => cuts.push((domain, halves)),
                    None => parts.push(domain),
                }
            }
            for _ in 0..if self.is_hierarchy() { 0 } else { self.care.again } {
                cuts.iter().for_each(|&(domain, halves)| self.refine(domain, halves));
            }
            level = cuts.into_iter().flat_map(|c| c.1).collect();
        }
        parts
    }

    /// Cuts a domain; `None` where its seats are all at one place, or few.
    fn cut(&mut self, domain: u32, shift: Option<u32>, rng: &mut Rng) -> Option<[u32; 2]> {
        let Domain { from, to } = self.domains[domain as usize];
        if to - from <= self.care.small {
            return None;
        }
        let part = |at: usize, shift: u32| self.seats.code(self.seat[at]) >> shift;
        if shift.is_some_and(|shift| part(from, shift) == part(to - 1, shift)) {
            return None;
        }
        let wanted = self.seats.halve(&mut self.seat[from..to])?;
        let part = self.clusters(domain, from + wanted);
        let side = bisect(&part, wanted as u32, self.care.tries, rng, &mut self.refiner);
        let halves = [0, 1].map(|i| self.domains.len() as u32 + i);
        self.domains.push(Domain { from, to: from + wanted });
        self.domains.push(Domain { from: from + wanted, to });
        self.pulled.extend([(u32::MAX, 0); 2]);
        self.divide(domain, halves, side);
        Some(halves)
    }

    /// Refines the cut between two halves of a domain.
    fn refine(&mut self, domain: u32, halves: [u32; 2]) {
        let Domain { from, to } = self.domains[domain as usize];
        let middle = self.domains[halves[0] as usize].to;
        let part = self.clusters(domain, middle);
        let side = (from..to).map(|at| u8::from(at >= middle)).collect();
        let mut cut = Cut::new(&part, side, (middle - from) as u32);
        self.refiner.refine(&part, &mut cut, 0);
        self.divide(domain, halves, cut.side);
    }

    /// Gives the tasks of a domain to its halves; `side` is that of each.
    fn divide(&mut self, domain: u32, halves: [u32; 2], side: Vec<u8>) {
        let Domain { from, to } = self.domains[domain as usize];
        let mut tasks: Vec<(u8, u32)> = side.into_iter().zip(self.task[from..to].iter().copied()).collect();
        tasks.sort_by_key(|t| t.0);
        for (i, (side, task)) in tasks.into_iter().enumerate() {
            self.task[from + i] = task;
            self.position[task as usize] = (from + i) as u32;
            self.own[task as usize] = halves[side as usize];
        }
    }

    /// In a hierarchy both halves of a part are equally far from all the rest.
    fn is_hierarchy(&self) -> bool {
        matches!(self.seats.metric(), Metric::Levels(_))
    }

    /// Anneals tasks among parts whose innermost common level is above `outer`; the number of moves tried.
    fn loosen(&mut self, parts: &[u32], outer: u32, sweeps: u64, rng: &mut Rng, observer: &mut dyn Observer) -> u64 {
        let mut number = vec![0u32; self.domains.len()];
        parts.iter().enumerate().for_each(|(i, &d)| number[d as usize] = i as u32);
        let of = |d: u32| self.domains[d as usize];
        let rooms = MachineParts {
            place: parts.iter().map(|&d| self.seats.code(self.seat[of(d).from])).collect(),
            seats: parts.iter().map(|&d| (of(d).to - of(d).from) as u32).collect(),
            outer,
        };
        // Numbered part by part, what is near in the machine is near in memory.
        let graph = self.graph.renumbered(&self.task);
        let start = self.task.iter().map(|&t| number[self.own[t as usize] as usize]).collect();
        let (part, moves) = anneal_parts(&graph, self.seats.metric(), &rooms, start, sweeps, rng, observer);
        let mut next: Vec<usize> = parts.iter().map(|&d| of(d).from).collect();
        for (&task, part) in self.task.iter().zip(part) {
            let at = &mut next[part as usize];
            self.position[task as usize] = *at as u32;
            self.own[task as usize] = parts[part as usize];
            *at += 1;
        }
        self.position.iter().enumerate().for_each(|(t, &p)| self.task[p as usize] = t as u32);
        moves
    }

    /// The tasks of a domain as a graph whose halves end and begin at `middle`.
    fn clusters(&mut self, domain: u32, middle: usize) -> Clusters {
        let Domain { from, to } = self.domains[domain as usize];
        let (first, second) = (&self.seat[from..middle], &self.seat[middle..to]);
        let spread = |a: &[u32], b: &[u32]| self.seats.spread(a, b) as i64;
        let apart = (spread(first, second) - (spread(first, first) + spread(second, second)) / 2).max(1);
        let alone = self.is_hierarchy() || domain == 0;
        let mut part = Clusters { first: vec![0], size: vec![1; to - from], ..Clusters::default() };
        for &task in &self.task[from..to] {
            let mut bias = 0i64;
            for edge in self.graph.of(task) {
                let at = self.position[edge.to as usize] as usize;
                let weight = light(edge.weight);
                if (from..to).contains(&at) {
                    part.edges.push(Edge { to: (at - from) as u32, weight });
                } else if !alone {
                    let other = self.own[edge.to as usize];
                    let memo = &mut self.pulled[other as usize];
                    if memo.0 != domain {
                        let Domain { from, to } = self.domains[other as usize];
                        let there = &self.seat[from..to];
                        *memo =
                            (domain, self.seats.spread(there, second) as i64 - self.seats.spread(there, first) as i64);
                    }
                    bias += i64::from(weight) * memo.1;
                }
            }
            part.bias.push(bias / apart);
            part.first.push(part.edges.len() as u32);
        }
        part
    }
}
