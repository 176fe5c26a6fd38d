//! Annealing of tasks among parts of the machine that may be over-full on the
//! way: single moves need no partner, so that cuts get better than by swaps. A
//! square penalty keeps sizes close, and at the end the cheapest chains of moves
//! make them exact.

use super::super::distance::{Code, Distance, Metric, with_metric};
use super::super::graph::Graph;
use super::anneal::Thresholds;
use super::coarsen::Clusters;
use crate::event::{Control, Event, Observer};
use crate::rng::Rng;

/// Temperatures, in the mean edge weight of the clusters at hand x the distance
/// of neighbouring parts: the first, that at the end of each round of clusters,
/// and the last. With them rises the penalty of one cluster too many.
const HOT: f64 = 6.0;
const WARM: f64 = 1.5;
const COLD: f64 = 0.1;
const PENALTY: f64 = 0.8;
const RISE: f64 = 2.0;
/// Clusters are contracted until a part has so few of them.
const CLUSTERS: usize = 12;

/// Whether `tasks` on so many parts are worth it: with few tasks in a part
/// swaps do as well.
pub(super) fn is_loose(tasks: usize, parts: usize) -> bool {
    parts > 1 && tasks >= 8 * parts
}

/// The last move of a chain that ends in a part.
#[derive(Clone, Copy)]
struct Step {
    /// Of the whole chain.
    cost: i64,
    /// The part before, and the task that moves from there.
    before: u32,
    task: u32,
}

const UNREACHED: Step = Step { cost: i64::MAX, before: 0, task: 0 };

/// The parts of a machine.
pub(super) struct MachineParts {
    /// Where each is, for distances to others.
    pub(super) place: Vec<Code>,
    /// How many tasks each takes.
    pub(super) seats: Vec<u32>,
    /// Tasks stay where the bits of places above this one are equal.
    pub(super) outer: u32,
}

/// Anneals tasks among parts, task t from part `start[t]` on; the part of every
/// task, and the number of moves tried. All parts are full before and after, and what costs
/// more than the start is the start. O(sweeps * edges).
pub(super) fn anneal_parts(
    graph: &Graph,
    metric: &Metric,
    rooms: &MachineParts,
    start: Vec<u32>,
    sweeps: u64,
    rng: &mut Rng,
    observer: &mut dyn Observer,
) -> (Vec<u32>, u64) {
    let nearest = rooms.place.windows(2).map(|p| metric.between(p[0], p[1])).min().unwrap_or(1);
    let mut rounds = vec![Round { clusters: Clusters::singles(graph), part: start, into: Vec::new() }];
    while let Some(last) = rounds.last()
        && let Some(coarser) = last.contracted(CLUSTERS * rooms.place.len(), rng)
    {
        rounds.push(coarser);
    }
    observer.event(Event::Stage { what: "annealing of parts".into(), steps: sweeps * rounds.len() as u64 });
    let (mut temperature, mut moves) = (f64::INFINITY, 0);
    let mut watch = Watch { observer, done: 0, stopped: false };
    let mut part = rounds.last().map(|r| r.part.clone()).unwrap_or_default();
    for Round { clusters, into, .. } in rounds.iter().rev() {
        let unit = clusters.mean_weight() * f64::from(nearest);
        let size = graph.len() as f64 / clusters.len() as f64;
        let single = into.is_empty();
        let schedule = Schedule {
            hot: temperature.min(unit * HOT),
            cold: unit * if single { COLD } else { WARM },
            penalty: unit * PENALTY / (size * size),
            sweeps,
        };
        temperature = schedule.cold;
        part = with_metric!(metric, metric => {
            let mut loose = Loose::new(clusters, metric, rooms, part);
            moves += loose.anneal(&schedule, rng, &mut watch);
            if single {
                loose.settle();
            }
            loose.part
        });
        if !single {
            part = into.iter().map(|&cluster| part[cluster as usize]).collect();
        }
    }
    // So few sweeps may not make good what the heat has undone.
    let first = rounds.swap_remove(0);
    let is_better = with_metric!(metric, metric => {
        let cost = |part: &[u32]| Loose::new(&first.clusters, metric, rooms, part.to_vec()).cost.iter().sum::<i64>();
        cost(&part) < cost(&first.part)
    });
    (if is_better { part } else { first.part }, moves)
}

/// Counts sweeps; once the observer says stop, the sweeps that are left are skipped.
struct Watch<'a> {
    observer: &'a mut dyn Observer,
    done: u64,
    stopped: bool,
}

impl Watch<'_> {
    fn stopped(&mut self) -> bool {
        self.done += 1;
        self.stopped = self.stopped || self.observer.event(Event::Progress(self.done)) == Control::Stop;
        self.stopped
    }
}

