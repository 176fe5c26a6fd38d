//! The cabling of a Cray XC machine, as its command `rtr --interconnect` prints
//! it: one line for every tile (port) of every Aries router,
//!
//! ```text
//! c0-0c0s0a0l00(0:0:0) green -> c0-0c0s6a0l10(0:0:6)
//! c0-0c0s0a0l04(0:0:0) blue -> unused
//! c0-0c0s0a0l50(0:0:0) ptile -> processor
//! ```
//!
//! with the tile's component name, `(group:chassis:slot)` and the colour of its
//! network: green inside a chassis, black inside a group, blue between groups.

mod cname;
mod fabric;

pub use cname::{Cname, Tile};
pub use fabric::{Rates, build};

use super::lines::Lines;
use super::words::quote;
use crate::error::{Error, Place, Result};
use cname::Position;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// All routers and cables of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cabling {
    /// The routers in natural order (c2-0 before c10-0).
    pub routers: Vec<Router>,
    /// Every cable once, by its first end.
    pub cables: Vec<Cable>,
}

/// An Aries router: one blade with its hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Router {
    /// Its component name, such as c0-0c0s0a0.
    pub name: Cname,
    /// Group (two cabinets).
    pub group: u32,
    /// Chassis within the group.
    pub chassis: u32,
}

/// A cable between two tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cable {
    /// The lower end.
    pub a: End,
    /// The other end.
    pub b: End,
    /// Its network.
    pub colour: Colour,
}

/// One end of a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    /// Index into [`Cabling::routers`].
    pub router: u32,
    /// The tile, 0 to 77: row and column as the two digits of `l47` read.
    pub tile: u16,
}

/// The three networks between routers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Backplane of a chassis.
    Green,
    /// Copper cables between the chassis of a group.
    Black,
    /// Optical cables between groups.
    Blue,
}

/// True where a text holds lines of `rtr --interconnect`. O(text).
pub fn is_interconnect(text: &str) -> bool {
    text.lines().any(|line| line.split_once(char::is_whitespace).is_some_and(|(tile, _)| Tile::read(tile).is_some()))
}

/// Reads the cabling. O(lines log lines).
///
/// # Errors
/// A line is damaged or has an unknown colour; a tile stands there twice; the
/// two ends of a cable do not name each other in one colour; a router has two
/// positions; there is no router.
pub fn parse(path: &str, text: &str) -> Result<Cabling> {
    let (mut lines, mut sides) = (Lines::new(path, text), Sides::default());
    while let Some(line) = lines.next() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            let side = Side::read(line, &lines)?;
            sides.add(side).map_err(|what| lines.error(what).hint(AGAIN))?;
        }
    }
    if sides.routers.is_empty() {
        return Err(Error::input(
            "no router, expected lines such as `c0-0c0s0a0l00(0:0:0) green -> c0-0c0s6a0l10(0:0:6)`",
        )
        .at(&Place::new(path, 0))
        .hint("give the output of `rtr --interconnect`"));
    }
    sides.join(path)
}

const AGAIN: &str = "the file is cut short or damaged: collect it again with `rtr --interconnect`";

/// What one line says.
struct Side {
    at: Tile,
    position: Position,
    /// Colour, far tile and its position; `None` for a tile without a cable.
    cable: Option<(Colour, Tile, Position)>,
    line: u32,
}

impl Side {
    fn read(line: &str, lines: &Lines<'_>) -> Result<Side> {
        let wrong = |expected: &str| lines.error(format!("found {}, expected {expected}", quote(line))).hint(AGAIN);
        let words: Vec<&str> = line.split_whitespace().collect();
        let [near, colour, "->", far] = words[..] else { return Err(wrong("`TILE COLOUR -> TILE`")) };
        let tile = |word: &str| Tile::read(word).ok_or_else(|| wrong("tiles such as c0-0c0s6a0l10(0:0:6)"));
        let (at, position) = tile(near)?;
        let colour = match colour {
            "green" => Colour::Green,
            "black" => Colour::Black,
            "blue" => Colour::Blue,
            "ptile" if matches!(far, "processor" | "unused") => {
                return Ok(Side { at, position, cable: None, line: lines.number() });
            }
            "ptile" => return Err(wrong("a processor behind a ptile")),
            _ => return Err(wrong("one of the colours green, black and blue, or ptile")),
        };
        let cable = match far {
            "unused" => None,
            far => tile(far).map(|(far, position)| Some((colour, far, position)))?,
        };
        Ok(Side { at, position, cable, line: lines.number() })
    }
}

/// Routers and sides before they are checked against each other.
#[derive(Default)]
struct Sides {
    routers: BTreeMap<Cname, Position>,
    sides: Vec<Side>,
    /// The line of every tile.
    lines: FxHashMap<Tile, u32>,
}

impl Sides {
    fn add(&mut self, side: Side) -> Result<(), String> {
        if let Some(first) = self.lines.insert(side.at, side.line) {
            return Err(format!("tile {} stands in line {first} already", side.at));
        }
        let position = *self.routers.entry(side.at.router).or_insert(side.position);
        if position != side.position {
            return Err(format!("{} is at {}, but was at {position} before", side.at.router, side.position));
        }
        self.sides.push(side);
        Ok(())
    }

