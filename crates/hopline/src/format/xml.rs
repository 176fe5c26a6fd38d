//! What all that reads or writes XML shares.

use crate::error::{Error, Place, Result};
use crate::files::check_room;
use roxmltree::{Document, ParsingOptions};

/// The most elements of what tells one host.
const MOST: u32 = 1 << 20;

/// Bytes of memory of an attribute, of an element, and of the text before one, with what is made of them.
const PIECE: usize = 80;

/// Text that may stand in XML and HTML.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

/// Refuses a text whose elements and attributes take more memory than inputs may. O(text).
///
/// # Errors
/// It is too large.
pub(crate) fn check_elements(path: &str, text: &str) -> Result<()> {
    let of = |mark: u8| text.bytes().filter(|byte| *byte == mark).count();
    check_room(path, text.len(), 2 * of(b'<') + of(b'='), PIECE)
}

/// The elements of a text that tells one host.
///
/// # Errors
/// It is no XML, or has too many elements.
pub(super) fn parse<'a>(path: &str, text: &'a str, allow_dtd: bool) -> Result<Document<'a>> {
    check_elements(path, text)?;
    let options = ParsingOptions { allow_dtd, nodes_limit: MOST, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|e| no_xml(path, &e.to_string(), e.pos().row))
}

/// What a parser says of a text that is no XML, such as `unexpected end at 3:5`, as an error of that line.
pub fn no_xml(path: &str, says: &str, line: u32) -> Error {
    let message = says.rsplit_once(" at ").map_or(says, |(message, _)| message);
    Error::input(message).at(&Place::new(path, line)).hint("this is no XML here")
}
