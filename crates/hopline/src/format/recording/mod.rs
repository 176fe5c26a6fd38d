//! Recordings of MPI programs, as `libhopline_mpi.so` writes them: a directory
//! with a stream `rank-N.hop` per rank, and `rank-N.tail` beside it where the
//! program was ended before it finished. Worlds that were spawned (`MPI_Comm_spawn`) have
//! directories of their own in it, `world-NAME`, whose names sort by when they began.
//!
//! ```text
//! stream = "HOPLINE1" block*          tail = "HOPTAIL1" length of its stream (u64) block
//! block  = length of payload (u32) check (u32, FNV-1a of the payload) payload = item*
//! item   = 0 rank size host program library      who; texts are length, UTF-8
//!        | 1 twin ranks inter [ranks]            next communicator: peers, own group where inter = 1
//!        | 2 length word*                        next list
//!        | 3 op peer tag bytes comm slot list    next shape; peer and tag zigzag, -1 none or any, peer -2 in another world;
//!                                              the last three + 1, 0 none
//!        | 4 count node*                         what was called, in order
//!        | 5                                     shapes and lists are numbered anew
//!        | 6 count (shape times gap inside)*     what was called past the limit of the recording, in no order
//!        | 7 calls                               the program called MPI_Finalize, or ended its last session
//!        | 8 function calls                      calls whose data are not followed, beyond those said before
//!        | 9 clock                               what times are measured with, where that is not the wall clock: `cpu`
//! node   = 0 shape gap inside | times length node*
//! ranks  = count (start + 1, length, step)*      runs; start + 1 = 0 for a rank of another world
//! ```
//!
//! Fixed-size numbers are little-endian, all others 7 bits a byte, the lowest first. `gap` and
//! `inside` are nanoseconds before and in a call, summed over all times it was played. A file
//! that was cut short is read to its last whole block.
//!
//! Peers are world ranks. What the bytes and the list of a collective's shape say, and how
//! its messages are guessed, stands in `messages.rs`.

mod algorithms;
mod carry;
mod demand;
mod gaps;
mod goal;
mod library;
mod meet;
mod messages;
mod perform;
mod play;
mod read;
mod simgrid;
mod totals;

use std::collections::BTreeMap;

pub use carry::carry;
pub use demand::{demand, demand_of_first, read_demand};
pub use gaps::Gaps;
pub use goal::goal;
pub(crate) use perform::{Message, Performance, Stage};
pub use read::{is_recording, read, read_spawned};
pub use simgrid::simgrid_ti;
pub use totals::{Totals, csv, totals};

/// A run of a program: one stream per rank of its world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Where it was read from, for errors.
    pub path: String,
    /// By world rank.
    pub ranks: Vec<Stream>,
}

/// What one rank did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stream {
    /// The machine it ran on.
    pub host: String,
    /// The program's file name.
    pub program: String,
    /// The MPI library.
    pub library: String,
    /// Times are those for which the rank's threads ran, not those that went by.
    pub is_cpu_time: bool,
    /// Communicators by number.
    pub comms: Vec<Comm>,
    /// Lists that shapes name.
    pub lists: Vec<Vec<u64>>,
    /// Shapes that calls name.
    pub shapes: Vec<Shape>,
    /// Calls in order, folded.
    pub calls: Vec<Node>,
    /// Calls past the limit: shape and how often, in no order.
    pub counted: Vec<(u32, u64, Time)>,
    /// Calls whose data are not followed, by function without `MPI_`.
    pub not_counted: BTreeMap<String, u64>,
    /// The program called `MPI_Finalize`.
    pub finished: bool,
}

/// A communicator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comm {
    /// World rank of each member (of the remote group of an intercommunicator), `None` in another world.
    pub peers: Vec<Option<u32>>,
    /// The own group of an intercommunicator.
    pub local: Option<Vec<Option<u32>>>,
    /// How many before it had the same members.
    pub twin: u32,
}

/// What a call is, without when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// `send`, `recv`, `wait`, `cancel`, `put`, `get`, `exchange`, or a collective.
    pub op: String,
    /// The other world rank, or a collective's root in its communicator. `None` for any or none.
    pub peer: Option<u32>,
    /// The other rank is of another world.
    pub elsewhere: bool,
    /// The tag; `None` for any or none.
    pub tag: Option<u32>,
    /// Bytes of the message; for collectives see `messages.rs`.
    pub bytes: u64,
    /// Number of the communicator.
    pub comm: Option<u32>,
    /// The request it starts: no other under way has that number.
    pub slot: Option<u32>,
    /// Number of a list: slots that a wait ends or a cancel gives up, or bytes by peer.
    pub list: Option<u32>,
}

/// Nanoseconds, summed over all times a call was played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Time {
    /// Since the call before ended.
    pub gap: u64,
    /// In the call.
    pub inside: u64,
}

/// A call or a loop of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A call of a shape.
    Call {
        /// Its number.
        shape: u32,
        /// Summed over all times.
        time: Time,
    },
    /// A body that was played so often.
    Loop {
        /// How often.
        times: u64,
        /// What.
        body: Vec<Node>,
    },
}

impl Stream {
    /// The shape of a number.
    fn shape(&self, number: u32) -> &Shape {
        &self.shapes[number as usize]
    }

    /// The list of a shape, empty where it has none.
    fn list(&self, shape: &Shape) -> &[u64] {
        shape.list.map_or(&[], |list| &self.lists[list as usize])
    }

    /// True where a message goes to another world or comes from there.
    fn is_elsewhere(&self, shape: &Shape) -> bool {
        let none_here = |comm: &Comm| !comm.peers.is_empty() && comm.peers.iter().all(Option::is_none);
        shape.elsewhere || (shape.peer.is_none() && self.comm(shape).is_some_and(none_here))
    }

    /// The communicator of a shape.
    fn comm(&self, shape: &Shape) -> Option<&Comm> {
        shape.comm.map(|comm| &self.comms[comm as usize])
    }
}
