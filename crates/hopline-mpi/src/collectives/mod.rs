//! Topology-aware collectives: `HOPLINE_COLLECTIVES=bcast,allgather,allreduce,reduce,alltoall` or `all`.
//!
//! At the first large call on a communicator its nodes are found ([`nodes`]) and what is
//! known of how far they are apart; what is not is measured a little at a time, as the
//! job can afford it ([`delays`], [`budget`]). Then, for each operation, root and size, the
//! best way is predicted ([`plan`]). Where it is predicted to beat the library's own,
//! both take turns for a few calls, and what was faster is used from then on
//! ([`choice`]): a prediction can be wrong, a measurement of the same call cannot be far off.
//! What was found is kept for later jobs ([`delays::kept`]).
//!
//! `HOPLINE_DELAYS`: where delays come from ([`delays::Source`]); `HOPLINE_SERVICE`: the route service.
//! `HOPLINE_DELAYS_FILE`: where they are kept, `none` for nowhere ([`delays::kept::place`]).
//! `HOPLINE_BUDGET` (2): percent of the job's time that finding a better way may cost; 100 is no limit.
//! `HOPLINE_HOST`: what this rank's node is called, where it is not as MPI says.
//! `HOPLINE_MIN_BYTES` (16384): smaller calls are the library's.
//! `HOPLINE_TRIALS` (2): calls of each way before one is chosen; 0 trusts the prediction.
//! `HOPLINE_FORCE=1`: the best way of this layer even where it is not predicted to be better.
//! `HOPLINE_VERBOSE=1`: what was done, and what finding it out cost, on stderr at `MPI_Finalize`.

mod bcast;
mod budget;
mod channel;
mod choice;
mod delays;
mod group;
mod islands;
mod layout;
mod learning;
mod message;
mod model;
mod nodes;
mod operation;
mod plan;
mod reduce;
mod report;
mod ring;
mod rounds;
mod tree;

use crate::abi::{Handle, rank_and_size};
use crate::call::Call;
use crate::function::Kind;
use crate::wrap::safely;
use crate::{say, world};
use budget::Budget;
use channel::Channels;
use delays::Source;
use delays::kept::{self, Kept};
use group::Group;
use nodes::Nodes;
use operation::Operation;
use report::Report;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What the environment says.
#[derive(Debug, Clone)]
struct Settings {
    operations: Vec<Operation>,
    source: Source,
    min_bytes: u64,
    trials: u32,
    forced: bool,
    /// Of the job's time, that finding better ways may cost.
    percent: u64,
}

struct State {
    settings: Settings,
    /// `None` where the library's own ways are all there is.
    groups: HashMap<Handle, Option<Arc<Group>>>,
    /// The nodes of members, by their ranks in the world.
    layouts: HashMap<Vec<i32>, Arc<Nodes>>,
    channels: Channels,
    memory: Memory,
    budget: Budget,
    report: Report,
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

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The operations of a list.
///
/// # Errors
/// The word that is none.
fn operations(names: &str) -> Result<Vec<Operation>, String> {
    let mut found = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match Operation::ALL.into_iter().find(|operation| operation.name() == name) {
            Some(operation) => found.push(operation),
            None if name == "all" => found.extend(Operation::ALL),
            None => {
                let known = Operation::ALL.map(Operation::name).join(", ");
                return Err(format!("HOPLINE_COLLECTIVES: `{name}` is not known; {known} and all are"));
            }
        }
    }
    Ok(found)
}

/// The own rank in the world: rank 0 speaks for all.
fn is_speaker() -> bool {
    world::world().is_none_or(|world| world.rank == 0)
}

/// Collective, after `MPI_Init`; true where collectives are wanted.
pub(crate) fn start() -> bool {
    let Ok(names) = std::env::var("HOPLINE_COLLECTIVES") else { return false };
    let text = |name: &str| std::env::var(name).ok();
    let read = operations(&names).and_then(|operations| {
        let source = Source::read(text("HOPLINE_DELAYS").as_deref(), text("HOPLINE_SERVICE").as_deref())?;
        Ok((operations, source))
    });
    let (operations, source) = match read {
        Ok(read) => read,
        Err(why) => {
            if is_speaker() {
                say(&format!("{why}; collectives are the library's"));
            }
            return false;
        }
    };
    let forced = number("HOPLINE_FORCE", 0) != 0;
    let settings = Settings {
        operations,
        source,
        min_bytes: number("HOPLINE_MIN_BYTES", 16_384).max(1),
        trials: number("HOPLINE_TRIALS", 2) as u32,
        forced,
        percent: if forced { 100 } else { number("HOPLINE_BUDGET", 2) },
    };
    if settings.operations.is_empty() {
        return false;
    }
    let Some(channels) = Channels::open() else { return false };
    let budget = Budget::new(settings.percent as f64);
    let state = State {
        settings,
        groups: HashMap::new(),
        layouts: HashMap::new(),
        channels,
        memory: Memory { place: kept::place(), ..Memory::default() },
        budget,
        report: Report::default(),
    };
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    true
}

/// Before `MPI_Finalize`: says what was done.
pub(crate) fn finish() {
    let Some(mut state) = STATE.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
    state.memory.save();
    if number("HOPLINE_VERBOSE", 0) != 0 && is_speaker() {
        let lacks = state.groups.values().flatten().filter_map(|group| group.lack());
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
    if call.kind() == Kind::FreeComm {
        // The communicator may come back with another meaning.
        let comm = call.comm_behind_pointer();
        with(|state| {
            if let Some(Some(group)) = state.groups.remove(&comm) {
                state.channels.release(group.channel.tag);
            }
        });
        return None;
    }
    let operation = Operation::of(call)?;
    let (wanted, min_bytes) = with(|state| (state.settings.operations.contains(&operation), state.settings.min_bytes))?;
    if !wanted || !operation.is_whole(call) {
        return None;
    }
    let bytes = operation.bytes(call);
    if bytes == 0 || bytes > i32::MAX as u64 {
        return None;
    }
    // Of an all-gather or all-to-all the whole counts, which is known once the ranks are.
    let ranks = rank_and_size(call.comm()).1 as usize;
    if operation.volume(bytes, ranks) < min_bytes {
        return None;
    }
    if matches!(operation, Operation::Reduce | Operation::Allreduce) && !reduce::commutes(call.op()) {
        return None;
    }
    let (group, way) = safely(|| {
        let group = group(call.comm())?;
        let way = group.way(call, operation, bytes)?;
        Some((group, way))
    })??;
    let (code, ours) = group.go(&way, call, operation, own);
    report(|report| report.called(ours));
    Some(code)
}

/// What is known of a communicator; collective at its first call.
fn group(handle: Handle) -> Option<Arc<Group>> {
    if let Some(group) = with(|state| state.groups.get(&handle).cloned())? {
        return group;
    }
    let group = Group::new(handle, &settings()?).map(Arc::new);
    with(|state| state.groups.insert(handle, group.clone()));
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_named_as_mpi_names_them() {
        assert_eq!(operations("bcast, reduce"), Ok(vec![Operation::Bcast, Operation::Reduce]));
        assert_eq!(operations("all").map(|all| all.len()), Ok(5));
        assert_eq!(operations(""), Ok(Vec::new()));
        assert!(operations("bcast,scan").is_err_and(|why| why.contains("`scan` is not known; bcast, ")));
    }
}
