//! The least sum of costs when every row takes a column of its own.

/// Least cost of assigning every row a column, no column twice; there are at
/// least as many columns as rows. O(rows^2 * columns), O(columns) memory beside
/// the costs. Kuhn (1955) and Munkres (1957), with one row added at a time.
pub(super) fn least_assignment(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> f64 {
    const NONE: usize = usize::MAX;
    // Prices such that cost >= of_row + of_column everywhere, equal where assigned.
    let (mut of_row, mut of_column) = (vec![0.0; rows], vec![0.0; columns]);
    let mut row_at = vec![NONE; columns];
    for new in 0..rows {
        // Shortest way, in reduced costs, from the new row to a free column.
        let (mut far, mut before) = (vec![f64::INFINITY; columns], vec![NONE; columns]);
        let mut done = vec![false; columns];
        let (mut row, mut column, mut reached) = (new, NONE, 0.0);
        loop {
            let mut next = NONE;
            for j in (0..columns).filter(|&j| !done[j]) {
                let through = reached + cost(row, j) - of_row[row] - of_column[j];
                if through < far[j] {
                    (far[j], before[j]) = (through, column);
                }
                if next == NONE || far[j] < far[next] {
                    next = j;
                }
            }
            (column, reached) = (next, far[next]);
            if row_at[column] == NONE {
                break;
            }
            done[column] = true;
            row = row_at[column];
        }
        of_row[new] += reached;
        for j in (0..columns).filter(|&j| done[j]) {
            of_row[row_at[j]] += reached - far[j];
            of_column[j] -= reached - far[j];
        }
        while before[column] != NONE {
            row_at[column] = row_at[before[column]];
            column = before[column];
        }
        row_at[column] = new;
    }
    // The prices prove the bound whatever was assigned.
    of_row.iter().sum::<f64>() + of_column.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn by_trying(rows: usize, taken: &mut Vec<bool>, cost: &dyn Fn(usize, usize) -> f64) -> f64 {
        if rows == 0 {
            return 0.0;
        }
        let mut least = f64::INFINITY;
        for j in 0..taken.len() {
            if !taken[j] {
                taken[j] = true;
                least = least.min(cost(rows - 1, j) + by_trying(rows - 1, taken, cost));
                taken[j] = false;
            }
        }
        least
    }

    #[test]
    fn it_is_the_least_of_all() {
        let mut rng = Rng::new(1, "assignment");
        for (rows, columns) in [(1, 1), (1, 4), (4, 4), (5, 7), (6, 6)] {
            for _ in 0..20 {
                let costs: Vec<f64> = (0..rows * columns).map(|_| rng.below(20) as f64).collect();
                let cost = |i: usize, j: usize| costs[i * columns + j];
                let expected = by_trying(rows, &mut vec![false; columns], &cost);
                assert!((least_assignment(rows, columns, cost) - expected).abs() < 1e-9, "{rows}x{columns}");
            }
        }
    }
}
