//! What bodies share.

use hopline::error::{Error, Result};
use hopline::event::Silent;
use hopline::files::Files;
use hopline_cli::embed;
use hopline_formats::AnyForm;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What stands between the files of an input that is several.
const BETWEEN: &[u8] = b"\n%%\n";

/// Whether a reader had the input as a file, of which it keeps a copy of its own.
pub static FILE_WAS_READ: AtomicBool = AtomicBool::new(false);

/// Parts of an input as files.
pub(crate) struct Parts<'a>(pub(crate) Vec<(&'a str, &'a [u8])>);

impl Files for Parts<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        let missing = || Error::input(format!("{path}: no such file"));
        let (_, bytes) = self.0.iter().find(|(name, _)| *name == path).ok_or_else(missing)?;
        FILE_WAS_READ.store(true, Relaxed);
        Ok(bytes.to_vec())
    }

    fn list(&self, _: &str) -> Option<Vec<String>> {
        None
    }
}

/// Bytes as a reader of text gets them.
pub(crate) fn text(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

/// The files of an input; the last takes all that is left.
pub(crate) fn parts(data: &[u8], most: usize) -> Vec<&[u8]> {
    let (mut parts, mut rest) = (Vec::new(), data);
    while parts.len() + 1 < most
        && let Some(at) = rest.windows(BETWEEN.len()).position(|window| window == BETWEEN)
    {
        parts.push(&rest[..at]);
        rest = &rest[at + BETWEEN.len()..];
    }
    parts.push(rest);
    parts
}

/// Files as one input.
pub(crate) fn joined(files: &[Vec<u8>]) -> Vec<u8> {
    files.join(BETWEEN)
}

/// The command line `line` with `data` as the file `fuzz`; true where it has an answer. What is refused is refused in a line.
pub(crate) fn answers(line: &str, data: &[u8]) -> bool {
    let files = AnyForm(Parts(vec![("fuzz", data)]));
    let words: Vec<String> = line.split(' ').map(String::from).collect();
    taken(embed::answer(&words, &files, &mut Silent)).is_some()
}

/// What was read; a refusal must be a line.
pub(crate) fn taken<T>(read: Result<T>) -> Option<T> {
    read.inspect_err(|e| assert!(!e.to_string().contains('\n'), "more than a line: {e}")).ok()
}
