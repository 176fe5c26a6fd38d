//! Where messages of this layer travel: in one communicator of our own over the
//! whole world, made once, whatever communicators the program makes. Those are told
//! apart by tags, which the ranks of each agree on. Libraries have few communicators
//! to give (MPICH 2,048), and they belong to the program.

use super::with;
use crate::abi::{Abi, Handle, abi};
use crate::real::pmpi;
use crate::world::members_of;
use std::collections::BTreeSet;

/// The standard promises tags up to this.
const MOST_TAG: i32 = 32_767;
/// How often ranks that propose different tags try again: those of other channels differ, or threads got in each
/// other's way.
const TRIES: u32 = 64;

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
}

/// What comes of opening a channel; the same on all ranks.
pub(super) enum Opened {
    /// And whether all ranks know its nodes.
    Channel(Channel, bool),
    /// Some rank cannot afford it.
    Unpaid,
    /// There is no tag left, or MPI fails.
    Nothing,
}

/// What all channels share.
#[derive(Debug, Default)]
pub(super) struct Channels {
    comm: Handle,
    tags: BTreeSet<i32>,
}

impl Channels {
    /// Collective over the world; `None` where the library gives no communicator.
    pub(super) fn open() -> Option<Channels> {
        let mut room = Abi::room();
        if pmpi!(PMPI_Comm_dup(abi().world, room.as_mut_ptr())) != 0 {
            return None;
        }
        let comm = abi().at(room.as_ptr() as usize, 0);
        // Our own troubles must not reach the program's error handlers.
        pmpi!(PMPI_Comm_set_errhandler(comm, abi().errors_return));
        Some(Channels { comm, tags: BTreeSet::new() })
    }

    pub(super) fn close(&self) {
        let mut comm = [self.comm];
        pmpi!(PMPI_Comm_free(comm.as_mut_ptr()));
    }

    /// The lowest tag from `least` on that no channel of this rank has.
    fn take(&mut self, least: i32) -> i32 {
        let tag = (least..).find(|tag| !self.tags.contains(tag)).unwrap_or(MOST_TAG + 1);
        self.tags.insert(tag);
        tag
    }

    /// A channel is no longer needed.
    pub(super) fn release(&mut self, tag: i32) {
        self.tags.remove(&tag);
    }
}

/// The largest of each number over the ranks of the program's communicator.
pub(super) fn largest<const N: usize>(comm: Handle, mine: [f64; N]) -> Option<[f64; N]> {
    let mut all = mine;
    let code = pmpi!(PMPI_Allreduce(mine.as_ptr(), all.as_mut_ptr(), N, abi().double, abi().max, comm));
    (code == 0).then_some(all)
}

impl Channel {
    /// Collective over a communicator of the program: a channel that none of its ranks has in use, if what follows is
    /// something that each of them `affords`.
    pub(super) fn open(handle: Handle, rank: usize, members: &[i32], is_known: bool, affords: bool) -> Opened {
        let mut least = 0;
        for _ in 0..TRIES {
            let Some((comm, tag)) = with(|state| (state.channels.comm, state.channels.take(least))) else { break };
            let mine = f64::from(tag);
            let flag = |is: bool| f64::from(u8::from(is));
            let Some([most, fewest, unknown, unpaid]) = largest(handle, [mine, -mine, flag(!is_known), flag(!affords)])
            else {
                break;
            };
            if unpaid == 0.0 && most == -fewest && tag <= MOST_TAG {
                return Opened::Channel(Channel { comm, tag, rank, members: members.to_vec() }, unknown == 0.0);
            }
            with(|state| state.channels.release(tag));
            if unpaid > 0.0 {
                return Opened::Unpaid;
            }
            least = most as i32;
            if least > MOST_TAG {
                break;
            }
        }
        Opened::Nothing
    }

    /// Where messages to a rank go.
    pub(super) fn member(&self, rank: usize) -> i32 {
        self.members[rank]
    }
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
