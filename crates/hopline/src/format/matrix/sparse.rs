//! Sparse matrices of `scipy.sparse.save_npz` in each of its forms: CSR, CSC,
//! COO, BSR (blocks) and DIA (diagonals). Entries of one pair are added up.
//!
//! Source: <https://docs.scipy.org/doc/scipy/reference/sparse.html>

use super::array::{HINT, MOST, of, open};
use super::contents::{MAX_TASKS, Read};
use super::zip::Member;
use crate::demand::{Demand, Unit};
use crate::error::{Error, Result};
use crate::format::words::{MAX_AMOUNT, quote};

/// Row and column of every amount, as many as there are amounts; `None` for those outside the matrix.
type Places = Vec<Option<(u32, u32)>>;

/// Reads a matrix from the arrays of an archive: O(stored amounts).
///
/// # Errors
/// An array is missing or damaged, the matrix is not square, or a number is no amount.
pub(super) fn read(members: &[Member<'_>]) -> Result<Read> {
    let arrays = Arrays(members);
    let form = arrays.word("format")?;
    let shape = arrays.vector("shape")?;
    let tasks = match *shape.as_slice() {
        [rows, columns] if rows == columns && (1.0..=f64::from(MAX_TASKS)).contains(&rows) => rows as u32,
        _ => {
            let message = format!("the shape is {}, expected a square matrix of 1 to {MAX_TASKS} tasks", show(&shape));
            return Err(Error::input(message).hint("a matrix has one row and one column for each task"));
        }
    };
    let (sizes, amounts) = arrays.numbers("data")?;
    let places = match (form.as_str(), sizes.as_slice()) {
        ("coo", [_]) => together(arrays.indices("row", tasks)?, arrays.indices("col", tasks)?)?,
        ("csr", [_]) => arrays.compressed(tasks)?,
        ("csc", [_]) => arrays.compressed(tasks)?.into_iter().map(|p| p.map(|(column, row)| (row, column))).collect(),
        ("bsr", &[blocks, rows, columns]) => arrays.blocks(tasks, blocks, (rows, columns))?,
        ("dia", &[count, width]) => arrays.diagonals(tasks, count, width)?,
        ("coo" | "csr" | "csc" | "bsr" | "dia", _) => {
            return Err(Error::input(format!("the amounts of format {form} have {} dimensions", sizes.len()))
                .hint("save it again, or save_npz(file, matrix.tocsr())"));
        }
        _ => {
            let message = format!("a sparse matrix of format {}, expected csr, csc, coo, bsr or dia", quote(&form));
            return Err(Error::input(message).hint("save_npz(file, matrix.tocsr()) writes one"));
        }
    };
    same(("places", places.len()), ("amounts", amounts.len()))?;
    let inside =
        places.into_iter().zip(amounts).enumerate().filter_map(|(at, (place, amount))| Some((at, place?, amount)));
    let mut entries = Vec::new();
    for (at, (row, column), amount) in inside {
        if !(0.0..=MAX_AMOUNT).contains(&amount) {
            let message = format!("data[{at}] is {amount}, expected an amount from 0 to 1e30");
            return Err(Error::input(message).hint("amounts are bytes"));
        }
        if amount > 0.0 {
            entries.push((row, column, amount));
        }
    }
    Ok(Read { demand: Demand::new(tasks, Unit::Bytes, entries, Vec::new())?, notes: Vec::new() })
}

/// The arrays of an archive, by name.
struct Arrays<'a>(&'a [Member<'a>]);

impl Arrays<'_> {
    fn find(&self, name: &str) -> Result<&Member<'_>> {
        let member = self.0.iter().find(|m| m.name.strip_suffix(".npy") == Some(name));
        member.ok_or_else(|| Error::input(format!("the sparse matrix has no array `{name}`")).hint(HINT))
    }

    fn word(&self, name: &str) -> Result<String> {
        let (header, input) = open(self.find(name)?)?;
        header.word(input)
    }

    /// An array with its sizes, the last index fastest.
    fn numbers(&self, name: &str) -> Result<(Vec<usize>, Vec<f64>)> {
        let member = self.find(name)?;
        let (header, input) = open(member)?;
        header.numbers(input, member.size.saturating_sub(header.length), MOST).map_err(|e| of(member, &e))
    }

    /// An array of one dimension.
    fn vector(&self, name: &str) -> Result<Vec<f64>> {
        match self.numbers(name)? {
            (sizes, numbers) if sizes.len() == 1 => Ok(numbers),
            (sizes, _) => {
                let message = format!("array `{name}` has {} dimensions, expected 1", sizes.len());
                Err(Error::input(message).hint(HINT))
            }
        }
    }

    fn indices(&self, name: &str, count: u32) -> Result<Vec<u32>> {
        indices(name, &self.vector(name)?, count)
    }

    /// Outer and inner index of CSR and CSC, of so many rows.
    fn compressed(&self, count: u32) -> Result<Places> {
        let inner = self.indices("indices", count)?;
        together(spread(&self.vector("indptr")?, count, inner.len())?, inner)
    }

    /// So many blocks of (rows, columns), row by row of blocks.
    fn blocks(&self, tasks: u32, blocks: usize, (rows, columns): (usize, usize)) -> Result<Places> {
        let of = |size: usize| u32::try_from(size).ok().filter(|&n| n > 0 && tasks.is_multiple_of(n));
        let (Some(rows), Some(columns)) = (of(rows), of(columns)) else {
            let message = format!("blocks of {rows} x {columns} do not fill a matrix of {tasks} tasks");
            return Err(Error::input(message).hint("save it again, or save_npz(file, matrix.tocsr())"));
        };
        let inner = self.indices("indices", tasks / columns)?;
        same(("indices", inner.len()), ("blocks", blocks))?;
        let outer = spread(&self.vector("indptr")?, tasks / rows, blocks)?;
        let block = |(row, column): (u32, u32)| {
            (0..rows).flat_map(move |i| (0..columns).map(move |k| Some((row * rows + i, column * columns + k))))
        };
        Ok(outer.into_iter().zip(inner).flat_map(block).collect())
    }

    /// So many diagonals: number k of that at offset o is the entry of row k - o, column k.
    fn diagonals(&self, tasks: u32, count: usize, width: usize) -> Result<Places> {
        let offsets = self.vector("offsets")?;
        same(("offsets", offsets.len()), ("diagonals", count))?;
        if let Some(at) = offsets.iter().position(|o| o.fract() != 0.0 || o.abs() > f64::from(MAX_TASKS)) {
            return Err(Error::input(format!("offsets[{at}] is no whole number")).hint(HINT));
        }
        let place = |offset: i64, column: usize| {
            let row = u32::try_from(column as i64 - offset).ok().filter(|&row| row < tasks)?;
            Some((row, u32::try_from(column).ok().filter(|&column| column < tasks)?))
        };
        Ok(offsets.iter().flat_map(|&o| (0..width).map(move |column| place(o as i64, column))).collect())
    }
}

