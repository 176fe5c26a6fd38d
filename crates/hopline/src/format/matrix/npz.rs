//! NumPy's archives `.npz`: one square array of `numpy.savez` or
//! `savez_compressed`, or a sparse matrix of `scipy.sparse.save_npz` in CSR, CSC
//! or COO form. Row = sender; entries of one pair are added up.
//!
//! Dense arrays are unpacked row by row, so that a small file that unpacks to
//! gigabytes of zeros takes no memory.

use super::contents::{MAX_TASKS, Read};
use super::npy::Header;
use super::zip::{self, Checked, Member};
use crate::demand::{Demand, Unit};
use crate::error::{Error, Place, Result};
use crate::format::words::{MAX_AMOUNT, quote};

/// The most entries, 4 GB of them: packed files may claim any number.
const MOST: usize = 1 << 28;

/// True where bytes are an archive, whatever it then holds.
pub(super) fn begins(bytes: &[u8]) -> bool {
    zip::begins(bytes)
}

/// Reads a matrix: O(bytes, unpacked).
///
/// # Errors
/// It is no archive of arrays, holds several of them that are no sparse matrix,
/// or one that is not square, damaged or has numbers that are no amounts.
pub(super) fn parse(path: &str, bytes: &[u8]) -> Result<Read> {
    read(bytes).map_err(|e| e.at(&Place::new(path, 0)))
}

fn read(bytes: &[u8]) -> Result<Read> {
    let members = zip::members(bytes)?;
    if members.iter().any(|m| m.name == "format.npy") {
        return sparse(&members);
    }
    match members.iter().filter(|m| m.name.ends_with(".npy")).collect::<Vec<_>>()[..] {
        [one] => {
            let (header, input) = open(one)?;
            header.square(input, one.size.saturating_sub(header.length), MOST).map_err(|e| of(one, &e))
        }
        [] => Err(Error::input("no array in the archive").hint(HINT)),
        ref several => {
            let names: Vec<&str> = several.iter().take(8).map(|m| m.name.trim_end_matches(".npy")).collect();
            let message = format!("{} arrays: {}, expected one", several.len(), quote(&names.join(", ")));
            Err(Error::input(message).hint(HINT))
        }
    }
}

const HINT: &str = "save one with numpy.savez_compressed(file, matrix) or scipy.sparse.save_npz(file, matrix)";

/// An error with the array that it is about.
fn of(member: &Member<'_>, e: &Error) -> Error {
    let name = member.name.trim_end_matches(".npy");
    Error::input(format!("array {}: {}", quote(name), e.message())).hint(HINT)
}

fn open<'a>(member: &Member<'a>) -> Result<(Header, Checked<'a>)> {
    let mut input = member.open()?;
    let header = Header::read(&mut input).map_err(|e| of(member, &e))?;
    Ok((header, input))
}

/// A matrix of SciPy.
fn sparse(members: &[Member<'_>]) -> Result<Read> {
    let find = |name: &str| {
        let member = members.iter().find(|m| m.name.strip_suffix(".npy") == Some(name));
        member.ok_or_else(|| Error::input(format!("the sparse matrix has no array `{name}`")).hint(HINT))
    };
    let vector = |name: &str| {
        let member = find(name)?;
        let (header, input) = open(member)?;
        header.vector(input, member.size.saturating_sub(header.length), MOST).map_err(|e| of(member, &e))
    };
    let (header, input) = open(find("format")?)?;
    let form = header.word(input)?;
    if !matches!(form.as_str(), "csr" | "csc" | "coo") {
        return Err(Error::input(format!("a sparse matrix of format {}, expected csr, csc or coo", quote(&form)))
            .hint("save_npz(file, matrix.tocsr()) writes one"));
    }
    let shape = vector("shape")?;
    let tasks = match *shape.as_slice() {
        [rows, columns] if rows == columns && (1.0..=f64::from(MAX_TASKS)).contains(&rows) => rows as u32,
        _ => {
            let message = format!("the shape is {}, expected a square matrix of 1 to {MAX_TASKS} tasks", show(&shape));
            return Err(Error::input(message).hint("a matrix has one row and one column for each task"));
        }
    };
    let places = match form.as_str() {
        "coo" => (indices("row", &vector("row")?, tasks)?, indices("col", &vector("col")?, tasks)?),
        _ => {
            let inner = indices("indices", &vector("indices")?, tasks)?;
            let outer = spread(&vector("indptr")?, tasks, inner.len())?;
            if form == "csr" { (outer, inner) } else { (inner, outer) }
        }
    };
    let amounts = vector("data")?;
    if (places.0.len(), places.1.len()) != (amounts.len(), amounts.len()) {
        let message = format!("{} rows, {} columns and {} amounts", places.0.len(), places.1.len(), amounts.len());
        return Err(Error::input(message).hint("copy the file again, or save it again"));
    }
    if let Some(at) = amounts.iter().position(|a| !(0.0..=MAX_AMOUNT).contains(a)) {
        let amount = amounts.get(at).copied().unwrap_or_default();
        let message = format!("data[{at}] is {amount}, expected an amount from 0 to 1e30");
        return Err(Error::input(message).hint("amounts are bytes"));
    }
    let entries = places.0.into_iter().zip(places.1).zip(amounts);
    let entries = entries.filter(|(_, amount)| *amount > 0.0).map(|((row, column), amount)| (row, column, amount));
    Ok(Read { demand: Demand::new(tasks, Unit::Bytes, entries.collect(), Vec::new())?, notes: Vec::new() })
}

fn show(shape: &[f64]) -> String {
    let sizes: Vec<String> = shape.iter().take(4).map(f64::to_string).collect();
    format!("({})", sizes.join(", "))
}

/// Rows or columns, each below the number of tasks.
fn indices(name: &str, numbers: &[f64], tasks: u32) -> Result<Vec<u32>> {
    let index = |(at, &x): (usize, &f64)| {
        let whole = x.fract() == 0.0 && (0.0..f64::from(tasks)).contains(&x);
        if whole {
            Ok(x as u32)
        } else {
            Err(Error::input(format!("{name}[{at}] is {x}, expected 0 to {}", tasks - 1)))
        }
    };
    numbers.iter().enumerate().map(index).collect()
}

/// The outer index of every entry: `starts` says where each row's (or column's) begin.
fn spread(starts: &[f64], tasks: u32, entries: usize) -> Result<Vec<u32>> {
    let ends = starts.first() == Some(&0.0) && starts.last() == Some(&(entries as f64));
    let rises = starts.windows(2).all(|w| matches!(w, [a, b] if a <= b && b.fract() == 0.0));
    if starts.len() != tasks as usize + 1 || !ends || !rises {
        let message = format!(
            "indptr has {} numbers, expected {} that rise from 0 to {entries}",
            starts.len(),
            u64::from(tasks) + 1
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
