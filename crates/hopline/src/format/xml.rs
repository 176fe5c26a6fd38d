//! What all that reads or writes XML shares.

use crate::error::{Error, Place, Result};
use crate::files::check_room;
use roxmltree::{Document, ParsingOptions};

/// The most elements of what tells one host.
const MOST: u32 = 1 << 20;

/// Bytes of memory of an element or an attribute.
const ELEMENT: usize = 80;

/// Text that may stand in XML and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The elements of a text that tells one host.
///
/// # Errors
/// It is no XML, or has too many elements.
pub(super) fn parse<'a>(path: &str, text: &'a str, allow_dtd: bool) -> Result<Document<'a>> {
    let elements = text.bytes().filter(|byte| b"<=".contains(byte)).count();
    check_room(path, text.len(), elements, ELEMENT)?;
    let options = ParsingOptions { allow_dtd, nodes_limit: MOST, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|e| no_xml(path, &e.to_string(), e.pos().row))
}

/// What a parser says of a text that is no XML, such as `unexpected end at 3:5`, as an error of that line.
pub fn no_xml(path: &str, says: &str, line: u32) -> Error {
    let message = says.rsplit_once(" at ").map_or(says, |(message, _)| message);
    Error::input(message).at(&Place::new(path, line)).hint("this is no XML here")
}
