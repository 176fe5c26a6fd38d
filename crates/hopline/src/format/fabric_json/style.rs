//! How the JSON looks: every item of the outer lists in a line of its own, so
//! that two files can be compared and an error's line says which item is meant.

use serde_json::ser::Formatter;
use std::io::{Result, Write};

/// Lists and objects deeper than this stay in their line.
const DEEPEST: usize = 2;

#[derive(Default)]
pub(super) struct ByLine {
    depth: usize,
    empty: bool,
}

impl ByLine {
    fn open(&mut self) {
        self.depth += 1;
        self.empty = true;
    }

    fn next<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.empty = false;
        match (self.depth <= DEEPEST, first) {
            (true, true) => self.line(writer),
            (true, false) => writer.write_all(b",").and_then(|()| self.line(writer)),
            (false, true) => Ok(()),
            (false, false) => writer.write_all(b", "),
        }
    }

    fn close<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        let broken = self.depth <= DEEPEST && !self.empty;
        self.depth = self.depth.saturating_sub(1);
        self.empty = false;
        if broken { self.line(writer) } else { Ok(()) }
    }

    fn line<W: Write + ?Sized>(&self, writer: &mut W) -> Result<()> {
        write!(writer, "\n{:width$}", "", width = 2 * self.depth)
    }
}

impl Formatter for ByLine {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.open();
        writer.write_all(b"[")
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.close(writer)?;
        writer.write_all(b"]")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.next(writer, first)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.open();
        writer.write_all(b"{")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        self.close(writer)?;
        writer.write_all(b"}")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> Result<()> {
        self.next(writer, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> Result<()> {
        writer.write_all(b": ")
    }
}
