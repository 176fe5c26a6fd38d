//! Traffic: patterns and files that make a [`Demand`].
//!
//! In a pattern every task sends one unit in all, unless `weight=per-edge`
//! sends one unit to each partner, or `bytes=` so many bytes. A pattern without a size takes one task per
//! slot of the allocation.
//!
//! A kind of traffic is made by its constructor, or read from a spec; both check the same, and it writes its spec again:
//!
//! ```
//! use hopline::traffic::{Halo, Pattern};
//!
//! let typed = Halo::new(&[8, 8])?.bytes(4096)?;
//! let read: Pattern = "halo:grid=8x8,bytes=4096".parse()?;
//! assert_eq!(read.to_string(), typed.to_string());
//! assert_eq!(read.demand()?, typed.demand()?);
//! # Ok::<(), hopline::error::Error>(())
//! ```

mod all;
mod amount;
mod arrange;
mod combine;
mod halo;
mod linear;
mod matrix;
mod nccl_log;
mod nearest3d;
mod permutation;
mod recording;
mod transpose;
pub mod workload;

pub use all::{AllToAll, Uniform};
pub use arrange::{Order, Permute, Subset, Which};
pub use combine::{Product, Scale, Sum};
pub use halo::Halo;
pub use linear::{Communication, Linear};
pub use matrix::Matrix;
pub use nccl_log::{NcclCollective, NcclLog};
pub use nearest3d::{Nearest3d, Phase, most_even};
pub use permutation::{BitComplement, Shift};
pub use recording::Recorded;
pub use transpose::Transpose;
pub use workload::Training;

use amount::{Amount, BYTES, WEIGHT};
pub(crate) use recording::recorded;

use crate::demand::{Demand, Grid};
use crate::entry::{Entry, Listed, Param, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric};
use crate::files::{Disk, Files};
use crate::params::{Params, Reader, Sizes, find};
use std::fmt;
use std::str::FromStr;

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
#[non_exhaustive]
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

type Read = fn(&Reader, &Context<'_>) -> Result<Pattern>;

/// One kind of traffic of the list.
pub struct TrafficEntry {
    entry: &'static Entry,
    read: Read,
}

impl Listed for TrafficEntry {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// Declares the kinds of traffic: one line adds one.
macro_rules! patterns {
    ($($module:ident :: $name:ident ($entry:ident),)*) => {
        /// A kind of traffic with all that it needs to know.
        #[derive(Debug, Clone)]
        #[allow(missing_docs)]
        pub enum Pattern { $($name($name),)* }

        /// All kinds of traffic.
        pub const LIST: &[TrafficEntry] = &[$(TrafficEntry {
            entry: &$module::$entry,
            read: |reader, context| Ok(Pattern::$name($name::read(reader, context)?)),
        },)*];

        impl Pattern {
            /// The demand, and what was left out or assumed of it.
            ///
            /// # Errors
            /// Its parts do not fit together.
            pub fn traffic(self) -> Result<Traffic> {
                match self { $(Pattern::$name(p) => p.make(),)* }
            }

            /// Kind and keys, without what has its default.
            pub fn params(&self) -> Params {
                match self { $(Pattern::$name(p) => p.params(),)* }
            }
        }

        $(
            impl $name {
                /// Who sends how much to whom.
                ///
                /// # Errors
                /// Its parts do not fit together.
                pub fn demand(self) -> Result<Demand> {
                    Ok(self.make()?.demand)
                }
            }

            /// Its spec, without what has its default.
            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.params().fmt(f)
                }
            }

            impl From<$name> for Pattern {
                fn from(pattern: $name) -> Pattern {
                    Pattern::$name(pattern)
                }
            }
        )*
    };
}

patterns! {
    halo::Halo(ENTRY),
    transpose::Transpose(ENTRY),
    all::AllToAll(ALLTOALL),
    all::Uniform(UNIFORM),
    permutation::BitComplement(COMPLEMENT),
    permutation::Shift(SHIFT),
    nearest3d::Nearest3d(ENTRY),
    linear::Linear(ENTRY),
    matrix::Matrix(ENTRY),
    recording::Recorded(ENTRY),
    nccl_log::NcclLog(ENTRY),
    workload::Training(ENTRY),
    combine::Sum(SUM),
    combine::Scale(SCALE),
    combine::Product(PRODUCT),
    arrange::Permute(PERMUTE),
    arrange::Subset(SUBSET),
}

