//! Who talks to whom, where every task has one partner.

use crate::demand::Demand;

/// Every task sends to one task, or (a scatter) receives from one. A task that
/// the demand does not name is its own partner.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Partners {
    /// Per task: whom it sends to, or whom it receives from.
    pub(super) of: Vec<u32>,
    /// True where tasks receive from their partner.
    pub(super) scatter: bool,
}

impl Partners {
    /// The partners of a demand, or `None` where a task sends to several and
    /// receives from several. O(tasks).
    pub(super) fn new(demand: &Demand) -> Option<Partners> {
        if demand.pairs() > u64::from(demand.tasks()) {
            return None;
        }
        [false, true].into_iter().find_map(|scatter| {
            let mut partner = vec![None; demand.tasks() as usize];
            let mut one = true;
            demand.each_pair(|from, to, _| {
                let (task, other) = if scatter { (to, from) } else { (from, to) };
                one &= partner[task as usize].replace(other).is_none();
            });
            let of = partner.iter().enumerate().map(|(t, p)| p.unwrap_or(t as u32)).collect();
            one.then_some(Partners { of, scatter })
        })
    }

    /// The message of a task: sender and receiver.
    pub(super) fn message(&self, task: u32) -> (u32, u32) {
        let other = self.of[task as usize];
        if self.scatter { (other, task) } else { (task, other) }
    }

    /// The cycles of the permutation, longest first, or `None` where it is none.
    pub(super) fn cycles(&self) -> Option<Vec<Vec<u32>>> {
        let mut seen = vec![false; self.of.len()];
        for &p in &self.of {
            if std::mem::replace(&mut seen[p as usize], true) {
                return None;
            }
        }
        let mut cycles = Vec::new();
        for first in 0..self.of.len() as u32 {
            if !seen[first as usize] {
                continue;
            }
            let mut cycle = Vec::new();
            let mut at = first;
            while std::mem::replace(&mut seen[at as usize], false) {
                cycle.push(at);
                at = self.of[at as usize];
            }
            cycles.push(cycle);
        }
        cycles.sort_by_key(|c| std::cmp::Reverse(c.len()));
        Some(cycles)
    }

    /// Most messages that one task exchanges with others as the partner of many.
    pub(super) fn most(&self) -> u32 {
        let mut count = vec![0; self.of.len()];
        self.of.iter().enumerate().filter(|(t, p)| *t as u32 != **p).for_each(|(_, &p)| count[p as usize] += 1);
        count.into_iter().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Unit;

    fn partners(pairs: &[(u32, u32)]) -> Option<Partners> {
        let entries = pairs.iter().map(|&(a, b)| (a, b, 1.0)).collect();
        Partners::new(&Demand::new(5, Unit::Units, entries, Vec::new()).expect("demand"))
    }

    #[test]
    fn gathers_scatters_and_cycles_are_seen() {
        let permutation = partners(&[(0, 2), (2, 4), (4, 0), (1, 1)]).expect("permutation");
        assert_eq!(permutation.cycles(), Some(vec![vec![0, 2, 4], vec![1], vec![3]]));
        assert_eq!((permutation.most(), permutation.message(2)), (1, (2, 4)));
        let gather = partners(&[(0, 0), (1, 0), (2, 0)]).expect("gather");
        assert_eq!((gather.cycles(), gather.most(), gather.scatter), (None, 2, false));
        let scatter = partners(&[(0, 3), (0, 1), (0, 2)]).expect("scatter");
        assert_eq!((scatter.most(), scatter.scatter, scatter.message(2)), (3, true, (0, 2)));
        assert_eq!(partners(&[(0, 3), (0, 1), (1, 3)]), None);
    }
}
