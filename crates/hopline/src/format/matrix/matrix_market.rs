//! Matrix Market files: `%%MatrixMarket matrix coordinate|array
//! real|integer|pattern general|symmetric`, row = sender, counted from 1.
//!
//! A pattern's entries weigh 1; a symmetric matrix stores its lower triangle,
//! and each entry off the diagonal is two demands, one each way.

use super::contents::{Read, tasks};
use crate::demand::{Demand, Unit};
use crate::error::Result;
use crate::format::lines::Lines;
use crate::format::words::{amount, quote};

const BANNER: &str = "%%MatrixMarket";

/// True where a text is in this format, whatever it then holds.
pub(super) fn begins(text: &str) -> bool {
    text.get(..BANNER.len()).is_some_and(|start| start.eq_ignore_ascii_case(BANNER))
}

struct Banner {
    array: bool,
    pattern: bool,
    symmetric: bool,
}

/// Reads a square matrix: O(text + entries log entries).
///
/// # Errors
/// A kind of matrix without a meaning here, one that is not square, an entry
/// out of range, or another number of entries than the size line says.
pub(super) fn parse(path: &str, text: &str) -> Result<Read> {
    let mut lines = Lines::new(path, text);
    let kind = read_banner(&mut lines)?;
    let (tasks, expected) = read_size(&mut lines, &kind)?;
    let mut entries = Vec::new();
    let read =
        if kind.array { read_array } else { read_coordinates }(&mut lines, &kind, tasks, expected, &mut entries)?;
    if read != expected {
        let (read, more) = if read > expected { (expected, "more than ") } else { (read, "") };
        let hint = "the size line and the kind of matrix say how many there are";
        return Err(lines.error(format!("{more}{read} entries, expected {expected}")).hint(hint));
    }
    let demand = Demand::new(tasks, Unit::Bytes, entries, Vec::new()).map_err(|e| e.at(&lines.place()))?;
    let note = kind.pattern.then(|| "the entries have no weights: each counts 1 byte".to_string());
    Ok(Read { demand, notes: note.into_iter().collect() })
}

fn read_banner(lines: &mut Lines<'_>) -> Result<Banner> {
    let line = lines.next().unwrap_or_default();
    let lower = line.to_ascii_lowercase();
    let words: Vec<&str> = lower.split_ascii_whitespace().collect();
    match *words.as_slice() {
        [
            _,
            "matrix",
            layout @ ("coordinate" | "array"),
            field @ ("real" | "integer" | "pattern"),
            shape @ ("general" | "symmetric"),
        ] if (layout, field) != ("array", "pattern") => {
            Ok(Banner { array: layout == "array", pattern: field == "pattern", symmetric: shape == "symmetric" })
        }
        _ => Err(lines.error(format!("found {}", quote(line.get(BANNER.len()..).unwrap_or_default().trim()))).hint(
            "accepted are matrix coordinate real|integer|pattern general|symmetric \
             and matrix array real|integer general|symmetric",
        )),
    }
}

fn is_data(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with('%')
}

/// The number of tasks and of entries in the file.
fn read_size(lines: &mut Lines<'_>, kind: &Banner) -> Result<(u32, u64)> {
    let line = lines.by_ref().find(|line| is_data(line)).unwrap_or_default();
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (rows, columns, stored) = match *words.as_slice() {
        [rows, columns] if kind.array => (rows, columns, None),
        [rows, columns, stored] if !kind.array => (rows, columns, Some(stored)),
        _ => {
            let expected = if kind.array { "rows and columns" } else { "rows, columns and entries" };
            return Err(lines.error(format!("{} numbers in the size line, expected {expected}", words.len())));
        }
    };
    if rows != columns {
        let message = format!("{} rows and {} columns, expected a square matrix", quote(rows), quote(columns));
        return Err(lines.error(message).hint("a matrix has one row and one column for each task"));
    }
    let tasks = tasks(lines, rows)?;
    let n = u64::from(tasks);
    let entries = match stored {
        Some(word) => {
            word.parse().map_err(|_| lines.error(format!("found {}, expected a number of entries", quote(word))))?
        }
        None if kind.symmetric => n * (n + 1) / 2,
        None => n * n,
    };
    Ok((tasks, entries))
}

type Entries = Vec<(u32, u32, f64)>;

fn add(entries: &mut Entries, kind: &Banner, (row, column): (u32, u32), weight: f64) {
    if weight > 0.0 {
        entries.push((row, column, weight));
        if kind.symmetric && row != column {
            entries.push((column, row, weight));
        }
    }
}