impl Pattern {
    /// Reads kind and keys; what they leave out, the machine says.
    ///
    /// # Errors
    /// An unknown kind or key, sizes that do not fit, or a file that cannot be read.
    pub fn read(params: &Params, context: &Context<'_>) -> Result<Pattern> {
        let kind = find("traffic", LIST, params)?;
        let reader = params.check(kind.entry)?;
        reader.made((kind.read)(&reader, context))
    }

    /// Who sends how much to whom.
    ///
    /// # Errors
    /// Its parts do not fit together.
    pub fn demand(self) -> Result<Demand> {
        Ok(self.traffic()?.demand)
    }
}

/// Its spec, without what has its default.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.params().fmt(f)
    }
}

/// Reads a spec that says all sizes; files are read from [`Disk`]. [`Pattern::read`] takes sizes from a machine.
impl FromStr for Pattern {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Pattern> {
        let nowhere = Builder::new("no machine", 0, 0).finish()?;
        Pattern::read(&spec.parse()?, &Context { fabric: &nowhere, slots: 0, files: &Disk })
    }
}

/// Reads a kind of traffic and makes its demand.
///
/// # Errors
/// An unknown kind or key, sizes that do not fit, or a file that cannot be read.
pub fn build(params: &Params, context: &Context<'_>) -> Result<Traffic> {
    let entry = find("traffic", LIST, params)?.entry;
    params.check(entry)?.made(Pattern::read(params, context)?.traffic())
}

const TASKS: Param = param("tasks", "count", "one per slot", "number of tasks");
/// The largest job that a pattern makes: 16 million tasks.
const MOST_TASKS: u32 = 1 << 24;

/// A number of tasks that a pattern can have.
fn checked_tasks(tasks: u32) -> Result<u32> {
    match tasks {
        1..=MOST_TASKS => Ok(tasks),
        n => Err(Error::argument("tasks", format!("{n} tasks, expected 1 to {MOST_TASKS}"))),
    }
}

/// A grid that a pattern can have.
fn checked_grid(sizes: &[u32], wrap: bool) -> Result<Grid> {
    let Sizes(sizes) = Sizes::new("grid", sizes)?;
    let grid = Grid { sizes, wrap };
    match grid.tasks() {
        Some(n) if n <= MOST_TASKS => Ok(grid),
        _ => {
            Err(Error::argument("grid", format!("a grid of more than {MOST_TASKS} tasks")).hint("choose smaller sizes"))
        }
    }
}

/// The slots of the allocation, from which sizes are taken that nobody gives.
fn slots(context: &Context<'_>, key: &'static str) -> Result<u32> {
    match context.fabric.endpoints() {
        0 => {
            Err(Error::argument(key, "the number of tasks is not known without a machine")
                .hint(format!("give `{key}`")))
        }
        _ => Ok(context.slots),
    }
}

/// The number of tasks that is given, or one per slot.
fn tasks(reader: &Reader, context: &Context<'_>) -> Result<u32> {
    reader.get("tasks")?.map_or_else(|| slots(context, "tasks"), Ok)
}

/// The sizes that are given, or those of the squarest 2-D grid of one task per slot with
/// no more rows than columns.
fn grid(reader: &Reader, context: &Context<'_>) -> Result<Vec<u32>> {
    if let Some(Sizes(sizes)) = reader.get("grid")? {
        return Ok(sizes);
    }
    let n = slots(context, "grid")?.max(1);
    let rows = (1..=n.isqrt()).rev().find(|r| n.is_multiple_of(*r)).unwrap_or(1);
    Ok(vec![rows, n / rows])
}

/// Tasks of one group of the machine: slots in a part of the outermost level
/// that has several parts.
fn group_size(context: &Context<'_>) -> Result<u32> {
    let hosts = context.fabric.hosts();
    let level = context.fabric.levels().iter().rev().find(|l| l.parts > 1);
    match level {
        Some(level) if hosts.slots().is_multiple_of(level.parts) => Ok(hosts.slots() / level.parts),
        _ => Err(Error::argument("groups", format!("{} has no groups of equal size", context.fabric.name()))
            .hint("give the distance in tasks instead: shift:by=64")),
    }
}
