//! Rows of cells, as spreadsheets and pandas write them: the separator is told
//! from the head; quotes as RFC 4180 has them, but a cell ends with its line.

use crate::error::Result;
use crate::format::lines::Lines;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Cells of a line that any table may have. A square of numbers with more has as many rows.
const MAX_CELLS: usize = 1 << 18;

/// Looks whether lines have no more cells than a table of this length can have, before anyone takes room for them: O(text).
///
/// # Errors
/// A line with more than 262,144 cells in a text that is too short for a square of them.
pub(super) fn check_widths(path: &str, text: &str) -> Result<()> {
    if text.len() <= MAX_CELLS {
        return Ok(());
    }
    let mut lines = Lines::new(path, text);
    while let Some(line) = lines.next() {
        let cells = 1 + line.bytes().filter(|byte| b",;\t".contains(byte)).count();
        if cells > MAX_CELLS && cells.saturating_mul(cells) > text.len() {
            return Err(lines
                .error(format!("a line of {cells} cells, in a file that is too short for as many rows"))
                .hint("a matrix has a row for each column"));
        }
    }
    Ok(())
}

/// True where a line has more words than a table of this length can have: only a graph lists so many neighbours. O(text).
pub(super) fn is_wide(text: &str) -> bool {
    let long = text.lines().filter(|line| line.len() > 2 * MAX_CELLS);
    let mut words = long.map(|line| line.split_whitespace().count());
    words.any(|words| words > MAX_CELLS && words.saturating_mul(words) > text.len())
}

/// What stands between two cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum Separator {
    /// This character.
    One(char),
    /// Any white space.
    Blank,
}

impl Separator {
    /// Of the head: tabs, else commas, else semicolons, else white space.
    pub(super) fn of(head: &str) -> Separator {
        ['\t', ',', ';'].into_iter().find(|&c| head.contains(c)).map_or(Separator::Blank, Separator::One)
    }

    /// The cells of a line, without the white space and quotes around them.
    pub(in crate::format) fn split(self, line: &str) -> Vec<Cow<'_, str>> {
        match self {
            Separator::Blank => line.split_whitespace().map(Cow::Borrowed).collect(),
            Separator::One(at) if !line.contains('"') => line.split(at).map(|w| Cow::Borrowed(w.trim())).collect(),
            Separator::One(at) => quoted(line, at),
        }
    }
}

fn quoted(line: &str, at: char) -> Vec<Cow<'_, str>> {
    let (mut cells, mut cell, mut inside) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // Two quotes inside of quotes are one.
            '"' if inside && rest.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' => inside = !inside,
            c if c == at && !inside => cells.push(Cow::Owned(std::mem::take(&mut cell).trim().to_string())),
            c => cell.push(c),
        }
    }
    cells.push(Cow::Owned(cell.trim().to_string()));
    cells
}

/// A rank as a table may write it: `7`, or `7.0` where a column had gaps.
pub(super) fn rank(word: &str) -> Option<u32> {
    let digits = word.split_once('.').filter(|(_, zeros)| zeros.bytes().all(|b| b == b'0')).map_or(word, |(d, _)| d);
    if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// Natural order of names: n2 before n10, and n02 before n2.
pub(super) fn natural_order(a: &str, b: &str) -> Ordering {
    parts(a).cmp(parts(b)).then_with(|| a.cmp(b))
}

/// Words of a name, each with the number behind it.
fn parts(name: &str) -> impl Iterator<Item = (&str, u128)> {
    let mut rest = name;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(digits);
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(end);
        rest = after;
        Some((word, number.parse().unwrap_or(if number.is_empty() { 0 } else { u128::MAX })))
    })
}

/// The first names of a list, for a note.
pub(super) fn few<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = if names.len() > 3 { ", ..." } else { "" };
    format!("{}{more}", names.take(3).map(super::quote).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_split_as_spreadsheets_do() {
        let split = |line: &str| Separator::of(line).split(line).join("|");
        assert_eq!(split("src,dst, bytes"), "src|dst|bytes");
        assert_eq!(split(",0,1"), "|0|1");
        assert_eq!(split("a b\tc"), "a b|c");
        assert_eq!(split("1;2,5"), "1;2|5", "a comma goes before a semicolon");
        assert_eq!(split("  0  1\t"), "0  1|", "a tab goes before all");
        assert_eq!(split("src   dst"), "src|dst");
        assert_eq!(split("\"a, b\",\"say \"\"x\"\"\",3"), "a, b|say \"x\"|3");
        assert_eq!(split("\"open,1"), "open,1", "a quote that stays open ends with the line");
    }

    #[test]
    fn a_line_has_no_more_cells_than_the_file_can_have_rows() {
        let wide = ",".repeat(MAX_CELLS);
        let told = check_widths("m.csv", &format!("a,b\n{wide}\n")).map_err(|e| e.to_string());
        assert!(told.is_err_and(|e| e.contains("m.csv:2: a line of 262145 cells")));
        for fits in [&wide[1..], "0 1", ""] {
            assert_eq!(check_widths("m.csv", fits), Ok(()));
        }
    }

    #[test]
    fn ranks_are_whole() {
        assert_eq!(
            ["7", "7.0", "007", "7.5", "-1", "", "n7", "99999999999"].map(rank),
            [Some(7), Some(7), Some(7), None, None, None, None, None]
        );
    }

    #[test]
    fn names_are_in_natural_order() {
        let mut names = ["n10", "n2", "n02", "a", "n2b1", "n99999999999999999999999999999999999999999999"];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(names.join(" "), "a n02 n2 n2b1 n10 n99999999999999999999999999999999999999999999");
    }
}
