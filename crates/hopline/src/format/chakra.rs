//! Chakra execution traces, one file per rank: protobuf messages, each after its
//! length as a varint; first `GlobalMetadata`, then a `Node` each.
//!
//! Only what a schedule needs is decoded; unknown fields and attributes are
//! skipped by their wire type. Source: MLCommons Chakra, `schema/protobuf/et_def.proto`;
//! the wire format is that of protobuf.dev/programming-guides/encoding.

use crate::error::{Error, Place, Result};
use crate::files::check_room;
use crate::varint;

/// What a node stands for, by the numbers of `NodeType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeKind {
    /// Metadata, loads and stores: what takes only the time it says.
    #[default]
    Other,
    /// A computation.
    Compute,
    /// A message to `comm_dst`.
    Send,
    /// A message from `comm_src`.
    Recv,
    /// A collective of its process group.
    Collective,
}

/// An operation of a rank.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// Its number in the file.
    pub id: u64,
    /// What it stands for.
    pub kind: NodeKind,
    /// Numbers of the nodes that it waits for: `data_deps`.
    pub data_deps: Vec<u64>,
    /// The same by `ctrl_deps`.
    pub ctrl_deps: Vec<u64>,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// `num_ops`: its operations.
    pub num_ops: u64,
    /// `comm_type`: the collective, by the numbers of `CollectiveCommType`.
    pub comm_type: u64,
    /// `comm_size`, else `tensor_size`, in bytes.
    pub bytes: u64,
    /// `comm_src` or `comm_dst`.
    pub peer: Option<u64>,
    /// `comm_tag`.
    pub tag: u64,
    /// `pg_name`: its process group; empty for all ranks.
    pub group: String,
}

/// Bytes of memory of a node with the name of its group.
const NODE: usize = size_of::<Node>() + 32;

/// Reads the nodes of a rank. O(bytes).
///
/// # Errors
/// A file that is cut short or is no Chakra trace, with the byte; or that has more nodes than its length can tell anything of.
pub fn parse(path: &str, bytes: &[u8]) -> Result<Vec<Node>> {
    let mut wire = Wire(bytes);
    let damaged = |at: usize| {
        Error::input(format!("not a Chakra trace at byte {at}"))
            .at(&Place::new(path, 0))
            .hint("expected protobuf messages of et_def.proto, each after its length")
    };
    let (mut nodes, mut deps) = (Vec::new(), 0);
    let mut first = true;
    while !wire.0.is_empty() {
        let begin = bytes.len() - wire.0.len();
        let message = wire.block().ok_or_else(|| damaged(begin))?;
        // The first message says the version.
        if !std::mem::take(&mut first) {
            let own = node(message).ok_or_else(|| damaged(begin))?;
            deps += own.data_deps.len() + own.ctrl_deps.len();
            nodes.push(own);
            check_room(path, bytes.len(), nodes.len(), NODE)?;
            check_room(path, bytes.len(), deps, 2 * size_of::<u64>())?;
        }
    }
    if first { Err(damaged(0)) } else { Ok(nodes) }
}

/// Bytes of a message, read from the beginning on; `None` past the end.
#[derive(Clone, Copy)]
struct Wire<'a>(&'a [u8]);

/// The value of a field.
enum Value<'a> {
    /// A varint or a fixed number.
    Number(u64),
    /// A string, a message or packed numbers.
    Block(&'a [u8]),
}

impl<'a> Wire<'a> {
    fn varint(&mut self) -> Option<u64> {
        varint::take(&mut self.0)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Bytes after their number.
    fn block(&mut self) -> Option<&'a [u8]> {
        let count = usize::try_from(self.varint()?).ok()?;
        self.take(count)
    }

