//! Calls that end with a request: the library's own, on a communicator of the same ranks in an order that fits the
//! network, as Subramoni et al. make one for each root (CLUSTER 2011, section IV-B). Request and progress stay the
//! library's: our own trees would have to be moved on inside whatever call the program waits in, which nothing but a
//! thread could do. Blocks of gathers, scatters and all-to-alls lie in the order of ranks, so these go as vector forms
//! that say where each block lies ([`super::vectors`]).
//!
//! Communicators are made only where ranks may wait for each other: where a persistent request is made, which the
//! standard lets wait (MPI 4.1, section 6.13), and at the first blocking collective after a non-blocking call.

use super::channel;
use super::operation::Key;
use super::with;
use crate::abi::{Abi, Handle, abi};
use crate::real::pmpi;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Where a call goes instead: to a communicator whose first rank is the root.
#[derive(Debug, Clone)]
pub(crate) struct Detour {
    pub(crate) comm: Handle,
    /// Where blocks lie, of calls that have any.
    pub(crate) places: Option<Arc<Places>>,
}

/// Where the blocks of a reordered communicator's ranks lie.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Places {
    /// The own rank there.
    pub(crate) own: usize,
    /// One block each.
    pub(crate) counts: Vec<i32>,
    /// Which block each rank's is: its rank in the program's communicator.
    pub(crate) at: Vec<i32>,
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
    comms: BTreeMap<Vec<usize>, (Handle, Arc<Places>)>,
}

impl Detours {
    /// Where calls of a kind go: `None` where that is not known yet.
    pub(super) fn get(&self, key: Key) -> Option<Option<Detour>> {
        self.known.get(&key).cloned()
    }

    /// Collective over the program's communicator: calls of a kind go there with ranks in this order, the root first;
    /// `None` leaves them.
    pub(super) fn decide(&mut self, handle: Handle, rank: usize, key: Key, order: Option<Vec<usize>>) {
        let found = order.and_then(|order| match self.comms.get(&order) {
            Some(known) => Some(known.clone()),
            None => {
                let made = reordered(handle, rank, &order)?;
                self.comms.insert(order, made.clone());
                Some(made)
            }
        });
        let places = |places| key.0.has_blocks().then_some(places);
        self.known.insert(key, found.map(|(comm, at)| Detour { comm, places: places(at) }));
    }

    /// What was decided is no longer true; calls that are under way go on.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// Collective: the program frees its communicator. Calls that are under way still end.
    pub(super) fn free(&mut self) {
        self.known.clear();
        std::mem::take(&mut self.comms).into_values().for_each(|(comm, _)| channel::unmake(comm));
    }
}

/// The same, each once and as long as the job: calls under way look at them when their communicator is freed already.
fn kept(places: Places) -> Option<Arc<Places>> {
    with(|state| {
        let known = state.places.get(&places).cloned();
        known.unwrap_or_else(|| {
            let new = Arc::new(places);
            state.places.insert(new.clone());
            new
        })
    })
}

/// Collective: a communicator with the ranks of another in this order. `None` where a rank has too many.
fn reordered(handle: Handle, rank: usize, order: &[usize]) -> Option<(Handle, Arc<Places>)> {
    let own = order.iter().position(|&other| other == rank)?;
    let at = order.iter().map(|&rank| i32::try_from(rank).ok()).collect::<Option<Vec<i32>>>()?;
    let comm = channel::make(handle, |room| pmpi!(PMPI_Comm_split(handle, 0, own, room.as_mut_ptr())))?;
    Some((comm, kept(Places { own, counts: vec![1; at.len()], at })?))
}
