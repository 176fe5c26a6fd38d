//! Topology-aware collectives: `HOPLINE_COLLECTIVES=bcast,allgather,allreduce,reduce,alltoall,scatter,gather` or `all`.
//!
//! At the first large call on a communicator its nodes are found ([`nodes`]) and what is
//! known of how far they are apart; what is not is measured a little at a time, as the
//! job can afford it ([`delays`], [`budget`]). Then, for each operation, root and size, the
//! best way is predicted ([`plan`]). Where it is predicted to beat the library's own,
//! both take turns for a few calls, and what was faster is used from then on
//! ([`choice`]): a prediction can be wrong, a measurement of the same call cannot be far off.
//! What was found is kept for later jobs ([`delays::kept`]). Calls that end with a request stay the library's, in
//! another order of ranks ([`reordered`]).
//!
//! `HOPLINE_DELAYS`: where delays come from ([`delays::Source`]); `HOPLINE_SERVICE`: the route service.
//! `HOPLINE_RATE`: Gb/s of this rank's adapter, where the kernel does not know ([`adapters::own_rate`]).
//! `HOPLINE_DELAYS_FILE`: where they are kept, `none` for nowhere ([`delays::kept::place`]).
//! `HOPLINE_ORDER` (auto): `dft` or `bft` takes trees depth or breadth first, as they are ([`tree`]).
//! `HOPLINE_BCAST` (auto): `tree` or `scatter-allgather` ([`scattered`]).
//! `HOPLINE_BUDGET` (2): percent of the job's time that finding a better way may cost; 100 is no limit.
//! `HOPLINE_HOST`: what this rank's node is called, where it is not as MPI says.
//! `HOPLINE_MIN_BYTES` (16384): smaller calls are the library's.
//! `HOPLINE_TRIALS` (2): calls of each way before one is chosen; 0 trusts the prediction.
//! `HOPLINE_FORCE=1`: the best way of this layer even where it is not predicted to be better.
//! `HOPLINE_VERBOSE=1`: what was done, and what finding it out cost, on stderr at `MPI_Finalize`.

mod adapters;
mod bcast;
mod blocks;
mod budget;
mod channel;
mod choice;
mod delays;
mod group;
mod islands;
mod layout;
mod learning;
mod library;
mod message;
mod model;
mod nodes;
mod operation;
mod plan;
mod reduce;
mod reordered;
mod report;
mod ring;
mod role;
mod rounds;
mod scattered;
mod settings;
mod tree;
mod vectors;
mod wanted;

use crate::abi::{Handle, rank_and_size};
use crate::call::Call;
use crate::function::{Completion, FunctionKind};
use crate::guard::safely;
use crate::{say, world};
use budget::Budget;
use channel::Channels;
use delays::kept::{self, Kept};
pub(crate) use delays::readable;
use group::{Found, Group};
use nodes::Nodes;
use operation::{Key, Operation};
pub(crate) use reordered::Detour;
use reordered::Places;
use report::Report;
use settings::Settings;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
pub(crate) use vectors::{by_places, freed as request_freed};

struct State {
    settings: Settings,
    communicators: HashMap<Handle, Known>,
    /// The nodes of members, by their ranks in the world.
    layouts: HashMap<Vec<i32>, Arc<Nodes>>,
    /// Kinds of non-blocking calls on a communicator of which it is not known where they go, and bytes of one.
    asked: HashMap<Handle, Vec<(Key, u64)>>,
    /// Where blocks lie on the communicators that were made for such calls.
    places: HashSet<Arc<Places>>,
    channels: Channels,
    memory: Memory,
    budget: Budget,
    report: Report,
}

/// What is known of a communicator of the program.
#[derive(Clone)]
enum Known {
    Group(Arc<Group>),
    /// The library's own ways are all there is.
    Nothing,
    /// To look at it could not be paid: calls since it was met, and the one at which that is asked again.
    Unpaid {
        calls: u64,
        due: u64,
    },
}

