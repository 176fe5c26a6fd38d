//! Dense matrices with names, as pandas' `to_csv` and R's `write.table` have
//! them: a head that names the columns (receivers), a first column that names
//! the rows (senders), or one of both. Empty cells are 0.
//!
//! Where the names are ranks they say which task is meant, in any order and with
//! gaps, as a pivot table has them; other names are numbered as the columns are.

use super::cells::{Separator, few, rank};
use super::contents::{MAX_TASKS, Read};
use super::square;
use crate::demand::{Demand, Unit};
use crate::error::{Error, Place, Result};
use crate::format::lines::Lines;
use crate::format::words::{amount, is_comment, quote};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

const HINT: &str = "a table of N tasks has a head with N names and N rows, or `src,dst,bytes` as its head";

type Cell<'a> = Cow<'a, str>;

/// How a table is laid out.
struct Layout<'a> {
    separator: Separator,
    /// Names of the columns, where there is a head.
    columns: Option<Vec<Cell<'a>>>,
    /// The first column names the rows.
    index: bool,
    /// Columns with amounts.
    width: usize,
    corner: Corner,
}

/// What stands where head and first column meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Corner {
    /// A word.
    Word,
    /// An empty cell.
    Empty,
    /// Nothing: the head begins with a column, or there is none.
    Missing,
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

impl Layout<'_> {
    /// Ranks in a head and a first column without a word in the first cell are names only where
    /// those of one count and the others follow in order, and where that cell is missing all are
    /// there: else they may be amounts.
    fn has_names(&self, text: &str) -> bool {
        let Some(columns) = self.columns.as_deref().filter(|_| self.index && self.corner != Corner::Word) else {
            return true;
        };
        let is_row = |line: &&str| !is_comment(line);
        if !columns.iter().all(|cell| is_number(cell)) {
            return true;
        }
        let first = |line| self.separator.split(line).first().filter(|cell| is_number(cell)).map(|cell| rank(cell));
        let rows: Option<Vec<Option<u32>>> = text.lines().filter(is_row).skip(1).map(first).collect();
        let Some(rows) = rows else { return true };
        let columns: Vec<_> = columns.iter().map(|cell| rank(cell)).collect();
        let counted = |all: &[Option<u32>], some: &[Option<u32>]| {
            square::start(all).is_some() && some.is_sorted() && some.iter().all(|rank| all.binary_search(rank).is_ok())
        };
        match self.corner {
            Corner::Missing => square::start(&rows).is_some() && rows.len() == columns.len(),
            _ => counted(&columns, &rows) || counted(&rows, &columns),
        }
    }
}

/// The layout of a table, as if it had names, from its first two lines and the first cells
/// and number of all; `None` where it has none, as for numbers alone.
fn layout(text: &str) -> Option<Layout<'_>> {
    let mut data = text.lines().filter(|line| !is_comment(line));
    let (head, next) = (data.next()?.trim_end(), data.next()?);
    let lines = data.count() + 2;
    let separator = Separator::of(head);
    let split = |line| separator.split(line);
    let (mut names, row) = (split(head), split(next));
    if names.len() > 2 && names.last().is_some_and(|name| name.is_empty()) {
        names.pop();
    }
    let width = names.len();
    let (first, rest) = names.split_first()?;
    // Numbers in front of rows without a head would make a matrix that is cut short look whole.
    let named = |line| separator.split(line).first().is_some_and(|cell| !cell.is_empty() && !is_number(cell));
    let all_named = || text.lines().filter(|line| !is_comment(line)).all(named);
    if lines + 1 == width && rest.iter().all(|cell| is_number(cell)) && all_named() {
        return Some(Layout { separator, columns: None, index: true, width: width - 1, corner: Corner::Missing });
    }
    let counts = names.iter().zip(0..).all(|(name, n)| rank(name) == Some(n));
    if is_number(first) && !(counts && (lines == width + 1 || row.len() == width + 1)) {
        return None;
    }
    let ranks = !rest.is_empty() && rest.iter().all(|cell| rank(cell).is_some()) && rank(first).is_none();
    let corner = first.is_empty() || row.len() <= width && (ranks || named(next) || lines != width + 1);
    if names.iter().skip(usize::from(corner && !counts)).any(|name| name.is_empty()) {
        return None;
    }
    if corner && !counts {
        let corner = if names.remove(0).is_empty() { Corner::Empty } else { Corner::Word };
        return Some(Layout { separator, width: names.len(), columns: Some(names), index: true, corner });
    }
    Some(Layout { separator, width, columns: Some(names), index: row.len() == width + 1, corner: Corner::Missing })
}

/// True where a text, which is no [square](super::square) of numbers, is such a table.
pub(super) fn begins(text: &str) -> bool {
    layout(text).filter(|found| found.has_names(text)).is_some_and(|found| {
        let mut data = text.lines().filter(|line| !is_comment(line));
        let row = data.nth(usize::from(found.columns.is_some())).map(|line| found.separator.split(line));
        let cells = found.width + usize::from(found.index);
        row.is_some_and(|row| row.len() > 1 && (row.len() == cells || row.len() == cells + 1))
    })
}

