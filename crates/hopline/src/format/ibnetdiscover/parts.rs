//! The pieces that lines of `ibnetdiscover` are made of.

use super::super::lines::Lines;
use super::NodeKind;
use crate::error::Error;

/// An error for a line that cannot be read.
pub(super) fn damaged(lines: &Lines<'_>, line: &str) -> Error {
    let start: String = line.chars().take(60).collect();
    let message = format!("`{start}` is no line of `ibnetdiscover`: ports are 1 to 254, LIDs up to 49151");
    lines.error(message).hint("the dump is cut short or damaged: collect it again")
}

pub(super) fn split_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    (!word.is_empty()).then_some((word, rest))
}

/// The words of the heads, the node names and the `-p` form.
pub(super) fn kind(word: &str) -> Option<NodeKind> {
    match word {
        "Switch" | "S" | "SW" => Some(NodeKind::Switch),
        "Ca" | "H" | "CA" => Some(NodeKind::Adapter),
        "Rt" | "R" | "RT" => Some(NodeKind::Router),
        _ => None,
    }
}

pub(super) fn id(kind: NodeKind, guid: u64) -> String {
    let letter = match kind {
        NodeKind::Switch => 'S',
        NodeKind::Adapter => 'H',
        NodeKind::Router => 'R',
    };
    format!("{letter}-{guid:016x}")
}

/// A node as lines name it.
pub(super) struct NodeId<'a> {
    pub(super) kind: NodeKind,
    pub(super) guid: u64,
    /// What follows.
    pub(super) rest: &'a str,
}

/// Reads `"S-0002c90200400018"`.
pub(super) fn node_id(text: &str) -> Option<NodeId<'_>> {
    let (name, rest) = text.trim_start().strip_prefix('"')?.split_once('"')?;
    let (letter, guid) = name.split_once('-')?;
    Some(NodeId { kind: kind(letter)?, guid: hex(guid)?, rest })
}

/// A text around a description in quotes.
pub(super) struct Quoted<'a> {
    pub(super) before: &'a str,
    pub(super) inside: &'a str,
    pub(super) after: &'a str,
}

/// Splits at the first and the last quote: descriptions may hold some themselves.
pub(super) fn quoted(text: &str) -> Option<Quoted<'_>> {
    let (before, rest) = text.split_once('"')?;
    let (inside, after) = rest.rsplit_once('"')?;
    Some(Quoted { before, inside, after })
}

/// `[5]`, and `[ext 3]` behind it with `-g`.
pub(super) fn bracketed(text: &str) -> Option<(u16, &str)> {
    let (number, rest) = text.strip_prefix('[')?.split_once(']')?;
    let rest = rest.strip_prefix("[ext ").and_then(|r| r.split_once(']')).map_or(rest, |(_, r)| r);
    Some((port_number(number)?, rest))
}

pub(super) fn port_number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| (1..=254).contains(port))
}

/// `lid 4 lmc 2` among other words; a missing one is 0.
pub(super) fn lids(text: &str) -> Option<(u16, u8)> {
    let after = |key: &str| text.split_whitespace().skip_while(|word| *word != key).nth(1).unwrap_or("0");
    Some((unicast(after("lid"))?, after("lmc").parse().ok().filter(|lmc| *lmc <= 7)?))
}

/// A LID; 0 also for 0xffff, which ports have before a subnet manager sees them.
pub(super) fn unicast(text: &str) -> Option<u16> {
    let lid: u16 = text.parse().ok()?;
    if lid == 0xffff { Some(0) } else { (lid <= 0xbfff).then_some(lid) }
}

pub(super) fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).ok()
}
