//! Who sits where, and what a swap of two seats changes.

use super::super::distance::{Code, Distance};
use super::super::graph::Graph;
use super::super::seats::Seats;

/// No task sits there.
const EMPTY: u32 = u32::MAX;

/// A placement of all tasks whose cost is kept up to date by swaps.
pub(super) struct Layout<'a, D> {
    graph: &'a Graph,
    seats: &'a Seats,
    metric: &'a D,
    /// Per task: its seat and where that is.
    seat: Vec<u32>,
    code: Vec<Code>,
    /// Per seat: its task or `EMPTY`.
    task: Vec<u32>,
    /// Per task: weight x distance of its edges.
    cost: Vec<i64>,
    /// Weight x distance of all edges, each counted once.
    total: i64,
}

impl<'a, D: Distance> Layout<'a, D> {
    /// Task t on seat `seat[t]`. O(edges + seats).
    pub(super) fn new(graph: &'a Graph, seats: &'a Seats, metric: &'a D, seat: Vec<u32>) -> Self {
        let mut task = vec![EMPTY; seats.len()];
        seat.iter().enumerate().for_each(|(t, &s)| task[s as usize] = t as u32);
        let code = seat.iter().map(|&s| seats.code(s)).collect();
        let mut layout = Layout { graph, seats, metric, cost: Vec::new(), seat, code, task, total: 0 };
        layout.cost = (0..graph.len() as u32).map(|t| layout.cost_at(t, layout.code[t as usize], EMPTY).0).collect();
        layout.total = layout.cost.iter().sum::<i64>() / 2;
        layout
    }

    /// Weight x distance of all edges, each counted once.
    pub(super) fn total(&self) -> i64 {
        self.total
    }

    /// The seat of every task.
    pub(super) fn seats(&self) -> &[u32] {
        &self.seat
    }

    /// The seat of a task.
    #[inline]
    pub(super) fn seat(&self, task: u32) -> u32 {
        self.seat[task as usize]
    }

    /// What the edges of a task would cost at `at`, and the weight of that to `other`.
    #[inline]
    fn cost_at(&self, task: u32, at: Code, other: u32) -> (i64, i64) {
        let (mut sum, mut shared) = (0, 0);
        for edge in self.graph.of(task) {
            sum += i64::from(edge.weight) * i64::from(self.metric.between(at, self.code[edge.to as usize]));
            shared += if edge.to == other { i64::from(edge.weight) } else { 0 };
        }
        (sum, shared)
    }

    /// The change of the total if a task took a seat and whoever sits there took
    /// its own; `None` where it is above `limit`. O(degrees).
    #[inline]
    pub(super) fn change(&self, task: u32, target: u32, limit: i64) -> Option<Change> {
        let (from, to) = (self.code[task as usize], self.seats.code(target));
        if from == to {
            return None;
        }
        let other = self.task[target as usize];
        let (cost, shared) = self.cost_at(task, to, other);
        let own = cost - self.cost[task as usize];
        if other == EMPTY {
            return (own <= limit).then_some(Change { by: own, cost, other, other_cost: 0 });
        }
        // The other one can gain no more than all it costs.
        if own - self.cost[other as usize] > limit {
            return None;
        }
        let (other_cost, _) = self.cost_at(other, from, EMPTY);
        // An edge between the two keeps its length, but each was moved onto the other.
        let between = shared * i64::from(self.metric.between(from, to));
        let by = own + other_cost - self.cost[other as usize] + 2 * between;
        (by <= limit).then_some(Change { by, cost: cost + between, other, other_cost: other_cost + between })
    }

    /// Makes a change that [`Layout::change`] gave for the same task and seat. O(degrees).
    #[inline]
    pub(super) fn apply(&mut self, task: u32, target: u32, change: &Change) {
        let (from, to) = (self.code[task as usize], self.seats.code(target));
        let (source, other) = (self.seat[task as usize], change.other);
        self.shift(task, from, to, other);
        self.cost[task as usize] = change.cost;
        if other != EMPTY {
            self.shift(other, to, from, task);
            self.cost[other as usize] = change.other_cost;
            self.seat[other as usize] = source;
            self.code[other as usize] = from;
        }
        self.task[source as usize] = other;
        self.task[target as usize] = task;
        self.seat[task as usize] = target;
        self.code[task as usize] = to;
        self.total += change.by;
    }

    /// Brings the costs of a task's neighbours, but for `except`, up to date with its move.
    #[inline]
    fn shift(&mut self, task: u32, from: Code, to: Code, except: u32) {
        for edge in self.graph.of(task) {
            if edge.to != except {
                let there = self.code[edge.to as usize];
                let (new, old) = (self.metric.between(to, there), self.metric.between(from, there));
                self.cost[edge.to as usize] += i64::from(edge.weight) * (i64::from(new) - i64::from(old));
            }
        }
    }
}

/// What a swap changes.
pub(super) struct Change {
    /// The total.
    pub(super) by: i64,
    /// New cost of the task.
    cost: i64,
    /// Who sat there, and its new cost.
    other: u32,
    other_cost: i64,
}

#[cfg(test)]
mod tests {
    use super::super::super::distance::with_metric;
    use super::*;
    use crate::files::Disk;
    use crate::mapping::Problem;
    use crate::plan::Network;
    use crate::rng::Rng;
    use crate::scenario::Scenario;
    use crate::{demand, id::SlotId};

    /// 40 tasks with random amounts on 48 slots.
    fn check(topology: &str) {
        let network = Network::new(&Scenario::default().topology(topology).expect("spec"), &Disk).expect("machine");
        let mut rng = Rng::new(3, topology);
        let entries = (0..300).map(|_| (rng.below(40) as u32, rng.below(40) as u32, rng.unit())).collect();
        let demand = demand::Demand::new(40, demand::Unit::Bytes, entries, Vec::new()).expect("demand");
        let slots: Vec<SlotId> = (0..48).map(SlotId).collect();
        let problem = Problem::new(&demand, &*network.routing, &slots).expect("problem");
        let graph = Graph::of_demand(&problem, 1, "test").expect("graph");
        let seats = Seats::new(&problem, 1).expect("seats");
        with_metric!(seats.metric(), metric => {
            let mut layout = Layout::new(&graph, &seats, metric, seats.in_order(40));
            let mut made = 0;
            for _ in 0..4000 {
                let (task, target) = (rng.below(40) as u32, rng.below(48) as u32);
                if let Some(change) = layout.change(task, target, i64::MAX) {
                    let before = layout.total();
                    layout.apply(task, target, &change);
                    assert_eq!(layout.total(), before + change.by, "{topology}");
                    made += 1;
                }
            }
            assert!(made > 3000, "{topology}: {made}");
            let anew = Layout::new(&graph, &seats, metric, layout.seats().to_vec());
            assert_eq!((anew.total(), &anew.cost, &anew.task), (layout.total(), &layout.cost, &layout.task), "{topology}");
        });
    }

    #[test]
    fn swaps_keep_costs_as_if_counted_anew() {
        check("torus:dims=4x3x4");
        check("torus:dims=3x4,slots=4");
        check("tree:arity=3x4x4,distance=1x10x100");
        check("dragonfly:p=2,a=4,h=2");
    }
}
