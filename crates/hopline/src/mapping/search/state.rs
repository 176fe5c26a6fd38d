//! A mapping with the busy time of every link, kept up to date move by move.
//!
//! A move first sums what it changes over each bundle of links (traffic that
//! leaves and comes back cancels), then changes the links of the bundles whose
//! sums are not 0. What is taken back is restored from a journal, bit by bit, so
//! that only moves which are kept round; after 2^20 of them all loads are summed
//! anew.

use super::busy::Busy;
use super::task_graph::TaskGraph;
use super::ways::Ways;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::mapping::{Mapping, Problem};

/// The task of a free place.
pub(in crate::mapping) const NOBODY: u32 = u32::MAX;

/// Moves that may be kept before loads are summed anew.
const MOST_KEPT: u32 = 1 << 20;

/// Places are numbered as the problem's slots are: place p is `slots[p]`.
#[derive(Clone)]
pub(in crate::mapping) struct State<'a> {
    graph: &'a TaskGraph,
    ways: Ways<'a>,
    /// Endpoint of every place.
    endpoint: Vec<VertexId>,
    /// Place of every task, and task of every place or [`NOBODY`].
    place: Vec<u32>,
    task: Vec<u32>,
    busy: Busy,
    /// Amount x hops between routers, now and before the last move.
    travel: f64,
    travel_before: f64,
    /// Moves since loads were last summed.
    kept: u32,
    /// The last move: its exchanges, and the tasks that it moved.
    exchanged: Vec<(u32, u32)>,
    moved: Vec<u32>,
    /// Per task: the pass that last saw it.
    mark: Vec<u32>,
    /// Bundles that the move touches.
    changed: Vec<u32>,
    /// What is left of traffic that cancels, at most.
    residue: f64,
}

