//! The blocks of a grid as a graph: which blocks lie side by side, and how many
//! pairs of tasks meet there. Colourings are judged on it.

use crate::demand::Grid;

/// Blocks and their sides, in rows of one array.
pub(crate) struct Board {
    first: Vec<usize>,
    /// (block, number of pairs of neighbouring tasks), both ways.
    sides: Vec<(u32, u32)>,
}

/// How evenly a colouring spreads the sides of blocks over the pairs of parts;
/// smaller is better, field by field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Quality {
    /// Most pairs of neighbouring tasks that two parts share.
    pub(crate) most: u32,
    /// Pairs of parts that share so many.
    pub(crate) pairs: usize,
    /// Pairs of neighbouring tasks in different parts.
    pub(crate) between: u64,
}

impl Board {
    /// The tasks of `grid` by blocks, all of them. O(tasks).
    pub(crate) fn new<B: AsRef<[u32]>>(grid: &Grid, blocks: &[B]) -> Board {
        let mut block = vec![0u32; blocks.iter().map(|b| b.as_ref().len()).sum()];
        for (own, tasks) in (0..).zip(blocks) {
            tasks.as_ref().iter().for_each(|&task| block[task as usize] = own);
        }
        let mut board = Board { first: vec![0], sides: Vec::new() };
        let mut met = rustc_hash::FxHashMap::<u32, u32>::default();
        for (own, tasks) in blocks.iter().enumerate() {
            for &task in tasks.as_ref() {
                grid.neighbours(task, |other| *met.entry(block[other as usize]).or_default() += 1);
            }
            met.remove(&(own as u32));
            let begin = board.sides.len();
            board.sides.extend(met.drain());
            board.sides[begin..].sort_unstable();
            board.first.push(board.sides.len());
        }
        board
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.first.len() - 1
    }

    /// The neighbours of a block with the pairs of tasks that meet there.
    pub(crate) fn sides(&self, block: usize) -> &[(u32, u32)] {
        &self.sides[self.first[block]..self.first[block + 1]]
    }

    /// The longest side between two blocks: no colouring of blocks that all have
    /// neighbours in other parts gets below.
    pub(crate) fn longest_side(&self) -> u32 {
        self.sides.iter().map(|s| s.1).max().unwrap_or(0)
    }

    /// Judges a colouring: one part per block. O(sides).
    pub(crate) fn quality(&self, colors: &[u32]) -> Quality {
        let mut shared = rustc_hash::FxHashMap::<(u32, u32), u32>::default();
        for (block, &own) in colors.iter().enumerate() {
            for &(other, amount) in self.sides(block) {
                let other = colors[other as usize];
                if own < other {
                    *shared.entry((own, other)).or_default() += amount;
                }
            }
        }
        let most = shared.values().copied().max().unwrap_or(0);
        Quality {
            most,
            pairs: shared.values().filter(|&&amount| amount == most).count(),
            between: shared.values().map(|&amount| u64::from(amount)).sum(),
        }
    }

    /// True where all neighbours of each colour, over all its blocks, have
    /// different colours, none its own. O(sides).
    pub(crate) fn is_perfect(&self, colors: &[u32]) -> bool {
        let mut pairs = rustc_hash::FxHashSet::default();
        colors.iter().enumerate().all(|(block, &own)| {
            self.sides(block)
                .iter()
                .map(|s| colors[s.0 as usize])
                .all(|other| other != own && pairs.insert((own, other)))
        })
    }
}
