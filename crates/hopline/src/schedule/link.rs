//! Who waits for whom, from what each operation requires.

use super::{BEGUN, END, INDEX, NOBODY, Op, Schedule};

/// Of one rank, while its operations are linked: (earlier, later) by the later one, and where the later ones of each begin.
#[derive(Default)]
struct Edges {
    pairs: Vec<(u32, u32)>,
    begins: Vec<u32>,
    later: Vec<u32>,
    /// Those that one operation requires.
    own: Vec<(u32, u32)>,
}

impl Schedule {
    /// Writes who waits for an operation: `edges` (later, earlier), sorted, and the runs in `required` that operations
    /// name by `first_after`. O(edges).
    pub(super) fn link(&mut self, mut edges: &[(u32, u32)], required: &[u32]) {
        let mut open = Edges::default();
        for rank in 0..self.ranks {
            let own = self.of(0, rank);
            open.pairs.clear();
            for later in own.clone() {
                let given = edges.iter().take_while(|e| e.0 & INDEX == later).count();
                open.gather(&self.ops[later as usize], (later, &edges[..given]), required);
                edges = &edges[given..];
                let needs = open.own.len() as u32;
                self.set_needs(later, needs);
            }
            open.sort(own.start, own.len());
            for op in own.clone() {
                let (from, to) = (open.begins[(op - own.start) as usize], open.begins[(op - own.start) as usize + 1]);
                let before = op.checked_sub(1).filter(|b| own.contains(b));
                self.write(op, &open.later[from as usize..to as usize], before);
            }
        }
    }

    /// Writes who waits for an operation. Those that wait for the one before it too are not written again.
    fn write(&mut self, op: u32, later: &[u32], before: Option<u32>) {
        let same = before.map(|b| self.ops[b as usize].first_after).filter(|&at| self.is_run(at, later));
        self.ops[op as usize].first_after = match (later, same) {
            ([], _) => NOBODY,
            (_, Some(at)) => at,
            _ => {
                let at = self.after.len() as u32;
                self.after.extend(later);
                if let Some(last) = self.after.last_mut() {
                    *last |= END;
                }
                at
            }
        };
    }

    /// Whether a run of `after` has these operations and no others.
    fn is_run(&self, at: u32, ops: &[u32]) -> bool {
        let Some(run) = self.after.get(at as usize..).and_then(|r| r.get(..ops.len())) else { return false };
        let same = run.iter().zip(ops).all(|(a, b)| a & !END == *b);
        same && run.last().is_some_and(|last| last & END != 0)
    }
}

impl Edges {
    /// What one operation requires, each once.
    fn gather(&mut self, op: &Op, (later, given): (u32, &[(u32, u32)]), required: &[u32]) {
        self.own.clear();
        if op.first_after != NOBODY {
            for &word in &required[op.first_after as usize..] {
                self.own.push((word & INDEX, later));
                if word & END != 0 {
                    break;
                }
            }
        }
        self.own.extend(given.iter().map(|&(word, earlier)| (earlier, later | word & BEGUN)));
        if !given.is_empty() {
            self.own.sort_unstable();
            self.own.dedup();
        }
        self.pairs.extend(&self.own);
    }

    /// Sorts by the earlier one of `count` operations from `start` on.
    fn sort(&mut self, start: u32, count: usize) {
        self.begins.clear();
        self.begins.resize(count + 1, 0);
        self.pairs.iter().for_each(|&(earlier, _)| self.begins[(earlier - start) as usize + 1] += 1);
        (0..count).for_each(|i| self.begins[i + 1] += self.begins[i]);
        self.later.resize(self.pairs.len(), 0);
        for &(earlier, later) in &self.pairs {
            let at = &mut self.begins[(earlier - start) as usize];
            self.later[*at as usize] = later;
            *at += 1;
        }
        // Each begin has moved to the end of its own.
        self.begins.copy_within(..count, 1);
        self.begins[0] = 0;
    }
}
