//! Mappings that only order tasks: default, random, row, column, hybrid.

use super::{Context, Mapping, Problem, Strategy};
use crate::demand::Grid;
use crate::entry::Entry;
use crate::error::Result;
use crate::event::Event;
use crate::files::Files;
use crate::params::{Params, Reader};

pub(super) const DEFAULT: Entry = Entry {
    name: "default",
    summary: "task r in the r-th slot of the allocation, as launchers do",
    doc: "Fills host after host in the order of the allocation. A grid as large as the torus, whose ranks run along other \
          axes than the numbers of its nodes (the last dimension of a grid is fastest, dimension 0 of a torus), is not \
          turned: a note says so, and which mapping lays it along the axes.",
    example: "default",
    params: &[],
};

pub(super) const RANDOM: Entry = Entry {
    name: "random",
    summary: "tasks in random slots of the allocation",
    doc: "Every injection of tasks into slots is equally likely; --seed chooses it.",
    example: "random",
    params: &[],
};

pub(super) const ROW: Entry = Entry {
    name: "row",
    summary: "task grid: row by row into the slots",
    doc: "Consecutive row-major ranks in consecutive slots: whole rows stay together.\n\
          Source: the PERCS mapping paper, section IV-D.",
    example: "row",
    params: &[],
};

pub(super) const COLUMN: Entry = Entry {
    name: "column",
    summary: "task grid: column by column into the slots",
    doc: "Consecutive column-major ranks in consecutive slots: whole columns stay together.\n\
          Source: the PERCS mapping paper, section IV-D.",
    example: "column",
    params: &[],
};

pub(super) const HYBRID: Entry = Entry {
    name: "hybrid",
    summary: "task grid: the better of row and column",
    doc: "Evaluates both and keeps the one with the less busy hottest link; row where they are equal. (The paper chooses \
          by grid size.)\nSource: the PERCS mapping paper, section IV-D.",
    example: "hybrid",
    params: &[],
};

/// An order of tasks, laid into the slots of the allocation: see the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Task r in the r-th slot, as launchers do.
    Default,
    /// Random slots.
    Random,
    /// Row by row of the task grid.
    Row,
    /// Column by column of the task grid.
    Column,
    /// The better of row and column.
    Hybrid,
}

pub(super) fn read(entry: &'static Entry, _: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(match entry.name {
        "random" => Order::Random,
        "row" => Order::Row,
        "column" => Order::Column,
        "hybrid" => Order::Hybrid,
        _ => Order::Default,
    }))
}

impl Strategy for Order {
    fn params(&self) -> Params {
        Params::named(match self {
            Order::Default => DEFAULT.name,
            Order::Random => RANDOM.name,
            Order::Row => ROW.name,
            Order::Column => COLUMN.name,
            Order::Hybrid => HYBRID.name,
        })
    }

    fn is_random(&self) -> bool {
        matches!(self, Order::Random)
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let tasks = problem.tasks() as usize;
        let in_order = || Mapping::new(problem.slots()[..tasks].to_vec(), problem.fabric());
        match self {
            Order::Default => {
                if let Some(note) = crosses_axes(problem) {
                    context.observer.event(Event::Note(note));
                }
                in_order()
            }
            Order::Random => {
                let mut slots = problem.slots().to_vec();
                context.rng.shuffle(&mut slots);
                slots.truncate(tasks);
                Mapping::new(slots, problem.fabric())
            }
            Order::Row => problem.grid("row").and_then(|_| in_order()),
            Order::Column => by_columns(problem, problem.grid("column")?),
            Order::Hybrid => {
                let (row, column) = (in_order()?, by_columns(problem, problem.grid("hybrid")?)?);
                Ok(if problem.score(&column)?.is_better(&problem.score(&row)?) { column } else { row })
            }
        }
    }
}

/// What to say of a grid that would fit the whole torus axis by axis and, in
/// task order, runs along others.
fn crosses_axes(problem: &Problem<'_>) -> Option<String> {
    let (grid, extents) = (problem.demand().grid()?, problem.fabric().coordinates()?);
    let nodes = problem.fabric().endpoints() as usize;
    let long = |sizes: &[u32]| sizes.iter().copied().filter(|&size| size > 1).collect::<Vec<u32>>();
    let (sizes, mut axes) = (long(&grid.sizes), long(extents));
    let mut sorted = (sizes.clone(), axes.clone());
    sorted.0.sort_unstable();
    sorted.1.sort_unstable();
    axes.reverse();
    // One task in each node, in the order of their numbers.
    let whole = problem.tasks() as usize == nodes && problem.slots().len() == nodes;
    if !whole || sorted.0 != sorted.1 || sizes == axes {
        return None;
    }
    let text = |sizes: &[u32]| sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
    let turned = axes.iter().rev().eq(&sizes);
    Some(format!(
        "the grid {} would fit the torus {} but runs across its axes in task order: ranks count along the last dimension of the \
         grid, nodes along the first of the torus; mapping `{}` lays it along them",
        text(&grid.sizes),
        text(extents),
        if turned { "column" } else { "fold" }
    ))
}

fn by_columns(problem: &Problem<'_>, grid: &Grid) -> Result<Mapping> {
    let slots = (0..problem.tasks()).map(|rank| problem.slots()[column_major(rank, &grid.sizes) as usize]);
    Mapping::new(slots.collect(), problem.fabric())
}

/// The column-major rank of a task with row-major rank `rank`.
fn column_major(rank: u32, sizes: &[u32]) -> u32 {
    let (mut rest, mut coordinates) = (rank, Vec::with_capacity(sizes.len()));
    for &size in sizes.iter().rev() {
        coordinates.push(rest % size);
        rest /= size;
    }
    // `coordinates` starts with the last dimension, which is the slowest in column-major order.
    coordinates.iter().zip(sizes.iter().rev()).fold(0, |at, (&x, &size)| at * size + x)
}
