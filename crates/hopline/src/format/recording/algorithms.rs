//! What each rank does in the algorithms that libraries take ([`super::library`]).

use super::library::{Call, Way};
use super::messages::{Down, Step, Up, tree};

impl Call<'_> {
    /// What rank `me` does.
    pub(super) fn steps(&self, way: Way, me: u32, steps: &mut Vec<Step>) {
        let Call { n, root, bytes, .. } = *self;
        match way {
            Way::Common => {}
            Way::Folded => self.folded(me, steps),
            Way::Twice if self.op == "allreduce" => {
                tree(me, n, 0, bytes, steps, Up);
                tree(me, n, 0, bytes, steps, Down);
            }
            Way::Twice => {
                tree(me, n, 0, self.blocks(0, n), steps, Up);
                if me == 0 {
                    steps.extend((1..n).map(|rank| Step::Send(rank, self.block(rank))));
                } else {
                    steps.push(Step::Recv(0, self.block(me)));
                }
                steps.push(Step::Join);
            }
            Way::Halving => match self.op {
                "allreduce" => self.halving(me, steps),
                "reduce" => self.reduced(me, steps),
                _ => self.halved(me, steps),
            },
            Way::Ring => {
                for step in 1..n {
                    let (mine, theirs) = ((me + n - step) % n, (me + n - step - 1) % n);
                    exchange(((me + 1) % n, self.block(mine)), ((me + n - 1) % n, self.block(theirs)), steps);
                }
            }
            Way::Bruck if self.op == "alltoall" => self.travelling(me, steps),
            Way::Bruck => self.bruck(me, steps),
            Way::Doubling => powers(n).for_each(|bit| {
                let (mine, theirs) = (me & !(bit - 1), (me ^ bit) & !(bit - 1));
                exchange((me ^ bit, self.blocks(mine, bit)), (me ^ bit, self.blocks(theirs, bit)), steps);
            }),
            Way::Tree => self.tree(me, steps),
            Way::Scatter => self.scatter(me, steps),
            Way::Flat if me == root => steps.extend((1..n).map(|k| Step::Send((root + k) % n, bytes))),
            Way::Flat => steps.push(Step::Recv(root, bytes)),
        }
    }

    /// Bytes of so many ranks' blocks from one on, around the end.
    fn blocks(&self, from: u32, count: u32) -> u64 {
        if self.list.is_empty() {
            return self.bytes.saturating_mul(u64::from(count));
        }
        (from..from + count).fold(0, |sum, rank| sum.saturating_add(self.block(rank % self.n)))
    }

    /// Of as many ranks as a power of two has, the others hand over what they have and get the result.
    fn folded(&self, me: u32, steps: &mut Vec<Step>) {
        let rest = self.n - self.most();
        let whole = |rank: u32| (rank, self.bytes);
        if me < 2 * rest && me.is_multiple_of(2) {
            steps.extend([Step::Send(me + 1, self.bytes), Step::Join, Step::Recv(me + 1, self.bytes), Step::Join]);
            return;
        }
        let is_heir = me < 2 * rest;
        if is_heir {
            steps.extend([Step::Recv(me - 1, self.bytes), Step::Join]);
        }
        let own = if is_heir { me / 2 } else { me - rest };
        let real = |rank: u32| if rank < rest { 2 * rank + 1 } else { rank + rest };
        powers(self.most()).for_each(|bit| exchange(whole(real(own ^ bit)), whole(real(own ^ bit)), steps));
        if is_heir {
            steps.extend([Step::Send(me - 1, self.bytes), Step::Join]);
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

    /// Halves of a vector from round to round, by ranks `own ^ bit` of a power of two: who the other is, what is kept, and
    /// what the other keeps. The lower rank keeps the lower half.
    fn halves(&self, own: u32) -> Vec<(u32, u64, u64)> {
        let mut kept = self.bytes;
        let round = |bit: u32| {
            let (low, high) = (kept / 2, kept - kept / 2);
            let (mine, theirs) = if own & bit == 0 { (low, high) } else { (high, low) };
            kept = mine;
            (own ^ bit, mine, theirs)
        };
        powers(self.most()).map(round).collect()
    }

    /// Of as many ranks as a power of two has, the others hand over what they have and get the result. Open MPI's pairs
    /// share the work: each sends half to the other, which the even one gets back.
    fn halving(&self, me: u32, steps: &mut Vec<Step>) {
        let (rest, bytes) = (self.n - self.most(), self.bytes);
        let shares = self.library == "Open MPI";
        let is_folded = me < 2 * rest;
        // Of a pair, the even rank goes on where work is shared, the odd one where it is not.
        let (other, goes_on) = (me ^ 1, me.is_multiple_of(2) == shares);
        if is_folded && shares {
            let (low, high) = (bytes / 2, bytes - bytes / 2);
            let (mine, theirs) = if goes_on { (high, low) } else { (low, high) };
            exchange((other, mine), (other, theirs), steps);
            steps.extend([if goes_on { Step::Recv(other, high) } else { Step::Send(other, high) }, Step::Join]);
        } else if is_folded {
            steps.extend([if goes_on { Step::Recv(other, bytes) } else { Step::Send(other, bytes) }, Step::Join]);
        }
        if !is_folded || goes_on {
            let own = if is_folded { me / 2 } else { me - rest };
            let real = |rank: u32| if rank < rest { 2 * rank + u32::from(!shares) } else { rank + rest };
            let rounds = self.halves(own);
            for &(other, mine, theirs) in &rounds {
                exchange((real(other), theirs), (real(other), mine), steps);
            }
            for &(other, mine, theirs) in rounds.iter().rev() {
                exchange((real(other), mine), (real(other), theirs), steps);
            }
        }
        if is_folded {
            steps.extend([if goes_on { Step::Send(other, bytes) } else { Step::Recv(other, bytes) }, Step::Join]);
        }
    }

    /// A reduction by halving; then each half goes to the side of the root. Of the ranks beyond a power of two odd ones
    /// hand over what they have; where the root is one of them it takes the first rank's place in the end.
    fn reduced(&self, me: u32, steps: &mut Vec<Step>) {
        let Call { root, bytes, .. } = *self;
        let rest = self.n - self.most();
        let is_out = |rank: u32| rank < 2 * rest && !rank.is_multiple_of(2);
        let place = |rank: u32| if rank < 2 * rest { rank / 2 } else { rank - rest };
        let real = |rank: u32| if rank < rest { 2 * rank } else { rank + rest };
        if is_out(me) {
            steps.extend([Step::Send(me - 1, bytes), Step::Join]);
        } else if me < 2 * rest {
            steps.extend([Step::Recv(me + 1, bytes), Step::Join]);
        }
        let replaced = is_out(root);
        let own = match is_out(me) {
            false => place(me),
            true if me == root => 0,
            true => return,
        };
        let rounds = self.halves(own);
        if !is_out(me) {
            for &(other, mine, theirs) in &rounds {
                exchange((real(other), theirs), (real(other), mine), steps);
            }
        }
        if replaced && own == 0 {
            let part = rounds.last().map_or(bytes, |round| round.1);
            if me != root {
                steps.extend([Step::Send(root, part), Step::Join]);
                return;
            }
            steps.extend([Step::Recv(real(0), part), Step::Join]);
        }
        let (end, real) =
            (if replaced { 0 } else { place(root) }, |rank| if replaced && rank == 0 { root } else { real(rank) });
        for (bit, &(other, mine, theirs)) in powers(self.most()).zip(&rounds).rev() {
            if (own ^ end) & bit != 0 {
                steps.extend([Step::Send(real(other), mine), Step::Join]);
                return;
            }
            steps.extend([Step::Recv(real(other), theirs), Step::Join]);
        }
    }

    /// A reduce-scatter by halving, the farthest first; an odd rank does the work of the even one before it, too, where
    /// ranks are beyond a power of two.
    fn halved(&self, me: u32, steps: &mut Vec<Step>) {
        let rest = self.n - self.most();
        let is_folded = me < 2 * rest;
        if is_folded && me.is_multiple_of(2) {
            let (all, own) = (self.blocks(0, self.n), self.block(me));
            steps.extend([Step::Send(me + 1, all), Step::Join, Step::Recv(me + 1, own), Step::Join]);
            return;
        }
        if is_folded {
            steps.extend([Step::Recv(me - 1, self.blocks(0, self.n)), Step::Join]);
        }
        let own = if is_folded { me / 2 } else { me - rest };
        let real = |rank: u32| if rank < rest { 2 * rank + 1 } else { rank + rest };
        let first = |place: u32| if place < rest { 2 * place } else { place + rest };
        for bit in powers(self.most()).rev() {
            let part = |place: u32| {
                let from = place & !(bit - 1);
                self.blocks(first(from), first(from + bit) - first(from))
            };
            exchange((real(own ^ bit), part(own ^ bit)), (real(own ^ bit), part(own)), steps);
        }
        if is_folded {
            steps.extend([Step::Send(me - 1, self.block(me - 1)), Step::Join]);
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
            let (count, other) = (bit.min(self.n - bit), (me + bit) % self.n);
            exchange(((me + self.n - bit) % self.n, self.blocks(me, count)), (other, self.blocks(other, count)), steps);
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
        if self.is_doubled() {
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

/// Powers of two below a number.
fn powers(n: u32) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
    (0..n.max(1).next_power_of_two().ilog2() as usize).map(|i| 1u32 << i)
}

/// A round: something to one rank, something from one. Nothing is not sent.
fn exchange(to: (u32, u64), from: (u32, u64), steps: &mut Vec<Step>) {
    steps.extend((to.1 > 0).then_some(Step::Send(to.0, to.1)));
    steps.extend((from.1 > 0).then_some(Step::Recv(from.0, from.1)));
    steps.push(Step::Join);
}
