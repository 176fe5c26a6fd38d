//! Squares of numbers, in which cells may be empty: what their cells are, and
//! whether they are amounts alone or a table whose names are ranks.
//!
//! N rows of N cells are N tasks, whatever cells are empty. The same square has
//! names where its first cell is empty and the others of the first row and column
//! count alike from 0 or 1, as pandas writes them. What could be both is refused.

use super::cells::{Separator, rank};
use super::contents::Read;
use crate::error::{Error, Place, Result};
use crate::format::words::is_comment;
use std::borrow::Cow;

type Cell<'a> = Cow<'a, str>;

/// How the rows of a dense matrix are cut into cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// At this character; a row without it is words.
    At(char),
    /// At every tab: a line of tabs alone is a row of empty cells.
    Tabs,
    /// Words with white space between them.
    Words,
}

impl Cut {
    /// Of a text: at commas, else at semicolons; at tabs where that makes a square.
    pub(super) fn of(text: &str) -> Cut {
        let has = |c| text.lines().any(|line| !is_comment(line) && line.contains(c));
        if let Some(at) = [',', ';'].into_iter().find(|&at| has(at)) {
            return Cut::At(at);
        }
        // Without empty cells words are as good.
        let leaves_out = |line: &str| line.starts_with('\t') || line.ends_with('\t') || line.contains("\t\t");
        if text.lines().any(leaves_out) && is_square(text, Cut::Tabs) { Cut::Tabs } else { Cut::Words }
    }

    /// True where a line is a row.
    pub(super) fn is_row(self, line: &str) -> bool {
        !is_comment(line) || self == Cut::Tabs && line.contains('\t') && line.trim().is_empty()
    }

    fn split(self, line: &str) -> Vec<Cell<'_>> {
        let separator = match self {
            Cut::At(at) if line.contains(at) => Separator::One(at),
            Cut::Tabs => Separator::One('\t'),
            _ => Separator::Blank,
        };
        separator.split(line)
    }

    /// The cells of one of `rows` rows. A separator at its end is forgiven where there is no
    /// column for it.
    pub(super) fn cells(self, line: &str, rows: usize) -> Vec<Cell<'_>> {
        let mut cells = self.split(line);
        if is_open(&cells, rows) {
            cells.pop();
        }
        cells
    }

    /// The rows of a text.
    pub(super) fn rows(self, text: &str) -> impl Iterator<Item = &str> + Clone {
        text.lines().filter(move |line| self.is_row(line))
    }
}

/// True where one of `rows` rows ends with a separator that no column is for.
fn is_open(cells: &[Cell<'_>], rows: usize) -> bool {
    cells.len() == rows + 1 && cells.last().is_some_and(|last| last.is_empty())
}

/// True where a text has as many cells in each row as it has rows.
pub(super) fn is_square(text: &str, cut: Cut) -> bool {
    let rows = cut.rows(text).count();
    cut.rows(text).all(|line| cut.cells(line, rows).len() == rows)
}

/// What a square of numbers says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A row and a column for each task.
    Amounts,
    /// The first row and column name ranks.
    Ranks,
    /// Both could be meant, or an edge list.
    Unclear,
}

/// What a text is, where it is a square of numbers and empty cells with a number among them. `None`, without
/// looking further, where the first row has no empty cell, does not count and no separator ends it: then there are
/// no names that are ranks.
pub(super) fn kind(text: &str) -> Option<Kind> {
    let cut = Cut::of(text);
    let rows = cut.rows(text).count();
    let cells = |line| cut.cells(line, rows);
    let top = cut.rows(text).next()?;
    let head = cells(top);
    let mut names: Vec<Option<u32>> = head.iter().map(|cell| rank(cell)).collect();
    if names.len() > 2 && head.last().is_some_and(|last| last.is_empty()) {
        names.pop();
    }
    let has_corner = head.first()?.is_empty();
    let mut all_open = is_open(&cut.split(top), rows);
    let is_full = head.iter().all(|cell| !cell.is_empty());
    if is_full && !all_open && start(&names) != Some(0) {
        return None;
    }
    let (mut column, mut numbers, mut last_is_empty) = (Vec::new(), false, true);
    for line in cut.rows(text) {
        let cells = cells(line);
        let is_amount = |cell: &Cell<'_>| cell.is_empty() || cell.parse::<f64>().is_ok();
        if cells.len() != rows || !cells.iter().all(is_amount) {
            return None;
        }
        numbers |= cells.iter().any(|cell| !cell.is_empty());
        last_is_empty &= cells.last().is_some_and(|last| last.is_empty());
        column.push(rank(cells.first()?));
        all_open &= is_open(&cut.split(line), rows);
    }
    let is_edge_list = matches!(&head[..], [_, second, third] if second.is_empty() && third == "0");
    // Tabs beside commas: whoever wrote names would not.
    let is_mixed = top.contains('\t') && cut != Cut::Tabs;
    let kind = match with_corner(names.get(1..)?, column.get(1..)?) {
        _ if has_corner && is_edge_list => Kind::Unclear,
        Kind::Ranks if has_corner && is_mixed => Kind::Unclear,
        kind if has_corner => kind,
        // A head above rows, each with a separator at its end.
        _ if last_is_empty && names.len() < rows && start(&names) == Some(0) => Kind::Unclear,
        // Ranks in front of rows whose last cell is empty; of two tasks amounts count as easily.
        _ if all_open && rows > 2 && start(&column).is_some() => Kind::Unclear,
        _ => Kind::Amounts,
    };
    numbers.then_some(kind)
}

