//! Colourings: blocks of the task grid onto parts, several blocks to a part, so
//! that any two parts share as few pairs of neighbouring tasks as possible.
//! Chakaravarthy et al., section IV-C, and beyond it: 4x4 blocks, bricks, and any
//! grid by search.

mod bands;
mod board;
mod cut;
mod modular;
pub(super) mod picture;
mod search;
mod uneven;

pub use modular::{colors, is_perfect};

use super::blocks::{equal_size, part_size, parts_of, show, slots_per_host};
use super::tiles::block_shape;
use super::{Context, Mapping, Obedience, Problem, Score, Strategy};
use crate::demand::Grid;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::files::Files;
use crate::id::SlotId;
use crate::params::{Params, Reader, Sizes};
use board::{Board, Quality};
use cut::Cut;
use uneven::Uneven;

pub(super) const ENTRY: Entry = Entry {
    name: "coloring",
    summary: "task grid of any size: blocks onto parts, so that any two parts share little",
    doc: "Cuts the grid into equal blocks, f of them to a part, and gives every block a part such that no two parts share \
          more than one side between blocks: a perfect colouring. Then a part's 4f neighbours are 4f different parts, \
          and no bundle of links between two parts carries more than one side of a block.\n\
          Blocks of a x b tasks side by side have sides of a and b. Laid like bricks, every second layer shifted by half \
          a block along the longer side, 4x8 blocks have six sides of 4 each: as good as 4x4 blocks for the links \
          between two parts, with a quarter less traffic, and possible from 25 parts on where 4x4 blocks need 33 (32 where a part's blocks may touch).\n\
          Two blocks per part are coloured as by mod-coloring where that is perfect. Eight per part are, on p x q grids \
          of blocks, p a multiple of 16 and q = 32, 64, ... or the other way round: in a band of 16 rows, row 2t holds \
          the even colours 2x with x = (2t+1)*j + (t mod 2) mod q, row 2t+1 the odd colours 2(x+2t mod q)+1. All else \
          is searched for by simulated annealing, whose result may be less than perfect; a note says so.\n\
          A grid that such blocks do not divide, or that does not fill its parts, is cut into blocks whose sides differ by one \
          task at most, again 1 to 8 to a part, over all parts of the allocation, and coloured by search.\n\
          Without block= the blocks of one host or more, up to 8 to a part, the most compact of each size, are all \
          tried, and the one whose hottest link is the least busy is taken. A part's blocks take its slots one after \
          another in row-major order; inside, sub-blocks of one host each do.\n\
          Source: the PERCS mapping paper, section IV-C, for perfect colourings, Lemma 4.1 and equation (2).",
    example: "coloring:block=4x8,bricks=true",
    params: &[
        param("block", "sizes", "the best of all", "tasks of a block along each dimension"),
        param("bricks", "true|false", "the better", "whether every second layer is shifted by half a block"),
        param("level", "a level of the fabric", "the outermost", "whose parts are the colours"),
        param("evaluations", "count", "4000000", "blocks that a search may look at or recolour, for each symmetry"),
    ],
};

/// A part is cut into at most so many blocks, unless block= says otherwise.
const MOST_BLOCKS: u32 = 8;
/// The search keeps a table of all pairs of parts.
const MOST_PARTS: usize = 4096;
/// Small boards need less than evaluations= allows: so many for each block.
const PER_BLOCK: u64 = 16_384;

/// Colourings of blocks by search: see the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coloring {
    block: Option<Vec<u32>>,
    bricks: Option<bool>,
    level: Option<String>,
    budget: u64,
}

/// Exchanges that a search tries where nobody says.
const BUDGET: u64 = 4_000_000;

impl Default for Coloring {
    fn default() -> Coloring {
        Coloring { block: None, bricks: None, level: None, budget: BUDGET }
    }
}

impl Coloring {
    /// Blocks of the sizes that come out best, for the parts of the outermost level.
    pub fn new() -> Coloring {
        Coloring::default()
    }

    /// The same with blocks of these sizes.
    ///
    /// # Errors
    /// There is no size, or one is 0.
    pub fn block(mut self, sizes: &[u32]) -> Result<Coloring> {
        self.block = Some(Sizes::new("block", sizes)?.0);
        Ok(self)
    }

    /// The same with every other row of blocks displaced, as bricks are, or not.
    #[must_use]
    pub fn bricks(mut self, bricks: bool) -> Coloring {
        self.bricks = Some(bricks);
        self
    }

    /// The same of the parts of this level.
    #[must_use]
    pub fn level(mut self, level: &str) -> Self {
        self.level = Some(level.to_string());
        self
    }

    /// The same with so many exchanges tried at most.
    #[must_use]
    pub fn evaluations(mut self, evaluations: u64) -> Coloring {
        self.budget = evaluations;
        self
    }
}

pub(super) fn read(_: &'static Entry, reader: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    let coloring = Coloring {
        block: None,
        bricks: reader.get("bricks")?,
        level: reader.get("level")?,
        budget: reader.or("evaluations", BUDGET)?,
    };
    Ok(Box::new(reader.set(coloring, "block", |coloring, Sizes(sizes)| coloring.block(&sizes))?))
}

