//! A communicator of the program: its nodes, what is known of the network, and how
//! each kind of call is done.

use super::channel::{self, Channel, Opened, largest};
use super::choice::{Choice, Turn, Verdict};
use super::delays::{Cost, Team, kept};
use super::layout;
use super::learning::Learned;
use super::model::Network;
use super::nodes::Nodes;
use super::operation::{Key, Operation};
use super::plan::{MOST_RANKS, Plan, Reordering, plan, reordering};
use super::reordered::{Detour, Detours};
use super::role::{Cast, Role, perform};
use super::settings::Settings;
use super::wanted::Wanted;
use super::{report, settings, with};
use crate::abi::{Handle, abi, rank_and_size};
use crate::call::Call;
use crate::guard::safely;
use crate::real::{MISSING, pmpi};
use crate::{now, ran};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A communicator.
pub(super) struct Group {
    /// The program's own: the library's collectives in it come in between in the same order on all ranks.
    handle: Handle,
    pub(super) channel: Channel,
    nodes: Arc<Nodes>,
    ways: Mutex<Ways>,
}

/// What a look at a communicator finds.
pub(super) enum Found {
    Group(Box<Group>),
    /// The library's ways are all there is, as between worlds or groups.
    Nothing,
    /// A look costs some rank more than the job can afford now.
    Unpaid,
}

/// What is known, and how calls are done.
struct Ways {
    mind: Learned,
    /// `None` where the library's way is taken for good.
    kinds: HashMap<Key, Option<CallClass>>,
    /// Where calls go that end with a request.
    detours: Detours,
}

/// Calls of a kind: how they are done, and how long the library's way was predicted to take.
struct CallClass {
    route: Arc<Route>,
    given: f64,
    choice: Choice,
}

/// How one call is done.
pub(super) struct CallPlan {
    key: Key,
    bytes: u64,
    turn: Turn,
    /// `None`: as the library does.
    route: Option<Arc<Route>>,
    trials: u32,
}

/// What this rank does in a plan.
struct Route {
    name: String,
    role: Role,
}

impl Group {
    /// Collective: what there is to know of a communicator, where that can be paid.
    pub(super) fn find(handle: Handle, settings: &Settings) -> Found {
        let begin = now();
        let Some(members) = channel::members(handle).filter(|members| members.len() > 1) else { return Found::Nothing };
        let (rank, size) = (rank_and_size(handle).0 as usize, members.len());
        let known = layout::kept(&members);
        let Some(purse) = with(|state| state.budget.meets(ran())) else { return Found::Nothing };
        let (channel, is_known) = match Channel::open(handle, rank, &members, known.is_some(), purse) {
            Opened::Channel(channel, is_known) => (channel, is_known),
            Opened::Unpaid => {
                with(|state| {
                    state.report.put_off();
                    state.budget.asked((now() - begin) as f64 / 1e9);
                });
                return Found::Unpaid;
            }
            Opened::Nothing => return Found::Nothing,
        };
        let nodes = match known.filter(|_| is_known) {
            Some(nodes) => Some(nodes),
            None => layout::find(handle, members),
        };
        let find_nodes = now() - begin;
        let mut cost = Cost::default();
        let least = if settings.forced { 2 } else { 3 };
        let mind = nodes.as_ref().filter(|nodes| nodes.leader.len() >= least).and_then(|nodes| {
            let team = Team { handle, channel: &channel, nodes };
            Learned::new(&team, settings, &mut cost)
        });
        let what = if mind.is_some() { "" } else { ": collectives are the library's" };
        let count = nodes.as_ref().map_or(0, |nodes| nodes.leader.len());
        with(|state| {
            state.report.met((!is_known).then(|| format!("{size} ranks on {count} nodes{what}")), find_nodes, cost);
            state.budget.met((now() - begin) as f64 / 1e9);
        });
        let Some((mind, nodes)) = mind.zip(nodes) else {
            channel.free();
            return Found::Nothing;
        };
        let ways = Mutex::new(Ways { mind, kinds: HashMap::new(), detours: Detours::default() });
        Found::Group(Box::new(Group { handle, channel, nodes, ways }))
    }

    /// What is not known at the end, in words.
    pub(super) fn lack(&self) -> Option<String> {
        self.ways().mind.lack()
    }

    fn size(&self) -> usize {
        self.channel.members.len()
    }

