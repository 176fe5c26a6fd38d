//! Traffic of other traffic with its tasks elsewhere.

use super::combine::{ONE, inside, one};
use super::{Context, Pattern, Traffic, slots};
use crate::demand::{Block, Demand, TaskSet};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_text};
use crate::format::matrix::MAX_TASKS;
use crate::format::placement::{self, Placed, Target};
use crate::params::{Params, Reader};
use crate::rng::Rng;

pub(super) const PERMUTE: Entry = Entry {
    name: "permute",
    summary: "a demand with its tasks renumbered",
    doc: "Task t becomes task p(t), in place of which nobody else comes: reverse is p(t) = n-1-t, random any order alike, \
          file:PATH has p(t) on its t-th line, or `t p(t)` on any. The task grid is lost.",
    example: "permute:of=halo,by=reverse",
    params: &[ONE, param("by", "reverse|random|file:PATH", "", "the new numbers"), SEED],
};

pub(super) const SUBSET: Entry = Entry {
    name: "subset",
    summary: "a demand on some tasks of a larger job, whose others are silent",
    doc: "The n tasks of a demand become tasks of a job of N = of_tasks: first is task t, stride task t*floor(N/n), random n \
          of the N tasks in ascending order. Summed, several of them are jobs side by side or phases of one job. The task \
          grid is lost.",
    example: "subset:of=[workload:testdata/workloads/gpt-tiny-16.txt],of_tasks=64",
    params: &[
        ONE,
        param("of_tasks", "count", "one per slot", "tasks of the larger job"),
        param("at", "first|stride|random", "first", "which of them"),
        SEED,
    ],
};

const SEED: Param = param("seed", "count", "0", "of the random choice");

/// New numbers of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Order {
    /// Task t of n becomes n-1-t.
    Reverse,
    /// Any order alike, drawn from a seed.
    Random(u64),
    /// Those of a file, with their path.
    File(String, Vec<u32>),
}

/// A demand with its tasks renumbered: see the list.
#[derive(Debug, Clone)]
pub struct Permute {
    of: Box<Pattern>,
    by: Order,
}

impl Permute {
    /// Task t becomes the task that `by` says.
    pub fn new(of: impl Into<Pattern>, by: Order) -> Permute {
        Permute { of: Box::new(of.into()), by }
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Permute> {
        let by: String = reader.need("by")?;
        let seed = reader.or("seed", 0)?;
        let order = match by.as_str() {
            "reverse" => Order::Reverse,
            "random" => Order::Random(seed),
            _ => match by.strip_prefix("file:") {
                Some(path) => Order::File(path.to_string(), Vec::new()),
                None => {
                    let text = format!("`by` is `{by}`, expected reverse, random or file:PATH");
                    return Err(Error::argument("by", text).hint("file:PATH has a number a line"));
                }
            },
        };
        let of = one(reader, context)?;
        let order = match order {
            Order::File(path, _) => Order::File(path.clone(), read_places(&path, context.files)?),
            other => other,
        };
        Ok(Permute::new(of, order))
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(PERMUTE.name).with("of", &self.of.to_string()[..]);
        match &self.by {
            Order::Reverse => params.with("by", "reverse"),
            Order::Random(seed) => params.with("by", "random").unless("seed", *seed, 0),
            Order::File(path, _) => params.with("by", &format!("file:{path}")[..]),
        }
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let Traffic { demand, notes } = self.of.traffic().map_err(inside)?;
        let mut places: Vec<u32> = (0..demand.tasks()).collect();
        match self.by {
            Order::Reverse => places.reverse(),
            Order::Random(seed) => Rng::new(seed, "permute").shuffle(&mut places),
            Order::File(path, given) => {
                check_places(&path, &given, demand.tasks())?;
                places = given;
            }
        }
        Ok(Traffic { demand: moved(&demand, demand.tasks(), &places)?, notes })
    }
}

/// Which tasks of a larger job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The first.
    First,
    /// Every so many.
    Stride,
    /// Any, drawn from a seed.
    Random(u64),
}

/// A demand on some tasks of a larger job: see the list.
#[derive(Debug, Clone)]
pub struct Subset {
    of: Box<Pattern>,
    tasks: u32,
    at: Which,
}

