//! Dense matrices: N rows of N amounts, row = sender. Commas or white space
//! between the numbers; empty lines and `#` comments anywhere between rows.

use super::contents::{MAX_TASKS, Read};
use crate::demand::{Demand, Unit};
use crate::error::Result;
use crate::format::lines::Lines;
use crate::format::words::{amount, is_comment, numbers};

/// Reads a dense matrix: O(text).
///
/// # Errors
/// A number that is no amount, or a matrix that is not square.
pub(super) fn parse(path: &str, text: &str) -> Result<Read> {
    const HINT: &str = "a matrix has one row and one column for each task";
    let mut lines = Lines::new(path, text);
    let mut entries = Vec::new();
    let mut rows = 0;
    let mut expected = None;
    while let Some(line) = lines.next() {
        if is_comment(line) {
            continue;
        }
        let mut columns = 0;
        // Bounded, so that no count overflows: more columns than that can have no square.
        for (column, word) in (0..MAX_TASKS).zip(numbers(line)) {
            let bytes = amount(&lines, word)?;
            if bytes > 0.0 {
                entries.push((rows, column, bytes));
            }
            columns = column + 1;
        }
        let tasks = *expected.get_or_insert(columns);
        rows += 1;
        if columns != tasks {
            return Err(lines.error(format!("row {rows} has {columns} columns, expected {tasks}")).hint(HINT));
        }
        if rows > tasks {
            break;
        }
    }
    let tasks = expected.unwrap_or(0);
    if rows != tasks {
        return Err(lines.error(format!("{rows} rows, expected {tasks}")).hint(HINT));
    }
    let demand = Demand::new(tasks, Unit::Bytes, entries, Vec::new()).map_err(|e| e.at(&lines.place()))?;
    Ok(Read { demand, notes: Vec::new() })
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
            ("0,1kB\n2,0\n", format!("m:1: found `1kB`, expected an amount from 0 to 1e30; {amounts}")),
        ] {
            assert_eq!(parse("m", text).expect_err(text).to_string(), error);
        }
    }
}
