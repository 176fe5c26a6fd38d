//! [`Schedule`]: who sends what after what. A directed acyclic graph of
//! operations per rank, as in GOAL (Hoefler, Siebert and Lumsdaine, "Group
//! Operation Assembly Language", ICPP 2009).
//!
//! Operations are sends, receives and computations. One operation may require
//! that others of its rank are done, or that they have begun. A send meets the
//! receive of the other rank that stands at the same place among those of that
//! pair and tag, as MPI matches messages.
//!
//! What repeats is kept once: a schedule has *bodies* and a *program* that plays
//! them, so a thousand equal steps need the memory of one. Each body is whole:
//! all its sends are received in it. A rank enters its next play when all its
//! own operations of the last one are done, whatever others do; a set of
//! operations that is nobody's turn costs nothing.

pub mod app;
mod builder;
pub mod collective;
mod link;
mod matching;
pub mod msccl;
mod program;
mod size;
mod tags;
pub mod teccl;
pub mod trace;
mod training;

pub use builder::{Builder, OpId};
pub use program::Play;
pub(crate) use size::gigabytes;
pub use size::{Limit, Size};

use crate::demand::{Demand, Unit};
use crate::entry::{Entry, Listed};
use crate::error::{Error, Result, suggest};
pub use crate::params::Bytes;
use crate::params::{Params, Reader};
use crate::traffic::Context;
use std::ops::Range;
use tags::Tags;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Sends a message of `amount` bytes to `peer`.
    Send,
    /// Receives a message of `amount` bytes from `peer`.
    Recv,
    /// Keeps the processor busy for `amount` nanoseconds.
    Compute,
}

/// One operation of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    /// What it does.
    pub what: What,
    /// How many others it waits for, or `CROWD`.
    needs: u16,
    /// The other rank of a send or receive.
    pub peer: u32,
    /// The receive that a send meets and the other way round, as an index into
    /// all operations; its own index for a computation.
    pub partner: u32,
    /// Where those that wait for it begin in `after`, or `NOBODY`.
    first_after: u32,
    /// Bytes or nanoseconds.
    pub amount: u64,
}

/// Who sends what after what: see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    ranks: u32,
    /// `first[b * ranks + r]..first[b * ranks + r + 1]` are the operations of rank r in body b.
    first: Vec<u32>,
    ops: Vec<Op>,
    tags: Tags,
    /// Runs of those that wait for an operation, the last of each with `END`. Operations that stand one behind the other
    /// share a run.
    after: Vec<u32>,
    /// How many others the operations with `CROWD` wait for, in their order.
    crowds: Vec<(u32, u32)>,
    program: Vec<Play>,
}

/// Marks who waits only for the beginning of an operation.
const BEGUN: u32 = 1 << 31;

/// Marks the last of a run.
const END: u32 = 1 << 30;

/// The operation alone.
const INDEX: u32 = END - 1;

/// No run.
const NOBODY: u32 = u32::MAX;

/// More than fit beside an operation.
const CROWD: u16 = u16::MAX;

impl Schedule {
    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Number of bodies.
    pub fn bodies(&self) -> u32 {
        ((self.first.len() - 1) / self.ranks.max(1) as usize) as u32
    }

    /// All operations of all bodies, sorted by body and rank.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The operations of a rank in a body, as indices into [`Schedule::ops`].
    #[inline]
    pub fn of(&self, body: u32, rank: u32) -> Range<u32> {
        let at = body as usize * self.ranks as usize + rank as usize;
        self.first[at]..self.first[at + 1]
    }

    /// The rank of each operation, in the order of [`Schedule::ops`].
    pub fn owners(&self) -> Vec<u32> {
        let bodies = 0..self.bodies();
        bodies.flat_map(|body| (0..self.ranks).flat_map(move |r| self.of(body, r).map(move |_| r))).collect()
    }

    /// Those that wait for an operation; true where its beginning is enough.
    #[inline]
    pub fn after(&self, op: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let mut at = self.ops[op as usize].first_after;
        std::iter::from_fn(move || {
            // Nobody's run is past the end.
            let word = *self.after.get(at as usize)?;
            at = if word & END == 0 { at + 1 } else { NOBODY };
            Some((word & INDEX, word & BEGUN != 0))
        })
    }

