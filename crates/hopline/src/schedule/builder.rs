//! The only way to make a [`Schedule`]: add operations, then `finish`, which
//! matches sends with receives and refuses what could never end.

use super::{BEGUN, MOST_OPS, Op, Play, Schedule, What, too_many};
use crate::error::{Error, Result};

/// An operation that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpId(u32);

#[cfg(test)]
impl OpId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Collects the operations of one body.
#[derive(Debug, Clone)]
pub struct Builder {
    ranks: u32,
    /// (rank, tag, operation).
    ops: Vec<(u32, u32, Op)>,
    /// (later, earlier), with `BEGUN` in the later one where the beginning is enough.
    edges: Vec<(u32, u32)>,
    /// Joins: what the next operation of a rank requires, in `wait`.
    gates: Vec<Gate>,
}

/// What is open on a rank, for [`Builder::wait`].
#[derive(Debug, Clone, Default)]
struct Gate {
    /// Every operation that is added next requires these.
    shut: Vec<OpId>,
    /// Added since.
    open: Vec<OpId>,
}

impl Builder {
    /// A body of `ranks` ranks without operations.
    pub fn new(ranks: u32) -> Self {
        Builder { ranks, ops: Vec::new(), edges: Vec::new(), gates: vec![Gate::default(); ranks as usize] }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    fn add(&mut self, rank: u32, what: What, peer: u32, tag: u32, amount: u64) -> OpId {
        let id = OpId(self.ops.len() as u32);
        self.ops.push((rank, tag, Op { what, peer, partner: id.0, first_after: 0, amount }));
        if let Some(gate) = self.gates.get_mut(rank as usize) {
            gate.open.push(id);
            self.edges.extend(gate.shut.iter().map(|before| (id.0, before.0)));
        }
        id
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
        self.edges.push((later.0, earlier.0));
    }

    /// `later` waits until `earlier` of the same rank, added before it, has begun.
    pub fn requires_begun(&mut self, later: OpId, earlier: OpId) {
        self.edges.push((later.0 | BEGUN, earlier.0));
    }

    /// What is added to `rank` from now on waits for all that was added since the last wait.
    pub fn wait(&mut self, rank: u32) {
        let Some(gate) = self.gates.get_mut(rank as usize) else { return };
        if gate.open.is_empty() {
            return;
        }
        gate.shut = std::mem::take(&mut gate.open);
        // A join of many is an operation of its own: n + m edges instead of n * m.
        if gate.shut.len() > 2 {
            let join = self.ops.len() as u32;
            self.ops.push((rank, 0, Op { what: What::Compute, peer: rank, partner: join, first_after: 0, amount: 0 }));
            self.edges.extend(gate.shut.drain(..).map(|before| (join, before.0)));
            gate.shut.push(OpId(join));
        }
    }

    /// What is added to `rank` from now on waits for `op`, which was added last; others stay open.
    pub fn wait_for(&mut self, rank: u32, op: OpId) {
        if let Some(gate) = self.gates.get_mut(rank as usize) {
            gate.open.retain(|&open| open != op);
            gate.shut = vec![op];
        }
    }

    /// Number of operations so far.
    pub(super) fn len(&self) -> usize {
        self.ops.len()
    }

    /// What is added to `rank` from now on waits for `op` alone.
    pub(super) fn after(&mut self, rank: u32, op: OpId) {
        if let Some(gate) = self.gates.get_mut(rank as usize) {
            *gate = Gate { shut: vec![op], open: Vec::new() };
        }
    }

    /// What is added to `rank` from now on waits for nothing.
    pub(super) fn open(&mut self, rank: u32) {
        if let Some(gate) = self.gates.get_mut(rank as usize) {
            *gate = Gate::default();
        }
    }

    /// Matches and checks: O((operations + edges) log operations).
    ///
    /// # Errors
    /// A rank that is not there; a send without its receive or a receive without
    /// its send; a requirement of another rank or of a later operation; ranks
    /// that wait for each other for ever.
    pub fn finish(mut self) -> Result<Schedule> {
        if self.ops.len() > MOST_OPS || self.edges.len() > MOST_OPS {
            return Err(too_many());
        }
        self.check()?;
        let (ranks, count) = (self.ranks as usize, self.ops.len());
        let mut first = vec![0u32; ranks + 1];
        self.ops.iter().for_each(|(rank, ..)| first[*rank as usize + 1] += 1);
        (0..ranks).for_each(|r| first[r + 1] += first[r]);
        let mut next = first.clone();
        let mut place = vec![0u32; count];
        let mut ops = vec![Op { what: What::Compute, peer: 0, partner: 0, first_after: 0, amount: 0 }; count];
        let mut tags = vec![0; count];
        for (i, (rank, tag, op)) in self.ops.iter().enumerate() {
            let at = next[*rank as usize];
            next[*rank as usize] += 1;
            place[i] = at;
            ops[at as usize] = Op { partner: at, ..*op };
            tags[at as usize] = *tag;
        }
        let mut schedule = Schedule {
            ranks: self.ranks,
            first,
            ops,
            tags,
            after: vec![0; self.edges.len()],
            needs: vec![0; count],
            program: vec![Play { body: 0, times: 1 }],
        };
        schedule.link(&self.edges, &place);
        drop(place);
        schedule.meet()?;
        schedule.ends()?;
        Ok(schedule)
    }

    /// Where each operation will stand, in order of adding.
    #[cfg(test)]
    pub(super) fn places(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.ops.len() as u32).collect();
        order.sort_by_key(|&i| self.ops[i as usize].0);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &i)| place[i as usize] = at as u32);
        place
    }

    fn check(&mut self) -> Result<()> {
        for (rank, _, op) in &self.ops {
            if *rank >= self.ranks || op.peer >= self.ranks {
                return Err(Error::input(format!(
                    "an operation between ranks {rank} and {}, expected less than {}",
                    op.peer, self.ranks
                )));
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        for &(later, earlier) in &self.edges {
            let later = later & !BEGUN;
            if earlier >= later || self.ops[later as usize].0 != self.ops[earlier as usize].0 {
                let rank = self.ops[later as usize].0;
                return Err(Error::input(format!(
                    "an operation of rank {rank} requires one that does not stand before it on that rank"
                )));
            }
        }
        Ok(())
    }
}

impl Schedule {
    /// Writes who waits for whom.
    fn link(&mut self, edges: &[(u32, u32)], place: &[u32]) {
        let mut next = vec![0u32; self.ops.len() + 1];
        for &(later, earlier) in edges {
            next[place[earlier as usize] as usize + 1] += 1;
            self.needs[place[(later & !BEGUN) as usize] as usize] += 1;
        }
        for i in 0..self.ops.len() {
            next[i + 1] += next[i];
            self.ops[i].first_after = next[i];
        }
        for &(later, earlier) in edges {
            let at = &mut next[place[earlier as usize] as usize];
            self.after[*at as usize] = place[(later & !BEGUN) as usize] | (later & BEGUN);
            *at += 1;
        }
    }

    /// The rank of every operation.
    fn owners(&self) -> Vec<u32> {
        let each = |rank: u32| self.of(0, rank).map(move |_| rank);
        (0..self.ranks).flat_map(each).collect()
    }

    /// Matches sends with receives, in order of each pair and tag.
    fn meet(&mut self) -> Result<()> {
        let owner = self.owners();
        let side = |what: What| {
            let mut keys: Vec<(u32, u32, u32, u32)> = Vec::new();
            for (i, op) in (0u32..).zip(&self.ops).filter(|(_, op)| op.what == what) {
                let (from, to) =
                    if what == What::Send { (owner[i as usize], op.peer) } else { (op.peer, owner[i as usize]) };
                keys.push((from, to, self.tags[i as usize], i));
            }
            keys.sort_unstable();
            keys
        };
        let (sends, recvs) = (side(What::Send), side(What::Recv));
        for (s, r) in sends.iter().zip(&recvs) {
            if (s.0, s.1, s.2) != (r.0, r.1, r.2) {
                return Err(alone(*s.min(r), s < r));
            }
        }
        match sends.len().cmp(&recvs.len()) {
            std::cmp::Ordering::Greater => return Err(alone(sends[recvs.len()], true)),
            std::cmp::Ordering::Less => return Err(alone(recvs[sends.len()], false)),
            std::cmp::Ordering::Equal => {}
        }
        for (s, r) in sends.iter().zip(&recvs) {
            self.ops[s.3 as usize].partner = r.3;
            self.ops[r.3 as usize].partner = s.3;
            // A receive may offer more room than the message needs.
            self.ops[r.3 as usize].amount = self.ops[s.3 as usize].amount;
        }
        Ok(())
    }

    /// Every operation gets its turn where sends wait for no receive (Kahn).
    fn ends(&self) -> Result<()> {
        let mut left = self.needs.clone();
        self.ops.iter().zip(&mut left).for_each(|(op, left)| *left += u32::from(op.what == What::Recv));
        let mut ready: Vec<u32> = (0..self.ops.len() as u32).filter(|&i| left[i as usize] == 0).collect();
        let mut done = 0;
        while let Some(i) = ready.pop() {
            done += 1;
            let op = &self.ops[i as usize];
            let met = (op.what == What::Send).then_some(op.partner);
            for next in self.after(i).map(|a| a.0).chain(met) {
                left[next as usize] -= 1;
                if left[next as usize] == 0 {
                    ready.push(next);
                }
            }
        }
        if done == self.ops.len() {
            return Ok(());
        }
        let stuck = left.iter().position(|&n| n > 0).unwrap_or(0);
        let rank = self.owners()[stuck];
        Err(Error::input(format!("rank {rank} and others wait for each other for ever"))
            .hint("a receive must not stand before the send that its message waits for"))
    }
}

fn alone((from, to, tag, _): (u32, u32, u32, u32), sent: bool) -> Error {
    let (what, lacks) = if sent { ("sends", "receives") } else { ("receives", "sends") };
    let (rank, other) = if sent { (from, to) } else { (to, from) };
    let joint = if sent { "to" } else { "from" };
    Error::input(format!("rank {rank} {what} a message with tag {tag} {joint} rank {other}, which never {lacks} it"))
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
        assert_eq!((alone().bodies(), alone().plays(), alone().volume()), (1, vec![1], (0, 0)));
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
}
