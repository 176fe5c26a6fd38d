//! Communication matrices: recognised by content, one file per format.
//!
//! | format | recognised by its first line that is no comment |
//! |---|---|
//! | [`Matrix Market`](https://math.nist.gov/MatrixMarket/formats.html) | `%%MatrixMarket` on line 1 |
//! | recording | a directory of `rank-N.hop` files ([`super::recording`]) |
//! | recorded CSV | `p,src,dst,messages,bytes` lines |
//! | edge list | a head with columns such as `src`, `dst` and `bytes` |
//! | table with names | a head or first column of names, as pandas' `to_csv` writes them |
//! | METIS graph | 2 to 4 whole numbers `n m [fmt [ncon]]` that do not begin a square of numbers |
//! | dense | a number or an empty cell; N rows of N of them, row = sender |
//! | [`NumPy`](https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html) | the bytes `\x93NUMPY` |
//! | `.npz` of NumPy and SciPy (sparse) | the bytes `PK` |

#[cfg(feature = "compression")]
mod array;
mod bare_edges;
pub(super) mod cells;
mod contents;
mod dense_csv;
mod edge_list;
mod labelled;
mod matrix_market;
mod metis;
mod npy;
#[cfg(feature = "compression")]
mod npz;
mod recorded_csv;
#[cfg(feature = "compression")]
mod sparse;
mod square;
#[cfg(feature = "compression")]
mod zip;

pub use contents::{MAX_TASKS, Read};

use super::recording;
use super::words::quote;
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_bytes, text_of};
use square::{Cut, Kind};

/// Reads a communication matrix from a file, unpacked, in any of the formats
/// [above](self). O(bytes + entries log entries).
///
/// # Errors
/// The file cannot be read, and as [`parse`].
pub fn read(files: &dyn Files, path: &str) -> Result<Read> {
    if recording::is_recording(files, path) {
        return recording::read_demand(files, path);
    }
    let bytes = read_bytes(files, path)?;
    parse_bytes(path, bytes)
}

/// Reads a communication matrix in any of the formats [above](self) but a
/// recording, as [`parse`] does. `path` is for errors.
///
/// # Errors
/// As [`parse`].
pub fn parse_bytes(path: &str, bytes: Vec<u8>) -> Result<Read> {
    if npy::begins(&bytes) {
        npy::parse(path, &bytes)
    } else if is_archive(&bytes) {
        archive(path, &bytes)
    } else {
        parse(path, &text_of(path, bytes)?)
    }
}

/// True where bytes begin as a ZIP archive does, empty or not.
fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

#[cfg(feature = "compression")]
fn archive(path: &str, bytes: &[u8]) -> Result<Read> {
    npz::parse(path, bytes)
}

#[cfg(not(feature = "compression"))]
fn archive(path: &str, _: &[u8]) -> Result<Read> {
    Err(Error::input("an archive, and hopline was built without its feature `compression`")
        .at(&Place::new(path, 0))
        .hint("save the matrix with numpy.save, or as text"))
}

/// Reads a communication matrix in any of the text formats [above](self). Amounts
/// are bytes, where the file gives none an edge counts 1. `path` is for errors.
/// O(text + entries log entries).
///
/// # Errors
/// The text is in no known format, or breaks the rules of its own; the error
/// names the line.
pub fn parse(path: &str, text: &str) -> Result<Read> {
    // Spreadsheets put a byte order mark first.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    cells::check_widths(path, text)?;
    let first = first_data(text);
    if let Some(parse) = parser(text) {
        let read = parse(path, text);
        // These begin with a head of their own.
        let says = matrix_market::begins(text) || recorded_csv::begins(first) || edge_list::begins(first);
        return if says { read } else { bare_edges::check(path, text, read) };
    }
    let found = if first.is_empty() { "no data".to_string() } else { quote(first) };
    Err(Error::input(format!("found {found}, expected a communication matrix")).at(&Place::new(path, 0)).hint(
        "accepted are N rows of N numbers, `p,src,dst,messages,bytes` lines, \
         edge lists with a head `src,dst,bytes`, tables with names, METIS graphs, Matrix Market files, .npy and .npz",
    ))
}

