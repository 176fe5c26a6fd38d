//! What the command line reads: the machine's files, standard input as `-`, within the limit that is given.

mod carried;

pub(crate) use carried::{Carried, keep, packed};

use crate::output;
use hopline::error::{Error, Result};
use hopline::files::{self, Files, MOST_BYTES};
use std::sync::OnceLock;

/// The limit of this process.
static MOST: OnceLock<u64> = OnceLock::new();
/// Standard input, which can be read once but is asked for more often.
static STANDARD: OnceLock<std::result::Result<Vec<u8>, String>> = OnceLock::new();

/// Sets the most bytes of an input, before anything is read.
pub(crate) fn limit(bytes: u64) {
    // A second call in one process, from Python, keeps the first limit.
    let _ = MOST.set(bytes);
}

/// The machine's files, and `-`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        output::check_input(path)?;
        let read = || files::read_at_most("-", std::io::stdin().lock(), self.most_bytes()).map_err(|e| e.to_string());
        let bytes = match path {
            "-" => STANDARD.get_or_init(read).clone().map_err(Error::input)?,
            _ => files::read_regular(path, self.most_bytes())?,
        };
        carried::note(path, &bytes);
        Ok(bytes)
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        files::Disk.list(path)
    }

    fn fabric(&self, path: &str, text: String) -> Result<String> {
        hopline_formats::translated(path, text)
    }

    fn most_bytes(&self) -> u64 {
        *MOST.get_or_init(|| MOST_BYTES)
    }
}