impl<'a> State<'a> {
    /// The loads of a mapping: O(pairs of tasks * links of a route).
    ///
    /// # Errors
    /// Two tasks that talk have no way between them, or a task sits outside the
    /// problem's slots.
    pub(in crate::mapping) fn new(problem: &Problem<'a>, graph: &'a TaskGraph, mapping: &Mapping) -> Result<State<'a>> {
        State::with_ways(Ways::new(problem.routing()), problem, graph, mapping)
    }

    /// The same over ways that another search of the problem has found.
    ///
    /// # Errors
    /// As [`State::new`].
    pub(in crate::mapping) fn with_ways(
        ways: Ways<'a>,
        problem: &Problem<'a>,
        graph: &'a TaskGraph,
        mapping: &Mapping,
    ) -> Result<State<'a>> {
        let (fabric, slots) = (problem.fabric(), problem.slots());
        let mut place_of = vec![NOBODY; fabric.hosts().slots() as usize];
        slots.iter().zip(0..).for_each(|(s, p)| place_of[s.index()] = p);
        let place: Vec<u32> = (0..graph.tasks()).map(|t| place_of[mapping.slot(t).index()]).collect();
        let mut task = vec![NOBODY; slots.len()];
        for (t, &p) in place.iter().enumerate() {
            let outside = || Error::input(format!("task {t} sits outside the allocation"));
            *task.get_mut(p as usize).ok_or_else(outside)? = t as u32;
        }
        let mut state = State {
            graph,
            ways,
            endpoint: slots.iter().map(|&s| fabric.hosts().endpoint_of(s)).collect(),
            place,
            task,
            busy: Busy::new(fabric, |link| problem.objective().watches(fabric.class_of(link))),
            kept: 0,
            travel: 0.0,
            travel_before: 0.0,
            exchanged: Vec::new(),
            moved: Vec::new(),
            mark: vec![0; graph.tasks() as usize],
            changed: Vec::new(),
            residue: graph.heaviest() * 1e-12,
        };
        for task in 0..graph.tasks() {
            for pair in graph.of(task).iter().filter(|p| p.out > 0.0) {
                let (from, to) = (state.end(task), state.end(pair.peer));
                if state.ways.find(from, to).is_none() {
                    // The routing knows how to say which hosts these are.
                    problem.routing().route(from, to, &mut Vec::new())?;
                }
            }
        }
        state.sum_up();
        Ok(state)
    }

    /// All loads from scratch.
    fn sum_up(&mut self) {
        let graph = self.graph;
        self.busy.clear();
        self.travel = 0.0;
        for task in 0..graph.tasks() {
            for pair in graph.of(task).iter().filter(|p| p.out > 0.0) {
                self.add_flow(self.end(task), self.end(pair.peer), pair.out);
            }
        }
        self.flush();
        self.kept = 0;
    }

    /// The ways that it has found, for another search.
    pub(in crate::mapping) fn into_ways(self) -> Ways<'a> {
        self.ways
    }

    /// Endpoint of a task.
    fn end(&self, task: u32) -> VertexId {
        self.endpoint[self.place[task as usize] as usize]
    }

    /// Task of a place, or [`NOBODY`].
    pub(in crate::mapping) fn task(&self, place: u32) -> u32 {
        self.task[place as usize]
    }

    /// Place of a task.
    pub(in crate::mapping) fn place(&self, task: u32) -> u32 {
        self.place[task as usize]
    }

    /// Place of every task.
    pub(in crate::mapping) fn places(&self) -> &[u32] {
        &self.place
    }

    /// From now on only these links matter.
    pub(in crate::mapping) fn watch(&mut self, fabric: &Fabric, links: &[u32]) {
        self.busy.watch(fabric, links);
        self.kept = 0;
    }

    /// Largest busy time: of links between routers, of host links. O(links that matter).
    pub(in crate::mapping) fn busiest(&self) -> [f64; 2] {
        self.busy.busiest()
    }

    /// Amount x hops between routers, over all messages.
    pub(in crate::mapping) fn travel(&self) -> f64 {
        self.travel
    }

    /// Links over their limit.
    pub(in crate::mapping) fn over(&self) -> i64 {
        self.busy.over()
    }

    /// From now on a link costs the square of the share by which its busy time
    /// is over the limit of its kind. Returns the cost of all. O(links that matter).
    pub(in crate::mapping) fn aim(&mut self, limits: [f64; 2]) -> f64 {
        if self.kept > MOST_KEPT {
            self.sum_up();
        }
        self.busy.aim(limits)
    }

    /// Exchanges what sits in the places of each pair, tasks or nothing, and
    /// returns by how much the cost grows; infinite where tasks that talk would
    /// have no way between them. No place may stand in two pairs. Costs
    /// O(links of the bundles whose sums change).
    pub(in crate::mapping) fn exchange(&mut self, pairs: &[(u32, u32)]) -> f64 {
        self.ways.make_room();
        self.busy.begin();
        self.kept += 1;
        self.travel_before = self.travel;
        self.exchanged.clear();
        self.moved.clear();
        for &(a, b) in pairs {
            self.exchanged.push((a, b));
            if self.endpoint[a as usize] != self.endpoint[b as usize] {
                self.moved.extend([self.task(a), self.task(b)].into_iter().filter(|&t| t != NOBODY));
            }
        }
        self.add_moved(-1.0);
        self.swap_all();
        let possible = self.add_moved(1.0);
        self.flush();
        let grown = self.busy.grown();
        if possible { grown } else { f64::INFINITY }
    }

    /// Takes the last exchange back.
    pub(in crate::mapping) fn undo(&mut self) {
        self.busy.undo();
        self.travel = self.travel_before;
        self.kept -= 1;
        self.swap_all();
    }

    fn swap_all(&mut self) {
        for &(a, b) in &self.exchanged {
            self.task.swap(a as usize, b as usize);
            for place in [a, b] {
                let task = self.task[place as usize];
                if task != NOBODY {
                    self.place[task as usize] = place;
                }
            }
        }
    }

    /// Adds `sign` times the traffic of all moved tasks to the sums of bundles,
    /// each flow between two of them once. False where a flow has no way.
    fn add_moved(&mut self, sign: f64) -> bool {
        let graph = self.graph;
        let moved = std::mem::take(&mut self.moved);
        // Two passes per move, each with its own mark.
        let mark = self.busy.stamp().wrapping_mul(2).wrapping_add(u32::from(sign > 0.0));
        let mut possible = true;
        for &task in &moved {
            self.mark[task as usize] = mark;
            let here = self.end(task);
            for pair in graph.of(task) {
                if self.mark[pair.peer as usize] == mark {
                    continue;
                }
                let there = self.end(pair.peer);
                if pair.out > 0.0 {
                    possible &= self.add_flow(here, there, sign * pair.out);
                }
                if pair.back > 0.0 {
                    possible &= self.add_flow(there, here, sign * pair.back);
                }
            }
        }
        self.moved = moved;
        possible
    }

    /// Adds a flow to the sums of its bundles; false where it has no way.
    #[inline]
    fn add_flow(&mut self, from: VertexId, to: VertexId, amount: f64) -> bool {
        if self.ways.find(from, to).is_none() {
            return false;
        }
        for at in 0..self.ways.found().len() {
            let bundle = self.ways.found()[at];
            if self.ways.put(bundle, amount) {
                self.changed.push(bundle);
            }
        }
        true
    }

    /// Adds the sums of bundles to their links, and clears them.
    fn flush(&mut self) {
        for &bundle in &self.changed {
            let (amount, length, hops) = self.ways.take(bundle);
            // Links that the move does not change must not see its rounding.
            if amount.abs() <= self.residue {
                continue;
            }
            self.travel += amount * length;
            for hop in hops {
                self.busy.add(hop.link, amount * f64::from(hop.busy));
            }
        }
        self.changed.clear();
    }

    /// Moves every task where `places` says: places that are taken now, or free.
    pub(in crate::mapping) fn settle(&mut self, places: &[u32]) {
        for (task, &place) in places.iter().enumerate() {
            if self.place[task] != place {
                self.exchange(&[(self.place[task], place)]);
            }
        }
    }

    /// Those of `tasks` that send or get over a link that is over its limit.
    /// O(pairs of tasks * links of a route).
    pub(in crate::mapping) fn hot_tasks(&mut self, tasks: &[u32], hot: &mut Vec<u32>) {
        hot.clear();
        for &task in tasks {
            let graph = self.graph;
            let mut pairs = graph.of(task).iter();
            if pairs.any(|p| p.out > 0.0 && self.is_hot(task, p.peer) || p.back > 0.0 && self.is_hot(p.peer, task)) {
                hot.push(task);
            }
        }
    }

    fn is_hot(&mut self, from: u32, to: u32) -> bool {
        self.ways.find(self.end(from), self.end(to)).is_some()
            && self.ways.found().iter().any(|&b| self.ways.hops(b).iter().any(|h| self.busy.is_over(h.link)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::{Demand, Unit};
    use crate::files::Disk;
    use crate::id::LinkId;
    use crate::loads::evaluate;
    use crate::plan::Network;
    use crate::rng::Rng;
    use crate::scenario::Scenario;

    /// Every task to some others, more and less.
    fn demand(tasks: u32, rng: &mut Rng) -> Demand {
        let mut below = |n| rng.below(n) as u32;
        let entries = (0..tasks * 4).map(|i| (i % tasks, below(u64::from(tasks)), f64::from(below(9)) + 0.1)).collect();
        Demand::new(tasks, Unit::Units, entries, Vec::new()).expect("demand")
    }

    fn check(state: &State<'_>, problem: &Problem<'_>, what: &str) {
        let fabric = problem.fabric();
        let places: Vec<VertexId> = state.place.iter().map(|&p| state.endpoint[p as usize]).collect();
        let loads = evaluate(problem.demand(), &places, problem.routing()).expect("loads");
        let limited = fabric.classes().iter().any(|c| c.bandwidth.is_some());
        for l in 0..fabric.links() {
            let (link, busy) = (LinkId(l as u32), state.busy.of(l as u32));
            let expected = match limited {
                true => loads.busy(fabric, link),
                false if fabric.is_host_link(link) => 0.0,
                false => loads.load[l],
            };
            assert!((busy - expected).abs() <= 1e-6 * (1.0 + expected), "{what}: {busy} and {expected}");
        }
        let hops: f64 = fabric.link_ids().filter(|&l| !fabric.is_host_link(l)).map(|l| loads.load[l.index()]).sum();
        assert!((state.travel - hops).abs() <= 1e-9 * (1.0 + hops), "{what}: {} and {hops} hops", state.travel);
    }

    #[test]
    fn loads_after_thousands_of_moves_are_those_from_scratch() {
        let machines = [
            ("percs:ns=4,nd=2", "direct"),
            ("percs:ns=3,nd=8,hub=192", "direct:inside=single-hop"),
            ("percs:ns=4,nd=2", "indirect"),
            ("percs:ns=3,nd=16", "indirect:intermediates=other"),
            ("torus:dims=4x4x3,slots=2", "dor:tie=split"),
            ("dragonfly:p=2,a=4,h=2", "minimal"),
            ("dragonfly:p=2,a=4,h=2", "valiant-any"),
            ("dragonfly:p=2,a=4,h=2,slots=2", "valiant-restricted"),
            ("fat-tree:down=4x4x2,up=1x2x2,host=1,slots=3", "d-mod-k"),
            ("tree:arity=4x4x2", "shortest"),
            ("file:testdata/fabrics/lmc1-8,slots=3", "table:lid=spread"),
        ];
        for (topology, routing) in machines {
            let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/");
            let place = topology.replace("testdata/", root);
            let scenario = Scenario::default().topology(&place).and_then(|s| s.routing(routing)).expect(topology);
            let net = Network::new(&scenario, &Disk).expect(topology);
            let slots: Vec<_> = (0..net.fabric.hosts().slots()).map(crate::id::SlotId).collect();
            let mut rng = Rng::new(3, topology);
            // A quarter of the places stays free.
            let demand = demand(slots.len() as u32 * 3 / 4, &mut rng);
            let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
            let graph = TaskGraph::new(&demand, 1 << 20).expect("graph");
            let start = Mapping::new(slots[..demand.tasks() as usize].to_vec(), &net.fabric).expect("mapping");
            let mut state = State::new(&problem, &graph, &start).expect("state");
            check(&state, &problem, topology);
            let most = state.busiest();
            let limits = most.map(|b| b / 3.0 + 0.01);
            let mut cost = state.aim(limits);
            for _ in 0..2000 {
                let block = 1 + rng.below(4) as usize;
                let picked = rng.sample(2 * block, slots.len());
                let pairs: Vec<(u32, u32)> = picked.chunks(2).map(|c| (c[0] as u32, c[1] as u32)).collect();
                let before = (state.place.clone(), state.over());
                let grown = state.exchange(&pairs);
                if rng.below(2) == 0 {
                    state.undo();
                    assert_eq!((state.place.clone(), state.over()), before, "{topology}: undone");
                } else {
                    cost += grown;
                }
            }
            check(&state, &problem, topology);
            let over = state.over();
            let anew = state.aim(limits);
            assert!((cost - anew).abs() <= 1e-6 * (1.0 + anew), "{topology}: {cost} {anew}");
            assert_eq!(over, state.over(), "{topology}");
        }
    }
}
