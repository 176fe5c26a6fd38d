//! Collective algorithms as schedules. One algorithm is one file or function
//! and one line in [`LIST`].
//!
//! An algorithm is written for ranks 0 to n-1 of a group and draws into a
//! [`Plot`], which also learns which blocks every message carries; tests follow
//! them from rank to rank and see that everybody gets what the operation owes.

mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod broadcast;
pub(super) mod chosen;
mod count;
mod exchange;
mod plot;
mod reduce;
mod reduce_scatter;
mod scatter_allgather;
mod supernode;
mod two_level;

#[cfg(test)]
mod delivery;

pub use hopline_trees::Tree;
pub(super) use plot::ANY;
use plot::Blocks;
pub use plot::Plot;

use super::{Builder, Limit, Made, Schedule, Size};
use crate::entry::{Entry, Listed, Param, param};
use crate::error::{Error, Result};
use crate::id::HostId;
use crate::params::{Params, Reader, find};
use crate::traffic::Context;
use std::collections::BTreeMap;

/// What an algorithm does in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// All get the root's `bytes`.
    Broadcast,
    /// The root gets the sum of the `bytes` of all.
    Reduce,
    /// All get the sum of the `bytes` of all.
    AllReduce,
    /// Each gives `bytes`, all get all of them.
    AllGather,
    /// Each gives n parts of `bytes`, each gets the sum of one part.
    ReduceScatter,
    /// Each has `bytes` for each.
    AllToAll,
    /// Nobody leaves before all have come.
    Barrier,
}

impl Operation {
    /// Its name, as `hopline collective` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Broadcast => "broadcast",
            Operation::Reduce => "reduce",
            Operation::AllReduce => "allreduce",
            Operation::AllGather => "allgather",
            Operation::ReduceScatter => "reduce-scatter",
            Operation::AllToAll => "alltoall",
            Operation::Barrier => "barrier",
        }
    }

    /// All of them.
    pub const ALL: [Operation; 7] = [
        Operation::Broadcast,
        Operation::Reduce,
        Operation::AllReduce,
        Operation::AllGather,
        Operation::ReduceScatter,
        Operation::AllToAll,
        Operation::Barrier,
    ];
}

/// The keys of an algorithm; each reads those that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// Bytes, as the operation counts them.
    pub bytes: u64,
    /// The root, as a rank of the group.
    pub root: u32,
    /// Radix of a tree.
    pub k: u32,
    /// Bytes of a segment; 0 for one.
    pub segment: u64,
    /// Consecutive ranks on one host.
    pub cores: u32,
}

/// The tag of collectives in traces: GOAL's highest one stands for any.
pub(super) const TRACE_TAG: u32 = u32::MAX - 1;

