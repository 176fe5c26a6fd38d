//! The only way to make a [`Schedule`]: add operations, then `finish`, which
//! matches sends with receives and refuses what could never end.
//!
//! A schedule is where the memory of a replay goes, so an operation is 24 bytes
//! from the beginning: what it does not need before `finish` holds what only the
//! builder needs (see [`Builder::add`]), and what all that follow a wait require
//! is written once.

mod by_rank;

use super::matching;
use super::size::{Limit, Size};
use super::tags::Tags;
use super::{BEGUN, END, INDEX, NOBODY, Op, Play, Schedule, What};
use crate::error::{Error, Result};
use by_rank::places;

/// An operation that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpId(u32);

impl OpId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Collects the operations of one body.
///
/// ```
/// use hopline::schedule::Builder;
///
/// // Rank 0 answers what rank 1 sends.
/// let mut body = Builder::new(2);
/// body.send(1, 0, 64, 7);
/// let asked = body.recv(0, 1, 64, 7);
/// let answer = body.send(0, 1, 4096, 8);
/// body.requires(answer, asked);
/// body.recv(1, 0, 4096, 8);
/// let schedule = body.finish()?.repeat(100)?;
/// assert_eq!(schedule.demand()?.total(), 100.0 * (64.0 + 4096.0));
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    ranks: u32,
    limit: Limit,
    /// In order of adding. Until `finish` the partner of each is its rank, and `first_after` the run in `required` of
    /// those that it waits for.
    ops: Vec<Op>,
    tags: Tags,
    /// (later, earlier), with `BEGUN` in the later one where the beginning is enough.
    edges: Vec<(u32, u32)>,
    /// Runs of operations, the last of each with `END`.
    required: Vec<u32>,
    /// Joins: what the next operation of a rank requires, in `wait`.
    gates: Vec<Gate>,
    /// Operations that were too many.
    beyond: u64,
}

/// What is open on a rank, for [`Builder::wait`].
#[derive(Debug, Clone)]
struct Gate {
    /// Every operation that is added next requires those of this run.
    shut: u32,
    /// Added since.
    open: Vec<u32>,
}

impl Builder {
    /// A body of `ranks` ranks without operations, as large as memory is by default ([`Limit`]).
    pub fn new(ranks: u32) -> Self {
        Builder::within(ranks, Limit::default())
    }

