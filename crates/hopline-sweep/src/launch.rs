//! Parts of a sweep as jobs of what sites already run. Every part is `hopline sweep ... --shard I/N` in the same directory,
//! and the last job is `hopline sweep merge DIR`; nothing else is needed, so that any other launcher does, too.

pub mod hyperqueue;
pub mod slurm;

use hopline::error::{Error, Result};
use std::path::PathBuf;
use std::process::Command;

/// What is launched.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program and the words of a part, without its `--shard` and `--threads`.
    pub part: Vec<String>,
    /// The program and the words that put everything together.
    pub merge: Vec<String>,
    /// The directory of the sweep, from the root.
    pub dir: PathBuf,
    /// How many parts.
    pub parts: usize,
    /// What is given to the launcher as it is, such as `--partition=short`.
    pub words: Vec<String>,
}

/// A part that failed points are recorded in is done: exit code 3 of a sweep says no more than that.
pub(crate) const DONE: &str = "[ \"$code\" -eq 3 ] || exit \"$code\"";

/// What a launcher's command prints.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| {
        Error::failed(format!("cannot start {name}: {e}"))
            .hint("run this where the launcher's commands are")
            .caused_by(e)
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::failed(format!("{name}: {}", said.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
