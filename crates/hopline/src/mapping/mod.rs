//! Mappings: which task sits in which slot, and the strategies that choose.
//!
//! A strategy sees the fabric's hosts, levels and distances and the task grid,
//! never the family: one strategy is one file and one line in [`LIST`].
//!
//! A strategy is made by its constructor, or read from a spec, and writes its spec again:
//!
//! ```
//! use hopline::mapping::{CongestionSearch, Greedy, Strategy};
//!
//! let typed = CongestionSearch::new().from(Greedy::new()).evaluations(2000);
//! let read: Box<dyn Strategy> = "congestion-search:from=greedy,evaluations=2000".parse()?;
//! assert_eq!(typed.params().to_string(), read.to_string());
//! # Ok::<(), hopline::error::Error>(())
//! ```

mod attempt;
mod best;
mod blocks;
mod bound;
mod coloring;
mod congestion_search;
mod curve;
mod distance;
mod file;
mod fold;
mod graph;
mod greedy;
mod group_random;
mod inner_search;
mod kinds;
pub mod linear;
mod members;
mod mod_coloring;
mod multilevel;
mod objective;
mod order;
mod placement;
mod portfolio;
mod problem;
mod reorder_hosts;
mod search;
mod seats;
mod tiles;

pub use best::Best;
pub use blocks::Blocks;
pub use bound::{Argument, Bound, bound, hop_bound};
pub use coloring::{Coloring, colors, is_perfect};
pub use congestion_search::CongestionSearch;
pub use curve::{AlongCurve, Curve};
pub use file::FromFile;
pub use fold::Fold;
pub use greedy::Greedy;
pub use group_random::GroupRandom;
pub use inner_search::{InnerSearch, inner_bound};
pub use kinds::{Kinds, Obedience};
pub(crate) use members::links_of_pairs;
pub use members::{Member, members, some_time, without_budget};
pub use mod_coloring::ModColoring;
pub use multilevel::Multilevel;
pub use objective::{OBJECTIVES, Objective, Score};
pub use order::Order;
pub use portfolio::Portfolio;
pub use problem::Problem;
pub use reorder_hosts::{WholeHosts, whole_hosts};
pub use search::Method;

use crate::entry::{Entry, Listed};
use crate::error::{Error, Result};
use crate::event::Observer;
use crate::fabric::{Fabric, Hosts};
use crate::files::{Disk, Files};
use crate::id::{SlotId, VertexId};
use crate::params::{Params, Reader, find};
use crate::rng::Rng;
use std::fmt;
use std::str::FromStr;

/// A checked injection of tasks into slots, kept in both directions.
///
/// ```
/// use hopline::{id::SlotId, mapping::Mapping, topology::Torus};
///
/// let fabric = Torus::new(&[4])?.build()?;
/// let mapping = Mapping::new(vec![SlotId(3), SlotId(1)], &fabric)?;
/// assert_eq!((mapping.slot(0), mapping.task(SlotId(1))), (SlotId(3), Some(1)));
/// assert!(Mapping::new(vec![SlotId(3), SlotId(3)], &fabric).is_err());
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    slot: Vec<SlotId>,
    /// Per slot: its task, or `EMPTY`.
    task: Vec<u32>,
}

const EMPTY: u32 = u32::MAX;

impl Mapping {
    /// Task t sits in `slot[t]`, one of the slots of `fabric`. O(tasks + slots).
    ///
    /// # Errors
    /// A slot that is not there, or two tasks in one slot; the error names them.
    pub fn new(slot: Vec<SlotId>, fabric: &Fabric) -> Result<Mapping> {
        let hosts = fabric.hosts();
        let mut task = vec![EMPTY; hosts.slots() as usize];
        for (t, &s) in slot.iter().enumerate() {
            match task.get_mut(s.index()) {
                None => {
                    return Err(Error::input(format!(
                        "task {t} is put in slot {s}, but {} has {} slots",
                        fabric.name(),
                        hosts.slots()
                    )));
                }
                Some(cell) if *cell != EMPTY => {
                    let (host, k) = (hosts.name(hosts.host_of(s)), hosts.rank_in_host(s));
                    return Err(Error::input(format!(
                        "tasks {} and {t} are both in slot {s} (host {host}, its slot {k})",
                        *cell
                    ))
                    .hint("a slot takes one task; raise slots= if a host takes more"));
                }
                Some(cell) => *cell = t as u32,
            }
        }
        Ok(Mapping { slot, task })
    }

