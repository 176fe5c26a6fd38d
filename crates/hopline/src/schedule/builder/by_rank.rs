//! Operations from the order in which they were added to that of their ranks, in place.

use super::Builder;
use crate::schedule::Op;

impl Builder {
    /// Moves every operation to its place, and leaves `place` without meaning. First each goes to its rank, which
    /// moves along as many streams of memory as there are ranks, then to its place there.
    pub(super) fn sort(&mut self, place: &mut [u32], first: &[u32]) {
        let mut next = first.to_vec();
        for (rank, &end) in (0u32..).zip(&first[1..]) {
            while next[rank as usize] < end {
                let at = next[rank as usize];
                let owner = self.ops[at as usize].partner;
                let there = &mut next[owner as usize];
                *there += 1;
                if owner != rank {
                    let there = *there - 1;
                    self.swap(at, there, place);
                }
            }
        }
        for i in 0..place.len() as u32 {
            while place[i as usize] != i {
                self.swap(i, place[i as usize], place);
            }
        }
    }

    #[inline]
    fn swap(&mut self, a: u32, b: u32, place: &mut [u32]) {
        let (a, b) = (a as usize, b as usize);
        self.ops.swap(a, b);
        self.tags.swap(a, b);
        place.swap(a, b);
    }

    /// Where each operation will stand, in order of adding.
    pub(in crate::schedule) fn places(&self) -> Vec<u32> {
        let mut first = vec![0u32; self.ranks as usize + 1];
        self.ops.iter().for_each(|op| first[op.partner as usize + 1] += 1);
        (0..self.ranks as usize).for_each(|r| first[r + 1] += first[r]);
        places(&self.ops, &first)
    }
}

/// Where each operation stands among all, sorted by rank; `first` says where ranks begin.
pub(super) fn places(ops: &[Op], first: &[u32]) -> Vec<u32> {
    let mut next = first.to_vec();
    let mut place = |op: &Op| {
        let at = &mut next[op.partner as usize];
        *at += 1;
        *at - 1
    };
    ops.iter().map(&mut place).collect()
}
