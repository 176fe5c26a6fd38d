//! Blocks of the task grid onto the parts of a level: node, drawer, supernode,
//! group, leaf. Chakaravarthy et al., section IV-C (after Bhatele et al.).

use super::tiles::{block_shape, by_blocks};
use super::{Context, Mapping, Problem, Strategy};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::files::Files;
use crate::id::SlotId;
use crate::params::{Params, Reader, Sizes};

const BLOCK: Param = param("block", "sizes", "the most compact", "tasks of a block along each dimension");

pub(super) const BLOCKS: Entry = Entry {
    name: "blocks",
    summary: "task grid: compact blocks onto the parts of a level, in order or at random",
    doc: "Cuts the grid into blocks of as many tasks as a part of the level has slots, the most compact that fit (4x8 for \
          a drawer of 32 slots). Block k in row-major order goes to part k, or to a random one. Inside, sub-blocks of \
          one host each (2x2 for 4 slots) go to consecutive hosts.\nSource: the PERCS mapping paper, section IV-C.",
    example: "blocks:level=drawer,order=random",
    params: &[
        param("level", "node|a level of the fabric", "", "whose parts take one block each"),
        param("order", "sequential|random", "sequential", "which part takes which block"),
        BLOCK,
    ],
};

/// The paper's names for the three levels of PERCS and both orders.
pub(super) const NAMED: [Entry; 6] = [
    named("node-sequential", "blocks of one node each, in order", "blocks:level=node"),
    named("node-random", "blocks of one node each, at random", "blocks:level=node,order=random"),
    named("drawer-sequential", "blocks of one drawer each, in order", "blocks:level=drawer"),
    named("drawer-random", "blocks of one drawer each, at random", "blocks:level=drawer,order=random"),
    named("supernode-sequential", "blocks of one supernode each, in order", "blocks:level=supernode"),
    named("supernode-random", "blocks of one supernode each, at random", "blocks:level=supernode,order=random"),
];

const fn named(name: &'static str, summary: &'static str, doc: &'static str) -> Entry {
    Entry { name, summary, doc, example: name, params: &[BLOCK] }
}

/// Blocks of the task grid onto the parts of a level: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    name: &'static str,
    level: String,
    random: bool,
    block: Option<Vec<u32>>,
}

impl Blocks {
    /// The most compact blocks, one for each part of `level` (`node` is a host), in order.
    pub fn new(level: &str) -> Blocks {
        Blocks { name: BLOCKS.name, level: level.to_string(), random: false, block: None }
    }

    /// The same with random parts.
    #[must_use]
    pub fn random(mut self) -> Blocks {
        self.random = true;
        self
    }

    /// The same with blocks of these sizes.
    ///
    /// # Errors
    /// There is no size, or one is 0.
    pub fn block(mut self, sizes: &[u32]) -> Result<Blocks> {
        self.block = Some(Sizes::new("block", sizes)?.0);
        Ok(self)
    }
}

pub(super) fn read(entry: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    let (level, random) = match entry.name.split_once('-') {
        Some((level, order)) => (level.to_string(), order == "random"),
        None => (reader.need("level")?, reader.choice("order", &["sequential", "random"])? == 1),
    };
    let blocks = Blocks { name: entry.name, random, ..Blocks::new(&level) };
    Ok(Box::new(reader.set(blocks, "block", |blocks, Sizes(sizes)| blocks.block(&sizes))?))
}

impl Strategy for Blocks {
    fn params(&self) -> Params {
        let params = Params::named(self.name);
        let params = match self.name == BLOCKS.name {
            true => {
                let order = if self.random { "random" } else { "sequential" };
                params.with("level", &self.level[..]).unless("order", order, "sequential")
            }
            // The names of the paper say both.
            false => params,
        };
        params.maybe("block", self.block.as_deref())
    }

    fn is_random(&self) -> bool {
        self.random
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let grid = problem.grid(self.name)?;
        let parts = parts_of(problem, &self.level)?;
        let size = part_size(problem, self.name, &self.level, &parts, 1)?;
        let fail = |tasks: u32, what: &str| {
            Error::input(format!(
                "mapping `{}`: no block of {tasks} tasks, one {what}, divides the grid {}",
                self.name,
                show(&grid.sizes)
            ))
        };
        let outer = match &self.block {
            Some(block) => check_block(self.name, block, &grid.sizes, size)?,
            None => block_shape(&grid.sizes, size).ok_or_else(|| fail(size, &self.level))?,
        };
        let host = slots_per_host(problem, &parts, size);
        let inner = block_shape(&outer, host).ok_or_else(|| fail(host, "host"))?;
        let mut order: Vec<usize> = (0..parts.len()).collect();
        if self.random {
            context.rng.shuffle(&mut order);
        }
        let mut slots = vec![SlotId(0); problem.tasks() as usize];
        for (k, &task) in by_blocks(grid, &[&outer, &inner]).iter().enumerate() {
            let (block, within) = (k / size as usize, k % size as usize);
            slots[task as usize] = parts[order[block]][within];
        }
        Mapping::new(slots, problem.fabric())
    }
}

