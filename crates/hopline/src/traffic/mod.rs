//! Traffic: patterns and files that make a [`Demand`].
//!
//! In a pattern every task sends one unit in all, unless `weight=per-edge`
//! sends one unit to each partner, or `bytes=` so many bytes. A pattern without a size takes one task per
//! slot of the allocation.

mod all;
mod arrange;
mod combine;
mod halo;
mod linear;
mod matrix;
mod nearest3d;
mod permutation;
mod recording;
mod transpose;
pub mod workload;

pub use linear::Communication;

pub use nearest3d::most_even;
pub(crate) use recording::recorded;

use crate::demand::{Demand, Grid, Unit};
use crate::entry::{Entry, Listed, Param, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::params::{Bytes, Params, Reader, Sizes, find};

/// What a pattern may need to know of the machine.
pub struct Context<'a> {
    /// The network, for patterns that follow its groups.
    pub fabric: &'a Fabric,
    /// Slots of the allocation.
    pub slots: u32,
    /// Where files are read from.
    pub files: &'a dyn Files,
}

/// A demand and what its reader left out, for people.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// Who sends how much to whom.
    pub demand: Demand,
    /// What was left out or assumed.
    pub notes: Vec<String>,
}

impl From<Demand> for Traffic {
    fn from(demand: Demand) -> Self {
        Traffic { demand, notes: Vec::new() }
    }
}

type Make = fn(&Reader, &Context<'_>) -> Result<Traffic>;

/// One kind of traffic of the list.
pub struct Kind {
    entry: &'static Entry,
    make: Make,
}

impl Listed for Kind {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All kinds of traffic.
pub const LIST: &[Kind] = &[
    Kind { entry: &halo::ENTRY, make: halo::make },
    Kind { entry: &transpose::ENTRY, make: transpose::make },
    Kind { entry: &all::ALLTOALL, make: all::alltoall },
    Kind { entry: &all::UNIFORM, make: all::uniform },
    Kind { entry: &permutation::COMPLEMENT, make: permutation::complement },
    Kind { entry: &permutation::SHIFT, make: permutation::shift },
    Kind { entry: &nearest3d::ENTRY, make: nearest3d::make },
    Kind { entry: &linear::ENTRY, make: linear::make },
    Kind { entry: &matrix::ENTRY, make: matrix::make },
    Kind { entry: &recording::ENTRY, make: recording::make },
    Kind { entry: &workload::ENTRY, make: workload::make },
    Kind { entry: &combine::SUM, make: combine::sum },
    Kind { entry: &combine::SCALE, make: combine::scale },
    Kind { entry: &combine::PRODUCT, make: combine::product },
    Kind { entry: &arrange::PERMUTE, make: arrange::permute },
    Kind { entry: &arrange::SUBSET, make: arrange::subset },
];

/// Reads a kind of traffic and makes its demand.
///
/// # Errors
/// An unknown kind or key, sizes that do not fit, or a file that cannot be read.
pub fn build(params: &Params, context: &Context<'_>) -> Result<Traffic> {
    let kind = find("traffic", LIST, params)?;
    (kind.make)(&params.check(kind.entry)?, context)
}

const TASKS: Param = param("tasks", "count", "one per slot", "number of tasks");
const WEIGHT: Param = param(
    "weight",
    "per-task|per-edge",
    "per-task, with bytes= per-edge",
    "one unit, or `bytes`, per task in all, or to each partner",
);
const BYTES: Param = param(
    "bytes",
    "bytes",
    "none",
    "to each partner, itself where it is one; then times are known, and amounts are bytes",
);

/// The largest job that a pattern makes: 16 million tasks.
const MOST_TASKS: u32 = 1 << 24;

/// The number of tasks that is given, or one per slot.
fn tasks(reader: &Reader, context: &Context<'_>) -> Result<u32> {
    match reader.or("tasks", context.slots)? {
        n if (1..=MOST_TASKS).contains(&n) => Ok(n),
        n => Err(reader.wrong("tasks", format!("{n} tasks, expected 1 to {MOST_TASKS}"))),
    }
}

/// The grid that is given, or the squarest 2-D grid of one task per slot with
/// no more rows than columns.
fn grid(reader: &Reader, context: &Context<'_>, wrap: bool) -> Result<Grid> {
    let sizes = match reader.get::<Sizes>("grid")? {
        Some(Sizes(sizes)) => sizes,
        None => {
            let n = context.slots.max(1);
            let rows = (1..=n.isqrt()).rev().find(|r| n.is_multiple_of(*r)).unwrap_or(1);
            vec![rows, n / rows]
        }
    };
    let grid = Grid { sizes, wrap };
    match grid.tasks() {
        Some(n) if n <= MOST_TASKS => Ok(grid),
        _ => Err(reader.wrong("grid", format!("a grid of more than {MOST_TASKS} tasks")).hint("choose smaller sizes")),
    }
}

/// How much a task sends.
struct Size {
    /// What amounts are counted in.
    unit: Unit,
    /// One unit or so many bytes.
    whole: f64,
    /// To each partner, not in all.
    per_edge: bool,
}

impl Size {
    /// Of a pattern with `weight=` and `bytes=`.
    fn read(reader: &Reader) -> Result<Size> {
        let size = Size::of_edges(reader)?;
        let per_edge = match reader.get::<String>("weight")? {
            Some(_) => reader.choice("weight", &["per-task", "per-edge"])? == 1,
            None => size.per_edge,
        };
        Ok(Size { per_edge, ..size })
    }

    /// Of a pattern with `bytes=` alone.
    fn of_edges(reader: &Reader) -> Result<Size> {
        match reader.get("bytes")? {
            None => Ok(Size { unit: Unit::Units, whole: 1.0, per_edge: false }),
            Some(Bytes(0)) => Err(reader.wrong("bytes", "`bytes` is 0, expected at least 1")),
            Some(Bytes(n)) => Ok(Size { unit: Unit::Bytes, whole: n as f64, per_edge: true }),
        }
    }

    /// What a partner gets to whom `share` of the unit of a task is due.
    fn amount(&self, share: f64) -> f64 {
        if self.per_edge { self.whole } else { self.whole * share }
    }
}

/// Tasks of one group of the machine: slots in a part of the outermost level
/// that has several parts.
fn group_size(reader: &Reader, context: &Context<'_>) -> Result<u32> {
    let hosts = context.fabric.hosts();
    let level = context.fabric.levels().iter().rev().find(|l| l.parts > 1);
    match level {
        Some(level) if hosts.slots().is_multiple_of(level.parts) => Ok(hosts.slots() / level.parts),
        _ => Err(Error::input(format!("{} has no groups of equal size", context.fabric.name()))
            .at(reader.place())
            .hint("give the distance in tasks instead: shift:by=64")),
    }
}
