//! Blocks of nearly one size, for grids that equal blocks do not divide and jobs that do not fill their parts: a side
//! of 60 tasks as eight blocks of 7 and 8.

use crate::demand::Grid;

/// How many blocks along each dimension, and so how large they are at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Uneven {
    pub(super) counts: Vec<u32>,
}

impl Uneven {
    /// At most `most` blocks of at most `room` tasks: those whose longest side between two blocks is the shortest, of
    /// equals those with the fewest pairs of tasks between blocks. `None` where they do not fit.
    /// O(most * ln(most)^(d-1)) in d dimensions.
    pub(super) fn new(grid: &Grid, room: u32, most: u32) -> Option<Uneven> {
        let mut best: Option<((u64, u64), Vec<u32>)> = None;
        each(&grid.sizes, most, &mut Vec::new(), &mut |counts| {
            let sides: Vec<u64> = grid.sizes.iter().zip(counts).map(|(&n, &c)| u64::from(n.div_ceil(c))).collect();
            let tasks: u64 = sides.iter().product();
            if tasks > u64::from(room) {
                return;
            }
            let cut = sides.iter().zip(counts).filter(|(_, count)| **count > 1);
            let longest = cut.map(|(side, _)| tasks / side).max().unwrap_or(0);
            let all: u64 = grid.sizes.iter().map(|&n| u64::from(n)).product();
            let between: u64 = grid.sizes.iter().zip(counts).map(|(&n, &c)| all / u64::from(n) * u64::from(c)).sum();
            if best.as_ref().is_none_or(|(least, _)| (longest, between) < *least) {
                best = Some(((longest, between), counts.to_vec()));
            }
        });
        best.map(|(_, counts)| Uneven { counts })
    }

    /// The tasks of each block, blocks in row-major order; inside by tiles of one host's tasks. O(tasks).
    pub(super) fn blocks(&self, grid: &Grid, host: u32) -> Vec<Vec<u32>> {
        let tile = super::block_shape(&vec![host; grid.sizes.len()], host).unwrap_or_else(|| vec![1; grid.sizes.len()]);
        let blocks = self.counts.iter().map(|&c| c as usize).product();
        let mut tasks: Vec<Vec<(Vec<u32>, u32)>> = vec![Vec::new(); blocks];
        for task in 0..grid.tasks().unwrap_or(0) {
            let (mut rest, mut block, mut stride) = (task, 0, 1);
            // Which tile of the block, then which task of the tile; the last dimension varies fastest.
            let mut place = vec![0; 2 * tile.len()];
            for (d, (&n, &count)) in grid.sizes.iter().zip(&self.counts).enumerate().rev() {
                let x = rest % n;
                rest /= n;
                let at = (u64::from(x) * u64::from(count) / u64::from(n)) as u32;
                let begin = (u64::from(at) * u64::from(n)).div_ceil(u64::from(count)) as u32;
                (place[d], place[tile.len() + d]) = ((x - begin) / tile[d], (x - begin) % tile[d]);
                block += at as usize * stride;
                stride *= count as usize;
            }
            tasks[block].push((place, task));
        }
        let sorted = tasks.into_iter().map(|mut block| {
            block.sort_unstable();
            block.into_iter().map(|(_, task)| task).collect()
        });
        sorted.collect()
    }

    /// `8x8 blocks of at most 8x8`.
    pub(super) fn show(&self, grid: &Grid) -> String {
        let most: Vec<u32> = grid.sizes.iter().zip(&self.counts).map(|(n, &c)| n.div_ceil(c)).collect();
        format!("{} blocks of at most {}", super::show(&self.counts), super::show(&most))
    }
}

/// All counts along each dimension whose product is at most `most`.
fn each(sizes: &[u32], most: u32, counts: &mut Vec<u32>, visit: &mut impl FnMut(&[u32])) {
    let Some((&size, rest)) = sizes.split_first() else { return visit(counts) };
    for count in 1..=size.min(most) {
        counts.push(count);
        each(rest, most / count, counts, visit);
        counts.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_in_one_block_that_is_not_too_large() {
        for (sizes, room, most) in [
            (vec![60, 60], 64, 64),
            (vec![7, 512], 64, 64),
            (vec![37, 109], 16, 300),
            (vec![9, 10, 11], 32, 50),
            (vec![5], 2, 3),
        ] {
            let grid = Grid { sizes, wrap: true };
            let cut = Uneven::new(&grid, room, most).expect("it fits");
            let blocks = cut.blocks(&grid, 4);
            assert!(
                blocks.len() as u32 <= most && blocks.iter().all(|b| (1..=room as usize).contains(&b.len())),
                "{cut:?}"
            );
            let mut all = blocks.concat();
            all.sort_unstable();
            assert_eq!(all, (0..grid.tasks().expect("small")).collect::<Vec<_>>(), "{cut:?}");
        }
    }

    #[test]
    fn what_does_not_fit_has_no_blocks() {
        let grid = Grid { sizes: vec![64, 64], wrap: true };
        assert_eq!(Uneven::new(&grid, 64, 63), None);
        assert_eq!(Uneven::new(&grid, 64, 64), Some(Uneven { counts: vec![8, 8] }));
        assert_eq!(Uneven::new(&grid, 64, 64).expect("it fits").show(&grid), "8x8 blocks of at most 8x8");
    }
}