fn check_block(name: &str, block: &[u32], sizes: &[u32], tasks: u32) -> Result<Vec<u32>> {
    let fits = block.len() == sizes.len() && block.iter().zip(sizes).all(|(b, s)| s % b == 0);
    let product = block.iter().try_fold(1u32, |n, &b| n.checked_mul(b));
    if !fits || product != Some(tasks) {
        return Err(Error::input(format!(
            "mapping `{name}`: block={} must divide the grid {} and hold {tasks} tasks",
            show(block),
            show(sizes)
        )));
    }
    Ok(block.to_vec())
}

/// `4x8`.
pub(super) fn show(sizes: &[u32]) -> String {
    sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// The allocation's slots by the parts of a level (`node` is the host itself),
/// parts in the order of their first slot.
pub(super) fn parts_of(problem: &Problem<'_>, level: &str) -> Result<Vec<Vec<SlotId>>> {
    let fabric = problem.fabric();
    let hosts = fabric.hosts();
    let part: Box<dyn Fn(SlotId) -> u32> = match (level, fabric.level(level)) {
        (_, Some(level)) => Box::new(move |slot| level.part[hosts.endpoint_of(slot).index()]),
        ("node" | "host", None) => Box::new(move |slot| hosts.host_of(slot).0),
        (_, None) => return Err(no_level(fabric, level)),
    };
    let mut parts: Vec<(u32, Vec<SlotId>)> = Vec::new();
    let mut index = rustc_hash::FxHashMap::default();
    for &slot in problem.slots() {
        let id = part(slot);
        let at = *index.entry(id).or_insert_with(|| {
            parts.push((id, Vec::new()));
            parts.len() - 1
        });
        parts[at].1.push(slot);
    }
    Ok(parts.into_iter().map(|p| p.1).collect())
}

fn no_level(fabric: &Fabric, level: &str) -> Error {
    let names: Vec<&str> = fabric.levels().iter().map(|l| l.name.as_str()).chain(["node"]).collect();
    Error::input(format!("{} has no level `{level}`", fabric.name()))
        .hint(format!("its levels are {}", names.join(", ")))
}

/// Slots of a part, equal in all parts.
///
/// # Errors
/// They are not equal.
pub(super) fn equal_size(name: &str, level: &str, parts: &[Vec<SlotId>]) -> Result<u32> {
    let size = parts.first().map_or(0, |p| p.len() as u32);
    if size == 0 || parts.iter().any(|p| p.len() as u32 != size) {
        return Err(Error::input(format!(
            "mapping `{name}` needs the same number of slots in every {level} of the allocation"
        ))
        .hint("choose other hosts, or a mapping such as greedy"));
    }
    Ok(size)
}

/// Slots of a part, over `blocks`: equal in all parts, and filled by the tasks.
pub(super) fn part_size(
    problem: &Problem<'_>,
    name: &str,
    level: &str,
    parts: &[Vec<SlotId>],
    blocks: u32,
) -> Result<u32> {
    let size = equal_size(name, level, parts)?;
    if !problem.tasks().is_multiple_of(size) || !size.is_multiple_of(blocks) {
        return Err(Error::input(format!(
            "mapping `{name}`: {} tasks do not fill parts of {size} slots",
            problem.tasks()
        )));
    }
    Ok(size / blocks)
}

/// Slots of the first host, where all hosts of the parts have as many and they
/// fill `size`; else 1, which orders a block task by task.
pub(super) fn slots_per_host(problem: &Problem<'_>, parts: &[Vec<SlotId>], size: u32) -> u32 {
    let hosts = problem.fabric().hosts();
    let count = parts.first().and_then(|p| p.first()).map_or(1, |&s| hosts.slot_count(hosts.host_of(s)));
    let even = problem.slots().iter().all(|&s| hosts.slot_count(hosts.host_of(s)) == count);
    if even && count > 0 && size.is_multiple_of(count) { count } else { 1 }
}