impl Subset {
    /// On those of `tasks` tasks that `at` says.
    pub fn new(of: impl Into<Pattern>, tasks: u32, at: Which) -> Subset {
        Subset { of: Box::new(of.into()), tasks, at }
    }

    pub(super) fn read(reader: &Reader, context: &Context<'_>) -> Result<Subset> {
        let tasks = reader.get("of_tasks")?.map_or_else(|| slots(context, "of_tasks"), Ok)?;
        let at = reader.choice("at", &["first", "stride", "random"])?;
        let seed = reader.or("seed", 0)?;
        Ok(Subset::new(one(reader, context)?, tasks, [Which::First, Which::Stride, Which::Random(seed)][at]))
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(SUBSET.name).with("of", &self.of.to_string()[..]).with("of_tasks", self.tasks);
        match self.at {
            Which::First => params,
            Which::Stride => params.with("at", "stride"),
            Which::Random(seed) => params.with("at", "random").unless("seed", seed, 0),
        }
    }

    pub(super) fn make(self) -> Result<Traffic> {
        let Traffic { demand, notes } = self.of.traffic().map_err(inside)?;
        let (n, tasks) = (demand.tasks(), self.tasks);
        if tasks < n || tasks > MAX_TASKS {
            let text = format!("`of_tasks` is {tasks}, expected {n} to {MAX_TASKS}");
            return Err(Error::argument("of_tasks", text));
        }
        let stride = tasks.checked_div(n).unwrap_or(1);
        let places: Vec<u32> = match self.at {
            Which::First => (0..n).collect(),
            Which::Stride => (0..n).map(|t| t * stride).collect(),
            Which::Random(seed) => {
                let mut rng = Rng::new(seed, "subset");
                rng.sample(n as usize, tasks as usize).into_iter().map(|t| t as u32).collect()
            }
        };
        Ok(Traffic { demand: moved(&demand, tasks, &places)?, notes })
    }
}

/// The demand in a job of `tasks`, with task t at `places[t]`, no two at one.
fn moved(demand: &Demand, tasks: u32, places: &[u32]) -> Result<Demand> {
    let at = |task: u32| places.get(task as usize).copied().unwrap_or(u32::MAX);
    let entries = demand.entries().iter().map(|&(from, to, amount)| (at(from), at(to), amount)).collect();
    let set = |tasks: &TaskSet| TaskSet::sorted(tasks.iter().map(at).collect());
    let blocks = demand.blocks().iter();
    let blocks = blocks.map(|b| Block { sources: set(&b.sources), destinations: set(&b.destinations), ..b.clone() });
    Demand::new(tasks, demand.unit(), entries, blocks.collect())
}

/// The new numbers of a file, in the order of its lines.
fn read_places(path: &str, files: &dyn Files) -> Result<Vec<u32>> {
    let placement = placement::parse(path, read_text(files, path)?)?;
    let n = placement.tasks();
    let wrong = |line, message: String| Error::input(message).at(&Place::new(path, line)).hint(once(n));
    let mut taken = vec![false; n as usize];
    let number = |Placed { target, line }: Placed<'_>| match target {
        Target::Slot(place) => match taken.get_mut(place as usize).map(|taken| std::mem::replace(taken, true)) {
            Some(false) => Ok(place),
            Some(true) => Err(wrong(line, format!("two tasks become task {place}"))),
            None => Err(wrong(line, format!("task {place} is outside the {n} tasks"))),
        },
        Target::Host { name, .. } => Err(wrong(line, format!("found `{name}`, expected a task"))),
    };
    placement.iter().map(number).collect()
}

/// Refuses new numbers of more or fewer tasks than there are, or that are no order.
fn check_places(path: &str, places: &[u32], n: u32) -> Result<()> {
    let wrong = |message: String| Err(Error::input(message).at(&Place::new(path, 0)).hint(once(n)));
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    match sorted.iter().copied().eq(0..n) {
        _ if places.len() != n as usize => wrong(format!("{} tasks, expected {n}", places.len())),
        true => Ok(()),
        false => wrong("the numbers are no order of the tasks".into()),
    }
}

fn once(n: u32) -> String {
    format!("it must have the numbers 0 to {} once each", n.saturating_sub(1))
}