/// The level that is asked for, or the fabric's outermost.
///
/// # Errors
/// None is asked for and the fabric has none.
pub(super) fn level_of(problem: &Problem<'_>, mapping: &str, asked: Option<&String>) -> Result<String> {
    let outermost = problem.fabric().levels().last().map(|level| &level.name);
    asked.or(outermost).cloned().ok_or_else(|| {
        Error::input(format!("mapping `{mapping}`: {} has no levels", problem.fabric().name()))
            .hint("use level=node, or a mapping such as greedy")
    })
}

impl Strategy for Coloring {
    fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).maybe("block", self.block.as_deref()).maybe("bricks", self.bricks);
        params.maybe("level", self.level.as_deref()).unless("evaluations", self.budget, BUDGET)
    }

    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Refused
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let grid = problem.grid(ENTRY.name)?;
        let level = level_of(problem, ENTRY.name, self.level.as_ref())?;
        let parts = parts_of(problem, &level)?;
        let size = equal_size(ENTRY.name, &level, &parts)?;
        let host = slots_per_host(problem, &parts, size);
        let used = problem.tasks().div_ceil(size) as usize;
        if used > MOST_PARTS {
            let text = format!("mapping `{}`: {used} parts are too many to colour, at most {MOST_PARTS}", ENTRY.name);
            return Err(Error::input(text).hint("use level= with larger parts"));
        }
        let free = self.block.is_none() && self.bricks.is_none();
        let even = part_size(problem, ENTRY.name, &level, &parts, 1).and_then(|_| self.cuts(grid, size, host));
        let layouts: Vec<Layout> = match even {
            Ok(cuts) => cuts.iter().map(|(cut, inner)| Layout::even(grid, cut, inner, size)).collect(),
            Err(e) if !free => return Err(e),
            Err(_) => Layout::uneven(grid, size, host, parts.len().min(MOST_PARTS)),
        };
        let mut best: Option<(Score, Mapping, String)> = None;
        for layout in &layouts {
            context.observer.event(Event::Stage { what: format!("colouring {}", layout.name), steps: self.budget });
            let board = Board::new(grid, &layout.blocks);
            let budget = self.budget.min(PER_BLOCK * board.blocks() as u64);
            let known = layout.known.clone().filter(|colors| board.is_perfect(colors));
            let colors = known
                .unwrap_or_else(|| search::search(&board, layout.parts, budget, &mut context.rng, context.observer));
            let mapping = Mapping::new(place(layout, problem.tasks(), &colors, &parts), problem.fabric())?;
            let score = if layouts.len() > 1 { problem.score(&mapping)? } else { Score(Vec::new()) };
            if best.as_ref().is_none_or(|b| score.is_better(&b.0)) {
                best = Some((score, mapping, judgement(&layout.spec, &level, &board, board.quality(&colors))));
            }
        }
        let (_, mapping, note) = best.ok_or_else(|| no_block(grid, size, host))?;
        context.observer.event(Event::Note(note));
        Ok(mapping)
    }
}

impl Coloring {
    /// The cuts to try, each with the shape of its sub-blocks of one host.
    fn cuts(&self, grid: &Grid, size: u32, host: u32) -> Result<Vec<(Cut, Vec<u32>)>> {
        let blocks = match &self.block {
            Some(block) => vec![check(block, grid, size)?],
            None => compact(grid, size),
        };
        let mut cuts = Vec::new();
        for block in blocks {
            let bricks = Cut { block: block.clone(), bricks: true };
            let (laid, flat) = (bricks.longest().is_some() && self.bricks != Some(false), self.bricks != Some(true));
            // A block that was asked for and does not hold whole hosts is ordered task by task.
            let single = self.block.is_some().then(|| vec![1; block.len()]);
            let Some(inner) = block_shape(&block, host).or(single) else { continue };
            if laid {
                cuts.push((bricks, inner.clone()));
            }
            if flat && (!laid || self.block.is_some()) {
                cuts.push((Cut { block, bricks: false }, inner));
            }
        }
        if cuts.is_empty() { Err(no_block(grid, size, host)) } else { Ok(cuts) }
    }
}

/// Blocks of the grid, and how many parts share them.
struct Layout {
    name: String,
    /// The mapping that has this layout alone, as far as a user can ask for it.
    spec: String,
    /// The tasks of each block.
    blocks: Vec<Vec<u32>>,
    /// Slots of a part that a block may fill.
    room: usize,
    parts: usize,
    /// A colouring by formula.
    known: Option<Vec<u32>>,
}

impl Layout {
    fn even(grid: &Grid, cut: &Cut, inner: &[u32], size: u32) -> Layout {
        let order = cut.order(grid, inner);
        Layout {
            name: cut.show(),
            spec: format!("coloring:block={},bricks={}", show(&cut.block), cut.bricks),
            parts: order.len() / size as usize,
            blocks: order.chunks(cut.size()).map(<[u32]>::to_vec).collect(),
            room: cut.size(),
            known: construct(grid, cut, size),
        }
    }

