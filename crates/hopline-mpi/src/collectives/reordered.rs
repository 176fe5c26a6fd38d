//! Non-blocking and persistent broadcasts and sums: the library's own, on a communicator of the same ranks in an order
//! that fits the network, as Subramoni et al. make one for each root (CLUSTER 2011, section IV-B). Request and
//! progress stay the library's. Our own trees would have to be moved on inside whatever call the program waits in,
//! which nothing but a thread could do; and blocks (of gathers, all-to-all and the like) lie in the order of ranks.
//!
//! Communicators are made only where ranks may wait for each other: where a persistent request is made, which the
//! standard lets wait (MPI 4.1, section 6.13), and at the first blocking collective after a non-blocking call.

use super::channel;
use super::operation::Key;
use crate::abi::{Abi, Handle, abi};
use crate::real::pmpi;
use std::collections::{BTreeMap, HashMap};

/// Where a call goes instead: a communicator, and the root's rank there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detour {
    pub(crate) comm: Handle,
    pub(crate) root: i32,
}

impl Detour {
    /// Gives our communicator the error handler that the program's has now.
    pub(super) fn follow(self, handle: Handle) -> Detour {
        let mut handler = Abi::room();
        if pmpi!(PMPI_Comm_get_errhandler(handle, handler.as_mut_ptr())) == 0 {
            pmpi!(PMPI_Comm_set_errhandler(self.comm, abi().at(handler.as_ptr() as usize, 0)));
            pmpi!(PMPI_Errhandler_free(handler.as_mut_ptr()));
        }
        self
    }
}

/// The detours of a communicator.
#[derive(Default)]
pub(super) struct Detours {
    /// `None` where the library's order is taken.
    known: HashMap<Key, Option<Detour>>,
    /// Our own communicators, by the rank at each position. Sorted, so that all ranks free them in one order.
    comms: BTreeMap<Vec<usize>, Handle>,
}

impl Detours {
    /// Where calls of a kind go: `None` where that is not known yet.
    pub(super) fn get(&self, key: Key) -> Option<Option<Detour>> {
        self.known.get(&key).copied()
    }

    /// Collective over the program's communicator: calls of a kind go there with ranks in this order, the root first;
    /// `None` leaves them.
    pub(super) fn decide(&mut self, handle: Handle, rank: usize, key: Key, order: Option<Vec<usize>>) {
        let comm = order.and_then(|order| match self.comms.get(&order) {
            Some(&comm) => Some(comm),
            None => {
                let comm = reordered(handle, rank, &order)?;
                self.comms.insert(order, comm);
                Some(comm)
            }
        });
        self.known.insert(key, comm.map(|comm| Detour { comm, root: 0 }));
    }

    /// What was decided is no longer true; calls that are under way go on.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// Collective: the program frees its communicator. Calls that are under way still end.
    pub(super) fn free(&mut self) {
        self.known.clear();
        std::mem::take(&mut self.comms).into_values().for_each(channel::unmake);
    }
}

/// Collective: a communicator with the ranks of another in this order. `None` where a rank has too many.
fn reordered(handle: Handle, rank: usize, order: &[usize]) -> Option<Handle> {
    let position = order.iter().position(|&other| other == rank)?;
    channel::make(handle, |room| pmpi!(PMPI_Comm_split(handle, 0, position, room.as_mut_ptr())))
}
