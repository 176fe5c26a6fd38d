//! One table from its header to its last line.

use super::super::lines::Lines;
use super::{AGAIN, NONE, Table, Tables, UNICAST, damaged};
use crate::error::{Error, Place, Result};
use crate::fabric::Guid;
use std::collections::btree_map::Entry;

/// A table while it is read.
pub(super) struct Draft {
    guid: Guid,
    table: Table,
    top: u16,
    /// The header of opensm-lfts.dump counts in decimal; its trailer is the top LID.
    decimal: bool,
    entries: usize,
    last: Option<u16>,
    last_line: u32,
}

impl Draft {
    /// `Unicast lids [0x0-0x16] of switch Lid 2 guid 0x0002c90200400000 (leaf):`.
    pub(super) fn begin(line: &str, lines: &Lines<'_>) -> Result<Self> {
        let header = || {
            let (range, rest) = line.strip_prefix(UNICAST)?.split_once(']')?;
            let (first, top) = range.split_once('-')?;
            let guid = rest.split_once(" guid 0x")?.1.split(|c: char| !c.is_ascii_hexdigit()).next()?;
            let decimal = !top.starts_with("0x");
            let lid = |text: &str| match text.strip_prefix("0x") {
                Some(hex) => u16::from_str_radix(hex, 16).ok(),
                None => text.parse().ok(),
            };
            Some((lid(first)?, lid(top)?, decimal, Guid(u64::from_str_radix(guid, 16).ok()?)))
        };
        let (first, top, decimal, guid) = header().ok_or_else(|| damaged(line, lines))?;
        if first > 1 || top > 0xbfff {
            let message = format!("switch {guid}: LIDs {first} to {top}, expected them from 0, up to 49151 at most");
            return Err(lines.error(message).hint("collect the tables without a range of LIDs"));
        }
        let table = Table { place: lines.place(), out: Vec::with_capacity(usize::from(top) + 1), lost: None };
        Ok(Draft { guid, table, top, decimal, entries: 0, last: None, last_line: lines.number() })
    }

    pub(super) fn add(&mut self, lid: u16, port: u16, rest: &[u8], lines: &Lines<'_>) -> Result<()> {
        if lid > self.top || self.last.is_some_and(|last| lid <= last) {
            let message = format!("LID {lid} of switch {} is out of order or past its top LID {}", self.guid, self.top);
            return Err(lines.error(message).hint(AGAIN));
        }
        if port > 255 {
            return Err(lines.error(format!("port {port}, expected 0 to 254, or 255 for none")).hint(AGAIN));
        }
        self.entries += 1;
        self.last = Some(lid);
        self.last_line = lines.number();
        // With -a the tool lists LIDs without a way too.
        if port < u16::from(NONE) && !rest.ends_with(b"illegal port)") {
            self.table.out.resize(usize::from(lid), NONE);
            self.table.out.push(port as u8);
        }
        Ok(())
    }

    pub(super) fn close(self, count: usize, lines: &Lines<'_>, tables: &mut Tables) -> Result<()> {
        let expected = if self.decimal { usize::from(self.top) } else { self.entries };
        if count != expected {
            let message = format!("switch {}: {count} LIDs dumped, but {expected} found", self.guid);
            return Err(lines.error(message).hint(AGAIN));
        }
        self.keep(tables)
    }

    /// Some versions of `ibroute` end with an error instead: the top LID tells whether all is there.
    pub(super) fn close_without_trailer(self, tables: &mut Tables) -> Result<()> {
        if self.last.is_none_or(|last| last < self.top && !self.loses_top(last)) {
            let last = self.last.map_or("no LID".to_string(), |lid| format!("LID {lid}"));
            let message = format!("the table of switch {} is cut short: it ends at {last} of {}", self.guid, self.top);
            let place = Place::new(self.table.place.path, self.last_line);
            return Err(Error::input(message).at(&place).hint(AGAIN));
        }
        self.keep(tables)
    }

    /// `dump_fts` and `ibroute` lose the top LID when it is a multiple of 64.
    fn loses_top(&self, last: u16) -> bool {
        !self.decimal && self.top.is_multiple_of(64) && last + 1 == self.top
    }

    fn keep(mut self, tables: &mut Tables) -> Result<()> {
        let lost = !self.decimal && self.top > 0 && self.top.is_multiple_of(64) && self.last < Some(self.top);
        self.table.lost = lost.then_some(self.top);
        match tables.tables.entry(self.guid) {
            Entry::Vacant(free) => drop(free.insert(self.table)),
            Entry::Occupied(first) if first.get().out == self.table.out => {}
            Entry::Occupied(first) => {
                let message = format!("switch {} has another table than in {}", self.guid, first.get().place);
                return Err(Error::input(message).at(&self.table.place).hint("give the tables of one moment only"));
            }
        }
        Ok(())
    }
}
