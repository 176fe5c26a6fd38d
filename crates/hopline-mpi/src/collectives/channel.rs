//! Where messages of this layer travel: in a communicator of our own over the
//! whole world, whatever communicators the program makes. Those are told apart by tags, which the ranks of each
//! agree on. Libraries have few communicators to give (MPICH 2,048), and they belong to the program.
//!
//! It is made where all of the world first meet in a call that pays for it, not in `MPI_Init`: a job without
//! such calls does not need it. Until then parts of the world talk in a twin of their own communicator. Threads may
//! first meet at once, each in a communicator of its own; then there are several, which all ranks know by the same
//! numbers.

use super::budget::Allowance;
use super::with;
use crate::abi::{Abi, Handle, abi};
use crate::real::pmpi;
use crate::world::{members_of, world};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};

/// The standard promises tags up to this.
const MOST_TAG: i32 = 32_767;
/// How often ranks that propose different tags try again: those of other channels differ, or threads got in each
/// other's way.
const TRIES: u32 = 64;
/// Tags that they pass over at most before they try again.
const LEAP: f64 = 256.0;
/// Communicators of our own at most, beside that of the world; libraries have few to give, and they belong to the
/// program.
const MOST: usize = 32;

/// The way between the ranks of one of the program's communicators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Channel {
    /// Our own.
    pub(super) comm: Handle,
    pub(super) tag: i32,
    /// The own rank, in the program's communicator.
    pub(super) rank: usize,
    /// Rank of each member in our own communicator.
    pub(super) members: Vec<i32>,
    /// True where our communicator serves only this one of the program's, and ends with it.
    is_private: bool,
}

/// What comes of opening a channel; the same on all ranks.
pub(super) enum Opened {
    /// And whether all ranks know its nodes.
    Channel(Channel, bool),
    /// Some rank cannot afford it.
    Unpaid,
    /// There is no tag or communicator left, or MPI fails.
    Nothing,
}

/// What all channels share.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// Communicators of the whole world, and the rank there of each of the world's, by the tag of the channel that
    /// made them: of all that are made at once each has another.
    shared: BTreeMap<i32, (Handle, Vec<i32>)>,
    tags: BTreeSet<i32>,
    /// Communicators of our own beside that.
    count: usize,
}

impl Channels {
    /// Before the world ends.
    pub(super) fn close(&self) {
        self.shared.values().for_each(|&(comm, _)| free(comm));
    }

    /// The number of the communicator of the whole world that this rank would take, -1 where it knows of none.
    fn offered(&self) -> i32 {
        self.shared.keys().next().map_or(-1, |&number| number)
    }

    /// The lowest tag from `least` on that no channel of this rank has.
    fn take(&mut self, least: i32) -> i32 {
        let tag = (least..).find(|tag| !self.tags.contains(tag)).unwrap_or(MOST_TAG + 1);
        self.tags.insert(tag);
        tag
    }

    fn release(&mut self, tag: i32) {
        self.tags.remove(&tag);
    }
}

/// The largest of each number over the ranks of the program's communicator.
pub(super) fn largest<const N: usize>(comm: Handle, mine: [f64; N]) -> Option<[f64; N]> {
    let mut all = mine;
    let code = pmpi!(PMPI_Allreduce(mine.as_ptr(), all.as_mut_ptr(), N, abi().double, abi().max, comm));
    (code == 0).then_some(all)
}

/// Anything from 0 to below 1, other on each rank, in each thread and at each time.
fn draw() -> f64 {
    f64::from(RandomState::new().build_hasher().finish() as u32) / (f64::from(u32::MAX) + 1.0)
}

/// Collective over the program's communicator: one more of our own, by `make`, which answers MPI's error code. `None`
/// where a rank has too many.
pub(super) fn make(handle: Handle, make: impl FnOnce(&mut [usize; 1]) -> i32) -> Option<Handle> {
    let count = with(|state| state.channels.count)?;
    let [most] = largest(handle, [count as f64])?;
    let mut room = Abi::room();
    if most >= MOST as f64 || make(&mut room) != 0 {
        return None;
    }
    with(|state| state.channels.count += 1);
    Some(abi().at(room.as_ptr() as usize, 0))
}

/// Collective over one of our communicators that [`make`] made: the program frees the one that it was made for.
pub(super) fn unmake(comm: Handle) {
    free(comm);
    with(|state| state.channels.count -= 1);
}

fn free(comm: Handle) {
    let mut comm = [comm];
    pmpi!(PMPI_Comm_free(comm.as_mut_ptr()));
}