    /// Checks that each cable is told by both of its ends and keeps one of the two.
    fn join(self, path: &str) -> Result<Cabling> {
        let index: FxHashMap<Cname, u32> = self.routers.keys().copied().zip(0..).collect();
        let side_at: FxHashMap<Tile, &Side> = self.sides.iter().map(|side| (side.at, side)).collect();
        let mut cables = Vec::with_capacity(self.sides.len() / 2);
        for side in &self.sides {
            let Some((colour, far, position)) = side.cable else { continue };
            let wrong = |what: String| {
                let message = format!("{} is cabled to {far}, {what}", side.at);
                Error::input(message).at(&Place::new(path, side.line)).hint(AGAIN)
            };
            let back = side_at.get(&far).ok_or_else(|| wrong("which is not in this file".into()))?;
            let line = back.line;
            match back.cable {
                _ if far == side.at => return Err(wrong("which is itself".into())),
                None => return Err(wrong(format!("which has no cable in line {line}"))),
                Some((_, other, _)) if other != side.at => {
                    return Err(wrong(format!("but line {line} cables that to {other}")));
                }
                Some((other, ..)) if other != colour => {
                    return Err(wrong(format!("in another colour than in line {line}")));
                }
                Some(_) if back.position != position => {
                    return Err(wrong(format!("which is at {position} here and at {} in line {line}", back.position)));
                }
                Some(_) => {}
            }
            let end = |tile: Tile| Some(End { router: *index.get(&tile.router)?, tile: tile.number });
            if let (Some(a), Some(b)) = (end(side.at), end(far))
                && a < b
            {
                cables.push(Cable { a, b, colour });
            }
        }
        cables.sort_unstable_by_key(|c| c.a);
        let router = |(name, p): (Cname, Position)| Router { name, group: p.group, chassis: p.chassis };
        Ok(Cabling { routers: self.routers.into_iter().map(router).collect(), cables })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: &str = "\
# two blades of one chassis, a third in another group
c10-0c0s0a0l01(1:0:0) blue -> c2-0c0s0a0l01(0:0:0)
c2-0c0s0a0l00(0:0:0) green -> c2-0c0s1a0l10(0:0:1)
c2-0c0s0a0l01(0:0:0) blue -> c10-0c0s0a0l01(1:0:0)
c2-0c0s0a0l02(0:0:0) blue -> unused
c2-0c0s0a0l50(0:0:0) ptile -> processor
c2-0c0s1a0l10(0:0:1) green -> c2-0c0s0a0l00(0:0:0)
";

    fn error(text: &str) -> String {
        parse("x", text).expect_err(text).to_string()
    }

    #[test]
    fn both_ends_make_one_cable() {
        let cabling = parse("x", PAIR).expect("cabling");
        let names: Vec<String> = cabling.routers.iter().map(|r| r.name.to_string()).collect();
        assert_eq!(names, ["c2-0c0s0a0", "c2-0c0s1a0", "c10-0c0s0a0"], "in natural order");
        let ends: Vec<_> = cabling.cables.iter().map(|c| (c.a.router, c.a.tile, c.b.router, c.b.tile)).collect();
        assert_eq!(ends, [(0, 0, 1, 10), (0, 1, 2, 1)]);
        assert!(is_interconnect(PAIR) && !is_interconnect("Switch 36 \"S-1\" # \"leaf\" base port 0 lid 7 lmc 0"));
    }

    #[test]
    fn ends_that_disagree_are_refused_with_their_line() {
        let change = |from: &str, to: &str| error(&PAIR.replacen(from, to, 1));
        let lost = "l10(0:0:1) green -> c2-0c0s0a0l00(0:0:0)";
        assert!(change(lost, "l11(0:0:1) green -> c2-0c0s0a0l00(0:0:0)").starts_with(
            "x:3: c2-0c0s0a0l00 is cabled to c2-0c0s1a0l10, which is not in this file; the file is cut short"
        ));
        assert!(change(lost, "l10(0:0:1) green -> unused").starts_with("x:3: "), "no cable back");
        assert!(change(lost, "l10(0:0:1) green -> c2-0c0s0a0l03(0:0:0)").contains("but line 7 cables that to"));
        assert!(change(lost, "l10(0:0:1) black -> c2-0c0s0a0l00(0:0:0)").contains("in another colour than in line 7"));
        assert!(change("l10(0:0:1)\n", "l10(0:0:2)\n").contains("which is at (0:0:2) here and at (0:0:1) in line 7"));
        assert!(change("l10(0:0:1)\n", "l00(0:0:1)\n").contains("not in this file"));
        assert!(change("c2-0c0s1a0l10(0:0:1)\n", "c2-0c0s0a0l00(0:0:0)\n").contains("which is itself"));
        assert!(change("l02(0:0:0)", "l02(0:0:3)").starts_with("x:5: c2-0c0s0a0 is at (0:0:3), but was at (0:0:0)"));
        assert!(change("l02", "l01").starts_with("x:5: tile c2-0c0s0a0l01 stands in line 4 already"));
    }

    #[test]
    fn damaged_lines_are_refused() {
        let change = |from: &str, to: &str| error(&PAIR.replacen(from, to, 1));
        assert!(change("blue -> unused", "red -> unused").contains("one of the colours green, black and blue"));
        for bad in ["c2-0c0s0l02", "c2-0c0s0a0l82", "c2-0c0s0a0l2", "c2-0c0s0a1l02", "c2c0s0a0l02", "n5"] {
            let e = change("c2-0c0s0a0l02", bad);
            assert!(e.starts_with("x:5: found `") && e.contains("expected tiles such as c0-0c0s6a0l10(0:0:6)"), "{e}");
        }
        assert!(change("processor", "c0-0c0s6a0l10(0:0:6)").contains("a processor behind a ptile"));
        assert!(change("blue -> unused", "blue unused").contains("expected `TILE COLOUR -> TILE`"));
        assert!(error("").starts_with("x: no router, expected lines such as"));
    }
}
