//! Dense matrices: N rows of N amounts, row = sender. Commas, semicolons or white
//! space between the numbers; empty lines and `#` comments anywhere between rows.
//!
//! Every cell counts: between separators that are no blanks an empty one is 0, and a note
//! says how many there are. A separator at the end of a row is forgiven where there
//! is no column for it.

use super::contents::{MAX_TASKS, Read};
use super::square::Cut;
use crate::demand::{Demand, Unit};
use crate::error::Result;
use crate::format::lines::Lines;
use crate::format::words::amount;

/// Reads a dense matrix: O(text).
///
/// # Errors
/// A number that is no amount, or a matrix that is not square.
pub(super) fn parse(path: &str, text: &str) -> Result<Read> {
    let cut = Cut::of(text);
    let count = cut.rows(text).count();
    let mut lines = Lines::new(path, text);
    let mut entries = Vec::new();
    let (mut rows, mut empty, mut is_bare) = (0, 0_u64, false);
    let mut expected = None;
    while let Some(line) = lines.next() {
        if !cut.is_row(line) {
            continue;
        }
        let cells = cut.cells(line, count);
        is_bare |= rows == 0 && cells.first().is_some_and(|first| first.is_empty());
        let mut columns = 0;
        // Bounded, so that no count overflows: more columns than that can have no square.
        for (column, cell) in (0..MAX_TASKS).zip(&cells) {
            columns = column + 1;
            if cell.is_empty() {
                empty += 1;
                continue;
            }
            let bytes = amount(&lines, cell)?;
            if bytes > 0.0 {
                entries.push((rows, column, bytes));
            }
        }
        let tasks = *expected.get_or_insert(columns);
        rows += 1;
        if columns != tasks {
            return Err(lines.error(format!("row {rows} has {columns} columns, expected {tasks}")).hint(hint(is_bare)));
        }
        if rows > tasks {
            break;
        }
    }
    let tasks = expected.unwrap_or(0);
    if rows != tasks {
        return Err(lines.error(format!("{rows} rows, expected {tasks}")).hint(hint(is_bare)));
    }
    let demand = Demand::new(tasks, Unit::Bytes, entries, Vec::new()).map_err(|e| e.at(&lines.place()))?;
    let notes = match empty {
        0 => Vec::new(),
        1 => vec!["1 cell of the matrix is empty: it counts 0".to_string()],
        _ => vec![format!("{empty} cells of the matrix are empty: they count 0")],
    };
    Ok(Read { demand, notes })
}

/// What to do, where the first cell is empty or not.
fn hint(is_bare: bool) -> &'static str {
    match is_bare {
        false => "a matrix has one row and one column for each task",
        true => {
            "a matrix has one row and one column for each task, and 0 where nothing is sent; \
             where the first row and column are ranks, write a word such as `src` into the first cell"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_senders() {
        let commas = parse("m", "# from LAMMPS\n0, 1.5e3,0\n\n  2,0,0\n0,0,7,\n").expect("commas");
        assert_eq!(commas.demand.entries(), [(0, 1, 1500.0), (1, 0, 2.0), (2, 2, 7.0)]);
        assert_eq!(parse("m", "0\t1.5e3 0\r\n2 0 0\r\n0 0 7").expect("white space"), commas);
    }

    #[test]
    fn empty_cells_are_zeros() {
        let read = |text: &str| parse("m", text).expect(text);
        let square = read(",5,7\n2,,3\n4,9,\n");
        assert_eq!(
            square.demand.entries(),
            [(0, 1, 5.0), (0, 2, 7.0), (1, 0, 2.0), (1, 2, 3.0), (2, 0, 4.0), (2, 1, 9.0)]
        );
        assert_eq!(square.notes, ["3 cells of the matrix are empty: they count 0"]);
        for text in [";5;7\n2;;3\n4;9;\n", "\t5\t7\n2\t\t3\n4\t9\t\n", "\"\",\"5\",\"7\"\n2,,3,\n4,9,,\n"] {
            assert_eq!(read(text), square, "{text}");
        }
        let one = read("\t5\n\t\n");
        assert_eq!((one.demand.tasks(), one.demand.entries()), (2, &[(0, 1, 5.0)][..]), "a line of tabs is a row");
        assert_eq!(read("1,2,\n3,4\n").notes, [""; 0], "a separator at the end is no cell");
    }

    #[test]
    fn errors_name_the_line() {
        let hint = "a matrix has one row and one column for each task";
        let amounts = "amounts are bytes, whole or decimal, without a unit";
        for (text, error) in [
            ("0,1\n\n2\n", format!("m:3: row 2 has 1 columns, expected 2; {hint}")),
            ("0,1\n2,0,1\n", format!("m:2: row 2 has 3 columns, expected 2; {hint}")),
            ("0,1,2\n2,0,1\n", format!("m:2: 2 rows, expected 3; {hint}")),
            ("0,1\n2,0\n# end\n1,1\n1,1\n", format!("m:4: 3 rows, expected 2; {hint}")),
            ("0,-1\n2,0\n", format!("m:1: found `-1`, expected an amount from 0 to 1e30; {amounts}")),
            ("0,1\nNaN,0\n", format!("m:2: found `NaN`, expected an amount from 0 to 1e30; {amounts}")),
            ("0,1\n1e31,0\n", format!("m:2: found `1e31`, expected an amount from 0 to 1e30; {amounts}")),
            ("0,,1\n1,0\n", format!("m:2: row 2 has 2 columns, expected 3; {hint}")),
            ("0,1\n1,0,3\n", format!("m:2: row 2 has 3 columns, expected 2; {hint}")),
            ("0,,7,1\n2,,3,1\n4,,0,1\n", format!("m:3: 3 rows, expected 4; {hint}")),
            ("1 2,3\n2,0\n", format!("m:1: found `1 2`, expected an amount from 0 to 1e30; {amounts}")),
            (
                ",1,2,9\n1,,3,\n9,4,5,\n",
                format!(
                    "m:2: row 2 has 3 columns, expected 4; {hint}, and 0 where nothing is sent; \
                     where the first row and column are ranks, write a word such as `src` into the first cell"
                ),
            ),
            ("0,1kB\n2,0\n", format!("m:1: found `1kB`, expected an amount from 0 to 1e30; {amounts}")),
        ] {
            assert_eq!(parse("m", text).expect_err(text).to_string(), error);
        }
    }
}
