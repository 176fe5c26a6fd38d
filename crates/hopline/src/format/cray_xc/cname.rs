//! Component names of Cray XC machines: c1-0c2s3a0l47 is tile 47 of the router
//! (a0) in slot 3 of chassis 2 of the cabinet in column 1 of row 0.

use std::fmt;

/// A router's name; in natural order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cname {
    column: u16,
    row: u16,
    chassis: u16,
    slot: u16,
}

impl Cname {
    /// The name of the n-th host of the router's blade, such as c0-0c0s0n3.
    pub fn host(self, n: u32) -> String {
        let Cname { column, row, chassis, slot } = self;
        format!("c{column}-{row}c{chassis}s{slot}n{n}")
    }
}

impl fmt::Display for Cname {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cname { column, row, chassis, slot } = self;
        write!(f, "c{column}-{row}c{chassis}s{slot}a0")
    }
}

/// A tile of a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile {
    /// Its router.
    pub router: Cname,
    /// Row and column, both 0 to 7, as the digits read: `l47` is 47.
    pub number: u16,
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}l{:02}", self.router, self.number)
    }
}

/// Where a router stands in its group, as the file says beside every tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) group: u32,
    pub(super) chassis: u32,
    slot: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}:{}:{})", self.group, self.chassis, self.slot)
    }
}

impl Tile {
    /// `c0-0c0s6a0l10(0:0:6)`; a blade has one router, a0.
    pub(super) fn read(word: &str) -> Option<(Tile, Position)> {
        let (column, rest) = field(word, "c")?;
        let (row, rest) = field(rest, "-")?;
        let (chassis, rest) = field(rest, "c")?;
        let (slot, rest) = field(rest, "s")?;
        let (tile, place) = rest.strip_prefix("a0l")?.strip_suffix(')')?.split_once('(')?;
        let octal = tile.len() == 2 && tile.bytes().all(|b| (b'0'..=b'7').contains(&b));
        let number = tile.parse().ok().filter(|_| octal)?;
        let (group, rest) = field(place, "")?;
        let (in_group, rest) = field(rest, ":")?;
        let (in_chassis, rest) = field(rest, ":")?;
        let position = Position { group: group.into(), chassis: in_group.into(), slot: in_chassis.into() };
        rest.is_empty().then_some((Tile { router: Cname { column, row, chassis, slot }, number }, position))
    }
}

/// A number behind `before`, and what follows.
fn field<'a>(text: &'a str, before: &str) -> Option<(u16, &'a str)> {
    let rest = text.strip_prefix(before)?;
    let (digits, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    Some((digits.parse().ok()?, rest))
}
