//! Greedy placement of any job on any fabric: the task that talks most to the
//! tasks already placed goes next, to the free slot nearest to them.

mod near;

use super::blocks::slots_per_host;
use super::{Context, Mapping, Obedience, Problem, Strategy};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::event::{Control, Event};
use crate::files::Files;
use crate::id::{HostId, SlotId, VertexId};
use crate::params::{Params, Reader};
use near::Nearness;
use std::collections::BinaryHeap;

pub(super) const ENTRY: Entry = Entry {
    name: "greedy",
    summary: "any job, any fabric: heaviest talkers first, next to those they talk to",
    doc: "Starts with the task that sends and receives most. Then, until all are placed, the task with the most traffic to \
          placed tasks goes near them: of the free hosts whose sum of amount x distance to them is within a quarter of \
          the least (the eight nearest at most), the one where the busiest link that its traffic uses stays the least \
          busy. A host whose slow adapter would be busier with the task than a fast one with the heaviest is passed over \
          while there are others. Distance is that of the fabric's levels where they define one, else the expected hops \
          between routers under the routing in use, for all hosts of a switch those of one of them.\n\
          With unit=host consecutive ranks stay together in blocks of one host each and only hosts are reordered, as \
          torchrun and other launchers need that fill hosts in order.\n\
          Up to 4096 hosts every free host is looked at: O(traffic pairs * hosts); beyond, the 512 free hosts around that \
          of the heaviest neighbour.",
    example: "greedy",
    params: &[param("unit", "rank|host", "rank", "what is placed: single ranks, or blocks of ranks that fill a host")],
};

/// Demands with more pairs of tasks are refused: uniform blocks of that size
/// look the same from everywhere.
const MOST_PAIRS: u64 = 1 << 24;
const EXACT_HOSTS: usize = 4096;
const WINDOW: usize = 512;
/// Hosts nearly as near as the nearest: how many are compared, within what factor.
const FINALISTS: usize = 8;
const NEARLY: f64 = 1.25;
/// Of so many hosts one is free.
const WHOLE_ROWS: usize = 8;

/// Heaviest talkers first, next to those they talk to: see the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Greedy {
    whole_hosts: bool,
}

impl Greedy {
    /// Single ranks.
    pub fn new() -> Greedy {
        Greedy::default()
    }

    /// The same with blocks of ranks that fill a host.
    #[must_use]
    pub fn whole_hosts(mut self) -> Greedy {
        self.whole_hosts = true;
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(Greedy { whole_hosts: reader.choice("unit", &["rank", "host"])? == 1 }))
}

/// One host of the allocation.
struct Place {
    endpoint: VertexId,
    /// Free slots with their kinds, the next one last; with units of several
    /// ranks the first slot of each.
    free: Vec<(SlotId, u32)>,
}

impl Place {
    /// Where in `free` the next slot of a kind stands.
    fn next(&self, kind: u32) -> Option<usize> {
        self.free.iter().rposition(|slot| slot.1 == kind)
    }
}

impl Strategy for Greedy {
    fn params(&self) -> Params {
        Params::named(ENTRY.name).unless("unit", if self.whole_hosts { "host" } else { "rank" }, "rank")
    }

    fn obedience(&self) -> Obedience {
        Obedience::Own
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let unit = if self.whole_hosts { ranks_per_host(problem, ENTRY.name)? } else { 1 };
        let graph = Graph::new(problem, unit)?;
        let tasks = graph.total.len();
        let mut places = places(problem, unit as usize);
        let mut near = Nearness::new(problem, &places);
        let heaviest = graph.total.iter().copied().fold(0.0, f64::max);
        near.budget = (0..places.len()).fold(f64::INFINITY, |least, host| least.min(near.host_busy(host, heaviest)));
        let mut at: Vec<Option<usize>> = vec![None; tasks];
        let mut slots = vec![SlotId(0); tasks];
        let mut pull = vec![0.0; tasks];
        // Pinned tasks go first, so that others come to them.
        let kinds = problem.kinds();
        let first = |t: usize| if kinds.is_some_and(|k| k.is_pinned(t as u32)) { f64::INFINITY } else { 0.0 };
        let mut queue: BinaryHeap<Waiting> =
            (0..tasks).map(|t| Waiting { pull: first(t), total: graph.total[t], task: t }).collect();
        context.observer.event(Event::Stage { what: "greedy placement".into(), steps: tasks as u64 });
        let mut done = 0;
        while let Some(Waiting { task, pull: then, .. }) = queue.pop() {
            // An entry is stale where the task is placed or has a newer one.
            if at[task].is_some() || then < pull[task] {
                continue;
            }
            let placed: Vec<Pull> = graph.neighbours(task).filter_map(|p| Some(Pull { to: at[p.to]?, ..p })).collect();
            let kind = kinds.map_or(0, |k| k.of_task(task as u32));
            let host = near.best(&places, &placed, (graph.total[task], kind))?;
            // A host without a free slot is never the best, so one is there.
            let Some(slot) = places[host].next(kind) else { continue };
            slots[task] = places[host].free.remove(slot).0;
            at[task] = Some(host);
            near.occupy(&places, host, &placed)?;
            near.promised[host] += graph.total[task];
            for p in graph.neighbours(task).filter(|p| at[p.to].is_none()) {
                pull[p.to] += p.out + p.back;
                queue.push(Waiting { pull: pull[p.to], total: graph.total[p.to], task: p.to });
            }
            done += 1;
            if done % 256 == 0 && context.observer.event(Event::Progress(done)) == Control::Stop {
                return Err(Error::failed("greedy placement was stopped before every task had a slot"));
            }
        }
        let slot_of = |rank: u32| SlotId(slots[(rank / unit) as usize].0 + rank % unit);
        Mapping::new((0..problem.tasks()).map(slot_of).collect(), problem.fabric())
    }
}

