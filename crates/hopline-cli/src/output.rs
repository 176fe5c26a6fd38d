//! The only place that prints.

mod csv;

use crate::args::Format;
use hopline::error::{Error, Result};
use serde::Serialize;
use std::io::Write;

/// Prints an outcome: its text, itself as JSON, or its table as CSV.
pub(crate) fn outcome<T: Serialize>(format: Format, outcome: &T, text: impl FnOnce(&T) -> String) -> Result<()> {
    let text = match format {
        Format::Text => text(outcome),
        Format::Json => json(outcome)? + "\n",
        Format::Csv => csv::table(&json(outcome)?)?,
    };
    write(&text)
}

fn json<T: Serialize>(outcome: &T) -> Result<String> {
    serde_json::to_string_pretty(outcome).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))
}

/// Prints text; a closed pipe (`| head`) is no failure.
pub(crate) fn write(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::failed(format!("cannot print: {e}"))),
        _ => Ok(()),
    }
}

/// One line on stderr.
pub(crate) fn say(line: &str) {
    // Nobody is left to hear that stderr is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The error line.
pub(crate) fn complain(error: &Error) {
    say(&format!("hopline: {error}"));
}

/// Writes files whole, and all of them or none: drafts first, then renames.
pub(crate) fn save<T: AsRef<[u8]>>(files: &[(&str, T)]) -> Result<()> {
    let draft = |path: &str| format!("{path}.{}.part", std::process::id());
    let fail = |path: &str, e: std::io::Error| Error::failed(format!("{path}: {e}"));
    // A device such as /dev/stdout cannot be replaced by a rename.
    let special = |path: &str| std::path::Path::new(path).exists() && !std::path::Path::new(path).is_file();
    let write = |(path, text): &(&str, T)| {
        let target = if special(path) { path.to_string() } else { draft(path) };
        std::fs::write(target, text).map_err(|e| fail(path, e))
    };
    let publish = |(path, _): &(&str, T)| {
        if special(path) { Ok(()) } else { std::fs::rename(draft(path), path).map_err(|e| fail(path, e)) }
    };
    let done = files.iter().try_for_each(write).and_then(|()| files.iter().try_for_each(publish));
    if done.is_err() {
        files.iter().for_each(|(path, _)| drop(std::fs::remove_file(draft(path))));
    }
    done
}
