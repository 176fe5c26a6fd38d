//! A communicator whose collectives are looked at: its nodes, its network, and how
//! each kind of call is done.

use super::bcast::{Place, bcast};
use super::choice::{Choice, Turn, Verdict};
use super::delays::{Cost, Team, kept};
use super::learning::Mind;
use super::message::{Blocks, first};
use super::model::Network;
use super::nodes::{self, Nodes};
use super::operation::{self, Operation};
use super::plan::{Form, Plan, Wanted, plan};
use super::reduce::reduce;
use super::ring::{Ring, allgather, allreduce, alltoall};
use super::{Settings, report, settings, with};
use crate::abi::{Abi, Handle, abi, rank_and_size, type_size};
use crate::call::Call;
use crate::now;
use crate::real::pmpi;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Ranks beyond which an all-to-all takes too long to predict.
const MOST_RANKS: usize = 256;

/// Calls that are done alike: operation, root and bytes to the nearest power of two below.
pub(super) type Key = (Operation, usize, u32);

/// A communicator.
pub(super) struct Group {
    /// A communicator of our own over the same ranks: its messages meet no other's.
    comm: Handle,
    rank: usize,
    pub(super) size: usize,
    nodes: Nodes,
    /// `None` where there is nothing to gain: too few nodes, or too many.
    mind: Option<Mutex<Mind>>,
    /// `None` where the library's way is taken for good.
    kinds: Mutex<HashMap<Key, Option<Kind>>>,
}

/// Calls of a kind: how they are done, and how long the library's way was predicted to take.
struct Kind {
    route: Arc<Route>,
    given: f64,
    choice: Choice,
}

/// What this rank does in a plan.
struct Route {
    name: String,
    role: Role,
}

enum Role {
    /// A place in a tree; segments in bytes.
    Tree(Place, u64),
    Ring(Ring),
}

impl Group {
    /// Collective: what is there to know of a communicator. `None` for intercommunicators.
    pub(super) fn new(handle: Handle, settings: &Settings) -> Option<Group> {
        let mut inter = 0i32;
        pmpi!(PMPI_Comm_test_inter(handle, &raw mut inter));
        if inter != 0 {
            return None;
        }
        let (rank, size) = rank_and_size(handle);
        let (rank, size) = (rank as usize, size as usize);
        // Not a duplicate: that would run the program's functions that copy attributes.
        let mut copy = Abi::room();
        if pmpi!(PMPI_Comm_split(handle, 0, rank, copy.as_mut_ptr())) != 0 {
            return None;
        }
        let comm = abi().at(copy.as_ptr() as usize, 0);
        let begin = now();
        let nodes = nodes::nodes(comm, size)?;
        let find_nodes = now() - begin;
        let least = if settings.forced { 2 } else { 3 };
        let mut cost = Cost::default();
        let team = Team { comm, rank, nodes: &nodes };
        let mind = (nodes.leader.len() >= least).then(|| Mind::new(&team, settings, &mut cost)).flatten();
        let what = if mind.is_some() { "" } else { ": collectives are the library's" };
        let line = format!("{size} ranks on {} nodes{what}", nodes.leader.len());
        with(|state| {
            state.report.met(line, find_nodes, cost);
            state.budget.spend((now() - begin) as f64 / 1e9);
        });
        Some(Group { comm, rank, size, nodes, mind: mind.map(Mutex::new), kinds: Mutex::default() })
    }

