//! What the two sides of each cable say, joined.

use super::parts::quoted;
use super::{Cable, Cabling, Found, PortRef, Speed};
use crate::error::{Error, Place, Result};
use rustc_hash::{FxHashMap, FxHashSet};

/// What one side says of a cable.
pub(super) struct Side {
    pub(super) at: PortRef,
    pub(super) peer: String,
    pub(super) peer_port: u16,
    pub(super) speed: Speed,
    pub(super) line: u32,
}

impl Found {
    /// Checks that each cable is told by both of its ends and keeps one of the two. In
    /// a partial file a cable to a node that is there may be told by its other end alone.
    pub(super) fn join(self, path: &str, text: &str, partial: bool) -> Result<Cabling> {
        let wrong = |side: &Side, what: String| {
            let message = format!("link to {} port {}, {what}", side.peer, side.peer_port);
            let hint = "the dump is cut short or was taken while the fabric changed: collect it again, or read what \
                        is there with partial=true (file:path=PATH,partial=true)";
            Error::input(message).at(&Place::new(path, side.line)).hint(hint)
        };
        let mut side_at: FxHashMap<PortRef, &Side> = FxHashMap::default();
        for side in &self.sides {
            if let Some(first) = side_at.insert(side.at, side) {
                let what = format!("but line {} links port {} already", first.line, side.at.port);
                return Err(wrong(side, what));
            }
        }
        let (mut cables, mut notes) = (Vec::with_capacity(self.sides.len() / 2), Vec::new());
        let (mut absent, mut alone): (Vec<&Side>, FxHashSet<PortRef>) = Default::default();
        for side in &self.sides {
            let Some(&node) = self.index.get(&side.peer) else {
                if partial {
                    absent.push(side);
                    continue;
                }
                return Err(wrong(side, "which is not in this file".into()));
            };
            let far = PortRef { node, port: side.peer_port };
            let Some(back) = side_at.get(&far) else {
                if partial && alone.insert(far) {
                    cables.push(Cable { a: side.at, b: far, speed: side.speed });
                    continue;
                }
                return Err(wrong(side, "which does not list the link back".into()));
            };
            if self.index.get(&back.peer) != Some(&side.at.node) || back.peer_port != side.at.port {
                let what = format!("but that is linked to {} port {} in line {}", back.peer, back.peer_port, back.line);
                return Err(wrong(side, what));
            }
            if side.at <= far {
                let (speed, doubt) = side.speed.agree(back.speed);
                if doubt {
                    let (a, b) = (side.line, back.line);
                    notes.push(format!("lines {a} and {b} give one cable two speeds: {speed}, the slower, is taken"));
                }
                cables.push(Cable { a: side.at, b: far, speed });
            }
        }
        let missing = missing(path, text, &absent, alone.len());
        Ok(Cabling { path: path.to_string(), nodes: self.nodes, cables, notes, complaints: self.complaints, missing })
    }
}

/// What a partial file lacks, in words.
fn missing(path: &str, text: &str, absent: &[&Side], alone: usize) -> Vec<String> {
    const NAMED: usize = 5;
    let mut seen = FxHashSet::default();
    let nodes: Vec<&&Side> = absent.iter().filter(|side| seen.insert(&side.peer)).collect();
    let mut notes = Vec::new();
    if !absent.is_empty() {
        let mut names: Vec<String> = nodes.iter().take(NAMED).map(|side| name(text, side)).collect();
        if nodes.len() > NAMED {
            names.push(format!("and {} more", nodes.len() - NAMED));
        }
        let counts = (absent.len(), nodes.len());
        let names = names.join(", ");
        notes.push(format!(
            "{path} is partial: links left out, which lead to nodes that are not in it: {} (nodes: {}: {names})",
            counts.0, counts.1
        ));
    }
    if alone > 0 {
        notes.push(format!("{path} is partial: cables that only one of their ends lists: {alone}"));
    }
    notes
}

/// A node that is not there, as the line of a link to it calls it.
fn name(text: &str, side: &Side) -> String {
    let line = text.lines().nth(side.line as usize - 1).unwrap_or_default();
    let behind = |line| quoted(str::split_once(line, '#')?.1).map(|q| q.inside.to_string());
    let row = || line.rsplit_once("' - '").and_then(|(_, far)| Some(far.rsplit_once('\'')?.0.to_string()));
    match behind(line).or_else(row) {
        Some(description) => format!("{} `{}`", side.peer, description.trim()),
        None => side.peer.clone(),
    }
}
