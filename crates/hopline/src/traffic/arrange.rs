//! Traffic of other traffic with its tasks elsewhere.

use super::combine::{ONE, one};
use super::{Context, Traffic};
use crate::demand::{Block, Demand, TaskSet};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_text};
use crate::format::matrix::MAX_TASKS;
use crate::format::placement::{self, Target};
use crate::params::Reader;
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

pub(super) fn permute(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let by: String = reader.need("by")?;
    let seed = reader.or("seed", 0)?;
    let wrong = || {
        reader
            .wrong("by", format!("`by` is `{by}`, expected reverse, random or file:PATH"))
            .hint("file:PATH has a number a line")
    };
    if !matches!(by.as_str(), "reverse" | "random") && !by.starts_with("file:") {
        return Err(wrong());
    }
    let Traffic { demand, notes } = one(reader, context)?;
    let mut places: Vec<u32> = (0..demand.tasks()).collect();
    match by.strip_prefix("file:") {
        Some(path) => places = read_places(path, demand.tasks(), context.files)?,
        None if by == "reverse" => places.reverse(),
        None => Rng::new(seed, "permute").shuffle(&mut places),
    }
    Ok(Traffic { demand: moved(&demand, demand.tasks(), &places)?, notes })
}

pub(super) fn subset(reader: &Reader, context: &Context<'_>) -> Result<Traffic> {
    let tasks: u32 = reader.or("of_tasks", context.slots)?;
    let at = reader.choice("at", &["first", "stride", "random"])?;
    let seed = reader.or("seed", 0)?;
    let Traffic { demand, notes } = one(reader, context)?;
    let n = demand.tasks();
    if tasks < n || tasks > MAX_TASKS {
        return Err(reader.wrong("of_tasks", format!("`of_tasks` is {tasks}, expected {n} to {MAX_TASKS}")));
    }
    let stride = tasks.checked_div(n).unwrap_or(1);
    let places: Vec<u32> = match at {
        0 => (0..n).collect(),
        1 => (0..n).map(|t| t * stride).collect(),
        _ => Rng::new(seed, "subset").sample(n as usize, tasks as usize).into_iter().map(|t| t as u32).collect(),
    };
    Ok(Traffic { demand: moved(&demand, tasks, &places)?, notes })
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

/// A permutation of `0..n` from a file.
fn read_places(path: &str, n: u32, files: &dyn Files) -> Result<Vec<u32>> {
    let placed = placement::parse(path, &read_text(files, path)?)?;
    let wrong = |line, message: String| {
        Err(Error::input(message)
            .at(&Place::new(path, line))
            .hint(format!("it must have the numbers 0 to {} once each", n.saturating_sub(1))))
    };
    if placed.len() != n as usize {
        return wrong(0, format!("{} tasks, expected {n}", placed.len()));
    }
    let mut taken = vec![false; n as usize];
    let mut places = Vec::with_capacity(placed.len());
    for p in placed {
        match p.target {
            Target::Slot(place) => match taken.get_mut(place as usize) {
                Some(taken) if !*taken => {
                    *taken = true;
                    places.push(place);
                }
                Some(_) => return wrong(p.line, format!("two tasks become task {place}")),
                None => return wrong(p.line, format!("task {place} is outside the {n} tasks")),
            },
            Target::Host { name, .. } => return wrong(p.line, format!("found `{name}`, expected a task")),
        }
    }
    Ok(places)
}