    /// The next field and its value. The outer `None` is a damaged message, the inner one its end.
    fn field(&mut self) -> Option<Option<(u64, Value<'a>)>> {
        if self.0.is_empty() {
            return Some(None);
        }
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Number(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => Value::Block(self.block()?),
            5 => Value::Number(u64::from(u32::from_le_bytes(self.take(4)?.try_into().ok()?))),
            _ => return None,
        };
        Some(Some((key >> 3, value)))
    }
}

fn node(message: &[u8]) -> Option<Node> {
    let mut wire = Wire(message);
    let mut node = Node::default();
    let (mut size, mut tensor) = (None, 0);
    while let Some((field, value)) = wire.field()? {
        match (field, value) {
            (1, Value::Number(n)) => node.id = n,
            (3, Value::Number(n)) => {
                node.kind = match n {
                    4 => NodeKind::Compute,
                    5 => NodeKind::Send,
                    6 => NodeKind::Recv,
                    7 => NodeKind::Collective,
                    _ => NodeKind::Other,
                }
            }
            (4, value) => numbers(value, &mut node.ctrl_deps)?,
            (5, value) => numbers(value, &mut node.data_deps)?,
            (7, Value::Number(n)) => node.micros = n,
            (10, Value::Block(own)) => match attribute(own)? {
                Attribute { name: "num_ops", number: Some(n), .. } => node.num_ops = n,
                Attribute { name: "comm_type", number: Some(n), .. } => node.comm_type = n,
                Attribute { name: "comm_size", number: Some(n), .. } => size = Some(n),
                Attribute { name: "tensor_size", number: Some(n), .. } => tensor = n,
                Attribute { name: "comm_src" | "comm_dst", number: Some(n), .. } => node.peer = Some(n),
                Attribute { name: "comm_tag", number: Some(n), .. } => node.tag = n,
                Attribute { name: "pg_name", text: Some(text), .. } => node.group = text.to_string(),
                _ => {}
            },
            _ => {}
        }
    }
    node.bytes = size.unwrap_or(tensor);
    Some(node)
}

/// One number, or several that are packed.
fn numbers(value: Value<'_>, into: &mut Vec<u64>) -> Option<()> {
    match value {
        Value::Number(n) => into.push(n),
        Value::Block(bytes) => {
            let mut wire = Wire(bytes);
            while !wire.0.is_empty() {
                into.push(wire.varint()?);
            }
        }
    }
    Some(())
}

/// An attribute, with its value where that is a whole number or a text.
#[derive(Debug, PartialEq)]
struct Attribute<'a> {
    name: &'a str,
    number: Option<u64>,
    text: Option<&'a str>,
}