    /// One to [`MOST_BLOCKS`] blocks to a part, each number once; none where the grid does not fit.
    fn uneven(grid: &Grid, size: u32, host: u32, parts: usize) -> Vec<Layout> {
        let mut cuts: Vec<(u32, Uneven)> = Vec::new();
        for room in (1..=MOST_BLOCKS).filter(|&f| size.is_multiple_of(f)).map(|f| size / f) {
            // At most MOST_PARTS * MOST_BLOCKS.
            let most = parts as u32 * (size / room);
            let cut = Uneven::new(grid, room, most).filter(|cut| cuts.iter().all(|(_, other)| other != cut));
            cuts.extend(cut.map(|cut| (room, cut)));
        }
        let layout = |(room, cut): (u32, Uneven)| {
            let blocks = cut.blocks(grid, host);
            Layout {
                name: cut.show(grid),
                spec: format!("coloring, {}", cut.show(grid)),
                parts: parts.min(blocks.len()),
                blocks,
                room: room as usize,
                known: None,
            }
        };
        cuts.into_iter().map(layout).collect()
    }
}

fn no_block(grid: &Grid, size: u32, host: u32) -> Error {
    let sizes = show(&grid.sizes);
    Error::input(format!(
        "mapping `{}`: no block fits that divides the grid {sizes} and a part of {size} tasks and holds hosts of {host}",
        ENTRY.name
    ))
    .hint("bricks need a block with one longest side, of even length; leave bricks= out or name another block=")
}

/// The most compact blocks that divide the grid, 1 to 8 of them to a part, and
/// the same the other way round.
fn compact(grid: &Grid, size: u32) -> Vec<Vec<u32>> {
    let mut blocks: Vec<Vec<u32>> = Vec::new();
    for shape in
        (1..=MOST_BLOCKS).filter(|&f| size.is_multiple_of(f)).filter_map(|f| block_shape(&grid.sizes, size / f))
    {
        let turned: Vec<u32> = shape.iter().rev().copied().collect();
        let fits = turned.iter().zip(&grid.sizes).all(|(side, size)| size % side == 0);
        let both = [Some(shape), fits.then_some(turned)];
        both.into_iter().flatten().for_each(|shape| blocks.push(shape));
    }
    blocks.dedup();
    blocks
}

fn check(block: &[u32], grid: &Grid, size: u32) -> Result<Vec<u32>> {
    let fits = block.len() == grid.sizes.len() && block.iter().zip(&grid.sizes).all(|(b, s)| s % b == 0);
    let tasks = block.iter().try_fold(1u32, |n, &b| n.checked_mul(b));
    if !fits || tasks.is_none_or(|tasks| !size.is_multiple_of(tasks)) {
        return Err(Error::input(format!(
            "mapping `{}`: block={} must divide the grid {}, and its tasks the {size} of a part",
            ENTRY.name,
            show(block),
            show(&grid.sizes)
        )));
    }
    Ok(block.to_vec())
}

/// A colouring by formula, where one is known for such a grid of blocks.
fn construct(grid: &Grid, cut: &Cut, size: u32) -> Option<Vec<u32>> {
    let ([rows, columns], false) = (&grid.sizes[..], cut.bricks) else { return None };
    let (p, q) = (rows / cut.block[0], columns / cut.block[1]);
    match size as usize / cut.size() {
        2 if p.is_multiple_of(2) => Some(colors(p, q)),
        2 if q.is_multiple_of(2) => Some(transposed(&colors(q, p), q, p)),
        8 => bands::colors(p, q).or_else(|| Some(transposed(&bands::colors(q, p)?, q, p))),
        _ => None,
    }
}

/// The `p` x `q` colouring with rows and columns exchanged.
fn transposed(colors: &[u32], p: u32, q: u32) -> Vec<u32> {
    (0..q).flat_map(|j| (0..p).map(move |i| colors[(i * q + j) as usize])).collect()
}

/// The slot of every task: the blocks of a part take its slots one after another.
fn place(layout: &Layout, tasks: u32, colors: &[u32], parts: &[Vec<SlotId>]) -> Vec<SlotId> {
    let mut slots = vec![SlotId(0); tasks as usize];
    let mut taken = vec![0usize; parts.len()];
    for (tasks, &color) in layout.blocks.iter().zip(colors) {
        let part = color as usize;
        let free = &parts[part][taken[part]..];
        taken[part] += layout.room;
        tasks.iter().zip(free).for_each(|(&task, &slot)| slots[task as usize] = slot);
    }
    slots
}

/// What came out, in a sentence.
fn judgement(spec: &str, level: &str, board: &Board, quality: Quality) -> String {
    let spec = format!("{spec},level={level}");
    let (most, least) = (quality.most, board.longest_side());
    if most <= least {
        format!("{spec}: no two parts share more than {most} pairs of neighbouring tasks")
    } else {
        format!(
            "{spec}: {} pairs of parts share {most} pairs of neighbouring tasks; a perfect colouring would have {least}",
            quality.pairs
        )
    }
}