    /// What is not known at the end, in words.
    pub(super) fn lack(&self) -> Option<String> {
        self.mind.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner).lack()
    }

    pub(super) fn free(&self) {
        let mut comm = [self.comm];
        pmpi!(PMPI_Comm_free(comm.as_mut_ptr()));
    }

    /// Does a call, or has the library do it (`own`). `None`: the library's, and nothing to count.
    pub(super) fn perform(
        &self,
        call: &Call<'_>,
        operation: Operation,
        bytes: u64,
        own: &dyn Fn() -> i32,
    ) -> Option<(i32, bool)> {
        let mut mind = self.mind.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        let root = if operation.has_root() { call.root() } else { 0 };
        let root = usize::try_from(root).ok().filter(|&root| root < self.size)?;
        let key = (operation, root, bytes.ilog2());
        let settings = settings()?;
        let team = Team { comm: self.comm, rank: self.rank, nodes: &self.nodes };
        let mut kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |kind: &Option<Kind>| kind.as_ref().is_some_and(|kind| kind.choice == Choice::Waiting);
        if mind.consult(&team, kinds.get(&key).is_some_and(|kind| !waits(kind))) {
            kinds.clear();
        }
        if !kinds.contains_key(&key) && mind.plans() {
            kinds.insert(key, self.kind(key, bytes, &mut mind, &settings));
        }
        let mut kind = kinds.get_mut(&key).and_then(Option::as_mut);
        let turn = kind
            .as_mut()
            .map_or(Turn { ours: false, timed: false }, |kind| kind.choice.turn(kind.given, &mut mind.credit));
        let route = kind.as_ref().filter(|_| turn.ours).map(|kind| kind.route.clone());
        let run = || route.map_or_else(|| Some(own()), |route| self.ours(call, operation, &route));
        let begin = now();
        let (code, seconds) = if turn.timed { self.timed(run) } else { (run(), 0.0) };
        let whole = (now() - begin) as f64 / 1e9;
        with(|state| state.budget.called(whole));
        if let (true, Some(kind)) = (turn.timed, kind) {
            with(|state| state.budget.spend(whole - seconds));
            self.after(key, bytes, kind, turn.ours, seconds, settings.trials);
        } else if !turn.ours {
            mind.called(whole, operation.volume(bytes, self.size));
        }
        Some((code?, turn.ours))
    }

    /// How calls of a kind are done: as an earlier job found, or as a trial will show. `None` where the library's
    /// way is as good.
    fn kind(&self, key: Key, bytes: u64, mind: &mut Mind, settings: &Settings) -> Option<Kind> {
        let begin = now();
        let found = mind.network.as_ref().and_then(|network| self.route(network, key, bytes, settings.forced));
        let took = now() - begin;
        mind.planned(took as f64 / 1e9);
        report(|report| report.planned(took));
        let (route, given) = found?;
        let choice = match mind.verdicts.get(&key) {
            _ if settings.trials == 0 || settings.forced => Choice::Ours(0, None),
            Some(&[own, ours]) => {
                report(|report| report.line(judged(key, bytes, &route.name, [own, ours], "in an earlier job")));
                if ours < own { Choice::Ours(0, Some(own)) } else { Choice::Own }
            }
            None => Choice::Waiting,
        };
        Some(Kind { route: Arc::new(route), given, choice })
    }

    /// This rank's part in the best plan, and the predicted seconds of the library's own way; `None` where that is
    /// predicted as good. Every rank works it out from the same numbers.
    fn route(&self, network: &Network, (operation, root, _): Key, bytes: u64, forced: bool) -> Option<(Route, f64)> {
        if operation == Operation::Alltoall && self.size > MOST_RANKS {
            return None;
        }
        let node = self.nodes.of_rank[root];
        let open_mpi = abi().open;
        let wanted = Wanted { operation, open_mpi, root: node, bytes, node_of: &self.nodes.of_rank };
        let Plan { name, form, seconds, given } = plan(&wanted, network, forced)?;
        let (ours, own) = (seconds * 1e3, given * 1e3);
        let what = words(operation, root);
        report(|report| {
            report.line(format!("{what}, {bytes} bytes: {name}: {ours:.2} ms predicted, {own:.2} ms as it is"))
        });
        let role = match form {
            Form::Tree(root_node, tree, segment) => Role::Tree(self.place(root, &tree, root_node), segment),
            Form::Ring(nodes) => {
                let of_rank = &self.nodes.of_rank;
                let ranks = |node: usize| (0..self.size).filter(move |&rank| of_rank[rank] == node);
                let order: Vec<usize> = nodes.into_iter().flat_map(ranks).collect();
                let position = order.iter().position(|&rank| rank == self.rank)?;
                Role::Ring(Ring { position, order })
            }
        };
        Some((Route { name, role }, given))
    }

    /// Where this rank stands in a tree of nodes.
    fn place(&self, root: usize, tree: &[Vec<usize>], root_node: usize) -> Place {
        let leader = |node: usize| if node == root_node { root } else { self.nodes.leader[node] };
        let node = self.nodes.of_rank[self.rank];
        let mates = || (0..self.size).filter(|&r| self.nodes.of_rank[r] == node && r != leader(node));
        let mut place = Place::default();
        if self.rank == leader(node) {
            let parent = tree.iter().position(|children| children.contains(&node));
            place.parent = parent.map(leader);
            place.children = tree[node].iter().map(|&child| leader(child)).collect();
            place.children.extend(mates().take(1));
        } else {
            // Ranks of a node pass it on one after the other.
            let before = mates().take_while(|&mate| mate != self.rank).last();
            place.parent = Some(before.unwrap_or_else(|| leader(node)));
            place.children = mates().skip_while(|&mate| mate != self.rank).skip(1).take(1).collect();
        }
        place
    }

    /// A call done our way: MPI's error code.
    fn ours(&self, call: &Call<'_>, operation: Operation, route: &Route) -> Option<i32> {
        let (comm, rank) = (self.comm, self.rank);
        let elements = |segment: u64| (segment / type_size(call.datatype()).max(1)).max(1) as usize;
        Some(match (operation, &route.role) {
            (Operation::Bcast, Role::Tree(place, segment)) => {
                bcast(comm, place, operation::message(call)?, *segment as usize)
            }
            (Operation::Reduce, Role::Tree(place, segment)) => {
                reduce(comm, rank, place, &operation::reduction(call)?, elements(*segment))
            }
            (Operation::Allreduce, Role::Tree(place, segment)) => {
                let data = operation::reduction(call)?;
                let code = reduce(comm, rank, place, &data, elements(*segment));
                first(code, bcast(comm, place, data.sum(), *segment as usize))
            }
            (Operation::Allreduce, Role::Ring(ring)) => allreduce(comm, rank, ring, &operation::reduction(call)?),
            (Operation::Allgather, Role::Ring(ring)) => {
                allgather(comm, rank, ring, operation::sent(call), operation::received(call))
            }
            (Operation::Alltoall, Role::Ring(ring)) => {
                let sent = operation::sent(call).map(Blocks::new);
                alltoall(comm, rank, ring, sent, operation::received(call))
            }
            (Operation::Bcast | Operation::Reduce, Role::Ring(_))
            | (Operation::Allgather | Operation::Alltoall, Role::Tree(..)) => return None,
        })
    }

    /// Runs a call from a barrier to the last rank's end, in seconds.
    fn timed<T>(&self, run: impl FnOnce() -> T) -> (T, f64) {
        pmpi!(PMPI_Barrier(self.comm));
        let begin = now();
        let result = run();
        let took = (now() - begin) as f64 / 1e9;
        let mut slowest = 0.0f64;
        pmpi!(PMPI_Allreduce(&raw const took, &raw mut slowest, 1, abi().double, abi().max, self.comm));
        (result, slowest)
    }

    /// After a timed call: what it cost, and what it shows.
    fn after(&self, key: Key, bytes: u64, kind: &mut Kind, ours: bool, seconds: f64, trials: u32) {
        if let (true, Some(own)) = (ours, kind.choice.own()) {
            with(|state| state.budget.spend(seconds - own * bytes as f64));
        }
        let (rates, verdict) = match kind.choice.after(ours, seconds / bytes as f64, trials) {
            None => return,
            Some(Verdict::Judged(rates, true)) => (rates, "used"),
            Some(Verdict::Judged(rates, false)) => (rates, "not used"),
            Some(Verdict::Dropped(rates)) => (rates, "no longer used"),
        };
        report(|report| report.line(judged(key, bytes, &kind.route.name, rates, verdict)));
        if self.rank == 0 {
            let way = (self.nodes.layout(), key.0.name().to_string(), key.1, key.2);
            with(|state| {
                state.memory.kept().judge(way, [rates[1], rates[0]], kept::today());
                state.memory.changed = true;
            });
        }
    }
}

/// A verdict in words: seconds a byte of the library's way and of ours.
fn judged(key: Key, bytes: u64, name: &str, rates: [f64; 2], verdict: &str) -> String {
    let [own, ours] = rates.map(|rate| rate * bytes as f64 * 1e3);
    format!("{}: {name}: {ours:.2} ms, {own:.2} ms as it is: {verdict}", words(key.0, key.1))
}

/// What is done, for the report.
fn words(operation: Operation, root: usize) -> String {
    if operation.has_root() { format!("{} from root {root}", operation.name()) } else { operation.name().to_string() }
}
