//! NumPy's archives `.npz`: one square array of `numpy.savez` or
//! `savez_compressed`, or a [sparse matrix](super::sparse). Row = sender.
//!
//! Dense arrays are unpacked row by row, so that a small file that unpacks to
//! gigabytes of zeros takes no memory.

use super::array::{HINT, MOST, of, open};
use super::contents::Read;
use super::sparse;
use super::zip;
use crate::error::{Error, Place, Result};
use crate::format::words::quote;

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
        return sparse::read(&members);
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
