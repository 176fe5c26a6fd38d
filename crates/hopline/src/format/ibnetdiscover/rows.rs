//! The `-p` form: a row for every port, with its peer if it has one.

use super::super::lines::Lines;
use super::super::messages::{is_message, is_prompt};
use super::parts::{damaged, hex, id, kind, port_number, split_word, unicast};
use super::{Found, Node, NodeKind, Port, PortRef, Side, Speed};
use crate::error::{Error, Result};
use crate::fabric::Guid;
use rustc_hash::FxHashSet;

/// Reads all rows; the last switch must be whole unless the file may be `partial`.
pub(super) fn read(path: &str, text: &str, partial: bool) -> Result<Found> {
    let (mut found, mut lines) = (Found::default(), Lines::new(path, text));
    let (mut complete, mut last) = (FxHashSet::default(), None);
    while let Some(line) = lines.next() {
        let number = lines.number();
        let Some(PortRow { end, speed, rest }) = PortRow::read(line) else {
            found.complaints.hear(line, || lines.place());
            let empty = line.trim().is_empty() || line.starts_with('#');
            if found.nodes.is_empty() || empty || is_message(line) || is_prompt(line) {
                continue;
            }
            return Err(damaged(&lines, line));
        };
        let damaged = || damaged(&lines, line);
        let (peer, names) = match rest.strip_prefix("- ") {
            Some(far) => PortEnd::read(far).map(|(peer, names)| (Some(peer), names.trim())).ok_or_else(damaged)?,
            None => (None, rest.trim()),
        };
        let own = match peer {
            Some(_) => own_name(names).ok_or_else(damaged)?,
            None => names.strip_suffix('\'').unwrap_or(names),
        };
        let description = own.strip_prefix('\'').unwrap_or(own).trim().to_string();
        let (kind, guid) = (end.kind, Guid(end.guid));
        let node = found.node(end.id(), || Node { kind, guid, description, ports: Vec::new(), line: number });
        last = Some((node, kind, lines.place()));
        if end.port == 1 {
            complete.insert(node);
        }
        let own = if kind == NodeKind::Switch { 0 } else { end.port };
        found.port(node, Port { number: own, guid: Some(guid), lid: end.lid, lmc: 0 });
        if let Some(peer) = peer {
            let at = PortRef { node, port: end.port };
            found.sides.push(Side { at, peer: peer.id(), peer_port: peer.port, speed, line: number });
        }
    }
    match last {
        // A switch has a row for each port, down to port 1: only the last one can be cut.
        Some((node, NodeKind::Switch, place)) if !partial && !complete.contains(&node) => {
            let message = "the rows of the last switch end before its port 1";
            Err(Error::input(message).at(&place).hint("the dump is cut short: collect it again, and whole"))
        }
        _ => Ok(found),
    }
}

/// The first of `( 'A' - 'B' )`; old tools leave the quotes out.
fn own_name(names: &str) -> Option<&str> {
    let names = names.strip_prefix('(')?.strip_suffix(')')?.trim();
    let separator = if names.starts_with('\'') { "' - '" } else { " - " };
    names.split_once(separator).map(|(own, _)| own)
}

/// `SW    18  4 0x0002c90200400018`.
struct PortEnd {
    kind: NodeKind,
    lid: u16,
    port: u16,
    guid: u64,
}

impl PortEnd {
    fn read(text: &str) -> Option<(Self, &str)> {
        let (word, rest) = split_word(text)?;
        let kind = kind(word)?;
        let (lid, rest) = split_word(rest)?;
        let (port, rest) = split_word(rest)?;
        let (guid, rest) = split_word(rest)?;
        Some((
            PortEnd { kind, lid: unicast(lid)?, port: port_number(port)?, guid: hex(guid.strip_prefix("0x")?)? },
            rest,
        ))
    }

    /// Switches of one chassis may share a port GUID, so the LID tells them apart.
    fn id(&self) -> String {
        let id = id(self.kind, self.guid);
        if self.kind == NodeKind::Switch { format!("{id} lid {}", self.lid) } else { id }
    }
}

/// `CA    12  1 0x0002c90300000101 4x QDR - SW ...`.
pub(super) struct PortRow<'a> {
    end: PortEnd,
    speed: Speed,
    rest: &'a str,
}

impl<'a> PortRow<'a> {
    pub(super) fn read(line: &'a str) -> Option<Self> {
        let (end, rest) = PortEnd::read(line)?;
        let (width, rest) = split_word(rest)?;
        let (rate, rest) = split_word(rest)?;
        Some(PortRow { end, speed: format!("{width}{rate}").parse().unwrap_or_default(), rest: rest.trim_start() })
    }
}
