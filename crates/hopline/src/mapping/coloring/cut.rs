//! How a task grid is cut into equal blocks: side by side, or like bricks.

use super::super::blocks::show;
use super::super::tiles::by_blocks;
use crate::demand::Grid;

/// Equal blocks of a task grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Tasks of a block along each dimension; divides the grid.
    pub(crate) block: Vec<u32>,
    /// True where every second layer of blocks is shifted by half a block along
    /// the longest side, so that a long side is shared by two neighbours.
    pub(crate) bricks: bool,
}

impl Cut {
    /// Tasks of a block.
    pub(crate) fn size(&self) -> usize {
        self.block.iter().map(|&side| side as usize).product()
    }

    /// All tasks, block by block in row-major order of the blocks; inside a
    /// block by sub-blocks of the shape `inner`. O(tasks).
    pub(crate) fn order(&self, grid: &Grid, inner: &[u32]) -> Vec<u32> {
        let mut tasks = by_blocks(grid, &[&self.block, inner]);
        if let Some(along) = self.longest().filter(|_| self.bricks) {
            tasks.iter_mut().for_each(|task| *task = self.shift(grid, *task, along));
        }
        tasks
    }

    /// The one dimension in which a block is longest, if it can be halved.
    pub(crate) fn longest(&self) -> Option<usize> {
        let most = *self.block.iter().max()?;
        let at = self.block.iter().position(|&side| side == most)?;
        (most.is_multiple_of(2) && self.block.iter().filter(|&&side| side == most).count() == 1).then_some(at)
    }

    /// Moves a task of an odd layer by half a block, around the end of the grid.
    fn shift(&self, grid: &Grid, task: u32, along: usize) -> u32 {
        let (mut stride, mut layer, mut at) = (1, 0, (1, 0));
        for (d, (&size, &side)) in grid.sizes.iter().zip(&self.block).enumerate().rev() {
            let x = task / stride % size;
            if d == along {
                at = (stride, x);
            } else {
                layer += x / side;
            }
            stride *= size;
        }
        let (stride, x) = at;
        let shifted = (x + layer % 2 * (self.block[along] / 2)) % grid.sizes[along];
        task - x * stride + shifted * stride
    }

    /// `4x8`, or `4x8 bricks`.
    pub(crate) fn show(&self) -> String {
        format!("{}{}", show(&self.block), if self.bricks { " bricks" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bricks_lie_half_a_block_apart() {
        let grid = Grid { sizes: vec![4, 8], wrap: true };
        let cut = Cut { block: vec![2, 4], bricks: true };
        let order = cut.order(&grid, &[1, 1]);
        assert_eq!(order[..8], [0, 1, 2, 3, 8, 9, 10, 11], "the first layer stays");
        assert_eq!(order[16..24], [18, 19, 20, 21, 26, 27, 28, 29], "the second moves by two");
        assert_eq!(order[24..], [22, 23, 16, 17, 30, 31, 24, 25], "and goes around the end");
        assert_eq!(Cut { block: vec![2, 2], bricks: true }.longest(), None);
    }
}