/// The number of entries that were read: at most one more than expected.
fn read_coordinates(lines: &mut Lines<'_>, kind: &Banner, tasks: u32, expected: u64, out: &mut Entries) -> Result<u64> {
    let mut read = 0;
    while let Some(line) = lines.next() {
        if !is_data(line) {
            continue;
        }
        read += 1;
        if read > expected {
            break;
        }
        let shape = if kind.pattern { "row column" } else { "row column amount" };
        let wrong = || lines.error(format!("found {}, expected `{shape}`", quote(line)));
        let index = |word: &str| {
            word.parse().ok().filter(|i| (1..=tasks).contains(i)).map(|i| i - 1).ok_or_else(|| {
                lines.error(format!("found {}, expected a row or column from 1 to {tasks}", quote(word)))
            })
        };
        let mut words = line.split_ascii_whitespace();
        let (row, column) = words.next().zip(words.next()).ok_or_else(wrong)?;
        let (row, column) = (index(row)?, index(column)?);
        let weight = if kind.pattern { 1.0 } else { amount(lines, words.next().ok_or_else(wrong)?)? };
        if words.next().is_some() {
            return Err(wrong());
        }
        if kind.symmetric && row < column {
            let message = format!("row {} column {} lies above the diagonal", row + 1, column + 1);
            return Err(lines.error(message).hint("a symmetric file stores the lower triangle: row >= column"));
        }
        add(out, kind, (row, column), weight);
    }
    Ok(read)
}

/// As [`read_coordinates`]; an array runs down its columns.
fn read_array(lines: &mut Lines<'_>, kind: &Banner, tasks: u32, expected: u64, out: &mut Entries) -> Result<u64> {
    let (mut read, mut row, mut column) = (0, 0, 0);
    while let Some(line) = lines.next() {
        if !is_data(line) {
            continue;
        }
        for word in line.split_ascii_whitespace() {
            read += 1;
            if read > expected {
                return Ok(read);
            }
            add(out, kind, (row, column), amount(lines, word)?);
            row += 1;
            if row == tasks {
                column += 1;
                row = if kind.symmetric { column } else { 0 };
            }
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<(u32, u32, f64)> {
        parse("m", text).expect(text).demand.entries().to_vec()
    }

    #[test]
    fn every_kind_is_read() {
        let general = "%%matrixmarket MATRIX coordinate real general\n% by hand\n\n3 3 3\n1 2 5\n3 1 1e3\n2 2 .5\n";
        assert_eq!(entries(general), [(0, 1, 5.0), (1, 1, 0.5), (2, 0, 1000.0)]);
        let pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n";
        assert_eq!(entries(pattern), [(0, 0, 1.0), (0, 1, 1.0), (1, 0, 1.0)]);
        assert_eq!(parse("m", pattern).expect(pattern).notes, ["the entries have no weights: each counts 1 byte"]);
        let array = "%%MatrixMarket matrix array integer general\n2 2\n0\n1\n2\n3\n";
        assert_eq!(entries(array), [(0, 1, 2.0), (1, 0, 1.0), (1, 1, 3.0)], "down the columns");
        let triangle = "%%MatrixMarket matrix array real symmetric\n2 2\n4 1\n3\n";
        assert_eq!(entries(triangle), [(0, 0, 4.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 3.0)]);
    }

    #[test]
    fn errors_name_the_line() {
        let real = "%%MatrixMarket matrix coordinate real general\n";
        let symmetric = "%%MatrixMarket matrix coordinate pattern symmetric\n";
        let array = "%%MatrixMarket matrix array real general\n";
        let entries = "the size line and the kind of matrix say how many there are";
        let square = "a matrix has one row and one column for each task";
        let accepted = "accepted are matrix coordinate real|integer|pattern general|symmetric \
                        and matrix array real|integer general|symmetric";
        for (start, text, error) in [
            (
                "%%MatrixMarket matrix array pattern general\n",
                "",
                format!("1: found `matrix array pattern general`; {accepted}"),
            ),
            ("%%MatrixMarketing", "", format!("1: found `ing`; {accepted}")),
            (real, "2 2\n", "2: 2 numbers in the size line, expected rows, columns and entries".into()),
            (array, "", "1: 0 numbers in the size line, expected rows and columns".into()),
            (real, "2 3 1\n", format!("2: `2` rows and `3` columns, expected a square matrix; {square}")),
            (real, "0 0 0\n", "2: found `0`, expected a number of tasks from 1 to 4194304".into()),
            (real, "2 2 x\n", "2: found `x`, expected a number of entries".into()),
            (real, "2 2 1\n1 2\n", "3: found `1 2`, expected `row column amount`".into()),
            (real, "2 2 1\n1 2 3 4\n", "3: found `1 2 3 4`, expected `row column amount`".into()),
            (real, "2 2 1\n1 0 3\n", "3: found `0`, expected a row or column from 1 to 2".into()),
            (real, "2 2 2\n1 1 3\n", format!("3: 1 entries, expected 2; {entries}")),
            (real, "2 2 1\n1 1 3\n\n1 2 3\n", format!("5: more than 1 entries, expected 1; {entries}")),
            (array, "2 2\n1\n2\n3\n4\n5\n", format!("7: more than 4 entries, expected 4; {entries}")),
            (
                symmetric,
                "2 2 1\n1 2\n",
                "3: row 1 column 2 lies above the diagonal; a symmetric file stores the lower triangle: row >= column"
                    .into(),
            ),
        ] {
            let text = format!("{start}{text}");
            assert_eq!(parse("m", &text).expect_err(&text).to_string(), format!("m:{error}"));
        }
    }
}