impl Known {
    fn group(&self) -> Option<&Arc<Group>> {
        match self {
            Known::Group(group) => Some(group),
            Known::Nothing | Known::Unpaid { .. } => None,
        }
    }
}

/// What this process knows from earlier jobs and this one.
#[derive(Default)]
struct Memory {
    /// Where it is kept.
    place: Option<PathBuf>,
    /// `None` until it is asked for.
    kept: Option<Kept>,
    /// Hosts and layouts of which what is in the file is no longer true.
    forgotten: Vec<(Vec<String>, u64)>,
    /// True where there is something to write.
    changed: bool,
}

impl Memory {
    fn kept(&mut self) -> &mut Kept {
        self.kept.get_or_insert_with(|| self.place.as_deref().map(kept::load).unwrap_or_default())
    }

    /// Writes what is new.
    fn save(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        if let (true, Some(place), Some(kept)) = (changed, &self.place, &self.kept)
            && let Err(why) = kept::save(place, kept, &self.forgotten)
        {
            say(&format!("what was learned is not kept: {why}"));
            self.place = None;
        }
    }
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

fn with<T>(run: impl FnOnce(&mut State) -> T) -> Option<T> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map(run)
}

fn report(run: impl FnOnce(&mut Report)) {
    with(|state| run(&mut state.report));
}

fn settings() -> Option<Settings> {
    with(|state| state.settings.clone())
}

/// The own rank in the world: rank 0 speaks for all.
fn is_speaker() -> bool {
    world::world().is_none_or(|world| world.rank == 0)
}

/// After `MPI_Init`; true where collectives are wanted.
pub(crate) fn start() -> bool {
    let settings = match Settings::read(|name| std::env::var(name).ok()) {
        Ok(Some(settings)) => settings,
        Ok(None) => return false,
        Err(why) => {
            if is_speaker() {
                say(&format!("{why}; collectives are the library's"));
            }
            return false;
        }
    };
    let percent = settings.percent as f64;
    let state = State {
        settings,
        communicators: HashMap::new(),
        layouts: HashMap::new(),
        asked: HashMap::new(),
        places: HashSet::new(),
        channels: Channels::default(),
        memory: Memory { place: kept::place(), ..Memory::default() },
        budget: Budget::new(percent),
        report: Report::default(),
    };
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    true
}

/// Before `MPI_Finalize`: says what was done.
pub(crate) fn finish() {
    let Some(mut state) = STATE.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    state.memory.save();
    if std::env::var("HOPLINE_VERBOSE").is_ok_and(|text| text != "0") && is_speaker() {
        let lacks = state.communicators.values().filter_map(|known| known.group()?.lack());
        lacks.for_each(|lack| state.report.line(format!("{lack}: too little time to go on")));
        state.report.print();
        let (cost, ran) = (state.budget.gross(), crate::ran());
        say(&format!("all in all {:.2} ms of {ran:.2} s, {:.2} %", cost * 1e3, 100.0 * cost / ran));
    }
    state.channels.close();
}

/// Does a call in the library's place; `own` has the library do it. `None` leaves it to the library.
/// All ranks of the communicator answer alike: what decides is the same on all of them.
pub(crate) fn instead(call: &Call<'_>, own: &dyn Fn() -> i32) -> Option<i32> {
    if call.kind() == FunctionKind::FreeComm {
        safely(|| freed(call.comm_behind_pointer()));
        return None;
    }
    if !matches!(call.kind(), FunctionKind::Coll(_)) || call.completion() != Completion::Blocking {
        return None;
    }
    safely(|| decide(call.comm()));
    let (key, bytes) = large(call)?;
    let (group, way) = safely(|| match known(call.comm())? {
        Known::Group(group) => group.way(key, bytes).map(|way| (group, way)),
        Known::Unpaid { .. } => {
            report(|report| report.called(false));
            None
        }
        Known::Nothing => None,
    })??;
    let (code, ours) = group.go(&way, call, key.0, own);
    report(|report| report.called(ours));
    Some(code)
}

