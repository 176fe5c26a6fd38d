//! The only place that prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use crate::args::Format;
use hopline::error::{Error, Result};
use serde::Serialize;
use std::io::Write;

/// Prints an outcome: its text, or itself as JSON.
pub(crate) fn outcome<T: Serialize>(format: Format, outcome: &T, text: impl FnOnce(&T) -> String) -> Result<()> {
    let text = match format {
        Format::Text => text(outcome),
        Format::Json => {
            let json =
                serde_json::to_string_pretty(outcome).map_err(|e| Error::failed(format!("cannot write JSON: {e}")))?;
            json + "\n"
        }
    };
    write(&text)
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
    eprintln!("{line}");
}

/// The error line.
pub(crate) fn complain(error: &Error) {
    eprintln!("hopline: {error}");
}

/// Writes a file whole or not at all.
pub(crate) fn save(path: &str, text: &str) -> Result<()> {
    let fail = |e: std::io::Error| Error::failed(format!("{path}: {e}"));
    let target = std::path::Path::new(path);
    // A device such as /dev/stdout cannot be replaced by a rename.
    if target.exists() && !target.is_file() {
        return std::fs::write(target, text).map_err(fail);
    }
    let draft = format!("{path}.{}.part", std::process::id());
    std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, target)).map_err(|e| {
        let _ = std::fs::remove_file(&draft);
        fail(e)
    })
}