fn attribute(message: &[u8]) -> Option<Attribute<'_>> {
    let mut wire = Wire(message);
    let (mut name, mut number, mut text) = ("", None, None);
    while let Some((field, value)) = wire.field()? {
        match (field, value) {
            (1, Value::Block(bytes)) => name = std::str::from_utf8(bytes).ok()?,
            // Plain, then zigzag, then fixed.
            (7 | 9 | 11 | 13 | 19 | 21 | 23 | 25 | 27, Value::Number(n)) => number = Some(n),
            (15 | 17, Value::Number(n)) => number = Some((n >> 1) ^ (n & 1).wrapping_neg()),
            (29, Value::Block(bytes)) => text = Some(std::str::from_utf8(bytes).ok()?),
            _ => {}
        }
    }
    Some(Attribute { name, number, text })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rng::Rng;

    fn block(out: &mut Vec<u8>, field: u64, bytes: &[u8]) {
        varint::put(out, field << 3 | 2);
        varint::put(out, bytes.len() as u64);
        out.extend(bytes);
    }

    fn number(out: &mut Vec<u8>, field: u64, n: u64) {
        varint::put(out, field << 3);
        varint::put(out, n);
    }

    /// A trace as its makers write it: dependencies packed, attributes as int64.
    pub(crate) fn write(nodes: &[Node]) -> Vec<u8> {
        let (mut out, mut head) = (Vec::new(), Vec::new());
        block(&mut head, 1, b"1.0.0");
        varint::put(&mut out, head.len() as u64);
        out.extend(head);
        for node in nodes {
            let mut m = Vec::new();
            number(&mut m, 1, node.id);
            block(&mut m, 2, b"name");
            let kind = [NodeKind::Compute, NodeKind::Send, NodeKind::Recv, NodeKind::Collective]
                .iter()
                .position(|&k| k == node.kind);
            number(&mut m, 3, kind.map_or(1, |k| k as u64 + 4));
            for (field, deps) in [(4, &node.ctrl_deps), (5, &node.data_deps)] {
                let mut packed = Vec::new();
                deps.iter().for_each(|&d| varint::put(&mut packed, d));
                block(&mut m, field, &packed);
            }
            number(&mut m, 7, node.micros);
            let peer = if node.kind == NodeKind::Send { "comm_dst" } else { "comm_src" };
            let given = [
                ("num_ops", Some(node.num_ops)),
                ("comm_type", Some(node.comm_type)),
                ("comm_size", Some(node.bytes)),
                (peer, node.peer),
                ("comm_tag", Some(node.tag)),
            ];
            for (name, n) in given.into_iter().filter_map(|(name, n)| Some((name, n?))) {
                let mut a = Vec::new();
                block(&mut a, 1, name.as_bytes());
                number(&mut a, 9, n);
                block(&mut m, 10, &a);
            }
            let mut a = Vec::new();
            block(&mut a, 1, b"pg_name");
            block(&mut a, 29, node.group.as_bytes());
            block(&mut m, 10, &a);
            varint::put(&mut out, m.len() as u64);
            out.extend(m);
        }
        out
    }

    fn nodes() -> Vec<Node> {
        let compute = Node { id: 7, kind: NodeKind::Compute, micros: 300, num_ops: 1 << 40, ..Node::default() };
        let group = Node {
            id: 8,
            kind: NodeKind::Collective,
            data_deps: vec![7, 300],
            bytes: 1 << 33,
            comm_type: 6,
            group: "tp".into(),
            ..Node::default()
        };
        let send = Node { id: 300, kind: NodeKind::Send, ctrl_deps: vec![8], peer: Some(3), tag: 9, ..Node::default() };
        vec![compute, group, send]
    }

    #[test]
    fn nodes_are_read() {
        assert_eq!(parse("t", &write(&nodes())).expect("trace"), nodes());
    }

    #[test]
    fn numbers_come_in_every_wire_type() {
        let mut a = Vec::new();
        block(&mut a, 1, b"comm_tag");
        number(&mut a, 17, 10);
        assert_eq!(attribute(&a), Some(Attribute { name: "comm_tag", number: Some(5), text: None }));
        let mut fixed = Vec::new();
        block(&mut fixed, 1, b"comm_tag");
        varint::put(&mut fixed, 19 << 3 | 5);
        fixed.extend(77u32.to_le_bytes());
        assert_eq!(attribute(&fixed), Some(Attribute { name: "comm_tag", number: Some(77), text: None }));
        let mut one = Vec::new();
        number(&mut one, 5, 4);
        number(&mut one, 5, 6);
        assert_eq!(node(&one).expect("not packed").data_deps, [4, 6]);
    }

    #[test]
    fn damaged_files_never_panic() {
        let whole = write(&nodes());
        assert!(parse("t", &[]).is_err());
        let mut cut = 0;
        for end in 1..whole.len() {
            cut += u32::from(parse("t", &whole[..end]).is_err());
        }
        assert!(cut as usize >= whole.len() - 4, "only whole messages are read");
        let mut rng = Rng::new(1, "chakra");
        for _ in 0..20_000 {
            let mut wrong = whole.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(wrong.len() as u64) as usize;
                wrong[at] = rng.below(256) as u8;
            }
            let _ = parse("t", &wrong);
        }
    }
}
