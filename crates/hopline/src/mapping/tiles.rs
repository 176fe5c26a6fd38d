//! Cutting a task grid into equal blocks.

use crate::demand::Grid;

/// The block of `tasks` tasks with the smallest surface whose sides divide
/// `sizes`; among equals the one with the shorter first side (4x8, not 8x4).
/// `None` where no block of that many tasks fits.
pub(super) fn block_shape(sizes: &[u32], tasks: u32) -> Option<Vec<u32>> {
    let mut best: Option<(u64, Vec<u32>)> = None;
    let mut sides = Vec::with_capacity(sizes.len());
    each_shape(sizes, tasks, &mut sides, &mut |shape| {
        let surface = shape.iter().map(|&side| u64::from(tasks / side)).sum();
        if best.as_ref().is_none_or(|(least, _)| surface < *least) {
            best = Some((surface, shape.to_vec()));
        }
    });
    best.map(|(_, shape)| shape)
}

fn each_shape(sizes: &[u32], tasks: u32, sides: &mut Vec<u32>, visit: &mut impl FnMut(&[u32])) {
    let Some((&size, rest)) = sizes.split_first() else {
        if tasks == 1 {
            visit(sides);
        }
        return;
    };
    for side in (1..=size.min(tasks)).filter(|&s| size.is_multiple_of(s) && tasks.is_multiple_of(s)) {
        sides.push(side);
        each_shape(rest, tasks / side, sides, visit);
        sides.pop();
    }
}

/// All tasks of a grid, block by block in row-major order of the blocks; inside
/// a block again by the next shape, and innermost task by task.
pub(super) fn by_blocks(grid: &Grid, shapes: &[&[u32]]) -> Vec<u32> {
    let mut tasks = Vec::with_capacity(grid.sizes.iter().map(|&s| s as usize).product());
    walk(&grid.sizes, &vec![0; grid.sizes.len()], &grid.sizes, shapes, &mut tasks);
    tasks
}

/// Visits the box of `extent` at `origin`, cut by the shapes.
fn walk(sizes: &[u32], origin: &[u32], extent: &[u32], shapes: &[&[u32]], tasks: &mut Vec<u32>) {
    let Some((shape, inner)) = shapes.split_first() else {
        return each_cell(extent, |cell| {
            let at = cell.iter().zip(origin).zip(sizes).fold(0, |rank, ((&c, &o), &size)| rank * size + o + c);
            tasks.push(at);
        });
    };
    let blocks: Vec<u32> = extent.iter().zip(*shape).map(|(&e, &s)| e / s).collect();
    let mut origins = Vec::new();
    each_cell(&blocks, |block| {
        origins.push(block.iter().zip(*shape).zip(origin).map(|((&b, &s), &o)| o + b * s).collect::<Vec<u32>>());
    });
    origins.iter().for_each(|origin| walk(sizes, origin, shape, inner, tasks));
}

/// Every cell of a box in row-major order.
fn each_cell(extent: &[u32], mut visit: impl FnMut(&[u32])) {
    let mut cell = vec![0; extent.len()];
    loop {
        visit(&cell);
        let Some(d) = (0..extent.len()).rev().find(|&d| cell[d] + 1 < extent[d]) else { return };
        cell[d] += 1;
        cell[d + 1..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_compact_and_fit() {
        assert_eq!(block_shape(&[64, 64], 32), Some(vec![4, 8]));
        assert_eq!(block_shape(&[64, 64], 128), Some(vec![8, 16]));
        assert_eq!(block_shape(&[32, 64], 4), Some(vec![2, 2]));
        assert_eq!(block_shape(&[4, 4, 4], 8), Some(vec![2, 2, 2]));
        assert_eq!(block_shape(&[3, 5], 4), None);
        assert_eq!(block_shape(&[7], 1), Some(vec![1]));
    }

    #[test]
    fn blocks_are_nested_in_row_major_order() {
        let grid = Grid { sizes: vec![4, 4], wrap: true };
        assert_eq!(by_blocks(&grid, &[&[2, 4], &[2, 2]])[..8], [0, 1, 4, 5, 2, 3, 6, 7]);
        let mut all = by_blocks(&grid, &[&[2, 2]]);
        all.sort_unstable();
        assert_eq!(all, (0..16).collect::<Vec<_>>());
    }
}
