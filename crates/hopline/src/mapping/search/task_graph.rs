//! Who sends to whom, task by task: what a moved task takes along.

use crate::demand::Demand;

/// Traffic of a task with one other task, both ways.
#[derive(Debug, Clone, Copy)]
pub(in crate::mapping) struct Pair {
    /// The other task.
    pub(in crate::mapping) peer: u32,
    /// What the task sends to it.
    pub(in crate::mapping) out: f64,
    /// What the task gets from it.
    pub(in crate::mapping) back: f64,
}

/// The demand as a graph of tasks; blocks are expanded.
pub(in crate::mapping) struct TaskGraph {
    /// `pairs[first[t]..first[t + 1]]` are those of task t.
    first: Vec<u32>,
    pairs: Vec<Pair>,
}

impl TaskGraph {
    /// Every pair of different tasks that talk, each seen from both ends; `None`
    /// where the demand names more than `most` pairs. O(pairs log peers of a task).
    pub(in crate::mapping) fn new(demand: &Demand, most: u64) -> Option<TaskGraph> {
        if demand.pairs() > most {
            return None;
        }
        let mut rows: Vec<Vec<Pair>> = vec![Vec::new(); demand.tasks() as usize];
        demand.each_pair(|from, to, amount| {
            if from != to {
                rows[from as usize].push(Pair { peer: to, out: amount, back: 0.0 });
                rows[to as usize].push(Pair { peer: from, out: 0.0, back: amount });
            }
        });
        let mut graph = TaskGraph { first: vec![0], pairs: Vec::new() };
        for mut row in rows {
            row.sort_by_key(|p| p.peer);
            row.dedup_by(|next, kept| {
                let same = next.peer == kept.peer;
                if same {
                    kept.out += next.out;
                    kept.back += next.back;
                }
                same
            });
            graph.pairs.append(&mut row);
            graph.first.push(graph.pairs.len() as u32);
        }
        Some(graph)
    }

    /// Number of tasks.
    pub(in crate::mapping) fn tasks(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    /// Those with whom a task talks, in ascending order.
    #[inline]
    pub(in crate::mapping) fn of(&self, task: u32) -> &[Pair] {
        &self.pairs[self.first[task as usize] as usize..self.first[task as usize + 1] as usize]
    }

    /// The most that one task sends to another.
    pub(in crate::mapping) fn heaviest(&self) -> f64 {
        self.pairs.iter().map(|p| p.out).fold(0.0, f64::max)
    }

    /// Most tasks that one talks to.
    pub(in crate::mapping) fn most_peers(&self) -> usize {
        self.first.windows(2).map(|w| (w[1] - w[0]) as usize).max().unwrap_or(0)
    }
}
