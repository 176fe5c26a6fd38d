//! What each rank does in the algorithms that libraries take ([`super::library`]).

use super::library::{Algorithm, Call};
use super::messages::{Down, Step, Up, tree};

/// A round of halving: who the other is, what is kept, and what the other keeps.
struct Halves {
    other: u32,
    mine: u64,
    theirs: u64,
}

impl Call<'_> {
    /// What rank `me` does.
    pub(super) fn steps(&self, algorithm: Algorithm, me: u32, steps: &mut Vec<Step>) {
        let Call { n, root, bytes, .. } = *self;
        match algorithm {
            Algorithm::Common => {}
            Algorithm::Folded => self.folded(me, steps),
            Algorithm::Twice if self.op == "allreduce" => {
                tree(me, n, 0, bytes, steps, Up);
                tree(me, n, 0, bytes, steps, Down);
            }
            Algorithm::Twice => {
                tree(me, n, 0, self.blocks(0, n), steps, Up);
                if me == 0 {
                    steps.extend((1..n).map(|rank| Step::Send(rank, self.block(rank))));
                } else {
                    steps.push(Step::Recv(0, self.block(me)));
                }
                steps.push(Step::Join);
            }
            Algorithm::Halving => match self.op {
                "allreduce" => self.halving(me, steps),
                "reduce" => self.reduced(me, steps),
                _ => self.halved(me, steps),
            },
            Algorithm::Ring => {
                for step in 1..n {
                    let (mine, theirs) = ((me + n - step) % n, (me + n - step - 1) % n);
                    exchange(((me + 1) % n, self.block(mine)), ((me + n - 1) % n, self.block(theirs)), steps);
                }
            }
            Algorithm::Bruck if self.op == "alltoall" => self.travelling(me, steps),
            Algorithm::Bruck => self.bruck(me, steps),
            Algorithm::Doubling => powers(n).for_each(|bit| {
                let (mine, theirs) = (me & !(bit - 1), (me ^ bit) & !(bit - 1));
                exchange((me ^ bit, self.blocks(mine, bit)), (me ^ bit, self.blocks(theirs, bit)), steps);
            }),
            Algorithm::Tree => self.tree(me, steps),
            Algorithm::Scatter => self.scatter(me, steps),
            Algorithm::Flat if me == root => steps.extend((1..n).map(|k| Step::Send((root + k) % n, bytes))),
            Algorithm::Flat => steps.push(Step::Recv(root, bytes)),
        }
    }

    /// Bytes of so many ranks' blocks from one on, around the end.
    fn blocks(&self, from: u32, count: u32) -> u64 {
        if self.list.is_empty() {
            return self.bytes.saturating_mul(u64::from(count));
        }
        (from..from + count).fold(0, |sum, rank| sum.saturating_add(self.block(rank % self.n)))
    }

    /// The pairs that leave a power of two of ranks.
    fn pairs(&self, parity: u32) -> Pairs {
        Pairs { pairs: self.n - self.most(), parity }
    }

    /// Of as many ranks as a power of two has, the others hand over what they have and get the result.
    fn folded(&self, me: u32, steps: &mut Vec<Step>) {
        let pairs = self.pairs(1);
        let whole = |place: u32| (pairs.rank(place), self.bytes);
        if pairs.drops(me) {
            steps.extend([Step::Send(me + 1, self.bytes), Step::Join, Step::Recv(me + 1, self.bytes), Step::Join]);
            return;
        }
        if pairs.has(me) {
            steps.extend([Step::Recv(me - 1, self.bytes), Step::Join]);
        }
        let own = pairs.place(me);
        powers(self.most()).for_each(|bit| exchange(whole(own ^ bit), whole(own ^ bit), steps));
        if pairs.has(me) {
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

    /// Halves of a vector from round to round, by ranks `own ^ bit` of a power of two. The lower rank keeps the lower half.
    fn halves(&self, own: u32) -> Vec<Halves> {
        let mut kept = self.bytes;
        let round = |bit: u32| {
            let (low, high) = (kept / 2, kept - kept / 2);
            let (mine, theirs) = if own & bit == 0 { (low, high) } else { (high, low) };
            kept = mine;
            Halves { other: own ^ bit, mine, theirs }
        };
        powers(self.most()).map(round).collect()
    }

    /// Of as many ranks as a power of two has, the others hand over what they have and get the result. Open MPI's pairs
    /// share the work: each sends half to the other, which the even one gets back.
    fn halving(&self, me: u32, steps: &mut Vec<Step>) {
        let bytes = self.bytes;
        let shares = self.library == "Open MPI";
        // Of a pair, the even rank goes on where work is shared, the odd one where it is not.
        let pairs = self.pairs(u32::from(!shares));
        let (is_paired, other, goes_on) = (pairs.has(me), me ^ 1, !pairs.drops(me));
        if is_paired && shares {
            let (low, high) = (bytes / 2, bytes - bytes / 2);
            let (mine, theirs) = if goes_on { (high, low) } else { (low, high) };
            exchange((other, mine), (other, theirs), steps);
            steps.extend([if goes_on { Step::Recv(other, high) } else { Step::Send(other, high) }, Step::Join]);
        } else if is_paired {
            steps.extend([if goes_on { Step::Recv(other, bytes) } else { Step::Send(other, bytes) }, Step::Join]);
        }
        if goes_on {
            let rounds = self.halves(pairs.place(me));
            for &Halves { other, mine, theirs } in &rounds {
                exchange((pairs.rank(other), theirs), (pairs.rank(other), mine), steps);
            }
            for &Halves { other, mine, theirs } in rounds.iter().rev() {
                exchange((pairs.rank(other), mine), (pairs.rank(other), theirs), steps);
            }
        }
        if is_paired {
            steps.extend([if goes_on { Step::Send(other, bytes) } else { Step::Recv(other, bytes) }, Step::Join]);
        }
    }

    /// A reduction by halving; then each half goes to the side of the root. Of the ranks beyond a power of two odd ones
    /// hand over what they have; where the root is one of them it takes the first rank's place in the end.
    fn reduced(&self, me: u32, steps: &mut Vec<Step>) {
        let Call { root, bytes, .. } = *self;
        let pairs = self.pairs(0);
        if pairs.drops(me) {
            steps.extend([Step::Send(me - 1, bytes), Step::Join]);
        } else if pairs.has(me) {
            steps.extend([Step::Recv(me + 1, bytes), Step::Join]);
        }
        let replaced = pairs.drops(root);
        let own = match pairs.drops(me) {
            false => pairs.place(me),
            true if me == root => 0,
            true => return,
        };
        let rounds = self.halves(own);
        if !pairs.drops(me) {
            for &Halves { other, mine, theirs } in &rounds {
                exchange((pairs.rank(other), theirs), (pairs.rank(other), mine), steps);
            }
        }
        if replaced && own == 0 {
            let part = rounds.last().map_or(bytes, |round| round.mine);
            if me != root {
                steps.extend([Step::Send(root, part), Step::Join]);
                return;
            }
            steps.extend([Step::Recv(pairs.rank(0), part), Step::Join]);
        }
        let end = if replaced { 0 } else { pairs.place(root) };
        let real = |place: u32| if replaced && place == 0 { root } else { pairs.rank(place) };
        for (bit, &Halves { other, mine, theirs }) in powers(self.most()).zip(&rounds).rev() {
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
        let pairs = self.pairs(1);
        if pairs.drops(me) {
            let (all, own) = (self.blocks(0, self.n), self.block(me));
            steps.extend([Step::Send(me + 1, all), Step::Join, Step::Recv(me + 1, own), Step::Join]);
            return;
        }
        if pairs.has(me) {
            steps.extend([Step::Recv(me - 1, self.blocks(0, self.n)), Step::Join]);
        }
        let own = pairs.place(me);
        // The first block of a place: a pair has two.
        let first = |place: u32| self.pairs(0).rank(place);
        for bit in powers(self.most()).rev() {
            let part = |place: u32| {
                let from = place & !(bit - 1);
                self.blocks(first(from), first(from + bit) - first(from))
            };
            let other = pairs.rank(own ^ bit);
            exchange((other, part(own ^ bit)), (other, part(own)), steps);
        }
        if pairs.has(me) {
            steps.extend([Step::Send(me - 1, self.block(me - 1)), Step::Join]);
        }
    }

    /// The blocks whose way has a bit go so far on together.
    fn travelling(&self, me: u32, steps: &mut Vec<Step>) {
        for bit in powers(self.n) {
            let blocks = (0..self.n).filter(|algorithm| algorithm & bit != 0).count() as u64;
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

/// Of the first ranks of a number that is no power of two, two make a pair, so that so many are left: of each pair the one
/// of this parity goes on.
struct Pairs {
    pairs: u32,
    parity: u32,
}

impl Pairs {
    /// True for ranks of a pair.
    fn has(&self, rank: u32) -> bool {
        rank < 2 * self.pairs
    }

    /// True for ranks of a pair whose other goes on.
    fn drops(&self, rank: u32) -> bool {
        self.has(rank) && rank % 2 != self.parity
    }

    /// The place of a rank, or of its pair, among those that go on.
    fn place(&self, rank: u32) -> u32 {
        if self.has(rank) { rank / 2 } else { rank - self.pairs }
    }

    /// The rank that goes on at a place.
    fn rank(&self, place: u32) -> u32 {
        if place < self.pairs { 2 * place + self.parity } else { place + self.pairs }
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
