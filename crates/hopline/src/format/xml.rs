//! What all that reads or writes XML shares.

use crate::error::{Error, Place};

/// Text that may stand in XML and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What a parser says of a text that is no XML, such as `unexpected end at 3:5`, as an error of that line.
pub fn no_xml(path: &str, says: &str, line: u32) -> Error {
    let message = says.rsplit_once(" at ").map_or(says, |(message, _)| message);
    Error::input(message).at(&Place::new(path, line)).hint("this is no XML here")
}