/// What names beside an empty first cell make of a square.
fn with_corner(head: &[Option<u32>], column: &[Option<u32>]) -> Kind {
    let ranks = |names: &[Option<u32>]| {
        let mut ranks = names.iter().copied().collect::<Option<Vec<u32>>>()?;
        ranks.sort_unstable();
        let distinct = ranks.windows(2).all(|pair| pair[0] != pair[1]);
        (distinct && !ranks.is_empty()).then_some(ranks)
    };
    let (Some(columns), Some(rows)) = (ranks(head), ranks(column)) else { return Kind::Amounts };
    let within = |few: &[u32], all: &[u32]| few.iter().all(|rank| all.binary_search(rank).is_ok());
    match (start(head), start(column)) {
        // Two tasks that send each other 1 byte look like one that is called 1.
        (Some(from), Some(same)) if from == same && head.len() == column.len() && (from, head.len()) != (1, 1) => {
            Kind::Ranks
        }
        (Some(_), Some(_)) => Kind::Unclear,
        _ if within(&columns, &rows) || within(&rows, &columns) => Kind::Unclear,
        _ => Kind::Amounts,
    }
}

/// Where names that are ranks in order, without gaps, begin: 0 or 1.
pub(super) fn start(names: &[Option<u32>]) -> Option<u32> {
    let from = (*names.first()?)?;
    (from < 2 && names.iter().copied().eq((from..).take(names.len()).map(Some))).then_some(from)
}

/// Refuses a square of which nobody knows whether it has names.
pub(super) fn refuse(path: &str, text: &str) -> Result<Read> {
    let first = text.lines().zip(1..).find(|(line, _)| !is_comment(line)).map_or(0, |(_, number)| number);
    Err(Error::input("the first row and column of this square could be ranks, or amounts with empty cells among them")
        .at(&Place::new(path, first))
        .hint("write 0 into the empty cells where all are amounts, else a word such as `src` into the first cell"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Kind> {
        kind(&text.replace('/', "\n"))
    }

    #[test]
    fn squares_are_amounts_but_where_ranks_are_counted() {
        for text in [
            ",5,7/2,,3/4,9,",
            ",5/2,",
            ",,/5,,/,,",
            "0,1,2/3,4,5/6,7,8",
            ",1,2/0,3,4/0,5,6",
            "\t5\t7/2\t\t3/4\t9\t",
            "\t5\t/\t\t/\t\t",
            "0\t/0\t0",
            ";5;7/2;;3/4;9;",
            "5,1,/2,0,",
            "0,1,/1,0,",
            ",\t0/2,\t7",
        ] {
            assert_eq!(of(text), Some(Kind::Amounts), "{text}");
        }
        for text in
            [",0,1/0,,1/1,2,", ",1,2/1,,3/2,,", ",0,1,/0,5,6,/1,7,8,", "\"\",\"0\"/\"0\",4", "\t0\t1/0\t\t1/1\t2\t"]
        {
            assert_eq!(of(text), Some(Kind::Ranks), "{text}");
        }
    }

    #[test]
    fn what_could_be_both_is_unclear() {
        for text in [
            ",1/1,",
            ",5,7/5,,3/7,3,",
            ",1,2,10/1,,3,/2,,,/10,4,5,",
            ",1,0/1,2,3/0,4,5",
            ",0,1/1,2,3/2,4,5",
            "0,1,/0,1.5,/2,0,",
            ",,0/1,2,3/0,1,5",
            "0,5,3,/1,2,4,/2,6,7,",
            ",0,1,/0,2,3,/1,4,5,/2,6,7,",
        ] {
            assert_eq!(of(text), Some(Kind::Unclear), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_such_squares() {
        for text in
            ["", ",/,", ",n1/n1,5", "0,1/0,1.5/2,0", "5,6/7,8", "0,,7,1/2,,3,1/4,,0,1", "src,0,1/0,,5/1,2,", "hello/1"]
        {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_unclear_is_refused_with_what_to_do() {
        let error = refuse("m", "# t\n,5,7\n5,,3\n7,3,\n").expect_err("unclear").to_string();
        assert_eq!(
            error,
            "m:2: the first row and column of this square could be ranks, or amounts with empty cells among them; \
             write 0 into the empty cells where all are amounts, else a word such as `src` into the first cell"
        );
    }
}
