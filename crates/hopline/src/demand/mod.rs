//! [`Demand`]: who sends how much to whom, in tasks.
//!
//! A demand has sorted sparse entries and *uniform blocks*: every task of one
//! set sends the same amount to every task of another. Patterns emit blocks, so
//! an all-to-all of 65,536 tasks is one block and Transpose on a P x Q grid is
//! P + Q of them; nothing ever expands them into pairs of tasks.

mod flows;
mod hosts_apart;

pub(crate) use flows::spread;
pub use flows::{Flow, FlowBlock, Flows};

use crate::error::{Error, Result};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// What amounts are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Parts of the one unit that a task sends (patterns).
    Units,
    /// Bytes of a measured or planned run (matrices).
    Bytes,
}

/// The grid in which a job arranges its tasks, row-major: the last size runs
/// fastest, as in `MPI_Cart_create` and in the PERCS paper (rank = i*Q + j).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// Tasks along each dimension.
    pub sizes: Vec<u32>,
    /// True where the ends of each dimension are neighbours.
    pub wrap: bool,
}

impl Grid {
    /// Number of tasks, or `None` where it does not fit 32 bits.
    pub fn tasks(&self) -> Option<u32> {
        self.sizes.iter().try_fold(1u32, |n, &s| n.checked_mul(s))
    }

    /// Visits the neighbours of a task, one per direction that exists, the last
    /// dimension first. O(dimensions).
    pub fn neighbours(&self, task: u32, mut visit: impl FnMut(u32)) {
        let mut stride = 1;
        for &size in self.sizes.iter().rev() {
            let x = task / stride % size;
            let at = |x: u32| task / (stride * size) * (stride * size) + x * stride + task % stride;
            if size > 1 && (self.wrap || x + 1 < size) {
                visit(at((x + 1) % size));
            }
            if size > 1 && (self.wrap || x > 0) {
                visit(at((x + size - 1) % size));
            }
            stride *= size;
        }
    }
}

/// A set of tasks, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskSet {
    /// `first, first + step, ...`: `count` tasks.
    Range {
        /// The first task.
        first: u32,
        /// How many.
        count: u32,
        /// From one to the next.
        step: u32,
    },
    /// Any tasks, without repetition.
    List(Vec<u32>),
}

impl TaskSet {
    /// All tasks below `tasks`.
    pub fn all(tasks: u32) -> Self {
        TaskSet::Range { first: 0, count: tasks, step: 1 }
    }

    /// Any tasks in ascending order, as a range where they are one: inside a
    /// uniform block order means nothing, and a range is quick to search.
    pub fn sorted(mut tasks: Vec<u32>) -> Self {
        tasks.sort_unstable();
        let step = match tasks[..] {
            [first, second, ..] => second - first,
            _ => 1,
        };
        match tasks.first() {
            Some(&first) if tasks.windows(2).all(|w| matches!(*w, [a, b] if b - a == step)) => {
                TaskSet::Range { first, count: tasks.len() as u32, step }
            }
            _ => TaskSet::List(tasks),
        }
    }

    /// Number of tasks.
    pub fn len(&self) -> u32 {
        match self {
            TaskSet::Range { count, .. } => *count,
            TaskSet::List(tasks) => tasks.len() as u32,
        }
    }

    /// True where it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The i-th task.
    pub fn get(&self, i: u32) -> u32 {
        match self {
            TaskSet::Range { first, step, .. } => first + i * step,
            TaskSet::List(tasks) => tasks[i as usize],
        }
    }

    /// The tasks in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// How many tasks of `others` are in the set: O(n log n).
    fn count_common(&self, others: &TaskSet) -> usize {
        let TaskSet::List(tasks) = self else { return others.iter().filter(|&t| self.contains(t)).count() };
        let mut sorted = tasks.clone();
        sorted.sort_unstable();
        others.iter().filter(|t| sorted.binary_search(t).is_ok()).count()
    }

    /// True where the task is in the set: O(1) for a range, O(len) for a list.
    pub fn contains(&self, task: u32) -> bool {
        match self {
            TaskSet::Range { first, count, step } => {
                task >= *first && (task - first).is_multiple_of(*step) && (task - first) / step < *count
            }
            TaskSet::List(tasks) => tasks.contains(&task),
        }
    }
}

/// Every source sends `amount` to every destination.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// The senders.
    pub sources: TaskSet,
    /// The receivers.
    pub destinations: TaskSet,
    /// Amount from each sender to each receiver.
    pub amount: f64,
    /// Whether a task that is in both sets sends to itself; what it does costs
    /// no link but counts among what it sends.
    pub to_self: bool,
}

/// Who sends how much to whom: see the [module](self).
///
/// ```
/// use hopline::demand::{Block, Demand, TaskSet, Unit};
///
/// // Task 0 tells everybody, among whom all exchange.
/// let all = TaskSet::all(1000);
/// let exchange = Block { sources: all.clone(), destinations: all, amount: 8.0, to_self: false };
/// let demand = Demand::new(1000, Unit::Bytes, vec![(0, 1, 100.0), (0, 2, 100.0)], vec![exchange])?;
/// assert_eq!(demand.total(), 200.0 + 8.0 * 1000.0 * 999.0);
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    tasks: u32,
    unit: Unit,
    grid: Option<Grid>,
    /// Sorted by sender, then receiver; no pair twice; amounts positive.
    entries: Vec<(u32, u32, f64)>,
    blocks: Vec<Block>,
    axes: Arc<[Axis]>,
}