/// Collective: a communicator of the same ranks, without the attributes of the program, whose copying a duplicate would
/// call for. Answers MPI's error code.
fn twin(handle: Handle, room: &mut [usize; 1]) -> i32 {
    let mut group = Abi::room();
    let code = pmpi!(PMPI_Comm_group(handle, group.as_mut_ptr()));
    if code != 0 {
        return code;
    }
    let code = pmpi!(PMPI_Comm_create(handle, abi().at(group.as_ptr() as usize, 0), room.as_mut_ptr()));
    pmpi!(PMPI_Group_free(group.as_mut_ptr()));
    code
}

/// Our own troubles must not reach the program's error handlers.
fn quiet(comm: Handle) -> Handle {
    pmpi!(PMPI_Comm_set_errhandler(comm, abi().errors_return));
    comm
}

impl Channel {
    /// Collective over a communicator of the program: a channel that none of its ranks has in use, if each of them
    /// has the seconds `left` for what follows. What that takes is the least that any rank `expects`: others have
    /// waited for late ones as well.
    pub(super) fn open(handle: Handle, rank: usize, members: &[i32], is_known: bool, purse: Allowance) -> Opened {
        let mut least = 0;
        for attempt in 0..TRIES {
            let Some((offered, tag)) = with(|state| (state.channels.offered(), state.channels.take(least))) else {
                break;
            };
            let (mine, own) = (f64::from(tag), f64::from(offered));
            let flag = |is: bool| f64::from(u8::from(is));
            let word = [mine, -mine, flag(!is_known), own, -own, -purse.left, -purse.expects, draw()];
            let Some([most, fewest, unknown, latest, first, left, expects, drawn]) = largest(handle, word) else {
                break;
            };
            let (fits, is_paid) = (most == -fewest && tag <= MOST_TAG, -expects <= -left);
            // Ranks that offer different ones, or only some of them one, are where other threads just make them.
            let is_one = latest == -first;
            let shared = match offered {
                _ if !(is_paid && fits && is_one) => None,
                -1 => share(handle, members, tag).then_some(tag),
                number => Some(number),
            };
            if let Some(number) = shared {
                let place = |of: &Vec<i32>| members.iter().map(|&rank| of[rank as usize]).collect();
                let shared = with(|state| state.channels.shared.get(&number).map(|(comm, of)| (*comm, place(of))));
                let Some((comm, members)) = shared.flatten() else { break };
                return Opened::Channel(Channel { comm, tag, rank, members, is_private: false }, unknown == 0.0);
            }
            with(|state| state.channels.release(tag));
            if !is_paid {
                return Opened::Unpaid;
            }
            if fits {
                let Some(channel) = Channel::private(handle, rank, members.len()) else { break };
                return Opened::Channel(channel, unknown == 0.0);
            }
            // Threads that go on side by side would get in each other's way for ever.
            least = (most + drawn * f64::from(attempt).exp2().min(LEAP)) as i32;
            if least > MOST_TAG {
                break;
            }
        }
        Opened::Nothing
    }

    /// Collective: a channel in a communicator of its own, for ranks that know of none that they share.
    fn private(handle: Handle, rank: usize, size: usize) -> Option<Channel> {
        let comm = make(handle, |room| twin(handle, room))?;
        Some(Channel { comm: quiet(comm), tag: 0, rank, members: (0..size as i32).collect(), is_private: true })
    }

    /// No longer needed, though the program's communicator stays.
    pub(super) fn release(&self) {
        if !self.is_private {
            with(|state| state.channels.release(self.tag));
        }
    }

    /// Collective: the program frees its communicator.
    pub(super) fn free(&self) {
        self.release();
        if self.is_private {
            unmake(self.comm);
        }
    }

    /// Where messages to a rank go.
    pub(super) fn member(&self, rank: usize) -> i32 {
        self.members[rank]
    }
}

/// Collective over a communicator of the program: makes one that all channels share, if all of the world are
/// here. It is made from the program's communicator of this call, as another thread may use any other.
fn share(handle: Handle, members: &[i32], number: i32) -> bool {
    if world().is_none_or(|world| world.size as usize != members.len()) {
        return false;
    }
    let mut room = Abi::room();
    if twin(handle, &mut room) != 0 {
        return false;
    }
    let comm = quiet(abi().at(room.as_ptr() as usize, 0));
    let mut place = vec![0; members.len()];
    for (at, &rank) in (0..).zip(members) {
        place[rank as usize] = at;
    }
    with(|state| state.channels.shared.insert(number, (comm, place)));
    true
}

/// True for intercommunicators.
pub(super) fn is_between_groups(handle: Handle) -> bool {
    let mut inter = 0i32;
    pmpi!(PMPI_Comm_test_inter(handle, &raw mut inter));
    inter != 0
}

/// World ranks of a communicator's members; `None` where some are of another world, or it has two groups.
pub(super) fn members(handle: Handle) -> Option<Vec<i32>> {
    if is_between_groups(handle) {
        return None;
    }
    let members = members_of(handle);
    members.iter().all(|&rank| rank >= 0).then_some(members)
}
