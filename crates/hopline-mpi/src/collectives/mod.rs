//! Topology-aware collectives: `HOPLINE_COLLECTIVES=bcast`.
//!
//! At the first broadcast of a communicator its nodes are found and the delays
//! between them measured; at the first of a root and size the best tree is
//! predicted. Where it is predicted to beat the library's own, both take turns for
//! a few calls, and what was faster is used from then on: a prediction can be
//! wrong, a measurement of the same call cannot be far off.
//!
//! `HOPLINE_MIN_BYTES` (16384): smaller broadcasts are the library's.
//! `HOPLINE_TRIALS` (2): calls of each way before one is chosen; 0 trusts the prediction.
//! `HOPLINE_VERBOSE=1`: what was done, and what finding it out cost, on stderr at `MPI_Finalize`.

mod bcast;
mod discover;
mod model;
mod plan;
mod tree;

use crate::abi::{Abi, Handle, abi, rank_and_size};
use crate::call::Call;
use crate::real::pmpi;
use crate::say;
use crate::wrap::{Kind, Way, now};
use bcast::{Data, Place};
use discover::{MOST_NODES, Nodes};
use model::Network;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Faster by less than this is taken for chance.
const MARGIN: f64 = 0.95;

/// A communicator whose broadcasts are looked at.
struct Group {
    /// A copy of our own: its messages meet no other's.
    comm: Handle,
    rank: usize,
    size: usize,
    nodes: Nodes,
    /// `None` where there is nothing to gain: one node, or too many.
    network: Option<Network>,
    choices: Mutex<HashMap<(usize, u32), Choice>>,
}

/// How broadcasts of a root and size are done.
#[derive(Clone)]
enum Choice {
    /// As the library does.
    Own,
    /// Both ways in turn, with the fastest of each.
    Trial(Arc<Route>, u32, [f64; 2]),
    /// Along our tree.
    Ours(Arc<Route>),
}

struct Route {
    name: String,
    place: Place,
    segment: usize,
}

/// What was done, for `HOPLINE_VERBOSE`.
#[derive(Default)]
struct Report {
    lines: Vec<String>,
    calls: u64,
    ours: u64,
    find_nodes: u64,
    delays: u64,
    plans: u64,
}

struct State {
    min_bytes: u64,
    trials: u32,
    groups: HashMap<Handle, Arc<Group>>,
    report: Report,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn with<T>(run: impl FnOnce(&mut State) -> T) -> Option<T> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(run)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// After `MPI_Init`; true where collectives are wanted.
pub(crate) fn start() -> bool {
    let Ok(names) = std::env::var("HOPLINE_COLLECTIVES") else { return false };
    let mut on = false;
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match name {
            "bcast" => on = true,
            _ if rank_and_size(abi().world).0 == 0 => {
                say(&format!("HOPLINE_COLLECTIVES: `{name}` is not known; bcast is"))
            }
            _ => {}
        }
    }
    if on {
        let state = State {
            min_bytes: number("HOPLINE_MIN_BYTES", 16_384),
            trials: number("HOPLINE_TRIALS", 2) as u32,
            groups: HashMap::new(),
            report: Report::default(),
        };
        *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    }
    on
}

/// Before `MPI_Finalize`: says what was done.
pub(crate) fn finish() {
    let Some(state) = STATE.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    if number("HOPLINE_VERBOSE", 0) == 0 || rank_and_size(abi().world).0 != 0 {
        return;
    }
    let Report { lines, calls, ours, find_nodes, delays, plans } = state.report;
    lines.iter().for_each(|line| say(line));
    let ms = |nanos: u64| nanos as f64 / 1e6;
    say(&format!("{ours} of {calls} broadcasts of rank 0 went along trees of this layer"));
    say(&format!("cost: nodes {:.2} ms, delays {:.2} ms, plans {:.2} ms", ms(find_nodes), ms(delays), ms(plans)));
}

/// The communicator is freed: forget what is known of it.
fn forget(handle: Handle) {
    if let Some(Some(group)) = with(|state| state.groups.remove(&handle)) {
        let mut comm = [group.comm];
        pmpi!(PMPI_Comm_free(comm.as_mut_ptr()));
    }
}

/// Does a call in the library's place; `None` leaves it to the library. All ranks
/// of the communicator answer alike: what decides is the same on all of them.
pub(crate) fn instead(call: &Call<'_>) -> Option<i32> {
    if call.kind() == Kind::FreeComm {
        forget(call.comm_behind_pointer());
        return None;
    }
    if call.kind() != Kind::Coll("bcast") || call.way() != Way::Blocking {
        return None;
    }
    let bytes = call.bytes();
    let (min_bytes, trials) = with(|state| (state.min_bytes, state.trials))?;
    if bytes < min_bytes || bytes > i32::MAX as u64 {
        return None;
    }
    let group = group(call.comm())?;
    group.network.as_ref()?;
    let root = usize::try_from(call.root()).ok().filter(|&root| root < group.size)?;
    let count = i32::try_from(call.elements()).ok()?;
    let data = Data { buffer: call.buffer(), count, datatype: call.datatype(), bytes: bytes as usize };
    let key = (root, bytes.ilog2());
    let choice = group.choice(key, root, bytes, trials);
    let (code, ours) = match choice {
        Choice::Own => (None, false),
        Choice::Ours(route) => (Some(bcast::bcast(group.comm, &route.place, &data, route.segment)), true),
        Choice::Trial(route, turn, best) => group.trial(key, &route, turn, best, &data, root, trials),
    };
    with(|state| {
        state.report.calls += 1;
        state.report.ours += u64::from(ours);
    });
    code
}