/// A size of clusters.
struct Round {
    clusters: Clusters,
    /// The part of each cluster at the start.
    part: Vec<u32>,
    /// The cluster of every one of the round before; of single tasks none.
    into: Vec<u32>,
}

impl Round {
    /// Clusters of two, within parts; `None` where that leaves fewer than `least`.
    fn contracted(&self, least: usize, rng: &mut Rng) -> Option<Round> {
        if self.clusters.len() * 10 < least * 15 {
            return None;
        }
        let most = 2 * self.clusters.size.iter().sum::<u32>() / self.clusters.len() as u32 + 1;
        let together = |a: u32, b: u32| self.part[a as usize] == self.part[b as usize];
        let (clusters, into) = self.clusters.contract(most.max(2), together, rng);
        if clusters.len() * 10 > self.clusters.len() * 9 {
            return None;
        }
        let mut part = vec![0; clusters.len()];
        into.iter().zip(&self.part).for_each(|(&cluster, &p)| part[cluster as usize] = p);
        Some(Round { clusters, part, into })
    }
}

impl MachineParts {
    /// Whether tasks may move between two parts.
    #[inline]
    fn together(&self, a: u32, b: u32) -> bool {
        (self.place[a as usize] ^ self.place[b as usize]).checked_shr(self.outer).unwrap_or(0) == 0
    }
}

/// Temperatures and penalties of one round.
struct Schedule {
    hot: f64,
    cold: f64,
    /// Of one task too many, squared.
    penalty: f64,
    sweeps: u64,
}

impl Schedule {
    /// Temperature and penalty of a sweep.
    fn at(&self, sweep: u64) -> (f64, f64) {
        let done = sweep as f64 / self.sweeps as f64;
        (self.hot * (self.cold / self.hot).powf(done), self.penalty * RISE.powf(done))
    }
}

/// Tasks, or clusters of them, among parts.
struct Loose<'a, D> {
    graph: &'a Clusters,
    metric: &'a D,
    rooms: &'a MachineParts,
    /// Per part: how many more tasks it has than it takes.
    excess: Vec<i64>,
    /// Per task: its part and where that is.
    part: Vec<u32>,
    code: Vec<Code>,
    /// Per task: weight x distance of its edges.
    cost: Vec<i64>,
}

impl<'a, D: Distance> Loose<'a, D> {
    /// Task t in part `part[t]`. O(edges).
    fn new(graph: &'a Clusters, metric: &'a D, rooms: &'a MachineParts, part: Vec<u32>) -> Self {
        let mut excess: Vec<i64> = rooms.seats.iter().map(|&s| -i64::from(s)).collect();
        part.iter().zip(&graph.size).for_each(|(&p, &size)| excess[p as usize] += i64::from(size));
        let code = part.iter().map(|&p| rooms.place[p as usize]).collect();
        let mut loose = Loose { graph, metric, rooms, excess, part, code, cost: Vec::new() };
        loose.cost = (0..graph.len() as u32).map(|t| loose.cost_at(t, loose.code[t as usize])).collect();
        loose
    }

    #[inline]
    fn cost_at(&self, task: u32, at: Code) -> i64 {
        let each = |w: u32, to: u32| i64::from(w) * i64::from(self.metric.between(at, self.code[to as usize]));
        self.graph.of(task).iter().map(|e| each(e.weight, e.to)).sum()
    }

    /// The sweeps of one round.
    /// Returns the number of moves tried.
    fn anneal(&mut self, schedule: &Schedule, rng: &mut Rng, watch: &mut Watch<'_>) -> u64 {
        let thresholds = Thresholds::new();
        let mut done = 0;
        while done < schedule.sweeps && !watch.stopped() {
            let (temperature, penalty) = schedule.at(done);
            self.sweep(temperature, penalty as i64, rng, &thresholds);
            done += 1;
        }
        done * self.graph.len() as u64
    }

    /// Every task may move to the part of a random neighbour.
    fn sweep(&mut self, temperature: f64, penalty: i64, rng: &mut Rng, thresholds: &Thresholds) {
        for task in 0..self.graph.len() as u32 {
            let word = rng.word();
            let edges = self.graph.of(task);
            let pick = (((word & 0xfffff) * edges.len() as u64) >> 20) as usize;
            let Some(edge) = edges.get(pick) else { continue };
            let (from, to) = (self.part[task as usize], self.part[edge.to as usize]);
            if from == to || !self.rooms.together(from, to) {
                continue;
            }
            let limit = thresholds.at(temperature, word >> 32);
            let size = i64::from(self.graph.size[task as usize]);
            let more = penalty * 2 * size * (self.excess[to as usize] - self.excess[from as usize] + size);
            // A move gains no more than the task costs.
            if more - self.cost[task as usize] > limit {
                continue;
            }
            let new = self.cost_at(task, self.rooms.place[to as usize]);
            if new - self.cost[task as usize] + more <= limit {
                self.apply(task, to, new);
            }
        }
    }