/// True where bytes, or the text that they are, begin as one of these formats does.
pub fn is_matrix(bytes: &[u8], text: &str) -> bool {
    let is_table = || cells::check_widths("", text).is_ok() && parser(text).is_some();
    npy::begins(bytes) || is_archive(bytes) || is_table()
}

fn is_data(line: &&str) -> bool {
    !line.is_empty() && !line.starts_with(['#', '%'])
}

/// The first line that is no comment.
fn first_data(text: &str) -> &str {
    text.lines().map(str::trim).find(is_data).unwrap_or_default()
}

/// What reads a text, by its first lines.
fn parser(text: &str) -> Option<fn(&str, &str) -> Result<Read>> {
    let first = first_data(text);
    let percent = text.lines().map(str::trim).take_while(|line| !is_data(line)).any(|line| line.starts_with('%'));
    if matrix_market::begins(text) {
        return Some(matrix_market::parse);
    }
    if recorded_csv::begins(first) {
        return Some(recorded_csv::parse);
    }
    if cells::is_wide(text) {
        return metis::begins(first).then_some(metis::parse);
    }
    // Of a square no line alone says whether it has names.
    match square::kind(text) {
        Some(Kind::Amounts) => Some(dense_csv::parse),
        Some(Kind::Ranks) => Some(labelled::parse),
        Some(Kind::Unclear) => Some(square::refuse),
        None if edge_list::begins(first) => Some(edge_list::parse),
        None if !percent && labelled::begins(text) => Some(labelled::parse),
        None if metis::begins(first) && (percent || !square::is_square(text, Cut::of(text))) => Some(metis::parse),
        None => begins_with_number(text).then_some(dense_csv::parse),
    }
}

/// True where the first cell that is not empty is a number.
fn begins_with_number(text: &str) -> bool {
    let cut = Cut::of(text);
    let mut rows = cut.rows(text).filter(|line| is_data(&line.trim()));
    let first = rows.find_map(|line| cut.cells(line, 0).into_iter().find(|cell| !cell.is_empty()));
    first.is_some_and(|cell| cell.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart_by_content() {
        let total = |text: &str| parse("m", text).map(|read| (read.demand.tasks(), read.demand.total()));
        assert_eq!(total("\u{feff}0,3\n4,0\n"), Ok((2, 7.0)), "dense");
        assert_eq!(total("p,0,1,1,3\n"), Ok((2, 3.0)), "recording");
        assert_eq!(total("2 1 1\n2 5\n1 5\n"), Ok((2, 10.0)), "METIS, three lines and three numbers");
        assert_eq!(total("3 2 1\n2 5 4\n1 5 4\n"), Ok((3, 27.0)), "a square is dense");
        assert_eq!(total("% graph\n2 1 11\n1 2 5\n1 1 5\n"), Ok((2, 10.0)), "a % comment says METIS");
        assert_eq!(total("%%MatrixMarket matrix array real general\n1 1\n4\n"), Ok((1, 4.0)));
    }

    #[test]
    fn other_texts_are_refused_with_what_is_accepted() {
        let accepted = "accepted are N rows of N numbers, `p,src,dst,messages,bytes` lines, \
                        edge lists with a head `src,dst,bytes`, tables with names, METIS graphs, Matrix Market files, .npy and .npz";
        for (text, found) in [("", "no data"), ("# only\n\n", "no data"), ("hello world\n1", "`hello world`")] {
            let error = parse("m.txt", text).expect_err(text).to_string();
            assert_eq!(error, format!("m.txt: found {found}, expected a communication matrix; {accepted}"));
        }
    }
}
