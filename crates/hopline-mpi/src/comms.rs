//! Communicators by handle: their members in world ranks, kept until they are
//! freed. Handles are used again, so `MPI_Comm_free` must forget them.

use crate::abi::{Abi, Handle, abi, rank_and_size};
use crate::real::pmpi;
use crate::record::encode::Fx;
use crate::world::members;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// A peer that has no rank in this world.
pub(crate) const ELSEWHERE: i32 = -2;

/// A communicator.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Comm {
    /// In the order in which this rank met them.
    pub(crate) number: u32,
    /// How many before it had the same members.
    pub(crate) twin: u32,
    /// Own rank in it.
    pub(crate) rank: u32,
    pub(crate) inter: bool,
    /// World rank of each member; of the remote group where there is one; -1 outside this world.
    pub(crate) peers: Vec<i32>,
    /// World ranks of the own group of an intercommunicator.
    pub(crate) local: Vec<i32>,
    /// Whom neighbourhood collectives send to, and whom they receive from.
    pub(crate) neighbours: Option<Neighbours>,
}

impl Comm {
    /// The world rank of a peer; -1 for `MPI_ANY_SOURCE`, [`ELSEWHERE`] in another world.
    pub(crate) fn world(&self, peer: i32) -> i32 {
        let found = usize::try_from(peer).ok().and_then(|peer| self.peers.get(peer)).copied();
        found.map_or(-1, |rank| if rank < 0 { ELSEWHERE } else { rank })
    }
}

/// All communicators, and groups of windows.
#[derive(Default)]
pub(crate) struct Comms {
    by_handle: HashMap<Handle, Arc<Comm>, BuildHasherDefault<Fx>>,
    /// The one that was asked for last.
    recent: Option<(Handle, Arc<Comm>)>,
    /// How often a list of members was met.
    met: HashMap<(Vec<i32>, Vec<i32>), u32>,
    count: u32,
    windows: HashMap<Handle, Vec<i32>>,
}

impl Comms {
    /// The communicator of a handle, and whether it is new.
    pub(crate) fn get(&mut self, handle: Handle) -> (Arc<Comm>, bool) {
        if let Some((recent, comm)) = &self.recent
            && *recent == handle
        {
            return (comm.clone(), false);
        }
        let (comm, new) = match self.by_handle.get(&handle) {
            Some(comm) => (comm.clone(), false),
            None => (self.meet(handle), true),
        };
        self.recent = Some((handle, comm.clone()));
        (comm, new)
    }

    fn meet(&mut self, handle: Handle) -> Arc<Comm> {
        let mut inter = 0i32;
        pmpi!(PMPI_Comm_test_inter(handle, &raw mut inter));
        let mut group = Abi::room();
        pmpi!(PMPI_Comm_group(handle, group.as_mut_ptr()));
        let own = members(&mut group);
        let (peers, local) = if inter != 0 {
            pmpi!(PMPI_Comm_remote_group(handle, group.as_mut_ptr()));
            (members(&mut group), own)
        } else {
            (own, Vec::new())
        };
        let met = self.met.entry((peers.clone(), local.clone())).or_insert(0);
        let twin = *met;
        *met += 1;
        let rank = rank_and_size(handle).0;
        let mut comm = Comm { number: self.count, twin, rank, inter: inter != 0, peers, local, neighbours: None };
        comm.neighbours = neighbours(handle, &comm);
        self.count += 1;
        let comm = Arc::new(comm);
        self.by_handle.insert(handle, comm.clone());
        comm
    }

    /// The world rank of a window's target.
    pub(crate) fn target(&mut self, window: Handle, target: i32) -> i32 {
        let members = self.windows.entry(window).or_insert_with(|| {
            let mut group = Abi::room();
            pmpi!(PMPI_Win_get_group(window, group.as_mut_ptr()));
            members(&mut group)
        });
        let found = usize::try_from(target).ok().and_then(|target| members.get(target)).copied();
        found.map_or(-1, |rank| if rank < 0 { ELSEWHERE } else { rank })
    }

    /// A world of so many ranks that no communicator stands for: the number 0, as if it were one.
    pub(crate) fn reserve(&mut self, size: u32) {
        self.met.insert(((0..size as i32).collect(), Vec::new()), 1);
        self.count += 1;
    }

    /// All handles have become meaningless.
    pub(crate) fn forget_all(&mut self) {
        self.by_handle.clear();
        self.windows.clear();
        self.recent = None;
    }

    pub(crate) fn forget(&mut self, handle: Handle) {
        self.by_handle.remove(&handle);
        self.recent = None;
    }

    pub(crate) fn forget_window(&mut self, window: Handle) {
        self.windows.remove(&window);
    }
}

/// Neighbours in a communicator with a topology, in the order of MPI 4.0, section 8.6: ranks of the world.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Neighbours {
    pub(crate) to: Vec<i32>,
    pub(crate) from: Vec<i32>,
}

fn neighbours(handle: Handle, comm: &Comm) -> Option<Neighbours> {
    let mut kind = 0i32;
    if pmpi!(PMPI_Topo_test(handle, &raw mut kind)) != 0 {
        return None;
    }
    let [cart, graph, dist_graph] = abi().topologies;
    let world = |ranks: Vec<i32>| ranks.into_iter().map(|rank| comm.world(rank)).collect::<Vec<i32>>();
    if kind == cart {
        let mut dims = 0i32;
        pmpi!(PMPI_Cartdim_get(handle, &raw mut dims));
        let mut both = Vec::new();
        for dim in 0..dims {
            let (mut below, mut above) = (0i32, 0i32);
            pmpi!(PMPI_Cart_shift(handle, dim, 1, &raw mut below, &raw mut above));
            both.extend([below, above]);
        }
        let both = world(both);
        Some(Neighbours { to: both.clone(), from: both })
    } else if kind == graph {
        let mut count = 0i32;
        pmpi!(PMPI_Graph_neighbors_count(handle, comm.rank, &raw mut count));
        let mut both = vec![0i32; count.max(0) as usize];
        pmpi!(PMPI_Graph_neighbors(handle, comm.rank, count, both.as_mut_ptr()));
        let both = world(both);
        Some(Neighbours { to: both.clone(), from: both })
    } else if kind == dist_graph {
        let (mut ins, mut outs, mut weighted) = (0i32, 0i32, 0i32);
        pmpi!(PMPI_Dist_graph_neighbors_count(handle, &raw mut ins, &raw mut outs, &raw mut weighted));
        let room = |count: i32| vec![0i32; count.max(0) as usize];
        let (mut from, mut from_weights) = (room(ins), room(ins));
        let (mut to, mut to_weights) = (room(outs), room(outs));
        pmpi!(PMPI_Dist_graph_neighbors(
            handle,
            ins,
            from.as_mut_ptr(),
            from_weights.as_mut_ptr(),
            outs,
            to.as_mut_ptr(),
            to_weights.as_mut_ptr()
        ));
        Some(Neighbours { to: world(to), from: world(from) })
    } else {
        None
    }
}