    /// How many others of its rank an operation waits for.
    #[inline]
    pub fn needs(&self, op: u32) -> u32 {
        match self.ops[op as usize].needs {
            CROWD => self.crowds.binary_search_by_key(&op, |c| c.0).map_or(u32::from(CROWD), |at| self.crowds[at].1),
            few => u32::from(few),
        }
    }

    /// Operations come in order.
    fn set_needs(&mut self, op: u32, needs: u32) {
        let few = u16::try_from(needs).unwrap_or(CROWD);
        self.ops[op as usize].needs = few;
        if few == CROWD {
            self.crowds.push((op, needs));
        }
    }

    /// The tag of a message.
    pub fn tag(&self, op: u32) -> u32 {
        self.tags.of(&self.ops, op)
    }

    /// What it has, and so takes.
    pub fn size(&self) -> Size {
        Size { ranks: self.ranks, operations: self.ops.len() as u64 }
    }

    /// Every send with how often it happens: (sender, operation, times).
    fn sends(&self) -> impl Iterator<Item = (u32, &Op, u64)> {
        self.plays().into_iter().enumerate().flat_map(move |(body, times)| {
            (0..self.ranks).flat_map(move |rank| {
                let own = self.of(body as u32, rank);
                let ops = &self.ops[own.start as usize..own.end as usize];
                ops.iter().filter(|op| op.what == What::Send).map(move |op| (rank, op, times))
            })
        })
    }

    /// What a whole run sends.
    pub fn volume(&self) -> Volume {
        self.sends().fold(Volume { messages: 0, bytes: 0 }, |sum, (_, op, times)| Volume {
            messages: sum.messages + times,
            bytes: sum.bytes.saturating_add(times.saturating_mul(op.amount)),
        })
    }

    /// Who sends how many bytes to whom in a whole run: the projection that
    /// [`crate::loads`] and mappings look at. O(sends log sends).
    ///
    /// # Errors
    /// Never for a schedule that was built.
    pub fn demand(&self) -> Result<Demand> {
        let entries = self.sends().map(|(rank, op, times)| (rank, op.peer, times as f64 * op.amount as f64));
        Demand::new(self.ranks, Unit::Bytes, entries.collect(), Vec::new())
    }

    /// The same on processors on which every computation takes `factor` times as long, to the nanosecond. O(operations).
    pub fn with_computations(mut self, factor: f64) -> Schedule {
        let computations = self.ops.iter_mut().filter(|op| op.what == What::Compute);
        computations.for_each(|op| op.amount = (op.amount as f64 * factor).round() as u64);
        self
    }
}

/// What a schedule sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    /// How many messages.
    pub messages: u64,
    /// How many bytes they have together.
    pub bytes: u64,
}

/// A schedule and what its reader left out, for people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Made {
    /// Who sends what after what.
    pub schedule: Schedule,
    /// What was left out or assumed.
    pub notes: Vec<String>,
}

impl From<Schedule> for Made {
    fn from(schedule: Schedule) -> Self {
        Made { schedule, notes: Vec::new() }
    }
}