/// Reads a table: O(text).
///
/// # Errors
/// A row with more or fewer cells, a name that is no column or stands there
/// twice, a cell that is no amount, or a table that is not square.
pub(super) fn parse(path: &str, text: &str) -> Result<Read> {
    let none = || Error::input("no table with names").at(&Place::new(path, 0)).hint(HINT);
    let Layout { separator, columns, index, width, .. } = layout(text).ok_or_else(none)?;
    let mut lines = Lines::new(path, text);
    if columns.is_some() {
        lines.by_ref().find(|line| !is_comment(line));
    }
    let top = lines.place();
    let mut cells_of: Vec<(u32, u32, f64)> = Vec::new();
    let mut rows: Vec<(Cell<'_>, u32)> = Vec::new();
    let (mut names, mut count) = (FxHashSet::default(), 0);
    while let Some(line) = lines.next() {
        if is_comment(line) {
            continue;
        }
        let mut cells = separator.split(line).into_iter();
        if index {
            let name = cells.next().unwrap_or_default();
            if !names.insert(name.clone()) {
                return Err(lines.error(format!("two rows are called {}", quote(&name))).hint(HINT));
            }
            rows.push((name, lines.number()));
        }
        let mut found = cells.len();
        if found == width + 1 && cells.as_slice().last().is_some_and(|last| last.is_empty()) {
            found -= 1;
        }
        if found != width {
            let message = format!("row {} has {found} numbers, expected {width}", u64::from(count) + 1);
            return Err(lines.error(message).hint(HINT));
        }
        for (column, cell) in (0..MAX_TASKS).zip(cells.take(width)) {
            if !cell.is_empty() && !cell.eq_ignore_ascii_case("nan") {
                let bytes = amount(&lines, &cell)?;
                if bytes > 0.0 {
                    cells_of.push((count, column, bytes));
                }
            }
        }
        count += 1;
        if count >= MAX_TASKS {
            return Err(lines.error(format!("more than {MAX_TASKS} rows")));
        }
    }
    drop(names);
    let at = |line: u32| if line > 0 { Place::new(path, line) } else { top.clone() };
    let columns = columns.unwrap_or_else(|| rows.iter().map(|(name, _)| name.clone()).collect());
    let Places { tasks, row, column, mut notes } =
        places(&columns, &rows, count).map_err(|(line, e)| e.at(&at(line)).hint(HINT))?;
    let task = |places: &[u32], at: u32| places.get(at as usize).copied().unwrap_or_default();
    cells_of.iter_mut().for_each(|(r, c, _)| (*r, *c) = (task(&row, *r), task(&column, *c)));
    let silent = if rows.is_empty() { 0 } else { tasks.saturating_sub(count) };
    if silent > 0 {
        notes.push(format!("{silent} of {tasks} tasks have no row: they send nothing"));
    }
    let demand = Demand::new(tasks, Unit::Bytes, cells_of, Vec::new()).map_err(|e| e.at(&lines.place()))?;
    Ok(Read { demand, notes })
}

/// The task of each row and column.
struct Places {
    tasks: u32,
    row: Vec<u32>,
    column: Vec<u32>,
    notes: Vec<String>,
}

/// Which tasks the names mean. An error has its line, 0 for that of the head.
fn places(columns: &[Cell<'_>], rows: &[(Cell<'_>, u32)], count: u32) -> Result<Places, (u32, Error)> {
    let mut index: FxHashMap<&str, u32> = FxHashMap::default();
    for (name, at) in columns.iter().zip(0..) {
        if index.insert(name, at).is_some() {
            return Err((0, Error::input(format!("two columns are called {}", quote(name)))));
        }
    }
    let width = columns.len() as u32;
    let ranks = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|name| rank(name).filter(|&r| r < MAX_TASKS)).collect::<Option<Vec<u32>>>()
    };
    let column_ranks = ranks(&mut columns.iter().map(|name| &**name));
    let row_ranks = ranks(&mut rows.iter().map(|(name, _)| &**name));
    let in_order = || (0..width).collect::<Vec<u32>>();
    let square = || match count == width {
        true => Ok(()),
        false => Err((0, Error::input(format!("{count} rows, expected {width} as there are columns")))),
    };
    match (column_ranks, row_ranks) {
        (Some(column), Some(row)) => {
            let row = if rows.is_empty() {
                square()?;
                column.clone()
            } else {
                row
            };
            let all = || row.iter().chain(&column).copied();
            let (first, last) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
            if first == 1 && last == width && count == width {
                let note = "ranks count from 1: rank 1 is task 0".to_string();
                let less = |ranks: &[u32]| ranks.iter().map(|r| r - 1).collect();
                return Ok(Places { tasks: width, row: less(&row), column: less(&column), notes: vec![note] });
            }
            Ok(Places { tasks: last + 1, row, column, notes: Vec::new() })
        }
        // The rows count: only the columns have names, or the rows but no columns.
        (_, row) if rows.is_empty() || row.as_ref().is_some_and(|row| row.iter().copied().eq(0..width)) => {
            square()?;
            Ok(Places { tasks: width, row: in_order(), column: in_order(), notes: vec![numbered(columns)] })
        }
        (Some(column), None) if column.iter().copied().eq(0..width) => {
            square()?;
            Ok(Places { tasks: width, row: in_order(), column, notes: Vec::new() })
        }
        _ => {
            let place = |(name, line): &(Cell<'_>, u32)| {
                index
                    .get(&**name)
                    .copied()
                    .ok_or_else(|| (*line, Error::input(format!("row {} is no column: not in the head", quote(name)))))
            };
            let row = rows.iter().map(place).collect::<Result<_, _>>()?;
            Ok(Places { tasks: width, row, column: in_order(), notes: vec![numbered(columns)] })
        }
    }
}

