//! What bodies share.

use hopline::error::Result;
use hopline::event::Silent;
use hopline::files::Memory;
use hopline_cli::embed;
use hopline_formats::AnyForm;
use std::borrow::Cow;

/// What stands between the files of an input that is several.
const BETWEEN: &[u8] = b"\n%%\n";

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
    let files = AnyForm(Memory([("fuzz".to_string(), data.to_vec())].into()));
    let words: Vec<String> = line.split(' ').map(String::from).collect();
    taken(embed::answer(&words, &files, &mut Silent)).is_some()
}

/// What was read; a refusal must be a line.
pub(crate) fn taken<T>(read: Result<T>) -> Option<T> {
    read.inspect_err(|e| assert!(!e.to_string().contains('\n'), "more than a line: {e}")).ok()
}