/// Where a call goes that ends with a request; `None` leaves it where it is.
pub(crate) fn elsewhere(call: &Call<'_>) -> Option<Detour> {
    if !matches!(call.kind(), FunctionKind::Coll(_)) || call.completion() == Completion::Blocking {
        return None;
    }
    let (key, bytes) = large(call)?;
    let comm = call.comm();
    let detour = safely(|| {
        // To make a persistent request may wait for the other ranks, to start another must not.
        if call.completion() == Completion::Persistent {
            let group = group(comm)?;
            group.decide(key, bytes);
            return group.detour(key).flatten();
        }
        let known = with(|state| state.communicators.get(&comm).cloned())?;
        // The library's order for good.
        if let Some(Known::Nothing) = known {
            return None;
        }
        known.and_then(|known| known.group()?.detour(key)).unwrap_or_else(|| {
            with(|state| {
                let asked = state.asked.entry(comm).or_default();
                if asked.iter().all(|(other, _)| *other != key) {
                    asked.push((key, bytes));
                }
            });
            None
        })
    });
    let detour = detour.flatten().map(|detour| detour.follow(comm));
    report(|report| report.called(detour.is_some()));
    detour
}

/// Collective, where ranks may wait for each other: where non-blocking calls of the kinds that have been met go.
fn decide(comm: Handle) {
    let Some(Some(asked)) = with(|state| state.asked.remove(&comm)) else { return };
    let open: Vec<(Key, u64)> = match known(comm) {
        Some(Known::Group(group)) => asked.into_iter().filter(|&(key, bytes)| !group.decide(key, bytes)).collect(),
        Some(Known::Unpaid { .. }) => asked,
        Some(Known::Nothing) | None => return,
    };
    if !open.is_empty() {
        with(|state| state.asked.insert(comm, open));
    }
}

/// A communicator is freed, and may come back with another meaning.
fn freed(comm: Handle) {
    let group = with(|state| {
        state.asked.remove(&comm);
        state.communicators.remove(&comm)?.group().cloned()
    });
    if let Some(group) = group.flatten() {
        group.free();
    }
}

/// What a call is and its bytes, where it is one that this layer may do.
fn large(call: &Call<'_>) -> Option<(Key, u64)> {
    let operation = Operation::of(call)?;
    let (wanted, min_bytes) = with(|state| (state.settings.operations.contains(&operation), state.settings.min_bytes))?;
    if !wanted || !operation.is_whole(call) {
        return None;
    }
    let bytes = operation.bytes(call);
    if bytes == 0 {
        return None;
    }
    // Of blocks the whole counts, which is known once the ranks are.
    let ranks = rank_and_size(call.comm()).1 as usize;
    if operation.volume(bytes, ranks) < min_bytes || !operation.fits(bytes, ranks) {
        return None;
    }
    if operation.is_sum() && !reduce::commutes(call.op()) {
        return None;
    }
    let root = if operation.has_root() { usize::try_from(call.root()).ok()? } else { 0 };
    Some(((operation, root, bytes.ilog2()), bytes))
}

/// A communicator whose nodes are known; collective where they are not known yet.
fn group(comm: Handle) -> Option<Arc<Group>> {
    known(comm)?.group().cloned()
}

/// What is known of a communicator; collective at its first call, and at ever fewer of the next ones for as long as that
/// cannot be paid.
fn known(comm: Handle) -> Option<Known> {
    let calls = match with(|state| state.communicators.get(&comm).cloned())? {
        None => 1,
        Some(Known::Unpaid { calls, due }) if calls + 1 < due => {
            let known = Known::Unpaid { calls: calls + 1, due };
            with(|state| state.communicators.insert(comm, known.clone()));
            return Some(known);
        }
        Some(Known::Unpaid { due, .. }) => due,
        known => return known,
    };
    let known = match Group::find(comm, &settings()?) {
        Found::Group(group) => Known::Group(Arc::new(*group)),
        Found::Nothing => Known::Nothing,
        Found::Unpaid => Known::Unpaid { calls, due: 2 * calls },
    };
    with(|state| state.communicators.insert(comm, known.clone()));
    Some(known)
}
