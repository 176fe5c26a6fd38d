//! The one cursor that all line-oriented readers use.

use crate::error::{Error, Place};

/// The lines of a text with their numbers.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    path: &'a str,
    rest: std::str::Lines<'a>,
    line: u32,
}

impl<'a> Lines<'a> {
    /// The lines of `text`, which stands in `path`.
    pub(crate) fn new(path: &'a str, text: &'a str) -> Self {
        Lines { path, rest: text.lines(), line: 0 }
    }

    /// An error at the line that was read last.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::input(message).at(&self.place())
    }

    /// The place of the line that was read last.
    pub(crate) fn place(&self) -> Place {
        Place::new(self.path, self.line)
    }

    /// Number of the line that was read last, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.line
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let line = self.rest.next()?;
        self.line += 1;
        Some(line)
    }
}
