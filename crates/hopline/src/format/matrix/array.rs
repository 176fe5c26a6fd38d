//! An array of an archive.

use super::npy::Header;
use super::zip::{Checked, Member};
use crate::error::{Error, Result};
use crate::format::words::quote;

/// The most entries, 4 GB of them: packed files may claim any number.
pub(super) const MOST: usize = 1 << 28;

pub(super) const HINT: &str =
    "save one with numpy.savez_compressed(file, matrix) or scipy.sparse.save_npz(file, matrix)";

/// An error with the array that it is about.
pub(super) fn of(member: &Member<'_>, e: &Error) -> Error {
    let name = member.name.trim_end_matches(".npy");
    Error::input(format!("array {}: {}", quote(name), e.message())).hint(HINT)
}

pub(super) fn open<'a>(member: &Member<'a>) -> Result<(Header, Checked<'a>)> {
    let mut input = member.open()?;
    let header = Header::read(&mut input).map_err(|e| of(member, &e))?;
    Ok((header, input))
}