    /// Number of tasks.
    pub fn tasks(&self) -> u32 {
        self.slot.len() as u32
    }

    /// The slot of a task.
    pub fn slot(&self, task: u32) -> SlotId {
        self.slot[task as usize]
    }

    /// The task in a slot, if one is.
    pub fn task(&self, slot: SlotId) -> Option<u32> {
        self.task.get(slot.index()).copied().filter(|&t| t != EMPTY)
    }

    /// The endpoint at which each task injects.
    pub fn places(&self, hosts: &Hosts) -> Vec<VertexId> {
        self.slot.iter().map(|&s| hosts.endpoint_of(s)).collect()
    }
}

/// What a strategy may use beside the problem.
pub struct Context<'a> {
    /// Its own random stream.
    pub rng: Rng,
    /// What that was drawn from: a strategy that runs others by their names gives them the streams that they have alone.
    pub seed: u64,
    /// Told of progress; may say stop.
    pub observer: &'a mut dyn Observer,
}

impl<'a> Context<'a> {
    /// With the stream of a name.
    pub fn new(seed: u64, name: &str, observer: &'a mut dyn Observer) -> Self {
        Context { rng: Rng::new(seed, name), seed, observer }
    }

    /// With the stream of one of several runs of the same thing; the first is that of [`Context::new`].
    pub fn of_run(seed: u64, name: &str, run: u32, observer: &'a mut dyn Observer) -> Self {
        let rng = Rng::of_run(seed, name, run);
        let seed = if run == 0 { seed } else { rng.clone().below(u64::MAX) };
        Context { rng, seed, observer }
    }
}

/// A way to choose a mapping.
pub trait Strategy: Send + Sync {
    /// Chooses a mapping for every task of the problem; where it has [`Kinds`], [`Strategy::map`] sees to those.
    ///
    /// # Errors
    /// The strategy needs what the problem has not (a grid, a level), with a
    /// sentence that says what.
    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping>;

    /// Kind and keys, without what has its default: how it is called.
    fn params(&self) -> Params;

    /// What it does where a problem has [`Kinds`].
    fn obedience(&self) -> Obedience {
        Obedience::Repaired
    }

    /// Whether random choices matter.
    fn is_random(&self) -> bool {
        false
    }

    /// The slots that it takes whatever the problem, where they are given to it.
    fn given(&self, _fabric: &Fabric) -> Vec<SlotId> {
        Vec::new()
    }

    /// A mapping for every task of the problem, each in a slot of its kind.
    ///
    /// # Errors
    /// As those of [`Strategy::choose`], or it cannot keep tasks in given slots.
    fn map(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let Some(kinds) = problem.kinds() else { return self.choose(problem, context) };
        let name = || self.params().kind().to_string();
        if self.obedience() == Obedience::Refused {
            return Err(Error::input(format!("mapping `{}` cannot keep tasks in given slots", name()))
                .hint("use greedy, multilevel or congestion-search"));
        }
        let mapping = self.choose(problem, context)?;
        match self.obedience() {
            Obedience::Repaired => kinds.repaired(problem, mapping),
            _ => kinds.obeyed(problem, mapping, name),
        }
    }
}

/// A strategy of the list, by whatever it was read.
impl Strategy for Box<dyn Strategy> {
    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        (**self).choose(problem, context)
    }

    fn params(&self) -> Params {
        (**self).params()
    }

    fn obedience(&self) -> Obedience {
        (**self).obedience()
    }

    fn is_random(&self) -> bool {
        (**self).is_random()
    }

    fn given(&self, fabric: &Fabric) -> Vec<SlotId> {
        (**self).given(fabric)
    }
}

/// Its spec, without what has its default.
impl fmt::Display for dyn Strategy + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.params().fmt(f)
    }
}

/// Reads the spec of a strategy of the list; files are read from [`Disk`], by [`build`] from elsewhere.
impl FromStr for Box<dyn Strategy> {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Box<dyn Strategy>> {
        build(&spec.parse()?, &Disk)
    }
}