/// Rows with their columns.
fn together(rows: Vec<u32>, columns: Vec<u32>) -> Result<Places> {
    same(("rows", rows.len()), ("columns", columns.len()))?;
    Ok(rows.into_iter().zip(columns).map(Some).collect())
}

/// Refuses arrays that do not belong together.
fn same((one, a): (&str, usize), (other, b): (&str, usize)) -> Result<()> {
    if a == b {
        return Ok(());
    }
    Err(Error::input(format!("{a} {one} and {b} {other}, expected as many"))
        .hint("copy the file again, or save it again"))
}

fn show(shape: &[f64]) -> String {
    let sizes: Vec<String> = shape.iter().take(4).map(f64::to_string).collect();
    format!("({})", sizes.join(", "))
}

/// Rows or columns (or those of blocks), each below their number.
fn indices(name: &str, numbers: &[f64], count: u32) -> Result<Vec<u32>> {
    let index = |(at, &x): (usize, &f64)| {
        let whole = x.fract() == 0.0 && (0.0..f64::from(count)).contains(&x);
        if whole {
            Ok(x as u32)
        } else {
            Err(Error::input(format!("{name}[{at}] is {x}, expected 0 to {}", count - 1)))
        }
    };
    numbers.iter().enumerate().map(index).collect()
}

/// The outer index of every entry: `starts` says where those of each of `count` rows (or columns) begin.
fn spread(starts: &[f64], count: u32, entries: usize) -> Result<Vec<u32>> {
    let ends = starts.first() == Some(&0.0) && starts.last() == Some(&(entries as f64));
    let rises = starts.windows(2).all(|w| matches!(w, [a, b] if a <= b && b.fract() == 0.0));
    if starts.len() != count as usize + 1 || !ends || !rises {
        let message = format!(
            "indptr has {} numbers, expected {} that rise from 0 to {entries}",
            starts.len(),
            u64::from(count) + 1
        );
        return Err(Error::input(message).hint("copy the file again, or save it again"));
    }
    let mut outer = Vec::with_capacity(entries);
    for (row, w) in (0u32..).zip(starts.windows(2)) {
        if let [from, to] = w {
            outer.extend(std::iter::repeat_n(row, (to - from) as usize));
        }
    }
    Ok(outer)
}
