//! Walks through a box in unit steps: the way in which one dimension of a grid
//! is folded along several axes.

/// Order in which a walk visits the cells of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Walk {
    /// Row-major without turning: what lies on an axis stays in order.
    Plain,
    /// The reflected Gray code: back and forth, one step at a time.
    Snake,
    /// A closed walk: forth through all but the first cell of every row, back
    /// through those. Needs an even number of rows of at least two cells.
    Ring,
}

impl Walk {
    /// Cell number `at` of the box `sides`, the first side fastest, into `cell`.
    pub(super) fn cell(self, sides: &[u32], at: u32, cell: &mut Vec<u32>) {
        cell.clear();
        match self {
            Walk::Plain => {
                let mut rest = at;
                for &side in sides {
                    cell.push(rest % side);
                    rest /= side;
                }
            }
            Walk::Snake => snake(sides, at, cell),
            Walk::Ring => {
                let rows: u32 = sides[1..].iter().product();
                let (long, back) = (sides[0] - 1, at >= rows * (sides[0] - 1));
                let row = if back { rows - 1 - (at - rows * long) } else { at / long };
                let step = if row.is_multiple_of(2) { at % long } else { long - 1 - at % long };
                let first = if back { 0 } else { 1 + step };
                snake(&sides[1..], row, cell);
                cell.insert(0, first);
            }
        }
    }

    /// The walks that a box allows.
    pub(super) fn of(sides: &[u32]) -> &'static [Walk] {
        let rows: u32 = sides.iter().skip(1).product();
        match sides.len() {
            0 | 1 => &[Walk::Plain],
            _ if sides[0] > 1 && rows.is_multiple_of(2) => &[Walk::Snake, Walk::Ring, Walk::Plain],
            _ => &[Walk::Snake, Walk::Plain],
        }
    }
}

fn snake(sides: &[u32], at: u32, cell: &mut Vec<u32>) {
    let mut rest = at;
    for &side in sides {
        let (digit, higher) = (rest % side, rest / side);
        cell.push(if higher.is_multiple_of(2) { digit } else { side - 1 - digit });
        rest = higher;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(walk: Walk, sides: &[u32]) -> Vec<u32> {
        let n: u32 = sides.iter().product();
        let mut cells = vec![Vec::new(); n as usize];
        (0..n).for_each(|at| walk.cell(sides, at, &mut cells[at as usize]));
        let mut sorted = cells.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), n as usize, "{walk:?} meets a cell twice in {sides:?}");
        let far = |a: &[u32], b: &[u32]| a.iter().zip(b).map(|(x, y)| x.abs_diff(*y)).sum();
        (0..n as usize).map(|i| far(&cells[i], &cells[(i + 1) % n as usize])).collect()
    }

    #[test]
    fn snakes_and_rings_go_step_by_step() {
        for sides in [&[4, 3][..], &[2, 2, 3], &[3, 4], &[5, 2, 3]] {
            let snake = steps(Walk::Snake, sides);
            assert!(snake[..snake.len() - 1].iter().all(|&s| s == 1), "{sides:?}");
        }
        for sides in [&[3, 4][..], &[2, 2], &[5, 2, 3], &[16, 4]] {
            assert!(steps(Walk::Ring, sides).iter().all(|&s| s == 1), "{sides:?}");
        }
        steps(Walk::Plain, &[3, 4]);
    }
}