    /// The same within other limits. Operations beyond them are only counted, and `finish` says how many there are.
    pub(super) fn within(ranks: u32, limit: Limit) -> Self {
        let fits = Size::new(ranks, 0).check(limit).is_ok();
        let gates = if fits { vec![Gate { shut: NOBODY, open: Vec::new() }; ranks as usize] } else { Vec::new() };
        Builder {
            ranks,
            limit,
            ops: Vec::new(),
            tags: Tags::default(),
            edges: Vec::new(),
            required: Vec::new(),
            gates,
            beyond: 0,
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    fn add(&mut self, rank: u32, what: What, peer: u32, tag: u32, amount: u64) -> OpId {
        let Some(id) = self.push(rank, what, peer, amount) else { return OpId(NOBODY) };
        self.tags.push(&self.ops, tag);
        if let Some(gate) = self.gates.get_mut(rank as usize) {
            gate.open.push(id);
            self.ops[id as usize].first_after = gate.shut;
        }
        OpId(id)
    }

    /// `None` where that is one too many.
    fn push(&mut self, rank: u32, what: What, peer: u32, amount: u64) -> Option<u32> {
        if self.ops.len() >= self.limit.operations() {
            self.beyond += 1;
            return None;
        }
        self.ops.push(Op { what, needs: 0, peer, partner: rank, first_after: NOBODY, amount });
        Some(self.ops.len() as u32 - 1)
    }

    /// `rank` sends `bytes` to `to`.
    pub fn send(&mut self, rank: u32, to: u32, bytes: u64, tag: u32) -> OpId {
        self.add(rank, What::Send, to, tag, bytes)
    }

    /// `rank` receives `bytes` from `from`.
    pub fn recv(&mut self, rank: u32, from: u32, bytes: u64, tag: u32) -> OpId {
        self.add(rank, What::Recv, from, tag, bytes)
    }

    /// `rank` computes for so many nanoseconds.
    pub fn compute(&mut self, rank: u32, nanos: u64) -> OpId {
        self.add(rank, What::Compute, rank, 0, nanos)
    }

    /// `later` waits until `earlier` of the same rank, added before it, is done.
    pub fn requires(&mut self, later: OpId, earlier: OpId) {
        self.edge(later.0, earlier.0);
    }

    /// `later` waits until `earlier` of the same rank, added before it, has begun.
    pub fn requires_begun(&mut self, later: OpId, earlier: OpId) {
        self.edge(later.0 | BEGUN, earlier.0);
    }

    fn edge(&mut self, later: u32, earlier: u32) {
        if self.beyond == 0 {
            self.edges.push((later, earlier));
        }
    }

    /// What is added to `rank` from now on waits for all that was added since the last wait.
    pub fn wait(&mut self, rank: u32) {
        let Some(gate) = self.gates.get_mut(rank as usize).filter(|g| !g.open.is_empty() && self.beyond == 0) else {
            return;
        };
        let many = gate.open.len() > 2;
        gate.shut = run(&mut self.required, &gate.open);
        gate.open.clear();
        // A join of many is an operation of its own: n + m edges instead of n * m.
        if many {
            let all = gate.shut;
            if let Some(join) = self.push(rank, What::Compute, rank, 0) {
                self.tags.push(&self.ops, 0);
                self.ops[join as usize].first_after = all;
                self.gates[rank as usize].shut = run(&mut self.required, &[join]);
            }
        }
    }

    /// What is added to `rank` from now on waits for `op`, which was added last; others stay open.
    pub fn wait_for(&mut self, rank: u32, op: OpId) {
        if let Some(gate) = self.gates.get_mut(rank as usize).filter(|_| self.beyond == 0) {
            gate.open.retain(|&open| open != op.0);
            gate.shut = run(&mut self.required, &[op.0]);
        }
    }

    /// What is added to `rank` from now on waits for `op` alone.
    pub(super) fn after(&mut self, rank: u32, op: OpId) {
        if let Some(gate) = self.gates.get_mut(rank as usize).filter(|_| self.beyond == 0) {
            *gate = Gate { shut: run(&mut self.required, &[op.0]), open: Vec::new() };
        }
    }

    /// What is added to `rank` from now on waits for nothing.
    pub(super) fn open(&mut self, rank: u32) {
        if let Some(gate) = self.gates.get_mut(rank as usize) {
            *gate = Gate { shut: NOBODY, open: Vec::new() };
        }
    }

    /// Whether so many further messages fit.
    ///
    /// # Errors
    /// They do not.
    pub(super) fn has_room(&self, messages: u64) -> Result<()> {
        let operations = (self.ops.len() as u64).saturating_add(messages.saturating_mul(2));
        Size { ranks: self.ranks, operations }.check(self.limit)
    }

    /// Matches and checks: O((operations + edges) log operations).
    ///
    /// # Errors
    /// More operations than memory holds ([`Limit`]); a rank that is not there; a
    /// send without its receive or a receive without its send; a requirement of
    /// another rank or of a later operation; ranks that wait for each other for ever.
    pub fn finish(mut self) -> Result<Schedule> {
        self.fits()?;
        self.check()?;
        self.gates = Vec::new();
        let ranks = self.ranks as usize;
        let mut first = vec![0u32; ranks + 1];
        self.ops.iter().for_each(|op| first[op.partner as usize + 1] += 1);
        (0..ranks).for_each(|r| first[r + 1] += first[r]);
        let mut place = places(&self.ops, &first);
        let moved = |word: u32| place[(word & INDEX) as usize] | word & !INDEX;
        self.required.iter_mut().for_each(|word| *word = moved(*word));
        self.edges.iter_mut().for_each(|edge| *edge = (moved(edge.0), moved(edge.1)));
        self.edges.sort_unstable_by_key(|&(later, earlier)| (later & INDEX, later, earlier));
        self.sort(&mut place, &first);
        drop(place);
        let mut schedule = Schedule {
            ranks: self.ranks,
            first,
            ops: self.ops,
            tags: self.tags,
            after: Vec::new(),
            crowds: Vec::new(),
            program: vec![Play { body: 0, times: 1 }],
        };
        schedule.link(&self.edges, &self.required);
        drop((self.edges, self.required));
        matching::meet(&mut schedule)?;
        matching::ends(&schedule)?;
        Ok(schedule)
    }

    fn fits(&self) -> Result<()> {
        let operations = self.ops.len() as u64 + self.beyond;
        Size { ranks: self.ranks, operations }.check(self.limit)?;
        if self.beyond > 0 || self.edges.len() > self.limit.operations() {
            return Err(Size { ranks: self.ranks, operations }.too_large(self.limit));
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        for op in &self.ops {
            if op.partner >= self.ranks || op.peer >= self.ranks {
                let (rank, peer) = (op.partner, op.peer);
                let text = format!("an operation between ranks {rank} and {peer}, expected less than {}", self.ranks);
                return Err(Error::input(text));
            }
        }
        for &(later, earlier) in &self.edges {
            let (later, earlier) = ((later & INDEX) as usize, earlier as usize);
            if earlier >= later || self.ops[later].partner != self.ops[earlier].partner {
                let rank = self.ops[later].partner;
                return Err(Error::input(format!(
                    "an operation of rank {rank} requires one that does not stand before it on that rank"
                )));
            }
        }
        Ok(())
    }
}

/// Writes a run of operations; answers where it begins.
fn run(required: &mut Vec<u32>, ops: &[u32]) -> u32 {
    let at = required.len() as u32;
    required.extend(ops);
    if let Some(last) = required.last_mut() {
        *last |= END;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_without_receives_are_named() {
        let mut b = Builder::new(3);
        b.send(0, 1, 8, 7);
        assert_eq!(
            b.clone().finish().expect_err("alone").to_string(),
            "rank 0 sends a message with tag 7 to rank 1, which never receives it"
        );
        b.recv(1, 0, 8, 6);
        assert!(b.finish().expect_err("tags").to_string().contains("rank 1 receives a message with tag 6 from rank 0"));
    }

    #[test]
    fn ranks_that_wait_for_each_other_are_refused() {
        let mut b = Builder::new(2);
        for r in 0..2 {
            let got = b.recv(r, 1 - r, 8, 0);
            let sent = b.send(r, 1 - r, 8, 0);
            b.requires(sent, got);
        }
        assert!(b.finish().expect_err("circle").to_string().contains("wait for each other"));
    }

    #[test]
    fn one_rank_is_a_schedule_too() {
        let alone = || {
            let mut b = Builder::new(1);
            b.compute(0, 100);
            b.finish().expect("schedule")
        };
        assert_eq!((alone().bodies(), alone().plays(), alone().volume().messages), (1, vec![1], 0));
        let twice = alone().then(alone()).expect("two bodies");
        assert_eq!((twice.bodies(), twice.plays(), twice.of(1, 0)), (2, vec![1, 1], 1..2));
    }

    #[test]
    fn messages_of_a_pair_meet_in_order() {
        let mut b = Builder::new(2);
        let sizes = [1, 2, 3];
        for n in sizes {
            b.send(0, 1, n, 0);
            b.recv(1, 0, 99, 0);
        }
        let s = b.finish().expect("schedule");
        let got: Vec<u64> = s.of(0, 1).map(|i| s.ops()[i as usize].amount).collect();
        assert_eq!(got, sizes);
    }

    #[test]
    fn waits_join_what_stands_before_them() {
        let mut b = Builder::new(1);
        for _ in 0..4 {
            b.compute(0, 1);
        }
        b.wait(0);
        b.compute(0, 1);
        b.wait(0);
        b.compute(0, 1);
        let s = b.finish().expect("schedule");
        assert_eq!((0..7).map(|i| s.needs(i)).collect::<Vec<_>>(), [0, 0, 0, 0, 4, 1, 1]);
    }

    #[test]
    fn a_join_of_any_number_knows_how_many() {
        let mut b = Builder::new(1);
        for _ in 0..70_000 {
            b.compute(0, 1);
        }
        b.wait(0);
        let last = b.compute(0, 1);
        b.requires(last, OpId(5));
        let s = b.finish().and_then(|s| s.clone().then(s)).expect("schedule");
        assert_eq!([70_000, 70_001, 140_002, 140_003].map(|i| s.needs(i)), [70_000, 2, 70_000, 2]);
        assert!(s.after(3).eq([(70_000, false)]) && s.after(5).eq([(70_000, false), (70_001, false)]));
        assert!(s.after(70_002).eq([(140_002, false)]) && s.after(140_003).next().is_none());
    }

    #[test]
    fn more_than_fits_is_counted_and_refused() {
        let limit = Limit { bytes: 10_000 };
        let mut b = Builder::within(2, limit);
        for _ in 0..1000 {
            let sent = b.send(0, 1, 8, 0);
            b.wait(0);
            b.recv(1, 0, 8, 0);
            let next = b.compute(0, 1);
            b.requires(next, sent);
        }
        assert!(b.has_room(1).is_err());
        let error = b.finish().expect_err("too large").to_string();
        assert!(error.contains("2 ranks with 3000 operations") && error.contains("the limit is"), "{error}");
    }
}
