//! Which algorithm an MPI library takes for a collective of so many ranks and
//! bytes, where it is not the common one of `messages.rs`: the default tables of
//! Open MPI 4.1 and 5.0 (`coll_tuned_decision_fixed.c`) and the limits of MPICH 3 and 4 (`mpivars` prints them), reduced to
//! what decides who sends how much to whom. Trees of other shapes count as binomial,
//! segments as whole, neighbour exchange as a ring.

use super::messages::Step;

/// A collective as a library sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) library: &'a str,
    pub(super) op: &'a str,
    /// Ranks of the communicator.
    pub(super) n: u32,
    /// 0 where there is none.
    pub(super) root: u32,
    pub(super) bytes: u64,
    pub(super) list: &'a [u64],
}

/// An algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// That of `messages.rs`.
    Common,
    /// Allreduce by recursive halving, then doubling (Rabenseifner).
    Halving,
    /// Blocks travel by powers of two (Bruck and others).
    Bruck,
    /// Allgather by recursive doubling.
    Doubling,
    /// Gather and scatter along a binomial tree.
    Tree,
    /// Broadcast by a binomial scatter, then allgather around the ring or by doubling.
    Scatter,
}

impl Call<'_> {
    /// What the library takes.
    pub(super) fn way(&self) -> Way {
        let two = self.n.is_power_of_two();
        let gather = if two { Way::Doubling } else { Way::Bruck };
        let when = |is: bool, way: Way| if is { way } else { Way::Common };
        let all = self.bytes.saturating_mul(u64::from(self.n));
        if self.n < 2 {
            return Way::Common;
        }
        match (self.library, self.op) {
            ("Open MPI", "allreduce") => when(self.bytes >= self.limit(HALVED), Way::Halving),
            ("Open MPI", "alltoall") => when(self.bytes < self.limit(TRAVELLING), Way::Bruck),
            ("Open MPI", "allgather") => when(self.bytes < self.limit(DOUBLED), gather),
            ("Open MPI", "gather") | ("MPICH", "gather" | "scatter") => when(self.n >= 8, Way::Tree),
            ("Open MPI", "scatter") => when(self.n >= 8 && self.bytes < 16 << 10, Way::Tree),
            ("MPICH", "allreduce") => when(self.bytes > 2048 && self.bytes >= u64::from(self.n), Way::Halving),
            ("MPICH", "alltoall") => when(self.bytes <= 256 && self.n >= 8, Way::Bruck),
            ("MPICH", "allgather") => when(all < if two { 512 << 10 } else { 80 << 10 }, gather),
            ("MPICH", "bcast") => when(self.bytes >= 12 << 10 && self.n >= 8, Way::Scatter),
            _ => Way::Common,
        }
    }

    /// The bytes of the first row for more ranks than there are.
    fn limit(&self, rows: &[(u32, u64)]) -> u64 {
        rows.iter().find(|row| self.n < row.0).map_or(0, |row| row.1)
    }

    /// What rank `me` does.
    pub(super) fn steps(&self, way: Way, me: u32, steps: &mut Vec<Step>) {
        match way {
            Way::Common => {}
            Way::Halving => self.halving(me, steps),
            Way::Bruck if self.op == "alltoall" => self.travelling(me, steps),
            Way::Bruck => self.bruck(me, steps),
            Way::Doubling => powers(self.n).for_each(|bit| {
                let bytes = self.bytes.saturating_mul(u64::from(bit));
                exchange((me ^ bit, bytes), (me ^ bit, bytes), steps);
            }),
            Way::Tree => self.tree(me, steps),
            Way::Scatter => self.scatter(me, steps),
        }
    }

    /// Every rank stands for the blocks of its subtree.
    fn tree(&self, me: u32, steps: &mut Vec<Step>) {
        let own = (me + self.n - self.root) % self.n;
        let real = |rank: u32| (rank + self.root) % self.n;
        let blocks = |from: u32, span: u32| self.bytes.saturating_mul(u64::from(span.min(self.n - from)));
        let top = if own == 0 { self.n.next_power_of_two() } else { own & own.wrapping_neg() };
        let parent = (own != 0).then(|| (real(own & (own - 1)), blocks(own, top)));
        let children =
            powers(top).filter(|bit| own + bit < self.n).map(|bit| (real(own + bit), blocks(own + bit, bit)));
        if self.op == "gather" {
            steps.extend(children.map(|(child, bytes)| Step::Recv(child, bytes)));
            steps.push(Step::Join);
            steps.extend(parent.map(|(parent, bytes)| Step::Send(parent, bytes)));
        } else {
            steps.extend(parent.map(|(parent, bytes)| Step::Recv(parent, bytes)));
            steps.push(Step::Join);
            steps.extend(children.map(|(child, bytes)| Step::Send(child, bytes)));
        }
        steps.push(Step::Join);
    }

    /// Of as many ranks as a power of two has, the others hand over what they have and get the result.
    fn halving(&self, me: u32, steps: &mut Vec<Step>) {
        let most = 1 << self.n.ilog2();
        let rest = self.n - most;
        let folded = me < 2 * rest;
        if folded && me.is_multiple_of(2) {
            steps.extend([Step::Send(me + 1, self.bytes), Step::Join, Step::Recv(me + 1, self.bytes), Step::Join]);
            return;
        }
        let own = if folded { me / 2 } else { me - rest };
        let real = |rank: u32| if rank < rest { 2 * rank + 1 } else { rank + rest };
        if folded {
            steps.extend([Step::Recv(me - 1, self.bytes), Step::Join]);
        }
        // What is kept of the vector, and what the other one keeps, round by round.
        let (mut kept, mut rounds) = (self.bytes, Vec::new());
        for bit in powers(most) {
            let (low, high) = (kept / 2, kept - kept / 2);
            let (mine, theirs) = if own & bit == 0 { (low, high) } else { (high, low) };
            exchange((real(own ^ bit), theirs), (real(own ^ bit), mine), steps);
            rounds.push((real(own ^ bit), mine, theirs));
            kept = mine;
        }
        for (other, mine, theirs) in rounds.into_iter().rev() {
            exchange((other, mine), (other, theirs), steps);
        }
        if folded {
            steps.extend([Step::Send(me - 1, self.bytes), Step::Join]);
        }
    }

    /// The blocks whose way has a bit go so far on together.
    fn travelling(&self, me: u32, steps: &mut Vec<Step>) {
        for bit in powers(self.n) {
            let blocks = (0..self.n).filter(|way| way & bit != 0).count() as u64;
            let bytes = self.bytes.saturating_mul(blocks);
            exchange(((me + bit) % self.n, bytes), ((me + self.n - bit) % self.n, bytes), steps);
        }
    }

    fn bruck(&self, me: u32, steps: &mut Vec<Step>) {
        for bit in powers(self.n) {
            let bytes = self.bytes.saturating_mul(u64::from(bit.min(self.n - bit)));
            exchange(((me + self.n - bit) % self.n, bytes), ((me + bit) % self.n, bytes), steps);
        }
    }

    fn scatter(&self, me: u32, steps: &mut Vec<Step>) {
        let (n, block) = (self.n, self.bytes.div_ceil(u64::from(self.n)));
        let own = (me + n - self.root) % n;
        let real = |rank: u32| (rank + self.root) % n;
        // Bytes of so many blocks from one on.
        let part = |from: u32, blocks: u32| {
            let end = |blocks: u32| self.bytes.min(block.saturating_mul(u64::from(blocks)));
            end(from.saturating_add(blocks).min(n)) - end(from)
        };
        let top = if own == 0 { n.next_power_of_two() } else { own & own.wrapping_neg() };
        if own != 0 {
            steps.extend([Step::Recv(real(own & (own - 1)), part(own, top)), Step::Join]);
        }
        for bit in std::iter::successors(Some(top >> 1), |bit| Some(bit >> 1)).take_while(|&bit| bit > 0) {
            if own + bit < n {
                steps.push(Step::Send(real(own + bit), part(own + bit, bit)));
            }
        }
        steps.push(Step::Join);
        if n.is_power_of_two() && self.bytes < 512 << 10 {
            for bit in powers(n) {
                let (mine, theirs) = (own & !(bit - 1), (own ^ bit) & !(bit - 1));
                exchange((real(own ^ bit), part(mine, bit)), (real(own ^ bit), part(theirs, bit)), steps);
            }
            return;
        }
        for step in 0..n - 1 {
            let (mine, theirs) = ((own + n - step) % n, (own + n - step - 1) % n);
            exchange((real((own + 1) % n), part(mine, 1)), (real((own + n - 1) % n), part(theirs, 1)), steps);
        }
    }
}

