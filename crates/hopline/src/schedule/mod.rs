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

mod app;
mod builder;
pub mod collective;
pub mod trace;
mod training;

pub use builder::{Builder, OpId};

use crate::demand::{Demand, Grid, Unit};
use crate::entry::{Entry, Listed};
use crate::error::{Error, Result, suggest};
pub use crate::params::Bytes;
use crate::params::{Params, Reader};
use crate::traffic::Context;
use std::ops::Range;

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
    /// The other rank of a send or receive.
    pub peer: u32,
    /// The receive that a send meets and the other way round, as an index into
    /// all operations; its own index for a computation.
    pub partner: u32,
    /// Where those that wait for it begin in `after`.
    first_after: u32,
    /// Bytes or nanoseconds.
    pub amount: u64,
}

/// A body and how often it is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Play {
    /// The body.
    pub body: u32,
    /// How often.
    pub times: u32,
}

/// Who sends what after what: see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    ranks: u32,
    /// `first[b * ranks + r]..first[b * ranks + r + 1]` are the operations of rank r in body b.
    first: Vec<u32>,
    ops: Vec<Op>,
    /// Tags of messages, per operation.
    tags: Vec<u32>,
    /// Those that wait for an operation, operation by operation.
    after: Vec<u32>,
    /// How many others each operation waits for.
    needs: Vec<u32>,
    program: Vec<Play>,
}

