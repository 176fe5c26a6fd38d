//! All ways to share the sizes of a grid among the axes, or levels, of a machine.

/// `share[i][j]`: how many of the tasks along dimension i lie along axis j.
pub(super) type Share = Vec<Vec<u32>>;

/// Visits every matrix of whole numbers whose rows multiply to `rows` and whose
/// columns to `columns`, until `visit` says enough: first those with large parts in the first columns. The number of matrices
/// grows with the exponents of primes in the sizes.
pub(super) fn each_share(rows: &[u32], columns: &[u32], visit: &mut impl FnMut(&Share) -> bool) {
    let product = |sizes: &[u32]| sizes.iter().map(|&s| u64::from(s)).product::<u64>();
    if product(rows) == product(columns) {
        let mut share = vec![vec![1; columns.len()]; rows.len()];
        fill(0, 0, rows, &mut rows.to_vec(), &mut columns.to_vec(), &mut share, visit);
    }
}

/// Fills cells row by row; `row` and `column` are what is left of each size.
fn fill(
    i: usize,
    j: usize,
    rows: &[u32],
    row: &mut Vec<u32>,
    column: &mut Vec<u32>,
    share: &mut Share,
    visit: &mut impl FnMut(&Share) -> bool,
) -> bool {
    if i == rows.len() {
        return visit(share);
    }
    if j + 1 == column.len() {
        // The last axis takes the rest of the dimension.
        let rest = row[i];
        if !column[j].is_multiple_of(rest) {
            return true;
        }
        share[i][j] = rest;
        column[j] /= rest;
        let go_on = fill(i + 1, 0, rows, row, column, share, visit);
        column[j] *= rest;
        return go_on;
    }
    let most = row[i].min(column[j]);
    for part in
        (1..=most).rev().filter(|&p| row[i].is_multiple_of(p) && column[j].is_multiple_of(p)).collect::<Vec<_>>()
    {
        share[i][j] = part;
        row[i] /= part;
        column[j] /= part;
        let go_on = fill(i, j + 1, rows, row, column, share, visit);
        row[i] *= part;
        column[j] *= part;
        if !go_on {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_is_visited_once() {
        let mut seen = Vec::new();
        each_share(&[4, 4], &[2, 8], &mut |s| {
            seen.push(s.clone());
            true
        });
        assert_eq!(seen, [[[2, 2], [1, 4]], [[1, 4], [2, 2]]]);
        each_share(&[3], &[2], &mut |_| panic!("nothing fits"));
    }
}