/// Open MPI's allreduce of at least so many bytes is halved, of fewer ranks than stand before it.
const HALVED: &[(u32, u64)] = &[
    (4, 256 << 10),
    (16, 8 << 10),
    (32, 4 << 10),
    (64, 128),
    (256, 256 << 10),
    (512, 4 << 10),
    (4096, 16 << 10),
    (u32::MAX, 32 << 10),
];
/// Blocks of its all-to-all below this size travel together.
const TRAVELLING: &[(u32, u64)] = &[(16, 0), (64, 512), (512, 1024), (2048, 512), (4096, 1024), (u32::MAX, 2048)];
/// Blocks of its allgather below this size are gathered by doubling.
const DOUBLED: &[(u32, u64)] = &[(32, u64::MAX), (64, 1024), (256, 512), (512, 1024), (1024, 2048), (u32::MAX, 4096)];

fn powers(n: u32) -> impl Iterator<Item = u32> {
    (0..32).map(|i| 1u32 << i).take_while(move |&bit| bit < n)
}

/// A round: something to one rank, something from one. Nothing is not sent.
fn exchange(to: (u32, u64), from: (u32, u64), steps: &mut Vec<Step>) {
    steps.extend((to.1 > 0).then_some(Step::Send(to.0, to.1)));
    steps.extend((from.1 > 0).then_some(Step::Recv(from.0, from.1)));
    steps.push(Step::Join);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::recording::messages::steps;
    use std::collections::BTreeMap;

    /// Bytes from each rank to each, every send received as it was sent.
    fn sent(library: &str, op: &str, n: u32, bytes: u64) -> (Way, BTreeMap<(u32, u32), u64>) {
        let call = Call { library, op, n, root: n / 3, bytes, list: &[] };
        let mut open: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        let mut waiting: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        for me in 0..n {
            for step in steps(&call, me) {
                match step {
                    Step::Send(to, bytes) => open.entry((me, to)).or_default().push(bytes),
                    Step::Recv(from, bytes) => waiting.entry((from, me)).or_default().push(bytes),
                    Step::Join => {}
                }
            }
        }
        assert_eq!(open, waiting, "{library}: {op} of {n} ranks, {bytes} bytes");
        (call.way(), open.into_iter().map(|(pair, all)| (pair, all.iter().sum())).collect())
    }

    #[test]
    fn ranks_send_what_the_algorithms_add_up_to() {
        for n in 2..40u32 {
            let total = |library, op, bytes| {
                let (way, sent) = sent(library, op, n, bytes);
                (way, sent.values().sum::<u64>())
            };
            let (ranks, most) = (u64::from(n), 1u64 << n.ilog2());
            // Halving and doubling of the power of two, and twice the vector for each of the others.
            for library in ["Open MPI", "MPICH"] {
                let expected = 2 * (most - 1) * 960_000 + 2 * (ranks - most) * 960_000;
                assert_eq!(total(library, "allreduce", 960_000), (Way::Halving, expected), "{n}");
                assert_eq!(total(library, "allreduce", 8).0, Way::Common);
            }
            let (way, gathered) = total("Open MPI", "allgather", 50);
            assert!(way != Way::Common && gathered == ranks * (ranks - 1) * 50, "{n}: {way:?}, {gathered}");
            for bytes in [20_000, 480_001, 1 << 20] {
                let (way, broadcast) = total("MPICH", "bcast", bytes);
                if way == Way::Scatter {
                    assert!(n >= 8 && broadcast >= (ranks - 1) * bytes, "{n}: {broadcast}");
                } else {
                    assert_eq!(broadcast, (ranks - 1) * bytes);
                }
            }
            // A block goes as many hops as its relative rank has bits.
            let hops: u64 = (0..n).map(|rank| u64::from(rank.count_ones())).sum();
            for op in ["gather", "scatter"].into_iter().filter(|_| n >= 8) {
                assert_eq!(total("MPICH", op, 100), (Way::Tree, hops * 100), "{op} of {n}");
            }
            if n >= 16 {
                assert_eq!(total("Open MPI", "alltoall", 100), (Way::Bruck, ranks * hops * 100));
            }
            assert_eq!(total("other", "alltoall", 100), (Way::Common, ranks * (ranks - 1) * 100));
        }
    }
}