/// Marks who waits only for the beginning of an operation.
const BEGUN: u32 = 1 << 31;

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
        let at = (body * self.ranks + rank) as usize;
        self.first[at]..self.first[at + 1]
    }

    /// Those that wait for an operation; true where its beginning is enough.
    #[inline]
    pub fn after(&self, op: u32) -> impl Iterator<Item = (u32, bool)> + '_ {
        let end = self.ops.get(op as usize + 1).map_or(self.after.len(), |next| next.first_after as usize);
        self.after[self.ops[op as usize].first_after as usize..end].iter().map(|&a| (a & !BEGUN, a & BEGUN != 0))
    }

    /// How many others of its rank an operation waits for.
    #[inline]
    pub fn needs(&self, op: u32) -> u32 {
        self.needs[op as usize]
    }

    /// The tag of a message.
    pub fn tag(&self, op: u32) -> u32 {
        self.tags[op as usize]
    }

    /// What is played, in order.
    pub fn program(&self) -> &[Play] {
        &self.program
    }

    /// How often each body is played in all.
    pub fn plays(&self) -> Vec<u64> {
        let mut plays = vec![0; self.bodies() as usize];
        self.program.iter().for_each(|p| plays[p.body as usize] += u64::from(p.times));
        plays
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

    /// Messages and bytes of a whole run.
    pub fn volume(&self) -> (u64, u64) {
        self.sends().fold((0, 0), |(n, bytes), (_, op, times)| {
            (n + times, bytes.saturating_add(times.saturating_mul(op.amount)))
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

    /// Its first `plays` alone, those of a line that repeats counted one by one.
    pub fn first_plays(mut self, plays: u64) -> Schedule {
        let mut left = plays;
        self.program.retain_mut(|play| {
            play.times = u64::from(play.times).min(left) as u32;
            left -= u64::from(play.times);
            play.times > 0
        });
        self
    }

    /// The same `times` over.
    ///
    /// # Errors
    /// No times, or more plays than fit.
    pub fn repeat(mut self, times: u32) -> Result<Schedule> {
        let fits = |p: &Play| p.times.checked_mul(times).is_some();
        if times == 0 || !self.program.iter().all(fits) {
            return Err(Error::input(format!("a schedule repeated {times} times, expected 1 to {}", u32::MAX)));
        }
        match &mut self.program[..] {
            [only] => only.times *= times,
            _ => self.program = self.program.repeat(times as usize),
        }
        Ok(self)
    }

    /// This schedule, then another of as many ranks. O(operations).
    ///
    /// # Errors
    /// Another number of ranks, or more operations than fit.
    pub fn then(mut self, next: Schedule) -> Result<Schedule> {
        if self.ranks != next.ranks {
            return Err(Error::input(format!("a schedule of {} ranks goes on with {}", self.ranks, next.ranks)));
        }
        let (base, edges, bodies) = (self.ops.len(), self.after.len(), self.bodies());
        if base + next.ops.len() > MOST_OPS || edges + next.after.len() > MOST_OPS {
            return Err(too_many());
        }
        let (base, edges) = (base as u32, edges as u32);
        self.first.pop();
        self.first.extend(next.first.iter().map(|f| f + base));
        let moved = |op: &Op| Op { partner: op.partner + base, first_after: op.first_after + edges, ..*op };
        self.ops.extend(next.ops.iter().map(moved));
        self.tags.extend(next.tags);
        self.after.extend(next.after.iter().map(|a| a + base));
        self.needs.extend(next.needs);
        self.program.extend(next.program.iter().map(|p| Play { body: p.body + bodies, ..*p }));
        Ok(self)
    }
}

/// A schedule and what its reader left out, for people.
#[derive(Debug, Clone)]
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

type Make = fn(&Reader, &Context<'_>) -> Result<Made>;

/// One kind of schedule of the list.
pub struct Kind {
    entry: &'static Entry,
    make: Make,
}

impl Listed for Kind {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All kinds of schedules beside [`collective::LIST`]: traces, training steps and applications.
pub const LIST: &[Kind] = &[
    Kind { entry: &trace::goal::ENTRY, make: trace::goal::make },
    Kind { entry: &trace::smpi::ENTRY, make: trace::smpi::make },
    Kind { entry: &trace::chakra::ENTRY, make: trace::chakra::make },
    Kind { entry: &training::ENTRY, make: training::make },
    Kind { entry: &app::halo::ENTRY, make: app::halo::make },
    Kind { entry: &app::milc::ENTRY, make: app::milc::make },
    Kind { entry: &app::fft::ENTRY, make: app::fft::make },
    Kind { entry: &app::irregular::ENTRY, make: app::irregular::make },
    Kind { entry: &app::isam::ENTRY, make: app::isam::make },
    Kind { entry: &app::nas::multipartition::BT, make: app::nas::multipartition::bt },
    Kind { entry: &app::nas::multipartition::SP, make: app::nas::multipartition::sp },
    Kind { entry: &app::nas::cg::ENTRY, make: app::nas::cg::make },
    Kind { entry: &app::nas::ft::ENTRY, make: app::nas::ft::make },
    Kind { entry: &app::nas::is::ENTRY, make: app::nas::is::make },
    Kind { entry: &app::nas::lu::ENTRY, make: app::nas::lu::make },
    Kind { entry: &app::nas::mg::ENTRY, make: app::nas::mg::make },
];

/// Reads a schedule: a trace, an application or a collective.
///
/// # Errors
/// An unknown kind or key, sizes that do not fit, or a file that cannot be read.
pub fn build(params: &Params, context: &Context<'_>) -> Result<Made> {
    if let Some(kind) = LIST.iter().find(|k| k.entry.name == params.kind()) {
        return (kind.make)(&params.check(kind.entry)?, context);
    }
    if collective::LIST.iter().any(|a| a.entry().name == params.kind()) {
        return collective::make(params, context);
    }
    let names = LIST.iter().map(|k| k.entry.name).chain(collective::LIST.iter().map(|a| a.entry().name));
    Err(Error::input(format!("no schedule is called `{}`", params.kind()))
        .at(params.place())
        .hint(suggest(params.kind(), names)))
}

/// The ranks of a grid that `grid=` gave.
fn ranks_of(reader: &Reader, grid: &Grid) -> Result<u32> {
    let ranks = grid.tasks().filter(|&n| n <= MOST_RANKS);
    ranks.ok_or_else(|| reader.wrong("grid", format!("a grid of more than {MOST_RANKS} ranks")))
}

/// The most ranks of an application.
const MOST_RANKS: u32 = 1 << 20;

/// The most operations of a schedule.
const MOST_OPS: usize = 1 << 29;

fn too_many() -> Error {
    Error::input(format!("a schedule of more than {MOST_OPS} operations")).hint("let fewer ranks or steps take part")
}

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
        assert_eq!(both.volume(), (16, 124));
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