    fn team(&self) -> Team<'_> {
        Team { handle: self.handle, channel: &self.channel, nodes: &self.nodes }
    }

    fn ways(&self) -> MutexGuard<'_, Ways> {
        self.ways.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where a call that ends with a request goes; `None` where that is not known yet.
    pub(super) fn detour(&self, key: Key) -> Option<Option<Detour>> {
        self.ways().detours.get(key)
    }

    /// Collective, where ranks may wait for each other: finds out where calls go that end with a request. False where
    /// too little is known yet.
    pub(super) fn decide(&self, key: Key, bytes: u64) -> bool {
        let Some(settings) = settings() else { return false };
        let mut ways = self.ways();
        let Ways { mind, kinds, detours } = &mut *ways;
        if mind.consult(&self.team(), false) {
            kinds.clear();
            detours.forget();
        }
        if detours.get(key).is_some() || key.1 >= self.size() {
            return true;
        }
        if !mind.plans() {
            return false;
        }
        let begin = now();
        let Some(network) = &mind.network else { return false };
        let found = reordering(&self.wanted(key, bytes, &settings), network, settings.forced);
        let took = now() - begin;
        mind.planned(took as f64 / 1e9);
        report(|report| report.planned(took));
        let order = found.map(|Reordering { name, order, seconds, given }| {
            let (what, ours, own) = (words(key.0, key.1), seconds * 1e3, given * 1e3);
            report(|report| {
                report.line(format!(
                    "{what}, {bytes} bytes, with a request: ranks {name}: {ours:.2} ms predicted, {own:.2} ms as it is"
                ))
            });
            order
        });
        detours.decide(self.handle, self.channel.rank, key, order);
        with(|state| state.budget.spend((now() - begin - took) as f64 / 1e9));
        true
    }

    /// Collective: the program frees its communicator.
    pub(super) fn free(&self) {
        self.ways().detours.free();
        self.channel.free();
    }

    fn wanted(&self, (operation, root, _): Key, bytes: u64, settings: &Settings) -> Wanted<'_> {
        let Settings { order, broadcasts, .. } = *settings;
        let node_of = &self.nodes.of_rank[..];
        Wanted {
            operation,
            open_mpi: abi().open,
            root: node_of[root],
            root_rank: root,
            bytes,
            node_of,
            order,
            broadcasts,
        }
    }

    /// Collective: how a call is to be done. `None`: as the library does, and nothing to count.
    pub(super) fn way(&self, key: Key, bytes: u64) -> Option<CallPlan> {
        if key.1 >= self.size() {
            return None;
        }
        let settings = settings()?;
        let team = self.team();
        let mut ways = self.ways();
        let Ways { mind, kinds, detours } = &mut *ways;
        let waits = |kind: &Option<CallClass>| kind.as_ref().is_some_and(|kind| kind.choice.waits());
        if mind.consult(&team, kinds.get(&key).is_some_and(|kind| !waits(kind))) {
            kinds.clear();
            detours.forget();
        }
        if !kinds.contains_key(&key) && mind.plans() {
            kinds.insert(key, self.kind(key, bytes, mind, &settings));
        }
        let kind = kinds.get_mut(&key).and_then(Option::as_mut);
        let (turn, route) = match kind {
            None => (Turn { ours: false, timed: false }, None),
            Some(kind) => (kind.choice.turn(kind.given, bytes, &mut mind.credit), Some(kind.route.clone())),
        };
        Some(CallPlan { key, bytes, turn, route: route.filter(|_| turn.ours), trials: settings.trials })
    }

    /// Does a call, or has the library do it (`own`): the error code, and whether it went our way. The program's
    /// own functions may run in here, and throw.
    pub(super) fn go(
        &self,
        way: &CallPlan,
        call: &Call<'_>,
        operation: Operation,
        own: &dyn Fn() -> i32,
    ) -> (i32, bool) {
        let begin = now();
        if way.turn.timed {
            pmpi!(PMPI_Barrier(self.handle));
        }
        let _clock = Clock { group: self, way, begin, together: now() };
        let code = match &way.route {
            Some(route) => self.ours(call, operation, route),
            None => own(),
        };
        (code, way.turn.ours)
    }

    /// Collective where the call was timed: notes how long it took since it began, and since all ranks had come.
    fn settle(&self, way: &CallPlan, begin: u64, together: u64) {
        let since = |begin: u64| (now() - begin) as f64 / 1e9;
        let mut ways = self.ways();
        let Ways { mind, kinds, .. } = &mut *ways;
        if !way.turn.timed {
            let whole = since(begin);
            with(|state| state.budget.called(whole));
            if !way.turn.ours {
                mind.called(whole, way.key.0.volume(way.bytes, self.size()));
            }
            return;
        }
        let own = since(together);
        let seconds = largest(self.handle, [own]).map_or(own, |[slowest]| slowest);
        let whole = since(begin);
        with(|state| {
            state.budget.called(whole);
            state.budget.spend(whole - seconds);
        });
        if let Some(kind) = kinds.get_mut(&way.key).and_then(Option::as_mut) {
            self.after(way, kind, seconds);
        }
    }

    /// How calls of a kind are done: as an earlier job found, or as a trial will show. `None` where the library's
    /// way is as good.
    fn kind(&self, key: Key, bytes: u64, mind: &mut Learned, settings: &Settings) -> Option<CallClass> {
        let begin = now();
        let found = mind.network.as_ref().and_then(|network| self.route(network, key, bytes, settings));
        let took = now() - begin;
        mind.planned(took as f64 / 1e9);
        report(|report| report.planned(took));
        let (route, given) = found?;
        let choice = match mind.verdicts.get(&key) {
            _ if settings.trials == 0 || settings.forced => Choice::ours(None),
            Some(&[own, ours]) => {
                report(|report| report.line(judged(key, bytes, &route.name, [own, ours], "in an earlier job")));
                if ours < own { Choice::ours(Some(own)) } else { Choice::Own }
            }
            None => Choice::Waiting,
        };
        Some(CallClass { route: Arc::new(route), given, choice })
    }

    /// This rank's part in the best plan, and the predicted seconds of the library's own way; `None` where that is
    /// predicted as good. Every rank works it out from the same numbers.
    fn route(&self, network: &Network, key: Key, bytes: u64, settings: &Settings) -> Option<(Route, f64)> {
        let (operation, root, _) = key;
        if operation == Operation::Alltoall && self.size() > MOST_RANKS {
            return None;
        }
        let Plan { name, form, seconds, given } = plan(&self.wanted(key, bytes, settings), network, settings.forced)?;
        let (ours, own) = (seconds * 1e3, given * 1e3);
        let what = words(operation, root);
        report(|report| {
            report.line(format!("{what}, {bytes} bytes: {name}: {ours:.2} ms predicted, {own:.2} ms as it is"))
        });
        let role = Cast { nodes: &self.nodes, rank: self.channel.rank, root }.role(form)?;
        Some((Route { name, role }, given))
    }

    /// A call done our way: MPI's error code, which the program's error handler has heard of.
    fn ours(&self, call: &Call<'_>, operation: Operation, route: &Route) -> i32 {
        let code = perform(&route.role, &self.channel, call, operation).unwrap_or(MISSING);
        if code != 0 {
            pmpi!(PMPI_Comm_call_errhandler(self.handle, code));
        }
        code
    }

    /// After a timed call: what it cost, and what it shows.
    fn after(&self, way: &CallPlan, kind: &mut CallClass, seconds: f64) {
        let CallPlan { key, bytes, turn, trials, .. } = *way;
        if let (true, Some(own)) = (turn.ours, kind.choice.own()) {
            with(|state| state.budget.spend(seconds - own * bytes as f64));
        }
        let (rates, verdict) = match kind.choice.after(turn.ours, seconds / bytes as f64, trials) {
            None => return,
            Some(Verdict::Judged(rates, true)) => (rates, "used"),
            Some(Verdict::Judged(rates, false)) => (rates, "not used"),
            Some(Verdict::Dropped(rates)) => (rates, "no longer used"),
        };
        report(|report| report.line(judged(key, bytes, &kind.route.name, rates, verdict)));
        if self.channel.rank == 0 && settings().is_some_and(|settings| settings.is_free()) {
            let way = (self.nodes.layout(), key.0.name().to_string(), key.1, key.2);
            with(|state| {
                state.memory.kept().judge(way, [rates[1], rates[0]], kept::today());
                state.memory.changed = true;
            });
        }
    }
}

/// Notes how long a call took when it ends: also one that the program's error handler leaves by an
/// exception, as the other ranks wait here all the same.
struct Clock<'a> {
    group: &'a Group,
    way: &'a CallPlan,
    begin: u64,
    /// When all ranks had come.
    together: u64,
}

impl Drop for Clock<'_> {
    fn drop(&mut self) {
        safely(|| self.group.settle(self.way, self.begin, self.together));
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