    fn apply(&mut self, task: u32, to: u32, cost: i64) {
        let (before, after) = (self.code[task as usize], self.rooms.place[to as usize]);
        for e in self.graph.of(task) {
            let there = self.code[e.to as usize];
            let (new, old) = (self.metric.between(after, there), self.metric.between(before, there));
            self.cost[e.to as usize] += i64::from(e.weight) * (i64::from(new) - i64::from(old));
        }
        let size = i64::from(self.graph.size[task as usize]);
        self.excess[self.part[task as usize] as usize] -= size;
        self.excess[to as usize] += size;
        self.part[task as usize] = to;
        self.code[task as usize] = after;
        self.cost[task as usize] = cost;
    }

    /// Moves tasks from parts with too many to parts with too few, along the
    /// chain of parts that costs least.
    fn settle(&mut self) {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.rooms.place.len()];
        self.part.iter().enumerate().for_each(|(t, &p)| members[p as usize].push(t as u32));
        let mut way = vec![UNREACHED; self.rooms.place.len()];
        for from in 0..self.rooms.place.len() as u32 {
            while self.excess[from as usize] > 0 {
                let Some(to) = self.chain(from, &members, &mut way) else { break };
                // From the end, so that what moves out makes room for what moves in.
                let mut at = to;
                while at != from {
                    let Step { before, task, .. } = way[at as usize];
                    let cost = self.cost_at(task, self.rooms.place[at as usize]);
                    self.apply(task, at, cost);
                    members[before as usize].retain(|&t| t != task);
                    members[at as usize].push(task);
                    at = before;
                }
            }
        }
    }

    /// The part with too few tasks that is cheapest to reach; `way` has for each part how.
    fn chain(&self, from: u32, members: &[Vec<u32>], way: &mut [Step]) -> Option<u32> {
        way.fill(UNREACHED);
        way[from as usize].cost = 0;
        let mut done = vec![false; way.len()];
        // Moves can pay; then they count as free, and no circle comes about.
        loop {
            let open = (0..way.len()).filter(|&p| !done[p] && way[p].cost < i64::MAX).min_by_key(|&p| way[p].cost)?;
            if self.excess[open] < 0 {
                return Some(open as u32);
            }
            done[open] = true;
            let base = way[open].cost;
            let mut reach = |to: u32, task: u32| {
                let cost = self.cost_at(task, self.rooms.place[to as usize]) - self.cost[task as usize];
                let sum = base + cost.max(0);
                if sum < way[to as usize].cost {
                    way[to as usize] = Step { cost: sum, before: open as u32, task };
                }
            };
            for &task in &members[open] {
                let mut last = open as u32;
                for e in self.graph.of(task) {
                    let to = self.part[e.to as usize];
                    if to != last && !done[to as usize] && self.rooms.together(from, to) {
                        reach(to, task);
                        last = to;
                    }
                }
            }
            // A job in several pieces: any task may go to any part with room.
            if (0..way.len()).all(|p| done[p] || way[p].cost == i64::MAX) {
                let to = (0..way.len()).find(|&p| self.excess[p] < 0 && self.rooms.together(from, p as u32))?;
                let &task = members[open].first()?;
                way[to] = Step { cost: base, before: open as u32, task };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::distance::Table;
    use super::super::super::graph::Edge;
    use super::*;
    use crate::event::Silent;

    /// A chain of tasks, each with its neighbours.
    fn chain(tasks: u32) -> Graph {
        let of = |t: u32| [t.checked_sub(1), Some(t + 1).filter(|&n| n < tasks)].into_iter().flatten();
        let mut first = vec![0];
        let mut edges = Vec::new();
        for t in 0..tasks {
            edges.extend(of(t).map(|to| Edge { to, weight: 1 }));
            first.push(edges.len() as u32);
        }
        Graph::from_rows(first, edges)
    }

    #[test]
    fn what_a_few_sweeps_undo_is_not_taken() {
        let hops = (0..16).map(|k| u8::from(k / 4 != k % 4)).collect();
        let metric = Metric::Table(Table { rows: 4, hops });
        let rooms = MachineParts { place: (0..4).collect(), seats: vec![16; 4], outer: 2 };
        let (graph, start): (Graph, Vec<u32>) = (chain(64), (0..64).map(|t| t / 16).collect());
        for seed in 0..8 {
            let mut rng = Rng::new(seed, "test");
            let (part, _) = anneal_parts(&graph, &metric, &rooms, start.clone(), 1, &mut rng, &mut Silent);
            let cuts = part.windows(2).filter(|w| w[0] != w[1]).count();
            assert!(cuts <= 3, "seed {seed}: {cuts} cuts");
            assert!((0..4).all(|p| part.iter().filter(|&&q| q == p).count() == 16), "seed {seed}");
        }
    }
}
