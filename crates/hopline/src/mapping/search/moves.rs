//! Which exchanges a search tries: a task goes to a place near to where it is,
//! near to one it talks to, or anywhere; alone or with all of its host.

use super::state::{NOBODY, State};
use super::task_graph::TaskGraph;
use crate::fabric::Fabric;
use crate::id::{SlotId, VertexId};
use crate::mapping::Problem;
use crate::rng::Rng;
use rustc_hash::FxHashMap;

/// A partition of the places.
#[derive(Debug, Clone)]
pub(in crate::mapping) struct Parts {
    /// Part of every place.
    of: Vec<u32>,
    /// Places of every part, ascending.
    places: Vec<Vec<u32>>,
}

impl Parts {
    /// Parts are numbered in the order of their first place.
    pub(in crate::mapping) fn new(slots: &[SlotId], part: impl Fn(SlotId) -> u32) -> Parts {
        let mut number = FxHashMap::default();
        let mut parts = Parts { of: Vec::with_capacity(slots.len()), places: Vec::new() };
        for (place, &slot) in slots.iter().enumerate() {
            let at = *number.entry(part(slot)).or_insert_with(|| {
                parts.places.push(Vec::new());
                parts.places.len() as u32 - 1
            });
            parts.of.push(at);
            parts.places[at as usize].push(place as u32);
        }
        parts
    }

    /// Part of a place.
    pub(in crate::mapping) fn of(&self, place: u32) -> u32 {
        self.of[place as usize]
    }

    /// The places of every part.
    pub(in crate::mapping) fn places(&self) -> &[Vec<u32>] {
        &self.places
    }
}

/// Places around each place.
#[derive(Debug, Clone)]
enum Scope {
    /// Its part.
    Part(Parts),
    /// The nearest of the fabric.
    Near(Vec<Vec<u32>>),
}

impl Scope {
    fn around(&self, place: u32) -> &[u32] {
        match self {
            Scope::Part(parts) => &parts.places[parts.of(place) as usize],
            Scope::Near(places) => &places[place as usize],
        }
    }
}

/// The moves of a search.
#[derive(Debug, Clone)]
pub(in crate::mapping) struct Moves {
    /// A task goes to a place around its own, or with `free` around that of one
    /// it talks to.
    scopes: Vec<Scope>,
    free: bool,
    hosts: Parts,
    /// Kind of every place, where they differ: only places of one kind are exchanged.
    kind: Vec<u32>,
    /// Of 128 moves so many exchange whole hosts.
    whole: u64,
}

/// Every move exchanges whole hosts.
pub(in crate::mapping) const WHOLE_HOSTS: u64 = 128;
/// Most moves exchange single tasks.
pub(in crate::mapping) const MIXED: u64 = 30;
/// Places that count as near where a fabric has no levels.
const NEAR: usize = 24;

impl Moves {
    /// Moves all over the machine: within the parts of each level, or where it
    /// has none among the nearest places; and anywhere.
    pub(in crate::mapping) fn everywhere(problem: &Problem<'_>, whole: u64) -> Moves {
        let (slots, fabric) = (problem.slots(), problem.fabric());
        let mut scopes: Vec<Scope> = fabric
            .levels()
            .iter()
            .map(|level| Parts::new(slots, |s| level.part[fabric.hosts().endpoint_of(s).index()]))
            .filter(|parts| parts.places.len() > 1)
            .map(Scope::Part)
            .collect();
        if scopes.is_empty() {
            scopes.push(Scope::Near(nearest(fabric, slots)));
        }
        scopes.push(Scope::Part(Parts::new(slots, |_| 0)));
        Moves { scopes, free: true, hosts: hosts(problem), kind: kinds(problem), whole }
    }

    /// Moves within parts of the places.
    pub(in crate::mapping) fn within(problem: &Problem<'_>, parts: Parts, whole: u64) -> Moves {
        Moves { scopes: vec![Scope::Part(parts)], free: false, hosts: hosts(problem), kind: kinds(problem), whole }
    }

    /// Writes the exchanges of one move of a task; none where nothing would change.
    pub(in crate::mapping) fn propose(
        &self,
        (state, graph): (&State<'_>, &TaskGraph),
        task: u32,
        rng: &mut Rng,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        pairs.clear();
        let dice = rng.below(1 << 16);
        let from = state.place(task);
        let peers = graph.of(task);
        let anchor = if self.free && dice & 1 == 0 && !peers.is_empty() {
            state.place(peers[rng.below(peers.len() as u64) as usize].peer)
        } else {
            from
        };
        let near = self.scopes[(dice >> 8) as usize % self.scopes.len()].around(anchor);
        let to = near[rng.below(near.len() as u64) as usize];
        let [ours, theirs] = [from, to].map(|p| &self.hosts.places[self.hosts.of(p) as usize]);
        if ours[0] == theirs[0] {
            return;
        }
        if (dice >> 1 & 127) < self.whole && ours.len() == theirs.len() {
            pairs.extend(ours.iter().copied().zip(theirs.iter().copied()));
            pairs.retain(|&(a, b)| state.task(a) != NOBODY || state.task(b) != NOBODY);
        } else {
            pairs.push((from, to));
        }
        if !self.kind.is_empty() && pairs.iter().any(|&(a, b)| self.kind[a as usize] != self.kind[b as usize]) {
            pairs.clear();
        }
    }
}

fn kinds(problem: &Problem<'_>) -> Vec<u32> {
    problem.kinds().map_or(Vec::new(), |kinds| kinds.of_places().to_vec())
}

fn hosts(problem: &Problem<'_>) -> Parts {
    Parts::new(problem.slots(), |s| problem.fabric().hosts().host_of(s).0)
}

/// The nearest places of each place, its own host's among them, by hops over
/// cables: breadth first until [`NEAR`] are found.
fn nearest(fabric: &Fabric, slots: &[SlotId]) -> Vec<Vec<u32>> {
    let hosts = fabric.hosts();
    let mut at: Vec<Vec<u32>> = vec![Vec::new(); fabric.vertices() as usize];
    slots.iter().zip(0..).for_each(|(&s, place)| at[hosts.endpoint_of(s).index()].push(place));
    let mut seen = vec![u32::MAX; fabric.vertices() as usize];
    let mut queue = Vec::new();
    let around = |(number, slot): (u32, &SlotId)| {
        let start = hosts.endpoint_of(*slot);
        let mut found = Vec::new();
        queue.clear();
        queue.push(start);
        seen[start.index()] = number;
        let mut next = 0;
        while let Some(&v) = queue.get(next).filter(|_| found.len() < NEAR) {
            next += 1;
            found.extend_from_slice(&at[v.index()]);
            for to in fabric.out_links(v).map(|l| fabric.target(l)) {
                if seen[to.index()] != number {
                    seen[to.index()] = number;
                    queue.push(VertexId(to.0));
                }
            }
        }
        found
    };
    (0..).zip(slots).map(around).collect()
}