type Read = fn(&'static Entry, &Reader, &dyn Files) -> Result<Box<dyn Strategy>>;

/// One strategy of the list.
pub struct StrategyEntry {
    entry: &'static Entry,
    read: Read,
}

impl Listed for StrategyEntry {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All strategies.
pub const LIST: &[StrategyEntry] = &[
    StrategyEntry { entry: &order::DEFAULT, read: order::read },
    StrategyEntry { entry: &order::RANDOM, read: order::read },
    StrategyEntry { entry: &order::ROW, read: order::read },
    StrategyEntry { entry: &order::COLUMN, read: order::read },
    StrategyEntry { entry: &order::HYBRID, read: order::read },
    StrategyEntry { entry: &blocks::BLOCKS, read: blocks::read },
    StrategyEntry { entry: &blocks::NAMED[0], read: blocks::read },
    StrategyEntry { entry: &blocks::NAMED[1], read: blocks::read },
    StrategyEntry { entry: &blocks::NAMED[2], read: blocks::read },
    StrategyEntry { entry: &blocks::NAMED[3], read: blocks::read },
    StrategyEntry { entry: &blocks::NAMED[4], read: blocks::read },
    StrategyEntry { entry: &blocks::NAMED[5], read: blocks::read },
    StrategyEntry { entry: &group_random::ENTRY, read: group_random::read },
    StrategyEntry { entry: &mod_coloring::ENTRY, read: mod_coloring::read },
    StrategyEntry { entry: &coloring::ENTRY, read: coloring::read },
    StrategyEntry { entry: &curve::ENTRY, read: curve::read },
    StrategyEntry { entry: &greedy::ENTRY, read: greedy::read },
    StrategyEntry { entry: &congestion_search::ENTRY, read: congestion_search::read },
    StrategyEntry { entry: &inner_search::ENTRY, read: inner_search::read },
    StrategyEntry { entry: &best::ENTRY, read: best::read },
    StrategyEntry { entry: &portfolio::ENTRY, read: portfolio::read },
    StrategyEntry { entry: &linear::ENTRY, read: linear::read },
    StrategyEntry { entry: &fold::ENTRY, read: fold::read },
    StrategyEntry { entry: &multilevel::ENTRY, read: multilevel::read },
    StrategyEntry { entry: &reorder_hosts::ENTRY, read: reorder_hosts::read },
    StrategyEntry { entry: &file::ENTRY, read: file::read },
];

/// Reads a strategy.
///
/// # Errors
/// An unknown kind or key, or a file that cannot be read.
pub fn build(params: &Params, files: &dyn Files) -> Result<Box<dyn Strategy>> {
    let kind = find("mapping", LIST, params)?;
    let reader = params.check(kind.entry)?;
    reader.made((kind.read)(kind.entry, &reader, files))
}

/// Improves the first of some mappings, the best first, by search for what the objective names first: by so many moves,
/// or until the observer says stop. Where the observer knows the time allowed, every thread searches on its own, from
/// the mapping of its number where there is one, and the best of all is taken; else one does, in ever longer rounds.
/// Never worse than the first; returns the moves tried too.
///
/// ```
/// use hopline::mapping::{Context, Order, Problem, improve};
/// use hopline::{event::Silent, rng::Rng, routing::Shortest, topology::FatTree, traffic::Shift};
/// use std::sync::Arc;
///
/// let fabric = Arc::new(FatTree::new(&[4, 4], &[1, 1])?.build()?);
/// let routing = Shortest::new(fabric.clone());
/// let (job, slots) = (Shift::new(16, 8)?.demand()?, fabric.slots());
/// let problem = Problem::new(&job, &routing, &slots)?;
/// let start = problem.map(&Order::Default, 1)?;
/// let mut silent = Silent;
/// let mut context = Context::new(1, "search", &mut silent);
/// let (found, _) = improve(&problem, &[start.clone()], Some(20_000), &mut context)?;
/// // Partners come to sit under one switch.
/// assert!(problem.score(&found)?.is_better(&problem.score(&start)?));
/// # Ok::<(), hopline::error::Error>(())
/// ```
///
/// # Errors
/// There is no mapping, two hosts have no way between them, or more than 2^22 pairs of tasks talk.
pub fn improve(
    problem: &Problem<'_>,
    starts: &[Mapping],
    evaluations: Option<u64>,
    context: &mut Context<'_>,
) -> Result<(Mapping, u64)> {
    if starts.is_empty() {
        return Err(Error::input("a search needs a mapping to start from"));
    }
    match problem.objective().lever() {
        objective::Lever::Links => congestion_search::improve(problem, starts, evaluations, context),
        objective::Lever::Distance => multilevel::improve(problem, starts, evaluations, context),
    }
}

/// A small case of a strategy as text, for those that have a drawing.
pub fn picture(name: &str) -> Option<String> {
    match name {
        "mod-coloring" => Some(coloring::picture::lemma()),
        "coloring" => Some(coloring::picture::eight_and_bricks()),
        _ => None,
    }
}
