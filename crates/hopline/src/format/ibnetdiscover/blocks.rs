//! The plain form: a head for every node, then a line for each of its links.

use super::super::lines::Lines;
use super::super::messages::{is_message, is_prompt};
use super::parts::{NodeId, Quoted, bracketed, damaged, hex, id, kind, lids, node_id, quoted};
use super::{Found, Node, NodeKind, Port, PortRef, Side, Speed};
use crate::error::Result;
use crate::fabric::Guid;

/// Reads all blocks.
pub(super) fn read(path: &str, text: &str) -> Result<Found> {
    let (mut found, mut lines) = (Found::default(), Lines::new(path, text));
    let (mut grouped, mut repeated, mut switch_guid) = (false, false, None);
    while let Some(line) = lines.next() {
        let (line, number, started) = (line.trim(), lines.number(), !found.nodes.is_empty());
        let damaged = || damaged(&lines, line);
        if let Some(NodeId { kind, guid, rest }) = head(line) {
            let Quoted { inside: description, after: tail, .. } = quoted(rest).ok_or_else(damaged)?;
            let (lid, lmc) = lids(tail).ok_or_else(damaged)?;
            let id = id(kind, guid);
            // With -g the switches of a chassis stand there once more.
            repeated = found.index.contains_key(&id);
            if repeated && !grouped {
                return Err(lines.error(format!("{id} is listed twice")).hint("give one dump of one fabric"));
            }
            let own = Port { number: 0, guid: switch_guid.take(), lid, lmc };
            let ports = if kind == NodeKind::Switch { vec![own] } else { Vec::new() };
            found.node(id, || Node {
                kind,
                guid: Guid(guid),
                description: description.trim().into(),
                ports,
                line: number,
            });
        } else if let Some(guids) = line.strip_prefix("switchguid=") {
            switch_guid = guids.split_once('(').and_then(|(_, g)| hex(g.split_once(')')?.0)).map(Guid);
        } else if line.strip_prefix('[').is_some_and(|l| l.starts_with(|c: char| c.is_ascii_digit())) {
            let link = Link::read(line).ok_or_else(damaged)?;
            let node = (found.nodes.len() as u32).checked_sub(1).ok_or_else(damaged)?;
            if repeated {
                continue;
            }
            if found.nodes.last().is_some_and(|n| n.kind != NodeKind::Switch) {
                let (lid, lmc) = lids(link.own).ok_or_else(damaged)?;
                found.port(node, Port { number: link.port, guid: link.guid, lid, lmc });
            }
            let at = PortRef { node, port: link.port };
            let (peer, peer_port, speed) = (link.peer, link.peer_port, link.speed);
            found.sides.push(Side { at, peer, peer_port, speed, line: number });
        } else {
            grouped |= line.starts_with("Chassis ");
            found.complaints.hear(line, || lines.place());
            if started && !is_known(line) {
                return Err(damaged());
            }
        }
    }
    Ok(found)
}

/// Lines of the plain form that say nothing of cables.
fn is_known(line: &str) -> bool {
    const STARTS: [&str; 9] =
        ["#", "vendid=", "devid=", "sysimgguid=", "caguid=", "rtguid=", "Chassis ", "Non-Chassis", "Hostname:"];
    line.is_empty() || STARTS.iter().any(|start| line.starts_with(start)) || is_message(line) || is_prompt(line)
}

/// The node of `Switch 36 "S-0002c90200400018"` or, where tabs were lost, `Switch36`.
pub(super) fn head(line: &str) -> Option<NodeId<'_>> {
    let (words, rest) = line.split_at(line.find('"')?);
    let (word, ports) = words.split_at(words.find(|c: char| c.is_ascii_digit() || c.is_whitespace())?);
    ports.trim().parse::<u16>().ok()?;
    node_id(rest).filter(|node| kind(word) == Some(node.kind))
}

/// `[1](2c90300000011) "S-0002c90200400000"[1] # lid 4 lmc 2 "leaf" lid 8 4xQDR`.
struct Link<'a> {
    port: u16,
    guid: Option<Guid>,
    peer: String,
    peer_port: u16,
    /// Where an adapter has its own LID.
    own: &'a str,
    /// Unknown in dumps of 2006, which end before it.
    speed: Speed,
}

impl<'a> Link<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (port, rest) = bracketed(line)?;
        let guid = rest.strip_prefix('(').and_then(|r| hex(r.split_once(')')?.0)).map(Guid);
        let NodeId { kind, guid: peer, rest } = node_id(rest.get(rest.find('"')?..)?)?;
        let (peer_port, rest) = bracketed(rest)?;
        let Quoted { before: own, after: tail, .. } = quoted(rest.split_once('#')?.1)?;
        let speed = tail.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or_default();
        Some(Link { port, guid, peer: id(kind, peer), peer_port, own, speed })
    }
}
