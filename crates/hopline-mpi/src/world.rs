//! Which world this process is in, its rank there, and world ranks of other groups'
//! members: that of `MPI_COMM_WORLD`, or of the set `mpi://WORLD` where a program
//! has only sessions.

use crate::abi::{Abi, Handle, abi};
use crate::real::pmpi;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// What was initialised and not yet finalized: sessions, and `None` for `MPI_Init`.
static OPEN: Mutex<Vec<Option<Handle>>> = Mutex::new(Vec::new());
static WORLD: Mutex<Option<World>> = Mutex::new(None);

/// A world as one of its processes sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    pub(crate) rank: u32,
    pub(crate) size: u32,
    /// Its processes. The library's own until all is finalized.
    group: Handle,
}

/// After `MPI_Init` (`None`) or `MPI_Session_init`: true where it is the first.
pub(crate) fn open(session: Option<Handle>) -> bool {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.push(session);
    if open.len() == 1 {
        enter(session);
    }
    open.len() == 1
}

/// True where nothing else is open.
pub(crate) fn is_last(session: Option<Handle>) -> bool {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).iter().all(|&open| open == session)
}

/// Before `MPI_Finalize` (`None`) or `MPI_Session_finalize`: groups of what ends can be asked no more.
pub(crate) fn close(session: Option<Handle>) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = open.iter().position(|&other| other == session) {
        open.remove(at);
    }
    if let Some(World { group, .. }) = WORLD.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let mut group = [group];
        pmpi!(PMPI_Group_free(group.as_mut_ptr()));
    }
    if let Some(&other) = open.first() {
        enter(other);
    }
}

fn enter(session: Option<Handle>) {
    let mut room = Abi::room();
    let code = match session {
        None => pmpi!(PMPI_Comm_group(abi().world, room.as_mut_ptr())),
        Some(session) => {
            pmpi!(PMPI_Group_from_session_pset(session, c"mpi://WORLD".as_ptr(), room.as_mut_ptr()))
        }
    };
    let group = abi().at(room.as_ptr() as usize, 0);
    let (mut rank, mut size) = (0i32, 0i32);
    let known = code == 0
        && pmpi!(PMPI_Group_rank(group, &raw mut rank)) == 0
        && pmpi!(PMPI_Group_size(group, &raw mut size)) == 0;
    let world = World { rank: rank.max(0) as u32, size: size.max(0) as u32, group };
    *WORLD.lock().unwrap_or_else(PoisonError::into_inner) = known.then_some(world);
}

/// True between `MPI_Init` and `MPI_Finalize`: there is an `MPI_COMM_WORLD`.
pub(crate) fn is_initialised() -> bool {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner).contains(&None)
}

/// The world of this process; `None` before it is initialised.
pub(crate) fn world() -> Option<World> {
    *WORLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// World ranks of the members of a group, which is freed; -1 for those of other worlds.
pub(crate) fn members(group: &mut [usize; 1]) -> Vec<i32> {
    let handle = abi().at(group.as_ptr() as usize, 0);
    let mut size = 0i32;
    pmpi!(PMPI_Group_size(handle, &raw mut size));
    let ranks: Vec<i32> = (0..size).collect();
    let mut found = vec![-1i32; ranks.len()];
    if let Some(World { group, .. }) = world() {
        pmpi!(PMPI_Group_translate_ranks(handle, size, ranks.as_ptr(), group, found.as_mut_ptr()));
    }
    pmpi!(PMPI_Group_free(group.as_mut_ptr()));
    found.into_iter().map(|rank| rank.max(-1)).collect()
}

/// World ranks of the members of a communicator.
pub(crate) fn members_of(comm: Handle) -> Vec<i32> {
    let mut group = Abi::room();
    pmpi!(PMPI_Comm_group(comm, group.as_mut_ptr()));
    members(&mut group)
}

/// The name of a world that another has spawned, which no other has; `None` for the first one of a job.
/// Names sort by when the worlds began. Collective over the world.
pub(crate) fn spawned() -> Option<String> {
    let mut parent = Abi::room();
    if !is_initialised() || pmpi!(PMPI_Comm_get_parent(parent.as_mut_ptr())) != 0 {
        return None;
    }
    if abi().at(parent.as_ptr() as usize, 0) == abi().comm_null {
        return None;
    }
    // What tells rank 0 from all other processes: when, and on one host which process.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut word = [since.as_nanos() as u64, u64::from(std::process::id())];
    pmpi!(PMPI_Bcast(word.as_mut_ptr(), size_of_val(&word), abi().byte, 0, abi().world));
    Some(format!("{:016x}-{:x}", word[0], word[1]))
}
