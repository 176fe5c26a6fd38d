//! A communicator whose collectives are looked at: its nodes, its network, and how
//! each kind of call is done.

use super::bcast::{Place, bcast};
use super::channel::{self, Channel, largest};
use super::layout::Layout;
use super::message::{Blocks, first};
use super::nodes::Nodes;
use super::operation::{self, Operation};
use super::plan::{Form, Plan, Wanted, plan};
use super::reduce::reduce;
use super::ring::{Ring, allgather, allreduce, alltoall};
use super::{Settings, report, settings, with};
use crate::abi::{Handle, abi, rank_and_size, type_size};
use crate::call::Call;
use crate::now;
use crate::real::{MISSING, pmpi};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Faster by less than this is taken for chance.
const MARGIN: f64 = 0.95;
/// Ranks beyond which an all-to-all takes too long to predict.
const MOST_RANKS: usize = 256;

/// Calls that are done alike: operation, root and bytes to the nearest power of two below.
pub(super) type Key = (Operation, usize, u32);

/// A communicator.
pub(super) struct Group {
    /// The program's own: the library's collectives in it come in between in the same order on all ranks.
    handle: Handle,
    pub(super) channel: Channel,
    layout: Arc<Layout>,
    choices: Mutex<HashMap<Key, Choice>>,
}

/// How calls of a kind are done.
#[derive(Clone)]
enum Choice {
    /// As the library does.
    Own,
    /// Both ways in turn, with the fastest of each.
    Trial(Arc<Route>, u32, [f64; 2]),
    /// Our way.
    Ours(Arc<Route>),
}

/// How one call is done.
pub(super) struct Way {
    key: Key,
    choice: Choice,
    trials: u32,
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
    /// Collective: `None` where the library's ways are all there is, as between worlds or groups.
    pub(super) fn new(handle: Handle, settings: &Settings) -> Option<Group> {
        let members = channel::members(handle).filter(|members| members.len() > 1)?;
        let rank = rank_and_size(handle).0 as usize;
        let kept = Layout::kept(&members);
        let (channel, is_known) = Channel::new(handle, rank, &members, kept.is_some())?;
        let layout = match kept.filter(|_| is_known) {
            Some(layout) => Some(layout),
            None => Layout::find(handle, &channel, settings).map(|layout| layout.keep(members)),
        };
        let Some(layout) = layout.filter(|layout| layout.network.is_some()) else {
            with(|state| state.channels.release(channel.tag));
            return None;
        };
        Some(Group { handle, channel, layout, choices: Mutex::default() })
    }

    fn size(&self) -> usize {
        self.channel.members.len()
    }

    fn nodes(&self) -> &Nodes {
        &self.layout.nodes
    }

    /// How a call is to be done. `None`: as the library does, and nothing to count.
    pub(super) fn way(&self, call: &Call<'_>, operation: Operation, bytes: u64) -> Option<Way> {
        let root = if operation.has_root() { call.root() } else { 0 };
        let root = usize::try_from(root).ok().filter(|&root| root < self.size())?;
        let key = (operation, root, bytes.ilog2());
        let settings = settings()?;
        Some(Way { key, choice: self.choice(key, bytes, &settings), trials: settings.trials })
    }

    /// Does a call, or has the library do it (`own`): the error code, and whether it went our way. The program's
    /// own functions may run in here, and throw.
    pub(super) fn go(&self, way: Way, call: &Call<'_>, operation: Operation, own: &dyn Fn() -> i32) -> (i32, bool) {
        let Way { key, choice, trials } = way;
        match choice {
            Choice::Own => (own(), false),
            Choice::Ours(route) => (self.ours(call, operation, &route), true),
            Choice::Trial(route, turn, best) => {
                let ours = turn % 2 == 1;
                let run = || if ours { self.ours(call, operation, &route) } else { own() };
                let (code, seconds) = self.timed(run);
                let mut best = best;
                let this = &mut best[usize::from(ours)];
                *this = this.min(seconds);
                self.decide(key, &route, turn + 1, best, trials);
                (code, ours)
            }
        }
    }

    /// How calls of a kind are done; planned at the first.
    fn choice(&self, key: Key, bytes: u64, settings: &Settings) -> Choice {
        let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        let choice = choices.entry(key).or_insert_with(|| {
            let begin = now();
            let choice = match self.route(key, bytes, settings.forced) {
                None => Choice::Own,
                Some(route) if settings.trials == 0 || settings.forced => Choice::Ours(Arc::new(route)),
                Some(route) => Choice::Trial(Arc::new(route), 0, [f64::INFINITY; 2]),
            };
            report(|report| report.planned(now() - begin));
            choice
        });
        choice.clone()
    }

    /// This rank's part in the best plan, `None` where the library's own is predicted as good.
    /// Every rank works it out from the same numbers.
    fn route(&self, (operation, root, _): Key, bytes: u64, forced: bool) -> Option<Route> {
        let network = self.layout.network.as_ref()?;
        if operation == Operation::Alltoall && self.size() > MOST_RANKS {
            return None;
        }
        let node = self.nodes().of_rank[root];
        let open_mpi = abi().open;
        let wanted = Wanted { operation, open_mpi, root: node, bytes, node_of: &self.nodes().of_rank };
        let Plan { name, form, seconds, given } = plan(&wanted, network, forced)?;
        let (ours, own) = (seconds * 1e3, given * 1e3);
        let what = words(operation, root);
        report(|report| {
            report.line(format!("{what}, {bytes} bytes: {name}: {ours:.2} ms predicted, {own:.2} ms as it is"))
        });
        let role = match form {
            Form::Tree(root_node, tree, segment) => Role::Tree(self.place(root, &tree, root_node), segment),
            Form::Ring(nodes) => {
                let of_rank = &self.nodes().of_rank;
                let ranks = |node: usize| (0..self.size()).filter(move |&rank| of_rank[rank] == node);
                let order: Vec<usize> = nodes.into_iter().flat_map(ranks).collect();
                let position = order.iter().position(|&rank| rank == self.channel.rank)?;
                Role::Ring(Ring { position, order })
            }
        };
        Some(Route { name, role })
    }