/// What is known of a communicator; collective at its first call.
fn group(handle: Handle) -> Option<Arc<Group>> {
    if let Some(group) = with(|state| state.groups.get(&handle).cloned())? {
        return Some(group);
    }
    let mut inter = 0i32;
    pmpi!(PMPI_Comm_test_inter(handle, &raw mut inter));
    if inter != 0 {
        return None;
    }
    let (rank, size) = rank_and_size(handle);
    let (rank, size) = (rank as usize, size as usize);
    let mut copy = Abi::room();
    if pmpi!(PMPI_Comm_dup(handle, copy.as_mut_ptr())) != 0 {
        return None;
    }
    let comm = abi().at(copy.as_ptr() as usize, 0);
    let begin = now();
    let nodes = discover::nodes(comm, size)?;
    let found = now();
    let few = (3..=MOST_NODES).contains(&nodes.leader.len());
    let network = if few { discover::measure(comm, rank, &nodes) } else { None };
    let end = now();
    let line = match &network {
        Some(network) => format!("{size} ranks on {} nodes in {} islands", network.nodes, network.islands()),
        None => format!("{size} ranks on {} nodes: broadcasts are the library's", nodes.leader.len()),
    };
    let group = Arc::new(Group { comm, rank, size, nodes, network, choices: Mutex::default() });
    with(|state| {
        state.report.lines.push(line);
        state.report.find_nodes += found - begin;
        state.report.delays += end - found;
        state.groups.insert(handle, group.clone());
    });
    Some(group)
}

impl Group {
    /// How broadcasts of a root and about so many bytes are done.
    fn choice(&self, key: (usize, u32), root: usize, bytes: u64, trials: u32) -> Choice {
        let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        let choice = choices.entry(key).or_insert_with(|| {
            let begin = now();
            let choice = match self.route(root, bytes) {
                None => Choice::Own,
                Some(route) if trials == 0 => Choice::Ours(Arc::new(route)),
                Some(route) => Choice::Trial(Arc::new(route), 0, [f64::INFINITY; 2]),
            };
            with(|state| state.report.plans += now() - begin);
            choice
        });
        choice.clone()
    }

    /// This rank's place in the best tree, `None` where the library's own is predicted as good.
    /// Every rank works it out from the same numbers.
    fn route(&self, root: usize, bytes: u64) -> Option<Route> {
        let network = self.network.as_ref()?;
        let root_node = self.nodes.of_rank[root];
        let plan = plan::plan(abi().open, network, root_node, bytes)?;
        with(|state| {
            let (ours, given) = (plan.seconds * 1e3, plan.given * 1e3);
            let line =
                format!("root {root}, {bytes} bytes: {}: {ours:.2} ms predicted, {given:.2} ms as it is", plan.name);
            state.report.lines.push(line);
        });
        let leader = |node: usize| if node == root_node { root } else { self.nodes.leader[node] };
        let node = self.nodes.of_rank[self.rank];
        let mates = || (0..self.size).filter(|&r| self.nodes.of_rank[r] == node && r != leader(node));
        let mut place = Place::default();
        if self.rank == leader(node) {
            let parent = plan.tree.iter().position(|children| children.contains(&node));
            place.parent = parent.map(leader);
            place.children = plan.tree[node].iter().map(|&child| leader(child)).collect();
            place.children.extend(mates().take(1));
        } else {
            // Ranks of a node pass it on one after the other.
            let before = mates().take_while(|&mate| mate != self.rank).last();
            place.parent = Some(before.unwrap_or_else(|| leader(node)));
            place.children = mates().skip_while(|&mate| mate != self.rank).skip(1).take(1).collect();
        }
        Some(Route { name: plan.name, place, segment: plan.segment as usize })
    }

    /// One call of a trial, timed from a barrier to the last rank's end. Answers the code and whether our tree was used.
    #[allow(clippy::too_many_arguments, reason = "all of one call")]
    fn trial(
        &self,
        key: (usize, u32),
        route: &Arc<Route>,
        turn: u32,
        mut best: [f64; 2],
        data: &Data,
        root: usize,
        trials: u32,
    ) -> (Option<i32>, bool) {
        let ours = turn % 2 == 1;
        pmpi!(PMPI_Barrier(self.comm));
        let begin = now();
        let code = match ours {
            true => bcast::bcast(self.comm, &route.place, data, route.segment),
            false => pmpi!(PMPI_Bcast(data.buffer, data.count, data.datatype, root, self.comm)),
        };
        let took = (now() - begin) as f64 / 1e9;
        let mut slowest = 0.0f64;
        pmpi!(PMPI_Allreduce(&raw const took, &raw mut slowest, 1, abi().double, abi().max, self.comm));
        let this = &mut best[usize::from(ours)];
        *this = this.min(slowest);
        let next = if turn + 1 < 2 * trials {
            Choice::Trial(route.clone(), turn + 1, best)
        } else {
            let wins = best[1] < MARGIN * best[0];
            with(|state| {
                let verdict = if wins { "used" } else { "not used" };
                let [own, ours] = best.map(|seconds| seconds * 1e3);
                let line = format!("root {}: {}: {ours:.2} ms, {own:.2} ms as it is: {verdict}", key.0, route.name);
                state.report.lines.push(line);
            });
            if wins { Choice::Ours(route.clone()) } else { Choice::Own }
        };
        self.choices.lock().unwrap_or_else(PoisonError::into_inner).insert(key, next);
        (Some(code), ours)
    }
}