/// Slots of every host of the allocation, where all have as many and the ranks fill them.
pub(super) fn ranks_per_host(problem: &Problem<'_>, mapping: &str) -> Result<u32> {
    let slots = problem.slots();
    let host = slots_per_host(problem, &[slots.to_vec()], slots.len() as u32);
    let hosts = problem.fabric().hosts();
    let first = slots.first().map_or(1, |&s| hosts.slot_count(hosts.host_of(s)));
    let whole = slots.chunk_by(|&a, &b| hosts.host_of(a) == hosts.host_of(b)).all(|own| own.len() == first as usize);
    if host != first || !whole || problem.kinds().is_some() || !problem.tasks().is_multiple_of(host) {
        return Err(Error::input(format!(
            "mapping `{mapping}:unit=host`: {} tasks do not fill hosts of equal size",
            problem.tasks()
        ))
        .hint("set slots= so that every host takes the same number of ranks"));
    }
    Ok(host)
}

/// The hosts of the allocation in the order of their first slot.
fn places(problem: &Problem<'_>, unit: usize) -> Vec<Place> {
    let hosts = problem.fabric().hosts();
    let mut index = rustc_hash::FxHashMap::<HostId, usize>::default();
    let mut places: Vec<Place> = Vec::new();
    let kinds = problem.kinds().map(|kinds| kinds.of_places());
    for (i, &slot) in problem.slots().iter().enumerate() {
        let at = *index.entry(hosts.host_of(slot)).or_insert_with(|| {
            places.push(Place { endpoint: hosts.endpoint_of(slot), free: Vec::new() });
            places.len() - 1
        });
        places[at].free.push((slot, kinds.map_or(0, |kind| kind[i])));
    }
    for place in &mut places {
        place.free = place.free.iter().copied().step_by(unit).collect();
        place.free.reverse();
    }
    places
}

/// Traffic of a task with another one, or with the host where that sits.
#[derive(Clone, Copy)]
struct Pull {
    to: usize,
    out: f64,
    back: f64,
}

/// Amounts between tasks.
struct Graph {
    first: Vec<usize>,
    pulls: Vec<Pull>,
    total: Vec<f64>,
}

impl Graph {
    /// Between units of `unit` consecutive ranks.
    fn new(problem: &Problem<'_>, unit: u32) -> Result<Graph> {
        let demand = problem.demand();
        if demand.pairs() > MOST_PAIRS {
            let pairs = demand.pairs();
            return Err(Error::input(format!(
                "mapping `greedy` looks at every pair of tasks, and this traffic has {pairs}"
            ))
            .hint("use a mapping made for the pattern, such as hybrid or blocks"));
        }
        let mut edges: Vec<(u32, Pull)> = Vec::new();
        demand.each_pair(|from, to, amount| {
            let (from, to) = (from / unit, to / unit);
            if from != to {
                edges.push((from, Pull { to: to as usize, out: amount, back: 0.0 }));
                edges.push((to, Pull { to: from as usize, out: 0.0, back: amount }));
            }
        });
        edges.sort_by_key(|e| (e.0, e.1.to));
        edges.dedup_by(|next, kept| {
            let same = (next.0, next.1.to) == (kept.0, kept.1.to);
            if same {
                kept.1.out += next.1.out;
                kept.1.back += next.1.back;
            }
            same
        });
        let tasks = demand.tasks().div_ceil(unit) as usize;
        let (mut first, mut total) = (vec![0; tasks + 1], vec![0.0; tasks]);
        for (from, pull) in &edges {
            first[*from as usize + 1] += 1;
            total[*from as usize] += pull.out + pull.back;
        }
        (0..tasks).for_each(|t| first[t + 1] += first[t]);
        Ok(Graph { first, pulls: edges.into_iter().map(|e| e.1).collect(), total })
    }

    fn neighbours(&self, task: usize) -> impl Iterator<Item = Pull> {
        self.pulls[self.first[task]..self.first[task + 1]].iter().copied()
    }
}

/// A task that waits, by its traffic to placed tasks.
struct Waiting {
    pull: f64,
    total: f64,
    task: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_weight = self.pull.total_cmp(&other.pull).then(self.total.total_cmp(&other.total));
        by_weight.then(other.task.cmp(&self.task))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}