    /// Where this rank stands in a tree of nodes.
    fn place(&self, root: usize, tree: &[Vec<usize>], root_node: usize) -> Place {
        let leader = |node: usize| if node == root_node { root } else { self.nodes().leader[node] };
        let node = self.nodes().of_rank[self.channel.rank];
        let mates = || (0..self.size()).filter(|&r| self.nodes().of_rank[r] == node && r != leader(node));
        let mut place = Place::default();
        if self.channel.rank == leader(node) {
            let parent = tree.iter().position(|children| children.contains(&node));
            place.parent = parent.map(leader);
            place.children = tree[node].iter().map(|&child| leader(child)).collect();
            place.children.extend(mates().take(1));
        } else {
            // Ranks of a node pass it on one after the other.
            let before = mates().take_while(|&mate| mate != self.channel.rank).last();
            place.parent = Some(before.unwrap_or_else(|| leader(node)));
            place.children = mates().skip_while(|&mate| mate != self.channel.rank).skip(1).take(1).collect();
        }
        place
    }

    /// A call done our way: MPI's error code, which the program's error handler has heard of.
    fn ours(&self, call: &Call<'_>, operation: Operation, route: &Route) -> i32 {
        let code = self.performed(call, operation, route).unwrap_or(MISSING);
        if code != 0 {
            pmpi!(PMPI_Comm_call_errhandler(self.handle, code));
        }
        code
    }

    fn performed(&self, call: &Call<'_>, operation: Operation, route: &Route) -> Option<i32> {
        let channel = &self.channel;
        let elements = |segment: u64| (segment / type_size(call.datatype()).max(1)).max(1) as usize;
        Some(match (operation, &route.role) {
            (Operation::Bcast, Role::Tree(place, segment)) => {
                bcast(channel, place, operation::message(call)?, *segment as usize)
            }
            (Operation::Reduce, Role::Tree(place, segment)) => {
                reduce(channel, place, &operation::reduction(call)?, elements(*segment))
            }
            (Operation::Allreduce, Role::Tree(place, segment)) => {
                let data = operation::reduction(call)?;
                let code = reduce(channel, place, &data, elements(*segment));
                first(code, bcast(channel, place, data.sum(), *segment as usize))
            }
            (Operation::Allreduce, Role::Ring(ring)) => allreduce(channel, ring, &operation::reduction(call)?),
            (Operation::Allgather, Role::Ring(ring)) => {
                allgather(channel, ring, operation::sent(call), operation::received(call))
            }
            (Operation::Alltoall, Role::Ring(ring)) => {
                let sent = operation::sent(call).map(Blocks::new);
                alltoall(channel, ring, sent, operation::received(call))
            }
            (Operation::Bcast | Operation::Reduce, Role::Ring(_))
            | (Operation::Allgather | Operation::Alltoall, Role::Tree(..)) => return None,
        })
    }

    /// Runs a call from a barrier to the last rank's end, in seconds.
    fn timed<T>(&self, run: impl FnOnce() -> T) -> (T, f64) {
        pmpi!(PMPI_Barrier(self.handle));
        let mut clock = Clock { handle: self.handle, begin: now(), stopped: None };
        let result = run();
        (result, clock.stop())
    }

    /// After a trial: the next, or the verdict.
    fn decide(&self, key: Key, route: &Arc<Route>, turn: u32, best: [f64; 2], trials: u32) {
        let next = if turn < 2 * trials {
            Choice::Trial(route.clone(), turn, best)
        } else {
            let wins = best[1] < MARGIN * best[0];
            let verdict = if wins { "used" } else { "not used" };
            let ([own, ours], what) = (best.map(|seconds| seconds * 1e3), words(key.0, key.1));
            let name = &route.name;
            report(|report| report.line(format!("{what}: {name}: {ours:.2} ms, {own:.2} ms as it is: {verdict}")));
            if wins { Choice::Ours(route.clone()) } else { Choice::Own }
        };
        self.choices.lock().unwrap_or_else(PoisonError::into_inner).insert(key, next);
    }
}

/// Runs until the last rank has stopped it.
struct Clock {
    handle: Handle,
    begin: u64,
    stopped: Option<f64>,
}

impl Clock {
    fn stop(&mut self) -> f64 {
        let took = (now() - self.begin) as f64 / 1e9;
        let slowest = largest(self.handle, [took]).map_or(took, |[slowest]| slowest);
        *self.stopped.insert(slowest)
    }
}

impl Drop for Clock {
    /// A call that the program's error handler leaves by an exception: the other ranks wait here all the same.
    fn drop(&mut self) {
        if self.stopped.is_none() {
            self.stop();
        }
    }
}

/// What is done, for the report.
fn words(operation: Operation, root: usize) -> String {
    if operation.has_root() { format!("{} from root {root}", operation.name()) } else { operation.name().to_string() }
}