/// What the groups along one axis of a parallel job send.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Its short name: `tp`, `dp`.
    pub name: String,
    /// Ranks of a group.
    pub ranks: u32,
    /// What all groups send.
    pub demand: Demand,
}

impl Demand {
    /// A demand of as many tasks as there are rows: `rows[i][j]` bytes from task i to task j. O(tasks^2).
    ///
    /// ```
    /// use hopline::demand::Demand;
    ///
    /// let demand = Demand::from_rows(&[[0.0, 100.0], [50.0, 0.0]])?;
    /// assert_eq!(demand.entries(), [(0, 1, 100.0), (1, 0, 50.0)]);
    /// assert!(Demand::from_rows(&[vec![0.0], vec![1.0]]).is_err());
    /// # Ok::<(), hopline::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// A row has not as many columns as there are rows, or an amount is negative or not finite.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Demand> {
        let tasks = rows.len();
        let mut entries = Vec::new();
        for (row, from) in rows.iter().zip(0u32..) {
            let row = row.as_ref();
            if row.len() != tasks {
                return Err(Error::input(format!("row {from} has {} columns, expected {tasks}", row.len())));
            }
            let to = (0u32..).zip(row).filter(|(_, amount)| **amount != 0.0);
            entries.extend(to.map(|(to, &amount)| (from, to, amount)));
        }
        Demand::new(tasks as u32, Unit::Bytes, entries, Vec::new())
    }

    /// A demand of `tasks` tasks. Entries of one pair are added up in the given
    /// order; zeros are dropped. O(entries log entries).
    ///
    /// # Errors
    /// A task that is not there, or an amount that is negative or not finite.
    pub fn new(tasks: u32, unit: Unit, mut entries: Vec<(u32, u32, f64)>, blocks: Vec<Block>) -> Result<Demand> {
        for &(from, to, amount) in &entries {
            if from >= tasks || to >= tasks {
                return Err(Error::input(format!("{from} -> {to} is outside the {tasks} tasks")));
            }
            if !amount.is_finite() || amount < 0.0 {
                return Err(Error::input(format!("{from} -> {to} sends {amount}, expected a positive amount")));
            }
        }
        for block in &blocks {
            if block.sources.iter().chain(block.destinations.iter()).any(|t| t >= tasks) {
                return Err(Error::input(format!("a block reaches outside the {tasks} tasks")));
            }
            if !block.amount.is_finite() || block.amount < 0.0 {
                return Err(Error::input(format!("a block sends {}, expected a positive amount", block.amount)));
            }
        }
        entries.sort_by_key(|&(from, to, _)| (from, to));
        entries.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        entries.retain(|e| e.2 > 0.0);
        let blocks = blocks
            .into_iter()
            .filter(|b| b.amount > 0.0 && !b.sources.is_empty() && !b.destinations.is_empty())
            .collect();
        Ok(Demand { tasks, unit, grid: None, entries, blocks, axes: Arc::default() })
    }

    /// The same demand with the grid in which the job arranges its tasks.
    #[must_use]
    pub fn with_grid(mut self, grid: Grid) -> Self {
        self.grid = Some(grid);
        self
    }

    /// The same demand with what each axis of a parallel job has of it.
    #[must_use]
    pub fn with_axes(mut self, axes: Vec<Axis>) -> Self {
        self.axes = axes.into();
        self
    }

    /// What each axis of a parallel job has of it; empty for other jobs.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Number of tasks.
    pub fn tasks(&self) -> u32 {
        self.tasks
    }

    /// What amounts are counted in.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The job's grid, where it is known.
    pub fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    /// Sparse entries (sender, receiver, amount), sorted, no pair twice.
    pub fn entries(&self) -> &[(u32, u32, f64)] {
        &self.entries
    }

    /// Uniform blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// What all tasks send together, to themselves included.
    pub fn total(&self) -> f64 {
        let sparse: f64 = self.entries.iter().map(|e| e.2).sum();
        let uniform: f64 = self
            .blocks
            .iter()
            .map(|b| {
                let pairs = f64::from(b.sources.len()) * f64::from(b.destinations.len());
                let own = if b.to_self { 0 } else { b.destinations.count_common(&b.sources) };
                (pairs - own as f64) * b.amount
            })
            .sum();
        // An empty sum of floats is -0.
        0.0 + sparse + uniform
    }

    /// Mean amount that a task sends, to itself included.
    pub fn mean_sent(&self) -> f64 {
        if self.tasks == 0 { 0.0 } else { self.total() / f64::from(self.tasks) }
    }

    /// Number of ordered pairs of tasks that it names, blocks expanded.
    pub fn pairs(&self) -> u64 {
        let uniform = |b: &Block| u64::from(b.sources.len()) * u64::from(b.destinations.len());
        self.entries.len() as u64 + self.blocks.iter().map(uniform).sum::<u64>()
    }

    /// Every (sender, receiver, amount) with blocks expanded: O(pairs). For
    /// tests and for algorithms on sparse demands.
    pub fn each_pair(&self, mut visit: impl FnMut(u32, u32, f64)) {
        self.entries.iter().for_each(|&(from, to, amount)| visit(from, to, amount));
        for b in &self.blocks {
            for from in b.sources.iter() {
                for to in b.destinations.iter() {
                    if from != to || b.to_self {
                        visit(from, to, b.amount);
                    }
                }
            }
        }
    }
}
