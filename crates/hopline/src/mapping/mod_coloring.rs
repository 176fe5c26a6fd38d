//! Mod-colouring: two blocks of the task grid per supernode, so placed that no
//! two supernodes share more than one pair of neighbouring blocks.
//! Chakaravarthy et al., section IV-C, Lemma 4.1.

use super::blocks::{part_size, parts_of, show, slots_per_host};
use super::coloring::{colors, is_perfect, level_of};
use super::tiles::{block_shape, by_blocks};
use super::{Context, Mapping, Obedience, Problem, Strategy};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::id::SlotId;
use crate::params::{Params, Reader};

pub(super) const ENTRY: Entry = Entry {
    name: "mod-coloring",
    summary: "2-D halo: a perfect colouring of blocks by modular arithmetic",
    doc: "Cuts the P x Q grid into blocks of half a part (8x8 for a supernode of 128 slots), a p x q grid of blocks. Block \
          (i, j) goes to part floor(i/2)*q + j where i is even, and floor(i/2)*q + (5j+2 mod q) where i is odd. Every \
          part gets two blocks whose 8 neighbours lie in 8 different parts. The first block in row-major order takes the \
          first half of the part; hosts take sub-blocks in row-major order.\n\
          Needs an even p and a q for which the colouring is perfect: 8, 16, 32, ... and 24 are; others are refused \
          after a check. (The paper's proof sketch speaks of groups of q/2 colours; the construction has p/2 groups of \
          q.)\nSource: the PERCS mapping paper, section IV-C, Lemma 4.1.",
    example: "mod-coloring",
    params: &[param("level", "a level of the fabric", "the outermost", "whose parts take two blocks each")],
};

/// The colouring of Lemma 4.1: see the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModColoring {
    level: Option<String>,
}

impl ModColoring {
    /// Of the outermost level.
    pub fn new() -> ModColoring {
        ModColoring::default()
    }

    /// The same of the parts of this level.
    #[must_use]
    pub fn level(mut self, level: &str) -> Self {
        self.level = Some(level.to_string());
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(ModColoring { level: reader.get("level")? }))
}

impl Strategy for ModColoring {
    fn params(&self) -> Params {
        Params::named(ENTRY.name).maybe("level", self.level.as_deref())
    }

    fn obedience(&self) -> Obedience {
        Obedience::Refused
    }

    fn choose(&self, problem: &Problem<'_>, _: &mut Context<'_>) -> Result<Mapping> {
        let grid = problem.grid(ENTRY.name)?;
        let fail = |why: String| Error::input(format!("mapping `mod-coloring`: {why}"));
        let [rows, columns] = grid.sizes[..] else {
            return Err(fail(format!("the grid {} is not two-dimensional", show(&grid.sizes))));
        };
        let level = level_of(problem, ENTRY.name, self.level.as_ref())?;
        let parts = parts_of(problem, &level)?;
        let size = part_size(problem, ENTRY.name, &level, &parts, 2)?;
        let block = block_shape(&grid.sizes, size)
            .ok_or_else(|| fail(format!("no block of {size} tasks divides the grid {}", show(&grid.sizes))))?;
        let (p, q) = (rows / block[0], columns / block[1]);
        let colors = colors(p, q);
        if p % 2 != 0 || !is_perfect(&colors, p, q) {
            return Err(fail(format!(
                "the {p}x{q} grid of {} blocks has no perfect colouring of this kind",
                show(&block)
            ))
            .hint("p must be even and at least 4, and q a power of two from 8"));
        }
        let host = slots_per_host(problem, &parts, size);
        let inner = block_shape(&block, host)
            .ok_or_else(|| fail(format!("no sub-block of {host} tasks fits {}", show(&block))))?;
        let order = by_blocks(grid, &[&block, &inner]);
        let mut slots = vec![SlotId(0); problem.tasks() as usize];
        let mut seen = vec![0usize; parts.len()];
        for (k, tasks) in order.chunks(size as usize).enumerate() {
            let color = colors[k] as usize;
            let half = &parts[color][seen[color] * size as usize..];
            seen[color] += 1;
            tasks.iter().zip(half).for_each(|(&task, &slot)| slots[task as usize] = slot);
        }
        Mapping::new(slots, problem.fabric())
    }
}