type Draw = fn(&mut Plot<'_>, &Keys);
type Count = fn(u64, &Keys) -> u64;

/// One algorithm of the list.
#[derive(Clone, Copy)]
pub struct Algorithm {
    entry: &'static Entry,
    /// What it does.
    pub operation: Operation,
    draw: Draw,
    messages: Count,
}

impl Listed for Algorithm {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

const BYTES: Param = param("bytes", "bytes", "1024", "size as the operation counts it, such as 64K, 1MiB or 1MB");
const ROOT: Param = param("root", "rank", "0", "the root");
const SEGMENT: Param = param("segment", "bytes", "0", "size of the parts that follow each other; 0 for one");
const CORES: Param = param("cores", "count", "slots of a host", "consecutive ranks that share a host");

/// All algorithms.
pub const LIST: &[Algorithm] = &[
    Algorithm {
        entry: &broadcast::BINOMIAL,
        operation: Operation::Broadcast,
        draw: broadcast::binomial,
        messages: count::tree,
    },
    Algorithm {
        entry: &broadcast::KNOMIAL,
        operation: Operation::Broadcast,
        draw: broadcast::knomial,
        messages: count::tree,
    },
    Algorithm {
        entry: &broadcast::CHAIN,
        operation: Operation::Broadcast,
        draw: broadcast::chain,
        messages: count::tree,
    },
    Algorithm {
        entry: &scatter_allgather::RING,
        operation: Operation::Broadcast,
        draw: scatter_allgather::ring,
        messages: count::scatter_ring,
    },
    Algorithm {
        entry: &scatter_allgather::DOUBLING,
        operation: Operation::Broadcast,
        draw: scatter_allgather::doubling,
        messages: count::scatter_doubling,
    },
    Algorithm {
        entry: &two_level::ENTRY,
        operation: Operation::Broadcast,
        draw: two_level::draw,
        messages: count::once,
    },
    Algorithm { entry: &reduce::ENTRY, operation: Operation::Reduce, draw: reduce::draw, messages: count::once },
    Algorithm {
        entry: &allreduce::RING,
        operation: Operation::AllReduce,
        draw: allreduce::ring,
        messages: count::allreduce_ring,
    },
    Algorithm {
        entry: &allreduce::DOUBLING,
        operation: Operation::AllReduce,
        draw: allreduce::doubling,
        messages: count::allreduce_doubling,
    },
    Algorithm {
        entry: &allreduce::RABENSEIFNER,
        operation: Operation::AllReduce,
        draw: allreduce::rabenseifner,
        messages: count::rabenseifner,
    },
    Algorithm {
        entry: &supernode::ALLREDUCE,
        operation: Operation::AllReduce,
        draw: supernode::allreduce,
        messages: count::allreduce_supernode,
    },
    Algorithm {
        entry: &allgather::RING,
        operation: Operation::AllGather,
        draw: allgather::ring,
        messages: count::pairs,
    },
    Algorithm {
        entry: &allgather::DOUBLING,
        operation: Operation::AllGather,
        draw: allgather::doubling,
        messages: count::rounds,
    },
    Algorithm {
        entry: &allgather::BRUCK,
        operation: Operation::AllGather,
        draw: allgather::bruck,
        messages: count::rounds,
    },
    Algorithm {
        entry: &reduce_scatter::RING,
        operation: Operation::ReduceScatter,
        draw: reduce_scatter::ring,
        messages: count::pairs,
    },
    Algorithm {
        entry: &reduce_scatter::HALVING,
        operation: Operation::ReduceScatter,
        draw: reduce_scatter::halving,
        messages: count::halving,
    },
    Algorithm {
        entry: &alltoall::PAIRWISE,
        operation: Operation::AllToAll,
        draw: alltoall::pairwise,
        messages: count::pairs,
    },
    Algorithm {
        entry: &alltoall::LINEAR,
        operation: Operation::AllToAll,
        draw: alltoall::linear,
        messages: count::pairs,
    },
    Algorithm {
        entry: &alltoall::BRUCK,
        operation: Operation::AllToAll,
        draw: alltoall::bruck,
        messages: count::rounds,
    },
    Algorithm {
        entry: &supernode::ENTRY,
        operation: Operation::AllToAll,
        draw: supernode::draw,
        messages: count::supernode,
    },
    Algorithm { entry: &barrier::ENTRY, operation: Operation::Barrier, draw: barrier::draw, messages: count::rounds },
];

/// The algorithm that `params` names, with its keys; `ranks` take part, `cores` of them on a host.
///
/// # Errors
/// An unknown name or key, or a value that is out of range.
pub fn read(params: &Params, ranks: u32, cores: u32) -> Result<(Algorithm, Keys)> {
    let algorithm = find("collective", LIST, params)?;
    let keys = keys(&params.check(algorithm.entry)?, ranks, cores)?;
    Ok((*algorithm, keys))
}

fn keys(reader: &Reader, ranks: u32, cores: u32) -> Result<Keys> {
    let size = |key: &str, default: u64| Ok(reader.or(key, super::Bytes(default))?.0);
    let keys = Keys {
        bytes: size("bytes", 1024)?,
        root: reader.or("root", 0)?,
        k: reader.or("k", 4)?,
        segment: size("segment", 0)?,
        cores: reader.or("cores", cores.max(1))?,
    };
    if keys.root >= ranks.max(1) {
        return Err(reader.wrong("root", format!("the root is {}, expected a rank below {ranks}", keys.root)));
    }
    if keys.k < 2 {
        return Err(reader.wrong("k", format!("`k` is {}, expected 2 or more", keys.k)));
    }
    if keys.cores == 0 || !ranks.is_multiple_of(keys.cores) {
        let text = format!("{} ranks on each host do not divide {ranks} ranks", keys.cores);
        return Err(reader.wrong("cores", text));
    }
    if keys.segment > 0 && keys.bytes.div_ceil(keys.segment) > 1 << 20 {
        return Err(reader.wrong("segment", "more than 1048576 segments").hint("choose larger segments"));
    }
    Ok(keys)
}

/// The schedule of a spec such as `knomial:k=4,bytes=64K`: `ranks` of them, `repeat`ed.
///
/// # Errors
/// An unknown key, a value out of range, or more operations than fit.
pub(super) fn make(params: &Params, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let mut params = params.clone();
    let place = params.place().clone();
    let wrong = |text: String| Error::input(text).at(&place);
    let ranks = params.take::<u32>("ranks")?.unwrap_or(context.slots);
    let times = params.take::<u32>("repeat")?.unwrap_or(1);
    if ranks == 0 {
        return Err(wrong("0 ranks, expected 1 or more".into()));
    }
    let hosts = context.fabric.hosts();
    let slots = (0..hosts.len()).map(|h| hosts.slot_count(HostId(h))).find(|&n| n > 0).unwrap_or(1);
    let cores = if ranks.is_multiple_of(slots) { slots } else { 1 };
    let (algorithm, keys) = read(&params, ranks, cores)?;
    let schedule = algorithm.schedule_within(&keys, ranks, limit).map_err(|e| e.at(&place))?.repeat(times)?;
    let given = params.check(algorithm.entry)?.get::<u32>(CORES.name)?.is_some();
    let assumed = !given && cores < slots && algorithm.needs_cores();
    let notes = assumed.then(|| one_core(&[algorithm.entry.name], slots, ranks)).into_iter().collect();
    Ok(Made { schedule, notes })
}

/// What people should know where ranks of a host do not divide all ranks, and these algorithms, which go by
/// hosts, take each rank for a host of its own.
pub fn one_core(algorithms: &[&str], slots: u32, ranks: u32) -> String {
    let (names, take) = (algorithms.join(" and "), if algorithms.len() == 1 { "takes" } else { "take" });
    format!("{names} {take} every rank for a host of its own: the {slots} slots of a host do not divide {ranks} ranks")
}

impl Algorithm {
    /// The whole collective on `ranks` ranks as a schedule, as large as the limit is by default.
    ///
    /// # Errors
    /// More memory than that.
    pub fn schedule(&self, keys: &Keys, ranks: u32) -> Result<Schedule> {
        self.schedule_within(keys, ranks, Limit::default())
    }

    /// The same within a limit.
    ///
    /// # Errors
    /// More memory than that, before any of it is taken.
    pub fn schedule_within(&self, keys: &Keys, ranks: u32, limit: Limit) -> Result<Schedule> {
        Size::new(ranks, self.messages(ranks, keys)).check(limit)?;
        let mut builder = Builder::within(ranks, limit);
        let members: Vec<u32> = (0..ranks).collect();
        self.draw(&mut Plot::new(&mut builder, &members, 0), keys);
        builder.finish()
    }

    /// The same with the blocks of each send, as (origin, block), by its place among all operations.
    ///
    /// # Errors
    /// More memory than the limit is by default.
    pub(super) fn with_blocks(&self, keys: &Keys, ranks: u32) -> Result<(Schedule, BTreeMap<u32, Blocks>)> {
        Size::new(ranks, self.messages(ranks, keys)).check(Limit::default())?;
        let mut builder = Builder::new(ranks);
        let members: Vec<u32> = (0..ranks).collect();
        let mut plot = Plot::with_blocks(&mut builder, &members);
        self.draw(&mut plot, keys);
        let carried = plot.into_blocks();
        let places = builder.places();
        let carried = carried.into_iter().map(|(id, blocks)| (places[id.index()], blocks)).collect();
        Ok((builder.finish()?, carried))
    }

    /// How many messages `ranks` ranks send.
    pub fn messages(&self, ranks: u32, keys: &Keys) -> u64 {
        (self.messages)(u64::from(ranks), keys)
    }

    /// Whether it goes by the ranks of a host.
    pub fn needs_cores(&self) -> bool {
        self.entry.params.iter().any(|p| p.name == CORES.name)
    }

    /// Draws it for the members of a group.
    pub fn draw(&self, plot: &mut Plot<'_>, keys: &Keys) {
        (self.draw)(plot, keys);
    }
}

/// The algorithm of that name.
///
/// # Errors
/// No algorithm has it.
pub fn named(name: &str) -> Result<Algorithm> {
    LIST.iter().find(|a| a.entry.name == name).copied().ok_or_else(|| {
        Error::input(format!("no collective is called `{name}`"))
            .hint(crate::error::suggest(name, LIST.iter().map(|a| a.entry.name)))
    })
}

/// Keys for a size, with defaults for the rest.
pub fn sized(bytes: u64, cores: u32) -> Keys {
    Keys { bytes, root: 0, k: 4, segment: 0, cores }
}