fn numbered(columns: &[Cell<'_>]) -> String {
    format!("tasks are numbered as the names of the table are: {}", few(columns.iter().map(|name| &**name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Read {
        assert!(begins(text), "{text}");
        parse("m", text).expect(text)
    }

    #[test]
    fn what_pandas_writes_is_read() {
        let entries = [(0, 1, 1.5), (1, 0, 2.0)];
        for text in [
            ",0,1\n0,0.0,1.5\n1,2.0,0.0\n",
            "rank\t0\t1\r\n0\t0.0\t1.5\r\n1\t2.0\t\r\n",
            "0,1\n0.0,1.5\n2.0,0.0\n",
            "src,0,1\n0,,1.5\n1,2.0,\n",
            "0 1\n0 0 1.5\n1 2 0\n",
            "\"\",\"0\",\"1\"\n\"0\",0,1.5\n\"1\",2,NaN\n",
        ] {
            let read = read(text);
            assert_eq!((read.demand.tasks(), read.demand.entries()), (2, &entries[..]), "{text}");
            assert!(read.notes.is_empty(), "{:?}", read.notes);
        }
    }

    #[test]
    fn names_number_the_tasks() {
        for text in [
            "host,n2,n1\nn2,0,1.5\nn1,2,0\n",
            "n2,n1\n0,1.5\n2,0\n",
            "n2,n1\nn1,2,0\nn2,0,1.5\n",
            "n2,0,1.5\nn1,2,0\n",
            ",n2,n1,\n0,0,1.5,\n1,2,0,\n",
        ] {
            let read = read(text);
            assert_eq!(read.demand.entries(), [(0, 1, 1.5), (1, 0, 2.0)], "{text}");
            assert_eq!(read.notes, ["tasks are numbered as the names of the table are: `n2`, `n1`"]);
        }
        let one = read(",1,2\n1,0,1.5\n2,2,0\n");
        assert_eq!(
            (one.demand.entries(), &*one.notes[0]),
            (&[(0, 1, 1.5), (1, 0, 2.0)][..], "ranks count from 1: rank 1 is task 0")
        );
    }

    #[test]
    fn pivot_tables_may_have_gaps_and_any_order() {
        let read = read("src,10,2,1\n1,,3,\n10,4,5,\n");
        assert_eq!(read.demand.tasks(), 11);
        assert_eq!(read.demand.entries(), [(1, 2, 3.0), (10, 2, 5.0), (10, 10, 4.0)]);
    }

    #[test]
    fn other_texts_are_no_such_tables() {
        for text in [
            "",
            "\n",
            "0,1\n2,3\n",
            "0,1,2\n2,0,1\n",
            "0,1\n1,0,3\n",
            "0,1\n7,2,3\n5,0,4\n",
            ",1,2,9\n1,,3,\n9,4,5,\n",
            "5\n",
            "hello world\n1\n",
            "a\nb\nc\n",
            ",\n,\n",
            ",,\n,,\n",
        ] {
            assert!(!begins(text), "{text}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for (text, error) in [
            (",a,b\na,1,2\nb,1\n", "m:3: row 2 has 1 numbers, expected 2"),
            (",a,b\na,1,2\nc,1,3\n", "m:3: row `c` is no column: not in the head"),
            (",a,b\na,1,2\na,1,3\n", "m:3: two rows are called `a`"),
            (",a,a\na,1,2\nb,1,3\n", "m:1: two columns are called `a`"),
            ("# t\n,a,b\na,1,2\nb,1,-3\n", "m:4: found `-3`, expected an amount from 0 to 1e30"),
        ] {
            let found = parse("m", text).expect_err(text).to_string();
            assert!(found.starts_with(error), "{found}");
        }
    }
}
