//! What a matrix file says, and how much it may say.

use crate::demand::Demand;
use crate::error::Result;
use crate::format::lines::Lines;
use crate::format::words::quote;

/// The most tasks of a matrix: a mistyped number must not ask for all memory.
pub const MAX_TASKS: u32 = 1 << 22;

/// What a matrix file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// Bytes from each task to each other; task = row, rank or vertex, from 0.
    pub demand: Demand,
    /// What the file says beyond that and is left out, one sentence each.
    pub notes: Vec<String>,
}

/// A number of tasks from a header, refused before anything is made of it.
pub(super) fn tasks(lines: &Lines<'_>, word: &str) -> Result<u32> {
    word.parse()
        .ok()
        .filter(|n| (1..=MAX_TASKS).contains(n))
        .ok_or_else(|| lines.error(format!("found {}, expected a number of tasks from 1 to {MAX_TASKS}", quote(word))))
}