type Make = fn(&Reader, &Context<'_>, Limit) -> Result<Made>;

/// One kind of schedule of the list.
pub struct ScheduleEntry {
    entry: &'static Entry,
    make: Make,
}

impl Listed for ScheduleEntry {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All kinds of schedules beside [`collective::LIST`]: traces, training steps and applications.
pub const LIST: &[ScheduleEntry] = &[
    ScheduleEntry { entry: &trace::goal::ENTRY, make: trace::goal::make },
    ScheduleEntry { entry: &trace::recording::ENTRY, make: trace::recording::make },
    ScheduleEntry { entry: &trace::smpi::ENTRY, make: trace::smpi::make },
    ScheduleEntry { entry: &trace::chakra::ENTRY, make: trace::chakra::make },
    ScheduleEntry { entry: &msccl::ENTRY, make: msccl::make },
    ScheduleEntry { entry: &teccl::ENTRY, make: teccl::make },
    ScheduleEntry { entry: &training::ENTRY, make: training::make },
    ScheduleEntry { entry: &app::halo::ENTRY, make: app::halo::make },
    ScheduleEntry { entry: &app::milc::ENTRY, make: app::milc::make },
    ScheduleEntry { entry: &app::fft::ENTRY, make: app::fft::make },
    ScheduleEntry { entry: &app::irregular::ENTRY, make: app::irregular::make },
    ScheduleEntry { entry: &app::isam::ENTRY, make: app::isam::make },
    ScheduleEntry { entry: &app::nas::multipartition::BT, make: app::nas::multipartition::bt },
    ScheduleEntry { entry: &app::nas::multipartition::SP, make: app::nas::multipartition::sp },
    ScheduleEntry { entry: &app::nas::cg::ENTRY, make: app::nas::cg::make },
    ScheduleEntry { entry: &app::nas::ft::ENTRY, make: app::nas::ft::make },
    ScheduleEntry { entry: &app::nas::is::ENTRY, make: app::nas::is::make },
    ScheduleEntry { entry: &app::nas::lu::ENTRY, make: app::nas::lu::make },
    ScheduleEntry { entry: &app::nas::mg::ENTRY, make: app::nas::mg::make },
];

/// The names of all schedules, collectives last.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    LIST.iter().map(|k| k.entry.name).chain(collective::LIST.iter().map(|a| a.entry().name))
}

/// Reads a schedule: a trace, an application or a collective, as large as the limit is by default.
///
/// # Errors
/// Those of [`build_within`].
pub fn build(params: &Params, context: &Context<'_>) -> Result<Made> {
    build_within(params, context, Limit::default())
}

/// Reads a schedule: a trace, an application or a collective.
///
/// # Errors
/// An unknown kind or key, sizes that do not fit, a file that cannot be read, or more memory than the limit.
pub fn build_within(params: &Params, context: &Context<'_>, limit: Limit) -> Result<Made> {
    if let Some(kind) = LIST.iter().find(|k| k.entry.name == params.kind()) {
        return (kind.make)(&params.check(kind.entry)?, context, limit);
    }
    if collective::LIST.iter().any(|a| a.entry().name == params.kind()) {
        return collective::make(params, context, limit);
    }
    Err(Error::input(format!("no schedule is called `{}`", params.kind()))
        .at(params.place())
        .hint(suggest(params.kind(), names())))
}

/// The most operations of a schedule: a replay has 29 bits for each.
const MOST_OPS: usize = (1 << 29) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    /// Rank 0 sends to 1, which answers.
    fn ping_pong(bytes: u64) -> Schedule {
        let mut b = Builder::new(2);
        b.send(0, 1, bytes, 0);
        b.recv(0, 1, bytes, 0);
        let got = b.recv(1, 0, bytes, 0);
        let answer = b.send(1, 0, bytes, 0);
        b.requires(answer, got);
        b.finish().expect("schedule")
    }

    #[test]
    fn demand_adds_up_the_sends_of_all_plays() {
        let both = ping_pong(10).repeat(3).and_then(|s| s.then(ping_pong(1))).and_then(|s| s.repeat(2)).expect("both");
        assert_eq!(both.volume(), Volume { messages: 16, bytes: 124 });
        assert_eq!(both.demand().expect("demand").entries(), [(0, 1, 62.0), (1, 0, 62.0)]);
        assert_eq!((both.bodies(), both.program().len()), (2, 4));
        assert_eq!(both.ops()[both.of(1, 1).start as usize].partner, both.of(1, 0).start);
        let begin = both.clone().first_plays(5);
        assert_eq!(
            begin.program(),
            [Play { body: 0, times: 3 }, Play { body: 1, times: 1 }, Play { body: 0, times: 1 }]
        );
        assert_eq!(both.clone().first_plays(99), both);
        assert!(both.then(Builder::new(3).finish().expect("empty")).is_err());
    }
}
